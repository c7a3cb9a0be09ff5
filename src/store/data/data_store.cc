#include "store/data/data_store.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "store/data/data_database.h"
#include "store/data/data_reads.h"
#include "store/data/data_writes.h"
#include "store/group_commit.h"

namespace assay {
namespace {

constexpr std::size_t kReaders = 4;
constexpr int kCarefulGroups = 100;  // after one in which a write failed
constexpr std::size_t kGroup = 512;  // writes of one commit: the first of them waits for the last

// One queued write: done inside its group's transaction, told to its caller after the commit.
class Write {
 public:
  Write() = default;
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;
  virtual ~Write() = default;
  virtual Status apply(DataWrites& writes) = 0;
  virtual void tell(const Status& committed) = 0;
};

template <class T, class Work>
class QueuedWrite final : public Write {
 public:
  QueuedWrite(Work work, DataStore::Done<T> done) : work_(std::move(work)), done_(std::move(done)) {}

  Status apply(DataWrites& writes) override {
    outcome_ = work_(writes);
    return outcome_ ? Status() : fail(outcome_.error());
  }
  void tell(const Status& committed) override {
    if (!done_) return;
    done_(committed ? std::move(outcome_) : Result<T>(fail(committed.error())));
  }

 private:
  Work work_;
  DataStore::Done<T> done_;
  Result<T> outcome_ = fail(ErrorKind::internal, "the write was not tried");
};

// Read connections, each lent to one thread at a time.
class Readers {
 public:
  explicit Readers(std::vector<std::unique_ptr<DataReads>> idle) : idle_(std::move(idle)) {}

  template <class Ask>
  auto with_one(const Ask& ask) {
    const Lent lent(*this);
    auto answer = ask(*lent.reader);
    if (!answer && lent.reader->restored()) answer = ask(*lent.reader);
    return answer;
  }

 private:
  // Given back also when what was asked throws.
  struct Lent {
    explicit Lent(Readers& all) : readers(all), reader(all.take()) {}
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { readers.give_back(std::move(reader)); }
    Readers& readers;
    std::unique_ptr<DataReads> reader;
  };

  std::unique_ptr<DataReads> take() {
    std::unique_lock guard(mutex_);
    returned_.wait(guard, [this] { return !idle_.empty(); });
    auto reader = std::move(idle_.back());
    idle_.pop_back();
    return reader;
  }
  void give_back(std::unique_ptr<DataReads> reader) {
    {
      const std::lock_guard guard(mutex_);
      idle_.push_back(std::move(reader));
    }
    returned_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<DataReads>> idle_;
};

class SqlDataStore final : public DataStore {
 public:
  SqlDataStore(std::unique_ptr<DataDatabase> database, std::vector<std::unique_ptr<DataReads>> readers)
      : database_(std::move(database)),
        writes_(database_->writer()),
        readers_(std::make_unique<Readers>(std::move(readers))) {
    writer_.emplace(
        kGroup, [this](std::span<std::unique_ptr<Write>> group) { return commit(group); },
        [this](std::span<std::unique_ptr<Write>> group, const Status& committed) {
          for (const auto& write : group) write->tell(committed ? group_ : committed);
        });
  }
  SqlDataStore(const SqlDataStore&) = delete;
  SqlDataStore& operator=(const SqlDataStore&) = delete;
  // The writer ends first, the database last.
  ~SqlDataStore() override {
    writer_.reset();
    readers_.reset();
  }

