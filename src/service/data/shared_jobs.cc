// Jobs that several processes share. Who works on a job holds it for some seconds, again and again; the clock
// is the database's. Whoever has room takes what nobody holds: new jobs, and those of a process that died.
// What that one had been answered is in the journal, so nothing is asked again.
#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/exceptions/caught.h"
#include "core/ids.h"
#include "core/later.h"
#include "service/data/store_jobs.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

constexpr auto kBeat = 1s;
// Long enough for a server that starts again, and for a busy machine.
constexpr auto kHeld = 15s;

bool names(const std::vector<std::string>& list, const std::string& id) {
  return std::ranges::find(list, id) != list.end();
}

JobHold hold_of(const std::string& holder) {
  return {holder, std::chrono::milliseconds(kHeld).count()};
}

}  // namespace

Status StoreJobs::begin_sharing() {
  auto place = FileLock::take(
      options_.directory + "/lock",
      Error{ErrorKind::io,
            "another assay process keeps its copies of jobs here; give each --work-dir of its own",
            {{"directory", options_.directory}}});
  if (!place) return fail(std::move(place.error()));
  place_.emplace(std::move(*place));
  holder_ = make_run_id(std::chrono::system_clock::now());
  return {};
}

Task<void> StoreJobs::share() {
  while (!stopping_) {
    {
      const Busy busy(*this);
      // The next beat tries again; what the store cannot be told now it hears then.
      (void)co_await caught(hold());
      (void)co_await caught(take_more());
      co_await look_at_waiting();
      co_await tell_of_others();
    }
    co_await loop_.sleep(kBeat);
  }
}

Task<Status> StoreJobs::hold() {
  std::vector<std::shared_ptr<Job>> mine;
  for (const auto& [id, job] : running_) {
    if (job->held) mine.push_back(job);
  }
  if (mine.empty()) co_return Status();
  auto held = co_await Later<Result<HeldJobs>>(
      [this](DataStore::Done<HeldJobs> done) { store_.hold_jobs(hold_of(holder_), std::move(done)); });
  if (!held) co_return fail(std::move(held.error()));
  for (const auto& job : mine) {
    const std::string& id = job->status.job_id;
    if (is_final(job->status.status) || !running_.contains(id)) continue;
    if (names(held->to_cancel, id)) job->cancelled = true;
    if (!names(held->job_ids, id)) job->lost = true;
    if ((job->cancelled || job->lost) && job->run) job->run->interrupt();
  }
  co_return Status();
}

Task<Status> StoreJobs::take_more() {
  while (!stopping_ && waiting_.empty() && static_cast<int>(running_.size()) < options_.at_once) {
    auto any = co_await blocking_.run<Result<bool>>([this] { return store_.has_job_to_take(); });
    if (!any) co_return fail(std::move(any.error()));
    if (!*any) break;
    auto taken = co_await take("");
    if (!taken) co_return fail(std::move(taken.error()));
    if (!*taken) break;
    running_.emplace((*taken)->status.job_id, *taken);
    loop_.spawn(run(*taken));
  }
  co_return Status();
}

// With its snapshot here. Nothing if nobody has to be waited for, and nothing if what is stored is no use.
Task<Result<std::shared_ptr<Job>>> StoreJobs::take(std::string job_id) {
  auto stored = co_await Later<Result<std::optional<StoredJob>>>(
      [this, &job_id](DataStore::Done<std::optional<StoredJob>> done) {
        store_.take_job(hold_of(holder_), job_id, std::move(done));
      });
  if (!stored) co_return fail(std::move(stored.error()));
  if (!*stored) co_return nullptr;
  auto job = job_of(**stored);
  auto brought =
      co_await blocking_.run<Result<bool>>([this, id = (*stored)->job_id] { return files_.bring(id); });
  if (!brought) co_return fail(std::move(brought.error()));
  if (!job || !*brought) {
    fail_for_good(std::move(**stored));
    co_return nullptr;
  }
  job->held = true;
  job->cancelled = (*stored)->cancel_asked;
  co_return job;
}

Task<Result<bool>> StoreJobs::claim(Job& job) {
  auto taken = co_await Later<Result<std::optional<StoredJob>>>(
      [this, &job](DataStore::Done<std::optional<StoredJob>> done) {
        store_.take_job(hold_of(holder_), job.status.job_id, std::move(done));
      });
  if (!taken) co_return fail(std::move(taken.error()));
  job.held = taken->has_value();
  if (job.held) job.cancelled = job.cancelled || (*taken)->cancel_asked;
  co_return job.held;
}

// The journal is where any process finds it, under the job's id.
Result<bool> StoreJobs::find_journal(const Job& job) const {
  const RunAddress journal = RunAddress::in(options_.store, job.status.job_id);
  if (!RunStore::holds_run(journal)) return true;
  // Somebody who no longer holds the job may not know yet.
  if (RunStore::is_locked(journal)) return false;
  if (auto written = write_journal_place(RunAddress(job.directory, options_.store, job.status.job_id));
      !written) {
    return fail(std::move(written.error()));
  }
  return true;
}

