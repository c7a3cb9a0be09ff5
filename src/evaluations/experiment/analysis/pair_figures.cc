#include "evaluations/experiment/analysis/pair_figures.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/random.h"
#include "evaluations/experiment/analysis/arms.h"
#include "evaluations/experiment/analysis/by_query.h"
#include "evaluations/experiment/judging/records.h"
#include "stats/comparisons/pairs.h"
#include "stats/intervals/mean.h"

namespace assay::experiment {
namespace {

constexpr Interval kShare{0, 1};

class Comparing {
 public:
  Comparing(const ExperimentData& data, std::size_t condition, std::size_t against, double level)
      : data_(data), condition_(condition), against_(against), level_(level) {}

  PairFigures figures() const {
    PairFigures figures;
    figures.condition = condition_;
    figures.against = against_;
    figures.verdicts = std::ranges::count_if(
        data_.pairs, [&](const PairVerdict& verdict) { return compares(verdict, condition_, against_); });
    const auto share = [&](double points) {
      return figures.verdicts == 0
                 ? undefined_figure("the two were never compared")
                 : share_figure(cells([&](const PairVerdict& one) {
                                  return points_for(one, one.winner, condition_) == points ? 1.0 : 0.0;
                                }),
                                level_);
    };
    figures.losses = share(0);
    figures.ties = share(0.5);
    figures.wins = share(1);
    figures.winner = win_rate([](const PairVerdict& verdict) { return verdict.winner; });
    for (std::size_t i = 0; i < kCriteria.size(); ++i)
      figures.criteria[i] = win_rate([i](const PairVerdict& verdict) { return verdict.choices[i]; });
    if (data_.conditions[condition_].tone || data_.conditions[against_].tone) figures.tone = tone();
    return figures;
  }

 private:
  using Chosen = std::function<Choice(const PairVerdict& verdict)>;

  QueryCells cells(const Worth& worth, Interval scale = kShare) const {
    return verdict_cells(data_, condition_, against_, worth, scale);
  }

  WinRate win_rate(const Chosen& chosen) const {
    WinRate figures;
    figures.rate = against_neutral(
        cells([&](const PairVerdict& one) { return points_for(one, chosen(one), condition_); }), 0.5, level_);
    std::vector<double> points;
    for (const PairVerdict& one : data_.pairs) {
      if (compares(one, condition_, against_)) points.push_back(points_for(one, chosen(one), condition_));
    }
    figures.naive = within_range(estimate_mean(points, level_));
    // McNemar's exact test is the sign test of the decided verdicts.
    figures.naive_test =
        points.empty() ? no_result("no values", "")
                       : mcnemar(std::ranges::count(points, 1.0), std::ranges::count(points, 0.0)).exact;
    figures.naive_test.method = "sign_test_exact";
    return figures;
  }

  // What verdicts say of the answer of `condition`.
  using Said = std::function<std::optional<double>(const PairVerdict& verdict, bool is_a)>;
  BothSides both_sides(const Said& said, Interval scale) const {
    const auto of = [&](std::size_t condition) {
      return cells(
          [&said, condition](const PairVerdict& one) { return said(one, one.condition_a == condition); },
          scale);
    };
    const QueryCells own = of(condition_);
    const QueryCells other = of(against_);
    return {mean_figure(own, level_), mean_figure(other, level_), paired_difference(own, other, level_)};
  }

  // Whether one of the questions whose answer is A, B, both or neither names the answer.
  BothSides named_in(std::string_view question) const {
    return both_sides(
        [question](const PairVerdict& verdict, bool is_a) -> std::optional<double> {
          const std::string which = text_at(verdict.tone_answers, question);
          if (which.empty()) return std::nullopt;
          return which == "Both" || which == (is_a ? "A" : "B") ? 1 : 0;
        },
        kShare);
  }

  PairTone tone() const {
    PairTone tone;
    for (std::size_t i = 0; i < kToneCriteria.size(); ++i) {
      tone.marks[i] = both_sides(
          [i](const PairVerdict& verdict, bool is_a) -> std::optional<double> {
            const auto& mark = is_a ? verdict.tone_a[i] : verdict.tone_b[i];
            return mark ? std::optional<double>(*mark) : std::nullopt;
          },
          kLikert);
    }
    tone.jarring_shift = named_in("jarring_shift");
    tone.awkward_language = named_in("awkward_language");
    const QueryCells natural = cells([&](const PairVerdict& one) -> std::optional<double> {
      const auto choice = choice_from(text_at(one.tone_answers, "more_natural"));
      return choice ? std::optional(points_for(one, *choice, condition_)) : std::nullopt;
    });
    tone.more_natural = against_neutral(natural, 0.5, level_);
    tone.verdicts = natural.judgements();
    return tone;
  }

  const ExperimentData& data_;
  std::size_t condition_;
  std::size_t against_;
  double level_;
};

PairFigures figures_of(const ExperimentData& data, std::size_t condition, std::size_t against, double level) {
  return Comparing(data, condition, against, level).figures();
}

}  // namespace

std::vector<PairFigures> pair_figures(const ExperimentData& data, double level) {
  std::set<std::pair<std::size_t, std::size_t>> compared;
  for (const PairVerdict& verdict : data.pairs)
    compared.insert(std::minmax(verdict.condition_a, verdict.condition_b));
  std::vector<PairFigures> all;
  if (const auto control = control_of(data)) {
    for (std::size_t condition = 0; condition < data.conditions.size(); ++condition) {
      if (condition != *control) all.push_back(figures_of(data, condition, *control, level));
    }
    std::erase_if(compared,
                  [&](const auto& pair) { return pair.first == *control || pair.second == *control; });
  }
  for (const auto& [one, other] : compared) {
    if (one != other) all.push_back(figures_of(data, one, other, level));
  }
  return all;
}

BradleyTerry ranking(const ExperimentData& data, std::uint64_t seed, double level) {
  // Alike verdicts are counted together: a bootstrap of 9,000 single ones would take minutes.
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, Choice>, std::int64_t> counts;
  for (const PairVerdict& verdict : data.pairs)
    ++counts[{verdict.query, verdict.condition_a, verdict.condition_b, verdict.winner}];
  std::vector<Comparison> comparisons;
  for (const auto& [key, count] : counts) {
    const auto& [query, a, b, winner] = key;
    Comparison comparison;
    comparison.a = data.conditions[a].name;
    comparison.b = data.conditions[b].name;
    comparison.winner = winner == Choice::a ? Winner::a : winner == Choice::b ? Winner::b : Winner::tie;
    comparison.first = FirstSeat::a;
    comparison.cluster = cluster_of(query);
    comparison.count = count;
    comparisons.push_back(std::move(comparison));
  }
  BradleyTerryOptions options;
  options.seat = SeatEffect::estimated;
  options.level = level;
  options.bootstrap = Resampling{kRankingDraws, level, Random::keyed(seed, "ranking")};
  return bradley_terry(comparisons, options);
}

}  // namespace assay::experiment
