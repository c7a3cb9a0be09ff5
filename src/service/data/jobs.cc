#include "service/data/jobs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/exceptions/caught.h"
#include "core/file.h"
#include "core/ids.h"
#include "core/later.h"
#include "evaluations/persona/persona.h"
#include "runs/run.h"
#include "service/data/job_report.h"
#include "service/data/job_request.h"
#include "service/data/store_jobs.h"

namespace assay {
namespace {

using persona::JobParameters;

constexpr std::size_t kDryJobsKept = 100;  // their statuses are in memory only
constexpr auto kStatusEvery = std::chrono::milliseconds(250);

// What is known of a job that cannot go on because the service is another one now.
Error changed_service(const Error& error) {
  return {ErrorKind::changed,
          fmt::format(
              "the service's prompts, models or attempts have changed since the job began; start it again, "
              "items that have a result are left out ({})",
              error.message.substr(0, error.message.find(';'))),
          {}};
}

}  // namespace

StoreJobs::StoreJobs(JobsOptions options, DataStore& store)
    : options_(std::move(options)), store_(store), files_(options_.directory, options_.store, store) {}

void StoreJobs::stop() {
  if (stopped_.exchange(true)) return;
  loop_.post([this] {
    stopping_ = true;
    for (auto& [id, job] : running_) {
      if (job->run) job->run->interrupt();
    }
    for (const auto& job : std::exchange(waiting_, {})) answer_stopping(*job);
    for (const auto& [id, answers] : std::exchange(elsewhere_, {})) {
      for (const Answer& answer : answers) answer(fail(ErrorKind::cancelled, "the service is stopping"));
    }
    stop_if_idle();
  });
  if (thread_.joinable()) thread_.join();
  let_go();
}

Task<Status> StoreJobs::put(const Job& job, std::vector<std::string> files) {
  if (job.parameters.dry_run) {
    const std::lock_guard guard(dry_mutex_);
    std::erase_if(dry_, [&](const auto& one) { return one.first == job.status.job_id; });
    dry_.emplace_back(job.status.job_id, job.whole());
    if (dry_.size() > kDryJobsKept) dry_.pop_front();
    co_return Status();
  }
  StoredJob form = job.stored_form();
  if (job.held) form.holder = holder_;
  if (store_.shared() && !files.empty()) {
    auto shared = co_await blocking_.run<Result<std::vector<JobFile>>>(
        [this, &job, &files] { return files_.to_share(job.status.job_id, files); });
    if (!shared) co_return fail(std::move(shared.error()));
    form.files = std::move(*shared);
  }
  co_return co_await Later<Status>(
      [this, &form](std::function<void(Status)> done) { store_.put_job(std::move(form), std::move(done)); });
}

Status StoreJobs::begin() {
  if (auto made = make_directories(options_.directory); !made) return made;
  if (auto alone = store_.shared() ? begin_sharing() : Status(); !alone) return alone;
  remove_orphans();
  std::vector<ConfigProblem> problems;
  gateway_ = std::make_unique<Gateway>(loop_, options_.config, options_.environment, problems);
  if (!problems.empty())
    return fail(ErrorKind::config, fmt::format("{}: {}", problems.front().key, problems.front().text));
  // What was running goes on first; of each kind the oldest first. What others share is taken when its turn
  // comes.
  for (const char* state : {"PROCESSING", "INITIATED"}) {
    JobQuery query;
    query.status = state;
    query.count = 0;
    if (store_.shared()) break;
    auto unfinished = store_.jobs(query);
    if (!unfinished) return fail(std::move(unfinished.error()));
    for (auto stored = unfinished->jobs.rbegin(); stored != unfinished->jobs.rend(); ++stored)
      take_up(*stored);
  }
  loop_.post([this] {
    start_next();
    if (store_.shared()) loop_.spawn(share());
  });
  thread_ = std::thread([this] { loop_.run(); });
  return {};
}

void StoreJobs::remove_orphans() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(options_.directory, ignored)) {
    // Nothing that is not plainly ours.
    if (!is_job_directory(entry.path().string())) continue;
    auto known = store_.job(entry.path().filename().string());
    // What is shared is in the store.
    if (store_.shared() || (known && !*known)) std::filesystem::remove_all(entry.path(), ignored);
  }
}

void StoreJobs::fail_for_good(StoredJob stored) {
  auto json = parse_json(stored.json);
  stored.status = "ERROR";
  if (json && json->is_object()) {
    json->get_object()["status"] = "ERROR";
    json->get_object()["is_error"] = true;
    json->get_object()["stop_reason"] = "failed";
    json->get_object()["error"] = "the job's snapshot of items is gone: it cannot be finished";
    stored.json = to_text(*json);
  }
  store_.put_job(std::move(stored), [](Status) {});
}

