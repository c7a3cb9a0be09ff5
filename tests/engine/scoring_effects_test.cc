// A scoring program asked through the gateway, for cases on two loops.
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/effects/embedding.h"
#include "engine/effects/program.h"
#include "gateway/gateway.h"
#include "net/on_loop.h"
#include "tests/evaluations/fake_context.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

const std::string kScorer = std::string(ASSAY_SOURCE_DIR) + "/tests/tools/scorer.py";

struct ScoringEffects : testing::Test {
  EventLoop loop;
  std::unique_ptr<Gateway> gateway;
  std::unique_ptr<Account> account;
  std::shared_ptr<ProgramSpec> program = std::make_shared<ProgramSpec>();

  void SetUp() override {
    std::vector<ConfigProblem> problems;
    gateway = std::make_unique<Gateway>(
        loop, Config(JsonObject{{"threads", 2}}), [](std::string_view) { return std::nullopt; }, problems);
    account = std::make_unique<Account>(*gateway, nullptr);
    program->command = {"/usr/bin/python3", kScorer};
  }
  ProgramCall call(JsonObject question, int tries = 1) {
    return {.program = program, .fingerprint = "f00d", .question = std::move(question), .tries = tries};
  }
  // For a case on that branch: what was kept, or the kind and the text of the error.
  static Task<std::string> asking(Account& account, ProgramCall asked, std::size_t branch) {
    return asking(account, std::make_shared<ProgramEffect>(std::move(asked)), branch);
  }
  static Task<std::string> asking(Account& account, std::shared_ptr<Effect> effect, std::size_t branch) {
    auto request = std::make_shared<Call>();
    request->effect = std::move(effect);
    request->terms = account.terms(*request->effect, branch).value();
    request->place = {0, "style", 1};
    auto kept = std::make_shared<std::string>();
    request->keep = [kept](Answer answer) -> Task<Status> {
      *kept = answer.answer.reply;
      co_return Status();
    };
    auto done = co_await on(account.home(), account.perform(std::move(request), branch));
    co_return done ? *kept : std::string(to_string(done.error().kind)) + ": " + done.error().text();
  }
  std::string ask(ProgramCall asked) { return loop.run_until_done(asking(*account, std::move(asked), 0)); }
};

TEST_F(ScoringEffects, IsIdentifiedByWhatDecidesItsReply) {
  program->environment = {{"KEY", "${TOKEN}"}};
  program->processes = 3;
  program->in_flight = 5;
  const ProgramEffect effect(call({{"case", "c1"}, {"output", "x"}}));
  const auto terms = account->terms(effect, 1);
  ASSERT_TRUE(terms) << terms.error().text();
  EXPECT_EQ(terms->request, R"({"command":["/usr/bin/python3",")" + kScorer +
                                R"("],"environment":{"KEY":"${TOKEN}"},"fingerprint":"f00d",)"
                                R"("question":{"case":"c1","output":"x"}})");
  EXPECT_EQ(terms->most_at_once, 15);
  EXPECT_EQ(terms->tries, 1);
  EXPECT_EQ(effect.kind(), "program");
  EXPECT_FALSE(effect.travels());
}

TEST_F(ScoringEffects, CasesOnAllLoopsShareTheProcess) {
  const auto asked_there = [](EventLoop& there, Task<std::string> task) -> Task<std::string> {
    co_return co_await on(there, std::move(task));
  };
  std::vector<Task<std::string>> tasks;
  for (std::size_t i = 0; i < 200; ++i) {
    tasks.push_back(
        asked_there(gateway->branches()[i % 2]->loop(), asking(*account, call({{"score", 1}}), i % 2)));
  }
  const auto replies = loop.run_until_done(all(std::move(tasks)));
  EXPECT_THAT(replies, Each(AllOf(HasSubstr(R"({"score":1,"pid":)"), Not(HasSubstr("id\":\"")))));
  EXPECT_THAT(replies, Each(replies.front())) << "the same process answered all";
  loop.run_until_done(account->close());
}

TEST_F(ScoringEffects, FailuresAreTheJudgesAndTriedAgainOnlyIfAsked) {
  EXPECT_THAT(ask(call({{"score", 1}})), HasSubstr(R"("score":1)"));
  EXPECT_THAT(ask(call({{"do", "crash"}})),
              AllOf(HasSubstr("judge: "), HasSubstr("exit code 3"), Not(HasSubstr("tried"))));
  EXPECT_THAT(ask(call({{"do", "crash"}}, 2)), HasSubstr("(tried 2 times)"));
  EXPECT_EQ(ask(call({{"do", "say"}, {"text", R"({"id":"ID","error":"no reference"})"}})),
            R"({"error":"no reference"})")
      << "what the program says itself is a reply";
  program = std::make_shared<ProgramSpec>(*program);
  program->timeout = 100ms;
  EXPECT_THAT(ask(call({{"do", "hang"}})), HasSubstr("judge: "));
}

// Gives a kept answer, whatever is asked.
class KeptContext final : public QuietContext {
 public:
  explicit KeptContext(std::string kept) : kept_(std::move(kept)) {}
  Task<Result<std::string>> perform(std::string, int, std::shared_ptr<Effect>) override { co_return kept_; }

 private:
  std::string kept_;
};

TEST_F(ScoringEffects, EmbeddingsAreAskedForByTheModelsOwnNameAndReadBackAsTheyWere) {
  const auto effect = std::make_shared<EmbeddingEffect>("sim/embed", std::vector<std::string>{"a b", "c"});
  const auto terms = account->terms(*effect, 0);
  ASSERT_TRUE(terms) << terms.error().text();
  EXPECT_EQ(terms->request, R"({"embed":["a b","c"],"model":"sim/embed"})");
  EXPECT_EQ(terms->lane, "sim");
  const std::string kept = loop.run_until_done(asking(*account, effect, 1));
  KeptContext context(kept);
  const auto vectors = finish_now(embed(context, "similar", "sim/embed", {"a b", "c"}));
  ASSERT_TRUE(vectors) << vectors.error().text() << kept;
  ASSERT_EQ(vectors->size(), 2U);
  EXPECT_EQ(vectors->front().size(), 256U);
  EXPECT_EQ(kept, to_text(EmbeddingReply{.vectors = *vectors, .model = "sim/embed"}));
  EXPECT_TRUE(finish_now(embed(context, "none", "sim/embed", {}))->empty());
}

}  // namespace
}  // namespace assay
