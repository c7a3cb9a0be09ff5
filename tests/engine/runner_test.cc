#include "engine/runner.h"

#include <filesystem>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/tool_config.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Numbers as cases; no file behind them.
class NumberSource final : public CaseSource {
 public:
  explicit NumberSource(std::int64_t count) : count_(count) {}
  Result<bool> next() override {
    if (next_ == count_) return false;
    current_ = {.index = next_, .line = static_cast<std::uint64_t>(next_ + 1), .id = std::to_string(next_)};
    ++next_;
    return true;
  }
  const Case& current() const override { return current_; }
  CasePlace place() const override { return {current_.index, {}}; }
  Status go_to(const CasePlace& place) override {
    next_ = place.index;
    return next() ? Status() : fail(ErrorKind::data, "there is no such case");
  }
  std::vector<Problem> take_problems() override { return {}; }
  std::int64_t lines() const override { return next_; }
  std::int64_t invalid() const override { return 0; }

 private:
  std::int64_t count_;
  std::int64_t next_ = 0;
  Case current_;
};

// Asks the model twice in a row and keeps both answers.
class TwoQuestions final : public CaseWork {
 public:
  explicit TwoQuestions(std::int64_t count, std::string wording = "question")
      : count_(count), wording_(std::move(wording)) {}
  Result<std::unique_ptr<CaseSource>> cases() const override {
    return std::make_unique<NumberSource>(count_);
  }
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    return work(std::string(input.id), context);
  }
  void estimate(const Case&, CallEstimate&) const override {}
  std::vector<std::string> models() const override { return {"fake"}; }

 private:
  Task<Outcome> work(std::string id, CaseContext& context) const {
    Outcome outcome;
    for (const char* step : {"first", "second"}) {
      ChatRequest request;
      request.model = "fake";
      request.messages = {{Role::user, wording_ + " " + id + " " + step, {}, "", false}};
      auto reply = co_await complete(context, step, 1, std::move(request));
      if (!reply) co_return failed_outcome(reply.error());
      outcome.result[step] = reply->message.text;
    }
    co_return outcome;
  }
  std::int64_t count_;
  std::string wording_;
};

// Echoes after a pause; fails as the test says.
class FakeModel final : public ChatModel {
 public:
  explicit FakeModel(EventLoop& loop) : loop_(loop) {}
  Task<std::expected<ChatReply, ModelFailure>> complete(const ChatRequest& request) override {
    const std::string text = request.messages.back().text;
    ++asked_[text];
    most_at_once = std::max(most_at_once, ++at_once_);
    co_await loop_.sleep(1ms);
    --at_once_;
    if (on_request) on_request();
    if (fail) {
      if (auto failure = fail(text, asked_[text])) co_return std::unexpected(*failure);
    }
    ChatReply reply;
    reply.message.role = Role::assistant;
    reply.message.text = "re: " + text;
    reply.usage.prompt_tokens = 10;
    reply.usage.completion_tokens = 10;
    co_return reply;
  }
  ModelIdentity identity() const override { return {.provider = "fake", .name = "fake"}; }
  std::string limit_key() const override { return "fake"; }
  std::int64_t requests() const {
    std::int64_t sum = 0;
    for (const auto& [text, count] : asked_) sum += count;
    return sum;
  }
  std::vector<int> counts() const {
    std::vector<int> list;
    for (const auto& [text, count] : asked_) list.push_back(count);
    return list;
  }

  std::function<std::optional<ModelFailure>(const std::string&, int)> fail;
  std::function<void()> on_request;
  int most_at_once = 0;

 private:
  EventLoop& loop_;
  std::map<std::string, int> asked_;
  int at_once_ = 0;
};

class RunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / ("assay_runner_" + std::to_string(::getpid()))).string();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outside outside() {
    return {loop_, http_, [this](const std::string&) -> Result<ChatModel*> { return &model_; },
            [](const Usage& usage, const std::string&) -> std::optional<std::int64_t> {
              return (usage.prompt_tokens + usage.completion_tokens) *
                     1'000'000'000;  // a tenth of a cent a token
            },
            process_environment()};
  }

  // One sitting: opens or creates the journal in `folder`, runs, closes.
  RunResult sit(const CaseWork& work, RunnerOptions options, const std::string& folder) {
    Runner runner(outside(), std::move(options));
    runner_ = &runner;
    auto journal =
        fs::exists(folder + "/run.db")
            ? Journal::open(folder, runner.on_committed())
            : Journal::create(folder, {"r", "e", "0", "now", "{}", "d", "h"}, runner.on_committed());
    EXPECT_TRUE(journal.has_value()) << journal.error().text();
    RunResult result = loop_.run_until_done(runner.run(work, **journal, 0, [](const Problem&) {}));
    progress_ = runner.progress();
    runner_ = nullptr;
    return result;
  }
  RunResult sit(const CaseWork& work, RunnerOptions options = {}) {
    return sit(work, std::move(options), folder_);
  }

  std::vector<std::string> outcomes(const std::string& folder) {
    std::vector<std::string> list;
    auto reader = OutcomeReader::open(folder);
    for (;;) {
      auto row = (*reader)->next();
      if (!row || !*row) return list;
      auto tree = parse_json((*row)->result);
      list.push_back((*row)->case_id + " " + (*row)->outcome + " " + to_text(*find_member(*tree, "result")));
    }
  }

  EventLoop loop_;
  HttpClient http_{loop_, {}};
  FakeModel model_{loop_};
  Runner* runner_ = nullptr;
  RunProgress progress_;
  std::string folder_;
};

