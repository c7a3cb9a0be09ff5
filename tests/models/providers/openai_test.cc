#include "models/providers/openai.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::HasSubstr;

ModelSpec gpt() {
  return {.provider = "openai", .name = "gpt-4o"};
}

Json body_of(const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
  return parse_json(openai_body(request, spec, plan)).value();
}

TEST(OpenAiBody, OfAPlainQuestionHoldsNothingElse) {
  ChatRequest request = ask("Which colour has the sky?");
  request.messages.insert(request.messages.begin(), {.role = Role::system, .text = "Be brief."});
  EXPECT_EQ(to_text(body_of(request, gpt(), {})),
            R"({"model":"gpt-4o","messages":[{"role":"system","content":"Be brief."},)"
            R"({"role":"user","content":"Which colour has the sky?"}]})");
}

TEST(OpenAiBody, CarriesSamplingAndTheModelsOwnWhereTheRequestHasNone) {
  ChatRequest request = ask("q");
  request.sampling = {0.0, 0.9, std::nullopt, 42, {"END", "STOP"}};
  ModelSpec spec = gpt();
  spec.temperature = 0.7;
  spec.max_tokens = 300;
  const Json body = body_of(request, spec, {});
  EXPECT_EQ(body.at("temperature"), Json(0));
  EXPECT_EQ(body.at("top_p"), Json(0.9));
  EXPECT_EQ(body.at("seed"), Json(42));
  EXPECT_EQ(body.at("stop"), json(R"(["END","STOP"])"));
  EXPECT_EQ(body.at("max_tokens"), Json(300));
  request.sampling.temperature.reset();
  EXPECT_EQ(body_of(request, spec, {}).at("temperature"), Json(0.7));
}

TEST(OpenAiBody, LeavesOutWhatTheModelDoesNotTake) {
  ChatRequest request = ask("q");
  request.sampling = {0.0, 0.9, 100, 42, {"END"}};
  WirePlan plan;
  plan.capabilities = known_capabilities("o3-mini");
  plan.capabilities.seed = false;
  const Json body = body_of(request, gpt(), plan);
  for (const std::string_view key : {"temperature", "top_p", "seed", "stop", "max_tokens"}) {
    EXPECT_EQ(find_member(body, key), nullptr) << key;
  }
  EXPECT_EQ(body.at("max_completion_tokens"), Json(100));
}

TEST(OpenAiBody, UsesTheOtherNameOfTheLimitIfOneIsRefused) {
  ChatRequest request = ask("q");
  request.sampling.max_tokens = 5;
  WirePlan plan;
  plan.capabilities.max_tokens = false;
  EXPECT_NE(find_member(body_of(request, gpt(), plan), "max_completion_tokens"), nullptr);
  plan.capabilities = known_capabilities("gpt-5");
  plan.capabilities.max_completion_tokens = false;
  EXPECT_NE(find_member(body_of(request, gpt(), plan), "max_tokens"), nullptr);
}

TEST(OpenAiBody, KeepsOnlyTemperatureWhereBothAreNotTaken) {
  ChatRequest request = ask("q");
  request.sampling = {0.5, 0.9, {}, {}, {}};
  WirePlan plan;
  plan.capabilities.temperature_with_top_p = false;
  const Json body = body_of(request, gpt(), plan);
  EXPECT_NE(find_member(body, "temperature"), nullptr);
  EXPECT_EQ(find_member(body, "top_p"), nullptr);
}

