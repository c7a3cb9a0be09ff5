// What is recorded in an evaluation store. Times are milliseconds since 1970, UTC; JSON is kept as text and
// given back as it came.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

struct StoredItem {
  std::string item_id;
  std::int64_t published_ms = 0;
  std::vector<std::string> tags;
  std::string json;
};
struct ItemsAdded {
  std::int64_t added = 0;
  std::int64_t known = 0;  // there before; tags were added, and the newest content counts
};

// One verdict on one classification of one item from one perspective.
struct StoredVerdict {
  std::string item_id;
  std::string classification;
  std::string perspective_id;
  std::string mode;
  std::optional<int> likert;             // modes 1, 2
  std::optional<std::string> agreement;  // mode 3
  std::optional<std::string> selection;  // as the judge repeated it
  std::optional<std::string> value;      // as the system chose it
  std::string text;
};

// Something named whose content may change: each different content is a version, counted from 1.
struct Versioned {
  std::string id;
  std::string json;  // canonical
};

struct ResultRecord {
  std::string agent;
  std::string context_id;
  Versioned persona;
  std::vector<Versioned> perspectives;
  std::vector<StoredItem> items;  // as evaluated: id, time of publication and the result's tags; json unused
  std::vector<StoredVerdict> verdicts;
  std::string json;      // the whole record
  std::string job_id{};  // that it came from; "": none of ours
};
struct ResultRecorded {
  std::int64_t record_id = 0;
  bool known = false;  // every verdict of it was there already: nothing was stored but tags
  std::int64_t verdicts_added = 0;
  std::int64_t persona_version = 0;
};

struct FailureRecord {
  std::string agent;
  std::string context_id;
  std::string persona_id;
  std::string mode;                       // empty: not told
  std::vector<std::string> item_ids;      // what was asked about …
  std::vector<std::string> perspectives;  // … from which perspectives; none: not told
  std::string json;
  std::string job_id{};
};

struct StoredJob {
  std::string job_id;
  std::string mode;
  std::string status;  // INITIATED, PROCESSING, COMPLETE, ERROR, CANCELLED
  std::string persona_id;
  std::string json;
  std::int64_t created_ms = 0;
};

// A person's own rating of a result.
struct Feedback {
  std::int64_t result_id = 0;
  std::string person;
  std::optional<int> likert;
  std::optional<std::string> agreement;
  std::string json;  // the whole body
};

struct SubsetPlan {
  std::string tag;
  int percent = 0;           // 1 to 100
  bool incremental = false;  // keeps the members there are
  std::uint64_t seed = 0;
};
struct Subset {
  std::int64_t members = 0;
  std::int64_t of = 0;  // items that have the tag
};

}  // namespace assay
