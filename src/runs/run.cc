#include "runs/run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/ids.h"
#include "core/secrets/literal_secrets.h"
#include "core/sha256.h"
#include "core/time.h"
#include "core/version.h"
#include "core/yaml.h"
#include "runs/about.h"
#include "runs/changes.h"
#include "runs/collecting/problem_log.h"
#include "runs/directory.h"
#include "runs/distributed/distribution.h"
#include "runs/distributed/shared_plan.h"
#include "store/work_thread.h"

namespace assay {

namespace {

// Whether the directory holds a run that an evaluation which goes on can go on with. A run whose name cannot
// be read at the moment (it was killed while its journal was being made ready) counts: opening it mends it,
// or says what is wrong.
bool may_hold_run_of(const RunRequest& request) {
  if (!RunStore::holds_run(request.directory)) return false;
  auto identity = read_identity(request.directory);
  return !identity || identity->evaluation == request.evaluation_name;
}

// That the directory is there for the run: another one's, or somebody else's files, are not touched.
Status check_fit(const RunRequest& request, bool fresh) {
  const bool there = holds_run(request.directory);
  if (fresh && there) return fail(holds_run_already(request.directory));
  if (there || request.opening == Opening::either) return {};
  if (request.opening == Opening::resume && was_begun(request.directory)) return {};
  return check_free(request.directory, request.evaluation.goes_on() ? OwnFiles::yaml : OwnFiles::none,
                    request.copied_data);
}

// What is not as it was sealed, in sentences. Whatever is written now would hide it, so it is refused unless
// it was accepted. The files of an evaluation that goes on are there to be changed by people; its journal is
// not.
Result<std::vector<std::string>> changes_under_seal(const RunRequest& request) {
  auto sealed = check_seal(request.directory);
  if (!sealed) return fail(std::move(sealed.error()));
  std::vector<std::string> found;
  bool refused = false;
  for (const SealDefect& defect : sealed->defects) {
    const bool for_people = request.evaluation.goes_on() && !defect.file.starts_with(kJournalFile);
    refused = refused || (request.damage == Damage::refuse && !for_people);
    found.push_back(defect.words());
  }
  if (!refused) return found;
  constexpr std::size_t kShown = 5;
  const std::size_t more = found.size() - std::min(found.size(), kShown);
  found.resize(found.size() - more);
  return fail(Error{
      ErrorKind::journal,
      fmt::format(
          "{}{}. Going on would write over it: nothing was asked or written. Put the files back from a "
          "copy, or go on, which is noted in the run: assay resume {} --accept-changes",
          fmt::join(found, "; "), more > 0 ? fmt::format("; and {} more", more) : "", request.directory),
      {{"directory", request.directory}}});
}

// From now on the run may be written to. The history of its seals, with what was found changed.
Result<SealHistory> seals_broken(const std::string& directory, const std::vector<std::string>& found) {
  auto history = break_seal(directory);
  if (!history) return history;
  for (const std::string& one : found)
    history->accepted.push_back(fmt::format("{} ({})", one, iso_time(std::chrono::system_clock::now())));
  return history;
}

// Answers of another run are taken only as they were given.
Result<std::unique_ptr<RunStore>> open_earlier(const std::string& directory) {
  auto checked = check_journal(directory);
  if (!checked) return fail(std::move(checked.error()));
  if (!checked->defect.empty())
    return fail(Error{ErrorKind::journal,
                      checked->defect + "; its answers cannot be relied on",
                      {{"directory", directory}}});
  return RunStore::open(directory, nullptr);
}

RunIdentity identity_now(const RunRequest& request) {
  const auto now = std::chrono::system_clock::now();
  return {request.run_id.empty() ? make_run_id(now) : request.run_id,
          request.evaluation_name,
          kVersion,
          iso_time(now),
          deciding_config(request.config, request.evaluation),
          request.evaluation.data_path(),
          "",
          request.cases};
}

// `store`: null if nothing is asked outside.
CollectRequest collect_request(const RunRequest& request, const RunIdentity& identity, RunStore* store) {
  CollectRequest collecting{.evaluation = request.evaluation};
  collecting.header = {request.evaluation_name,
                       request.config.shown_text("what"),
                       identity.run_id,
                       identity.started,
                       request.command,
                       written_config(request.config),
                       about_run(request.evaluation_name, request.config, request.evaluation)};
  collecting.directory = request.directory;
  collecting.store = store;
  collecting.gates = request.gates;
  collecting.invalid_lines =
      request.config.boolean("skip_invalid") ? InvalidLines::skip : InvalidLines::refuse;
  return collecting;
}

}  // namespace

std::string written_config(const Config& config) {
  JsonObject values = config.written();
  values.erase(
      "output_dir");  // the directory is where the file stands; so the file can be run again elsewhere
  // Whoever goes on with the run gives the password of its store in libpq's ways, or again as a flag.
  if (const Json* store = values.if_contains("store"); store != nullptr && store->is_string()) {
    const std::string text(store->get_string());
    const auto address = StoreAddress::read(text);
    if (address && !text.contains("${")) values["store"] = boost::json::string(address->kept());
  }
  return to_yaml(without_secrets(values));
}

Result<RunIdentity> Run::new_identity() const {
  RunIdentity identity = identity_now(request_);
  if (request_.evaluation.goes_on()) return identity;
  auto hash = sha256_of_file(identity.data_path);
  if (!hash) return fail(std::move(hash.error()));
  identity.data_hash = std::move(*hash);
  return identity;
}

Run::Run(Gateway& gateway, RunRequest request) : gateway_(gateway), request_(std::move(request)) {}
Run::~Run() = default;

Task<Result<std::unique_ptr<Run>>> Run::open(Gateway& gateway, RunRequest request) {
  std::unique_ptr<Run> run(new Run(gateway, std::move(request)));
  if (auto begun = co_await run->begin(); !begun) co_return fail(std::move(begun.error()));
  co_return run;
}

// A process that was killed a moment ago may not have ended yet, and holds its lock until then.
Task<Result<std::unique_ptr<RunLock>>> Run::patient_lock() {
  constexpr int kTries = 20;
  for (int tries = 1;; ++tries) {
    auto lock = RunStore::lock(address_);
    if (lock || lock.error().kind != ErrorKind::journal || tries == kTries) co_return lock;
    co_await gateway_.loop().sleep(std::chrono::milliseconds(50));
  }
}

Result<RunAddress> Run::address() const {
  if (request_.address) return *request_.address;
  const std::string text = request_.config.text("store");
  if (text.empty()) return RunAddress(request_.directory);
  auto filled = gateway_.filled_address(text);
  if (!filled) return fail(std::move(filled.error()).with("key", "store"));
  auto store = run_store_address(*filled);
  if (!store) return fail(std::move(store.error()).with("key", "store"));
  return RunAddress(request_.directory, std::move(*store));
}

// The servers that the run shares with other machines, if it has any.
Task<Status> Run::reach_servers() {
  const bool distributed = is_distributed(request_.config);
  if (distributed && !address_.store)
    co_return fail(ErrorKind::config, "a run with a queue needs a store that workers reach");
  // A run that is part of a service is begun again by it.
  if (!address_.store || request_.opening == Opening::either) co_return Status();
  const FirstContact contact{request_.config.duration("connect_within"), [this](const std::string& words) {
                               if (request_.warn) request_.warn(gateway_.secrets().hide_pieces(words));
                             }};
  WorkThread thread;
  if (auto reached = co_await thread.run<Status>([&] { return reach_store(*address_.store, contact); });
      !reached)
    co_return reached;
  if (!distributed) co_return Status();
  auto opened = co_await thread.run<Result<std::unique_ptr<Distribution>>>(
      [&] { return Distribution::open(gateway_, request_.config, *address_.store, contact); });
  if (!opened) co_return fail(std::move(opened.error()));
  distribution_ = std::move(*opened);
  co_return Status();
}

Task<Status> Run::begin() {
  const std::string& directory = request_.directory;
  auto address = this->address();
  if (!address) co_return fail(std::move(address.error()));
  address_ = std::move(*address);
  if (auto reached = co_await reach_servers(); !reached) co_return reached;
  const bool goes_on = request_.evaluation.goes_on();
  const bool fresh = request_.opening == Opening::fresh && !(goes_on && may_hold_run_of(request_));
  if (auto fit = check_fit(request_, fresh); !fit) co_return fit;
  auto made = NewDirectory::make(directory);
  if (!made) co_return fail(std::move(made.error()));
  // The lock comes first: whatever is written belongs to whoever has it.
  auto lock = co_await patient_lock();
  if (!lock) {
    if (lock.error().kind != ErrorKind::journal) made->leave();
    co_return fail(std::move(lock.error()));
  }
  // Whoever had the lock may have made one.
  if (auto fit = check_fit(request_, fresh); !fit) co_return fit;
  WorkThread thread;
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
    auto earlier = open_earlier(reuse);
    if (!earlier) {
      made.leave();
      return fail(std::move(earlier.error()).with("key", "reuse"));
    }
    earlier_answers_ = std::move(*earlier);
  }
  if (auto opened = open_cache(); !opened) {
    made.leave();
    return opened;
  }
  remove_leftovers(directory);
  // A run that was killed before it had a journal is begun anew, with what is asked for now.
  resumed_ = RunStore::holds_run(directory);
  if (resumed_) return reopen_store(*identity, lock);
  if (request_.opening != Opening::either) {
    auto written = write_config();
    if (!written) {
      made.leave();
      return written;
    }
  }
  auto store = RunStore::create(address_, std::move(lock), *identity, request_.texts);
  if (!store) {
    if (request_.opening == Opening::fresh) made.take_back();
    return fail(std::move(store.error()));
  }
  store_ = std::move(*store);
  identity_ = store_->identity();
  return {};
}

