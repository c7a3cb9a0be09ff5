#include "models/structured/structured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/event_loop.h"
#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Schema verdict_schema() {
  return Schema::compile(
             json(R"({"type":"object","properties":{"score":{"type":"integer","minimum":1,"maximum":5},
                                  "reason":{"type":"string"}},"required":["score","reason"]})"))
      .value();
}

ChatReply says(std::string text, FinishReason finish = FinishReason::stop) {
  ChatReply reply;
  reply.message = {.role = Role::assistant, .text = std::move(text)};
  reply.finish = finish;
  reply.usage = {10, 5, 0, 0, 0};
  return reply;
}

// A model that gives these answers in order, and keeps what it was asked.
class Script {
 public:
  explicit Script(std::vector<Result<ChatReply>> replies) : replies_(std::move(replies)) {}

  StructuredAnswer ask(StructuredPolicy policy = {}) {
    const Schema schema = verdict_schema();
    ChatRequest request;
    request.messages.push_back({.role = Role::user, .text = "Judge it."});
    EventLoop loop;
    return loop.run_until_done(
        ask_structured([this](int attempt, ChatRequest next) { return reply(attempt, std::move(next)); },
                       request, schema, std::move(policy)));
  }

  std::vector<ChatRequest> asked;
  std::vector<int> attempts;

 private:
  Task<Result<ChatReply>> reply(int attempt, ChatRequest request) {
    attempts.push_back(attempt);
    asked.push_back(std::move(request));
    EXPECT_LE(asked.size(), replies_.size()) << "asked more often than the script has answers";
    co_return replies_.at(std::min(asked.size(), replies_.size()) - 1);
  }

  std::vector<Result<ChatReply>> replies_;
};

TEST(Structured, TakesAGoodAnswerAtOnce) {
  Script script({says(R"({"score":4,"reason":"fine"})")});
  const StructuredAnswer answer = script.ask();
  ASSERT_TRUE(answer.value.has_value());
  EXPECT_EQ(*answer.value, json(R"({"score":4,"reason":"fine"})"));
  EXPECT_EQ(answer.attempts, 1);
  EXPECT_EQ(answer.usage, (Usage{10, 5, 0, 0, 0}));
  EXPECT_TRUE(answer.forgiven.empty());
  EXPECT_EQ(answer.history.size(), 1U);
}

TEST(Structured, AsksAgainAndNamesEveryDefect) {
  Script script({says(R"({"score":7})"), says(R"({"score":5,"reason":"fine"})")});
  const StructuredAnswer answer = script.ask();
  ASSERT_TRUE(answer.value.has_value());
  EXPECT_EQ(answer.attempts, 2);
  EXPECT_EQ(answer.usage, (Usage{20, 10, 0, 0, 0}));
  EXPECT_THAT(script.attempts, ElementsAre(1, 2));
  const auto& messages = script.asked[1].messages;
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].text, "Judge it.");
  EXPECT_EQ(messages[1], (Message{.role = Role::assistant, .text = R"({"score":7})"}));
  EXPECT_EQ(messages[2].role, Role::user);
  EXPECT_THAT(messages[2].text, HasSubstr("/score"));
  EXPECT_THAT(messages[2].text, HasSubstr("reason"));
  EXPECT_EQ(answer.history[0].text, R"({"score":7})");
  EXPECT_EQ(answer.history[0].defects.size(), 2U);
  EXPECT_TRUE(answer.history[1].defects.empty());
}

TEST(Structured, GivesBackOnlyTheLatestAnswer) {
  Script script({says(R"({"score":7})"), says(R"({"score":8})"), says(R"({"score":1,"reason":""})")});
  script.ask();
  ASSERT_EQ(script.asked.size(), 3U);
  EXPECT_EQ(script.asked[2].messages.size(), 3U);
  EXPECT_EQ(script.asked[2].messages[1].text, R"({"score":8})");
}

