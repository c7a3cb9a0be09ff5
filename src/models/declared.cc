#include "models/declared.h"

#include <utility>

#include <boost/json/object.hpp>

namespace assay {
namespace {

// Names that are known without being declared; a declaration takes their place.
constexpr std::pair<std::string_view, std::string_view> kBuiltIn[] = {
    {"claude", "anthropic/claude-sonnet-4-5"}, {"o1", "openai/o1"}, {"o3-mini", "openai/o3-mini"}};

// What is no map of names becomes a name that no header has, which whoever builds the model tells.
std::vector<std::pair<std::string, std::string>> named_texts(const Json& value) {
  std::vector<std::pair<std::string, std::string>> texts;
  if (const JsonObject* map = value.if_object()) {
    for (const auto& member : *map) texts.emplace_back(member.key(), text_or_json(member.value()));
  } else {
    texts.emplace_back(excerpt(value), "");
  }
  return texts;
}

}  // namespace

ModelAliases declared_models(const Config& config) {
  ModelAliases aliases;
  for (const auto& [name, model] : kBuiltIn) {
    ModelSpec spec = *parse_model_name(model);
    spec.timeout = config.duration("limits.timeout");
    spec.idle_timeout = config.duration("limits.idle_timeout");
    aliases.emplace(name, std::move(spec));
  }
  const Json* models = config.find("models");
  if (models == nullptr) return aliases;
  for (const auto& [name, value] : models->get_object()) {
    const Config entry(value.get_object());
    ModelSpec spec;
    spec.provider = entry.text("provider");
    spec.name = entry.text("name");
    spec.base_url = entry.text("base_url");
    spec.api_key_env = entry.text("api_key_env");
    if (const auto tokens = entry.integer("max_tokens")) spec.max_tokens = static_cast<int>(*tokens);
    spec.temperature = entry.number("temperature");
    spec.structured = entry.text("structured");
    spec.stream = entry.boolean("stream");
    spec.top_p = entry.number("top_p");
    spec.seed = entry.integer("seed");
    spec.stop = entry.texts("stop");
    spec.api = entry.text("api");
    spec.reasoning_effort = entry.text("reasoning_effort");
    if (const Json* thinking = entry.find("thinking")) spec.thinking = *thinking;
    if (const Json* extra = entry.find("extra")) spec.extra = *extra;
    if (const Json* headers = entry.find("headers")) spec.headers = named_texts(*headers);
    spec.api_key_command = entry.texts("api_key_command");
    if (const auto most = entry.integer("concurrency")) spec.concurrency = static_cast<int>(*most);
    spec.timeout = entry.has("timeout") ? entry.duration("timeout") : config.duration("limits.timeout");
    spec.idle_timeout = config.duration("limits.idle_timeout");
    aliases.insert_or_assign(name, std::move(spec));
  }
  return aliases;
}

Result<ModelSpec> declared_model(const Config& config, std::string_view name) {
  const ModelAliases aliases = declared_models(config);
  const auto found = aliases.find(name);
  return found != aliases.end() ? Result<ModelSpec>(found->second) : parse_model_name(name);
}

}  // namespace assay
