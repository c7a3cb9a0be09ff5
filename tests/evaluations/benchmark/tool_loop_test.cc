#include "evaluations/benchmark/tool_loop.h"

#include <deque>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/evaluations/fake_context.h"
#include "tools/tool_config.h"

namespace assay::benchmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

CallRecord call(std::string id, std::string name, std::optional<std::int64_t> turn,
                std::optional<Json> result = Json(1)) {
  return {std::move(id), std::move(name), JsonObject{{"q", "x"}}, std::move(result), turn};
}

ChatReply says(std::string text) {
  ChatReply reply;
  reply.message = {.role = Role::assistant, .text = std::move(text)};
  return reply;
}

ChatReply calls(std::vector<ToolCall> list) {
  ChatReply reply;
  reply.message = {.role = Role::assistant, .tool_calls = std::move(list)};
  reply.finish = FinishReason::tool_calls;
  return reply;
}

ToolCall use(std::string id, std::string name, Json arguments = JsonObject{{"q", "x"}}) {
  return {std::move(id), std::move(name), std::move(arguments), {}};
}

// Answers in the order that a test has written down; tools give back their name.
class LoopContext final : public QuietContext {
 public:
  std::deque<Result<ChatReply>> replies;
  std::vector<ChatRequest> requests;
  std::vector<std::string> steps;
  std::vector<ToolUse> uses;
  Json listed = JsonArray{};

  Task<Result<ChatReply>> complete(std::string step, int, ChatRequest request) override {
    steps.push_back(std::move(step));
    requests.push_back(std::move(request));
    Result<ChatReply> reply = std::move(replies.front());
    replies.pop_front();
    co_return reply;
  }
  Task<Result<Json>> use_tool(std::string step, ToolUse wanted) override {
    steps.push_back(std::move(step));
    uses.push_back(wanted);
    co_return Json(boost::json::string("result of " + wanted.name));
  }
  Task<Result<Json>> list_tools(std::string, std::shared_ptr<const ToolSpec>) override { co_return listed; }
};

std::shared_ptr<const ToolSpec> tool(const std::string& name) {
  const Json parameters = *parse_json(
      R"({"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false})");
  return make_tool({{"name", name}, {"kind", "command"}, {"command", "true"}, {"parameters", parameters}})
      .value();
}

struct ToolLoopTest : testing::Test {
  LoopContext context;
  ToolLoop loop;
  RunFile file;
  int kept = 0;
  std::vector<std::string> kept_last;  // kind of the last entry at each writing

  ToolLoopTest() {
    loop.model = "m";
    loop.prompt = "do it";
    loop.expected_tool_calls = {"look", "weigh"};
    loop.tools = {tool("look"), tool("weigh")};
    loop.steps = "sitting1/";
  }
  Status run() {
    return finish_now(converse(loop, context, file, [this](RunFile& now) -> Task<Status> {
      ++kept;
      kept_last.emplace_back(to_string(now.conversation.back().kind));
      co_return Status();
    }));
  }
  std::vector<std::string> kinds() const {
    std::vector<std::string> list;
    for (const Entry& entry : file.conversation) list.emplace_back(to_string(entry.kind));
    return list;
  }
};

TEST(Messages, CallsOfOneTurnAndWhatWasSaidWithThemAreOneMessage) {
  const std::vector<Entry> conversation = {
      Entry::user("go"),
      Entry::assistant("I look."),
      Entry::tool_call(call("a", "look", 1)),
      Entry::tool_call(call("b", "weigh", 1, tool_error("broken"))),
      Entry::error("HTTP 500"),
      Entry::tool_call(call("c", "look", 2)),
      Entry::tool_call(call("d", "look", std::nullopt)),
      Entry::tool_call(call("e", "look", std::nullopt, std::nullopt)),
      Entry::assistant("done"),
  };
  const auto messages = messages_of("be brief", conversation);
  std::string shape;
  for (const Message& message : messages) {
    shape += std::string(to_string(message.role)).substr(0, 1);
    if (!message.tool_calls.empty()) shape += std::to_string(message.tool_calls.size());
  }
  // system, user, assistant with two calls and their results, three turns of one call each, assistant
  EXPECT_EQ(shape, "sua2tta1ta1ta1ta");
  EXPECT_EQ(messages[2].text, "I look.");
  EXPECT_EQ(messages[4].tool_call_id, "b");
  EXPECT_TRUE(messages[4].is_error);
  EXPECT_FALSE(messages[3].is_error);
  EXPECT_THAT(messages[10].text, HasSubstr("not carried out")) << "a call without result still has an answer";
}

