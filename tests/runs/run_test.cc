// A run from its opening to its files: what is refused, what is gone on with, and what nobody else may touch.
#include "runs/run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/environment.h"
#include "core/file.h"
#include "net/event_loop.h"
#include "runs/collecting/problem_log.h"
#include "runs/plan.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
namespace fs = std::filesystem;

constexpr const char* kConfig = R"(
evaluation: rag_answers
input_path: data.jsonl
judge: mine
metrics: [coherence]
n_runs: 1
models: {mine: {provider: sim, name: one}}
)";

// A plan and its run; what the run uses lives with it.
struct Sitting {
  RunPlan plan;
  std::unique_ptr<Gateway> gateway;
  Result<std::unique_ptr<Run>> run = nullptr;
  std::vector<std::string> heard;  // of outcomes
  std::size_t kept = 0;            // of them
  std::size_t most_waiting = 0;    // to be kept, at any time

  void hear(const Case& input, const Outcome& outcome) {
    heard.push_back(input.id + " " + std::string(to_string(outcome.kind)));
    most_waiting = std::max(most_waiting, heard.size() - kept);
  }
  // Keeps one after the other, and nothing unless it is waited for.
  Task<void> keep(EventLoop& loop) {
    for (; heard.size() - kept >= 3; ++kept) co_await loop.sleep(std::chrono::microseconds(1));
  }

  Run& operator*() const { return **run; }
};

class RunTest : public ::testing::Test {
 protected:
  RunTest() : folder_(fs::temp_directory_path() / ("assay_run_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write_data(4);
  }
  ~RunTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string output() const { return path("out"); }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(path(name), text).has_value());
  }
  void write_data(int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i)
      text += R"({"id": ")" + std::to_string(i) + R"(", "question": "How?", "llm_answer": "So."})" + "\n";
    write("data.jsonl", text);
  }

  std::unique_ptr<Sitting> sit(Opening opening, const std::string& config = kConfig) {
    write("eval.yaml", config);
    auto plan = make_run_plan({.config_file = path("eval.yaml")});
    EXPECT_TRUE(plan.has_value());
    auto sitting = std::make_unique<Sitting>();
    sitting->plan = std::move(*plan);
    std::vector<ConfigProblem> problems;
    sitting->gateway =
        std::make_unique<Gateway>(loop_, sitting->plan.config, process_environment(), problems);
    EXPECT_THAT(problems, IsEmpty());
    sitting->run = loop_.run_until_done(
        Run::open(*sitting->gateway,
                  {.evaluation_name = "rag_answers",
                   .evaluation = *sitting->plan.evaluation,
                   .config = sitting->plan.config,
                   .directory = output(),
                   .opening = opening,
                   .texts = sitting->plan.texts,
                   .cases = 4,
                   .on_outcome = [to = sitting.get()](const Case& input,
                                                      const Outcome& outcome) { to->hear(input, outcome); },
                   .ready_for_more = [this, to = sitting.get()] { return to->keep(loop_); }}));
    return sitting;
  }
  // A run that is over.
  void finish_one() {
    const auto sitting = sit(Opening::fresh);
    ASSERT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
    ASSERT_EQ(loop_.run_until_done((**sitting).execute()).end, RunEnd::complete);
  }
  Error refused(Opening opening, const std::string& config = kConfig) {
    const auto sitting = sit(opening, config);
    EXPECT_FALSE(sitting->run.has_value());
    return sitting->run ? Error{} : sitting->run.error();
  }
  std::string config_there() { return read_file(output() + "/config.yaml").value_or("none"); }

  EventLoop loop_;
  fs::path folder_;
};

TEST_F(RunTest, RunsEveryCaseAndWritesItsFiles) {
  const auto sitting = sit(Opening::fresh);
  ASSERT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
  auto& run = **sitting;
  EXPECT_EQ(run.identity().evaluation, "rag_answers");
  const RunResult result = loop_.run_until_done(run.execute());
  EXPECT_EQ(result.end, RunEnd::complete);
  EXPECT_EQ(run.progress().done, 4);
  EXPECT_THAT(sitting->heard, SizeIs(4));
  ProblemList problems;
  const auto report = loop_.run_until_done(run.collect(result, {}, problems));
  ASSERT_TRUE(report.has_value()) << report.error().text();
  EXPECT_EQ(report->summary.cases.evaluated, 4);
  for (const char* name : {"config.yaml", "results.jsonl", "summary.json", "report.html"})
    EXPECT_TRUE(file_exists(output() + "/" + name)) << name;
}