TEST(Structured, GivesUpWithEveryAnswerKept) {
  Script script({says("no"), says("{}"), says(R"({"score":9,"reason":"x"})")});
  const StructuredAnswer answer = script.ask();
  ASSERT_FALSE(answer.value.has_value());
  EXPECT_EQ(answer.value.error().kind, ErrorKind::judge);
  EXPECT_THAT(answer.value.error().message, HasSubstr("3 attempts"));
  EXPECT_THAT(answer.value.error().message, HasSubstr("/score"));
  EXPECT_EQ(answer.attempts, 3);
  EXPECT_EQ(answer.usage.prompt_tokens, 30);
  ASSERT_EQ(answer.history.size(), 3U);
  EXPECT_EQ(answer.history[0].text, "no");
  EXPECT_EQ(answer.history[2].text, R"({"score":9,"reason":"x"})");
  for (const auto& attempt : answer.history) EXPECT_FALSE(attempt.defects.empty());
}

TEST(Structured, MakesAtLeastOneAndAtMostSoManyAttempts) {
  EXPECT_EQ(Script({says("no")}).ask({.attempts = 0}).attempts, 1);
  EXPECT_EQ(Script({says("no")}).ask({.attempts = 1}).attempts, 1);
}

TEST(Structured, HasTheKindOfErrorThatThePolicyNames) {
  EXPECT_EQ(Script({says("no")}).ask({.attempts = 1, .failure = ErrorKind::target}).value.error().kind,
            ErrorKind::target);
}

TEST(Structured, ForgivesTheFormAndSaysSo) {
  Script script({says("Sure:\n```json\n{\"score\": 3, \"reason\": \"ok\",}\n```")});
  const StructuredAnswer answer = script.ask();
  ASSERT_TRUE(answer.value.has_value());
  EXPECT_EQ(answer.attempts, 1);
  EXPECT_FALSE(answer.forgiven.empty());
}

TEST(Structured, SaysWhatWasForgivenWhenTheProviderTookTheJsonOut) {
  ChatReply reply = says(R"({"score":3,"reason":"ok"})");
  reply.raw_text = "Sure: {\"score\": 3, \"reason\": \"ok\"} Bye.";
  const StructuredAnswer answer = Script({reply}).ask();
  ASSERT_TRUE(answer.value.has_value());
  EXPECT_FALSE(answer.forgiven.empty());
  EXPECT_EQ(answer.history[0].text, reply.raw_text);
}

