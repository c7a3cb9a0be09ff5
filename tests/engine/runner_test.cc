#include "engine/runner.h"

#include <filesystem>
#include <mutex>
#include <set>
#include <span>
#include <thread>

#include <boost/assert.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/effects/model.h"
#include "engine/effects/tool.h"
#include "store/sqlite.h"
#include "tests/engine/runner_fixture.h"
#include "tools/tool_config.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Takes all cases in the order of their numbers, and notes how far they were begun when it hears of the
// first.
class PatientRule final : public StopRule {
 public:
  explicit PatientRule(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) order_.push_back({i, {}});
  }
  std::span<const CasePlace> order() const override { return order_; }
  bool wants(std::size_t /*position*/) const override { return true; }
  void begun(std::size_t position) override { last_begun_ = position; }
  void add(const Case& input, const Outcome& /*outcome*/) override {
    if (input.index == 0) begun_at_first = last_begun_;
  }

  std::size_t begun_at_first = 0;

 private:
  std::vector<CasePlace> order_;
  std::size_t last_begun_ = 0;
};

TEST_F(RunnerTest, EveryCaseEndsOnceAndConcurrencyIsKept) {
  limit({{"concurrency", 7}});
  const RunResult result = sit(two_questions(100));
  EXPECT_EQ(result.end, RunEnd::complete);
  EXPECT_EQ(outcomes(folder_).size(), 100U);
  EXPECT_EQ(outcomes(folder_)[7],
            R"(7 scored {"first":"re: question 7 first","second":"re: question 7 second"})");
  EXPECT_EQ(server_.requests(), 200);
  EXPECT_EQ(server_.most_at_once, 7);
  EXPECT_EQ(progress_.done, 100);
}

// Which loop a case lives on changes nothing but the time that it takes.
TEST_F(RunnerTest, CasesAreSpreadOverTheLoopsAndTheirOutcomesDoNotDependOnIt) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  const auto spread = [&](std::string id, CaseContext& context) -> Task<Outcome> {
    {
      const std::lock_guard guard(mutex);
      threads.insert(std::this_thread::get_id());
    }
    Outcome outcome = co_await ask_twice(server_, "question " + id, context);
    outcome.result["drawn"] = context.random("draw").below(1000);
    co_return outcome;
  };
  const NumberWork work(60, [&](const std::string& id, CaseContext& context) { return spread(id, context); });
  std::vector<std::string> expected;
  for (const int count : {1, 2, 4}) {
    config_["threads"] = count;
    limit({{"concurrency", 5}});
    threads.clear();
    server_.most_at_once = 0;
    const std::string folder = folder_ + "/" + std::to_string(count);
    EXPECT_EQ(sit(work, folder).end, RunEnd::complete);
    EXPECT_EQ(threads.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(server_.most_at_once, 5) << "limits are the process's";
    EXPECT_EQ(progress_.done, 60);
    EXPECT_EQ(progress_.in_flight, 0);
    if (expected.empty()) expected = outcomes(folder);
    EXPECT_EQ(outcomes(folder), expected);
  }
}

TEST_F(RunnerTest, ARunOnSeveralLoopsThatIsInterruptedGoesOnWithWhatItHas) {
  config_["threads"] = 3;
  limit({{"concurrency", 8}});
  int asked = 0;
  server_.on_request = [&] {
    if (++asked == 30) runner_->interrupt();
  };
  EXPECT_EQ(sit(two_questions(100)).end, RunEnd::interrupted);
  EXPECT_LT(outcomes(folder_).size(), 100U);
  server_.on_request = nullptr;
  EXPECT_EQ(sit(two_questions(100)).end, RunEnd::complete);
  EXPECT_EQ(outcomes(folder_).size(), 100U);
  EXPECT_THAT(server_.counts(), Each(1)) << "nothing is asked twice";
}

TEST_F(RunnerTest, AJournalThatCannotBeWrittenEndsARunOnSeveralLoops) {
  config_["threads"] = 3;
  server_.on_request = [&, removed = false]() mutable {
    if (!std::exchange(removed, true)) fs::remove(folder_ + "/run.db");
  };
  const RunResult result = sit(two_questions(200));
  EXPECT_EQ(result.end, RunEnd::stopped);
  EXPECT_EQ(result.reason->kind, ErrorKind::journal);
  EXPECT_LT(server_.requests(), 200);
}

