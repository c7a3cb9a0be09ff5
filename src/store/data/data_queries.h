// What can be asked of an evaluation store, and the pages that are given out. Of a query only what is asked
// for need be named: {.tag = "t", .count = 50}; an empty text asks for nothing.
//
// A list goes on by a place, not by a count: `after` names where the page before ended, which stays where it
// is whatever is recorded or removed meanwhile, since numbers are given out once and in the order of
// recording. `offset` counts from the front instead, or from that place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/data/data_records.h"

namespace assay {

// From `since_ms` on, and before `until_ms`.
struct TimeSpan {
  std::optional<std::int64_t> since_ms{};
  std::optional<std::int64_t> until_ms{};
  bool limited() const { return since_ms || until_ms; }
};

// Whether `total` and `remaining` of a page are counted, which takes longer the more there is. If not,
// `total` is 0 and `remaining` 1 if anything follows.
enum class Totals { counted, unknown };

// Where an item stands in each of the orders that items can be asked for.
struct ItemPlace {
  std::int64_t position = 0;
  std::int64_t published_ms = 0;
  std::string item_id{};
};

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
  std::optional<std::int64_t> published_until_ms{};
  std::string search{};      // in its id, title or text, in any case of ASCII
  std::string subset_tag{};  // members of this subset only
  int subset_percent = 0;
  // In the order of their first storing, by time of publication (ties by item id), by item id.
  enum class Order { stored, newest, item_id } order = Order::stored;
  std::optional<ItemPlace> after{};
  std::int64_t offset = 0;
  std::int64_t count = 20;  // below 1: all
  Totals totals = Totals::counted;
};
struct ItemPage {
  std::vector<StoredItem> items;
  std::int64_t total = 0;         // that match, before `after` too
  std::int64_t remaining = 0;     // behind this page
  std::optional<ItemPlace> last;  // where the page ends; none if it is empty
};

// Which items match, without what they say: a snapshot of any size is kept in eight bytes an item, and read
// in pieces.
struct ItemRows {
  std::vector<std::int64_t> rows;  // of the store's own
  std::int64_t total = 0;          // that match, beyond `count` too
};

struct SubsetSize {
  std::string tag;
  int percent = 0;
  std::int64_t members = 0;
  std::int64_t of = 0;  // items that have the tag
};

// An item that was stored, or that results speak of.
struct ItemView {
  StoredItem item;  // json is empty if only results speak of it
  std::vector<SubsetSize> subsets;
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
  std::optional<std::int64_t> published_until_ms{};
  TimeSpan recorded{};
  std::string job_id{};
  std::string context_id{};
  std::optional<int> likert{};
  std::string agreement{};
  std::string value{};                  // of the classification, as the system chose it
  std::optional<std::int64_t> after{};  // the number of a result or failure
  Totals totals = Totals::counted;
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
  std::int64_t record_id = 0;
  std::string job_id;  // "": none
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
    std::string job_id;
  };
  std::vector<Row> rows;
  std::int64_t total = 0;
  std::int64_t remaining = 0;
};

struct RecordQuery {
  std::string tag{};
  std::string agent{};
  std::string persona_id{};
  std::string mode{};
  std::string item_id{};
  std::string context_id{};
  std::string job_id{};
  TimeSpan recorded{};
  std::optional<std::int64_t> after{};  // the number of a record
  std::int64_t offset = 0;
  std::int64_t count = 20;  // below 1: all
};
// A record at a glance.
struct RecordRow {
  std::int64_t record_id = 0;
  std::int64_t recorded_ms = 0;
  std::string agent;
  std::string context_id;
  std::string persona_id;
  std::int64_t persona_version = 0;
  std::string mode;    // "": not told
  std::string job_id;  // "": none
  std::int64_t verdicts = 0;
  std::vector<std::string> item_ids;
};
struct RecordPage {
  std::vector<RecordRow> rows;
  std::int64_t total = 0;
  std::int64_t remaining = 0;
};
struct WholeRecord {
  RecordRow glance;
  std::string json;  // as it came, byte for byte
};

struct FeedbackQuery {
  std::optional<std::int64_t> result_id{};
  std::string person{};
  std::string item_id{};
  std::string job_id{};  // that made the result
  TimeSpan recorded{};
  std::optional<std::int64_t> after{};  // the number of a feedback
  std::int64_t offset = 0;
  std::int64_t count = 20;  // below 1: all
  Totals totals = Totals::counted;
};
struct FeedbackRow {
  std::int64_t feedback_id = 0;
  std::int64_t recorded_ms = 0;
  Feedback feedback;
  ResultRow result;  // that it is about
};
struct FeedbackPage {
  std::vector<FeedbackRow> rows;
  std::int64_t total = 0;
  std::int64_t remaining = 0;
};

// Where a job stands among all of them, newest first.
struct JobPlace {
  std::int64_t created_ms = 0;
  std::int64_t number = 0;
};
struct JobQuery {
  std::string mode{};
  std::string status{};
  std::string persona_id{};
  std::int64_t offset = 0;
  std::int64_t count = 20;  // below 1: all
  TimeSpan created{};
  std::optional<JobPlace> after{};
};
struct JobPage {
  std::vector<StoredJob> jobs;  // newest first
  std::int64_t total = 0;
  std::int64_t remaining = 0;
  std::optional<JobPlace> last;
};

// Short lists, whose entries are counted up as they are read.
struct NameQuery {
  std::int64_t after = 0;
  std::int64_t count = 20;
};
template <class Row>
struct Listed {
  std::vector<Row> rows;
  std::optional<std::int64_t> next;  // `after` of what follows; none at the end
};
struct TagSize {
  std::string tag;
  std::int64_t items = 0;
  std::int64_t results = 0;
};

enum class VersionedKind { persona, perspective };
struct VersionedName {
  std::string id;
  std::int64_t versions = 0;
  std::int64_t verdicts = 0;
};
struct Version {
  std::int64_t version = 0;
  std::string json;  // canonical
  std::int64_t verdicts = 0;
};

// What was asked at once: its results share a context id.
struct ContextPlace {
  std::string context_id;
  std::int64_t agent = 0;  // a number of the store's own
};
struct ContextQuery {
  std::optional<ContextPlace> after{};
  std::int64_t count = 20;
};
struct ContextRow {
  std::string context_id;
  std::string agent;
  std::int64_t first_ms = 0;  // recorded
  std::int64_t last_ms = 0;
  std::int64_t records = 0;
  std::int64_t verdicts = 0;
};
struct ContextPage {
  std::vector<ContextRow> rows;
  std::optional<ContextPlace> next;
};

}  // namespace assay
