#include "runs/distributed/shared_plan.h"

#include <filesystem>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/file.h"
#include "store/postgres/stored_runs.h"

namespace assay {

std::string shared_plan_text(const SharedPlan& plan) {
  JsonArray prepared;
  for (const std::string& name : plan.prepared) prepared.emplace_back(name);
  JsonArray made;
  for (const std::string& name : plan.made) made.emplace_back(name);
  return to_text(JsonObject{{"config", plan.config},
                            {"prepared", std::move(prepared)},
                            {"made", std::move(made)},
                            {"lease_ms", plan.lease.count()}});
}

Result<SharedPlan> read_shared_plan(std::string_view text) {
  auto tree = parse_json(text);
  const Json* config = tree ? find_member(*tree, "config") : nullptr;
  const Json* lease = tree ? find_member(*tree, "lease_ms") : nullptr;
  if (config == nullptr || !config->is_object() || lease == nullptr || !lease->is_int64() ||
      lease->get_int64() < kShortestLease.count() || lease->get_int64() > kLongestLease.count())
    return fail(ErrorKind::parse, "what the board says of it is no plan of a run");
  SharedPlan plan;
  plan.config = *config;
  plan.lease = std::chrono::milliseconds(lease->get_int64());
  if (const Json* prepared = find_member(*tree, "prepared"); prepared != nullptr && prepared->is_array()) {
    for (const Json& name : prepared->get_array()) {
      // A name, and no path: it is written into a directory here.
      const std::string file = name.is_string() ? std::string(name.get_string()) : std::string();
      if (file.empty() || file.starts_with('.') || file.contains('/'))
        return fail(ErrorKind::parse, "what the board says of it names no file");
      plan.prepared.push_back(file);
    }
  }
  for (const Json& name : list_at(*tree, "made")) {
    if (!name.is_string()) return fail(ErrorKind::parse, "what the board says of it names no text");
    plan.made.emplace_back(name.get_string());
  }
  return plan;
}

std::string made_name(std::size_t place) {
  return "made/" + std::to_string(place);
}

std::string prepared_name(const std::string& file) {
  return std::string(kPreparedFolder) + file;
}

Result<std::vector<PlanText>> prepared_files(const std::string& directory, const std::string& copied_data) {
  std::vector<PlanText> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (!entry.is_regular_file() || name == "config.yaml" || name.starts_with(kJournalFile) ||
        name.starts_with('.') || name == copied_data)
      continue;
    auto text = read_file(entry.path());
    if (!text) return fail(std::move(text.error()));
    files.push_back({name, std::move(*text)});
  }
  if (error) return fail(file_error(directory, "list", error.value()));
  return files;
}

}  // namespace assay