Status Run::open_cache() {
  const std::string address = request_.config.text("cache");
  if (address.empty()) return {};
  const auto hidden = [this](Error error) {
    error.message = gateway_.secrets().hide_pieces(error.message);
    return error;
  };
  auto filled = gateway_.filled_address(address);
  if (!filled) return fail(std::move(filled.error()).with("key", "cache"));
  auto cache = AnswerCache::open(*filled, [this, hidden](const Error& error) {
    std::string words = fmt::format("the cache is not used any more, and the run goes on without it: {}",
                                    hidden(error).text());
    if (request_.warn) request_.warn(words);
    const std::lock_guard guard(warnings_mutex_);
    warnings_.push_back(std::move(words));
  });
  if (!cache) {
    Error error = hidden(std::move(cache.error()));
    error.kind = ErrorKind::config;
    return fail(std::move(error).with("key", "cache"));
  }
  cache_ = std::move(*cache);
  return {};
}

// Nothing is written before everything was looked at.
Status Run::reopen_store(const RunIdentity& now, std::unique_ptr<RunLock>& lock) {
  auto changed = changes_under_seal(request_);
  auto store = RunStore::open(address_, std::move(lock), request_.damage);
  // What the journal says of itself names the row.
  if (!store) return fail(std::move(store.error()));
  if (!changed) return fail(std::move(changed.error()));
  opening_notes_ = std::move(*changed);
  store_ = std::move(*store);
  identity_ = store_->identity();
  if (request_.evaluation.goes_on()) return {};
  if (auto same = check_unchanged(identity_, now, request_.directory); !same) return same;
  const CaseChoice& chosen = request_.evaluation.choice();
  const CaseChoice before = kept_choice(request_.directory).value_or(chosen);
  takes_more_ = chosen != before;
  return check_covered(chosen, before, request_.directory);
}

