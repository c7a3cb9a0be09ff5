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
#include "runs/directory.h"
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

CollectRequest collect_request(const RunRequest& request, const RunIdentity& identity) {
  CollectRequest collecting{.evaluation = request.evaluation};
  collecting.header = {request.evaluation_name,
                       request.config.text("what"),
                       identity.run_id,
                       identity.started,
                       request.command,
                       written_config(request.config),
                       about_run(request.evaluation_name, request.config, request.evaluation)};
  collecting.directory = request.directory;
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
  auto store = RunStore::create(directory, std::move(lock), *identity, request_.texts);
  if (!store) {
    if (request_.opening == Opening::fresh) made.take_back();
    return fail(std::move(store.error()));
  }
  store_ = std::move(*store);
  identity_ = store_->identity();
  return {};
}

// Nothing is written before everything was looked at.
Status Run::reopen_store(const RunIdentity& now, std::unique_ptr<RunLock>& lock) {
  auto changed = changes_under_seal(request_);
  auto store = RunStore::open(request_.directory, std::move(lock), request_.damage);
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
  // An evaluation that goes on does so with the config of now; whoever reads this run later must see the same
  // cases.
  if (resumed_ && (request_.opening == Opening::fresh || takes_more_)) {
    if (auto written = write_config(); !written) co_return written;
  }
  std::string note;
  if (!opening_notes_.empty())
    note = fmt::format("{}, gone on with although {}", iso_time(std::chrono::system_clock::now()),
                       fmt::join(opening_notes_, "; "));
  co_return co_await store_->note(std::move(note));
}

Task<Status> Run::hear_earlier() {
  if (!resumed_ || (!early_stop_ && !request_.on_outcome)) co_return Status();
  const std::vector<std::string> again = outcomes_to_retry();
  co_return co_await hear_outcomes(
      request_.evaluation, *store_, [&](const Case& input, const Outcome& outcome) {
        if (early_stop_) early_stop_->add(input, outcome);
        const bool stands = std::ranges::find(again, to_string(outcome.kind)) == again.end();
        if (stands && request_.on_outcome) request_.on_outcome(input, outcome);
      });
}

Task<RunResult> Run::execute() {
  const auto stopped = [](Error error) { return RunResult{RunEnd::stopped, std::move(error)}; };
  if (auto begun = co_await begin_writing(); !begun) co_return stopped(std::move(begun.error()));
  RunnerOptions options;
  options.seed = gateway_.settings().seed;
  options.trace = request_.trace;
  options.on_outcome = request_.on_outcome;
  if (!request_.stop_when.empty()) {
    WorkThread thread;
    auto made = co_await thread.run<Result<std::unique_ptr<EarlyStop>>>(
        [&] { return EarlyStop::make(request_.evaluation, request_.stop_when, options.seed); });
    if (!made) co_return stopped(std::move(made.error()));
    early_stop_ = std::move(*made);
    options.stop_rule = early_stop_.get();
  }
  options.earlier_answers = earlier_answers_.get();
  if (auto heard = co_await hear_earlier(); !heard) co_return stopped(std::move(heard.error()));
  options.calls_a_case = request_.calls_a_case;
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
  collecting.store = store_.get();
  if (auto noted = co_await note_work(); !noted) co_return fail(std::move(noted.error()));
  auto notes = co_await store_->notes();
  if (!notes) co_return fail(std::move(notes.error()));
  for (std::string& note : *notes) warnings.push_back({"warning", "run.db", std::move(note)});
  collecting.warnings = std::move(warnings);
  auto totals = co_await store_->totals();
  if (!totals) co_return fail(std::move(totals.error()));
  collecting.totals = *totals;
  const bool cut_off = result.end != RunEnd::complete;
  collecting.early_stop = early_stop_.get();
  if (early_stop_ && (!cut_off || early_stop_->settled())) collecting.not_taken = NotTaken::skipped;
  collecting.not_evaluated = cut_off && result.reason ? result.reason->message : "not evaluated";
  collecting.worked_seconds = totals->worked_seconds;
  auto collected = co_await collect_run(collecting, problems);
  if (!collected) co_return fail(std::move(collected.error()));
  auto sealed = co_await close_and_seal(std::move(collected->files));
  if (!sealed) co_return fail(std::move(sealed.error()));
  co_return std::move(collected->report);
}

Task<Result<std::string>> Run::seal() {
  if (auto noted = co_await note_work(); !noted) co_return fail(std::move(noted.error()));
  co_return co_await close_and_seal({});
}

// How long the sitting has worked.
Task<Status> Run::note_work() {
  return store_->note("");
}

Task<Result<std::string>> Run::close_and_seal(FileHashes known) {
  WorkThread thread;
  auto sealed = co_await thread.run<Result<std::string>>([&] {
    const auto lock = store_->close();
    return write_seal(request_.directory, seals_, known);
  });
  store_.reset();
  co_return sealed;
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
  CollectRequest collecting = collect_request(request, identity_now(request));
  for (const std::string& accepted : seals->accepted)
    collecting.warnings.push_back({"warning", "", "gone on with although " + accepted});
  collecting.since = began;
  EventLoop loop;
  auto collected = loop.run_until_done(collect_run(collecting, problems));
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