TEST_F(RunnerTest, CasesEndOneAfterTheOtherNotAllAtOnce) {
  limit({{"concurrency", 2}});
  std::vector<std::int64_t> asked;  // requests that were sent when a case ended
  options_.on_outcome = [&](const Case&, const Outcome&) { asked.push_back(server_.requests()); };
  sit(two_questions(200));
  ASSERT_EQ(asked.size(), 200U);
  // Two for each case that has ended, and what is under way: of cases that wait for the disk, too.
  const std::int64_t under_way = most_open(2) + 2;
  for (std::size_t i = 0; i < asked.size(); ++i)
    EXPECT_LE(asked[i], 2 * (static_cast<std::int64_t>(i + 1) + under_way)) << i;
}

// What is begun meanwhile may turn out to be in vain.
TEST_F(RunnerTest, ARuleThatWaitsForACaseDoesNotPayForAllOthersMeanwhile) {
  limit({{"concurrency", 4}});
  server_.fail = [](const std::string& text, int time) -> std::optional<TryFailure> {
    if (text == "question 0 first" && time == 1)
      return TryFailure{{ErrorKind::overloaded, "HTTP 503", {}}, 300ms};
    return std::nullopt;
  };
  PatientRule rule(60);
  options_.stop_rule = &rule;
  EXPECT_EQ(sit(two_questions(60)).end, RunEnd::complete);
  EXPECT_EQ(rule.begun_at_first, 8U) << "twice as many as may be asked at once";
  EXPECT_EQ(outcomes(folder_).size(), 60U);
}

TEST_F(RunnerTest, ProgressExpectsWhatCasesHaveAskedSoFar) {
  options_.calls_a_case = 5;
  std::vector<double> expected;
  options_.on_outcome = [&](const Case&, const Outcome&) {
    expected.push_back(runner_->progress().calls_a_case.value_or(0));
  };
  sit(two_questions(20));
  EXPECT_EQ(expected.front(), 5) << "an estimate, as long as few have ended";
  EXPECT_EQ(expected.back(), 2);
}

// Else a run whose every third request fails would never seem to come near its end.
TEST_F(RunnerTest, ProgressExpectsAnswersHoweverOftenTheyAreTriedFor) {
  limit({{"concurrency", 50}});
  server_.fail = [](const std::string&, int time) -> std::optional<TryFailure> {
    if (time == 1) return TryFailure{{ErrorKind::overloaded, "HTTP 503", {}}, 1ms};
    return std::nullopt;
  };
  sit(two_questions(12));
  EXPECT_EQ(server_.requests(), 48);
  EXPECT_EQ(progress_.answers, 24);
  EXPECT_EQ(progress_.calls_a_case, 2);
}

TEST_F(RunnerTest, AnInterruptedRunIsFinishedWithoutAskingTwice) {
  std::set<std::int64_t> ended;
  std::int64_t settled = 0;
  options_.on_outcome = [&](const Case& input, const Outcome&) { ended.insert(input.index); };
  options_.on_settled = [&](std::int64_t end) {
    for (; settled < end; ++settled) EXPECT_TRUE(ended.contains(settled)) << settled << " was cut off";
  };
  int seen = 0;
  server_.on_request = [&] {
    if (++seen == 75) runner_->interrupt();
  };
  limit({{"concurrency", 5}});
  const RunResult first = sit(two_questions(100));
  EXPECT_EQ(first.end, RunEnd::interrupted);
  EXPECT_LT(outcomes(folder_).size(), 100U);
  server_.on_request = nullptr;
  const RunResult second = sit(two_questions(100));
  EXPECT_EQ(second.end, RunEnd::complete);
  EXPECT_EQ(outcomes(folder_).size(), 100U);
  EXPECT_THAT(server_.counts(), Each(1)) << "what was in flight at the interrupt was waited for and kept";
  EXPECT_EQ(settled, 100);
}

TEST_F(RunnerTest, FailuresThatMayPassAreTriedAgainOthersNot) {
  server_.fail = [](const std::string& text, int tries) -> std::optional<TryFailure> {
    if (text == "question 3 first" && tries < 3)
      return TryFailure{{ErrorKind::overloaded, "HTTP 503", {}}, 1ms};
    if (text == "question 4 first") return TryFailure{{ErrorKind::rejected, "HTTP 400: too long", {}}, {}};
    return std::nullopt;
  };
  const RunResult result = sit(two_questions(6));
  EXPECT_EQ(result.end, RunEnd::complete);
  const auto list = outcomes(folder_);
  EXPECT_THAT(list[3], HasSubstr("3 scored"));
  EXPECT_THAT(list[4], HasSubstr("4 infra_failed"));
  EXPECT_EQ(server_.requests(), 12 + 2 - 1);
}