TEST(OpenAiBody, WritesToolsCallsAndTheirResults) {
  ChatRequest request = ask("weather?");
  request.messages.push_back({.role = Role::assistant,
                              .tool_calls = {{"call_1", "weather", json(R"({"city":"Ulm"})"), ""},
                                             {"call_2", "weather", nullptr, "{\"city\": "}}});
  request.messages.push_back({.role = Role::tool, .text = "12 degrees", .tool_call_id = "call_1"});
  request.messages.push_back(
      {.role = Role::tool, .text = "no such city", .tool_call_id = "call_2", .is_error = true});
  request.tools.push_back({"weather", "Tells the weather.", json(R"({"type":"object","properties":{}})")});
  request.tools.push_back({"time", "", nullptr});
  const Json body = body_of(request, gpt(), {});
  EXPECT_EQ(
      to_text(body.at("messages")),
      R"([{"role":"user","content":"weather?"},)"
      R"({"role":"assistant","content":null,"tool_calls":[)"
      R"({"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Ulm\"}"}},)"
      R"({"id":"call_2","type":"function","function":{"name":"weather","arguments":"{\"city\": "}}]},)"
      R"({"role":"tool","tool_call_id":"call_1","content":"12 degrees"},)"
      R"({"role":"tool","tool_call_id":"call_2","content":"Error: no such city"}])");
  EXPECT_EQ(
      to_text(body.at("tools")),
      R"([{"type":"function","function":{"name":"weather","description":"Tells the weather.",)"
      R"("parameters":{"type":"object","properties":{}}}},)"
      R"({"type":"function","function":{"name":"time","parameters":{"type":"object","properties":{}}}}])");
  EXPECT_EQ(find_member(body, "tool_choice"), nullptr);
}

TEST(OpenAiBody, SaysWhichToolMustBeCalled) {
  ChatRequest request = ask("q");
  request.tools.push_back({"look", "", nullptr});
  const auto choice = [&](ToolChoice wanted, const WirePlan& plan = {}) {
    request.tool_choice = std::move(wanted);
    const Json body = body_of(request, gpt(), plan);
    const Json* found = find_member(body, "tool_choice");
    return found == nullptr ? std::string("-") : to_text(*found);
  };
  EXPECT_EQ(choice({ToolChoice::Mode::none, ""}), R"("none")");
  EXPECT_EQ(choice({ToolChoice::Mode::any, ""}), R"("required")");
  EXPECT_EQ(choice({ToolChoice::Mode::named, "look"}), R"({"type":"function","function":{"name":"look"}})");
  WirePlan unforced;
  unforced.capabilities.forced_tool = false;
  EXPECT_EQ(choice({ToolChoice::Mode::any, ""}, unforced), "-");
  // None is kept even so: no tool is offered.
  EXPECT_EQ(choice({ToolChoice::Mode::none, ""}, unforced), "-");
  EXPECT_EQ(find_member(body_of(request, gpt(), unforced), "tools"), nullptr);
}

ChatRequest ask_for_verdict() {
  ChatRequest request = ask("Is it good?");
  request.output =
      OutputSchema{"verdict", "A verdict.",
                   json(R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
                                         "properties":{"good":{"type":"boolean"}},"required":["good"],
                                         "additionalProperties":false})")};
  return request;
}

constexpr std::string_view kSentSchema =
    R"({"type":"object","properties":{"good":{"type":"boolean"}},"required":["good"],"additionalProperties":false})";

TEST(OpenAiBody, AsksForJsonByResponseFormat) {
  WirePlan plan{{}, StructuredWay::json_schema, true, false};
  EXPECT_EQ(to_text(body_of(ask_for_verdict(), gpt(), plan).at("response_format")),
            R"({"type":"json_schema","json_schema":{"name":"verdict","description":"A verdict.","schema":)" +
                std::string(kSentSchema) + R"(,"strict":true}})");
  const std::string known(kSentSchema);
  WirePlan with_text = plan;
  with_text.schema_text = &known;
  EXPECT_EQ(openai_body(ask_for_verdict(), gpt(), with_text), openai_body(ask_for_verdict(), gpt(), plan));
  plan.strict = false;
  EXPECT_EQ(find_pointer(body_of(ask_for_verdict(), gpt(), plan), "/response_format/json_schema/strict"),
            nullptr);
}

TEST(OpenAiBody, AsksForJsonByATool) {
  const WirePlan plan{{}, StructuredWay::tools, false, false};
  const Json body = body_of(ask_for_verdict(), gpt(), plan);
  EXPECT_EQ(to_text(body.at("tools")),
            R"([{"type":"function","function":{"name":"verdict","description":"A verdict.","parameters":)" +
                std::string(kSentSchema) + "}}]");
  EXPECT_EQ(to_text(body.at("tool_choice")), R"({"type":"function","function":{"name":"verdict"}})");
  EXPECT_EQ(find_member(body, "response_format"), nullptr);
}

