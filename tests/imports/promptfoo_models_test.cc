// Models of a suite as models here. The words, settings and defaults are promptfoo's (dist/src/providers).
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "imports/promptfoo/model_settings.h"

namespace assay::promptfoo {
namespace {

using testing::HasSubstr;

struct Asked {
  std::string model;  // an entry of `models`, or "none"
  std::string left_out;
  std::string notes;
};

Asked asked(const std::string& id, const std::string& config = "{}") {
  const SuiteFiles none;
  Reading reading{none};
  const auto node = read_document("suite.yaml", config);
  EXPECT_TRUE(node) << node.error().text();
  const auto settings = model_settings(id, *node, *node, reading);
  Asked out{settings ? to_text(Json(*settings)) : "none", "", ""};
  for (const LeftOut& one : reading.left_out) out.left_out += one.what + ": " + one.why + "\n";
  for (const LeftOut& one : reading.notes) out.notes += one.what + ": " + one.why + "\n";
  return out;
}

TEST(PromptfooModels, AProviderThatIsOneHereIsNamedAndNeedsNoAddress) {
  const std::string filled = R"(,"temperature":0,"max_tokens":1024})";
  EXPECT_EQ(asked("groq:llama-3.3-70b").model, R"({"provider":"groq","name":"llama-3.3-70b")" + filled);
  EXPECT_EQ(asked("togetherai:meta-llama/L").model,
            R"({"provider":"together","name":"meta-llama/L")" + filled);
  EXPECT_EQ(asked("azureopenai:chat:mine").model, R"({"provider":"azure","name":"mine")" + filled);
  EXPECT_EQ(asked("openai:responses:gpt-4.1").model,
            R"({"provider":"openai","name":"gpt-4.1","api":"responses")" + filled);
  EXPECT_EQ(asked("bedrock:us.amazon.nova-lite-v1:0").model,
            R"({"provider":"bedrock","name":"us.amazon.nova-lite-v1:0")" + filled);
  // Where promptfoo leaves temperature and limit to the provider, so does the config.
  EXPECT_EQ(asked("google:gemini-2.5-pro").model, R"({"provider":"gemini","name":"gemini-2.5-pro"})");
  EXPECT_EQ(asked("ollama:chat:qwen3:8b").model, R"({"provider":"ollama","name":"qwen3:8b"})");
  EXPECT_EQ(asked("bedrock:converse:anthropic.claude-x-v1:0").model,
            R"({"provider":"bedrock","name":"anthropic.claude-x-v1:0"})");
  EXPECT_EQ(asked("openai:gpt-5-mini").model, R"({"provider":"openai","name":"gpt-5-mini"})");
}

TEST(PromptfooModels, AnotherServerOrPlaceIsAnAddress) {
  EXPECT_THAT(asked("cerebras:x").model,
              HasSubstr(R"("base_url":"https://api.cerebras.ai/v1","api_key_env":"CEREBRAS_API_KEY")"));
  EXPECT_THAT(asked("github:openai/gpt-4.1").model,
              HasSubstr(R"("base_url":"https://models.github.ai/inference","api_key_env":"GITHUB_TOKEN")"));
  EXPECT_THAT(asked("azure:chat:{{ env.DEPLOYED }}").model, HasSubstr(R"("name":"${DEPLOYED}")"));
  EXPECT_THAT(asked("openai:x", "{apiHost: gate.example}").model, HasSubstr(R"("https://gate.example/v1")"));
  EXPECT_THAT(asked("azure:chat:x", "{apiHost: mine.openai.azure.com}").model,
              HasSubstr(R"("https://mine.openai.azure.com")"));
  EXPECT_THAT(asked("ollama:x", "{apiBaseUrl: 'http://h:1'}").model, HasSubstr(R"("http://h:1/v1")"));
  EXPECT_THAT(asked("bedrock:x", "{region: eu-west-1}").model,
              HasSubstr("https://bedrock-runtime.eu-west-1.amazonaws.com"));
  EXPECT_THAT(asked("vertex:gemini-x", "{region: us-east1, projectId: p}").model,
              HasSubstr("https://us-east1-aiplatform.googleapis.com/v1/projects/p/locations/us-east1/"
                        "publishers/google"));
  EXPECT_THAT(asked("vertex:gemini-x", "{region: global}").model,
              HasSubstr("https://aiplatform.googleapis.com/v1/projects/${GOOGLE_CLOUD_PROJECT}/"));
}

TEST(PromptfooModels, SettingsHaveTheirNamesHere) {
  EXPECT_EQ(
      asked("openai:m",
            "{temperature: 0.5, top_p: 0.9, seed: 7, stop: END, presence_penalty: 1, headers: {X-Team: a}}")
          .model,
      R"({"provider":"openai","name":"m","temperature":0.5,"max_tokens":1024,"top_p":0.9,"seed":7,"stop":["END"],"headers":{"X-Team":"a"},"extra":{"presence_penalty":1}})");
  EXPECT_EQ(
      asked("openai:responses:o3",
            "{reasoning: {effort: low}, max_completion_tokens: 9, verbosity: low, "
            "temperature: 1}")
          .model,
      R"({"provider":"openai","name":"o3","api":"responses","reasoning_effort":"low","max_tokens":9,"extra":{"text":{"verbosity":"low"}}})");
  EXPECT_EQ(
      asked("anthropic:messages:claude-x",
            "{thinking: {type: enabled, budget_tokens: 2000}, max_tokens: 4000, top_k: 3}")
          .model,
      R"({"provider":"anthropic","name":"claude-x","max_tokens":4000,"thinking":2000,"extra":{"top_k":3}})");
  EXPECT_EQ(
      asked("google:gemini-x",
            "{generationConfig: {maxOutputTokens: 9, topK: 2, thinkingConfig: {thinkingBudget: 0}}}")
          .model,
      R"({"provider":"gemini","name":"gemini-x","max_tokens":9,"thinking":{"thinkingBudget":0},"extra":{"generationConfig":{"topK":2}}})");
  EXPECT_THAT(asked("openrouter:x", "{passthrough: {provider: {order: [a]}}}").model,
              HasSubstr(R"("extra":{"provider":{"order":["a"]}})"));
  EXPECT_EQ(asked("openai:m", "{tools: [], top_p: high}").left_out,
            "tools of provider openai:m: a model has no such setting here\n"
            "top_p of provider openai:m: a model has no such setting here\n");
}

TEST(PromptfooModels, NoKeyIsCopiedAndItsVariableIs) {
  const Asked own = asked("groq:m", "{apiKey: gsk-secret}");
  EXPECT_EQ(own.notes, "apiKey of groq:m: a key is never copied; it comes from GROQ_API_KEY\n");
  EXPECT_EQ(own.model.find("gsk-secret"), std::string::npos);
  EXPECT_THAT(asked("openai:m", "{apiKey: '{{env.TEAM_KEY}}'}").model,
              HasSubstr(R"("api_key_env":"TEAM_KEY")"));
  EXPECT_THAT(asked("openai:m", "{apiKeyEnvar: MINE}").model, HasSubstr(R"("api_key_env":"MINE")"));
  const Asked headers =
      asked("openai:m", "{headers: {Authorization: Bearer sk-secret, X-Api-Key: '{{env.K}}'}}");
  EXPECT_EQ(headers.left_out,
            "header Authorization of provider openai:m: a secret is never copied: write ${NAME} and set that "
            "variable\n");
  EXPECT_THAT(headers.model, HasSubstr(R"("headers":{"X-Api-Key":"${K}"})"));
}

TEST(PromptfooModels, WhatIsNoChatModelIsLeftOut) {
  EXPECT_THAT(asked("replicate:x").left_out, HasSubstr("this provider has no counterpart"));
  EXPECT_THAT(asked("gpt-4o").left_out, HasSubstr("this provider has no counterpart"));
  EXPECT_EQ(asked("openai:embedding:x").left_out,
            "provider openai:embedding:x: embedding is no chat model\n");
  EXPECT_THAT(asked("vertex:claude-x").left_out, HasSubstr("only Gemini's models"));
  EXPECT_EQ(asked("mistral:responses:x").notes,
            "provider mistral:responses:x: asked by the chat protocol instead of the responses protocol\n");
}

}  // namespace
}  // namespace assay::promptfoo