TEST_F(RunnerTest, AResumeTriesFailedCasesAgainAndKeepsTheOthers) {
  server_.fail = [](const std::string& text, int) -> std::optional<TryFailure> {
    if (text == "question 2 second") return TryFailure{{ErrorKind::rejected, "HTTP 400", {}}, {}};
    return std::nullopt;
  };
  EXPECT_EQ(sit(two_questions(5)).end, RunEnd::complete);
  EXPECT_THAT(outcomes(folder_)[2], HasSubstr("infra_failed"));
  server_.fail = nullptr;
  EXPECT_EQ(sit(two_questions(5)).end, RunEnd::complete);
  EXPECT_THAT(outcomes(folder_)[2], HasSubstr("2 scored"));
  EXPECT_EQ(server_.requests(), 11) << "only the failed question was asked again";
}

TEST_F(RunnerTest, AWrongKeyStopsTheRunAtOnce) {
  server_.fail = [](const std::string&, int) -> std::optional<TryFailure> {
    return TryFailure{{ErrorKind::auth, "HTTP 401: wrong key", {}}, {}};
  };
  limit({{"concurrency", 4}});
  const RunResult result = sit(two_questions(1000));
  EXPECT_EQ(result.end, RunEnd::stopped);
  ASSERT_TRUE(result.reason.has_value());
  EXPECT_THAT(result.reason->text(), HasSubstr("HTTP 401: wrong key"));
  EXPECT_LE(server_.requests(), 8);
}

TEST_F(RunnerTest, TheSameFailureManyTimesInARowStopsTheRun) {
  server_.fail = [](const std::string&, int) -> std::optional<TryFailure> {
    return TryFailure{{ErrorKind::network, "connection refused", {}}, 0ms};
  };
  server_.tries = 2;
  limit({{"concurrency", 4}, {"same_failures", 5}});
  const RunResult result = sit(two_questions(1000));
  EXPECT_EQ(result.end, RunEnd::stopped);
  EXPECT_THAT(result.reason->text(), HasSubstr("5 times in a row"));
  EXPECT_LE(server_.requests(), 40);
}

TEST_F(RunnerTest, TheBudgetIsNeverPassedAndARaisedOneGoesOn) {
  limit({{"concurrency", 2}});
  // An answer costs 2 cents, but up to 1,000 tokens are reserved for one under way.
  config_["budget"] = JsonObject{{"usd", 5}};
  const RunResult first = sit(two_questions(400));
  EXPECT_EQ(first.end, RunEnd::stopped);
  EXPECT_EQ(first.reason->kind, ErrorKind::budget);
  EXPECT_GT(server_.requests(), 0);
  EXPECT_LE(static_cast<double>(progress_.spent_picousd) / 1e12, 5);
  config_["budget"] = JsonObject{{"usd", 1000}};
  EXPECT_EQ(sit(two_questions(400)).end, RunEnd::complete);
  EXPECT_THAT(server_.counts(), Each(1));
}

TEST_F(RunnerTest, AChangedRequestIsRefusedOnReplay) {
  server_.fail = [](const std::string& text, int) -> std::optional<TryFailure> {
    if (text == "question 1 second") return TryFailure{{ErrorKind::rejected, "HTTP 400", {}}, {}};
    return std::nullopt;
  };
  sit(two_questions(3));
  server_.fail = nullptr;
  const RunResult result = sit(two_questions(3, "reworded"));
  EXPECT_EQ(result.end, RunEnd::stopped);
  EXPECT_EQ(result.reason->kind, ErrorKind::changed);
  EXPECT_THAT(result.reason->text(), AllOf(HasSubstr("case 1: "), HasSubstr("(step first)")));
}

TEST_F(RunnerTest, StepsSideBySideEachFindTheirAnswerOnReplay) {
  const auto ask = [](FakeServer& server, std::string step, CaseContext& context) -> Task<Result<Json>> {
    co_return co_await perform_json(context, step, server.question(step));
  };
  const auto work = [&](FakeServer& server, CaseContext& context) -> Task<Outcome> {
    auto [a, b, c] = co_await all(ask(server, "first", context), ask(server, "second", context),
                                  ask(server, "third", context));
    for (const auto* reply : {&a, &b, &c}) {
      if (!*reply) co_return failed_outcome(reply->error());
    }
    co_return Outcome{};
  };
  const NumberWork abreast(1,
                           [&](const std::string&, CaseContext& context) { return work(server_, context); });
  server_.fail = [](const std::string& text, int) -> std::optional<TryFailure> {
    if (text == "third") return TryFailure{{ErrorKind::rejected, "HTTP 400", {}}, {}};
    return std::nullopt;
  };
  sit(abreast);
  ASSERT_EQ(server_.requests(), 3);
  server_.fail = nullptr;
  EXPECT_EQ(sit(abreast).end, RunEnd::complete);
  EXPECT_EQ(server_.requests(), 4) << "what was answered is not asked again";
  EXPECT_EQ(outcomes(folder_).size(), 1U);
}

