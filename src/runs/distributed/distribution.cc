#include "runs/distributed/distribution.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/secrets/literal_secrets.h"
#include "core/time.h"
#include "evaluations/common_keys.h"
#include "runs/distributed/queue_settings.h"
#include "runs/distributed/shared_plan.h"
#include "store/postgres/stored_runs.h"
#include "store/work_thread.h"

namespace assay {
namespace {

// Cases that are published beyond what workers may have taken, so that none of them waits for the
// coordinator.
constexpr int kAhead = 256;
// How often the workers are counted.
constexpr std::chrono::milliseconds kLook(2000);
constexpr std::chrono::milliseconds kSlice(50);

Error hidden(const Gateway& gateway, Error error) {
  error.message = gateway.secrets().hide_pieces(error.message);
  return error;
}

std::chrono::milliseconds lease_of(const Config& config) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(config.duration("queue_lease"));
}

LaneOptions lane_of(const Config& config, const Gateway& gateway) {
  return {.most_taken = cases_at_once(gateway.settings().limits.concurrency),
          .lease = lease_of(config),
          .replicas = static_cast<int>(config.integer("replicas").value_or(1))};
}

// What cannot be done by workers: all of it, each with its key.
std::vector<ConfigProblem> distribution_problems(const Config& config, const Evaluation& evaluation) {
  std::vector<ConfigProblem> problems;
  const auto wrong = [&](std::string key, std::string text) {
    problems.push_back({"config", std::move(key), std::move(text)});
  };
  if (config.text("store").empty())
    wrong("store", "is missing: with `queue` the run is kept where its workers can write, in postgres://…");
  if (evaluation.goes_on())
    wrong("queue",
          "this evaluation keeps its state in files of its run's directory, which workers on other machines "
          "do not have; run it here");
  if (!evaluation.asks_outside())
    wrong("queue", "this run asks nothing outside: there is nothing for workers to do");
  if (config.boolean("limits.batch"))
    wrong("limits.batch",
          "requests of several workers cannot be handed in together; leave out `queue` or this");
  if (!config.text("reuse").empty())
    wrong("reuse",
          "names a directory of this machine, which workers do not have; use `cache` with postgres://…");
  if (!config.text("outputs").empty())
    wrong("outputs",
          "names answers in a file of this machine, which workers do not have; without `queue` they are "
          "judged here");
  if (const std::string cache = config.text("cache"); !cache.empty() && !cache.contains("://"))
    wrong("cache", "names a directory of this machine, which workers do not have; use postgres://…");
  if (const auto lease = lease_of(config); lease < kShortestLease || lease > kLongestLease) {
    wrong("queue_lease", fmt::format("found {}, expected {} to {}", duration_text(lease),
                                     duration_text(kShortestLease), duration_text(kLongestLease)));
  }
  // The addresses of queue and store are each machine's own.
  JsonObject shared = config.written();
  for (const char* own : {"queue", "store", kSecretsFrom.data()}) shared.erase(own);
  for (const std::string& pointer : still_hidden(without_secrets(shared))) {
    std::string key = pointer.substr(1);
    std::ranges::replace(key, '/', '.');
    wrong(std::move(key),
          "a secret stands here, and secrets are not shared: write ${NAME} in its place, and set that "
          "variable where "
          "the workers run");
  }
  return problems;
}

// What is opened before the first case: addresses whose variables are not set, and an earlier run that is not
// there.
void add_not_opened(const RunPlan& plan, Gateway& gateway, std::vector<ConfigProblem>& problems) {
  for (const char* key : {"cache", "store", "queue"}) {
    if (const auto filled = gateway.filled_address(plan.config.text(key)); !filled)
      problems.push_back({plan.place(key), key, filled.error().message});
  }
  const std::string reuse = plan.config.text("reuse");
  if (!reuse.empty() && !RunStore::holds_run(reuse))
    problems.push_back(
        {plan.place("reuse"), "reuse", fmt::format("{}: cannot open the run: there is none", reuse)});
}

}  // namespace

bool is_distributed(const Config& config) {
  return !config.text("queue").empty();
}

