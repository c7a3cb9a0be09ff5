// What the data service keeps, in one SQLite file: items with their tags, results and failures of
// evaluations, jobs, subsets, people's feedback. Personas and perspectives are versioned by content.
//
// Writes are queued and committed in groups by one writer thread (WAL, synchronous=FULL); the callback of a
// write runs on that thread after its commit: what the caller has been told survives kill -9 and power loss.
// After a failed commit every further write fails. Reads may come from any thread and see what is committed.
//
// Times are milliseconds since 1970, UTC. JSON is kept as text and given back as it came.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

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
  std::string json;  // the whole record
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
};

// Where an item stands in each of the orders that items can be asked for.
struct ItemPlace {
  std::int64_t position = 0;
  std::int64_t published_ms = 0;
  std::string item_id{};
};

// Of a query only what is asked for need be named: {.tag = "t", .count = 50}.
struct ItemQuery {
  std::string tag{};                              // "": any
  std::string exclude_tag{};                      // leaves out items that have a result under this tag …
  std::string persona_id{};                       // … of this persona; "": of any
  std::string persona_json{};                     // … with this content; "": with any
  std::optional<std::int64_t> persona_version{};  // … in this version
  std::string mode{};                             // … in this mode; "": in any
  // … from each of these perspectives, with this content; none: from any
  std::vector<Versioned> perspectives = {};
  std::optional<std::int64_t> published_since_ms{};
  std::string subset_tag{};  // members of this subset only
  int subset_percent = 0;
  // In the order of their first storing, by time of publication (ties by item id), by item id.
  enum class Order { stored, newest, item_id } order = Order::stored;
  // Only what comes behind this place, which stays where it is whatever is recorded meanwhile.
  std::optional<ItemPlace> after{};
  std::int64_t offset = 0;
  std::int64_t count = 20;  // below 1: all
};
struct ItemPage {
  std::vector<StoredItem> items;
  std::int64_t total = 0;         // that match, before `after` too
  std::int64_t remaining = 0;     // behind this page
  std::optional<ItemPlace> last;  // where the page ends; none if it is empty
};

struct ResultQuery {
  std::string tag{};
  std::string agent{};
  std::string persona_id{};
  std::string mode{};
  std::string item_id{};
  std::string classification{};
  std::string perspective_id{};
  std::optional<std::int64_t> published_since_ms{};
  bool resolved = false;  // of failures: also those that have a result by now
  std::int64_t offset = 0;
  std::int64_t count = 20;  // below 1: all
};
// A verdict as it is given out.
struct ResultRow {
  std::int64_t result_id = 0;
  std::string agent;
  std::string context_id;
  std::string persona_id;
  std::int64_t persona_version = 0;
  std::int64_t perspective_version = 0;
  StoredVerdict verdict;
  std::int64_t recorded_ms = 0;
  std::vector<std::string> tags;
};
struct ResultPage {
  std::vector<ResultRow> rows;
  std::int64_t total = 0;
  std::int64_t remaining = 0;
};
struct FailurePage {
  struct Row {
    std::int64_t failure_id = 0;
    std::int64_t recorded_ms = 0;
    std::optional<std::int64_t> resolved_ms;
    std::string json;
  };
  std::vector<Row> rows;
  std::int64_t total = 0;
  std::int64_t remaining = 0;
};

struct StoredJob {
  std::string job_id;
  std::string mode;
  std::string status;  // INITIATED, PROCESSING, COMPLETE, ERROR, CANCELLED
  std::string persona_id;
  std::string json;
  std::int64_t created_ms = 0;
};
struct JobQuery {
  std::string mode{};
  std::string status{};
  std::string persona_id{};
  std::int64_t offset = 0;
  std::int64_t count = 20;  // below 1: all
};
struct JobPage {
  std::vector<StoredJob> jobs;  // newest first
  std::int64_t total = 0;
  std::int64_t remaining = 0;
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

// What is kept: that of these times and later; nothing: all of it.
struct KeptSince {
  std::optional<std::int64_t> items_ms{};    // by time of publication
  std::optional<std::int64_t> records_ms{};  // results with their feedback, and failures, by their recording
  std::optional<std::int64_t> jobs_ms{};     // that have ended, by their creation
};
// What was taken away, or would be.
struct Pruned {
  std::int64_t items = 0;
  std::int64_t records = 0;
  std::int64_t results = 0;  // verdicts of those records
  std::int64_t failures = 0;
  std::vector<std::string> job_ids;  // their directories are the caller's to remove
  bool more = false;                 // the step was full: there may be more
};

class DataStore {
 public:
  // Makes the file if there is none. A file of another format is an error.
  static Result<std::unique_ptr<DataStore>> open(const std::string& path);
  // Commits what was queued, then stops the writer.
  virtual ~DataStore() = default;

  template <class T>
  using Done = std::function<void(Result<T>)>;

  virtual void add_items(std::vector<StoredItem> items, Done<ItemsAdded> done) = 0;
  // Recording the same result again (same agent, item, classification, persona version, perspective version,
  // mode and context) stores nothing but new tags; with another verdict it is an error of kind `changed`, and
  // nothing of the record is stored. A verdict must be about an item and from a perspective of its record.
  virtual void add_result(ResultRecord record, Done<ResultRecorded> done) = 0;
  // Its id. Recording the same failure again (same agent, first item, persona, mode and context) stores
  // nothing. It is resolved by a result of the same context and agent, and by results of the same agent,
  // persona and mode for all that it was about.
  virtual void add_failure(FailureRecord record, Done<std::int64_t> done) = 0;
  // A random max(1, floor(n·percent/100)) of the items that have the tag, decided by the seed; 0 of none.
  // Incremental: members stay, and only what is missing to the size is drawn; a subset is never made smaller.
  virtual void make_subset(SubsetPlan plan, Done<Subset> done) = 0;
  // Stores the job, or its new state; the time of its creation stays.
  virtual void put_job(StoredJob job, std::function<void(Status)> done) = 0;
  // Nothing if there is no such result.
  virtual void add_feedback(Feedback feedback, Done<std::optional<std::int64_t>> done) = 0;

  // One step of taking away what is too old: the oldest first, at most so many of each kind, so that nobody
  // waits long for the writer. What was judged stays known (an item is not asked about again because its
  // result has gone), and the newest of each kind stays, so that no number is given out twice.
  virtual void prune(KeptSince since, std::int64_t most, Done<Pruned> done) = 0;

  virtual Result<ItemPage> items(const ItemQuery& query) = 0;
  // In the order of their recording, as failures are.
  virtual Result<ResultPage> results(const ResultQuery& query) = 0;
  // Tag, classification and perspective are unused; the time of an item that is not stored is the failure's
  // own.
  virtual Result<FailurePage> failures(const ResultQuery& query) = 0;
  // How many items have the tag, and how many are in a subset of it.
  virtual Result<std::int64_t> tagged(const std::string& tag) = 0;
  virtual Result<std::int64_t> members(const std::string& tag, int percent) = 0;
  virtual Result<std::optional<StoredJob>> job(const std::string& job_id) = 0;
  virtual Result<JobPage> jobs(const JobQuery& query) = 0;
};

// What all steps together would take away now. Only reads, also while a service has the store open.
Result<Pruned> prunable(const std::string& path, const KeptSince& since);

}  // namespace assay
