// What says how a model shall think, as each real service refuses it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/json/json.h"
#include "sim/protocols/anthropic_wire.h"
#include "sim/protocols/bedrock_wire.h"
#include "sim/protocols/gemini_wire.h"
#include "sim/protocols/openai_wire.h"
#include "sim/protocols/responses_wire.h"

namespace assay::sim {
namespace {

// "" if it is taken, else what is said.
template <class Call>
std::string refusal(const std::expected<Call, WireError>& call) {
  if (call) return "";
  EXPECT_EQ(call.error().status, 400);
  return call.error().message;
}

Json parsed(std::string_view text) {
  auto json = parse_json(text);
  EXPECT_TRUE(json.has_value()) << text;
  return json.value_or(Json());
}

std::string anthropic(std::string_view options, std::string_view model = "claude-sonnet-4-6") {
  return refusal(read_anthropic_request(parsed(fmt::format(
      R"({{"model": "{}", "max_tokens": 4000, "messages": [{{"role": "user", "content": "x"}}], {}}})", model,
      options))));
}

TEST(ReasoningOptions, OfAnthropicAreThoseOfItsModels) {
  EXPECT_EQ(anthropic(R"("thinking": {"type": "enabled", "budget_tokens": 3999}, "temperature": 1)"), "");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "adaptive"}, "output_config": {"effort": "xhigh"})"), "");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "disabled"}, "temperature": 0)"), "");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "banana"})"),
            "thinking.type: must be one of enabled, disabled, adaptive, found 'banana'");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "enabled"})"), "thinking.budget_tokens: Field required");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "enabled", "budget_tokens": 1023})"),
            "thinking.budget_tokens: must be at least 1024, found 1023");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "enabled", "budget_tokens": 4000})"),
            "`max_tokens` must be greater than `thinking.budget_tokens`.");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "adaptive", "budget_tokens": 2000})"),
            "thinking.budget_tokens: Extra inputs are not permitted");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "adaptive"}, "temperature": 0)"),
            "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "adaptive"}, "top_p": 0.5)"),
            "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.");
  EXPECT_EQ(anthropic(R"("output_config": {"effort": "banana"})"),
            "output_config.effort: must be one of low, medium, high, xhigh, max, found 'banana'");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "adaptive"})", "claude-sonnet-4-5"),
            "adaptive thinking is not supported on this model");
  EXPECT_EQ(anthropic(R"("thinking": {"type": "enabled", "budget_tokens": 2000})", "claude-opus-4-7"),
            R"("thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and )"
            R"("output_config.effort" to control thinking behavior.)");
}

std::string bedrock(std::string_view members, std::string_view model = "anthropic.claude-sonnet-4-6") {
  return refusal(read_bedrock_request(
      parsed(
          fmt::format(R"({{"messages": [{{"role": "user", "content": [{{"text": "x"}}]}}], {}}})", members)),
      model, false));
}

TEST(ReasoningOptions, OfBedrockAreAnthropics) {
  const std::string_view banana = R"("additionalModelRequestFields": {"thinking": {"type": "banana"}})";
  EXPECT_EQ(bedrock(banana),
            "additionalModelRequestFields.thinking.type: must be one of enabled, disabled, adaptive, found "
            "'banana'");
  const std::string_view budget =
      R"("additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2000}})";
  EXPECT_EQ(bedrock(budget), "");
  EXPECT_EQ(bedrock(fmt::format(R"({}, "inferenceConfig": {{"maxTokens": 2000}})", budget)),
            "`max_tokens` must be greater than `thinking.budget_tokens`.");
  EXPECT_EQ(bedrock(fmt::format(R"({}, "inferenceConfig": {{"temperature": 0}})", budget)),
            "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.");
  EXPECT_EQ(bedrock(R"("additionalModelRequestFields": {"thinking": {"type": "adaptive"}})",
                    "us.anthropic.claude-haiku-4-5-20251001-v1:0"),
            "adaptive thinking is not supported on this model");
  EXPECT_EQ(bedrock(R"("outputConfig": {"effort": "banana"})"),
            "outputConfig.effort: must be one of low, medium, high, xhigh, max, found 'banana'");
}

TEST(ReasoningOptions, OfOpenAiAreItsEfforts) {
  const auto chat = [](std::string_view options, std::string_view model = "gpt-5.1") {
    return refusal(read_openai_request(parsed(fmt::format(
        R"({{"model": "{}", "messages": [{{"role": "user", "content": "x"}}], {}}})", model, options))));
  };
  EXPECT_EQ(chat(R"("reasoning_effort": "xhigh", "logit_bias": {"50256": -100})"), "");
  EXPECT_EQ(chat(R"("reasoning_effort": "default")", "qwen/qwen3-32b"), "");
  EXPECT_NE(chat(R"("reasoning_effort": "default")"), "");
  EXPECT_NE(chat(R"("reasoning_effort": "banana")"), "");
  EXPECT_NE(chat(R"("reasoning": {"effort": "banana"})", "qwen/qwen3-32b"), "");
  EXPECT_NE(chat(R"("logit_bias": 5)"), "");
  EXPECT_NE(chat(R"("logit_bias": {"50256": 101})"), "");
  const auto responses = [](std::string_view reasoning) {
    return refusal(read_responses_request(
        parsed(fmt::format(R"({{"model": "gpt-5.1", "input": "x", "reasoning": {}}})", reasoning))));
  };
  EXPECT_EQ(responses(R"({"effort": "minimal", "summary": "auto"})"), "");
  EXPECT_NE(responses(R"({"effort": "banana"})"), "");
  EXPECT_NE(responses(R"({"summary": "banana"})"), "");
}

TEST(ReasoningOptions, OfGeminiAreABudgetOrALevel) {
  const auto gemini = [](std::string_view config, std::string_view model = "gemini-3-flash") {
    return refusal(read_gemini_request(
        parsed(fmt::format(R"({{"contents": [{{"role": "user", "parts": [{{"text": "x"}}]}}], )"
                           R"("generationConfig": {{"thinkingConfig": {}}}}})",
                           config)),
        model, false));
  };
  EXPECT_EQ(gemini(R"({"thinkingBudget": -1, "includeThoughts": true})", "gemini-2.5-flash"), "");
  EXPECT_EQ(gemini(R"({"thinkingLevel": "MINIMAL"})"), "");
  EXPECT_NE(gemini(R"({"thinkingBudget": "x"})"), "");
  EXPECT_NE(gemini(R"({"thinkingLevel": "BANANA"})"), "");
  EXPECT_EQ(
      gemini(R"({"thinkingLevel": "LOW", "thinkingBudget": 100})"),
      "* generationConfig.thinkingConfig: You can only set only one of thinking budget and thinking level.");
  EXPECT_EQ(gemini(R"({"thinkingLevel": "LOW"})", "gemini-2.5-pro"),
            "* generationConfig.thinkingConfig: Thinking level is not supported for this model.");
}

}  // namespace
}  // namespace assay::sim
