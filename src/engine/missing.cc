#include "engine/missing.h"

#include <set>
#include <string>

#include "core/environment.h"

namespace assay {

void add_missing(const CaseWork& work, const Config& config, std::vector<ConfigProblem>& problems) {
  if (config.has("queue")) return;
  const Environment environment = process_environment();
  const std::vector<std::string> names = work.variables();
  for (const std::string& name : std::set<std::string>(names.begin(), names.end())) {
    if (!environment(name))
      problems.push_back({"environment", name, "is not set, and the config takes a value from it"});
  }
  for (const auto& [key, words] : work.not_found()) problems.push_back({"config", key, words});
}

}  // namespace assay