std::shared_ptr<Job> StoreJobs::job_of(const StoredJob& stored) {
  auto json = parse_json(stored.json);
  std::vector<FieldError> errors;
  auto parameters = json ? read_job_parameters(*json, stored.mode, JobSource::status, errors) : std::nullopt;
  if (!parameters) return nullptr;
  auto job = std::make_shared<Job>(surroundings(), std::move(*parameters), text_at(*json, "agent"));
  job->status.job_id = stored.job_id;
  if (const Json* skipped = find_member(*json, "skipped_items"))
    job->status.skipped_items = as_integer(*skipped).value_or(0);
  if (const Json* error = find_member(*json, "is_error"))
    job->status.is_error = as_boolean(*error).value_or(false);
  job->directory = files_.directory_of(stored.job_id);
  job->created_ms = stored.created_ms;
  job->status.message = "taken up again";
  return job;
}

// Before the thread runs: a job that an earlier process has left.
void StoreJobs::take_up(const StoredJob& stored) {
  auto job = job_of(stored);
  if (!job || !file_exists(job->directory + "/" + JobFiles::kSnapshot)) return fail_for_good(stored);
  store_.put_job(job->stored_form(), [](Status) {});  // it waits until there is room
  waiting_.push_back(std::move(job));
}

Status StoreJobs::check_model(const std::string& model) {
  std::vector<ConfigProblem> problems;
  gateway_->check_models({model}, problems);
  if (problems.empty()) return {};
  return fail(ErrorKind::config, fmt::format("model: {}", problems.front().text));
}

void StoreJobs::submit(JobParameters parameters, std::string agent, Answer begun, Answer finished) {
  if (stopped_) return begun(fail(ErrorKind::cancelled, "the service is stopping"));
  auto job = std::make_shared<Job>(surroundings(), std::move(parameters), std::move(agent));
  if (finished) job->finished.push_back(std::move(finished));
  loop_.post([this, job, begun = std::move(begun)]() mutable {
    if (stopping_) return begun(fail(ErrorKind::cancelled, "the service is stopping"));
    loop_.spawn(create(job, std::move(begun)));
  });
}

// The job with its snapshot, stored.
Task<Status> StoreJobs::make(std::shared_ptr<Job> job) {
  if (auto good = check_model(job->parameters.model); !good) co_return good;
  job->created_ms = epoch_ms();
  job->status.job_id = persona::context_id(make_run_id(std::chrono::system_clock::now()), "job");
  job->status.message = fmt::format("accepted for {}", job->parameters.personas.front().name);
  job->directory = files_.directory_of(job->status.job_id);
  auto items = co_await blocking_.run<Result<std::int64_t>>([job] { return job->take_snapshot(); });
  if (!items) co_return fail(std::move(items.error()));
  co_return co_await put(*job, {JobFiles::kSnapshot});
}

Task<void> StoreJobs::create(std::shared_ptr<Job> job, Answer begun) {
  const Busy busy(*this);
  if (auto made = co_await caught(make(job)); !made) {
    begun(fail(std::move(made.error())));
    co_return;
  }
  begun(job->json());
  if (stopping_) {
    answer_stopping(*job);
    co_return;
  }
  waiting_.push_back(std::move(job));
  start_next();
}

void StoreJobs::start_next() {
  while (!stopping_ && !waiting_.empty() && static_cast<int>(running_.size()) < options_.at_once) {
    std::shared_ptr<Job> job = std::move(waiting_.front());
    waiting_.pop_front();
    running_.emplace(job->status.job_id, job);
    loop_.spawn(run(std::move(job)));
  }
}

Task<void> StoreJobs::keep_status_fresh(std::shared_ptr<Job> job) {
  const Busy busy(*this);
  std::int64_t shown = job->status.processed_requests;
  while (job->status.status == "PROCESSING" && !stopping_) {
    co_await loop_.sleep(kStatusEvery);
    if (job->status.status != "PROCESSING" || stopping_ || job->status.processed_requests == shown) continue;
    shown = job->status.processed_requests;
    (void)co_await caught(put(*job));
  }
}

