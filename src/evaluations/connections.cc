#include "evaluations/connections.h"

#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "models/endpoint.h"
#include "models/sim/model.h"
#include "models/sim/promptql.h"

namespace assay {
namespace {

HttpClientOptions client_options(const Config& config) {
  HttpClientOptions options;
  options.proxy = config.text("http.proxy");
  options.ca_file = config.text("http.ca_file");
  return options;
}

// Names that are known without being declared; a declaration takes their place.
constexpr std::pair<std::string_view, std::string_view> kBuiltIn[] = {
    {"claude", "anthropic/claude-sonnet-4-5"}, {"o1", "openai/o1"}, {"o3-mini", "openai/o3-mini"}};

ModelAliases aliases_of(const Config& config) {
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
    spec.timeout = entry.has("timeout") ? entry.duration("timeout") : config.duration("limits.timeout");
    spec.idle_timeout = config.duration("limits.idle_timeout");
    aliases.insert_or_assign(name, std::move(spec));
  }
  return aliases;
}

}  // namespace

Connections::Connections(EventLoop& loop, const Config& config, Environment environment,
                         std::vector<ConfigProblem>& problems)
    : has_budget_(config.has("budget.usd")),
      seed_(static_cast<std::uint64_t>(config.integer("seed").value_or(0))),
      loop_(loop),
      environment_(std::move(environment)) {
  models_ = std::make_unique<Models>(
      loop, aliases_of(config), environment_,
      [seed = seed_](const ModelSpec& spec) { return SimModel::make(spec.name, {.seed = seed}); },
      client_options(config));
  models_->set_timeouts({config.duration("limits.timeout"), config.duration("limits.idle_timeout")});
  if (const Json* given = config.find("prices")) {
    auto prices = Prices::from_json(*given);
    if (prices) {
      prices_ = std::move(*prices);
    } else {
      problems.push_back({"config", "prices", prices.error().text()});
    }
  }
}

void Connections::check_models(const std::vector<std::string>& names, std::vector<ConfigProblem>& problems) {
  for (const std::string& name : names) {
    auto model = models_->find(name);
    if (!model) {
      problems.push_back({"config", "model", model.error().text()});
      continue;
    }
    if (has_budget_ && price_of(name) == nullptr) {
      problems.push_back({"config", "budget.usd",
                          fmt::format("cannot be kept: there is no price for {} under `prices`", name)});
    }
    if (auto ready = (*model)->ready(); !ready)
      problems.push_back({"environment", name, ready.error().text()});
  }
}

void Connections::check_variables(const std::vector<std::string>& names,
                                  std::vector<ConfigProblem>& problems) const {
  for (const std::string& name : names) {
    if (!environment_(name))
      problems.push_back({"environment", name, "is not set, and a key is needed there"});
  }
}

std::vector<std::string> Connections::notes(const std::vector<std::string>& names) {
  std::vector<std::string> list;
  for (const std::string& name : names) {
    auto model = models_->find(name);
    if (!model) continue;
    for (const std::string& note : (*model)->notes()) list.push_back(fmt::format("{}: {}", name, note));
  }
  return list;
}

const Price* Connections::price_of(const std::string& model) const {
  if (const Price* price = prices_.find(model)) return price;
  const auto spec = models_->resolve(model);
  return spec ? prices_.find(fmt::format("{}/{}", spec->provider, spec->name)) : nullptr;
}

Outside Connections::outside() {
  return {loop_,
          models_->client(),
          [this](const std::string& name) { return models_->find(name); },
          [this](const Usage& usage, const std::string& model) -> std::optional<std::int64_t> {
            const Price* price = price_of(model);
            return price != nullptr ? std::optional(cost_of(usage, *price).picodollars) : std::nullopt;
          },
          environment_,
          [this](const PromptqlQuery& query) { return ask_promptql(query); }};
}

Task<std::expected<Json, ModelFailure>> Connections::ask_promptql(const PromptqlQuery& query) {
  if (query.url == "sim") co_return sim::promptql_reply(query.body, {.seed = seed_});
  co_return co_await query_promptql(models_->client(), query, environment_);
}

Result<ModelSpec> declared_model(const Config& config, std::string_view name) {
  const ModelAliases aliases = aliases_of(config);
  const auto found = aliases.find(name);
  return found != aliases.end() ? Result<ModelSpec>(found->second) : parse_model_name(name);
}

RunnerOptions runner_options(const Config& config) {
  RunnerOptions options;
  options.limits.concurrency = static_cast<int>(config.integer("limits.concurrency").value_or(64));
  options.limits.requests_per_minute = config.number("limits.requests_per_minute");
  options.limits.tokens_per_minute = config.number("limits.tokens_per_minute");
  options.tries = static_cast<int>(config.integer("limits.attempts").value_or(5));
  options.same_failures_to_stop = static_cast<int>(config.integer("limits.same_failures").value_or(10));
  options.budget_usd = config.number("budget.usd");
  options.seed = static_cast<std::uint64_t>(config.integer("seed").value_or(0));
  options.reuse_directory = config.text("reuse");
  return options;
}

}  // namespace assay
