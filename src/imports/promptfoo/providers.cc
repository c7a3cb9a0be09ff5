#include "imports/promptfoo/providers.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "imports/promptfoo/template.h"

namespace assay::promptfoo {
namespace {

// Servers that speak a protocol of ours, by the word before the first colon.
struct Server {
  std::string_view word;
  std::string_view protocol;
  std::string_view base_url;     // "": the provider's own
  std::string_view api_key_env;  // "": the protocol's own
};
constexpr auto kServers = std::to_array<Server>({
    {"openai", "openai", "", ""},
    {"anthropic", "anthropic", "", ""},
    {"ollama", "openai", "http://127.0.0.1:11434/v1", ""},
    {"localai", "openai", "http://127.0.0.1:8080/v1", ""},
    {"openrouter", "openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"},
    {"groq", "openai", "https://api.groq.com/openai/v1", "GROQ_API_KEY"},
    {"mistral", "openai", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"},
    {"deepseek", "openai", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"},
    {"togetherai", "openai", "https://api.together.xyz/v1", "TOGETHER_API_KEY"},
    {"fireworks", "openai", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"},
    {"xai", "openai", "https://api.x.ai/v1", "XAI_API_KEY"},
    {"cerebras", "openai", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"},
});

// Words between the server and the model's name that mean: chat.
constexpr auto kChatWords = std::to_array<std::string_view>({"chat", "messages"});
constexpr auto kOtherWords = std::to_array<std::string_view>(
    {"completion", "embedding", "embeddings", "assistant", "image", "moderation", "realtime", "agents",
     "responses", "transcription", "video", "speech", "codex-sdk", "claude-agent-sdk"});

// Settings of promptfoo's that mean nothing here or are written elsewhere.
constexpr auto kKnownSettings = std::to_array<std::string_view>(
    {"temperature", "max_tokens", "apiBaseUrl", "apiHost", "apiKey", "apiKeyEnvar", "showThinking", "cost",
     "inputCost", "outputCost", "max_completion_tokens"});

constexpr std::size_t kMostProviders = 1000;  // files of providers may name files

constexpr auto kKnownEndpointSettings = std::to_array<std::string_view>(
    {"url", "method", "headers", "body", "transformResponse", "responseParser"});

// Models that are asked without temperature and limit, as promptfoo and their maker have it.
bool reasons(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const std::string_view own = slash == std::string_view::npos ? name : name.substr(slash + 1);
  return own.starts_with("o1") || own.starts_with("o3") || own.starts_with("o4") || own.starts_with("gpt-5");
}

std::optional<Provider> left_out(const Node& at, const std::string& id, const std::string& why,
                                 Reading& reading) {
  reading.leave_out(at, "provider " + id, why);
  return std::nullopt;
}

void add_number(JsonObject& settings, std::string_view key, const Node& value) {
  if (as_number(value.value())) settings[key] = value.value();
}

std::optional<Provider> model_provider(const std::string& id, const Node& config, const Node& at,
                                       Reading& reading) {
  const std::size_t colon = id.find(':');
  const std::string word = id.substr(0, colon);
  const auto server = std::ranges::find(kServers, word, &Server::word);
  if (server == kServers.end() || colon == std::string::npos)
    return left_out(at, id,
                    "this provider has no counterpart; if its server speaks OpenAI's protocol, add it under "
                    "`models` with base_url, else call it as `http` or `command`",
                    reading);
  std::string name = id.substr(colon + 1);
  const std::string kind = name.substr(0, name.find(':'));
  if (among(kind, kChatWords) && kind.size() < name.size()) {
    name = name.substr(kind.size() + 1);
  } else if (among(kind, kOtherWords)) {
    if (kind != "responses" || kind.size() >= name.size())
      return left_out(at, id, fmt::format("{} is no chat model", kind), reading);
    name = name.substr(kind.size() + 1);
    reading.note(at, "provider " + id, "asked by the chat protocol instead of the responses protocol");
  }
  JsonObject settings = {{"provider", std::string(server->protocol)}, {"name", name}};
  std::string base = with_environment(config.text_of("apiBaseUrl"));
  if (base.empty() && config.member("apiHost").is_text())
    base = fmt::format("https://{}/v1", with_environment(config.text_of("apiHost")));
  if (word == "ollama" && !base.empty() && !base.ends_with("/v1")) base += base.ends_with('/') ? "v1" : "/v1";
  if (base.empty()) base = server->base_url;
  if (!base.empty()) settings["base_url"] = base;
  std::string key = config.text_of("apiKeyEnvar");
  if (key.empty()) key = server->api_key_env;
  if (!key.empty()) settings["api_key_env"] = key;
  if (config.member("apiKey").is_text() && key.empty())
    reading.note(config.member("apiKey"), "apiKey of " + id,
                 fmt::format("a key is never copied; it comes from {}",
                             server->protocol == "openai" ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY"));
  // What promptfoo sends where the suite is silent: without it the same model would answer differently.
  if (!reasons(name)) {
    if (word != "ollama") {
      settings["temperature"] = 0;
      settings["max_tokens"] = 1024;
    }
    add_number(settings, "temperature", config.member("temperature"));
    add_number(settings, "max_tokens", config.member("max_tokens"));
  } else {
    add_number(settings, "max_tokens", config.member("max_completion_tokens"));
  }
  for (const auto& [setting, value] : config.members()) {
    if (!among(setting, kKnownSettings))
      reading.leave_out(value, fmt::format("{} of provider {}", setting, id),
                        "a model has no such setting here");
  }
  Provider out;
  out.kind = Provider::Kind::model;
  out.settings = std::move(settings);
  return out;
}

std::optional<Provider> http_provider(const std::string& id, const Node& config, const Node& at,
                                      Reading& reading) {
  const std::string url = config.member("url").is_text() ? config.text_of("url") : id;
  if (config.member("request").present())
    return left_out(at, id, "a raw HTTP request is not read; write url, method, headers and body", reading);
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    return left_out(at, id, "it has no url", reading);
  JsonObject http = {{"url", with_environment(url)}};
  const std::string method = upper_ascii(config.text_of("method"));
  if (!method.empty()) http["method"] = method;
  if (config.member("headers").is_object()) {
    JsonObject headers;
    for (const auto& [name, value] : config.member("headers").members())
      headers[name] = with_environment(text_or_json(value.value()));
    http["headers"] = std::move(headers);
  }
  if (config.member("body").present()) http["body"] = config.member("body").value();
  Provider out;
  out.kind = Provider::Kind::http;
  const Node transform = config.member("transformResponse").present() ? config.member("transformResponse")
                                                                      : config.member("responseParser");
  if (transform.present() && transform.text() != "text") {
    const auto pointer = pointer_of_path(transform.text());
    if (!pointer)
      return left_out(
          transform, id,
          "its transformResponse is a program; name the place as a JSON pointer: map: {output: /…}", reading);
    out.output_pointer = *pointer;
  }
  for (const auto& [setting, value] : config.members()) {
    if (!among(setting, kKnownEndpointSettings))
      reading.leave_out(value, fmt::format("{} of provider {}", setting, id),
                        "an endpoint has no such setting here");
  }
  out.settings = std::move(http);
  return out;
}

std::optional<Provider> command_provider(const std::string& id, const Node& at, Reading& reading) {
  JsonArray words;
  const std::string_view line = trim(std::string_view(id).substr(5));
  if (line.find_first_of("\"'\\|<>&;$`") != std::string_view::npos)
    return left_out(at, id, "a line for a shell; put it into a script and name that", reading);
  for (const std::string_view word : split(line, ' ')) {
    if (!word.empty()) words.emplace_back(std::string(word));
  }
  if (words.empty()) return left_out(at, id, "it names no program", reading);
  reading.note(at, "provider " + id,
               "the program is given the prompt as its last argument, without promptfoo's options and "
               "context behind it");
  Provider out;
  out.kind = Provider::Kind::command;
  out.settings = std::move(words);
  return out;
}

}  // namespace

std::optional<std::string> pointer_of_path(std::string_view expression) {
  std::string_view rest = trim(expression);
  for (const std::string_view head : {"(json) =>", "json =>", "return "}) {
    if (rest.starts_with(head)) rest = trim(rest.substr(head.size()));
  }
  if (rest.ends_with(';')) rest = trim(rest.substr(0, rest.size() - 1));
  if (!rest.starts_with("json")) return std::nullopt;
  rest.remove_prefix(4);
  std::string pointer;
  while (!rest.empty()) {
    if (rest.starts_with("?.")) rest.remove_prefix(rest.starts_with("?.[") ? 2 : 1);
    if (rest.front() == '.') {
      std::size_t end = 1;
      while (end < rest.size() && is_name(rest.substr(end, 1))) ++end;
      if (end == 1) return std::nullopt;
      pointer += "/" + std::string(rest.substr(1, end - 1));
      rest.remove_prefix(end);
    } else if (rest.front() == '[') {
      const std::size_t close = rest.find(']');
      if (close == std::string_view::npos || close < 2) return std::nullopt;
      std::string_view key = rest.substr(1, close - 1);
      if (key.size() > 2 && (key.front() == '"' || key.front() == '\'')) key = key.substr(1, key.size() - 2);
      if (!is_name(key)) return std::nullopt;
      pointer += "/" + std::string(key);
      rest.remove_prefix(close + 1);
    } else {
      return std::nullopt;
    }
  }
  return pointer;
}

std::optional<Provider> read_provider(const Node& provider, Reading& reading) {
  Node config;
  std::string id = provider.text();
  if (provider.is_object()) {
    id = provider.text_of("id");
    config = provider.member("config");
    // The short form: {"openai:gpt-4o": {config…}}.
    const auto members = provider.members();
    if (id.empty() && members.size() == 1) {
      id = members.front().first;
      config = members.front().second.member("config").present() ? members.front().second.member("config")
                                                                 : members.front().second;
    }
  }
  std::optional<Provider> out;
  if (id.empty()) {
    return left_out(provider, "without an id", "it cannot be told what is asked", reading);
  } else if (id == "echo") {
    out.emplace().kind = Provider::Kind::echo;
  } else if (id.starts_with("exec:")) {
    out = command_provider(id, provider, reading);
  } else if (id == "http" || id == "https" || id.starts_with("http://") || id.starts_with("https://")) {
    out = http_provider(id, config, provider, reading);
  } else if (!file_of(id).empty() || id.starts_with("python:") || id.starts_with("javascript:")) {
    return left_out(provider, id,
                    "a provider that is a program of promptfoo's; call your own as `command`, which gets the "
                    "case as JSON on stdin",
                    reading);
  } else {
    out = model_provider(id, config, provider, reading);
  }
  if (!out) return out;
  if (provider.member("transform").present())
    reading.leave_out(provider.member("transform"), "transform of provider " + id,
                      "outputs are looked at as they came; a JSON pointer in `of` takes a part");
  out->id = id;
  out->label = provider.text_of("label");
  out->at = provider;
  for (const Node& prompt : provider.member("prompts").items()) out->prompts.push_back(prompt.text());
  return out;
}

std::vector<Provider> read_providers(const Node& providers, Reading& reading) {
  std::vector<Node> entries = providers.items();
  if (providers.is_text() || providers.is_object()) entries = {providers};
  std::vector<Provider> out;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < entries.size() && i < kMostProviders; ++i) {
    const Node entry = entries[i];
    // A file with one provider or several.
    const std::string path = file_of(entry.text());
    const std::string end = extension_of(path);
    if (end == ".yaml" || end == ".yml" || end == ".json") {
      const auto content = reading.files.read(path);
      const auto document = content ? read_document(path, *content) : fail(content.error());
      if (!document) {
        reading.leave_out(entry, "provider " + path, document.error().text());
      } else if (document->is_list()) {
        for (const Node& one : document->items()) entries.push_back(one);
      } else {
        entries.push_back(*document);
      }
      continue;
    }
    auto provider = read_provider(entry, reading);
    if (!provider) continue;
    const std::string name_of_model = text_at(provider->settings, "name");
    const std::string wanted = !provider->label.empty() ? provider->label
                               : !name_of_model.empty() ? name_of_model
                                                        : provider->id;
    provider->name = unique_name(plain_name(wanted, fmt::format("provider_{}", out.size() + 1)), names);
    out.push_back(std::move(*provider));
  }
  return out;
}

}  // namespace assay::promptfoo