TEST_F(RunTest, CasesAndEarlierOutcomesWaitForWhoKeepsThem) {
  write_data(200);
  const std::string config = std::string(kConfig) + "limits: {concurrency: 2}\n";
  {
    const auto sitting = sit(Opening::fresh, config);
    ASSERT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
    EXPECT_EQ(loop_.run_until_done((**sitting).execute()).end, RunEnd::complete);
    EXPECT_THAT(sitting->heard, SizeIs(200));
    EXPECT_LE(sitting->most_waiting, 3 + static_cast<std::size_t>(cases_at_once(2)));
  }
  const auto sitting = sit(Opening::resume, config);
  ASSERT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
  EXPECT_EQ(loop_.run_until_done((**sitting).execute()).end, RunEnd::complete);
  EXPECT_THAT(sitting->heard, SizeIs(200));
  EXPECT_LE(sitting->most_waiting, 3U);
}

TEST_F(RunTest, AFreshRunIsNotBegunOverOneThatIsThere) {
  finish_one();
  const std::string before = config_there();
  const Error error = refused(Opening::fresh, std::string(kConfig) + "what: another\n");
  EXPECT_EQ(error.kind, ErrorKind::usage);
  EXPECT_THAT(error.text(), HasSubstr("holds a run already"));
  EXPECT_EQ(config_there(), before);
}

TEST_F(RunTest, WhatChangedInTheConfigIsNamed) {
  finish_one();
  std::string config = kConfig;
  config.replace(config.find("n_runs: 1"), 9, "n_runs: 2");
  const Error runs = refused(Opening::resume, config);
  EXPECT_EQ(runs.kind, ErrorKind::changed);
  EXPECT_THAT(runs.text(), AllOf(HasSubstr("another config: n_runs changed"), HasSubstr("--reuse")));
  config = kConfig;
  config.replace(config.find("name: one"), 9, "name: two");
  const Error models = refused(Opening::either, config);
  EXPECT_EQ(models.kind, ErrorKind::changed);
  EXPECT_THAT(models.text(), HasSubstr("models changed"));
}

TEST_F(RunTest, APromptThatChangedIsNamedAlsoIfItsPathIsTheSame) {
  const std::string config = std::string(kConfig) + "prompts: {rag/coherence: own.txt}\n";
  write("own.txt", "{question} {answer}");
  {
    const auto sitting = sit(Opening::fresh, config);
    ASSERT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
  }
  write("own.txt", "Now: {question} {answer}");
  const Error error = refused(Opening::resume, config);
  EXPECT_EQ(error.kind, ErrorKind::changed);
  EXPECT_THAT(error.text(), HasSubstr("rag/coherence"));
  const Error without = refused(Opening::resume);
  EXPECT_THAT(without.text(), HasSubstr("rag/coherence"));
}

TEST_F(RunTest, DataThatChangedAreNamed) {
  finish_one();
  write_data(5);
  const Error error = refused(Opening::resume);
  EXPECT_EQ(error.kind, ErrorKind::changed);
  EXPECT_THAT(error.text(),
              AllOf(HasSubstr("data.jsonl"), HasSubstr("the data changed since the run began")));
}

TEST_F(RunTest, WhatDecidesNoAnswerMayChange) {
  finish_one();
  const auto sitting = sit(Opening::resume, std::string(kConfig) + "limits: {concurrency: 3}\n");
  EXPECT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
}