TEST(OpenAiBody, LetsTheModelUseItsOwnToolsBeforeItAnswersByATool) {
  ChatRequest request = ask_for_verdict();
  request.tools.push_back({"verdict", "a tool of the same name", nullptr});
  const WirePlan plan{{}, StructuredWay::tools, false, false};
  const Json body = body_of(request, gpt(), plan);
  EXPECT_EQ(body.at("tools").as_array().size(), 2U);
  EXPECT_EQ(find_pointer(body, "/tools/1/function/name")->as_string(), "verdict_2");
  EXPECT_EQ(body.at("tool_choice"), Json("required"));
  // Where one of its own must be called, there is no room for the answer.
  request.tool_choice = {ToolChoice::Mode::named, "verdict"};
  EXPECT_EQ(body_of(request, gpt(), plan).at("tools").as_array().size(), 1U);
}

TEST(OpenAiBody, AsksForJsonInThePromptAndKeepsTheSystemMessage) {
  const WirePlan plan{{}, StructuredWay::text, false, false};
  ChatRequest request = ask_for_verdict();
  const Json alone = body_of(request, gpt(), plan);
  EXPECT_EQ(find_pointer(alone, "/messages/0/role")->as_string(), "system");
  EXPECT_THAT(std::string(find_pointer(alone, "/messages/0/content")->as_string()),
              HasSubstr(std::string(kSentSchema)));
  request.messages.insert(request.messages.begin(), {.role = Role::system, .text = "Be just."});
  const Json with = body_of(request, gpt(), plan);
  EXPECT_EQ(with.at("messages").as_array().size(), 2U);
  const std::string system(find_pointer(with, "/messages/0/content")->as_string());
  EXPECT_TRUE(system.starts_with("Be just.\n\n")) << system;
  EXPECT_THAT(system, HasSubstr("JSON Schema"));
  EXPECT_EQ(find_member(with, "response_format"), nullptr);
}

TEST(OpenAiBody, SaysInThePromptThatTheToolIsMeantWhereItCannotBeForced) {
  WirePlan plan{{}, StructuredWay::tools, false, false};
  plan.capabilities.forced_tool = false;
  const Json body = body_of(ask_for_verdict(), gpt(), plan);
  EXPECT_EQ(find_member(body, "tool_choice"), nullptr);
  EXPECT_THAT(std::string(find_pointer(body, "/messages/0/content")->as_string()), HasSubstr("verdict"));
}

TEST(OpenAiBody, PutsInstructionsIntoTheRoleThatTheModelTakes) {
  ChatRequest request = ask("Hello");
  request.messages.insert(request.messages.begin(), {.role = Role::system, .text = "Be kind."});
  WirePlan plan;
  plan.capabilities.system_role = SystemRole::developer;
  EXPECT_EQ(find_pointer(body_of(request, gpt(), plan), "/messages/0/role")->as_string(), "developer");
  plan.capabilities.system_role = SystemRole::user;
  EXPECT_EQ(to_text(body_of(request, gpt(), plan).at("messages")),
            R"([{"role":"user","content":"Be kind.\n\nHello"}])");
  request.messages.pop_back();
  EXPECT_EQ(to_text(body_of(request, gpt(), plan).at("messages")),
            R"([{"role":"user","content":"Be kind."}])");
}

TEST(OpenAiBody, AsksForUsageInAStream) {
  WirePlan plan;
  plan.stream = true;
  EXPECT_EQ(to_text(body_of(ask("q"), gpt(), plan)),
            R"({"model":"gpt-4o","messages":[{"role":"user","content":"q"}],"stream":true,)"
            R"("stream_options":{"include_usage":true}})");
  plan.capabilities.stream_options = false;
  EXPECT_EQ(find_member(body_of(ask("q"), gpt(), plan), "stream_options"), nullptr);
}

TEST(OpenAiBody, TurnsReasoningOffBesideToolsWhereItMust) {
  ChatRequest request = ask("q");
  WirePlan plan;
  plan.capabilities.tools_need_no_reasoning = true;
  EXPECT_EQ(find_member(body_of(request, gpt(), plan), "reasoning_effort"), nullptr);
  request.tools.push_back({"look", "", nullptr});
  EXPECT_EQ(body_of(request, gpt(), plan).at("reasoning_effort"), Json("none"));
}

