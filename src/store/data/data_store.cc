#include "store/data/data_store.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "store/data/data_reads.h"
#include "store/data/data_tables.h"
#include "store/data/data_writes.h"
#include "store/file_lock.h"
#include "store/group_commit.h"
#include "store/statements.h"

namespace assay {
namespace {

constexpr std::size_t kReaders = 4;
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
    return ask(*lent.reader);
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

class SqliteDataStore final : public DataStore {
 public:
  SqliteDataStore(FileLock lock, Database writer, std::vector<std::unique_ptr<DataReads>> readers)
      : lock_(std::move(lock)),
        statements_(std::move(writer)),
        writes_(statements_),
        readers_(std::make_unique<Readers>(std::move(readers))) {
    writer_.emplace(
        kGroup, [this](std::span<std::unique_ptr<Write>> group) { return commit(group); },
        [](std::span<std::unique_ptr<Write>> group, const Status& committed) {
          for (const auto& write : group) write->tell(committed);
        });
  }

  ~SqliteDataStore() override {
    writer_.reset();
    // Leave one plain file behind, which can be copied. If it fails (disk full), the next opening recovers
    // from the log as after a kill.
    readers_.reset();
    (void)statements_.bare_database().execute("PRAGMA journal_mode=DELETE");
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

  Status commit(std::span<std::unique_ptr<Write>> group) {
    Status done = write_group(group);
    // What the failed transaction has written is undone by SQLite's own recovery if this fails as well.
    if (!done) (void)statements_.run("ROLLBACK");
    return done;
  }

  Status write_group(std::span<std::unique_ptr<Write>> group) {
    if (auto begun = statements_.run("BEGIN IMMEDIATE"); !begun) return begun;
    for (const auto& write : group) {
      if (auto marked = statements_.run("SAVEPOINT one_write"); !marked) return marked;
      if (auto applied = write->apply(writes_); !applied) {
        // If SQLite has given up the whole transaction, as it may when the disk is full, there is nothing
        // left to go back to, and what the write met is what the group met.
        if (!statements_.run("ROLLBACK TO one_write")) return applied;
        writes_.forget_numbers();
      }
      if (auto released = statements_.run("RELEASE one_write"); !released) return released;
    }
    return statements_.run("COMMIT");
  }

  FileLock lock_;
  Statements statements_;
  DataWrites writes_;
  std::unique_ptr<Readers> readers_;
  std::optional<GroupCommit<std::unique_ptr<Write>>> writer_;  // last: its thread uses everything above
};

}  // namespace

Result<std::unique_ptr<DataStore>> DataStore::open(const std::string& path) {
  auto lock = FileLock::take(
      path + ".lock",
      Error{ErrorKind::io,
            "another assay process has this evaluation store open; stop it or choose another file",
            {{"file", path}}});
  if (!lock) return fail(std::move(lock.error()));
  auto writer = open_data_database(path);
  if (!writer) return fail(std::move(writer.error()));
  std::vector<std::unique_ptr<DataReads>> readers;
  for (std::size_t i = 0; i < kReaders; ++i) {
    auto reader = open_data_reader(path);
    if (!reader) return fail(std::move(reader.error()));
    readers.push_back(std::make_unique<DataReads>(std::move(*reader)));
  }
  return std::make_unique<SqliteDataStore>(std::move(*lock), std::move(*writer), std::move(readers));
}

}  // namespace assay
