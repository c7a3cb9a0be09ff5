// A coordinator and workers in one process, over a real PostgreSQL and a real NATS server, with the built-in
// models: the way of a case from the data to the files.
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/json/json.h"
#include "core/text.h"
#include "runs/plan.h"
#include "runs/run.h"
#include "tests/queue/nats_server.h"
#include "tests/store/postgres/fresh_database.h"
#include "tests/store/run_store_fixture.h"
#include "worker/worker.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

constexpr int kCases = 30;

std::optional<std::string> no_variable(std::string_view /*name*/) {
  return std::nullopt;
}

// A worker on a thread of its own, which drains when the test ends.
class RunningWorker {
 public:
  RunningWorker(const StoreAddress& store, const std::string& queue, WorkerLimits limits = {}) {
    auto connected = WorkQueue::connect({.servers = queue});
    auto board = WorkBoard::open(store);
    if (!connected || !board) throw std::runtime_error("the worker cannot connect");
    queue_ = std::move(*connected);
    board_ = std::move(*board);
    worker_ = std::make_unique<Worker>(
        WorkerMeans{.loop = loop_,
                    .store = store,
                    .queue = *queue_,
                    .board = *board_,
                    .name = make_worker_name(),
                    .environment = no_variable,
                    .threads = 1,
                    .tell = [this](const std::string& line) { told += line + "\n"; }},
        std::move(limits));
    thread_ = std::thread([this] { worked_ = loop_.run_until_done(worker_->work()); });
  }
  RunningWorker(const RunningWorker&) = delete;
  RunningWorker& operator=(const RunningWorker&) = delete;
  ~RunningWorker() {
    if (thread_.joinable()) EXPECT_TRUE(end());
  }
  Status end() {
    loop_.post([this] { worker_->drain(); });
    thread_.join();
    return worked_;
  }
  std::string told;  // to be read after end()

 private:
  EventLoop loop_;
  std::unique_ptr<WorkQueue> queue_;
  std::unique_ptr<WorkBoard> board_;
  std::unique_ptr<Worker> worker_;
  Status worked_;
  std::thread thread_;
};

class DistributedRun : public testing::Test {
 protected:
  DistributedRun() {
    std::string data;
    for (int i = 0; i < kCases; ++i)
      data += fmt::format(
          R"({{"id":"case-{0}","question":"How do I renew permit {0}?","llm_answer":"Online, for {0} pounds."}})"
          "\n",
          i);
    EXPECT_TRUE(write_file(directory_.path() + "/cases.jsonl", data));
  }

  std::string config(const std::string& more = "") const {
    const std::string path = directory_.path() + "/run.yaml";
    EXPECT_TRUE(write_file(path,
                           "evaluation: rag_answers\ninput_path: cases.jsonl\njudge: sim/judge\nmetrics: "
                           "[coherence]\nn_runs: 1\nlimits: {concurrency: 4}\n" +
                               more));
    return path;
  }
  std::string distributed(const std::string& more = "") const {
    return config(fmt::format("store: \"{}\"\nqueue: {}\nqueue_lease: 1s\n{}",
                              database_.server().url("postgres", name_of(database_)), nats_.url(), more));
  }
  static std::string name_of(const FreshDatabase& database) {
    const std::string url = database.address().url();
    const std::size_t slash = url.find("@/") + 2;
    return url.substr(slash, url.find('?') - slash);
  }

  // The lines of results.jsonl, without what differs from run to run.
  std::vector<std::string> run(const std::string& config_file, const std::string& name) {
    auto plan = make_run_plan({.config_file = config_file, .environment = no_variable});
    if (!plan)
      throw std::runtime_error("no plan: " + (plan.error().error ? plan.error().error->text()
                                                                 : plan.error().problems.front().text));
    EventLoop loop;
    std::vector<ConfigProblem> problems;
    Gateway gateway(loop, plan->config, no_variable, problems);
    RunRequest request{.evaluation_name = std::string(plan->kind->name),
                       .evaluation = *plan->evaluation,
                       .config = plan->config,
                       .directory = directory_.path() + "/" + name};
    request.texts = plan->texts;
    request.cases = kCases;
    auto opened = loop.run_until_done(Run::open(gateway, std::move(request)));
    if (!opened) throw std::runtime_error(opened.error().text());
    const RunResult result = loop.run_until_done((*opened)->execute());
    if (result.end != RunEnd::complete)
      throw std::runtime_error(result.reason ? result.reason->text() : "interrupted");
    ProblemList found;
    auto report = loop.run_until_done((*opened)->collect(result, {}, found));
    if (!report) throw std::runtime_error(report.error().text());
    return lines_of(directory_.path() + "/" + name + "/results.jsonl");
  }
  static std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> lines;
    const std::string text = read_file(path).value();
    for (const std::string_view line : split_lines(text)) {
      JsonObject object = parse_json(line)->get_object();
      object.erase("latency_ms");
      lines.push_back(to_text(object));
    }
    return lines;
  }

  ScratchDirectory directory_{"distributed"};
  FreshDatabase database_;
  NatsServer nats_;
};