TEST(OpenAiReply, OfText) {
  const auto reply = openai_reply(json(R"({"id":"chatcmpl-1","object":"chat.completion","created":1700000000,
      "model":"gpt-4o-2024-08-06","choices":[{"index":0,"message":{"role":"assistant","content":"Blue.","refusal":null,
      "annotations":[]},"logprobs":null,"finish_reason":"stop"}],
      "usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,
               "prompt_tokens_details":{"cached_tokens":8,"audio_tokens":0},
               "completion_tokens_details":{"reasoning_tokens":4,"audio_tokens":0}},"system_fingerprint":"fp_1"})"));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->message, (Message{.role = Role::assistant, .text = "Blue."}));
  EXPECT_EQ(reply->finish, FinishReason::stop);
  EXPECT_EQ(reply->model, "gpt-4o-2024-08-06");
  EXPECT_EQ(reply->usage, (Usage{19, 10, 8, 0, 4}));
}

TEST(OpenAiReply, OfToolCallsWithArgumentsInAnyForm) {
  const auto reply =
      openai_reply(json(R"({"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[
      {"id":"call_a","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Ulm\"}"}},
      {"type":"function","function":{"name":"time","arguments":{"zone":"UTC"}}},
      {"id":"call_c","type":"function","function":{"name":"now","arguments":""}},
      {"id":"call_d","type":"function","function":{"name":"bad","arguments":"{\"city\": Ulm"}}]},
      "finish_reason":"tool_calls"}]})"));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->finish, FinishReason::tool_calls);
  EXPECT_EQ(reply->message.tool_calls,
            (std::vector<ToolCall>{{"call_a", "weather", json(R"({"city":"Ulm"})"), ""},
                                   {"call_2", "time", json(R"({"zone":"UTC"})"), ""},
                                   {"call_c", "now", json("{}"), ""},
                                   {"call_d", "bad", nullptr, "{\"city\": Ulm"}}));
  EXPECT_EQ(reply->usage, Usage{});
}

TEST(OpenAiReply, OfARefusalKeepsItsWords) {
  const auto refused = openai_reply(json(R"({"choices":[{"message":{"role":"assistant","content":null,
      "refusal":"I cannot help with that."},"finish_reason":"stop"}]})"));
  EXPECT_EQ(refused->finish, FinishReason::refusal);
  EXPECT_EQ(refused->refusal, "I cannot help with that.");
  const auto filtered = openai_reply(json(
      R"({"choices":[{"message":{"role":"assistant","content":"I will"},"finish_reason":"content_filter"}]})"));
  EXPECT_EQ(filtered->finish, FinishReason::refusal);
  EXPECT_EQ(filtered->refusal, "I will");
  const auto part = openai_reply(json(R"({"choices":[{"message":{"role":"assistant","content":[
      {"type":"refusal","refusal":"No."}]},"finish_reason":"stop"}]})"));
  EXPECT_EQ(part->finish, FinishReason::refusal);
  EXPECT_EQ(part->refusal, "No.");
}

TEST(OpenAiReply, OfPartsIsTheirTextAndThinkingIsSkipped) {
  const auto reply = openai_reply(json(R"({"choices":[{"message":{"role":"assistant","reasoning_content":"hm",
      "content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"Bl"},
                 {"type":"text","text":"ue"}]}}]})"));
  EXPECT_EQ(reply->message.text, "Blue");
  EXPECT_EQ(reply->finish, FinishReason::stop);
}

TEST(OpenAiReply, FinishesAsItsReasonSays) {
  const auto finish = [](std::string_view reason, std::string_view calls = "[]") {
    return openai_reply(json(R"({"choices":[{"message":{"content":"x","tool_calls":)" + std::string(calls) +
                             R"(},"finish_reason":)" + std::string(reason) + "}]}"))
        ->finish;
  };
  EXPECT_EQ(finish(R"("stop")"), FinishReason::stop);
  EXPECT_EQ(finish(R"("length")"), FinishReason::length);
  EXPECT_EQ(finish(R"("model_length")"), FinishReason::length) << "Mistral's window";
  EXPECT_EQ(finish("null"), FinishReason::stop);
  EXPECT_EQ(finish(R"("galactic")"), FinishReason::other);
  EXPECT_EQ(finish(R"("stop")", R"([{"id":"c","function":{"name":"f","arguments":"{}"}}])"),
            FinishReason::tool_calls);
}

