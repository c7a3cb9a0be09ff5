// What a config says about models, prices, limits and connections, turned into what the engine needs.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/environment.h"
#include "engine/runner.h"
#include "models/models.h"
#include "models/prices.h"

namespace assay {

class Connections {
 public:
  // Wrong models or prices become problems.
  Connections(EventLoop& loop, const Config& config, Environment environment,
              std::vector<ConfigProblem>& problems);

  // Each of the named models can be asked: it is known, its key is there, and its price too if there is a
  // budget. Nothing is sent.
  void check_models(const std::vector<std::string>& names, std::vector<ConfigProblem>& problems);
  // Each of these variables is set.
  void check_variables(const std::vector<std::string>& names, std::vector<ConfigProblem>& problems) const;
  Outside outside();
  // Under the model's own name or, if it is an alias, under what that stands for; null if it is unknown.
  const Price* price_of(const std::string& model) const;
  Models& models() { return *models_; }

  // What the models were asked without, because they do not take it: one sentence each.
  std::vector<std::string> notes(const std::vector<std::string>& names);

 private:
  Task<std::expected<Json, ModelFailure>> ask_promptql(const PromptqlQuery& query);

  bool has_budget_ = false;
  std::uint64_t seed_ = 0;
  EventLoop& loop_;
  Environment environment_;
  std::unique_ptr<Models> models_;
  Prices prices_;
};

RunnerOptions runner_options(const Config& config);

}  // namespace assay
