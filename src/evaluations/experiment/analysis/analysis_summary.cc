// Conclusions and metrics of an experiment's summary. A figure of something that the design does not ask for
// is no figure without a value: it is not there.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "evaluations/experiment/analysis/analysis.h"
#include "evaluations/experiment/analysis/analysis_tables.h"
#include "evaluations/experiment/analysis/arms.h"
#include "evaluations/figures.h"

namespace assay::experiment {
namespace {

Metric neutral(Metric metric) {
  metric.better = Metric::Better::neither;
  return metric;
}

// A difference from control, read against 0.
Metric difference(std::string name, Estimate estimate, Metric::Better better = Metric::Better::higher) {
  Metric metric = figures::number(std::move(name), std::move(estimate), better);
  metric.reference = 0;
  return metric;
}

// A mean of marks from 1 to 5.
Metric rating(std::string name, Estimate estimate) {
  Metric metric = figures::number(std::move(name), std::move(estimate));
  metric.range = kLikert;
  return metric;
}

// A share of which one half is even.
Metric rate(std::string name, Estimate estimate, bool headline) {
  Metric metric = figures::share(std::move(name), std::move(estimate), headline);
  metric.reference = 0.5;
  return metric;
}

class Metrics {
 public:
  Metrics(const Analysis& analysis, Summary& summary) : analysis_(analysis), summary_(summary) {}

  void write() {
    if (asks_pairs(analysis_)) add_pairs();
    if (asks_ratings(analysis_)) add_ratings();
    add_roles();
    add_agreement();
    add_biases();
    for (const PowerFigures& power : analysis_.power) {
      const bool overall = power.of == PowerFigures::Of::overall_score;
      if (overall ? asks_ratings(analysis_) : asks_pairs(analysis_))
        add(figures::number(
            fmt::format("detectable.{}.{}", name(power.condition), overall ? "overall" : "win_rate"),
            power.detectable, Metric::Better::lower));
    }
  }

 private:
  void add(Metric metric) { summary_.metrics.push_back(std::move(metric)); }
  const std::string& name(std::size_t condition) const { return analysis_.conditions[condition].name; }

  void add_pairs() {
    for (const PairFigures& pair : analysis_.pairs) {
      if (!analysis_.conditions[pair.against].control) continue;
      const std::string& own = name(pair.condition);
      add(rate("win_rate." + own, pair.winner.rate.figure, true));
      add(neutral(figures::share("tie_rate." + own, pair.ties)));
      if (pair.tone) add_tone(own, *pair.tone);
    }
    // It rests on verdicts, but its error on queries.
    std::int64_t compared = 0;
    for (const PairFigures& pair : analysis_.pairs) compared = std::max(compared, pair.winner.rate.figure.n);
    for (const Strength& player : analysis_.ranking.players) {
      Estimate strength = player.log_strength.estimate;
      strength.n = compared;
      add(difference("strength." + player.name, std::move(strength)));
    }
  }

  void add_tone(const std::string& own, const PairTone& tone) {
    for (std::size_t i = 0; i < kToneCriteria.size(); ++i)
      add(difference(fmt::format("tone.{}.{}", own, kToneCriteria[i]), tone.marks[i].difference.figure));
    add(rate(fmt::format("tone.{}.more_natural", own), tone.more_natural.figure, false));
    add(difference(fmt::format("tone.{}.jarring_shift", own), tone.jarring_shift.difference.figure,
                   Metric::Better::lower));
    add(difference(fmt::format("tone.{}.awkward_language", own), tone.awkward_language.difference.figure,
                   Metric::Better::lower));
  }

  void add_ratings() {
    for (const ScoreContrast& contrast : analysis_.contrasts) {
      Metric metric = difference(
          fmt::format("difference.{}.{}", name(contrast.condition), rated_name(contrast.criterion)),
          contrast.difference.figure);
      metric.headline = contrast.criterion == kOverall;
      add(std::move(metric));
    }
    for (const ConditionFigures& figures : analysis_.by_condition) {
      for (std::size_t i = 0; i < kRated; ++i) {
        if (i < kCriteria.size() || asks_tone(analysis_))
          add(rating(fmt::format("score.{}.{}", figures.name, rated_name(i)), figures.criteria[i].mean));
      }
    }
  }

  void add_roles() {
    for (const ConditionFigures& figures : analysis_.by_condition) {
      const Condition& condition = analysis_.conditions[figures.condition];
      if (analysis_.role_judges > 0 && condition.has_role())
        add(figures::share("role_accuracy." + figures.name, figures.role_accuracy));
      if (condition.reports_role && queries_have_roles(analysis_))
        add(figures::share("role_match." + figures.name, figures.role_match));
    }
  }

  // Of one evaluator there is none.
  void add_agreement() {
    const AgreementFigures& agreement = analysis_.agreement;
    if (asks_pairs(analysis_) && analysis_.pair_judges != 1) {
      add(figures::number("agreement.fleiss_kappa", agreement.fleiss_kappa));
      add(figures::number("agreement.krippendorff_alpha_nominal", agreement.nominal_alpha));
      add(figures::share("agreement.raw", agreement.raw));
    }
    if (asks_ratings(analysis_) && analysis_.raters != 1)
      add(figures::number("agreement.krippendorff_alpha", agreement.ordinal_alpha));
  }

  void add_biases() {
    std::int64_t flagged = 0;
    std::int64_t looked_at = 0;
    for (const Bias& bias : analysis_.biases) {
      if (!concerns(analysis_, bias)) continue;
      ++looked_at;
      flagged += bias.flagged ? 1 : 0;
      if (bias.evaluator) continue;
      Metric metric = figures::number("bias." + bias.name, bias.figure,
                                      bias.neutral ? Metric::Better::neither : Metric::Better::lower);
      metric.reference = bias.neutral;
      if (bias.figure.method == "count") metric.form = Metric::Form::count;
      if (bias.figure.method.starts_with("wilson")) metric.form = Metric::Form::share;
      add(std::move(metric));
    }
    add(figures::count("bias.flagged", flagged, looked_at, Metric::Better::lower));
  }

  const Analysis& analysis_;
  Summary& summary_;
};

}  // namespace

void add_figures(const Analysis& analysis, Summary& summary) {
  summary.conclusions = conclusions(analysis);
  Metrics(analysis, summary).write();
  add_tables(analysis, summary);
}

std::vector<std::string> figure_names() {
  return {"win_rate.",
          "tie_rate.",
          "difference.",
          "score.",
          "tone.",
          "role_accuracy.",
          "role_match.",
          "strength.",
          "detectable.",
          "agreement.raw",
          "agreement.fleiss_kappa",
          "agreement.krippendorff_alpha",
          "agreement.krippendorff_alpha_nominal",
          "bias.position",
          "bias.flip_rate",
          "bias.changed_rate",
          "bias.seat_effect",
          "bias.longer_wins",
          "bias.length_slope",
          "bias.rating_length_slope",
          "bias.lost",
          "bias.leaks",
          "bias.missing_responses",
          "bias.flagged"};
}

}  // namespace assay::experiment
