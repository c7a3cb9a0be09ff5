// A run that is collected while it goes on comes to the same files as one that is collected at its end.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/environment.h"
#include "core/file.h"
#include "net/event_loop.h"
#include "runs/plan.h"
#include "runs/run.h"

namespace assay {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
namespace fs = std::filesystem;

constexpr int kCases = 2 * CollectingBeside::kStep + 200;
constexpr int kInvalid = 25;

// Every 50th line has no answer, and cannot be used.
constexpr const char* kConfig = R"(
evaluation: rag_answers
input_path: data.jsonl
judge: mine
metrics: [coherence]
n_runs: 1
skip_invalid: true
models: {mine: {provider: sim, name: one}}
)";

class CollectingTest : public ::testing::Test {
 protected:
  CollectingTest() : folder_(fs::temp_directory_path() / ("assay_collecting_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::string text;
    for (int i = 0; i < kCases; ++i) {
      text += R"({"id": ")" + std::to_string(i) + R"(", "question": "How?")";
      if (i % 50 != 7) text += R"(, "llm_answer": "So )" + std::to_string(i) + R"(.")";
      text += "}\n";
    }
    EXPECT_TRUE(write_file(path("data.jsonl"), text).has_value());
    EXPECT_TRUE(write_file(path("eval.yaml"), kConfig).has_value());
  }
  ~CollectingTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // One sitting; interrupted after so many outcomes.
  RunEnd sit(const std::string& name, Opening opening, Collecting collecting,
             int interrupted_after = kCases) {
    auto plan = make_run_plan({.config_file = path("eval.yaml")});
    EXPECT_TRUE(plan.has_value());
    std::vector<ConfigProblem> problems;
    Gateway gateway(loop_, plan->config, process_environment(), problems);
    int heard = 0;
    class Run* under_way = nullptr;
    auto run = loop_.run_until_done(assay::Run::open(gateway, {.evaluation_name = "rag_answers",
                                                               .evaluation = *plan->evaluation,
                                                               .config = plan->config,
                                                               .directory = path(name),
                                                               .opening = opening,
                                                               .texts = plan->texts,
                                                               .run_id = "one",
                                                               .cases = kCases,
                                                               .on_outcome =
                                                                   [&](const Case&, const Outcome&) {
                                                                     if (++heard == interrupted_after)
                                                                       under_way->interrupt();
                                                                   },
                                                               .collecting = collecting}));
    EXPECT_TRUE(run.has_value());
    under_way = run->get();
    const RunResult result = loop_.run_until_done((*run)->execute());
    if (result.end != RunEnd::complete) return result.end;
    ProblemList found;
    const auto report = loop_.run_until_done(
        (*run)->collect(result, {{"warning", "", "comes before what the cases say"}}, found));
    EXPECT_TRUE(report.has_value());
    EXPECT_EQ(found.count, 1 + kInvalid);
    return result.end;
  }

  // What does not tell times, by name.
  std::map<std::string, std::string> files(const std::string& name) const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path(name))) {
      if (!entry.is_regular_file()) continue;
      const std::string file = entry.path().filename().string();
      const bool plain = file == "results.csv" || file == "problems.log" || file == "aggregate.csv";
      found[file] = plain ? read_file(entry.path().string()).value_or("") : "";
    }
    return found;
  }

  EventLoop loop_;
  fs::path folder_;
};

TEST_F(CollectingTest, BesideTheRunAndAtItsEndGiveTheSameFiles) {
  EXPECT_EQ(sit("beside", Opening::fresh, Collecting::beside), RunEnd::complete);
  EXPECT_EQ(sit("end", Opening::fresh, Collecting::at_the_end), RunEnd::complete);
  EXPECT_EQ(files("beside"), files("end"));
  EXPECT_TRUE(files("beside").at("problems.log").starts_with("warning: comes before"));
  EXPECT_FALSE(files("beside").at("results.csv").empty());
}

TEST_F(CollectingTest, AnInterruptedRunLeavesNothingOfItAndIsCollectedAnew) {
  EXPECT_EQ(sit("cut", Opening::fresh, Collecting::beside, kCases - 100), RunEnd::interrupted);
  for (const auto& [file, text] : files("cut")) EXPECT_FALSE(is_temporary_name(file)) << file;
  EXPECT_THAT(files("cut"), Not(Contains(Key("results.csv"))));
  EXPECT_EQ(sit("cut", Opening::resume, Collecting::beside), RunEnd::complete);
  EXPECT_EQ(sit("whole", Opening::fresh, Collecting::at_the_end), RunEnd::complete);
  EXPECT_EQ(files("cut"), files("whole"));
}

}  // namespace
}  // namespace assay