void StoreJobs::hand_over(const std::shared_ptr<Job>& job) {
  auto& waiting = elsewhere_[job->status.job_id];
  std::ranges::move(std::exchange(job->finished, {}), std::back_inserter(waiting));
  if (waiting.empty()) elsewhere_.erase(job->status.job_id);
  if (job->cancelled) store_.ask_to_cancel(job->status.job_id, [](const Result<bool>&) {});
  files_.remove_directory(job->status.job_id);
  running_.erase(job->status.job_id);
  if (stopping_) answer_stopping(*job);
  start_next();
  stop_if_idle();
}

// Of the jobs that wait here for room another process may have taken some. Only who waits for one asks.
Task<void> StoreJobs::look_at_waiting() {
  std::vector<std::string> ids;
  for (const auto& job : waiting_) {
    if (!job->finished.empty() && !job->parameters.dry_run) ids.push_back(job->status.job_id);
  }
  for (const std::string& id : ids) {
    auto stored =
        co_await blocking_.run<Result<std::optional<StoredJob>>>([this, id] { return store_.job(id); });
    if (!stored || (*stored && (*stored)->status == "INITIATED")) continue;
    const auto waiting = std::ranges::find_if(
        waiting_, [&](const std::shared_ptr<Job>& job) { return job->status.job_id == id; });
    if (waiting == waiting_.end()) continue;
    const std::shared_ptr<Job> job = std::move(*waiting);
    waiting_.erase(waiting);
    hand_over(job);
  }
}

Task<void> StoreJobs::tell_of_others() {
  std::vector<std::string> ids;
  ids.reserve(elsewhere_.size());
  for (const auto& [id, answers] : elsewhere_) ids.push_back(id);
  for (const std::string& id : ids) {
    auto known = co_await blocking_.run<Result<std::optional<Json>>>(
        [this, id] { return status(id, {0, static_cast<std::int64_t>(kMostListed)}); });
    if (!known) continue;  // asked again with the next beat
    if (*known && !is_final(text_at(**known, "status"))) continue;
    const auto waiting = elsewhere_.extract(id);
    if (waiting.empty()) continue;
    for (const Answer& answer : waiting.mapped()) {
      if (!*known) {
        answer(fail(ErrorKind::changed, "the job was removed"));
      } else {
        answer(Json(**known));
      }
    }
  }
}

Task<void> StoreJobs::cancel_shared(std::string job_id,
                                    std::function<void(Result<std::optional<Json>>)> done) {
  const Busy busy(*this);
  auto asked = co_await caught([](StoreJobs& jobs, const std::string& id) -> Task<Result<bool>> {
    co_return co_await Later<Result<bool>>(
        [&](DataStore::Done<bool> told) { jobs.store_.ask_to_cancel(id, std::move(told)); });
  }(*this, job_id));
  if (!asked) co_return done(fail(std::move(asked.error())));
  if (!*asked) co_return done(status(job_id, {}));
  Answer ended = [done = std::move(done)](Result<Json> last) {
    if (!last) return done(fail(std::move(last.error())));
    done(std::optional<Json>(std::move(*last)));
  };
  // One that nobody has is ended here; another one's beat brings its end.
  if (const auto mine = running_.find(job_id); mine != running_.end()) {
    mine->second->finished.push_back(std::move(ended));
    co_return;
  }
  auto taken = co_await caught(take(job_id));
  if (!taken || !*taken) {
    elsewhere_[job_id].push_back(std::move(ended));
    co_return;
  }
  std::shared_ptr<Job> job = std::move(*taken);
  const auto waiting = std::ranges::find_if(
      waiting_, [&](const std::shared_ptr<Job>& one) { return one->status.job_id == job_id; });
  if (waiting != waiting_.end()) {
    job->finished = std::exchange((*waiting)->finished, {});
    waiting_.erase(waiting);
  }
  job->finished.push_back(std::move(ended));
  job->status.status = "CANCELLED";
  job->status.stop_reason = "cancelled";
  job->status.message = "cancelled before it was finished";
  auto stored = co_await caught(put(*job));
  for (const Answer& answer : std::exchange(job->finished, {})) {
    if (!stored) {
      answer(fail(stored.error()));
    } else {
      answer(job->whole());
    }
  }
  files_.remove_directory(job_id);
}

// So that others need not wait until it is no longer held.
void StoreJobs::let_go() {
  if (holder_.empty()) return;
  auto told = std::make_shared<std::promise<void>>();
  auto done = told->get_future();
  store_.let_go_of_jobs(holder_, "", [told](const Status&) { told->set_value(); });
  done.wait();
}

}  // namespace assay