Task<void> StoreJobs::run(std::shared_ptr<Job> job) {
  if (store_.shared() && !job->held && !job->parameters.dry_run) {
    const auto claimed = co_await caught(claim(*job));
    if (!claimed || !*claimed) co_return hand_over(job);
  }
  if (auto carried_out = co_await caught(carry_out(job)); !carried_out) {
    co_await job->idle();
    job->run.reset();
    job->end_badly(carried_out.error());
  }
  if (job->lost) co_return hand_over(job);
  // Interrupted by the end of the service, it is taken up again by the next one.
  if (is_final(job->status.status)) {
    if (auto done = co_await caught(put(*job, list_files())); !done) {
      if (job->held && done.error().kind == ErrorKind::changed) co_return hand_over(job);
      for (const Answer& answer : std::exchange(job->finished, {})) answer(fail(done.error()));
    }
    // The store has what others may ask for.
    if (store_.shared()) files_.remove_directory(job->status.job_id);
  }
  end(job);
}

// To its last status. A failure is one that nothing is known of.
Task<Status> StoreJobs::carry_out(std::shared_ptr<Job> job) {
  if (auto opened = co_await blocking_.run<Status>([job] { return job->open(); }); !opened) co_return opened;
  const bool shared = job->held;
  if (shared) {
    auto free = co_await blocking_.run<Result<bool>>([this, job] { return find_journal(*job); });
    if (!free) co_return fail(std::move(free.error()));
    if (!*free) {
      job->lost = true;
      store_.let_go_of_jobs(holder_, job->status.job_id, [](const Status&) {});
      co_return Status();
    }
  }
  job->status.status = "PROCESSING";
  job->status.message = fmt::format("{} items to process", job->items);
  if (auto stored = co_await put(*job); !stored) co_return stored;
  RunResult result{RunEnd::stopped, std::nullopt};
  auto run = co_await Run::open(
      *gateway_,
      {.evaluation_name = "persona",
       .evaluation = *job->evaluation,
       .config = options_.config,
       .directory = job->directory,
       .address = shared ? RunAddress(job->directory, options_.store) : RunAddress(job->directory),
       .opening = Opening::either,
       .run_id = job->status.job_id,
       .cases = job->items * static_cast<std::int64_t>(job->evaluation->requests_per_item()),
       .on_outcome = [&job = *job](const Case& input, const Outcome& outcome) { job.hear(input, outcome); },
       .ready_for_more = [&job = *job] { return job.ready_for_more(); }});
  if (!run) {
    result.reason = run.error().kind == ErrorKind::changed ? changed_service(run.error()) : run.error();
  } else {
    job->run = std::move(*run);
    loop_.spawn(keep_status_fresh(job));
    if (job->cancelled || stopping_) job->run->interrupt();
    result = co_await job->run->execute();
  }
  co_await job->idle();
  if (const Error* broken = job->broken()) result = {RunEnd::stopped, *broken};
  // The service stops, and the next one takes the job up again; or another one has it.
  if (result.end == RunEnd::interrupted && !job->cancelled) {
    job->run.reset();
    co_return Status();
  }
  // The status is the final one only when its files are.
  auto kept = co_await keep_files(*job);
  job->run.reset();
  if (result.end == RunEnd::stopped) {
    job->end_badly(result.reason ? *result.reason : Error{ErrorKind::io, "the run stopped", {}});
  } else if (!kept) {
    job->end_badly(kept.error());
  } else if (result.end == RunEnd::complete) {
    job->status.status = "COMPLETE";
    job->status.stop_reason = job->status.skipped_items > 0 ? "limit" : "exhausted";
    job->status.message = fmt::format("Completed processing of {} items", job->status.processed_items);
  } else {
    job->status.status = "CANCELLED";
    job->status.stop_reason = "cancelled";
    job->status.message = fmt::format("cancelled after {} items", job->status.processed_items);
  }
  co_return Status();
}

// Its lists, and the seal on its directory; nothing of a dry run.
Task<Status> StoreJobs::keep_files(Job& job) {
  if (job.parameters.dry_run) {
    job.run.reset();
    std::error_code ignored;
    std::filesystem::remove_all(job.directory, ignored);
    co_return Status();
  }
  if (auto written = write_lists(job.directory, job.lists()); !written) co_return written;
  // What could not be opened is left as it is. A journal that others read stays where they do.
  if (!job.run || job.held) co_return Status();
  auto sealed = co_await job.run->seal();
  if (!sealed) co_return fail(std::move(sealed.error()));
  job.seal = std::move(*sealed);
  co_return Status();
}

void StoreJobs::end(const std::shared_ptr<Job>& job) {
  if (job->status.status == "PROCESSING") answer_stopping(*job);
  for (const Answer& answer : std::exchange(job->finished, {})) answer(job->whole());
  running_.erase(job->status.job_id);
  start_next();
  stop_if_idle();
}

