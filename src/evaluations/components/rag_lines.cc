#include "evaluations/components/rag_lines.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/components/rag_material.h"
#include "evaluations/worst_cases.h"
#include "report/csv.h"
#include "stats/intervals/median.h"

namespace assay::components {
namespace {

Json number_or_null(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

// In the tidy table a reason for no score stands among the details.
std::string detail_cell(const JudgedRun& run) {
  JsonObject detail;
  if (!run.not_applicable.empty()) detail.emplace("not_applicable", run.not_applicable);
  for (const auto& [name, value] : run.detail) detail.emplace(name, value);
  return detail.empty() ? "" : to_text(detail);
}

}  // namespace

std::string score_cell(std::optional<double> value) {
  return value ? number_text(*value) : std::string();
}

RagLines::RagLines(std::vector<RagMetricSettings> metrics, ContextTexts contexts,
                   std::shared_ptr<const Cascade> cascade)
    : metrics_(std::move(metrics)), contexts_(contexts), cascade_(std::move(cascade)) {
  for (const RagMetricSettings& metric : metrics_) {
    mean_names_.push_back(metric.name + ".mean");
    pass_names_.push_back(metric.name + ".pass_rate");
  }
}

std::vector<std::string> RagLines::columns() const {
  std::vector<std::string> names{"id", "question", "ideal_answer", "llm_answer"};
  for (const RagMetricSettings& metric : metrics_) names.push_back(metric.name);
  return names;
}

void RagLines::write(const Case& input, const Json& fields, const RagRecord& record,
                     ResultLine& result) const {
  const std::string question = text_at(fields, "question");
  auto& facts = result.facts<RagFacts>();
  facts.metrics.clear();
  facts.tidy_rows.clear();
  facts.per_input_row.clear();
  facts.cascade = {record.cascade};
  if (record.cascade && record.cascade->decided_by == kPeople && fields.is_object())
    facts.cascade.shown = fields.get_object();
  std::vector<std::string> row{input.id, question, text_at(fields, "ideal_answer"),
                               text_at(fields, "llm_answer")};
  std::vector<std::string> per_input{input.id, question};
  for (std::size_t m = 0; m < metrics_.size(); ++m) {
    const std::vector<JudgedRun>* runs = record.find(metrics_[m].name);
    facts.metrics.push_back(
        record.cascade    ? decided(m, input, record, to_string(result.outcome()), facts.tidy_rows)
        : runs != nullptr ? add_runs(m, input, *runs, facts.tidy_rows)
                          : RagFacts::OfMetric{{}, std::string(to_string(result.outcome()))});
    const Moments& moments = facts.metrics.back().runs;
    row.push_back(score_cell(moments.mean()));
    per_input.insert(per_input.end(),
                     {row.back(), score_cell(moments.sample_deviation()), std::to_string(moments.n())});
  }
  result.row(row);
  append_csv_row(facts.per_input_row, per_input);

  const Means means = means_of(record, facts);
  for (const char* name : {"question", "ideal_answer", "llm_answer", "structured_contexts", "model"}) {
    if (const Json* value = find_member(fields, name)) result.json(name, *value);
  }
  if (record.cascade) result.json("cascade", to_json(*record.cascade));
  result.json("metrics", means.shown);
  result.scores(means.scores);
  const auto shown = [&](std::string why) {
    NotableCase notable{input.id, std::move(why), judged_material(fields, contexts_(fields), record)};
    if (!result.error().empty()) notable.fields.insert(notable.fields.begin(), {"error", result.error()});
    return notable;
  };
  if (!result.scored()) {
    result.notable(-1, [&] { return shown(std::string(to_string(result.outcome()))); });
  } else if (means.worst && *means.worst < 1) {
    // Of those whose worst metric is equally bad, first the ones that are bad in more ways.
    result.notable(then_by(*means.worst, means.goodness.mean().value_or(0)),
                   [&] { return shown(means.worst_name); });
  }
}

RagFacts::OfMetric RagLines::decided(std::size_t metric, const Case& input, const RagRecord& record,
                                     std::string_view outcome, std::string& tidy_rows) const {
  const std::string& by = record.cascade->decided_by;
  if (by == kPeople) {
    const PeoplesWord* word = cascade_ ? cascade_->said_of(input.id) : nullptr;
    RagFacts::OfMetric facts{{}, word == nullptr ? std::string(to_string(OutcomeKind::skipped)) : ""};
    if (word != nullptr) facts.runs.add(word->value);
    return facts;
  }
  const std::vector<JudgedRun>* runs = record.find(metrics_[metric].name);
  if (runs == nullptr) return {{}, std::string(outcome)};
  RagFacts::OfMetric facts = add_runs(metric, input, *runs, tidy_rows);
  // The middle vote lies on the side that most votes are for, which is what was promised; a mean need not.
  std::vector<double> scores;
  for (const JudgedRun& run : *runs) {
    if (run.score) scores.push_back(*run.score);
  }
  facts.runs = {};
  if (const auto middle = median(scores)) facts.runs.add(*middle);
  return facts;
}

RagFacts::OfMetric RagLines::add_runs(std::size_t metric, const Case& input,
                                      const std::vector<JudgedRun>& runs, std::string& tidy_rows) const {
  RagFacts::OfMetric facts;
  for (const JudgedRun& run : runs) {
    if (!run.outcome.empty()) facts.missing = run.outcome;
    if (run.score) facts.runs.add(*run.score);
    const char* passed = !run.score ? "" : metrics_[metric].passes(*run.score) ? "true" : "false";
    append_csv_row(tidy_rows, {input.id, metrics_[metric].name, std::to_string(run.run),
                               score_cell(run.score), passed, run.error, detail_cell(run)});
  }
  return facts;
}

RagLines::Means RagLines::means_of(const RagRecord& record, const RagFacts& facts) const {
  Means means;
  for (std::size_t m = 0; m < metrics_.size(); ++m) {
    const RagMetricSettings& metric = metrics_[m];
    const Moments& moments = facts.metrics[m].runs;
    const auto mean = moments.mean();
    means.scores.push_back({mean_names_[m], mean});
    means.scores.push_back(
        {pass_names_[m], mean ? std::optional(metric.passes(*mean) ? 1.0 : 0.0) : std::nullopt});
    JsonObject entry{{"mean", number_or_null(mean)},
                     {"std", number_or_null(moments.sample_deviation())},
                     {"n", moments.n()}};
    if (mean) {
      entry["passed"] = metric.passes(*mean);
      entry["threshold"] = metric.threshold;
      const double goodness = metric.lower_is_better ? 1 - *mean : *mean;
      means.goodness.add(goodness);
      if (!means.worst || goodness < *means.worst) {
        means.worst = goodness;
        means.worst_name = fmt::format("{} {:.2f}", metric.name, *mean);
      }
    }
    if (const auto* runs = record.find(metric.name)) {
      JsonArray list;
      for (const JudgedRun& run : *runs) list.emplace_back(to_json(run));
      entry["runs"] = std::move(list);
    }
    means.shown[metric.name] = std::move(entry);
  }
  return means;
}

}  // namespace assay::components
