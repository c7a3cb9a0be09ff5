#include "imports/promptfoo/model_settings.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "imports/promptfoo/template.h"

namespace assay::promptfoo {
namespace {

// What promptfoo sends where the suite is silent: without it the same model would answer differently.
enum class Silence { temperature_0_and_1024_tokens, provider_decides };
constexpr auto kFills = Silence::temperature_0_and_1024_tokens;
constexpr auto kLeaves = Silence::provider_decides;
constexpr int kTokens = 1024;

// By the word before the first colon.
struct Server {
  std::string_view word;
  std::string_view provider;
  std::string_view key;  // the variable that holds its key here; "": none
  Silence silence;
  bool responses = false;
  std::string_view base_url = {};  // of servers that are no provider here
};
constexpr auto kServers = std::to_array<Server>({
    {"openai", "openai", "OPENAI_API_KEY", kFills, true},
    {"azure", "azure", "AZURE_OPENAI_API_KEY", kFills, true},
    {"azureopenai", "azure", "AZURE_OPENAI_API_KEY", kFills, true},
    {"anthropic", "anthropic", "ANTHROPIC_API_KEY", kFills},
    {"google", "gemini", "GEMINI_API_KEY", kLeaves},
    {"vertex", "vertex", "", kLeaves},
    {"bedrock", "bedrock", "", kFills},
    {"ollama", "ollama", "", kLeaves},
    {"openrouter", "openrouter", "OPENROUTER_API_KEY", kFills, true},
    {"groq", "groq", "GROQ_API_KEY", kFills, true},
    {"mistral", "mistral", "MISTRAL_API_KEY", kFills},
    {"deepseek", "deepseek", "DEEPSEEK_API_KEY", kFills},
    {"togetherai", "together", "TOGETHER_API_KEY", kFills},
    {"xai", "xai", "XAI_API_KEY", kFills, true},
    {"localai", "openai", "", kFills, false, "http://127.0.0.1:8080/v1"},
    {"fireworks", "openai", "FIREWORKS_API_KEY", kFills, false, "https://api.fireworks.ai/inference/v1"},
    {"cerebras", "openai", "CEREBRAS_API_KEY", kFills, false, "https://api.cerebras.ai/v1"},
    {"perplexity", "openai", "PERPLEXITY_API_KEY", kFills, false, "https://api.perplexity.ai"},
    {"github", "openai", "GITHUB_TOKEN", kFills, false, "https://models.github.ai/inference"},
    {"litellm", "openai", "LITELLM_API_KEY", kFills, false, "http://127.0.0.1:4000"},
});

// Words between the server and the model's name: those that mean a chat, and those that mean something else.
constexpr auto kChatWords = std::to_array<std::string_view>({"chat", "messages", "converse"});
constexpr auto kOtherWords = std::to_array<std::string_view>(
    {"completion", "completions", "embedding", "embeddings", "assistant", "image", "moderation", "realtime",
     "agents", "transcription", "video", "speech", "codex-sdk", "claude-agent-sdk", "live", "kb",
     "foundry-agent"});

enum class Kind { number, texts, text, headers };
struct Setting {
  std::string_view theirs;
  std::string_view ours;
  Kind kind;
};
constexpr auto kSettings = std::to_array<Setting>({
    {"temperature", "temperature", Kind::number},
    {"max_tokens", "max_tokens", Kind::number},
    {"maxTokens", "max_tokens", Kind::number},
    {"max_output_tokens", "max_tokens", Kind::number},
    {"maxOutputTokens", "max_tokens", Kind::number},
    {"num_predict", "max_tokens", Kind::number},
    {"max_completion_tokens", "max_tokens", Kind::number},
    {"top_p", "top_p", Kind::number},
    {"topP", "top_p", Kind::number},
    {"seed", "seed", Kind::number},
    {"stop", "stop", Kind::texts},
    {"stop_sequences", "stop", Kind::texts},
    {"stopSequences", "stop", Kind::texts},
    {"reasoning_effort", "reasoning_effort", Kind::text},
    {"effort", "reasoning_effort", Kind::text},
    {"headers", "headers", Kind::headers},
});

// Members of the request's body that go there under `extra`, by whose body it is.
constexpr auto kOpenAiMembers = std::to_array<std::string_view>(
    {"frequency_penalty", "presence_penalty", "logit_bias", "service_tier", "verbosity", "user", "metadata",
     "safety_identifier", "prompt_cache_key", "top_k", "min_p", "repetition_penalty"});
constexpr auto kAnthropicMembers = std::to_array<std::string_view>({"top_k", "service_tier", "metadata"});
constexpr auto kGoogleMembers = std::to_array<std::string_view>({"safetySettings", "labels"});
// What is merged into the body as it is.
constexpr auto kWholeMembers = std::to_array<std::string_view>({"passthrough", "extra_body"});

// Read elsewhere, or without a meaning here: a price is the run's.
constexpr auto kElsewhere =
    std::to_array<std::string_view>({"apiBaseUrl", "apiHost", "apiKey", "apiKeyEnvar", "showThinking", "cost",
                                     "inputCost", "outputCost", "region", "projectId"});

class Settings {
 public:
  Settings(std::string id, const Server& server, std::string_view name, bool responses, Reading& reading)
      : id_(std::move(id)), server_(server), responses_(responses), reading_(reading) {
    out_ = {{"provider", server.provider}, {"name", with_environment(name)}};
    if (responses) out_["api"] = "responses";
  }