void StoreJobs::cancel(const std::string& job_id, std::function<void(Result<std::optional<Json>>)> done) {
  if (stopped_) return done(fail(ErrorKind::cancelled, "the service is stopping"));
  loop_.post([this, job_id, done = std::move(done)]() mutable {
    if (store_.shared() && !running_.contains(job_id))
      return loop_.spawn(cancel_shared(job_id, std::move(done)));
    if (const auto running = running_.find(job_id); running != running_.end()) {
      const std::shared_ptr<Job> job = running->second;
      job->cancelled = true;
      if (job->run) job->run->interrupt();
      job->finished.emplace_back([done = std::move(done)](Result<Json> final_status) {
        if (!final_status) return done(fail(std::move(final_status.error())));
        done(std::optional<Json>(std::move(*final_status)));
      });
      return;
    }
    const auto waiting = std::ranges::find_if(
        waiting_, [&](const std::shared_ptr<Job>& job) { return job->status.job_id == job_id; });
    if (waiting == waiting_.end()) return done(status(job_id, {}));
    std::shared_ptr<Job> job = *waiting;
    waiting_.erase(waiting);
    job->status.status = "CANCELLED";
    job->status.stop_reason = "cancelled";
    job->status.message = "cancelled before it began";
    loop_.spawn([](StoreJobs& jobs, std::shared_ptr<Job> one,
                   std::function<void(Result<std::optional<Json>>)> answer) -> Task<void> {
      const Busy busy(jobs);
      auto stored = co_await jobs.put(*one);
      if (!stored) {
        answer(fail(std::move(stored.error())));
      } else {
        answer(std::optional<Json>(one->json()));
      }
      for (const Answer& waiting_for_it : one->finished) waiting_for_it(one->json());
    }(*this, std::move(job), std::move(done)));
  });
}

// On the loop's thread nobody begins or ends a job meanwhile.
void StoreJobs::remove(const std::string& job_id, std::function<void(Result<bool>)> done) {
  if (stopped_) return done(fail(ErrorKind::cancelled, "the service is stopping"));
  loop_.post([this, job_id, done = std::move(done)] {
    const bool waits = std::ranges::any_of(
        waiting_, [&](const std::shared_ptr<Job>& job) { return job->status.job_id == job_id; });
    if (waits || running_.contains(job_id))
      return done(fail(ErrorKind::changed, "the job has not ended: cancel it first"));
    {
      const std::lock_guard guard(dry_mutex_);
      if (std::erase_if(dry_, [&](const auto& one) { return one.first == job_id; }) > 0) return done(true);
    }
    if (store_.shared()) {
      const auto stored = store_.job(job_id);
      if (!stored) return done(fail(stored.error()));
      if (*stored && !is_final((*stored)->status))
        return done(fail(ErrorKind::changed, "the job has not ended: cancel it first"));
    }
    store_.remove({.kind = Removal::Kind::job, .id = job_id}, [this, job_id, done](Result<Removed> removed) {
      if (!removed) return done(fail(std::move(removed.error())));
      // If the process dies here, the next start finds a directory without a job.
      if (removed->jobs > 0) files_.remove(job_id);
      done(removed->jobs > 0);
    });
  });
}

void StoreJobs::report(const std::string& job_id, const std::string& person,
                       std::function<void(Result<std::optional<ReportInput>>)> done) {
  reports_.post([this, job_id, person, done = std::move(done)] {
    try {
      done(report_job(store_, options_, job_id, person));
    } catch (const std::exception& thrown) {
      done(fail(internal_error(thrown)));
    }
  });
}

Result<std::optional<Json>> StoreJobs::status(const std::string& job_id, const ListPage& page) {
  {
    const std::lock_guard guard(dry_mutex_);
    for (const auto& [id, json] : dry_) {
      if (id != job_id) continue;
      Json known = json;
      cut_lists(known.get_object(), page);
      return std::optional<Json>(std::move(known));
    }
  }
  auto stored = store_.job(job_id);
  if (!stored) return fail(std::move(stored.error()));
  if (!*stored) return std::optional<Json>();
  auto json = parse_json((*stored)->json);
  if (!json) return fail(std::move(json.error()));
  if (is_final((*stored)->status) && json->is_object()) {
    if (auto added = add_lists(json->get_object(), files_, job_id, page); !added)
      return fail(std::move(added.error()));
  }
  return std::optional<Json>(std::move(*json));
}

Result<std::unique_ptr<Jobs>> Jobs::start(JobsOptions options, DataStore& store) {
  auto jobs = std::make_unique<StoreJobs>(std::move(options), store);
  if (auto begun = jobs->begin(); !begun) return fail(std::move(begun.error()));
  return jobs;
}

}  // namespace assay
