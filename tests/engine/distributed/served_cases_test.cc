// Cases that somebody else gives and may give to others: what is asked for one whose lease has ended, or that
// was taken back.
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/effects/model.h"
#include "engine/runner.h"
#include "tests/gateway/fake_effect.h"
#include "tests/store/passed_on_store.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Gives what it has at once, and then nothing more.
class GivenOnce final : public CaseSupply {
 public:
  std::shared_ptr<Lease> add(std::int64_t index) {
    auto lease = std::make_shared<Lease>(Clock::now() + 1h);
    cases_.push_back(
        {.input = {.index = index, .id = std::to_string(index), .payload = "{}"}, .lease = lease});
    return lease;
  }
  Task<Result<std::optional<std::vector<GivenCase>>>> next(int) override {
    if (cases_.empty()) co_return std::nullopt;
    co_return std::exchange(cases_, {});
  }
  void ended(std::int64_t index) override { with_outcome.push_back(index); }
  void left(std::int64_t index) override { without.push_back(index); }

  std::vector<std::int64_t> with_outcome;
  std::vector<std::int64_t> without;

 private:
  std::vector<GivenCase> cases_;
};

// Asks two questions for each case, one after the other.
class TwoQuestions final : public CaseWork {
 public:
  explicit TwoQuestions(std::function<Task<TryResult>(std::string question)> ask) : ask_(std::move(ask)) {}
  Result<std::unique_ptr<CaseSource>> cases() const override {
    return fail(ErrorKind::internal, "they are given");
  }
  bool asks_outside() const override { return true; }
  void estimate(const Case&, CallEstimate&) const override {}
  std::vector<std::string> models() const override { return {}; }
  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    for (const char* step : {"first", "second"}) {
      const std::string question = input.id + " " + step;
      auto reply =
          co_await context.perform(step, 1,
                                   std::make_shared<FakeEffect>(Terms{.request = question, .lane = "model"},
                                                                [this, question] { return ask_(question); }));
      if (!reply) co_return Outcome{OutcomeKind::target_failed, {}, reply.error().message};
    }
    co_return Outcome{OutcomeKind::scored, {}, ""};
  }

 private:
  std::function<Task<TryResult>(std::string question)> ask_;
};

// Asks a model once for each case, and makes its outcome of the words.
class OneAnswer final : public CaseWork {
 public:
  Result<std::unique_ptr<CaseSource>> cases() const override {
    return fail(ErrorKind::internal, "they are given");
  }
  bool asks_outside() const override { return true; }
  void estimate(const Case&, CallEstimate&) const override {}
  std::vector<std::string> models() const override { return {"sim/judge"}; }
  Task<Outcome> evaluate(const Case&, CaseContext& context) const override {
    auto reply = co_await complete(
        context, "judge", 1,
        {.model = "sim/judge", .messages = {{.role = Role::user, .text = "How high may a shed be?"}}});
    if (!reply) co_return Outcome{OutcomeKind::target_failed, {}, reply.error().message};
    co_return Outcome{OutcomeKind::scored, JsonObject{{"words", reply->message.text}}, ""};
  }
};

// Another worker was first, with other words.
class AnsweredBefore final : public PassedOnStore {
 public:
  using PassedOnStore::PassedOnStore;
  using PassedOnStore::put;
  Task<Result<std::optional<EffectRow>>> put(EffectRow row) override {
    row.reply_prefixes = {};
    row.reply = to_text(ChatReply{.message = {.role = Role::assistant, .text = "Two metres."}}).text;
    auto kept = co_await PassedOnStore::put(row);
    if (!kept) co_return fail(std::move(kept.error()));
    co_return std::move(row);
  }
};

class ServedCases : public testing::Test {
 protected:
  // All cases, one request at a time; `at` hears of each while it is under way.
  void serve(std::function<void(const std::string& question)> at) {
    std::vector<ConfigProblem> problems;
    Gateway gateway(loop_, Config(JsonObject{{"limits", JsonObject{{"concurrency", 1}}}}),
                    process_environment(), problems);
    const TwoQuestions work([&](std::string question) { return answer(std::move(question), at); });
    Runner runner(gateway, {});
    const RunResult result = loop_.run_until_done(runner.serve(work, *store_, supply_));
    EXPECT_EQ(result.end, RunEnd::complete);
  }
  Task<TryResult> answer(std::string question, std::function<void(const std::string& question)> at) {
    asked_.push_back(question);
    co_await loop_.sleep(1ms);
    at(question);
    co_return Try{.reply = "{}"};
  }

  ScratchDirectory directory_{"served"};
  EventLoop loop_;
  std::unique_ptr<RunStore> store_ = *create_run(directory_.path());
  GivenOnce supply_;
  std::vector<std::string> asked_;
};

TEST_F(ServedCases, NothingIsAskedForACaseWhoseLeaseEndedWhileItWaitedForAPermit) {
  supply_.add(0);
  const auto lease = supply_.add(1);
  supply_.add(2);
  serve([&](const std::string& question) {
    if (question == "0 first") lease->extend(Clock::now() - 1ms);
  });
  EXPECT_THAT(asked_, UnorderedElementsAre("0 first", "0 second", "2 first", "2 second"));
  EXPECT_THAT(supply_.with_outcome, UnorderedElementsAre(0, 2));
  EXPECT_THAT(supply_.without, ElementsAre(1));
}

TEST_F(ServedCases, TheAnswerThatIsWaitedForIsKeptWhenTheLeaseEndsMeanwhile) {
  const auto lease = supply_.add(0);
  serve([&](const std::string&) { lease->extend(Clock::now() - 1ms); });
  EXPECT_THAT(asked_, ElementsAre("0 first"));
  EXPECT_THAT(supply_.without, ElementsAre(0));
  const auto kept = loop_.run_until_done(store_->effects_of(0, Requests::left_out));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->size(), 1U);
}

TEST_F(ServedCases, TheAnswerOfAWorkerThatWasFirstIsTheOneThatTheCaseGoesOnWith) {
  supply_.add(0);
  AnsweredBefore store(*store_);
  std::vector<ConfigProblem> problems;
  Gateway gateway(loop_, Config(JsonObject()), process_environment(), problems);
  Runner runner(gateway, {});
  const RunResult result = loop_.run_until_done(runner.serve(OneAnswer(), store, supply_));
  EXPECT_EQ(result.end, RunEnd::complete);
  const auto rows = loop_.run_until_done(store_->outcomes(0, 1));
  ASSERT_TRUE(rows && rows->size() == 1);
  EXPECT_TRUE(rows->front().result.contains(R"("words":"Two metres.")")) << rows->front().result;
}

TEST_F(ServedCases, WhatIsTakenBackBeforeItWasBegunIsNotAsked) {
  const auto begun = supply_.add(0);
  const auto waits = supply_.add(1);
  serve([&](const std::string& question) {
    if (question != "0 first") return;
    EXPECT_FALSE(begun->waiting());
    EXPECT_TRUE(waits->waiting());
    begun->take_back();
    waits->take_back();
  });
  EXPECT_THAT(asked_, ElementsAre("0 first", "0 second"));
  EXPECT_THAT(supply_.without, ElementsAre(1));
}

}  // namespace
}  // namespace assay
