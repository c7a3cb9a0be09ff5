#include "evaluations/components/rag_collector.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/components/component.h"
#include "evaluations/figures.h"
#include "report/csv.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/median.h"
#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"

namespace assay::components {
namespace {

using namespace figures;

constexpr std::size_t kShownCases = 20;

std::string cell(std::optional<double> value) {
  return value ? number_text(*value) : std::string();
}

// What one metric has come to over the cases so far.
struct Tally {
  Moments means;                // of the per-case means
  std::vector<double> medians;  // the same values, for the median
  std::int64_t passed = 0;
  std::int64_t scores = 0;    // single scores, over runs
  double within_squares = 0;  // squared deviations from the case's own mean
  std::int64_t within_freedom = 0;
  std::int64_t not_applicable = 0;  // cases that lack what the metric is about: neither scored nor missing
  std::map<std::string, std::int64_t> missing;
};

// Why a run scored as it did: the judge's own words, or those on the entries that are worth a look.
std::string reason_in(const JsonObject& run) {
  constexpr std::size_t kMostShown = 5;
  std::string text = text_at(run, "reason");
  const Json* verdicts = run.if_contains("verdicts");
  if (verdicts == nullptr || !verdicts->is_array()) return text;
  std::size_t shown = 0;
  for (const Json& verdict : verdicts->get_array()) {
    const std::string why = text_at(verdict.get_object(), "reason");
    if (why.empty() || text_at(verdict.get_object(), "verdict") == "yes" || ++shown > kMostShown) continue;
    text += fmt::format("{}{} ({}): {}", text.empty() ? "" : "; ", to_text(*find_member(verdict, "id")),
                        text_at(verdict.get_object(), "verdict"), why);
  }
  return text;
}

class RagCollector final : public Collector {
 public:
  RagCollector(std::vector<RagMetricSettings> metrics, int runs, const DataFields& fields,
               std::vector<DataField> generated, OutputFiles& files)
      : metrics_(std::move(metrics)),
        runs_(runs),
        fields_(fields),
        generated_(std::move(generated)),
        files_(files),
        tallies_(metrics_.size()) {
    std::vector<std::string> header{"id", "question", "ideal_answer", "llm_answer"};
    std::vector<std::string> per_input{"id", "question"};
    for (const auto& metric : metrics_) {
      header.push_back(metric.name);
      mean_names_.push_back(metric.name + ".mean");
      pass_names_.push_back(metric.name + ".pass_rate");
      for (const char* part : {".mean", ".std", ".n_datapoints"}) per_input.push_back(metric.name + part);
    }
    write_row("results.csv", header);
    write_row("results_per_input.csv", per_input);
    write_row("tidy_results.csv", {"id", "metric", "run", "score", "passed", "error", "detail"});
  }

  Scores add(const Case& input, const FinishedCase* finished) override {
    if (finished == nullptr) return {};
    const Outcome& outcome = finished->outcome;
    JsonObject line = whole_line(fields_, *CaseFields(fields_, input), input.id);
    if (!generated_.empty()) put_generated(line, generated_, outcome.result);
    if (outcome.result.contains("generated")) files_.write("generated.jsonl", to_text(line) + "\n");
    const bool scored = outcome.kind == OutcomeKind::scored;
    ++(scored ? evaluated_ : errored_);

    std::vector<std::string> row{std::string(input.id), text_at(line, "question"),
                                 text_at(line, "ideal_answer"), text_at(line, "llm_answer")};
    std::vector<std::string> per_input{std::string(input.id), text_at(line, "question")};
    JsonObject metrics;
    std::vector<Score> scores;
    std::optional<double> worst;
    std::string worst_name;
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      const Moments runs = add_runs(m, input, outcome);
      const auto mean = runs.mean();
      row.push_back(cell(mean));
      scores.push_back({mean_names_[m], mean});
      scores.push_back({pass_names_[m], mean ? std::optional(passes(metrics_[m], *mean) ? 1.0 : 0.0) : mean});
      per_input.insert(per_input.end(),
                       {cell(mean), cell(runs.sample_deviation()), std::to_string(runs.n())});
      const auto deviation = runs.sample_deviation();
      JsonObject entry{{"mean", mean ? Json(*mean) : Json(nullptr)},
                       {"std", deviation ? Json(*deviation) : Json(nullptr)},
                       {"n", runs.n()}};
      if (mean) {
        entry["passed"] = passes(metrics_[m], *mean);
        const double goodness = metrics_[m].lower_is_better ? 1 - *mean : *mean;
        if (!worst || goodness < *worst) {
          worst = goodness;
          worst_name = fmt::format("{} {:.2f}", metrics_[m].name, *mean);
        }
      }
      if (const Json* all_runs = outcome.result.if_contains("runs")) {
        if (const Json* own = find_member(*all_runs, metrics_[m].name)) entry["runs"] = *own;
      }
      metrics[metrics_[m].name] = std::move(entry);
    }
    write_row("results.csv", row);
    write_row("results_per_input.csv", per_input);