TEST(Reply, GetsIdsThatAreUniqueInTheConversation) {
  std::vector<Entry> conversation = {Entry::user("go"), Entry::tool_call(call("a", "look", 1))};
  add_reply(conversation, calls({use("a", "look"), use("", "weigh"), use("b", "weigh", nullptr)}));
  ASSERT_THAT(conversation, SizeIs(5));
  EXPECT_EQ(conversation[2].call.id, "call_2_1");
  EXPECT_EQ(conversation[3].call.id, "call_2_2");
  EXPECT_EQ(conversation[4].call.id, "b");
  EXPECT_EQ(conversation[4].call.turn, 2);
  EXPECT_TRUE(conversation[4].call.params.is_object());
}

TEST_F(ToolLoopTest, EveryTurnIsKeptBeforeTheNextBegins) {
  context.replies = {calls({use("1", "look"), use("2", "weigh")}), says("the answer")};
  ASSERT_TRUE(run());
  EXPECT_THAT(kinds(), ElementsAre("user_message", "tool_call", "tool_call", "assistant_message"));
  EXPECT_THAT(kept_last, ElementsAre("tool_call", "tool_call", "assistant_message"));
  EXPECT_THAT(context.requests.back().messages, SizeIs(4));
  EXPECT_EQ(context.requests.back().tools.size(), 2U);
  EXPECT_EQ(*file.conversation[1].call.result, Json("result of look"));
}

TEST_F(ToolLoopTest, ANudgeIsWrittenTogetherWithTheWordsThatItAnswers) {
  context.replies = {says("no tools needed"), calls({use("1", "look"), use("2", "weigh")}), says("so")};
  ASSERT_TRUE(run());
  EXPECT_EQ(file.nudges, 1);
  EXPECT_EQ(file.conversation[2].text, "actually use the look, weigh tools to get the answer");
  EXPECT_EQ(kept_last.front(), "user_message") << "a file that ends with the model's words is finished";
}

TEST_F(ToolLoopTest, WhatIsCutOffIsMarkedAndNotNudged) {
  ChatReply cut = says("the answer is");
  cut.finish = FinishReason::length;
  context.replies = {std::move(cut)};
  loop.token_limit = 16;
  ASSERT_TRUE(run());
  ASSERT_TRUE(file.cut_off);
  EXPECT_EQ(file.cut_off->max_tokens, 16);
  EXPECT_EQ(file.nudges, 0);
  EXPECT_EQ(kinds().back(), "assistant_message") << "what was said is kept";
}

TEST_F(ToolLoopTest, OnlyToolsThatAreOfferedAreAskedFor) {
  loop.expected_tool_calls = {"look", "execute_python_program"};
  context.replies = {calls({use("1", "look")}), says("so")};
  ASSERT_TRUE(run());
  EXPECT_EQ(file.nudges, 0);
}

TEST_F(ToolLoopTest, ACallThatDoesNotFitIsNotRun) {
  context.replies = {
      calls(
          {use("1", "look", JsonObject{{"wrong", 1}}), use("2", "gone"), {"3", "weigh", nullptr, "{broken"}}),
      says("so")};
  ASSERT_TRUE(run());
  EXPECT_TRUE(context.uses.empty());
  const auto error = [&](std::size_t i) { return text_at(*file.conversation[i].call.result, "error"); };
  EXPECT_THAT(error(1), HasSubstr("do not fit the tool's schema"));
  EXPECT_THAT(error(2), StartsWith("there is no tool gone; known: look, weigh"));
  EXPECT_THAT(error(3), HasSubstr("not a JSON object"));
  EXPECT_EQ(file.conversation[3].call.params, Json("{broken")) << "as the model wrote it";
}

