#include "models/structured/structured_way.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/providers/anthropic.h"
#include "models/providers/openai.h"
#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

OutputSchema verdict() {
  return {"verdict", "",
          json(R"({"type":"object","properties":{"good":{"type":"boolean"}},"required":["good"]})")};
}

TEST(StructuredWay, OfOpenAiGoesFromSchemaToToolsToText) {
  Capabilities model;
  SchemaRefusals refused;
  const auto way = [&] { return choose_way(kOpenAiWire, "auto", verdict(), model, refused); };
  EXPECT_EQ(way(), StructuredWay::json_schema);
  model.json_schema = false;
  EXPECT_EQ(way(), StructuredWay::tools);
  model.forced_tool = false;
  EXPECT_EQ(way(), StructuredWay::text);
  model = {};
  refused.json_schema = true;
  EXPECT_EQ(way(), StructuredWay::tools);
  refused.tools = true;
  EXPECT_EQ(way(), StructuredWay::text);
}

TEST(StructuredWay, OfAnthropicStartsWithTools) {
  Capabilities model;
  const auto way = [&](const OutputSchema& output) {
    return choose_way(kAnthropicWire, "auto", output, model, {});
  };
  EXPECT_EQ(way(verdict()), StructuredWay::tools);
  model.forced_tool = false;
  EXPECT_EQ(way(verdict()), StructuredWay::json_schema);
  // A map with free keys can be neither closed nor, here, asked for by a tool.
  EXPECT_EQ(way({"map", "", json(R"({"type":"object","additionalProperties":{"type":"string"}})")}),
            StructuredWay::text);
  model.json_schema = false;
  EXPECT_EQ(way(verdict()), StructuredWay::text);
}

TEST(StructuredWay, CanBePinned) {
  Capabilities nothing;
  nothing.json_schema = nothing.tools = nothing.forced_tool = false;
  for (const Wire* wire : {&kOpenAiWire, &kAnthropicWire}) {
    EXPECT_EQ(choose_way(*wire, "json_schema", verdict(), nothing, {}), StructuredWay::json_schema);
    EXPECT_EQ(choose_way(*wire, "tools", verdict(), nothing, {}), StructuredWay::tools);
    EXPECT_EQ(choose_way(*wire, "text", verdict(), {}, {}), StructuredWay::text);
  }
}

TEST(StructuredWay, ThatIsPreferredComesFirstWhereTheModelTakesIt) {
  OutputSchema output = verdict();
  output.preferred = StructuredWay::tools;
  Capabilities model;
  EXPECT_EQ(choose_way(kOpenAiWire, "auto", output, model, {}), StructuredWay::tools);
  EXPECT_EQ(choose_way(kOpenAiWire, "text", output, model, {}), StructuredWay::text)
      << "the user's word counts";
  model.tools = false;
  EXPECT_EQ(choose_way(kOpenAiWire, "auto", output, model, {}), StructuredWay::json_schema);
}

TEST(StructuredWay, OfASchemaWhoseRootIsNoObjectAvoidsTools) {
  const OutputSchema list{"list", "", json(R"({"type":"array","items":{"type":"string"}})")};
  EXPECT_EQ(choose_way(kAnthropicWire, "auto", list, {}, {}), StructuredWay::text);
  Capabilities model;
  model.json_schema = false;
  EXPECT_EQ(choose_way(kOpenAiWire, "auto", list, model, {}), StructuredWay::text);
}

TEST(OutputName, IsMadeFitForTheWire) {
  EXPECT_EQ(output_name({"my verdict/é", "", {}}), "my_verdict___");
  EXPECT_EQ(output_name({"", "", {}}), "answer");
  EXPECT_EQ(output_name({std::string(100, 'x'), "", {}}).size(), 64U);
}

TEST(OutputName, OfTheToolDiffersFromTheRequestsOwnTools) {
  ChatRequest request = ask("q");
  request.output = OutputSchema{std::string(64, 'x'), "", {}};
  EXPECT_EQ(output_tool_name(request), std::string(64, 'x'));
  request.tools = {{std::string(64, 'x'), "", {}}, {std::string(62, 'x') + "_2", "", {}}};
  EXPECT_EQ(output_tool_name(request), std::string(62, 'x') + "_3");
}

