// What the data service keeps: items with their tags, results and failures of evaluations, jobs, subsets,
// people's feedback. Personas and perspectives are versioned by content. It is kept in an SQLite file, which
// one process has open, or in a PostgreSQL database, which many may.
//
// Writes are queued and committed in groups by one writer thread; the callback of a write runs on that thread
// after its commit: what the caller has been told survives kill -9 and power loss. After a failed commit to a
// file every further write fails; a PostgreSQL server that went away is waited for, and asked what became of
// the commit that it did not confirm. Reads may come from any thread and see what is committed.
//
// Numbers (of items, records, results, failures, feedback) are given out in the order of the commits, by all
// processes together, so that whoever goes on behind a number misses nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "store/address.h"
#include "store/data/data_queries.h"
#include "store/data/data_records.h"

namespace assay {

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

// One thing to be removed, with all that follows from it.
struct Removal {
  enum class Kind {
    record,            // with its verdicts, their tags and feedback; what it judged may be asked about again
    item,              // with its tags and places in subsets; results that speak of it stay
    item_and_records,  // and every record and failure that speaks of it
    failure,
    feedback,
    job,  // its directory and its results are the caller's and stay
  };
  Kind kind = Kind::record;
  std::int64_t number = 0;  // of a record, a failure or a feedback
  std::string id{};         // of an item or a job
};
// Nothing of any kind: there was no such thing.
struct Removed {
  std::int64_t items = 0;
  std::int64_t records = 0;
  std::int64_t results = 0;
  std::int64_t failures = 0;
  std::int64_t feedback = 0;
  std::int64_t jobs = 0;
  bool any() const { return items + records + results + failures + feedback + jobs > 0; }
};

class DataStore {
 public:
  // A directory has the file data.db. Makes the file or the tables if there are none, but no directory. A
  // store of an earlier format is brought up to this one; one that is not known is an error.
  static Result<std::unique_ptr<DataStore>> open(const StoreAddress& address);
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
  // Stores the job, or its new state; the time of its creation stays. Kind changed if its holder has lost it.
  virtual void put_job(StoredJob job, std::function<void(Status)> done) = 0;
  // Of the jobs that have not ended and that nobody holds the one of that id, or, if it is empty, that which
  // has waited longest: the holder has it from now on. Nothing if there is none.
  virtual void take_job(JobHold hold, std::string job_id, Done<std::optional<StoredJob>> done) = 0;
  // Whatever the holder still has he holds for longer.
  virtual void hold_jobs(JobHold hold, Done<HeldJobs> done) = 0;
  // Of the job of that id, or, if it is empty, of all that the holder has.
  virtual void let_go_of_jobs(std::string holder, std::string job_id, std::function<void(Status)> done) = 0;
  // Who holds the job hears it from hold_jobs(), who takes it from take_job(). False if it has ended or there
  // is none.
  virtual void ask_to_cancel(std::string job_id, Done<bool> done) = 0;
  // Nothing if there is no such result.
  virtual void add_feedback(Feedback feedback, Done<std::optional<std::int64_t>> done) = 0;

  // One step of taking away what is too old: the oldest first, at most so many of each kind, so that nobody
  // waits long for the writer. What was judged stays known (an item is not asked about again because its
  // result has gone), and the newest of each kind stays, so that no number is given out twice.
  virtual void prune(KeptSince since, std::int64_t most, Done<Pruned> done) = 0;

  // Numbers of what was removed are not given out again, and texts that it alone had shared go with it.
  virtual void remove(Removal what, Done<Removed> done) = 0;

  virtual Result<ItemPage> items(const ItemQuery& query) = 0;
  // The same without the items themselves.
  virtual Result<ItemRows> item_rows(const ItemQuery& query) = 0;
  // Those of them that are still there, as they are now.
  virtual Result<std::vector<StoredItem>> items_of(std::span<const std::int64_t> rows) = 0;
  // Nothing if neither items nor results know it.
  virtual Result<std::optional<ItemView>> item(const std::string& item_id) = 0;
  // In the order of their recording, as failures are.
  virtual Result<ResultPage> results(const ResultQuery& query) = 0;
  // Tag, classification, perspective and values are unused; the time of an item that is not stored is the
  // failure's own.
  virtual Result<FailurePage> failures(const ResultQuery& query) = 0;
  virtual Result<RecordPage> records(const RecordQuery& query) = 0;
  virtual Result<std::optional<WholeRecord>> record(std::int64_t record_id) = 0;
  // By context id and agent.
  virtual Result<ContextPage> contexts(const ContextQuery& query) = 0;
  virtual Result<FeedbackPage> feedback(const FeedbackQuery& query) = 0;
  // In the order in which their names first came.
  virtual Result<Listed<TagSize>> tags(const NameQuery& query) = 0;
  virtual Result<Listed<VersionedName>> versioned(VersionedKind kind, const NameQuery& query) = 0;
  // From the first on; none if the name is not known.
  virtual Result<std::vector<Version>> versions(VersionedKind kind, const std::string& id) = 0;
  // All of them.
  virtual Result<std::vector<SubsetSize>> subsets() = 0;
  // How many items have the tag, and how many are in a subset of it.
  virtual Result<std::int64_t> tagged(const std::string& tag) = 0;
  virtual Result<std::int64_t> members(const std::string& tag, int percent) = 0;
  virtual Result<std::optional<StoredJob>> job(const std::string& job_id) = 0;
  virtual Result<JobPage> jobs(const JobQuery& query) = 0;
  virtual Result<std::optional<std::string>> job_file(const std::string& job_id, const std::string& name) = 0;
  // Whether take_job() would find one.
  virtual Result<bool> has_job_to_take() = 0;

  // Whether other processes may have it open as well.
  virtual bool shared() const = 0;
};

// The file of a store that is one; empty: it is on a server.
std::string data_file_of(const StoreAddress& address);

// What all steps together would take away now. Only reads, also while a service has the store open.
Result<Pruned> prunable(const StoreAddress& address, const KeptSince& since);

}  // namespace assay
