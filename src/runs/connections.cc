#include "runs/connections.h"

#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "models/declared.h"
#include "models/endpoint.h"
#include "sim/model.h"
#include "sim/protocols/promptql.h"

namespace assay {
namespace {

HttpClientOptions client_options(const Config& config) {
  HttpClientOptions options;
  options.proxy = config.text("http.proxy");
  options.ca_file = config.text("http.ca_file");
  return options;
}

}  // namespace

Connections::Connections(EventLoop& loop, const Config& config, Environment environment,
                         std::vector<ConfigProblem>& problems)
    : has_budget_(config.has("budget.usd")),
      seed_(static_cast<std::uint64_t>(config.integer("seed").value_or(0))),
      loop_(loop),
      environment_(std::move(environment)) {
  models_ = std::make_unique<Models>(
      loop, declared_models(config), environment_,
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