  JsonObject read(const Node& config, Silence silence) {
    read_address(config);
    read_key(config);
    if (silence == kFills && !reasons()) {
      // With thinking on, promptfoo sends no temperature, which such a model would not take.
      if (!thinks(config)) out_["temperature"] = 0;
      out_["max_tokens"] = kTokens;
    }
    for (const auto& [setting, value] : config.members()) take(setting, value);
    if (!extra_.empty()) out_["extra"] = std::move(extra_);
    return std::move(out_);
  }

 private:
  bool is_claude() const { return server_.provider == "anthropic" || server_.provider == "bedrock"; }
  bool thinks(const Node& config) const {
    const Node thinking = config.member("thinking");
    return is_claude() && thinking.is_object() && thinking.text_of("type") != "disabled";
  }
  bool is_google() const { return server_.provider == "gemini" || server_.provider == "vertex"; }
  std::string_view name() const { return out_.at("name").as_string(); }

  // Models that are asked without temperature and limit, as promptfoo and their maker have it.
  bool reasons() const {
    const std::string_view own = name().substr(name().rfind('/') + 1);
    return std::ranges::any_of(std::array{"o1", "o3", "o4", "gpt-5"},
                               [&](std::string_view family) { return own.starts_with(family); });
  }

  void read_address(const Node& config) {
    std::string base = with_environment(config.text_of("apiBaseUrl"));
    const std::string host = with_environment(config.text_of("apiHost"));
    const std::string region = with_environment(config.text_of("region"));
    if (base.empty() && !host.empty()) {
      base = host.contains("://") ? host : fmt::format("https://{}", host);
      if (server_.provider != "azure") base += "/v1";
    }
    if (base.empty() && !region.empty() && server_.provider == "bedrock")
      base = fmt::format("https://bedrock-runtime.{}.amazonaws.com", region);
    if (base.empty() && server_.provider == "vertex") base = vertex_address(config, region);
    if (server_.provider == "ollama" && !base.empty() && !base.ends_with("/v1"))
      base += base.ends_with('/') ? "v1" : "/v1";
    if (base.empty()) base = server_.base_url;
    if (!base.empty()) out_["base_url"] = base;
  }

  static std::string vertex_address(const Node& config, const std::string& region) {
    const std::string project = with_environment(config.text_of("projectId"));
    if (region.empty() && project.empty()) return {};
    const std::string place = region.empty() ? "${GOOGLE_CLOUD_LOCATION}" : region;
    const std::string host = place == "global" ? "" : place + "-";
    return fmt::format("https://{}aiplatform.googleapis.com/v1/projects/{}/locations/{}/publishers/google",
                       host, project.empty() ? "${GOOGLE_CLOUD_PROJECT}" : project, place);
  }

  // A key that stands in the suite is never copied; the name of a variable is.
  void read_key(const Node& config) {
    const Node key = config.member("apiKey");
    const std::string written = with_environment(key.text());
    std::string variable = config.text_of("apiKeyEnvar");
    if (variable.empty() && written.starts_with("${") && written.find('}') == written.size() - 1)
      variable = written.substr(2, written.size() - 3);
    if (variable.empty() && !server_.base_url.empty()) variable = server_.key;
    if (!variable.empty()) {
      out_["api_key_env"] = variable;
    } else if (key.is_text()) {
      reading_.note(key, "apiKey of " + id_,
                    server_.key.empty()
                        ? "a key is never copied: docs/models.md says which variable it comes from"
                        : fmt::format("a key is never copied; it comes from {}", server_.key));
    }
  }

  void take(const std::string& setting, const Node& value) {
    const auto* const known = std::ranges::find(kSettings, setting, &Setting::theirs);
    if (known != kSettings.end() && put(*known, value)) return;
    if (among(setting, kElsewhere) || take_thinking(setting, value)) return;
    if (setting == "response_format") {
      // A schema is the variant's: providers.cc takes it.
      if (value.text_of("type") == "json_object")
        reading_.leave_out(value, fmt::format("response_format json_object of provider {}", id_),
                           "the prompt asks for JSON, nothing makes sure of it: give the variant's model a "
                           "`schema`");
      return;
    }
    if (is_google() && setting == "generationConfig" && value.is_object()) {
      for (const auto& [inner, own] : value.members()) take(inner, own);
    } else if (among(setting, kWholeMembers) && value.is_object()) {
      for (const auto& [member, own] : value.members()) extra_[member] = own.value();
    } else if (!take_member(setting, value)) {
      reading_.leave_out(value, fmt::format("{} of provider {}", setting, id_),
                         "a model has no such setting here");
    }
  }

