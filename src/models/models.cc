#include "models/models.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "models/providers/provider.h"

namespace assay {

Models::Models(EventLoop& loop, ModelAliases aliases, Environment environment, SimFactory sim,
               HttpClientOptions options)
    : aliases_(std::move(aliases)),
      environment_(std::move(environment)),
      sim_(std::move(sim)),
      client_(loop, std::move(options)) {}

Models::~Models() = default;

Result<ModelSpec> Models::resolve(std::string_view name) const {
  if (const auto alias = aliases_.find(name); alias != aliases_.end()) return alias->second;
  auto spec = parse_model_name(name);
  if (spec) {
    spec->timeout = timeouts_.total;
    spec->idle_timeout = timeouts_.idle;
    return spec;
  }
  std::vector<std::string_view> known;
  for (const auto& [alias, unused] : aliases_) known.push_back(alias);
  std::string message = fmt::format("unknown model \"{}\"", name);
  if (const auto meant = nearest(name, known)) message += fmt::format(" (did you mean {}?)", *meant);
  message += known.empty() ? "; no aliases are declared under models:"
                           : fmt::format("; aliases declared under models: {}", fmt::join(known, ", "));
  message += fmt::format("; or write PROVIDER/NAME with one of the providers {}",
                         fmt::join(known_providers(), ", "));
  return fail(ErrorKind::config, std::move(message));
}

Result<ChatModel*> Models::find(std::string_view name) {
  auto spec = resolve(name);
  if (!spec) return fail(std::move(spec).error());
  const auto known = std::ranges::find(built_, *spec, &Built::spec);
  if (known != built_.end()) return known->model.get();
  auto model = build(*spec);
  if (!model) return fail(std::move(model).error().with("model", std::string(name)));
  built_.push_back({std::move(*spec), std::move(*model)});
  return built_.back().model.get();
}

Result<const Models::Asked*> Models::asked(std::string_view name) {
  if (const auto known = asked_.find(name); known != asked_.end()) return known->second.get();
  auto model = find(name);
  if (!model) return fail(std::move(model).error());
  ModelIdentity identity = (*model)->identity();
  std::string who = fmt::format("{}/{}", identity.provider, identity.name);
  if (!identity.base_url.empty()) who += fmt::format(" at {}", identity.base_url);
  if (!identity.structured.empty()) who += fmt::format(", structured by {}", identity.structured);
  if (!identity.settings.empty()) who += fmt::format(", with {}", identity.settings);
  std::string lane = (*model)->limit_key();
  const auto spec = resolve(name);
  if (spec->concurrency) lane += fmt::format(" as {}", name);
  auto& slot = asked_[std::string(name)];
  slot = std::unique_ptr<Asked>(new Asked{**model, std::move(identity), std::move(who), std::move(lane),
                                          spec->concurrency, spec->max_tokens});
  return slot.get();
}

Result<std::unique_ptr<ChatModel>> Models::build(const ModelSpec& spec) {
  const Provider* provider = find_provider(spec.provider);
  if (provider == nullptr) {
    return fail(ErrorKind::config, fmt::format("unknown provider \"{}\"; known providers: {}", spec.provider,
                                               fmt::join(known_providers(), ", ")));
  }
  if (provider->wire != nullptr) {
    auto model = HttpModel::make(spec, *provider, client_, environment_, note_secret_);
    if (!model) return fail(std::move(model).error());
    return std::move(*model);
  }
  Result<std::unique_ptr<ChatModel>> model = nullptr;
  if (sim_) model = sim_(spec);
  if (!model) return model;
  if (!*model) return fail(ErrorKind::config, fmt::format("there is no simulated model \"{}\"", spec.name));
  return model;
}

}  // namespace assay