  void add_items(std::vector<StoredItem> items, Done<ItemsAdded> done) override {
    enqueue<ItemsAdded>([items = std::move(items)](DataWrites& writes) { return writes.add_items(items); },
                        std::move(done));
  }
  void add_result(ResultRecord record, Done<ResultRecorded> done) override {
    enqueue<ResultRecorded>(
        [record = std::move(record)](DataWrites& writes) { return writes.add_result(record); },
        std::move(done));
  }
  void add_failure(FailureRecord record, Done<std::int64_t> done) override {
    enqueue<std::int64_t>(
        [record = std::move(record)](DataWrites& writes) { return writes.add_failure(record); },
        std::move(done));
  }
  void make_subset(SubsetPlan plan, Done<Subset> done) override {
    enqueue<Subset>([plan = std::move(plan)](DataWrites& writes) { return writes.make_subset(plan); },
                    std::move(done));
  }
  void put_job(StoredJob job, std::function<void(Status)> done) override {
    enqueue<void>([job = std::move(job)](DataWrites& writes) { return writes.put_job(job); },
                  std::move(done));
  }
  void take_job(JobHold hold, std::string job_id, Done<std::optional<StoredJob>> done) override {
    enqueue<std::optional<StoredJob>>([hold = std::move(hold), job_id = std::move(job_id)](
                                          DataWrites& writes) { return writes.take_job(hold, job_id); },
                                      std::move(done));
  }
  void hold_jobs(JobHold hold, Done<HeldJobs> done) override {
    enqueue<HeldJobs>([hold = std::move(hold)](DataWrites& writes) { return writes.hold_jobs(hold); },
                      std::move(done));
  }
  void let_go_of_jobs(std::string holder, std::string job_id, std::function<void(Status)> done) override {
    enqueue<void>([holder = std::move(holder), job_id = std::move(job_id)](
                      DataWrites& writes) { return writes.let_go_of_jobs(holder, job_id); },
                  std::move(done));
  }
  void ask_to_cancel(std::string job_id, Done<bool> done) override {
    enqueue<bool>([job_id = std::move(job_id)](DataWrites& writes) { return writes.ask_to_cancel(job_id); },
                  std::move(done));
  }
  void add_feedback(Feedback feedback, Done<std::optional<std::int64_t>> done) override {
    enqueue<std::optional<std::int64_t>>(
        [feedback = std::move(feedback)](DataWrites& writes) { return writes.add_feedback(feedback); },
        std::move(done));
  }

  void prune(KeptSince since, std::int64_t most, Done<Pruned> done) override {
    enqueue<Pruned>([since, most](DataWrites& writes) { return writes.prune(since, most); }, std::move(done));
  }
  void remove(Removal what, Done<Removed> done) override {
    enqueue<Removed>([what = std::move(what)](DataWrites& writes) { return writes.remove(what); },
                     std::move(done));
  }