  bool put(const Setting& setting, const Node& value) {
    switch (setting.kind) {
      case Kind::number: {
        if (!as_number(value.value())) return false;
        // Reasoning models are asked without: what the suite has for others stands beside it.
        if (reasons() && (setting.ours == "temperature" || setting.theirs == "max_tokens")) return true;
        if (!reasons() && setting.theirs == "max_completion_tokens") return true;
        out_[setting.ours] = value.value();
        return true;
      }
      case Kind::texts: {
        JsonArray texts;
        if (value.is_text()) texts.push_back(value.value());
        for (const Node& one : value.items()) texts.push_back(one.value());
        if (texts.empty()) return false;
        out_[setting.ours] = std::move(texts);
        return true;
      }
      case Kind::text:
        if (!value.is_text()) return false;
        out_[setting.ours] = value.value();
        return true;
      case Kind::headers:
        if (!value.is_object()) return false;
        if (JsonObject headers = headers_of(value, "provider " + id_, reading_); !headers.empty()) {
          // It is JSON in any case.
          std::vector<std::string> needless;
          for (const auto& header : headers) {
            if (equal_ignoring_ascii_case(header.key(), "content-type")) needless.emplace_back(header.key());
          }
          for (const std::string& header : needless) headers.erase(header);
          if (!headers.empty()) out_["headers"] = std::move(headers);
        }
        return true;
    }
    return false;
  }

  bool take_thinking(const std::string& setting, const Node& value) {
    if (setting == "reasoning" && value.member("effort").is_text()) {
      out_["reasoning_effort"] = value.member("effort").value();
      return true;
    }
    if (setting == "thinking" && is_claude() && value.is_object()) {
      const auto budget = as_integer(value.member("budget_tokens").value());
      const bool off = value.text_of("type") == "disabled";
      out_["thinking"] = off ? Json(false) : budget ? Json(*budget) : value.value();
      return true;
    }
    if (setting == "thinkingConfig" && is_google() && value.is_object()) {
      out_["thinking"] = value.value();
      return true;
    }
    return false;
  }

  bool take_member(const std::string& setting, const Node& value) {
    if (is_google()) {
      if (setting == "topK") extra_["generationConfig"] = JsonObject{{"topK", value.value()}};
      if (among(setting, kGoogleMembers)) extra_[setting] = value.value();
      return setting == "topK" || among(setting, kGoogleMembers);
    }
    if (server_.provider == "bedrock" || server_.provider == "ollama") return false;
    const bool known =
        server_.provider == "anthropic" ? among(setting, kAnthropicMembers) : among(setting, kOpenAiMembers);
    if (!known) return false;
    if (responses_ && setting == "verbosity") {
      extra_["text"] = JsonObject{{"verbosity", value.value()}};
    } else {
      extra_[setting] = value.value();
    }
    return true;
  }

  std::string id_;
  const Server& server_;
  bool responses_;
  Reading& reading_;
  JsonObject out_;
  JsonObject extra_;
};

}  // namespace

std::optional<JsonObject> model_settings(const std::string& id, const Node& config, const Node& at,
                                         Reading& reading) {
  const auto not_asked = [&](const std::string& why) {
    reading.leave_out(at, "provider " + id, why);
    return std::nullopt;
  };
  const std::size_t colon = id.find(':');
  const auto* const server = std::ranges::find(kServers, id.substr(0, colon), &Server::word);
  if (server == kServers.end() || colon == std::string::npos)
    return not_asked(
        "this provider has no counterpart; if its server speaks OpenAI's protocol, add it under "
        "`models` with base_url, else call it as `http` or `command`");
  std::string name = id.substr(colon + 1);
  const std::string kind = name.substr(0, name.find(':'));
  const bool has_kind = kind.size() < name.size();
  if (among(kind, kOtherWords)) return not_asked(fmt::format("{} is no chat model", kind));
  const bool wants_responses = kind == "responses" && has_kind;
  if (wants_responses && !server->responses)
    reading.note(at, "provider " + id, "asked by the chat protocol instead of the responses protocol");
  if (wants_responses || (among(kind, kChatWords) && has_kind)) name = name.substr(kind.size() + 1);
  if (server->provider == "vertex" && !name.starts_with("gemini"))
    return not_asked("of Vertex only Gemini's models are asked from here");
  const Silence silence = kind == "converse" ? kLeaves : server->silence;
  return Settings(id, *server, name, wants_responses && server->responses, reading).read(config, silence);
}

}  // namespace assay::promptfoo