TEST_F(ToolLoopTest, AFailureOfTheModelIsAnEntryButWindingDownIsNot) {
  context.replies = {calls({use("1", "look"), use("2", "weigh")}), fail(ErrorKind::overloaded, "HTTP 500")};
  EXPECT_FALSE(run());
  EXPECT_EQ(kinds().back(), "error");
  file = {};
  context.replies = {fail(ErrorKind::cancelled, "interrupted")};
  kept = 0;
  EXPECT_FALSE(run());
  EXPECT_EQ(kept, 0) << "the file stays as it is";
}

TEST_F(ToolLoopTest, OnlyCallsWithoutResultAreRunOnResume) {
  file.conversation = {Entry::user("do it"), Entry::tool_call(call("1", "look", 1, Json("kept"))),
                       Entry::tool_call(call("2", "weigh", 1, std::nullopt))};
  context.replies = {says("so")};
  ASSERT_TRUE(run());
  ASSERT_THAT(context.uses, SizeIs(1));
  EXPECT_EQ(context.uses[0].name, "weigh");
  EXPECT_EQ(context.requests[0].messages[2].text, "kept");
}

TEST_F(ToolLoopTest, RoundsAreBoundedAndBeginAnewAfterANudgeByHand) {
  loop.max_turns = 2;
  loop.expected_tool_calls = {};
  context.replies = {calls({use("1", "look")}), calls({use("2", "look")}), says("so")};
  ASSERT_TRUE(run());
  EXPECT_EQ(context.requests.back().tool_choice.mode, ToolChoice::Mode::none);
  EXPECT_THAT(file.conversation[3].text, HasSubstr("final answer"));
  file.conversation.push_back(Entry::user("look again, please"));
  context.replies = {calls({use("3", "look")}), says("so then")};
  ASSERT_TRUE(run());
  EXPECT_EQ(context.requests.back().tool_choice.mode, ToolChoice::Mode::automatic);
  EXPECT_EQ(kinds().back(), "assistant_message");
}

TEST_F(ToolLoopTest, TheSameStateHasTheSameStepsAndAnotherHasOthers) {
  context.replies = {calls({use("1", "look"), use("2", "weigh")}), says("so")};
  ASSERT_TRUE(run());
  const auto first = context.steps;
  file = {};
  context.steps.clear();
  context.replies = {calls({use("1", "look"), use("2", "weigh")}), says("so")};
  ASSERT_TRUE(run());
  EXPECT_EQ(context.steps, first);
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), first.size());
  EXPECT_THAT(first[1], StartsWith("sitting1/turn1/look/"));
  file = {};
  file.conversation = {Entry::user("something else")};
  context.steps.clear();
  context.replies = {says("so")};
  loop.max_nudges = 0;
  ASSERT_TRUE(run());
  EXPECT_NE(context.steps[0], first[0]);
}

TEST_F(ToolLoopTest, TwoToolsOfOneNameAreAnErrorThatSaysWhatToDo) {
  loop.tools.push_back(make_tool({{"name", "files"}, {"kind", "mcp"}, {"command", "x"}}).value());
  context.listed = JsonArray{JsonObject{{"name", "look"}}};
  const Status ended = run();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("two tools are called look"));
}

TEST_F(ToolLoopTest, ARefusalEndsIt) {
  ChatReply refusal = says("");
  refusal.refusal = "I will not.";
  context.replies = {refusal};
  ASSERT_TRUE(run());
  EXPECT_TRUE(file.refused);
  EXPECT_EQ(file.nudges, 0);
  EXPECT_EQ(file.conversation.back().text, "I will not.");
}

}  // namespace
}  // namespace assay::benchmark
