#include "report/compare_differences.h"

#include <set>

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::size_t kMostDifferences = 40;

void add_config_differences(const Json* base, const Json* fresh, const std::string& path,
                            std::vector<std::string>& out) {
  if (out.size() >= kMostDifferences) return;
  if (base != nullptr && fresh != nullptr && base->is_object() && fresh->is_object()) {
    std::set<std::string> keys;
    for (const auto& [key, value] : base->get_object()) keys.emplace(key);
    for (const auto& [key, value] : fresh->get_object()) keys.emplace(key);
    for (const std::string& key : keys) {
      add_config_differences(find_member(*base, key), find_member(*fresh, key),
                             path.empty() ? key : fmt::format("{}.{}", path, key), out);
    }
    return;
  }
  const std::string before = base != nullptr ? excerpt(*base) : "not set";
  const std::string after = fresh != nullptr ? excerpt(*fresh) : "not set";
  if (base != nullptr && fresh != nullptr && *base == *fresh) return;
  out.push_back(fmt::format("{}: {} → {}", path, before, after));
}

void add_prompt_differences(const Summary& base, const Summary& fresh, std::vector<std::string>& out) {
  for (const auto& [name, print] : fresh.prompts) {
    const auto known = base.prompts.find(name);
    if (known != base.prompts.end() && known->second != print)
      out.push_back(fmt::format("prompt {}: its text differs", name));
  }
}

}  // namespace

std::vector<std::string> differences_between(const RunScores& base, const RunScores& fresh) {
  std::vector<std::string> list;
  const Json before(base.config);
  const Json after(fresh.config);
  add_config_differences(&before, &after, "", list);
  add_prompt_differences(base.summary, fresh.summary, list);
  if (base.summary.assay != fresh.summary.assay)
    list.push_back(fmt::format("program: {} → {}", base.summary.assay, fresh.summary.assay));
  return list;
}

std::vector<std::string> judging_differences(const RunScores& base, const RunScores& fresh) {
  std::vector<std::string> list;
  const Json before(base.judging);
  const Json after(fresh.judging);
  add_config_differences(&before, &after, "", list);
  add_prompt_differences(base.summary, fresh.summary, list);
  return list;
}

}  // namespace assay
