#include "evaluations/judge_step.h"

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluations/fake_context.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json score_schema() {
  return parse_json(R"({"type":"object","properties":{"score":{"type":"integer"}},"required":["score"]})")
      .value();
}

struct JudgeStepTest : testing::Test {
  std::vector<ConfigProblem> problems;
  FakeContext context;

  JudgeStep step(JudgeSettings judge, std::optional<StructuredWay> preferred = {}) {
    return {std::move(judge), {"score", "How good it is.", score_schema(), preferred}, problems};
  }
  std::vector<Message> messages{{.role = Role::user, .text = "Judge it."}};
};

TEST_F(JudgeStepTest, AsksAgainUntilSchemaAndCheckAreContent) {
  const JudgeStep judge = step({.model = "m", .attempts = 3});
  ASSERT_THAT(problems, IsEmpty());
  context.replies["score"] = {R"({"mark":1})", R"({"score":9})", R"({"score":4})"};
  StructuredPolicy policy;
  policy.check = [](const Json& answer) {
    return answer.at("score").as_int64() > 5 ? std::vector<std::string>{"there are only five"}
                                             : std::vector<std::string>{};
  };
  const StructuredAnswer answer =
      finish_now(judge.ask(context, "score", judge.request_with(messages), std::move(policy)));
  ASSERT_TRUE(answer.value);
  EXPECT_EQ(answer.value->at("score"), 4);
  ASSERT_EQ(answer.history.size(), 3U) << "all that came is kept";
  EXPECT_EQ(answer.history[0].text, R"({"mark":1})");
  EXPECT_THAT(context.requests[2].second.messages.back().text, HasSubstr("there are only five"));
}

TEST_F(JudgeStepTest, TemperaturesOfTheAttemptsComeInTurn) {
  const JudgeStep judge = step({.model = "m", .attempts = 3, .temperatures = {0.15, 0.3}});
  context.replies["score"] = {"{}", "{}", R"({"score":4})"};
  (void)finish_now(judge.ask(context, "score", judge.request_with(messages), {}));
  std::vector<double> seen;
  for (const auto& [name, request] : context.requests) seen.push_back(request.sampling.temperature.value());
  EXPECT_THAT(seen, ElementsAre(0.15, 0.3, 0.15));
}

TEST_F(JudgeStepTest, AWayThatIsPreferredIsPartOfTheQuestion) {
  const ChatRequest request = step({.model = "m"}, StructuredWay::tools).request_with(messages);
  ASSERT_TRUE(request.output);
  EXPECT_EQ(request.output->name, "score");
  EXPECT_EQ(request.output->preferred, StructuredWay::tools);
  EXPECT_NE(canonical_text(request), canonical_text(step({.model = "m"}).request_with(messages)));
}

TEST_F(JudgeStepTest, ASeedFollowsFromTheStepWhereRunsAreDraws) {
  const JudgeStep judge(PromptLibrary(), "rag/coherence", {"question", "answer"}, {.model = "m"}, problems);
  ASSERT_THAT(problems, IsEmpty());
  for (const char* name : {"run1/coherence", "run2/coherence", "run1/coherence"})
    (void)finish_now(judge.ask(context, name, {{"question", "Q"}, {"answer", "A"}}));
  ASSERT_EQ(context.requests.size(), 3U);
  const auto seed = [&](std::size_t i) { return context.requests[i].second.sampling.seed.value(); };
  EXPECT_NE(seed(0), seed(1));
  EXPECT_EQ(seed(0), seed(2));
  EXPECT_EQ(context.requests[0].second.output->name, "rag_coherence");
}

TEST(JudgeConfig, IsReadTheSameWayUnderEveryKey) {
  const Config config(JsonObject{
      {"attempts", 2},
      {"pairwise", JsonObject{{"model", "openai/gpt-4o"}, {"temperature", 0.5}, {"max_tokens", 300}}},
      {"judge", JsonObject{{"model", "m"}}}});
  const JudgeSettings full = read_judge(config, "pairwise");
  EXPECT_EQ(full.model, "openai/gpt-4o");
  EXPECT_EQ(full.sampling.temperature, 0.5);
  EXPECT_EQ(full.sampling.max_tokens, 300);
  EXPECT_EQ(full.attempts, 2);
  EXPECT_EQ(read_judge(config, "judge"), (JudgeSettings{.model = "m", .attempts = 2}));
}

TEST(JudgeConfig, ATemperatureWithoutDefaultCannotBeSet) {
  const auto names = [](const Keys& keys) {
    std::vector<std::string> list;
    for (const Key& key : keys) list.emplace_back(key.name);
    return list;
  };
  EXPECT_THAT(names(judge_keys(0.7)), ElementsAre("model", "temperature", "max_tokens"));
  EXPECT_THAT(names(judge_keys(nullptr)), ElementsAre("model", "max_tokens"));
}

}  // namespace
}  // namespace assay
