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

// What belongs to a job besides its status: the items that it asks about, its lists.
struct JobFile {
  std::string name;
  std::string text;
};
struct StoredJob {
  std::string job_id;
  std::string mode;
  std::string status;  // INITIATED, PROCESSING, COMPLETE, ERROR, CANCELLED
  std::string persona_id;
  std::string json;
  std::int64_t created_ms = 0;
  // For put_job(): who holds it, so that its state is stored only as long as he does; empty: whoever it is.
  std::string holder{};
  std::vector<JobFile> files{};  // for put_job(): kept with it
  bool cancel_asked = false;     // of take_job()
};

// Who works on a job, of several processes that have the store open, and how long he has it if he does not
// hold it again.
struct JobHold {
  std::string holder;
  std::int64_t ms = 0;
};
struct HeldJobs {
  std::vector<std::string> job_ids;
  std::vector<std::string> to_cancel;  // of them
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
