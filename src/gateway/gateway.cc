#include "gateway/gateway.h"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/secrets/literal_secrets.h"
#include "models/declared.h"
#include "models/embeddings.h"
#include "models/providers/provider.h"
#include "models/windows.h"
#include "sim/model.h"
#include "sim/protocols/promptql.h"

namespace assay {
namespace {

constexpr int kMostThreads = 256;
constexpr int kMostInBatches = 1'000'000;

std::vector<std::string_view> providers_with_batches() {
  std::vector<std::string_view> names;
  for (const Provider& provider : providers()) {
    if (provider.batches != nullptr) names.push_back(provider.name);
  }
  return names;
}

int bounded(std::optional<std::int64_t> value, int otherwise) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp<std::int64_t>(value.value_or(otherwise), 0, kMost));
}

// As many as there are cores, where the config does not say, but none that would have no request in flight; a
// machine that does not tell has one.
int threads_of(const Config& config, int concurrency) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(bounded(config.integer("threads"), std::min(cores, concurrency)), 1, kMostThreads);
}

// One asks for more at a time, however that ends.
class Drawing {
 public:
  explicit Drawing(bool& now) : now_(now) { now_ = true; }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing() { now_ = false; }

 private:
  bool& now_;
};

}  // namespace

GatewaySettings gateway_settings(const Config& config) {
  GatewaySettings settings;
  settings.limits.concurrency = bounded(config.integer("limits.concurrency"), 64);
  settings.limits.requests_per_minute = config.number("limits.requests_per_minute");
  settings.limits.tokens_per_minute = config.number("limits.tokens_per_minute");
  settings.tries = bounded(config.integer("limits.attempts"), 5);
  settings.same_failures_to_stop = bounded(config.integer("limits.same_failures"), 10);
  if (config.boolean("limits.batch")) {
    settings.batch = BatchOptions{.most_requests = static_cast<std::size_t>(
                                      std::max(1, bounded(config.integer("limits.batch_size"), 10'000))),
                                  .wait = config.duration("limits.batch_wait"),
                                  .poll = config.duration("limits.batch_poll"),
                                  .tries = settings.tries};
  }
  settings.budget_usd = config.number("budget.usd");
  settings.seed = static_cast<std::uint64_t>(config.integer("seed").value_or(0));
  settings.threads = threads_of(config, settings.limits.concurrency);
  return settings;
}

// Of a variable with a telling name the value is secret, of an address what stands in it; other values may be
// any word.
Environment Gateway::noting(Environment inner) {
  return [this, inner = std::move(inner)](std::string_view name) {
    auto value = inner(name);
    if (!value) return value;
    if (value->contains("://")) {
      add_url_secrets(*value, secrets_);
    } else if (names_secret(name)) {
      secrets_.add(*value);
    }
    return value;
  };
}

void Gateway::read_client_options(const Config& config, std::vector<ConfigProblem>& problems) {
  auto proxy = fill_environment(config.text("http.proxy"), environment_);
  if (proxy) {
    client_options_.proxy = std::move(*proxy);
  } else {
    problems.push_back({"environment", "http.proxy", proxy.error().text()});
  }
  client_options_.ca_file = config.text("http.ca_file");
  if (!client_options_.ca_file.empty() && !file_exists(client_options_.ca_file))
    problems.push_back(
        {"config", "http.ca_file", fmt::format("there is no file {}", client_options_.ca_file)});
  // The branches share what one process may have open and hold.
  const auto threads = static_cast<std::size_t>(settings_.threads);
  client_options_.max_connections = std::max<std::size_t>(1, client_options_.max_connections / threads);
  client_options_.max_arriving /= threads;
  client_options_.clients = threads;
}

Gateway::Gateway(EventLoop& loop, const Config& config, Environment environment,
                 std::vector<ConfigProblem>& problems)
    : loop_(loop),
      settings_(gateway_settings(config)),
      environment_(noting(std::move(environment))),
      budget_(settings_.budget_usd ? std::optional(picousd(*settings_.budget_usd)) : std::nullopt) {
  add_secrets_of(config.values(), literals_);
  add_secrets_of(config.values(), secrets_);
  for (const std::string& value : config.filled_secrets()) {
    literals_.add(value);
    secrets_.add(value);
  }
  aliases_ = declared_models(config);
  for (const auto& [name, spec] : aliases_) {
    if (!spec.api_key_env.empty()) secrets_.add(environment_(spec.api_key_env).value_or(""));
  }
  // libcurl reads these by itself.
  for (const std::string_view name :
       {"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}) {
    if (const auto proxy = environment_(name)) add_url_secrets(*proxy, secrets_);
  }
  read_client_options(config, problems);
  timeouts_ = {config.duration("limits.timeout"), config.duration("limits.idle_timeout")};
  branches_.push_back(std::make_unique<Branch>(loop, models_on(loop)));
  if (const Json* given = config.find("prices")) {
    auto prices = Prices::from_json(*given);
    if (prices) {
      prices_ = std::move(*prices);
    } else {
      problems.push_back({"config", "prices", prices.error().text()});
    }
  }
}

Gateway::~Gateway() = default;

std::unique_ptr<Models> Gateway::models_on(EventLoop& loop) {
  auto models = std::make_unique<Models>(
      loop, aliases_, environment_,
      [seed = settings_.seed](const ModelSpec& spec) { return SimModel::make(spec.name, {.seed = seed}); },
      client_options_);
  models->set_timeouts(timeouts_);
  models->set_note_secret([&secrets = secrets_](std::string_view secret) { secrets.add(secret); });
  return models;
}

std::span<const std::unique_ptr<Branch>> Gateway::branches() {
  while (branches_.size() < static_cast<std::size_t>(settings_.threads))
    branches_.push_back(std::make_unique<Branch>([this](EventLoop& loop) { return models_on(loop); }));
  return branches_;
}

void Gateway::check_models(const std::vector<std::string>& names, std::vector<ConfigProblem>& problems) {
  for (const std::string& name : names) {
    auto model = models().find(name);
    if (!model) {
      problems.push_back({"config", "model", model.error().text()});
      continue;
    }
    if (settings_.budget_usd && price_of(name) == nullptr) {
      problems.push_back({"config", "budget.usd",
                          fmt::format("cannot be kept: there is no price for {} under `prices`", name)});
    }
    if (settings_.batch && (*model)->batched() == nullptr) {
      problems.push_back({"config", "limits.batch",
                          fmt::format("{} has no batch API that is spoken here; batches are for models of {}",
                                      name, fmt::join(providers_with_batches(), " and "))});
    }
    if (auto ready = (*model)->ready(); !ready)
      problems.push_back({"environment", name, ready.error().text()});
  }
}

void Gateway::check_embeddings(const std::vector<std::string>& names, std::vector<ConfigProblem>& problems) {
  for (const std::string& name : names) {
    auto model = models().find(name);
    if (model && (*model)->embedding() == nullptr)
      problems.push_back({"config", "model", no_embeddings(name).message});
  }
}

void Gateway::check_variables(const std::vector<std::string>& names,
                              std::vector<ConfigProblem>& problems) const {
  for (const std::string& name : names) {
    if (!environment_(name))
      problems.push_back({"environment", name, "is not set, and the config takes a value from it"});
  }
}

Result<std::string> Gateway::filled_address(const std::string& address) {
  auto filled = fill_environment(address, environment_);
  if (filled && filled->contains("://")) add_url_secrets(*filled, secrets_);
  return filled;
}

std::vector<std::string> Gateway::notes(const std::vector<std::string>& names) {
  std::vector<std::string> list;
  for (const std::string& name : names) {
    std::set<std::string> notes;  // each branch learns for itself
    for (const auto& branch : branches_) {
      auto model = branch->models().find(name);
      if (!model) continue;
      for (std::string& note : (*model)->notes()) notes.insert(std::move(note));
    }
    const std::lock_guard lock(guessed_mutex_);
    if (guessed_.contains(name))
      notes.insert(
          "some of its tokens came from the provider's cache, and `prices` has no `cached` for it: they are "
          "charged as others, so the cost is too high");
    for (const std::string& note : notes) list.push_back(fmt::format("{}: {}", name, note));
  }
  return list;
}

const Price* Gateway::price_of(const std::string& model) const {
  if (const Price* price = prices_.find(model)) return price;
  const auto spec = models().resolve(model);
  return spec ? prices_.find(fmt::format("{}/{}", spec->provider, spec->name)) : nullptr;
}

std::optional<std::int64_t> Gateway::window_of(const std::string& model) const {
  const auto spec = models().resolve(model);
  return spec ? known_window(spec->name) : std::nullopt;
}

std::optional<std::int64_t> Gateway::cost(const Usage& usage, const std::string& model, Tariff tariff) {
  const Price* price = price_of(model);
  if (price == nullptr) return std::nullopt;
  if (price->cached_is_guessed && usage.cached_tokens > 0) {
    const std::lock_guard lock(guessed_mutex_);
    guessed_.insert(model);
  }
  return cost_of(usage, *price, tariff).picodollars;
}

Outside Gateway::outside(Branch& branch, Toolbox& tools, Programs& programs) {
  return {branch.loop(),
          branch.models().client(),
          branch.models(),
          tools,
          programs,
          environment_,
          secrets_,
          literals_,
          [this](const Usage& usage, const std::string& model, Tariff tariff) {
            return cost(usage, model, tariff);
          },
          [this](const PromptqlQuery& query) { return ask_promptql(query); },
          settings_.tries,
          settings_.batch.has_value()};
}

Limiter& Gateway::limiter(const Terms& terms) {
  auto& [limiter, most_at_once] = limiters_[terms.lane];
  if (!limiter) {
    most_at_once = terms.most_at_once;
    LimitOptions limits = limits_of(most_at_once);
    // What is handed in waits for its batch, and not in a line.
    if (terms.tariff == Tariff::batch) limits = {.concurrency = kMostInBatches};
    limiter = std::make_unique<Limiter>(loop_, limits);
  }
  return *limiter;
}

int Gateway::at_once(const LimitShare& share, int most_at_once) const {
  return std::max(1, share.of(std::min(settings_.limits.concurrency, most_at_once)));
}

LimitOptions Gateway::limits_of(int most_at_once) const {
  LimitOptions limits = settings_.limits;
  limits.concurrency = at_once(share_, most_at_once);
  const double parts = share_.parts;
  if (limits.requests_per_minute) *limits.requests_per_minute /= parts;
  if (limits.tokens_per_minute) *limits.tokens_per_minute /= parts;
  return limits;
}

void Gateway::take_share(const LimitShare& share) {
  if (share.parts == share_.parts && share.place == share_.place) return;
  share_ = share;
  for (auto& [lane, kept] : limiters_) kept.limiter->change(limits_of(kept.most_at_once));
}

bool Gateway::keeps_to(const LimitShare& share) const {
  return std::ranges::all_of(limiters_, [&](const auto& lane) {
    const auto& [limiter, most_at_once] = lane.second;
    return limiter->in_flight() <= at_once(share, most_at_once);
  });
}

void Gateway::draw_from(BudgetSource* source) {
  source_ = source;
  if (source_ != nullptr) budget_.begin_with_nothing();
}

Task<Result<bool>> Gateway::reserve(std::int64_t expected) {
  constexpr std::chrono::milliseconds kWhileAnotherAsks(2);
  for (;;) {
    if (budget_.reserve(expected)) co_return true;
    if (source_ == nullptr) co_return false;
    if (drawing_) {
      co_await loop_.sleep(kWhileAnotherAsks);
      continue;
    }
    const Drawing drawing(drawing_);
    auto more = co_await source_->more(expected);
    if (!more) co_return fail(std::move(more.error()));
    if (*more <= 0) co_return false;
    budget_.raise(*more);
  }
}

Circuit& Gateway::circuit(const Terms& terms) {
  return circuits_
      .try_emplace(fmt::format("{} {}", terms.lane, terms.whom), settings_.same_failures_to_stop,
                   terms.behind)
      .first->second;
}

Task<std::expected<Json, ModelFailure>> Gateway::ask_promptql(const PromptqlQuery& query) {
  if (query.url == "sim") {
    Json reply = sim::promptql_reply(query.body, {.seed = settings_.seed});
    sim::sign_promptql(reply);
    co_return reply;
  }
  co_return co_await query_promptql(models().client(), query, environment_);
}

}  // namespace assay