std::vector<ConfigProblem> asking_problems(const RunPlan& plan, Gateway& gateway) {
  std::vector<ConfigProblem> problems;
  gateway.check_models(plan.evaluation->models(), problems);
  gateway.check_embeddings(plan.evaluation->embedding_models(), problems);
  add_not_opened(plan, gateway, problems);
  if (!is_distributed(plan.config)) {
    gateway.check_variables(plan.evaluation->variables(), problems);
    add_not_found(plan, problems);
    return problems;
  }
  if (plan.evaluation->calibration() != nullptr) {
    // The coordinator itself asks for the cases that people have labelled.
    gateway.check_variables(plan.evaluation->variables(), problems);
    add_not_found(plan, problems);
  } else {
    std::erase_if(problems, [](const ConfigProblem& problem) { return problem.where == "environment"; });
  }
  std::ranges::move(distribution_problems(plan.config, *plan.evaluation), std::back_inserter(problems));
  return problems;
}

Result<std::unique_ptr<Distribution>> Distribution::open(Gateway& gateway, const Config& config,
                                                         const StoreAddress& store,
                                                         const FirstContact& contact) {
  std::unique_ptr<Distribution> made(new Distribution(gateway, store));
  auto servers = gateway.filled_address(config.text("queue"));
  if (!servers) return fail(std::move(servers.error()).with("key", "queue"));
  auto address = queue_address(config, *servers);
  if (!address) return fail(std::move(address.error()));
  auto board = reach_board(store, contact);
  if (!board) return fail(hidden(gateway, std::move(board.error())));
  made->board_ = std::move(*board);
  auto queue = reach_queue(*address, contact);
  if (!queue) return fail(hidden(gateway, std::move(queue.error())));
  made->queue_ = std::move(*queue);
  return made;
}

Task<Result<std::string>> Distribution::share(const Order& order, RunStore& store) const {
  SharedPlan plan;
  plan.lease = lease_of(order.config);
  JsonObject config = order.config.written();
  for (const char* own : {"output_dir", "queue", "queue_ca", "queue_cert", "queue_key", "queue_creds",
                          "connect_within", "store", kSecretsFrom.data()})
    config.erase(own);
  plan.config = std::move(config);
  auto files = prepared_files(order.directory, order.copied_data);
  if (!files) co_return fail(std::move(files.error()));
  for (PlanText& file : *files) {
    if (auto shared = co_await store.share_file(prepared_name(file.name), std::move(file.text)); !shared)
      co_return fail(std::move(shared.error()));
    plan.prepared.push_back(std::move(file.name));
  }
  for (const auto& [name, text] : order.config.plan_texts().all_made()) {
    if (auto shared = co_await store.share_file(made_name(plan.made.size()), text); !shared)
      co_return fail(std::move(shared.error()));
    plan.made.push_back(name);
  }
  co_return shared_plan_text(plan);
}

Task<RunResult> Distribution::execute(Order order, CoordinatorOptions options, RunStore& store) {
  auto about = co_await share(order, store);
  if (!about) co_return RunResult{RunEnd::stopped, std::move(about.error())};
  options.about = std::move(*about);
  options.lane = lane_of(order.config, gateway_);
  options.window = options.stop_rule != nullptr ? gateway_.settings().limits.concurrency
                                                : options.lane.most_taken + kAhead;
  options.warn = [this, warn = std::move(options.warn)](const std::string& words) {
    if (warn) warn(gateway_.secrets().hide_pieces(words));
  };
  coordinator_ = std::make_unique<Coordinator>(gateway_.loop(), *queue_, *board_, std::move(options));
  if (interrupted_) coordinator_->interrupt();
  counting_ = true;
  gateway_.loop().spawn(count_workers(store.identity().run_id));
  RunResult result = co_await coordinator_->run(order.evaluation, store, order.cases);
  over_ = true;
  while (counting_) co_await gateway_.loop().sleep(kSlice);
  if (result.reason) result.reason = hidden(gateway_, std::move(*result.reason));
  co_return result;
}

// For people alone: by a look that waits for no server, and for which nobody waits.
Task<void> Distribution::count_workers(std::string run) {
  WorkThread thread;
  const RunAddress address = RunAddress::in(store_, std::move(run));
  while (!over_) {
    const auto alive =
        co_await thread.run<Result<std::vector<RunWorker>>>([&] { return workers_of(address); });
    const auto takes = [](const RunWorker& one) { return one.words.empty(); };
    if (alive) workers_ = static_cast<int>(std::ranges::count_if(*alive, takes));
    for (auto left = kLook; left.count() > 0 && !over_; left -= kSlice)
      co_await gateway_.loop().sleep(kSlice);
  }
  counting_ = false;
}

void Distribution::interrupt() {
  interrupted_ = true;
  if (coordinator_) coordinator_->interrupt();
}

std::optional<RunProgress> Distribution::progress() const {
  return coordinator_ ? std::optional(coordinator_->progress()) : std::nullopt;
}

}  // namespace assay