TEST(Structured, SaysThatAnAnswerWasCutOff) {
  Script script(
      {says(R"({"score":3,"reason":"because)", FinishReason::length), says(R"({"score":3,"reason":"ok"})")});
  const StructuredAnswer answer = script.ask();
  ASSERT_TRUE(answer.value.has_value());
  const std::string repair = script.asked[1].messages.back().text;
  EXPECT_THAT(repair, HasSubstr("cut off"));
  EXPECT_THAT(repair, HasSubstr("shorter"));
}

TEST(Structured, DoesNotTakeAPieceOfACutOffAnswerForTheWhole) {
  // The inner object would fit the schema.
  Script script({says(R"({"draft":{"score":1,"reason":"x"},"score":)", FinishReason::length),
                 says(R"({"score":2,"reason":"ok"})")});
  EXPECT_EQ(*script.ask().value, json(R"({"score":2,"reason":"ok"})"));
}

TEST(Structured, TakesACompleteAnswerEvenAtTheLimit) {
  EXPECT_TRUE(Script({says(R"({"score":3,"reason":"ok"})", FinishReason::length)}).ask().value.has_value());
}

TEST(Structured, DoesNotQuoteAnEmptyAnswer) {
  Script script({says("  "), says(R"({"score":3,"reason":"ok"})")});
  script.ask();
  EXPECT_EQ(script.asked[1].messages.size(), 2U);
  EXPECT_THAT(script.asked[1].messages[1].text, HasSubstr("empty"));
}

TEST(Structured, DoesNotArgueWithARefusal) {
  ChatReply refusal = says("", FinishReason::refusal);
  refusal.refusal = "I can't judge this.";
  const StructuredAnswer answer = Script({refusal}).ask();
  ASSERT_FALSE(answer.value.has_value());
  EXPECT_EQ(answer.value.error().kind, ErrorKind::refused);
  EXPECT_THAT(answer.value.error().message, HasSubstr("I can't judge this."));
  EXPECT_EQ(answer.attempts, 1);
}

TEST(Structured, PassesOnTheErrorOfTheTransportWithWhatWasPaid) {
  Script script({says("no"), fail(ErrorKind::timeout, "too late")});
  const StructuredAnswer answer = script.ask();
  ASSERT_FALSE(answer.value.has_value());
  EXPECT_EQ(answer.value.error().kind, ErrorKind::timeout);
  EXPECT_EQ(answer.attempts, 2);
  EXPECT_EQ(answer.usage.prompt_tokens, 10);
  EXPECT_EQ(answer.history.size(), 1U);
}

TEST(Structured, AsksAgainForWhatTheCallerMisses) {
  Script script({says(R"({"score":3,"reason":"short"})"), says(R"({"score":3,"reason":"long enough"})")});
  StructuredPolicy policy;
  policy.check = [](const Json& value) {
    std::vector<std::string> defects;
    if (value.at("reason").as_string().size() < 8) defects.emplace_back("the reason must have eight letters");
    return defects;
  };
  const StructuredAnswer answer = script.ask(policy);
  EXPECT_EQ(answer.attempts, 2);
  EXPECT_THAT(script.asked[1].messages.back().text, HasSubstr("the reason must have eight letters"));
}

TEST(Structured, LetsTheCallerReadAnAnswerThatIsNoJsonObject) {
  StructuredPolicy policy;
  policy.read = [](std::string_view text) -> std::optional<Json> {
    if (!text.starts_with("Score:")) return std::nullopt;
    return json(text.find("because") == std::string_view::npos ? R"({"score":4})"
                                                               : R"({"score":4,"reason":"so"})");
  };
  // "[4]" alone would pass for a JSON list.
  Script lines({says("Score: [4] because"), says("not asked")});
  const StructuredAnswer answer = lines.ask(policy);
  EXPECT_EQ(answer.value.value(), json(R"({"score":4,"reason":"so"})"));
  EXPECT_THAT(answer.forgiven, ElementsAre("not JSON"));
  Script incomplete({says("Score: [4]"), says(R"({"score":4,"reason":"fine"})")});
  EXPECT_EQ(incomplete.ask(policy).value.value(), json(R"({"score":4,"reason":"fine"})"));
  EXPECT_THAT(incomplete.asked[1].messages.back().text, HasSubstr("/reason"));
  Script object({says(R"(Score: see {"score":2,"reason":"in here"})")});
  EXPECT_EQ(object.ask(policy).value.value(), json(R"({"score":2,"reason":"in here"})"));
  Script neither({says("Nothing to read [1]."), says(R"({"score":5,"reason":"fine"})")});
  EXPECT_EQ(neither.ask(policy).attempts, 2);
}

TEST(Structured, DoesNotAskTheCallerAboutAnAnswerThatDoesNotFit) {
  StructuredPolicy policy{.attempts = 1};
  bool called = false;
  policy.check = [&](const Json&) {
    called = true;
    return std::vector<std::string>();
  };
  Script({says(R"({"score":9})")}).ask(policy);
  EXPECT_FALSE(called);
}

TEST(Structured, NamesABoundedNumberOfDefectsAndQuotesABoundedAnswer) {
  StructuredPolicy policy{.attempts = 2};
  policy.check = [](const Json&) { return std::vector<std::string>(1000, "wrong again"); };
  const std::string long_answer = R"({"score":3,"reason":")" + std::string(200'000, 'x') + "\"}";
  Script script({says(long_answer), says(long_answer)});
  script.ask(policy);
  EXPECT_LT(script.asked[1].messages[1].text.size(), 21'000U);
  EXPECT_LT(script.asked[1].messages[2].text.size(), 2'000U);
  EXPECT_THAT(script.asked[1].messages[2].text, HasSubstr("980 more"));
}

}  // namespace
}  // namespace assay