    result_.begin(input, outcome.kind);
    for (const char* name : {"question", "ideal_answer", "llm_answer", "structured_contexts", "model"}) {
      if (const Json* value = line.if_contains(name)) result_.json(name, *value);
    }
    result_.json("metrics", metrics);
    result_.scores(scores);
    finish_line(result_, *CaseFields(fields_, input), finished, outcome.error);
    files_.write("results.jsonl", result_.end());
    note_case(input, outcome, line, worst, worst_name, metrics);
    return result_.scores();
  }

  void finish(Summary& summary, std::vector<NotableCase>& notable) override {
    summary.cases.evaluated = evaluated_;
    summary.cases.errored = errored_;
    std::string csv = "metric,median,mean,std,n_datapoints\r\n";
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      const std::string& name = metrics_[m].name;
      Tally& tally = tallies_[m];
      const auto better = metrics_[m].lower_is_better ? Metric::Better::lower : Metric::Better::higher;
      Metric mean = number(name + ".mean",
                           with_missing(within_range(estimate_mean(tally.means)), tally.missing), better);
      mean.headline = true;
      summary.metrics.push_back(std::move(mean));
      summary.metrics.push_back(number(name + ".median", estimate_median(tally.medians), better));
      summary.metrics.push_back(
          number(name + ".std", estimate_sample_deviation(tally.means), Metric::Better::neither));
      summary.metrics.push_back(
          share(name + ".pass_rate", with_missing(wilson(tally.passed, tally.means.n()), tally.missing)));
      summary.metrics.push_back(count(name + ".n", tally.means.n(), tally.means.n()));
      summary.metrics.push_back(
          count(name + ".not_applicable", tally.not_applicable, tally.means.n() + tally.not_applicable));
      summary.metrics.push_back(number(name + ".judge_noise", judge_noise(tally), Metric::Better::lower));
      append_csv_row(
          csv, std::vector<std::string>{name, cell(median(tally.medians)), cell(tally.means.mean()),
                                        cell(tally.means.sample_deviation()), std::to_string(tally.scores)});
    }
    files_.write("results_summary.csv", csv);
    for (auto& [goodness, entry] : worst_) notable.push_back(std::move(entry));
  }

  void write_figures(const Summary& summary) override { write_aggregate(summary, files_); }

 private:
  static bool passes(const RagMetricSettings& metric, double mean) {
    return metric.lower_is_better ? mean <= metric.threshold : mean >= metric.threshold;
  }

  void write_row(const std::string& file, const std::vector<std::string>& cells) {
    row_.clear();
    append_csv_row(row_, cells);
    files_.write(file, row_);
  }

