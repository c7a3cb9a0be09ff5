#include "runs/changes.h"

#include <set>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/secrets/literal_secrets.h"
#include "core/sha256.h"
#include "core/yaml.h"
#include "runs/plan.h"

namespace assay {
namespace {

std::vector<std::string> changed_keys(const std::string& before_text, const std::string& now_text) {
  std::vector<std::string> changed;
  const auto before = parse_json(before_text);
  const auto now = parse_json(now_text);
  if (!before || !now || !before->is_object() || !now->is_object()) return {"config"};
  std::set<std::string> names;
  for (const auto& [key, value] : before->get_object()) names.emplace(key);
  for (const auto& [key, value] : now->get_object()) names.emplace(key);
  for (const std::string& name : names) {
    const Json* a = find_member(*before, name);
    const Json* b = find_member(*now, name);
    if (a == nullptr || b == nullptr || canonical_text(*a) != canonical_text(*b)) changed.push_back(name);
  }
  return changed;
}

}  // namespace

std::string deciding_config(const Config& config, const Evaluation& evaluation) {
  JsonObject deciding;
  for (const auto& [name, print] : evaluation.prompts()) deciding.emplace("text " + name, print);
  for (const auto& [path, text] : config.plan_texts().all())
    deciding.emplace("file " + path, hex(sha256(text)).substr(0, 16));
  for (const auto& [key, value] : config.deciding()) deciding.emplace(key, value);
  // Of the models that are declared, those that are asked.
  if (const Json* declared = deciding.if_contains("models"); declared != nullptr && declared->is_object()) {
    JsonObject asked;
    for (const std::string& name : evaluation.models()) {
      if (const Json* model = find_member(*declared, name)) asked.emplace(name, *model);
    }
    deciding["models"] = std::move(asked);
  }
  return canonical_text(without_secrets(deciding));
}

Status check_unchanged(const RunIdentity& begun, const RunIdentity& now, const std::string& directory) {
  const auto changed = changed_keys(begun.config, now.config);
  if (!changed.empty()) {
    return fail(Error{
        ErrorKind::changed,
        fmt::format("this run began with another config: {} changed; put it back, or start a new run with "
                    "--reuse {} to keep the answers that still fit",
                    fmt::join(changed, ", "), directory),
        {{"directory", directory}}});
  }
  if (begun.data_hash != now.data_hash) {
    return fail(Error{
        ErrorKind::changed,
        fmt::format("the data changed since the run began; put them back, or start a new run with --reuse {} "
                    "to keep the answers that still fit",
                    directory),
        {{"file", now.data_path}}});
  }
  return {};
}

std::optional<CaseChoice> kept_choice(const std::string& directory) {
  const auto text = read_file(directory + "/config.yaml");
  const auto config = text ? parse_yaml(*text) : Result<YamlDocument>(fail(text.error()));
  if (!config || !config->value.is_object()) return std::nullopt;
  return case_choice(Config(config->value.get_object()));
}

Status check_covered(const CaseChoice& now, const CaseChoice& before, const std::string& directory) {
  if (covers(now, before)) return {};
  const auto words = [](const CaseChoice& choice) {
    std::string all = choice.limit ? fmt::format("limit {}", *choice.limit) : std::string();
    if (!choice.only.empty())
      all += fmt::format("{}only {}", all.empty() ? "" : ", ", fmt::join(choice.only, ", "));
    return all.empty() ? std::string("all cases") : all;
  };
  return fail(Error{ErrorKind::changed,
                    fmt::format("this run was begun with {} and is to go on with {}: it may take more, not "
                                "fewer or others; start a "
                                "new run with --reuse {} to keep the answers that still fit",
                                words(before), words(now), directory),
                    {{"directory", directory}}});
}

}  // namespace assay