Status Run::write_config() const {
  return write_file(request_.directory + "/config.yaml", written_config(request_.config));
}

// The first write of a sitting to a run that may be sealed.
Task<Status> Run::begin_writing() {
  auto broken = seals_broken(request_.directory, opening_notes_);
  if (!broken) co_return fail(std::move(broken.error()));
  seals_ = std::move(*broken);
  forget_why_stopped(request_.directory);
  // An evaluation that goes on does so with the config of now; whoever reads this run later must see the same
  // cases.
  if (resumed_ && (request_.opening == Opening::fresh || takes_more_)) {
    if (auto written = write_config(); !written) co_return written;
  }
  std::string note;
  if (!opening_notes_.empty())
    note = fmt::format("{}, gone on with although {}", iso_time(std::chrono::system_clock::now()),
                       fmt::join(opening_notes_, "; "));
  if (auto noted = co_await store_->note(std::move(note)); !noted) co_return noted;
  // A run that is part of a service has no config of its own, and is gone on with by the service alone.
  if (request_.opening == Opening::either) co_return Status();
  // Where the directory may be lost, what was prepared in it is kept, too.
  if (!resumed_ && address_.store) {
    auto files = prepared_files(request_.directory, request_.copied_data);
    if (!files) co_return fail(std::move(files.error()));
    for (PlanText& file : *files) {
      if (auto shared = co_await store_->share_file(prepared_name(file.name), std::move(file.text)); !shared)
        co_return shared;
    }
  }
  co_return co_await store_->share_file("config.yaml", written_config(request_.config));
}

Task<Status> Run::hear_earlier() {
  if (!resumed_ || (!early_stop_ && !request_.on_outcome)) co_return Status();
  const std::vector<std::string> again = outcomes_to_retry();
  co_return co_await hear_outcomes(
      request_.evaluation, *store_,
      [&](const Case& input, const Outcome& outcome) {
        if (early_stop_) early_stop_->add(input, outcome);
        const bool stands = std::ranges::find(again, to_string(outcome.kind)) == again.end();
        if (stands && request_.on_outcome) request_.on_outcome(input, outcome);
      },
      request_.ready_for_more);
}