TEST_F(RunnerTest, AnswersOfAnEarlierRunAreReusedWhereTheRequestIsTheSame) {
  sit(two_questions(5));
  EXPECT_EQ(server_.requests(), 10);
  const std::string second = folder_ + "/second";
  EXPECT_EQ(sit_again_reusing(two_questions(8), second).end, RunEnd::complete);
  EXPECT_EQ(server_.requests(), 16);
  EXPECT_EQ(outcomes(second).size(), 8U);
  EXPECT_EQ(outcomes(second)[2], outcomes(folder_)[2]);
}

TEST_F(RunnerTest, AnAssertionOfALibraryIsTheEndOfItsCaseAndTheOthersGoOn) {
  const NumberWork work(3, [this](std::string id, CaseContext& context) {
    return [](FakeServer& server, std::string number, CaseContext& asked) -> Task<Outcome> {
      BOOST_ASSERT(number != "1");
      co_return co_await ask_twice(server, "question " + number, asked);
    }(server_, std::move(id), context);
  });
  EXPECT_EQ(sit(work).end, RunEnd::complete);
  EXPECT_THAT(outcomes(folder_)[1], HasSubstr("1 infra_failed"));
  EXPECT_THAT(error_of_case(1),
              AllOf(HasSubstr("runner_test.cc"), HasSubstr("number != \"1\" does not hold")));
  EXPECT_THAT(outcomes(folder_)[2], HasSubstr("2 scored"));
}

// Beside the case: nothing is known of what else it would do wrong, so the run stops, and says why.
TEST_F(RunnerTest, AnExceptionOfWhoeverListensStopsTheRunAndNotTheProcess) {
  options_.on_outcome = [](const Case& input, const Outcome&) { BOOST_ASSERT(input.index != 1); };
  const RunResult result = sit(two_questions(3));
  EXPECT_EQ(result.end, RunEnd::stopped);
  ASSERT_TRUE(result.reason.has_value());
  EXPECT_EQ(result.reason->kind, ErrorKind::internal);
  EXPECT_THAT(result.reason->message, HasSubstr("input.index != 1 does not hold"));
}

// Cases under way on other loops use what belongs to the run: it ends after them.
TEST_F(RunnerTest, AnExceptionWhileCasesAreReadEndsTheRunWhenThoseUnderWayHaveEnded) {
  config_["threads"] = 3;
  limit({{"concurrency", 20}});
  NumberWork work = two_questions(1000);
  work.throws_at = 100;
  const RunResult result = sit(work);
  EXPECT_EQ(result.end, RunEnd::stopped);
  ASSERT_TRUE(result.reason.has_value());
  EXPECT_EQ(result.reason->message, "internal error, please report it: vector::at: 7 is out of range");
  EXPECT_EQ(progress_.in_flight, 0);
  work.throws_at = -1;
  EXPECT_EQ(sit(work).end, RunEnd::complete);
  EXPECT_THAT(server_.counts(), Each(1)) << "what was under way is kept";
}

TEST_F(RunnerTest, AnExceptionIsTheEndOfItsCaseAndTheOthersGoOn) {
  const NumberWork work(6, [this](std::string id, CaseContext& context) {
    return [](FakeServer& server, std::string number, CaseContext& asked) -> Task<Outcome> {
      Outcome outcome = co_await ask_twice(server, "question " + number, asked);
      if (number == "2") throw std::runtime_error("vector::at: 7 is out of range");
      co_return outcome;
    }(server_, std::move(id), context);
  });
  EXPECT_EQ(sit(work).end, RunEnd::complete);
  const auto list = outcomes(folder_);
  ASSERT_EQ(list.size(), 6U);
  EXPECT_THAT(list[2], HasSubstr("2 infra_failed"));
  EXPECT_EQ(error_of_case(2), "internal error, please report it: vector::at: 7 is out of range");
  for (const int other : {0, 1, 3, 4, 5})
    EXPECT_THAT(list[static_cast<std::size_t>(other)], HasSubstr(" scored "));
  EXPECT_EQ(server_.requests(), 12);
  EXPECT_EQ(sit(work).end, RunEnd::complete) << "a resume comes to the same end";
  EXPECT_EQ(server_.requests(), 12) << "and asks nothing for it";
}

