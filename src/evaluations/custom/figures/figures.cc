#include "evaluations/custom/figures/figures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "evaluations/custom/figures/case_table.h"
#include "evaluations/custom/figures/comparison_markdown.h"
#include "evaluations/custom/figures/differences.h"
#include "evaluations/custom/figures/failures.h"
#include "evaluations/custom/figures/label_figures.h"
#include "evaluations/custom/figures/part_figures.h"
#include "evaluations/custom/figures/sentences.h"
#include "evaluations/custom/figures/slices.h"
#include "evaluations/custom/figures/spread.h"
#include "evaluations/figures.h"
#include "stats/intervals/quantile.h"

namespace assay::custom {
namespace {

Json or_null(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

Metric metric_of(const Measure& measure, Estimate estimate) {
  Metric metric{measure.name, std::move(estimate), measure.form, measure.better, measure.headline};
  if (measure.form == Metric::Form::number) metric.range = measure.range;
  metric.reference = measure.reference;
  return metric;
}

Metric metric_of(const Comparison& comparison) {
  Metric metric{comparison.name, comparison.difference, comparison.form, comparison.better, false};
  metric.reference = 0;
  if (comparison.scale && comparison.form == Metric::Form::number) {
    const double span = comparison.scale->high - comparison.scale->low;
    metric.range = Interval{-span, span};
  }
  return metric;
}

// What was paid for all answers together.
struct Expenses {
  double usd = 0;
  std::int64_t known = 0;
  std::int64_t unknown = 0;  // answers that came and whose price nobody knows

  void add(const CaseMarks& marks) {
    for (const auto& answers : marks.answers) {
      for (const AnswerMarks& answer : answers) {
        if (answer.cost_usd && std::isfinite(*answer.cost_usd)) {
          usd += *answer.cost_usd;
          ++known;
        } else if (answer.answered) {
          ++unknown;
        }
      }
    }
  }
  Metric total() const {
    Estimate estimate = known == 0    ? undefined_figure("no answer has a known cost")
                        : unknown > 0 ? undefined_figure("the price of some answers is not known", known)
                                      : plain_figure(usd, known);
    return figures::number("cost.total", std::move(estimate), Metric::Better::lower);
  }
};

class Figures final : public Aggregate {
 public:
  Figures(Design design, OutputFiles& files)
      : measures_(std::move(design)),
        files_(files),
        table_(measures_),
        labels_(measures_.design()),
        parts_(measures_.design()),
        spread_(measures_.design()),
        failures_(measures_.design()) {}

  void add(const Case& input, const ResultLine& line) override {
    static const CaseMarks kNothing;
    const CaseMarks& marks = line.has_facts() ? line.facts<CaseMarks>() : kNothing;
    const OutcomeKind otherwise = line.scored() ? OutcomeKind::target_failed : line.outcome();
    table_.add(input, marks, otherwise);
    const std::uint32_t cluster = table_.cluster(table_.size() - 1);
    labels_.add(cluster, !input.cluster.empty(), marks, otherwise);
    parts_.add(cluster, marks);
    spread_.add(cluster, marks);
    failures_.add(measures_.design(), marks);
    expenses_.add(marks);
  }

  void finish(const MissingCases& /*missing*/, Summary& summary) override {
    comparisons_ = compare_variants(table_, table_.rows());
    add_measures(summary, true);
    for (const Comparison& comparison : comparisons_) {
      if (!comparison.pairwise) summary.metrics.push_back(metric_of(comparison));
    }
    add_measures(summary, false);
    add_medians(summary);
    labels_.apply(summary);
    parts_.apply(table_.clustered(), summary);
    noise_ = spread_.apply(table_.clustered(), summary);
    add_latencies(summary);
    summary.metrics.push_back(expenses_.total());
    add_slices(table_, summary);
  }

  void conclude(Summary& summary) const override {
    add_comparison(summary);
    add_plots(summary);
    std::vector<std::string> sentences =
        deciding_sentences(measures_.design(), summary, comparisons_, failures_);
    summary.conclusions.insert(summary.conclusions.end(), std::make_move_iterator(sentences.begin()),
                               std::make_move_iterator(sentences.end()));
    if (!noise_.empty()) summary.conclusions.push_back(noise_);
  }

  void write_figures(const Summary& summary, const std::vector<NotableCase>& /*notable*/) override {
    if (measures_.design().variants.size() > 1)
      files_.write("comparison.md", comparison_markdown(summary, measures_.design()));
  }

 private:
  // Those that are read first, then the others.
  void add_measures(Summary& summary, bool headline) const {
    for (std::size_t i = 0; i < measures_.list().size(); ++i) {
      const Measure& measure = measures_.list()[i];
      if (measure.headline != headline) continue;
      summary.metrics.push_back(metric_of(measure, estimate_measure(table_, i, table_.rows())));
    }
  }

  void add_medians(Summary& summary) const {
    for (std::size_t i = 0; i < measures_.list().size(); ++i) {
      const Measure& measure = measures_.list()[i];
      if (measure.reading != Reading::score || !measures_.design().metrics[*measure.metric].judged) continue;
      Metric median = metric_of(measure, estimate_case_median(table_, i, table_.rows()));
      median.name = figure_name(measures_.design(), measure.stem, "median", measure.variant);
      median.headline = false;
      summary.metrics.push_back(std::move(median));
    }
  }

  void add_latencies(Summary& summary) const {
    for (std::size_t v = 0; v < measures_.design().variants.size(); ++v) {
      const CaseTable::Latencies all = table_.latencies(v);
      for (const auto& [word, share] : {std::pair("p50", 0.5), std::pair("p95", 0.95)}) {
        Estimate estimate = estimate_quantile(all.milliseconds, share, all.clusters);
        if (!estimate.value) estimate.undefined = "no answer has a latency";
        summary.metrics.push_back(figures::number(figure_name(measures_.design(), "latency", word, v),
                                                  std::move(estimate), Metric::Better::lower));
      }
    }
  }

  void add_comparison(Summary& summary) const {
    if (comparisons_.empty()) return;
    const Design& design = measures_.design();
    const bool looked = looked_while_running(summary);
    Table table{"comparison",
                fmt::format("Each variant against {}, paired by case", design.variants[*design.baseline]),
                {"variant", "metric", "baseline", "value", "difference", "low", "high", "p", "p_holm", "n",
                 "missing"},
                {},
                false,
                "",
                ""};
    for (const Comparison& one : comparisons_) {
      const Comparison final = final_comparison(one, summary);
      const Estimate& difference = final.difference;
      std::int64_t missing = 0;
      for (const auto& [reason, count] : difference.missing) missing += count;
      table.rows.push_back(
          {boost::json::string(one.variant), boost::json::string(one.metric), or_null(one.baseline_value),
           or_null(one.variant_value), or_null(difference.value),
           difference.ci ? Json(difference.ci->low) : Json(nullptr),
           difference.ci ? Json(difference.ci->high) : Json(nullptr), looked ? Json(nullptr) : or_null(one.p),
           looked ? Json(nullptr) : or_null(one.p_holm), Json(difference.n), Json(missing)});
    }
    summary.tables.insert(summary.tables.begin(), std::move(table));
  }

  // Differences around 0, a plot for each scale.
  void add_plots(Summary& summary) const {
    if (comparisons_.empty()) return;
    const std::string& base = measures_.design().variants[*measures_.design().baseline];
    struct Group {
      Interval range;
      AxisForm form = AxisForm::share;
      std::vector<IntervalRow> rows;
    };
    std::vector<Group> groups;
    for (const Comparison& one : comparisons_) {
      if (one.pairwise || !one.scale || one.difference.n == 0) continue;
      const double span = one.scale->high - one.scale->low;
      const AxisForm form = one.form == Metric::Form::share ? AxisForm::share : AxisForm::number;
      auto group = std::ranges::find_if(
          groups, [&](const Group& other) { return other.form == form && other.range.high == span; });
      if (group == groups.end()) {
        groups.push_back({Interval{-span, span}, form, {}});
        group = std::prev(groups.end());
      }
      group->rows.push_back(
          {fmt::format("{} · {}", one.metric, one.variant), final_comparison(one, summary).difference});
    }
    for (const Group& group : groups) {
      IntervalAxis axis{fmt::format("difference from {}", base), group.form, {}, 0};
      summary.plots.push_back(interval_plot({"differences", fmt::format("Differences from {}", base),
                                             "Paired by case; the line is no difference."},
                                            axis, group.rows));
    }
  }

  Measures measures_;
  OutputFiles& files_;
  CaseTable table_;
  LabelFigures labels_;
  PartFigures parts_;
  Spread spread_;
  std::string noise_;  // of the judge, in a sentence
  Failures failures_;
  Expenses expenses_;
  std::vector<Comparison> comparisons_;
};

}  // namespace

std::unique_ptr<Aggregate> make_figures(Design design, OutputFiles& files) {
  return std::make_unique<Figures>(std::move(design), files);
}

}  // namespace assay::custom