  Result<ItemPage> items(const ItemQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.items(query); });
  }
  Result<ItemRows> item_rows(const ItemQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.item_rows(query); });
  }
  Result<std::vector<StoredItem>> items_of(std::span<const std::int64_t> rows) override {
    return readers_->with_one([&](DataReads& reads) { return reads.items_of(rows); });
  }
  Result<ResultPage> results(const ResultQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.results(query); });
  }
  Result<FailurePage> failures(const ResultQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.failures(query); });
  }
  Result<std::int64_t> tagged(const std::string& tag) override {
    return readers_->with_one([&](DataReads& reads) { return reads.tagged(tag); });
  }
  Result<std::int64_t> members(const std::string& tag, int percent) override {
    return readers_->with_one([&](DataReads& reads) { return reads.members(tag, percent); });
  }
  Result<std::optional<StoredJob>> job(const std::string& job_id) override {
    return readers_->with_one([&](DataReads& reads) { return reads.job(job_id); });
  }
  Result<JobPage> jobs(const JobQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.jobs(query); });
  }
  Result<std::optional<std::string>> job_file(const std::string& job_id, const std::string& name) override {
    return readers_->with_one([&](DataReads& reads) { return reads.job_file(job_id, name); });
  }
  Result<bool> has_job_to_take() override {
    return readers_->with_one([&](DataReads& reads) { return reads.has_job_to_take(); });
  }
  bool shared() const override { return database_->shared(); }
  Result<std::optional<ItemView>> item(const std::string& item_id) override {
    return readers_->with_one([&](DataReads& reads) { return reads.item(item_id); });
  }
  Result<RecordPage> records(const RecordQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.records(query); });
  }
  Result<std::optional<WholeRecord>> record(std::int64_t record_id) override {
    return readers_->with_one([&](DataReads& reads) { return reads.record(record_id); });
  }
  Result<ContextPage> contexts(const ContextQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.contexts(query); });
  }
  Result<FeedbackPage> feedback(const FeedbackQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.feedback(query); });
  }
  Result<Listed<TagSize>> tags(const NameQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.tags(query); });
  }
  Result<Listed<VersionedName>> versioned(VersionedKind kind, const NameQuery& query) override {
    return readers_->with_one([&](DataReads& reads) { return reads.versioned(kind, query); });
  }
  Result<std::vector<Version>> versions(VersionedKind kind, const std::string& id) override {
    return readers_->with_one([&](DataReads& reads) { return reads.versions(kind, id); });
  }
  Result<std::vector<SubsetSize>> subsets() override {
    return readers_->with_one([&](DataReads& reads) { return reads.subsets(); });
  }

 private:
  template <class T, class Work>
  void enqueue(Work work, Done<T> done) {
    writer_->add(std::make_unique<QueuedWrite<T, Work>>(std::move(work), std::move(done)));
  }

  // Whether a write that fails is taken back alone, which asks the database twice more for each, or the group
  // is written again because of it.
  enum class Care { for_each_write, for_the_group };

  Status commit(std::span<std::unique_ptr<Write>> group) {
    // A question to a server takes its time, and hardly any write fails.
    const bool trusting = database_->shared() && careful_groups_ == 0;
    careful_groups_ -= careful_groups_ > 0 ? 1 : 0;
    group_ = commit_with(trusting ? Care::for_the_group : Care::for_each_write, group);
    if (!group_ && one_failed_ && group_.error().kind != ErrorKind::network) {
      careful_groups_ = kCarefulGroups;
      group_ = commit_with(Care::for_each_write, group);
    }
    return database_->goes_on_after_failure() ? Status() : group_;
  }

  Status commit_with(Care care, std::span<std::unique_ptr<Write>> group) {
    Status done = database_->commit([&](Numbers numbers) {
      if (numbers == Numbers::doubtful) writes_.forget_numbers();
      writes_.begin();
      one_failed_ = false;
      return care == Care::for_each_write ? write_each(group) : write_all(group);
    });
    if (!done) writes_.forget_numbers();
    return done;
  }

  // Both inside a transaction.
  Status write_all(std::span<std::unique_ptr<Write>> group) {
    for (const auto& write : group) {
      Status applied = write->apply(writes_);
      one_failed_ = !applied;
      if (one_failed_) return applied;
    }
    return {};
  }
  Status write_each(std::span<std::unique_ptr<Write>> group) {
    DataSql& sql = database_->writer();
    for (const auto& write : group) {
      if (auto marked = sql.run("SAVEPOINT one_write"); !marked) return marked;
      if (auto applied = write->apply(writes_); !applied) {
        // If the whole transaction was given up, as it may be when the disk is full, there is nothing left to
        // go back to, and what the write met is what the group met.
        if (!sql.run("ROLLBACK TO one_write")) return applied;
        writes_.forget_numbers();
      }
      if (auto released = sql.run("RELEASE one_write"); !released) return released;
    }
    return {};
  }

  std::unique_ptr<DataDatabase> database_;
  DataWrites writes_;
  std::unique_ptr<Readers> readers_;
  Status group_;                                               // how the last group went
  bool one_failed_ = false;                                    // of the writes of the last attempt
  int careful_groups_ = 0;                                     // that are still to come
  std::optional<GroupCommit<std::unique_ptr<Write>>> writer_;  // last: its thread uses everything above
};

}  // namespace

Result<std::unique_ptr<DataStore>> DataStore::open(const StoreAddress& address) {
  auto database = DataDatabase::open(address);
  if (!database) return fail(std::move(database.error()));
  std::vector<std::unique_ptr<DataReads>> readers;
  for (std::size_t i = 0; i < kReaders; ++i) {
    auto reader = (*database)->reader();
    if (!reader) return fail(std::move(reader.error()));
    readers.push_back(std::make_unique<DataReads>(std::move(*reader)));
  }
  return std::make_unique<SqlDataStore>(std::move(*database), std::move(readers));
}

}  // namespace assay
