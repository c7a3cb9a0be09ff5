#include "evaluations/components/rag_figures.h"

#include <cmath>
#include <string>
#include <utility>

#include "evaluations/components/sentences.h"
#include "evaluations/figures.h"
#include "evaluations/judges/judge_spread.h"
#include "report/csv.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/median.h"
#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"

namespace assay::components {
namespace {

using namespace figures;

// What one metric has come to over the cases so far.
struct Tally {
  Moments means;                // of the per-case means
  std::vector<double> medians;  // the same values, for the median
  std::int64_t passed = 0;
  std::int64_t cases = 0;     // all, scored or not
  std::int64_t scores = 0;    // single scores, over runs
  std::int64_t repeated = 0;  // of them, those of cases that have more than one
  double within_squares = 0;  // squared deviations from the case's own mean
  std::int64_t within_freedom = 0;
  std::int64_t not_applicable = 0;  // cases that lack what the metric is about: neither scored nor missing
  MissingCases missing;

  void add(const RagFacts::OfMetric& facts, const RagMetricSettings& metric) {
    ++cases;
    const auto mean = facts.runs.mean();
    if (!mean) {
      ++(facts.missing.empty() ? not_applicable : missing[facts.missing]);
      return;
    }
    scores += facts.runs.n();
    means.add(*mean);
    medians.push_back(*mean);
    if (metric.passes(*mean)) ++passed;
    if (const auto deviation = facts.runs.sample_deviation()) {
      within_squares += *deviation * *deviation * static_cast<double>(facts.runs.n() - 1);
      within_freedom += facts.runs.n() - 1;
      repeated += facts.runs.n();
    }
  }
};

class RagFigures final : public Aggregate {
 public:
  RagFigures(std::vector<RagMetricSettings> metrics, int runs, OutputFiles& files)
      : metrics_(std::move(metrics)), runs_(runs), files_(files), tallies_(metrics_.size()) {
    std::vector<std::string> per_input{"id", "question"};
    for (const RagMetricSettings& metric : metrics_) {
      for (const char* part : {".mean", ".std", ".n_datapoints"}) per_input.push_back(metric.name + part);
    }
    std::string head;
    append_csv_row(head, per_input);
    files_.write("results_per_input.csv", head);
    files_.write("tidy_results.csv", "id,metric,run,score,passed,error,detail\r\n");
  }

  void add(const Case& input, const ResultLine& line) override {
    const auto& facts = line.facts<RagFacts>();
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      tallies_[m].add(facts.metrics[m], metrics_[m]);
      if (runs_ > 1)
        spread_.add(metrics_[m].name + ".mean", {input.cluster, {votes_like(facts.metrics[m].runs)}});
    }
    files_.write("tidy_results.csv", facts.tidy_rows);
    files_.write("results_per_input.csv", facts.per_input_row);
  }

  // A metric has its own missing cases: those that some other metric could not judge are not among them.
  void finish(const MissingCases& /*missing*/, Summary& summary) override {
    std::string csv = "metric,median,mean,std,n_datapoints\r\n";
    for (std::size_t m = 0; m < metrics_.size(); ++m) {
      add_figures(metrics_[m], tallies_[m], summary);
      append_csv_row(csv, row_of(metrics_[m].name, tallies_[m]));
    }
    files_.write("results_summary.csv", csv);
    spread_.apply(summary);
  }

  void conclude(Summary& summary) const override {
    conclude_rag_answers(summary);
    if (!spread_.sentence().empty()) summary.conclusions.push_back(spread_.sentence());
  }

 private:
  void add_figures(const RagMetricSettings& metric, const Tally& tally, Summary& summary) const {
    const std::string& name = metric.name;
    const auto better = metric.lower_is_better ? Metric::Better::lower : Metric::Better::higher;
    auto& metrics = summary.metrics;
    metrics.push_back(number(name + ".mean",
                             with_missing(within_range(estimate_mean(tally.means)), tally.missing), better));
    metrics.back().headline = true;
    metrics.push_back(number(name + ".median", median_with_missing(tally.medians, tally.missing), better));
    metrics.push_back(number(name + ".std",
                             count_missing(estimate_sample_deviation(tally.means), tally.missing),
                             Metric::Better::neither));
    metrics.push_back(
        share(name + ".pass_rate", with_missing(wilson(tally.passed, tally.means.n()), tally.missing)));
    metrics.push_back(count(name + ".n", tally.means.n(), tally.cases));
    metrics.push_back(count(name + ".not_applicable", tally.not_applicable, tally.cases));
    metrics.push_back(number(name + ".judge_noise", judge_noise(tally), Metric::Better::lower));
  }

  static std::vector<std::string> row_of(const std::string& name, const Tally& tally) {
    return {name, score_cell(median(tally.medians)), score_cell(tally.means.mean()),
            score_cell(tally.means.sample_deviation()), std::to_string(tally.scores)};
  }

  // The pooled standard deviation of runs of the same case.
  Estimate judge_noise(const Tally& tally) const {
    Estimate estimate;
    estimate.n = tally.repeated;
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

  std::vector<RagMetricSettings> metrics_;
  int runs_;
  OutputFiles& files_;
  std::vector<Tally> tallies_;
  JudgeSpread spread_;  // of several runs
};

}  // namespace

std::unique_ptr<Aggregate> make_rag_figures(std::vector<RagMetricSettings> metrics, int runs,
                                            OutputFiles& files) {
  return std::make_unique<RagFigures>(std::move(metrics), runs, files);
}

}  // namespace assay::components