TEST(OpenAiReply, WithoutAnAnswerIsRefusedWithTheReason) {
  for (const std::string_view text : {"{}", "[]", "3", R"({"choices":[]})", R"({"choices":null})",
                                      R"({"choices":[{}]})", R"({"choices":[{"message":"x"}]})"}) {
    const auto reply = openai_reply(json(text));
    ASSERT_FALSE(reply.has_value()) << text;
    EXPECT_EQ(reply.error().kind, ErrorKind::parse);
  }
}

// xAI's own example: 32 + 9 + 94 = 135, and all three are charged.
TEST(OpenAiReply, CountsThoughtsThatStandBesideTheAnswersTokens) {
  const auto usage = [](std::string_view counts) {
    return openai_reply(
               json(R"({"choices":[{"message":{"content":"x"}}],"usage":)" + std::string(counts) + "}"))
        ->usage;
  };
  EXPECT_EQ(usage(R"({"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,
                      "prompt_tokens_details":{"cached_tokens":6},
                      "completion_tokens_details":{"reasoning_tokens":94}})"),
            (Usage{32, 103, 6, 0, 94}));
  EXPECT_EQ(usage(R"({"prompt_tokens":32,"completion_tokens":103,"total_tokens":135,
                      "completion_tokens_details":{"reasoning_tokens":94}})"),
            (Usage{32, 103, 0, 0, 94}));
  EXPECT_EQ(usage(R"({"prompt_tokens":20,"completion_tokens":198,"total_tokens":623})"),
            (Usage{20, 603, 0, 0, 405}))
      << "Gemini behind a gateway";
  EXPECT_EQ(usage(R"({"prompt_tokens":20,"completion_tokens":198,"total_tokens":623,
                      "prompt_tokens_details":{"cached_tokens":7}})"),
            (Usage{20, 198, 7, 0, 0}));
}

TEST(OpenAiReply, FindsCachedTokensWhereverTheyAreTold) {
  for (const std::string_view told : {R"("prompt_tokens_details":{"cached_tokens":64})",
                                      R"("prompt_cache_hit_tokens":64)", R"("cached_tokens":64)"}) {
    const auto reply =
        openai_reply(json(R"({"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":100,)" +
                          std::string(told) + "}}"));
    EXPECT_EQ(reply->usage.cached_tokens, 64) << told;
  }
}

// OpenAI's newer models charge more for what they put into the cache.
TEST(OpenAiReply, CountsWhatWasWrittenToTheCacheAsPartOfThePrompt) {
  const auto reply =
      openai_reply(json(R"({"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":3000,
      "completion_tokens":5,"prompt_tokens_details":{"cached_tokens":1024,"cache_write_tokens":1900}}})"));
  EXPECT_EQ(reply->usage, (Usage{3000, 5, 1024, 1900, 0}));
}

TEST(OpenAiReply, ThatBrokeOffIsNoAnswer) {
  for (const std::string_view reason : {"error", "insufficient_system_resource", "abort"}) {
    const auto reply =
        openai_reply(json(R"({"choices":[{"message":{"content":"The tides are"},"finish_reason":")" +
                          std::string(reason) + R"("}]})"));
    ASSERT_FALSE(reply.has_value()) << reason;
    EXPECT_EQ(reply.error().kind, ErrorKind::parse);
    EXPECT_EQ(reply.error().message, "the answer broke off, finish_reason \"" + std::string(reason) + "\"");
  }
}

TEST(OpenAiReply, NeverCountsNegativeOrMoreCachedThanSent) {
  const auto reply = openai_reply(json(R"({"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":5,
      "completion_tokens":-3,"prompt_tokens_details":{"cached_tokens":9},
      "completion_tokens_details":{"reasoning_tokens":2}}})"));
  EXPECT_EQ(reply->usage, (Usage{5, 0, 5, 0, 0}));
}

}  // namespace
}  // namespace assay
