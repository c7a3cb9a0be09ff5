#include "models/endpoint_settings.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::HasSubstr;

using Variables = std::map<std::string, std::string, std::less<>>;

Environment environment(Variables variables) {
  return [variables = std::move(variables)](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

Result<EndpointSettings> settings_of(const ModelSpec& spec, Variables variables = {}) {
  Secrets secrets;
  const Provider& provider = *find_provider(spec.provider);
  return read_endpoint(spec, provider, environment(std::move(variables)), secrets);
}

std::string problem(const ModelSpec& spec, Variables variables = {}) {
  const auto settings = settings_of(spec, std::move(variables));
  return settings ? "" : settings.error().text();
}

struct Place {
  std::string_view provider;
  std::string_view model;
  Variables variables;
  std::string_view url;
  std::string_view api = "";
};

// The addresses that the services document.
TEST(EndpointSettings, IsWhereEachServiceSaysThatItIs) {
  const Place places[] = {
      {"ollama", "qwen3", {}, "http://127.0.0.1:11434/v1/chat/completions"},
      {"ollama", "qwen3", {{"OLLAMA_HOST", "gpu-box"}}, "http://gpu-box:11434/v1/chat/completions"},
      {"ollama", "qwen3", {{"OLLAMA_HOST", "0.0.0.0:99"}}, "http://0.0.0.0:99/v1/chat/completions"},
      {"groq", "m", {}, "https://api.groq.com/openai/v1/chat/completions"},
      {"groq", "m", {{"GROQ_BASE_URL", "http://h"}}, "http://h/openai/v1/chat/completions"},
      {"azure",
       "my-gpt",
       {{"AZURE_OPENAI_ENDPOINT", "https://n.openai.azure.com/"}},
       "https://n.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"},
      {"azure",
       "my-gpt",
       {{"AZURE_OPENAI_ENDPOINT", "https://n.openai.azure.com"}, {"OPENAI_API_VERSION", "2025-01-01"}},
       "https://n.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=2025-01-01"},
      {"azure",
       "my-gpt",
       {{"AZURE_OPENAI_ENDPOINT", "https://n.openai.azure.com"}, {"OPENAI_API_VERSION", "2025-01-01"}},
       "https://n.openai.azure.com/openai/v1/responses",
       "responses"},
      {"gemini",
       "gemini-2.5-flash",
       {},
       "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"},
      {"vertex",
       "gemini-2.5-flash",
       {{"GOOGLE_CLOUD_PROJECT", "p"}, {"GOOGLE_CLOUD_LOCATION", "europe-west1"}},
       "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/europe-west1/publishers/"
       "google/"
       "models/gemini-2.5-flash:generateContent"},
      {"vertex",
       "gemini-2.5-flash",
       {{"GOOGLE_CLOUD_PROJECT", "p"}, {"GOOGLE_CLOUD_LOCATION", "global"}},
       "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/"
       "models/gemini-2.5-flash:generateContent"},
      // A host alone: the project is in the path, there as here.
      {"vertex",
       "gemini-2.5-flash",
       {{"GOOGLE_CLOUD_PROJECT", "p"},
        {"GOOGLE_CLOUD_LOCATION", "global"},
        {"GOOGLE_VERTEX_BASE_URL", "https://aiplatform.googleapis.com/"}},
       "https://aiplatform.googleapis.com/v1/projects/p/locations/global/publishers/google/"
       "models/gemini-2.5-flash:generateContent"},
      {"bedrock",
       "anthropic.claude-3-haiku-20240307-v1:0",
       {{"AWS_DEFAULT_REGION", "eu-central-1"}},
       "https://bedrock-runtime.eu-central-1.amazonaws.com/model/anthropic.claude-3-haiku-20240307-v1%3A0/"
       "converse"},
      {"openai", "gpt-5", {}, "https://api.openai.com/v1/responses", "responses"},
  };
  for (const Place& place : places) {
    SCOPED_TRACE(place.url);
    const auto settings = settings_of({.provider = std::string(place.provider),
                                       .name = std::string(place.model),
                                       .api = std::string(place.api)},
                                      place.variables);
    ASSERT_TRUE(settings.has_value()) << settings.error().text();
    EXPECT_EQ(settings->address.url, place.url);
    EXPECT_EQ(settings->key_is_required, place.provider != "ollama" && !place.url.starts_with("http://h"));
  }
}

struct Preset {
  std::string_view provider;
  std::string_view base_variable;
  std::string_view key_variable;
  std::string_view url;  // without any variable
  bool needs_key;
  std::string_view path = "/v1/chat/completions";  // behind a host alone
};

// Addresses and variables as the services' own documentation and clients have them.
TEST(EndpointSettings, OfACompatibleServiceComeFromItsOwnVariables) {
  const Preset presets[] = {
      {"mistral", "MISTRAL_BASE_URL", "MISTRAL_API_KEY", "https://api.mistral.ai/v1/chat/completions", true},
      {"openrouter", "OPENROUTER_BASE_URL", "OPENROUTER_API_KEY",
       "https://openrouter.ai/api/v1/chat/completions", true, "/api/v1/chat/completions"},
      {"together", "TOGETHER_BASE_URL", "TOGETHER_API_KEY", "https://api.together.xyz/v1/chat/completions",
       true},
      {"deepseek", "DEEPSEEK_BASE_URL", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1/chat/completions",
       true},
      {"xai", "XAI_BASE_URL", "XAI_API_KEY", "https://api.x.ai/v1/chat/completions", true},
      {"vllm", "VLLM_BASE_URL", "VLLM_API_KEY", "http://127.0.0.1:8000/v1/chat/completions", false},
      {"llamacpp", "LLAMACPP_BASE_URL", "LLAMA_API_KEY", "http://127.0.0.1:8080/v1/chat/completions", false},
      {"lmstudio", "LMSTUDIO_BASE_URL", "LM_API_TOKEN", "http://127.0.0.1:1234/v1/chat/completions", false},
  };
  for (const Preset& preset : presets) {
    SCOPED_TRACE(preset.provider);
    const ModelSpec spec{.provider = std::string(preset.provider), .name = "m"};
    const auto usual = settings_of(spec, {{std::string(preset.key_variable), "key-of-it"}});
    ASSERT_TRUE(usual.has_value()) << usual.error().text();
    EXPECT_EQ(usual->address.url, preset.url);
    EXPECT_EQ(usual->key, "key-of-it");
    EXPECT_EQ(usual->key_name, preset.key_variable);
    EXPECT_EQ(usual->key_is_required, preset.needs_key);
    const auto moved = settings_of(spec, {{std::string(preset.base_variable), "https://h.example"}});
    ASSERT_TRUE(moved.has_value()) << moved.error().text();
    EXPECT_EQ(moved->address.url, "https://h.example" + std::string(preset.path));
    EXPECT_EQ(moved->key, "");
    EXPECT_FALSE(moved->key_is_required);
  }
}

TEST(EndpointSettings, NeverGuessThatAKeyMayGoOutInClear) {
  const ModelSpec openai{.provider = "openai", .name = "m"};
  const std::string told = problem(openai, {{"OPENAI_BASE_URL", "api.openai.com/v1"}});
  EXPECT_THAT(told, HasSubstr("starts with http:// or https://"));
  EXPECT_THAT(told, HasSubstr("OPENAI_BASE_URL"));
  EXPECT_NE(problem(openai, {{"OPENAI_BASE_URL", "localhost:8080"}}), "");
  const ModelSpec ollama{.provider = "ollama", .name = "m"};
  EXPECT_EQ(problem(ollama, {{"OLLAMA_HOST", "gpu-box"}}), "");
  EXPECT_EQ(problem(ollama, {{"OLLAMA_HOST", "127.0.0.1:99"}, {"OLLAMA_API_KEY", "a-key-of-ollama"}}), "");
  EXPECT_THAT(problem(ollama, {{"OLLAMA_HOST", "ollama.com"}, {"OLLAMA_API_KEY", "a-key-of-ollama"}}),
              HasSubstr("OLLAMA_HOST"));
}

TEST(EndpointSettings, TellsWhatIsMissing) {
  EXPECT_THAT(problem({.provider = "azure", .name = "d"}),
              HasSubstr("set AZURE_OPENAI_ENDPOINT, or base_url"));
  EXPECT_THAT(problem({.provider = "bedrock", .name = "m"}), HasSubstr("AWS_REGION"));
  EXPECT_THAT(problem({.provider = "anthropic", .name = "m", .api = "responses"}),
              HasSubstr("api: anthropic has no responses"));
  EXPECT_THAT(problem({.provider = "openai", .name = "m", .api_key_env = "K", .api_key_command = {"x"}}),
              HasSubstr("api_key_command: there is api_key_env too"));
}

TEST(EndpointSettings, SignsForAwsWhereThereIsNoToken) {
  Variables variables{{"AWS_REGION", "eu-west-1"},
                      {"AWS_ACCESS_KEY_ID", "AKID"},
                      {"AWS_SECRET_ACCESS_KEY", "secret-of-aws"},
                      {"AWS_SESSION_TOKEN", "session-of-aws"}};
  const ModelSpec spec{.provider = "bedrock", .name = "m"};
  const auto keys = settings_of(spec, variables);
  ASSERT_TRUE(keys->aws.has_value());
  EXPECT_EQ(keys->aws->session, "session-of-aws");
  EXPECT_EQ(keys->region, "eu-west-1");
  variables["AWS_BEARER_TOKEN_BEDROCK"] = "token";
  EXPECT_FALSE(settings_of(spec, variables)->aws.has_value());
  EXPECT_EQ(settings_of(spec, variables)->key, "token");
}

TEST(Extra, IsMergedIntoTheBody) {
  ModelSpec spec{.provider = "gemini", .name = "m"};
  spec.thinking = 100;
  spec.extra = json(R"({"generationConfig":{"topK":4},"safetySettings":[]})");
  const auto settings = settings_of(spec);
  ASSERT_TRUE(settings.has_value()) << settings.error().text();
  EXPECT_EQ(with_additions(R"({"contents":[],"generationConfig":{"seed":1}})", settings->additions),
            R"({"contents":[],"generationConfig":{"seed":1,"thinkingConfig":{"includeThoughts":true,)"
            R"("thinkingBudget":100},"topK":4},"safetySettings":[]})");
}

TEST(Extra, MayNotChangeWhatTheProgramWritesItself) {
  const auto told = [](std::string_view provider, std::string_view extra) {
    ModelSpec spec{.provider = std::string(provider), .name = "m"};
    spec.extra = json(extra);
    return problem(spec, {{"AWS_REGION", "x"}});
  };
  EXPECT_THAT(told("openai", R"({"messages":[]})"),
              HasSubstr("extra: messages is written by the program itself"));
  EXPECT_THAT(told("openai", R"({"n":2})"), HasSubstr("extra: n "));
  EXPECT_THAT(told("gemini", R"({"generationConfig":{"temperature":1}})"),
              HasSubstr("extra: generationConfig.temperature "));
  EXPECT_THAT(told("gemini", R"({"generationConfig":7})"), HasSubstr("extra: generationConfig "));
  EXPECT_THAT(told("bedrock", R"({"inferenceConfig":{"topK":1}})"), HasSubstr("extra: inferenceConfig"));
  EXPECT_THAT(told("openai", "[1]"), HasSubstr("extra: found [1], expected an object"));
  EXPECT_EQ(told("openai", R"({"logit_bias":{"5":1}})"), "");
}

TEST(ThinkingAndEffort, TakeTheFormOfWhoIsAsked) {
  const auto sent = [](std::string_view provider, Json thinking, std::string effort = "") {
    ModelSpec spec{.provider = std::string(provider), .name = "m", .reasoning_effort = std::move(effort)};
    spec.thinking = std::move(thinking);
    const auto settings = settings_of(spec, {{"AWS_REGION", "x"}});
    return settings ? to_text(settings->additions) : settings.error().message;
  };
  EXPECT_EQ(sent("openai", nullptr, "high"), R"({"reasoning_effort":"high"})");
  EXPECT_THAT(sent("openai", true), HasSubstr("set reasoning_effort"));
  EXPECT_EQ(sent("deepseek", true), R"({"thinking":{"type":"enabled"}})");
  EXPECT_EQ(sent("vllm", false), R"({"chat_template_kwargs":{"enable_thinking":false}})");
  EXPECT_EQ(sent("openrouter", 2000), R"({"reasoning":{"enabled":true,"max_tokens":2000}})");
  EXPECT_EQ(sent("together", true), R"({"reasoning":{"enabled":true}})");
  for (const std::string_view without_number : {"deepseek", "vllm", "llamacpp", "together", "ollama"})
    EXPECT_THAT(sent(without_number, 2000), HasSubstr("it takes no number of tokens: write true or false"));
  EXPECT_EQ(sent("ollama", false), R"({"reasoning_effort":"none"})");
  EXPECT_EQ(sent("anthropic", 2000, "low"), R"({"output_config":{"effort":"low"}})");
  EXPECT_EQ(sent("bedrock", 2000, "low"), R"({"additionalModelRequestFields":{"reasoning_effort":"low"}})");
  EXPECT_THAT(sent("anthropic", "much"), HasSubstr("thinking: found \"much\", expected true, false"));
}

// The bounds are Anthropic's: at least 1,024, and less than max_tokens.
TEST(ThinkingOfClaude, IsCheckedBeforeAnythingIsSent) {
  const auto told = [](std::string_view provider, std::string_view name, Json thinking,
                       std::optional<int> max_tokens = {}) {
    ModelSpec spec{.provider = std::string(provider), .name = std::string(name), .max_tokens = max_tokens};
    spec.thinking = std::move(thinking);
    return problem(spec, {{"AWS_REGION", "x"}});
  };
  EXPECT_EQ(told("anthropic", "claude-sonnet-4-5", 1024, 1025), "");
  EXPECT_EQ(told("anthropic", "claude-sonnet-4-5", 4000), "");
  EXPECT_EQ(told("anthropic", "claude-sonnet-4-5", true, 2000), "");
  EXPECT_EQ(told("anthropic", "claude-opus-4-7", true, 50), "");
  EXPECT_EQ(told("anthropic", "claude-sonnet-4-5", false, 50), "");
  EXPECT_EQ(told("anthropic", "claude-opus-4-7", json(R"({"type":"enabled","budget_tokens":9})")), "");
  EXPECT_THAT(told("anthropic", "claude-sonnet-4-5", 100, 50),
              HasSubstr("thinking: found 100, expected at least 1024 tokens"));
  EXPECT_THAT(told("bedrock", "anthropic.claude-sonnet-4-5-20250929-v1:0", 4000, 4000),
              HasSubstr("thinking: 4000 tokens do not leave room for an answer: max_tokens is 4000"));
  EXPECT_THAT(told("anthropic", "claude-sonnet-4-5", true, 1024),
              HasSubstr("thinking: 1024 tokens do not leave room for an answer: max_tokens is 1024"));
  EXPECT_THAT(told("anthropic", "claude-opus-4-7", 4000),
              HasSubstr("claude-opus-4-7 chooses itself how much it thinks and takes no number of tokens"));
}

TEST(HeadersOfAModel, AreFilledAndChecked) {
  const ModelSpec spec{.provider = "openai", .name = "m", .headers = {{"X-Team", "${TEAM}"}}};
  const auto settings = settings_of(spec, {{"TEAM", "blue-and-secret"}});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(*settings->headers.find("x-team"), "blue-and-secret");
  EXPECT_THAT(problem(spec), HasSubstr("TEAM is not set"));
  EXPECT_THAT(problem({.provider = "openai", .name = "m", .headers = {{"a b", "x"}}}),
              HasSubstr("expected names of headers"));
  EXPECT_THAT(problem({.provider = "openai", .name = "m", .headers = {{"Content-Type", "x"}}}),
              HasSubstr("set by the program itself"));
}

TEST(IdentityOfSettings, HoldsWhatDecidesAnswersAndNoSecret) {
  ModelSpec spec{.provider = "openai",
                 .name = "m",
                 .api = "responses",
                 .reasoning_effort = "low",
                 .headers = {{"X-Beta", "1m"}, {"X-Api-Key", "sk-literal"}, {"X-Team", "${TEAM}"}}};
  spec.extra = json(R"({"service_tier":"flex"})");
  EXPECT_EQ(settings_of(spec, {{"TEAM", "t"}})->identity,
            R"({"api":"responses","extra":{"service_tier":"flex"},"headers":{"X-Api-Key":"[hidden]",)"
            R"("X-Beta":"1m","X-Team":"${TEAM}"},"reasoning_effort":"low"})");
  EXPECT_EQ(settings_of({.provider = "openai", .name = "m", .api = "chat"})->identity, "");
}

}  // namespace
}  // namespace assay