TEST_F(RunTest, EitherBeginsARunOrGoesOnWithIt) {
  std::string first_id;
  {
    const auto sitting = sit(Opening::either);
    ASSERT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
    auto& run = **sitting;
    first_id = run.identity().run_id;
    run.interrupt();
    EXPECT_EQ(loop_.run_until_done(run.execute()).end, RunEnd::interrupted);
    EXPECT_THAT(sitting->heard, IsEmpty());
    const auto why = why_stopped(output());
    ASSERT_TRUE(why.has_value());
    EXPECT_EQ(why->where + ": " + why->text, "run: interrupted; every answer so far is kept");
  }
  for (const std::int64_t asked : {4, 0}) {
    const auto sitting = sit(Opening::either);
    ASSERT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
    auto& run = **sitting;
    EXPECT_EQ(run.identity().run_id, first_id);
    EXPECT_EQ(loop_.run_until_done(run.execute()).end, RunEnd::complete);
    EXPECT_EQ(run.progress().requests, asked);
    EXPECT_THAT(sitting->heard, AllOf(SizeIs(4), Contains("2 scored"))) << "each once, whenever it ended";
    EXPECT_FALSE(why_stopped(output()).has_value());
  }
}

// Killed after config.yaml, before run.db.
TEST_F(RunTest, AResumeOfARunWithoutAJournalBeginsIt) {
  fs::create_directories(output());
  const auto sitting = sit(Opening::resume);
  ASSERT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
  EXPECT_EQ(loop_.run_until_done((**sitting).execute()).end, RunEnd::complete);
  EXPECT_THAT(sitting->heard, Each(HasSubstr("scored")));
}

TEST_F(RunTest, ASecondOpenerIsRefusedAndTouchesNothing) {
  const auto first = sit(Opening::fresh, std::string(kConfig) + "what: first\n");
  ASSERT_TRUE(first->run.has_value()) << first->run.error().text();
  const std::string second = std::string(kConfig) + "what: second\n";
  EXPECT_EQ(refused(Opening::fresh, second).kind, ErrorKind::usage);
  for (const Opening opening : {Opening::resume, Opening::either}) {
    const Error error = refused(opening, second);
    EXPECT_EQ(error.kind, ErrorKind::journal);
    EXPECT_THAT(error.text(), HasSubstr("another assay process is working on this run"));
  }
  EXPECT_THAT(config_there(), HasSubstr("what: first"));
  EXPECT_EQ(loop_.run_until_done((**first).execute()).end, RunEnd::complete) << "the first is not disturbed";
}

TEST_F(RunTest, WhoComesBeforeTheFirstHasAJournalIsRefusedAndTouchesNothing) {
  fs::create_directories(output());
  write("out/config.yaml", "what: first\n");
  const auto lock = RunStore::lock(output());
  ASSERT_TRUE(lock.has_value());
  const Error error = refused(Opening::fresh, std::string(kConfig) + "what: second\n");
  EXPECT_EQ(error.kind, ErrorKind::journal);
  EXPECT_EQ(config_there(), "what: first\n");
  EXPECT_FALSE(RunStore::holds_run(output()));
}

TEST_F(RunTest, ADirectoryThatWasMadeForNothingIsTakenBack) {
  write("eval.yaml", kConfig);
  const Error error = [this] {
    auto plan = make_run_plan({.config_file = path("eval.yaml")});
    fs::remove(path("data.jsonl"));
    std::vector<ConfigProblem> problems;
    Gateway gateway(loop_, plan->config, process_environment(), problems);
    auto run = loop_.run_until_done(assay::Run::open(gateway, {.evaluation_name = "rag_answers",
                                                               .evaluation = *plan->evaluation,
                                                               .config = plan->config,
                                                               .directory = output()}));
    return run ? Error{} : run.error();
  }();
  EXPECT_EQ(error.kind, ErrorKind::io);
  EXPECT_FALSE(fs::exists(output()));
}

TEST_F(RunTest, TheTextsOfThePlanAreKeptWithTheRun) {
  write("own.txt", "{question} {answer}");
  {
    const auto sitting = sit(Opening::fresh, std::string(kConfig) + "prompts: {rag/coherence: own.txt}\n");
    ASSERT_TRUE(sitting->run.has_value()) << sitting->run.error().text();
    EXPECT_THAT(sitting->plan.texts, Not(IsEmpty()));
  }
  const auto store = RunStore::open(output(), nullptr);
  ASSERT_TRUE(store.has_value()) << store.error().text();
  const auto texts = loop_.run_until_done((*store)->texts());
  EXPECT_THAT(texts.value(), Contains(::testing::Field(&PlanText::text, "{question} {answer}")));
}

}  // namespace
}  // namespace assay