Task<RunResult> Run::execute() {
  RunResult result = co_await evaluate();
  if (result.end != RunEnd::complete) keep_why_stopped(request_.directory, result);
  co_return result;
}

Task<RunResult> Run::evaluate() {
  const auto stopped = [](Error error) { return RunResult{RunEnd::stopped, std::move(error)}; };
  if (auto begun = co_await begin_writing(); !begun) co_return stopped(std::move(begun.error()));
  RunnerOptions options;
  options.seed = gateway_.settings().seed;
  options.trace = request_.trace;
  options.on_outcome = request_.on_outcome;
  options.ready_for_more = request_.ready_for_more;
  if (!request_.stop_when.empty()) {
    WorkThread thread;
    auto made = co_await thread.run<Result<std::unique_ptr<EarlyStop>>>(
        [&] { return EarlyStop::make(request_.evaluation, request_.stop_when, options.seed); });
    if (!made) co_return stopped(std::move(made.error()));
    early_stop_ = std::move(*made);
    options.stop_rule = early_stop_.get();
  }
  options.earlier_answers = earlier_answers_.get();
  options.cache = cache_.get();
  if (auto heard = co_await hear_earlier(); !heard) co_return stopped(std::move(heard.error()));
  options.calls_a_case = request_.calls_a_case;
  if (distribution_) co_return co_await distribute(std::move(options));
  // The cases of an evaluation that goes on are in no order.
  if (request_.collecting == Collecting::beside && !request_.evaluation.goes_on() && !early_stop_) {
    collecting_ = std::make_unique<CollectingBeside>(collect_request(request_, identity_, store_.get()));
    options.on_settled = [this](std::int64_t end) { collecting_->settled_below(end); };
  }
  runner_ = std::make_unique<Runner>(gateway_, std::move(options));
  if (interrupted_) runner_->interrupt();
  co_return co_await runner_->run(request_.evaluation, *store_, request_.cases);
}

// Collected when all is over: until then a worker may still put an outcome in the place of a failure.
Task<RunResult> Run::distribute(RunnerOptions own) {
  CoordinatorOptions options;
  options.stop_rule = own.stop_rule;
  options.on_outcome = own.on_outcome;
  options.calls_a_case = own.calls_a_case;
  options.warn = request_.warn;
  // What follows from some of the cases is learnt here, before workers hear of the run.
  if (request_.evaluation.calibration() != nullptr) {
    own.stop_rule = nullptr;
    runner_ = std::make_unique<Runner>(gateway_, std::move(own));
    if (interrupted_) runner_->interrupt();
    RunResult learnt = co_await runner_->learn(request_.evaluation, *store_);
    runner_.reset();
    if (learnt.end != RunEnd::complete) co_return learnt;
  }
  if (interrupted_) distribution_->interrupt();
  co_return co_await distribution_->execute(
      {request_.config, request_.evaluation, request_.directory, request_.copied_data, request_.cases},
      std::move(options), *store_);
}

void Run::interrupt() {
  interrupted_ = true;
  if (distribution_) distribution_->interrupt();
  if (runner_) runner_->interrupt();
}

RunProgress Run::progress() const {
  if (runner_) return runner_->progress();
  if (distribution_) {
    if (auto now = distribution_->progress()) return std::move(*now);
  }
  RunProgress none;
  none.total = request_.cases;
  return none;
}

std::optional<int> Run::workers() const {
  return distribution_ ? std::optional(distribution_->workers()) : std::nullopt;
}

Task<Result<ReportInput>> Run::collect(const RunResult& result, std::vector<Problem> warnings,
                                       ProblemList& problems) {
  forget_why_stopped(request_.directory);  // what is finished did not stop
  auto report = co_await figures_and_files(result, std::move(warnings), problems);
  if (!report) keep_why_stopped(request_.directory, {RunEnd::stopped, report.error()});
  co_return report;
}

Task<Result<ReportInput>> Run::figures_and_files(const RunResult& result, std::vector<Problem> warnings,
                                                 ProblemList& problems) {
  RunEnding ending;
  if (auto noted = co_await note_work(); !noted) co_return fail(std::move(noted.error()));
  auto notes = co_await store_->notes();
  if (!notes) co_return fail(std::move(notes.error()));
  for (std::string& note : *notes) warnings.push_back({"warning", "run.db", std::move(note)});
  cache_.reset();  // what was put into it is written, or told not to be
  for (std::string& warning : warnings_) warnings.push_back({"warning", "cache", std::move(warning)});
  ending.warnings = std::move(warnings);
  auto totals = co_await store_->totals();
  if (!totals) co_return fail(std::move(totals.error()));
  ending.totals = *totals;
  const bool cut_off = result.end != RunEnd::complete;
  ending.early_stop = early_stop_.get();
  if (early_stop_ && (!cut_off || early_stop_->settled())) ending.not_taken = NotTaken::skipped;
  ending.not_evaluated = cut_off && result.reason ? result.reason->message : "not evaluated";
  ending.worked_seconds = totals->worked_seconds;
  auto collection = co_await all_taken(ending, problems);
  if (!collection) co_return fail(std::move(collection.error()));
  co_return co_await finish(**collection);
}