TEST_F(RunnerTest, EveryCaseEndsOnceAndConcurrencyIsKept) {
  RunnerOptions options;
  options.limits.concurrency = 7;
  const RunResult result = sit(TwoQuestions(100), options);
  EXPECT_EQ(result.end, RunEnd::complete);
  EXPECT_EQ(outcomes(folder_).size(), 100U);
  EXPECT_EQ(outcomes(folder_)[7],
            R"(7 scored {"first":"re: question 7 first","second":"re: question 7 second"})");
  EXPECT_EQ(model_.requests(), 200);
  EXPECT_EQ(model_.most_at_once, 7);
  EXPECT_EQ(progress_.done, 100);
}

TEST_F(RunnerTest, AnInterruptedRunIsFinishedWithoutAskingTwice) {
  int seen = 0;
  model_.on_request = [&] {
    if (++seen == 75) runner_->interrupt();
  };
  RunnerOptions options;
  options.limits.concurrency = 5;
  const RunResult first = sit(TwoQuestions(100), options);
  EXPECT_EQ(first.end, RunEnd::interrupted);
  EXPECT_LT(outcomes(folder_).size(), 100U);
  model_.on_request = nullptr;
  const RunResult second = sit(TwoQuestions(100), options);
  EXPECT_EQ(second.end, RunEnd::complete);
  EXPECT_EQ(outcomes(folder_).size(), 100U);
  EXPECT_THAT(model_.counts(), Each(1)) << "what was in flight at the interrupt was waited for and kept";
}

TEST_F(RunnerTest, FailuresThatMayPassAreTriedAgainOthersNot) {
  model_.fail = [](const std::string& text, int tries) -> std::optional<ModelFailure> {
    if (text == "question 3 first" && tries < 3)
      return ModelFailure{{ErrorKind::overloaded, "HTTP 503", {}}, 1ms};
    if (text == "question 4 first") return ModelFailure{{ErrorKind::rejected, "HTTP 400: too long", {}}, {}};
    return std::nullopt;
  };
  const RunResult result = sit(TwoQuestions(6));
  EXPECT_EQ(result.end, RunEnd::complete);
  const auto list = outcomes(folder_);
  EXPECT_THAT(list[3], HasSubstr("3 scored"));
  EXPECT_THAT(list[4], HasSubstr("4 infra_failed"));
  EXPECT_EQ(model_.requests(), 12 + 2 - 1);
}

TEST_F(RunnerTest, AResumeTriesFailedCasesAgainAndKeepsTheOthers) {
  model_.fail = [](const std::string& text, int) -> std::optional<ModelFailure> {
    if (text == "question 2 second") return ModelFailure{{ErrorKind::rejected, "HTTP 400", {}}, {}};
    return std::nullopt;
  };
  EXPECT_EQ(sit(TwoQuestions(5)).end, RunEnd::complete);
  EXPECT_THAT(outcomes(folder_)[2], HasSubstr("infra_failed"));
  model_.fail = nullptr;
  EXPECT_EQ(sit(TwoQuestions(5)).end, RunEnd::complete);
  EXPECT_THAT(outcomes(folder_)[2], HasSubstr("2 scored"));
  EXPECT_EQ(model_.requests(), 11) << "only the failed question was asked again";
}

TEST_F(RunnerTest, AWrongKeyStopsTheRunAtOnce) {
  model_.fail = [](const std::string&, int) -> std::optional<ModelFailure> {
    return ModelFailure{{ErrorKind::auth, "HTTP 401: wrong key", {}}, {}};
  };
  RunnerOptions options;
  options.limits.concurrency = 4;
  const RunResult result = sit(TwoQuestions(1000), options);
  EXPECT_EQ(result.end, RunEnd::stopped);
  ASSERT_TRUE(result.reason.has_value());
  EXPECT_THAT(result.reason->text(), HasSubstr("HTTP 401: wrong key"));
  EXPECT_LE(model_.requests(), 8);
}