TEST_F(DistributedRun, GivesWhatOneMachineGives) {
  const auto local = run(config(), "local");
  ASSERT_EQ(local.size(), static_cast<std::size_t>(kCases));
  RunningWorker worker(database_.address(), nats_.url());
  EXPECT_EQ(run(distributed(), "out"), local);
  EXPECT_TRUE(worker.end());
  EXPECT_TRUE(worker.told.contains("30 cases ended here")) << worker.told;
  EXPECT_EQ(database_.sql("SELECT count(*) FROM assay_open_runs"), "0");
  EXPECT_EQ(database_.sql("SELECT count(*) FROM assay_worker_signs"), "0");
}

// Coordinators that were killed and never begun again must not keep workers from the runs of others.
TEST_F(DistributedRun, IsTakenUpByAWorkerWhoseOnlyPlaceHasARunThatWasLeftOpen) {
  const auto board = WorkBoard::open(database_.address());
  ASSERT_TRUE(board);
  EventLoop loop;
  ASSERT_TRUE(loop.run_until_done((*board)->open_run({"left", "another build", "{}", "tag"})));
  RunningWorker worker(database_.address(), nats_.url(), {.most_runs = 1, .makes_room_after = 1s});
  EXPECT_EQ(run(distributed(), "out").size(), static_cast<std::size_t>(kCases));
}

TEST_F(DistributedRun, CarriesWhatIsTooLargeForTheQueue) {
  const std::string large(std::size_t{700} << 10, 'x');
  ASSERT_TRUE(
      write_file(directory_.path() + "/cases.jsonl",
                 fmt::format("{{\"id\":\"large\",\"question\":\"Why?\",\"llm_answer\":\"{}\"}}\n", large)));
  const auto local = run(config(), "local");
  RunningWorker worker(database_.address(), nats_.url());
  EXPECT_EQ(run(distributed(), "out"), local);
}

TEST_F(DistributedRun, CarriesWhatIsTooLargeForItsServer) {
  ASSERT_TRUE(write_file(directory_.path() + "/nats.conf", "max_payload: 65536\n"));
  const NatsServer small({"-c", directory_.path() + "/nats.conf"});
  ASSERT_TRUE(write_file(directory_.path() + "/cases.jsonl",
                         fmt::format("{{\"id\":\"large\",\"question\":\"Why?\",\"llm_answer\":\"{}\"}}\n",
                                     std::string(100'000, 'x'))));
  const auto local = run(config(), "local");
  RunningWorker worker(database_.address(), small.url());
  EXPECT_EQ(run(config(fmt::format("store: \"{}\"\nqueue: {}\n",
                                   database_.server().url("postgres", name_of(database_)), small.url())),
                "out"),
            local);
}

TEST_F(DistributedRun, ThatTheQueueRefusesEndsAtOnceAndLeavesTheOthersAlone) {
  auto queue = WorkQueue::connect({.servers = nats_.url()});
  ASSERT_TRUE(queue);
  EventLoop loop;
  ASSERT_TRUE(loop.run_until_done((*queue)->open_lane("other", {})));
  ASSERT_TRUE(loop.run_until_done((*queue)->publish("other", {{"other/1", "{}"}})));
  try {
    run(distributed("replicas: 3\n"), "out");
    ADD_FAILURE() << "one server cannot keep it three times";
  } catch (const std::runtime_error& refused) {
    EXPECT_TRUE(std::string_view(refused.what()).contains("replicas: found 3")) << refused.what();
  }
  const auto depth = loop.run_until_done((*queue)->depth("other"));
  ASSERT_TRUE(depth && *depth);
  EXPECT_EQ((*depth)->waiting, 1);
}

TEST_F(DistributedRun, EndsWhenTheBudgetOfAllWorkersIsSpent) {
  // A call may cost a tenth of a dollar, and costs about a cent.
  const std::string money =
      "prices: {\"*\": {prompt: 0, completion: 100}}\nmodels: {judge: {provider: sim, name: judge, "
      "max_tokens: 1000}}\n"
      "budget: {usd: 0.12}\n";
  RunningWorker worker(database_.address(), nats_.url());
  RunningWorker other(database_.address(), nats_.url());
  try {
    run(distributed(money), "out");
    ADD_FAILURE() << "the budget was not kept";
  } catch (const std::runtime_error& stopped) {
    EXPECT_TRUE(std::string_view(stopped.what()).contains("the budget of $0.12 does not hold another call"))
        << stopped.what();
  }
  const std::string spent = database_.sql("SELECT coalesce(sum(cost_picousd), 0) FROM assay_effects");
  EXPECT_LE(std::stoll(spent), 120'000'000'000);
}

}  // namespace
}  // namespace assay