Task<Result<std::unique_ptr<Collection>>> Run::all_taken(RunEnding ending, ProblemList& problems) {
  if (const auto collecting = std::move(collecting_)) {
    auto collection = co_await collecting->taken();
    if (collection && co_await collection->take_rest(ending)) {
      problems = collection->problems();
      co_return collection;
    }
  }
  auto collection = Collection::begin(collect_request(request_, identity_, store_.get()));
  if (!collection) co_return collection;
  auto taken = co_await (*collection)->take_rest(std::move(ending));
  problems = (*collection)->problems();
  if (!taken) co_return fail(std::move(taken.error()));
  co_return collection;
}

// The journal is closed and hashed while the figures and files are made of what was read from it.
Task<Result<ReportInput>> Run::finish(Collection& collection) {
  std::unique_ptr<RunLock> lock;
  Status home;
  Result<std::string> journal;
  WorkThread thread;
  thread.post([&] {
    home = store_->bring_home();
    lock = store_->close();
    if (home) journal = sha256_of_file(request_.directory + "/" + kJournalFile);
  });
  auto collected = collection.finish();
  auto sealed = co_await thread.run<Result<std::string>>([&]() -> Result<std::string> {
    if (!collected) return "";
    if (!home) return fail(std::move(home.error()));
    if (!journal) return fail(std::move(journal.error()));
    collected->files.emplace(kJournalFile, *journal);
    return write_seal(request_.directory, seals_, collected->files);
  });
  store_.reset();
  if (!collected) co_return fail(std::move(collected.error()));
  if (!sealed) co_return fail(std::move(sealed.error()));
  co_return std::move(collected->report);
}

Task<Result<std::string>> Run::seal() {
  if (auto noted = co_await note_work(); !noted) co_return fail(std::move(noted.error()));
  WorkThread thread;
  auto sealed = co_await thread.run<Result<std::string>>([&]() -> Result<std::string> {
    const Status home = store_->bring_home();
    const auto lock = store_->close();
    if (!home) return fail(home.error());
    return write_seal(request_.directory, seals_);
  });
  store_.reset();
  co_return sealed;
}

// How long the sitting has worked.
Task<Status> Run::note_work() {
  return store_->note("");
}

Result<ReportInput> run_without_effects(const RunRequest& request, ProblemList& problems) {
  const std::string& directory = request.directory;
  const auto began = std::chrono::steady_clock::now();
  const bool fresh = request.opening == Opening::fresh;
  if (auto fit = check_fit(request, fresh); !fit) return fail(std::move(fit.error()));
  auto made = NewDirectory::make(directory);
  if (!made) return fail(std::move(made.error()));
  auto lock = RunStore::lock(directory);
  if (!lock) {
    if (lock.error().kind != ErrorKind::journal) made->leave();
    return fail(std::move(lock.error()));
  }
  if (auto fit = check_fit(request, fresh); !fit) return fail(std::move(fit.error()));
  auto found = changes_under_seal(request);
  if (!found) return fail(std::move(found.error()));
  auto seals = seals_broken(directory, *found);
  if (!seals) return fail(std::move(seals.error()));
  if (fresh || kept_choice(directory) != request.evaluation.choice()) {
    auto written = write_file(directory + "/config.yaml", written_config(request.config));
    if (!written) return fail(std::move(written.error()));
  }
  RunEnding ending;
  for (const std::string& accepted : seals->accepted)
    ending.warnings.push_back({"warning", "", "gone on with although " + accepted});
  ending.since = began;
  EventLoop loop;
  auto collected = loop.run_until_done(
      collect_run(collect_request(request, identity_now(request), nullptr), std::move(ending), problems));
  if (!collected) {
    if (fresh) made->take_back();
    mend_seal(directory);
    return fail(std::move(collected.error()));
  }
  if (auto sealed = write_seal(directory, *seals, collected->files); !sealed)
    return fail(std::move(sealed.error()));
  return std::move(collected->report);
}

}  // namespace assay