  // The runs of one metric on one case: into the tally and the tidy table.
  Moments add_runs(std::size_t m, const Case& input, const Outcome& outcome) {
    const std::string& name = metrics_[m].name;
    Tally& tally = tallies_[m];
    Moments moments;
    const Json* all_runs = outcome.result.if_contains("runs");
    const Json* runs = all_runs != nullptr ? find_member(*all_runs, name) : nullptr;
    if (runs == nullptr || !runs->is_array()) {
      ++tally.missing[std::string(to_string(outcome.kind))];
      return moments;
    }
    std::string failed;
    for (const Json& entry : runs->get_array()) {
      if (const std::string kind = text_at(entry.get_object(), "outcome"); !kind.empty()) failed = kind;
      const Json* score = find_member(entry, "score");
      const auto value = score != nullptr ? as_number(*score) : std::nullopt;
      if (value) moments.add(*value);
      JsonObject detail;
      for (const auto& [key, item] : entry.get_object()) {
        if (key != "run" && key != "score" && key != "error" && key != "outcome") detail.emplace(key, item);
      }
      write_row("tidy_results.csv",
                {std::string(input.id), name, to_text(*find_member(entry, "run")), cell(value),
                 value ? (passes(metrics_[m], *value) ? "true" : "false") : "",
                 text_at(entry.get_object(), "error"), detail.empty() ? "" : to_text(detail)});
    }
    const auto mean = moments.mean();
    if (!mean) {
      ++(failed.empty() ? tally.not_applicable : tally.missing[failed]);
      return moments;
    }
    tally.scores += moments.n();
    tally.means.add(*mean);
    tally.medians.push_back(*mean);
    if (passes(metrics_[m], *mean)) ++tally.passed;
    if (const auto deviation = moments.sample_deviation()) {
      tally.within_squares += *deviation * *deviation * static_cast<double>(moments.n() - 1);
      tally.within_freedom += moments.n() - 1;
    }
    return moments;
  }

  // The pooled standard deviation of runs of the same case.
  Estimate judge_noise(const Tally& tally) const {
    Estimate estimate;
    estimate.n = tally.scores;
    estimate.method = "pooled_sd";
    if (tally.within_freedom > 0) {
      estimate.value = std::sqrt(tally.within_squares / static_cast<double>(tally.within_freedom));
      estimate.undefined = "no interval is given for the spread between runs";
    } else {
      estimate.undefined = runs_ < 2 ? "one run says nothing about the judge's noise; set n_runs to 2 or more"
                                     : "no case has two scores";
    }
    return estimate;
  }

  void note_case(const Case& input, const Outcome& outcome, const JsonObject& line,
                 std::optional<double> worst, const std::string& worst_name, const JsonObject& metrics) {
    const bool failed = outcome.kind != OutcomeKind::scored;
    // Failures first, then the lowest scores.
    const double goodness = failed ? -1 : worst.value_or(2);
    if (goodness >= 1 || (worst_.size() == kShownCases && goodness >= worst_.back().first)) return;
    NotableCase notable{
        std::string(input.id), failed ? std::string(to_string(outcome.kind)) : worst_name, {}};
    notable.fields.emplace_back("question", text_at(line, "question"));
    notable.fields.emplace_back("answer", text_at(line, "llm_answer"));
    if (failed) notable.fields.emplace_back("error", outcome.error);
    for (const auto& [name, entry] : metrics) {
      const Json* runs = find_member(entry, "runs");
      if (runs == nullptr || !runs->is_array()) continue;
      for (const Json& run : runs->get_array()) {
        const std::string reason = reason_in(run.get_object());
        if (!reason.empty()) {
          notable.fields.emplace_back(
              fmt::format("{}, run {}", std::string_view(name), to_text(*find_member(run, "run"))), reason);
        }
      }
    }
    const auto at = std::upper_bound(worst_.begin(), worst_.end(), goodness,
                                     [](double value, const auto& entry) { return value < entry.first; });
    worst_.insert(at, {goodness, std::move(notable)});
    if (worst_.size() > kShownCases) worst_.pop_back();
  }

  std::vector<RagMetricSettings> metrics_;
  int runs_;
  const DataFields& fields_;
  std::vector<DataField> generated_;  // empty if the data hold the answers
  OutputFiles& files_;
  std::vector<Tally> tallies_;
  std::vector<std::string> mean_names_;
  std::vector<std::string> pass_names_;
  LegacyLine result_;
  std::string row_;
  std::int64_t evaluated_ = 0;
  std::int64_t errored_ = 0;
  std::vector<std::pair<double, NotableCase>> worst_;
};

}  // namespace

std::unique_ptr<Collector> make_rag_collector(std::vector<RagMetricSettings> metrics, int runs,
                                              const DataFields& fields, std::vector<DataField> generated,
                                              OutputFiles& files) {
  return std::make_unique<RagCollector>(std::move(metrics), runs, fields, std::move(generated), files);
}

}  // namespace assay::components
