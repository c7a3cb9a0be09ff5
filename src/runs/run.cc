#include "runs/run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/ids.h"
#include "core/sha256.h"
#include "core/time.h"
#include "core/version.h"
#include "core/yaml.h"
#include "runs/changes.h"
#include "store/work_thread.h"

namespace assay {

namespace fs = std::filesystem;

// Where a directory was made for a run that then came to nothing, it goes again.
class NewDirectory {
 public:
  static Result<NewDirectory> make(const std::string& path) {
    NewDirectory made;
    made.existed_ = directory_exists(path);
    if (auto done = make_directories(path); !done) return fail(std::move(done.error()));
    made.path_ = path;
    return made;
  }
  // The config that was written first, and the directory if it was made for it.
  void take_back() const {
    std::error_code ignored;
    fs::remove(path_ + "/config.yaml", ignored);
    leave();
  }
  // Nothing was written but the lock.
  void leave() const {
    if (existed_) return;
    std::error_code ignored;
    fs::remove(fmt::format("{}/{}.lock", path_, kJournalFile), ignored);
    fs::remove(path_, ignored);
  }

 private:
  std::string path_;
  bool existed_ = false;
};

namespace {

Error holds_run_already(const std::string& directory) {
  return {ErrorKind::usage,
          "holds a run already; finish it with `assay resume`, or choose another --output-dir",
          {{"directory", directory}}};
}

bool holds_run(const std::string& directory) {
  return RunStore::holds_run(directory) || file_exists(directory + "/summary.json");
}

// Whether the directory holds a run that an evaluation which goes on can go on with. A run whose name cannot
// be read at the moment (it was killed while its journal was being made ready) counts: opening it mends it,
// or says what is wrong.
bool may_hold_run_of(const RunRequest& request) {
  if (!RunStore::holds_run(request.directory)) return false;
  auto identity = read_identity(request.directory);
  return !identity || identity->evaluation == request.evaluation_name;
}

RunIdentity identity_now(const RunRequest& request) {
  const auto now = std::chrono::system_clock::now();
  return {request.run_id.empty() ? make_run_id(now) : request.run_id,
          request.evaluation_name,
          kVersion,
          iso_time(now),
          deciding_config(request.config, request.evaluation),
          request.evaluation.data_path(),
          ""};
}

CollectRequest collect_request(const RunRequest& request, const RunIdentity& identity) {
  CollectRequest collecting{.evaluation = request.evaluation};
  collecting.header = {request.evaluation_name, request.config.text("what"),
                       identity.run_id,         identity.started,
                       request.command,         written_config(request.config)};
  collecting.directory = request.directory;
  collecting.gates = request.gates;
  collecting.invalid_lines =
      request.config.boolean("skip_invalid") ? InvalidLines::skip : InvalidLines::refuse;
  return collecting;
}

}  // namespace

std::string written_config(const Config& config) {
  JsonObject values = config.values();
  values.erase(
      "output_dir");  // the directory is where the file stands; so the file can be run again elsewhere
  return to_yaml(values);
}

Post Run::post() {
  return [&loop = gateway_.loop()](std::function<void()> work) { loop.post(std::move(work)); };
}

Result<RunIdentity> Run::new_identity() const {
  RunIdentity identity = identity_now(request_);
  if (request_.evaluation.goes_on()) return identity;
  auto hash = sha256_of_file(identity.data_path);
  if (!hash) return fail(std::move(hash.error()));
  identity.data_hash = std::move(*hash);
  return identity;
}

Task<Result<std::unique_ptr<Run>>> Run::open(Gateway& gateway, RunRequest request) {
  std::unique_ptr<Run> run(new Run(gateway, std::move(request)));
  if (auto begun = co_await run->begin(); !begun) co_return fail(std::move(begun.error()));
  co_return run;
}

// A process that was killed a moment ago may not have ended yet, and holds its lock until then.
Task<Result<std::unique_ptr<RunLock>>> Run::patient_lock() {
  constexpr int kTries = 20;
  for (int tries = 1;; ++tries) {
    auto lock = RunStore::lock(request_.directory);
    if (lock || lock.error().kind != ErrorKind::journal || tries == kTries) co_return lock;
    co_await gateway_.loop().sleep(std::chrono::milliseconds(50));
  }
}

Task<Status> Run::begin() {
  const std::string& directory = request_.directory;
  auto made = NewDirectory::make(directory);
  if (!made) co_return fail(std::move(made.error()));
  const bool goes_on = request_.evaluation.goes_on();
  const bool fresh = request_.opening == Opening::fresh && !(goes_on && may_hold_run_of(request_));
  if (fresh && holds_run(directory)) co_return fail(holds_run_already(directory));
  // The lock comes first: whatever is written belongs to whoever has it.
  auto lock = co_await patient_lock();
  if (!lock) {
    if (lock.error().kind != ErrorKind::journal) made->leave();
    co_return fail(std::move(lock.error()));
  }
  // Whoever had the lock may have made one.
  if (fresh && holds_run(directory)) co_return fail(holds_run_already(directory));
  WorkThread thread(post());
  auto opened = co_await thread.run<Status>([&] { return open_store(*made, *lock); });
  if (!opened) co_return opened;
  if (goes_on && resumed_) {
    if (auto recalled = co_await recall_outcomes(request_.evaluation, *store_); !recalled) co_return recalled;
  }
  co_return co_await thread.run<Status>(
      [&] { return request_.evaluation.prepare(directory, {identity_.run_id, identity_.started}); });
}

// config.yaml comes before the journal: from then on the directory can be resumed.
Status Run::open_store(const NewDirectory& made, std::unique_ptr<RunLock>& lock) {
  const std::string& directory = request_.directory;
  auto identity = new_identity();
  if (!identity) {
    made.leave();
    return fail(std::move(identity.error()));
  }
  // Before anything is written: a run whose answers are to be taken must be there.
  if (const std::string reuse = request_.config.text("reuse"); !reuse.empty()) {
    auto earlier = RunStore::open(reuse, nullptr, post());
    if (!earlier) {
      made.leave();
      return fail(std::move(earlier.error()).with("key", "reuse"));
    }
    earlier_answers_ = std::move(*earlier);
  }
  // A run that was killed before it had a journal is begun anew, with what is asked for now.
  resumed_ = RunStore::holds_run(directory);
  if (request_.opening == Opening::fresh || (request_.opening == Opening::resume && !resumed_)) {
    auto written = write_file(directory + "/config.yaml", written_config(request_.config));
    if (!written) {
      made.leave();
      return written;
    }
  }
  auto store = resumed_ ? RunStore::open(directory, std::move(lock), post())
                        : RunStore::create(directory, std::move(lock), *identity, request_.texts, post());
  if (!store) {
    if (request_.opening == Opening::fresh && !resumed_) made.take_back();
    return fail(std::move(store.error()));
  }
  store_ = std::move(*store);
  identity_ = store_->identity();
  if (!resumed_ || request_.evaluation.goes_on()) return {};
  return check_unchanged(identity_, *identity, directory);
}

Task<Status> Run::hear_earlier() {
  if (!resumed_ || (!early_stop_ && !request_.on_outcome)) co_return Status();
  const std::vector<std::string> again = outcomes_to_retry();
  co_return co_await hear_outcomes(
      request_.evaluation, *store_, post(), [&](const Case& input, const Outcome& outcome) {
        if (early_stop_) early_stop_->add(input, outcome);
        const bool stands = std::ranges::find(again, to_string(outcome.kind)) == again.end();
        if (stands && request_.on_outcome) request_.on_outcome(input, outcome);
      });
}

Task<RunResult> Run::execute() {
  const auto stopped = [](Error error) { return RunResult{RunEnd::stopped, std::move(error)}; };
  RunnerOptions options;
  options.seed = gateway_.settings().seed;
  options.trace = request_.trace;
  options.on_outcome = request_.on_outcome;
  if (!request_.stop_when.empty()) {
    WorkThread thread(post());
    auto made = co_await thread.run<Result<std::unique_ptr<EarlyStop>>>(
        [&] { return EarlyStop::make(request_.evaluation, request_.stop_when, options.seed); });
    if (!made) co_return stopped(std::move(made.error()));
    early_stop_ = std::move(*made);
    options.stop_rule = early_stop_.get();
  }
  options.earlier_answers = earlier_answers_.get();
  if (auto heard = co_await hear_earlier(); !heard) co_return stopped(std::move(heard.error()));
  runner_ = std::make_unique<Runner>(gateway_, std::move(options));
  if (interrupted_) runner_->interrupt();
  co_return co_await runner_->run(request_.evaluation, *store_, request_.cases);
}

void Run::interrupt() {
  interrupted_ = true;
  if (runner_) runner_->interrupt();
}

RunProgress Run::progress() const {
  if (runner_) return runner_->progress();
  RunProgress none;
  none.total = request_.cases;
  return none;
}

Task<Result<ReportInput>> Run::collect(const RunResult& result, std::vector<Problem> warnings,
                                       ProblemList& problems) {
  CollectRequest collecting = collect_request(request_, identity_);
  collecting.warnings = std::move(warnings);
  collecting.store = store_.get();
  auto totals = co_await store_->totals();
  if (!totals) co_return fail(std::move(totals.error()));
  collecting.totals = *totals;
  const bool cut_off = result.end != RunEnd::complete;
  collecting.early_stop = early_stop_.get();
  if (early_stop_ && (!cut_off || early_stop_->settled())) collecting.not_taken = NotTaken::skipped;
  collecting.not_evaluated = cut_off && result.reason ? result.reason->message : "not evaluated";
  co_return co_await collect_run(collecting, problems);
}

Result<ReportInput> run_without_effects(const RunRequest& request, ProblemList& problems) {
  auto made = NewDirectory::make(request.directory);
  if (!made) return fail(std::move(made.error()));
  if (request.opening == Opening::fresh) {
    if (holds_run(request.directory)) return fail(holds_run_already(request.directory));
    auto written = write_file(request.directory + "/config.yaml", written_config(request.config));
    if (!written) return fail(std::move(written.error()));
  }
  EventLoop loop;
  auto report = loop.run_until_done(collect_run(collect_request(request, identity_now(request)), problems));
  if (!report && request.opening == Opening::fresh) made->take_back();
  return report;
}

}  // namespace assay