ChatReply reply_with(std::string text, FinishReason finish = FinishReason::stop) {
  ChatReply reply;
  reply.message = {.role = Role::assistant, .text = std::move(text)};
  reply.finish = finish;
  return reply;
}

ChatRequest ask_verdict() {
  ChatRequest request = ask("q");
  request.output = verdict();
  return request;
}

TEST(SettledReply, HasTheArgumentsOfTheToolAsItsText) {
  ChatReply reply = reply_with("", FinishReason::tool_calls);
  reply.message.tool_calls = {{"c", "verdict", json(R"({"good":true})"), ""}};
  settle_reply(reply, ask_verdict(), {{}, StructuredWay::tools, false, false});
  EXPECT_EQ(reply.message.text, R"({"good":true})");
  EXPECT_TRUE(reply.message.tool_calls.empty());
  EXPECT_EQ(reply.finish, FinishReason::stop);

  ChatReply broken = reply_with("", FinishReason::length);
  broken.message.tool_calls = {{"c", "verdict", nullptr, R"({"good":tr)"}};
  settle_reply(broken, ask_verdict(), {{}, StructuredWay::tools, false, false});
  EXPECT_EQ(broken.message.text, R"({"good":tr)");
  EXPECT_EQ(broken.finish, FinishReason::length);
}

TEST(SettledReply, TakesTheOnlyCallUnderAnyNameAndSeveralThatDifferAsAList) {
  ChatReply misnamed = reply_with("", FinishReason::tool_calls);
  misnamed.message.tool_calls = {{"c", "functions.verdict", json(R"({"good":true})"), ""}};
  settle_reply(misnamed, ask_verdict(), {{}, StructuredWay::tools, false, false});
  EXPECT_EQ(misnamed.message.text, R"({"good":true})");
  ChatReply twice = reply_with("", FinishReason::tool_calls);
  twice.message.tool_calls = {{"c", "verdict", json(R"({"good":true})"), ""},
                              {"d", "verdict", json(R"({"good":false})"), ""}};
  settle_reply(twice, ask_verdict(), {{}, StructuredWay::tools, false, false});
  EXPECT_EQ(twice.message.text, R"([{"good":true},{"good":false}])");
}

TEST(SettledReply, KeepsCallsOfTheRequestsOwnTools) {
  ChatRequest request = ask_verdict();
  request.tools.push_back({"look", "", {}});
  ChatReply reply = reply_with("I look first.", FinishReason::tool_calls);
  reply.message.tool_calls = {{"c", "look", json("{}"), ""}};
  const ChatReply before = reply;
  settle_reply(reply, request, {{}, StructuredWay::tools, false, false});
  EXPECT_EQ(reply, before);
}

TEST(SettledReply, TakesTheJsonOutOfFencesAndKeepsWhatWasWritten) {
  for (const auto way : {StructuredWay::text, StructuredWay::json_schema, StructuredWay::tools}) {
    ChatReply reply = reply_with("Here it is:\n```json\n{\"good\": true}\n```\nGlad to help.");
    settle_reply(reply, ask_verdict(), {{}, way, false, false});
    EXPECT_EQ(reply.message.text, R"({"good":true})");
    EXPECT_EQ(reply.raw_text, "Here it is:\n```json\n{\"good\": true}\n```\nGlad to help.");
  }
}

TEST(SettledReply, LeavesGoodJsonCutOffTextAndRefusalsAsTheyAre) {
  for (ChatReply reply :
       {reply_with("{\"good\": true}\n"), reply_with("{\"a\": {}, \"go", FinishReason::length),
        reply_with("I will not.", FinishReason::refusal), reply_with("no json here")}) {
    const ChatReply before = reply;
    settle_reply(reply, ask_verdict(), {{}, StructuredWay::text, false, false});
    EXPECT_EQ(reply, before);
  }
}

TEST(SettledReply, IsCutAtStopSequencesThatCouldNotBeSent) {
  const ChatRequest request = ask("q");
  WirePlan plan;
  ChatReply reply = reply_with("one END two STOP", FinishReason::length);
  settle_reply(reply, request, plan);
  EXPECT_EQ(reply.message.text, "one END two STOP");
  plan.cut_at = {"STOP", "END", ""};
  settle_reply(reply, request, plan);
  EXPECT_EQ(reply.message.text, "one ");
  EXPECT_EQ(reply.finish, FinishReason::stop);
}

}  // namespace
}  // namespace assay