using RunnerDeathTest = RunnerTest;

// Two effects of one name would overwrite each other in a replay.
TEST_F(RunnerDeathTest, AStepThatIsAskedTwiceInOneCaseIsNoticed) {
  const auto ask = [](FakeServer& server, std::vector<int> attempts, CaseContext& context) -> Task<Outcome> {
    for (const int attempt : attempts) {
      auto reply = co_await context.perform("judge", attempt, server.question("what?"));
      if (!reply) co_return failed_outcome(reply.error());
    }
    co_return Outcome{};
  };
  const auto work = [&](const std::vector<int>& attempts) {
    return NumberWork(1, [&, attempts](const std::string&, CaseContext& context) {
      return ask(server_, attempts, context);
    });
  };
  EXPECT_EQ(sit(work({1, 2})).end, RunEnd::complete) << "another attempt is another effect";
  EXPECT_DEATH(sit(work({1, 2, 1}), folder_ + "/twice"), "a step of a case is asked once for each attempt");
}

TEST_F(RunnerTest, OutcomesAreToldOnceTheyAreDurable) {
  std::vector<std::string> told;
  options_.on_outcome = [&](const Case& input, const Outcome& outcome) {
    told.push_back(input.id + " " + std::string(to_string(outcome.kind)));
    auto database = Database::open(folder_ + "/run.db", Database::Mode::read_only);
    auto query = database->prepare("SELECT 1 FROM outcomes WHERE case_id = ?");
    query->bind(1, std::string_view(input.id));
    EXPECT_TRUE(query->step().value()) << "another connection sees it";
  };
  sit(two_questions(3));
  EXPECT_THAT(told, ::testing::UnorderedElementsAre("0 scored", "1 scored", "2 scored"));
  told.clear();
  sit(two_questions(4));
  EXPECT_THAT(told, ::testing::ElementsAre("3 scored")) << "those of earlier sittings were told then";
}

// Three cases that ask the model of that name.
NumberWork model_questions(const std::string& model) {
  return {3, [model](std::string id, CaseContext& context) {
            return [](std::string name, std::string number, CaseContext& asked) -> Task<Outcome> {
              ChatRequest request;
              request.model = name;
              request.messages = {{Role::user, "question " + number, {}, "", false}};
              auto reply = co_await complete(asked, "ask", 1, std::move(request));
              if (!reply) co_return failed_outcome(reply.error());
              co_return Outcome{OutcomeKind::scored, {{"reply", reply->message.text}}, ""};
            }(model, std::move(id), context);
          }};
}

TEST_F(RunnerTest, AnswersAreReusedByWhatWasReallyAskedNotByTheAlias) {
  const auto declare = [this](JsonObject mine) {
    config_["models"] =
        JsonObject{{"mine", std::move(mine)}, {"other", JsonObject{{"provider", "sim"}, {"name", "a"}}}};
  };
  const auto taken = [this](const std::string& model, const std::string& name) {
    const std::string folder = folder_ + "/" + name;
    EXPECT_EQ(sit_again_reusing(model_questions(model), folder).end, RunEnd::complete);
    const RunTotals totals = loop_.run_until_done(read(folder)->totals()).value();
    EXPECT_EQ(totals.requests + totals.reused, 3);
    return totals.reused;
  };
  declare({{"provider", "sim"}, {"name", "a"}});
  EXPECT_EQ(sit(model_questions("mine")).end, RunEnd::complete);
  EXPECT_EQ(taken("mine", "same"), 3);
  EXPECT_EQ(taken("other", "other_alias"), 3) << "another alias of the same model";
  EXPECT_EQ(taken("sim/a", "no_alias"), 3);
  declare({{"provider", "sim"}, {"name", "b"}});
  EXPECT_EQ(taken("mine", "another_model"), 0) << "the alias stands for another model now";
  EXPECT_EQ(taken("sim/a?noise=0.5", "other_options"), 0);
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
  limit({{"same_failures", 1}});
  EXPECT_EQ(sit(ToolWork({"false"})).end, RunEnd::complete);
  EXPECT_THAT(outcomes(folder_)[0], HasSubstr(R"(scored {"a":{"error":)"));
}

}  // namespace
}  // namespace assay
