#include "worker/sitting.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include "core/file.h"
#include "core/version.h"
#include "engine/calibration_journal.h"
#include "engine/runner.h"
#include "runs/changes.h"
#include "runs/distributed/shared_plan.h"
#include "store/work_thread.h"

namespace assay {
namespace {

constexpr std::chrono::milliseconds kBeat(1000);
// While the limits are being divided anew.
constexpr std::chrono::milliseconds kBeatWhileDividing(250);

// Cases that wait here for a permit, so that none of it lies idle while the queue is asked: a part of the
// permits, since another worker may have some to spare for them.
constexpr int kAheadAtLeast = 1;
constexpr int kAheadPart = 4;

std::string words_of(const std::vector<ConfigProblem>& problems) {
  std::vector<std::string> words;
  words.reserve(problems.size());
  for (const ConfigProblem& problem : problems)
    words.push_back(problem.key.empty() ? problem.text : problem.key + ": " + problem.text);
  return fmt::format("{}", fmt::join(words, "; "));
}

Error as_error(PlanProblems problems) {
  if (problems.error) return std::move(*problems.error);
  return {ErrorKind::config, words_of(problems.problems), {}};
}

// Whether the whole run is to stop for it, or this worker alone has a difficulty.
bool concerns_all(ErrorKind kind) {
  return kind == ErrorKind::budget || kind == ErrorKind::circuit_open || kind == ErrorKind::changed ||
         kind == ErrorKind::internal;
}

}  // namespace

Sitting::Sitting(const WorkerMeans& means, OpenRun run)
    : means_(means), run_(std::move(run)), sign_{.worker = means.name}, agreement_(means.name) {}

Sitting::~Sitting() {
  supply_.reset();
  if (gateway_) gateway_->draw_from(nullptr);
  std::error_code ignored;
  if (!scratch_.empty()) std::filesystem::remove_all(scratch_, ignored);
}

Task<void> Sitting::work() {
  if (auto ready = co_await make_ready(); !ready) {
    const std::string why = ready.error().text();
    failed_ = retryable(ready.error().kind);
    means_.tell(fmt::format("run {}: {}: {}", run_.run_id, failed_ ? "trying again" : "left to others", why));
    if (!failed_) co_await stand_aside(why);
  } else if (!draining_) {
    co_await take_part();
  }
  over_ = true;
  while (signing_) co_await means_.loop.sleep(std::chrono::milliseconds(5));
  [[maybe_unused]] const auto gone = co_await means_.board.gone(run_.run_id, means_.name);
}

void Sitting::drain() {
  draining_ = true;
  if (supply_) supply_->close();
}

Clock::duration Sitting::idle() const {
  if (supply_) return supply_->idle();
  return aside_since_ ? Clock::now() - *aside_since_ : Clock::duration::zero();
}

Task<Status> Sitting::make_ready() {
  if (const std::string own = build_name(); run_.assay != own) {
    co_return fail(
        ErrorKind::changed,
        fmt::format("it is coordinated by assay {}, and this worker is assay {}; use the same build on "
                    "all machines",
                    run_.assay, own));
  }
  WorkThread thread;
  auto joined = co_await thread.run<Result<std::unique_ptr<RunStore>>>(
      [&] { return RunStore::join(RunAddress::in(means_.store, run_.run_id)); });
  if (!joined) co_return fail(std::move(joined.error()));
  store_ = std::move(*joined);
  auto texts = co_await store_->texts();
  if (!texts) co_return fail(std::move(texts.error()));
  auto shared = read_shared_plan(run_.about);
  if (!shared) co_return fail(std::move(shared.error()));
  lease_ = shared->lease;
  prepared_ = std::move(shared->prepared);
  PlanRequest::Shipped shipped{.config = std::move(shared->config), .texts = {}};
  for (PlanText& text : *texts) shipped.texts.emplace(std::move(text.name), std::move(text.text));
  for (std::size_t i = 0; i < shared->made.size(); ++i) {
    auto text = co_await store_->file(made_name(i));
    if (!text) co_return fail(std::move(text.error()));
    if (!*text)
      co_return fail(ErrorKind::journal, fmt::format("the run's store lacks the {}", shared->made[i]));
    shipped.made.emplace(std::move(shared->made[i]), std::move(**text));
  }
  if (auto read = read_plan(std::move(shipped)); !read) co_return read;
  if (auto opened = open_gateway(); !opened) co_return opened;
  if (auto prepared = co_await prepare(); !prepared) co_return prepared;
  if (auto known = co_await recall(); !known) co_return known;
  co_return open_cache();
}

Status Sitting::read_plan(PlanRequest::Shipped shipped) {
  PlanRequest request;
  request.environment = means_.environment;
  if (means_.threads) request.flags.push_back({"threads", std::to_string(*means_.threads)});
  request.shipped = std::move(shipped);
  auto plan = make_run_plan(std::move(request));
  if (!plan) return fail(as_error(std::move(plan.error())));
  plan_ = std::move(*plan);
  RunIdentity now = store_->identity();
  now.config = deciding_config(plan_->config, *plan_->evaluation);
  if (auto same = check_unchanged(store_->identity(), now, run_.run_id); !same) {
    return fail(
        ErrorKind::changed,
        "what it makes of the run's config is not what the coordinator made of it: variables that the "
        "config names stand for something else here (" +
            same.error().message + ")");
  }
  return {};
}

Status Sitting::open_gateway() {
  std::vector<ConfigProblem> problems;
  gateway_ = std::make_unique<Gateway>(means_.loop, plan_->config, means_.environment, problems);
  gateway_->check_models(plan_->evaluation->models(), problems);
  gateway_->check_variables(plan_->evaluation->variables(), problems);
  add_not_found(*plan_, problems);
  if (!problems.empty()) return fail(ErrorKind::config, gateway_->secrets().hide_pieces(words_of(problems)));
  if (const auto limit = gateway_->budget().limit()) {
    budget_.emplace(means_.loop, means_.board, *store_, gateway_->budget(), *limit, run_.run_id, sign_);
    gateway_->draw_from(&*budget_);
  }
  return {};
}

// What the coordinator has prepared for the evaluation is the same here.
Task<Status> Sitting::prepare() {
  std::string pattern = std::filesystem::temp_directory_path() / ("assay-work-" + std::string(6, 'X'));
  if (::mkdtemp(pattern.data()) == nullptr) co_return fail(file_error(pattern, "create", errno));
  scratch_ = pattern;
  for (const std::string& name : prepared_) {
    auto text = co_await store_->file(prepared_name(name));
    if (!text) co_return fail(std::move(text.error()));
    if (!*text) co_return fail(ErrorKind::journal, fmt::format("the run's store lacks {}", name));
    if (auto written = write_file(scratch_ + "/" + name, **text); !written) co_return written;
  }
  const RunIdentity& identity = store_->identity();
  co_return plan_->evaluation->prepare(scratch_, {identity.run_id, identity.started});
}

// What the coordinator has learnt before it opened the run.
Task<Status> Sitting::recall() {
  RunCalibration* const calibration = plan_->evaluation->calibration();
  if (calibration == nullptr) co_return Status();
  CalibrationJournal journal(*store_);
  if (auto known = co_await journal.recall(*calibration); !known) co_return known;
  if (calibration->step())
    co_return fail(ErrorKind::journal, "the run's store lacks what its judges were calibrated to");
  co_return Status();
}

Status Sitting::open_cache() {
  const std::string address = plan_->config.text("cache");
  if (address.empty()) return {};
  auto filled = gateway_->filled_address(address);
  if (!filled) return fail(std::move(filled.error()).with("key", "cache"));
  auto cache = AnswerCache::open(*filled, [this](const Error& error) {
    means_.tell(fmt::format("run {}: the cache is not used any more: {}", run_.run_id,
                            gateway_->secrets().hide_pieces(error.text())));
  });
  if (!cache) {
    cache.error().message = gateway_->secrets().hide_pieces(cache.error().message);
    return fail(std::move(cache.error()).with("key", "cache"));
  }
  cache_ = std::move(*cache);
  return {};
}

Task<void> Sitting::stand_aside(std::string why) {
  aside_since_ = Clock::now();
  while (!draining_) {
    auto watch = co_await means_.board.alive(run_.run_id, {.worker = means_.name, .words = why});
    if (watch && !watch->open) co_return;
    co_await means_.loop.sleep(kBeat);
  }
}

Task<Result<RunWatch>> Sitting::sign() {
  const LimitShare& wanted = agreement_.wanted();
  // Who is due no permit goes on with one for what was begun, so its promise is that there is nothing more.
  const bool fits = wanted.of(gateway_->settings().limits.concurrency) > 0 ? gateway_->keeps_to(wanted)
                                                                           : supply_->has_none();
  sign_.parts = fits ? wanted.parts : 0;
  sign_.place = fits ? wanted.place : 0;
  sign_.held = budget_ ? budget_->held() : 0;
  auto watch = co_await means_.board.alive(run_.run_id, sign_);
  if (budget_) budget_->beat();
  co_return watch;
}

void Sitting::take_share(const RunWatch& watch) {
  agreement_.hear(watch.alive);
  const auto& share = agreement_.in_force();
  if (!share) return;
  gateway_->take_share(*share);
  const int permits = share->of(gateway_->settings().limits.concurrency);
  int most = permits == 0 ? 0 : cases_at_once(permits);
  if (means_.most_cases) most = std::min(most, *means_.most_cases);
  supply_->allow({.under_way = std::min(most, plan_->evaluation->most_at_once()),
                  .waiting = std::min(most, kAheadAtLeast + permits / kAheadPart)});
  if (!std::exchange(takes_, true))
    means_.tell(fmt::format("run {} ({}): taking cases", run_.run_id, store_->identity().evaluation));
}

Task<void> Sitting::signs_of_life() {
  signing_ = true;
  while (!over_) {
    auto watch = co_await sign();
    if (watch && !watch->open) supply_->close();
    if (watch && watch->open) take_share(*watch);
    for (auto left = agreement_.settled() ? kBeat : kBeatWhileDividing; left.count() > 0 && !over_;
         left -= std::chrono::milliseconds(50))
      co_await means_.loop.sleep(std::chrono::milliseconds(50));
  }
  signing_ = false;
}

Task<void> Sitting::take_part() {
  supply_ = std::make_unique<QueueSupply>(
      means_.loop, means_.queue, *store_,
      QueueSupply::Options{run_.run_id, lease_, [this](const std::string& words) {
                             means_.tell(fmt::format("run {}: {}", run_.run_id, words));
                           }});
  auto watch = co_await sign();
  if (!watch) {
    means_.tell(fmt::format("run {}: {}", run_.run_id, watch.error().text()));
    co_return;
  }
  if (!watch->open) co_return;
  if (draining_) co_return;
  take_share(*watch);
  means_.loop.spawn(signs_of_life());
  RunnerOptions options;
  options.seed = gateway_->settings().seed;
  options.cache = cache_.get();
  options.trace = means_.trace;
  Runner runner(*gateway_, std::move(options));
  const RunResult result = co_await runner.serve(*plan_->evaluation, *store_, *supply_);
  co_await supply_->finish();
  co_await report(result);
}

Task<void> Sitting::report(const RunResult& result) {
  const std::string cases = fmt::format("{} cases ended here", supply_->ended_count());
  if (result.end != RunEnd::stopped || !result.reason) {
    means_.tell(fmt::format("run {}: {}", run_.run_id, cases));
    co_return;
  }
  const Error& reason = *result.reason;
  failed_ = true;
  means_.tell(fmt::format("run {}: {}: {}", run_.run_id, cases, reason.text()));
  if (!concerns_all(reason.kind)) co_return;
  auto wished =
      co_await means_.board.wish_stop(run_.run_id, {std::string(to_string(reason.kind)), reason.text()});
  if (!wished) means_.tell(fmt::format("run {}: {}", run_.run_id, wished.error().text()));
}

}  // namespace assay
