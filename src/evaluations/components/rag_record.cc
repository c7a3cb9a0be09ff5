#include "evaluations/components/rag_record.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "engine/outcome.h"

namespace assay::components {
namespace {

JudgedRun judged_run(const Json& entry) {
  JudgedRun run;
  for (const auto& [name, value] : entry.get_object()) {
    if (name == "run") {
      run.run = as_integer(value).value_or(0);
    } else if (name == "score") {
      run.score = as_number(value);
    } else if (name == "not_applicable") {
      run.not_applicable = as_text(value).value_or("");
    } else if (name == "error") {
      run.error = as_text(value).value_or("");
    } else if (name == "outcome") {
      run.outcome = as_text(value).value_or("");
    } else {
      run.detail.emplace(name, value);
    }
  }
  return run;
}

}  // namespace

JudgedRun::JudgedRun(std::int64_t number, MetricScore judged)
    : run(number), score(judged.score), not_applicable(std::move(judged.not_applicable)) {
  if (judged.error) {
    error = judged.error->text();
    outcome = to_string(outcome_of(judged.error->kind));
  }
  // A judge's own "score" is a level of its rubric; the score is what arithmetic made of it.
  for (auto& [name, value] : judged.detail)
    detail.emplace(name == "score" ? "level" : name, std::move(value));
}

void RagRecord::add(std::string_view metric, JudgedRun run) {
  auto own = std::ranges::find(runs, metric, [](const auto& entry) { return std::string_view(entry.first); });
  if (own == runs.end()) own = runs.insert(own, {std::string(metric), {}});
  own->second.push_back(std::move(run));
}

const std::vector<JudgedRun>* RagRecord::find(std::string_view metric) const {
  for (const auto& [name, list] : runs) {
    if (name == metric) return &list;
  }
  return nullptr;
}

JsonObject to_json(const JudgedRun& run) {
  JsonObject entry{{"run", run.run}, {"score", run.score ? Json(*run.score) : Json(nullptr)}};
  if (!run.not_applicable.empty()) entry["not_applicable"] = run.not_applicable;
  if (!run.outcome.empty()) {
    entry["error"] = run.error;
    entry["outcome"] = run.outcome;
  }
  for (const auto& [name, value] : run.detail) entry.emplace(name, value);
  return entry;
}

JsonObject to_json(const RagRecord& record) {
  JsonObject result;
  if (record.generated) result.emplace("generated", *record.generated);
  if (record.cascade) result.emplace("cascade", to_json(*record.cascade));
  if (record.runs.empty()) return result;
  JsonObject by_metric;
  for (const auto& [metric, runs] : record.runs) {
    JsonArray entries;
    for (const JudgedRun& run : runs) entries.emplace_back(to_json(run));
    by_metric.emplace(metric, std::move(entries));
  }
  result.emplace("runs", std::move(by_metric));
  return result;
}

RagRecord rag_record(const JsonObject& result) {
  RagRecord record;
  if (const Json* generated = result.if_contains("generated"); generated != nullptr && generated->is_object())
    record.generated = generated->get_object();
  if (const Json* cascade = result.if_contains("cascade")) record.cascade = cascade_record(*cascade);
  const Json* by_metric = result.if_contains("runs");
  if (by_metric == nullptr || !by_metric->is_object()) return record;
  for (const auto& [metric, entries] : by_metric->get_object()) {
    if (!entries.is_array()) continue;
    auto& [name, runs] = record.runs.emplace_back(metric, std::vector<JudgedRun>());
    for (const Json& entry : entries.get_array()) {
      if (entry.is_object()) runs.push_back(judged_run(entry));
    }
  }
  return record;
}

}  // namespace assay::components
