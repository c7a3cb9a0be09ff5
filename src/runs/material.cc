#include "runs/material.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "runs/plan.h"

namespace assay {
namespace {

using Material = std::map<std::string, JsonObject>;

Status read_generated(const std::string& file, const std::set<std::string>& ids, Material& found) {
  auto reader = LineReader::open(file);
  if (!reader) return fail(std::move(reader.error()));
  for (;;) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return {};
    auto tree = parse_json((*line)->text);
    const Json* id = tree ? find_member(*tree, "id") : nullptr;
    if (id == nullptr || !id->is_string()) continue;
    if (std::string name(id->get_string()); ids.contains(name))
      found[std::move(name)] = std::move(tree->get_object());
  }
}

Error plan_error(PlanProblems problems, const std::string& directory) {
  Error error = problems.error ? std::move(*problems.error)
                               : Error{ErrorKind::config, problems.problems.front().text, {}};
  return std::move(error).with("directory", directory);
}

// Of the run's data, with the evaluation that they were read by.
Status each_case(const std::string& directory,
                 const std::function<void(const Evaluation& evaluation, const Case& input)>& take) {
  auto plan = make_run_plan({.config_file = directory + "/config.yaml"});
  if (!plan) return fail(plan_error(std::move(plan.error()), directory));
  auto source = plan->evaluation->chosen_cases();
  if (!source) return fail(std::move(source.error()));
  for (;;) {
    auto more = (*source)->next();
    if (!more) return fail(std::move(more.error()));
    if (!*more) return {};
    take(*plan->evaluation, (*source)->current());
  }
}

Status read_data(const std::string& directory, const std::set<std::string>& ids, Material& found) {
  return each_case(directory, [&](const Evaluation& evaluation, const Case& input) {
    if (ids.contains(input.id) && !found.contains(input.id))
      found[input.id] = evaluation.as_judged(input, "");
  });
}

Error no_longer_there(const std::string& directory, const std::string& id) {
  return {ErrorKind::data,
          fmt::format("the data hold no case {} any more; they have changed since the run", id),
          {{"directory", directory}}};
}

// What the evaluation does not know, no judge has seen; it may say what is wrong with the case.
Status leave_out_extras(const std::string& directory, Material& found) {
  const std::string file = directory + "/results.jsonl";
  if (!file_exists(file)) return {};
  auto reader = LineReader::open(file);
  if (!reader) return fail(std::move(reader.error()));
  LineParser parser({"id", "extra"});
  for (;;) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return {};
    if (!parser.parse(**line)) continue;
    const auto one = found.find(std::string(parser.field(0).text));
    if (one == found.end()) continue;
    const Json extras = parser.tree(1);
    if (!extras.is_object()) continue;
    for (const auto& extra : extras.get_object()) one->second.erase(extra.key());
  }
}

}  // namespace

Result<Material> case_material(const std::string& directory, const std::set<std::string>& ids) {
  Material found;
  if (const std::string generated = directory + "/generated.jsonl"; file_exists(generated)) {
    if (auto read = read_generated(generated, ids, found); !read) return fail(std::move(read.error()));
  }
  if (found.size() < ids.size()) {
    if (auto read = read_data(directory, ids, found); !read) return fail(std::move(read.error()));
  }
  for (const std::string& id : ids) {
    if (found.contains(id)) continue;
    return fail(no_longer_there(directory, id));
  }
  if (auto done = leave_out_extras(directory, found); !done) return fail(std::move(done.error()));
  return found;
}

Result<std::map<CasePart, JsonObject>> part_material(const std::string& directory,
                                                     const std::set<CasePart>& parts) {
  std::map<CasePart, JsonObject> found;
  const auto read = each_case(directory, [&](const Evaluation& evaluation, const Case& input) {
    for (auto at = parts.lower_bound({input.id, ""}); at != parts.end() && at->id == input.id; ++at)
      found.emplace(*at, evaluation.as_judged(input, at->part));
  });
  if (!read) return fail(read.error());
  for (const CasePart& one : parts) {
    if (!found.contains(one)) return fail(no_longer_there(directory, one.id));
  }
  return found;
}

std::string material_text(const Json& value) {
  if (value.is_null()) return "";
  if (const auto text = as_text(value)) return std::string(*text);
  const JsonArray* list = value.if_array();
  if (list == nullptr || !std::ranges::all_of(*list, [](const Json& one) { return one.is_string(); }))
    return to_text(value);
  std::string out;
  for (const Json& one : *list) out += (out.empty() ? "" : "\n\n") + std::string(one.get_string());
  return out;
}

}  // namespace assay