TEST_F(RunnerTest, TheSameFailureManyTimesInARowStopsTheRun) {
  model_.fail = [](const std::string&, int) -> std::optional<ModelFailure> {
    return ModelFailure{{ErrorKind::network, "connection refused", {}}, 0ms};
  };
  RunnerOptions options;
  options.tries = 2;
  options.limits.concurrency = 4;
  options.same_failures_to_stop = 5;
  const RunResult result = sit(TwoQuestions(1000), options);
  EXPECT_EQ(result.end, RunEnd::stopped);
  EXPECT_THAT(result.reason->text(), HasSubstr("5 times in a row"));
  EXPECT_LE(model_.requests(), 40);
}

TEST_F(RunnerTest, TheBudgetIsNeverPassedAndARaisedOneGoesOn) {
  RunnerOptions options;
  options.limits.concurrency = 2;
  options.budget_usd = 5;  // an answer costs 2 cents, but up to 1,000 tokens are reserved for one under way
  const RunResult first = sit(TwoQuestions(400), options);
  EXPECT_EQ(first.end, RunEnd::stopped);
  EXPECT_EQ(first.reason->kind, ErrorKind::budget);
  EXPECT_GT(model_.requests(), 0);
  EXPECT_LE(static_cast<double>(progress_.spent_picousd) / 1e12, 5);
  options.budget_usd = 1000;
  EXPECT_EQ(sit(TwoQuestions(400), options).end, RunEnd::complete);
  EXPECT_THAT(model_.counts(), Each(1));
}

TEST_F(RunnerTest, AChangedRequestIsRefusedOnReplay) {
  model_.fail = [](const std::string& text, int) -> std::optional<ModelFailure> {
    if (text == "question 1 second") return ModelFailure{{ErrorKind::rejected, "HTTP 400", {}}, {}};
    return std::nullopt;
  };
  sit(TwoQuestions(3));
  model_.fail = nullptr;
  const RunResult result = sit(TwoQuestions(3, "reworded"));
  EXPECT_EQ(result.end, RunEnd::stopped);
  EXPECT_EQ(result.reason->kind, ErrorKind::changed);
  EXPECT_THAT(result.reason->text(), HasSubstr("case 1, step first"));
}

TEST_F(RunnerTest, AnswersOfAnEarlierRunAreReusedWhereTheRequestIsTheSame) {
  sit(TwoQuestions(5));
  EXPECT_EQ(model_.requests(), 10);
  const std::string second = folder_ + "/second";
  fs::create_directories(second);
  RunnerOptions options;
  options.reuse_directory = folder_;
  EXPECT_EQ(sit(TwoQuestions(8), options, second).end, RunEnd::complete);
  EXPECT_EQ(model_.requests(), 16);
  EXPECT_EQ(outcomes(second).size(), 8U);
  EXPECT_EQ(outcomes(second)[2], outcomes(folder_)[2]);
}

// Uses a program as a tool, twice.
class ToolWork final : public CaseWork {
 public:
  explicit ToolWork(const std::vector<std::string>& command) {
    tool_ =
        make_tool(
            {{"name", "note"}, {"kind", "command"}, {"command", JsonArray(command.begin(), command.end())}})
            .value();
  }
  Result<std::unique_ptr<CaseSource>> cases() const override { return std::make_unique<NumberSource>(2); }
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case&, CaseContext& context) const override { return work(context); }
  void estimate(const Case&, CallEstimate&) const override {}
  std::vector<std::string> models() const override { return {}; }

 private:
  Task<Outcome> work(CaseContext& context) const {
    Outcome outcome;
    for (const char* name : {"a", "b"}) {
      auto result = co_await use_tool(context, name, {tool_, "note", JsonObject{{"name", name}}});
      if (!result) co_return failed_outcome(result.error());
      outcome.result[name] = *result;
    }
    outcome.result["requests"] = context.spending().requests;
    co_return outcome;
  }
  std::shared_ptr<const ToolSpec> tool_;
};

TEST_F(RunnerTest, AToolIsUsedOnceAndAResumeFindsWhatItSaid) {
  const ToolWork work({"cat"});
  EXPECT_EQ(sit(work).end, RunEnd::complete);
  EXPECT_EQ(sit(work).end, RunEnd::complete);
  EXPECT_EQ(outcomes(folder_)[1], R"(1 scored {"a":{"name":"a"},"b":{"name":"b"},"requests":2})");
  EXPECT_EQ(progress_.done, 2);
  EXPECT_EQ(progress_.standing, 2);
}

TEST_F(RunnerTest, AToolThatFailsIsAResultAndTheCircuitStaysClosed) {
  RunnerOptions options;
  options.same_failures_to_stop = 1;
  EXPECT_EQ(sit(ToolWork({"false"}), options).end, RunEnd::complete);
  EXPECT_THAT(outcomes(folder_)[0], HasSubstr(R"(scored {"a":{"error":)"));
}

}  // namespace
}  // namespace assay
