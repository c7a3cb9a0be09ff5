#include "stats/variance/variance_components.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "stats/variance/balanced_table.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMostWork = 4'000'000'000;  // elementary steps of all draws: a few seconds
constexpr std::int64_t kFewestDraws = 1'000;
constexpr std::size_t kMostPanels = 1'000'000;

using Mask = BalancedTable::Mask;

// Facet sets in the order of a report: fewest facets first, then by position.
std::vector<Mask> report_order(Mask whole) {
  std::vector<Mask> order;
  for (Mask set = 1; set <= whole; ++set) order.push_back(set);
  std::ranges::sort(order, [](Mask a, Mask b) {
    if (std::popcount(a) != std::popcount(b)) return std::popcount(a) < std::popcount(b);
    const Mask differ = a ^ b;
    return (a & (differ & (~differ + 1))) != 0;  // whoever holds the first facet that differs
  });
  return order;
}

// One interval per figure from draws of items; `figures` gets the analysis of a draw.
std::vector<ResampledInterval> draw_items(
    const BalancedTable& table, std::size_t figures, const Resampling& resampling,
    const std::function<void(const BalancedTable::Squares&, std::span<double>)>& evaluate) {
  if (table.items() < kFewestClusters)
    return std::vector<ResampledInterval>(figures,
                                          {std::nullopt, "no interval: there are fewer than ten items"});
  Resampling bounded = resampling;
  bounded.level = expanded_level(resampling.level, static_cast<std::int64_t>(table.items()));
  bounded.draws = std::min(resampling.draws, kMostWork / static_cast<std::int64_t>(table.cells()));
  if (bounded.draws < std::min(kFewestDraws, resampling.draws)) {
    return std::vector<ResampledInterval>(
        figures, {std::nullopt, "no interval: there are too many scores to resample"});
  }
  return resample_cells(
      std::vector<std::int64_t>(table.items(), 1), figures,
      [&](std::span<const std::int64_t> counts, std::span<double> row) {
        evaluate(table.analyse(counts), row);
      },
      bounded);
}

// Variances not below 0 by facet set, and the residual where it stands apart.
struct Variances {
  std::vector<double> of;
  double residual = 0;
};

Variances variances_of(const BalancedTable::Squares& squares) {
  Variances variances;
  for (const double component : squares.components) variances.of.push_back(std::max(component, 0.0));
  variances.residual = std::isnan(squares.residual) ? 0 : squares.residual;
  return variances;
}

struct Errors {
  double item = 0;
  double relative = 0;
  double absolute = 0;
};

Errors errors_of(const Variances& variances, const Panel& panel) {
  Errors errors;
  double all = static_cast<double>(panel.repeats);
  for (const std::size_t number : panel.numbers) all *= static_cast<double>(number);
  for (Mask set = 1; set < variances.of.size(); ++set) {
    double variance = variances.of[set];
    for (std::size_t i = 0; i < panel.numbers.size(); ++i) {
      if ((set >> (i + 1) & 1) != 0) variance /= static_cast<double>(panel.numbers[i]);
    }
    if (set == 1) {
      errors.item = variance;
    } else {
      errors.absolute += variance;
      if ((set & 1) != 0) errors.relative += variance;
    }
  }
  errors.relative += variances.residual / all;
  errors.absolute += variances.residual / all;
  return errors;
}

double coefficient_of(double item, double error) {
  return item + error > 0 ? item / (item + error) : kNaN;
}

Variances variances_of(const GStudy& study) {
  Variances variances;
  variances.of.resize(std::size_t{1} << study.facets.size());
  for (const VarianceComponent& component : study.components) {
    if (component.name == "residual" && study.repeats > 1) {
      variances.residual = *component.variance.value;
      continue;
    }
    Mask set = 0;
    for (const std::size_t facet : component.facets) set |= Mask{1} << facet;
    variances.of[set] = *component.variance.value;
  }
  return variances;
}

std::string misfit(const Panel& panel, std::size_t facets, std::size_t repeats) {
  if (panel.numbers.size() + 1 != facets) return "the panel has not one number for each facet but the first";
  if (panel.repeats == 0 || std::ranges::find(panel.numbers, std::size_t{0}) != panel.numbers.end()) {
    return "a panel of nobody";
  }
  if (panel.repeats > 1 && repeats == 1) {
    return "what repeating adds is unknown: the study has one score a cell";
  }
  return "";
}

Reliability undefined_reliability(Estimate described, const std::string& reason) {
  described.undefined = reason;
  Reliability reliability;
  reliability.generalizability = reliability.dependability = std::move(described);
  return reliability;
}

Reliability reliability_of(const Errors& errors, const Estimate& described) {
  const double general = coefficient_of(errors.item, errors.relative);
  const double dependable = coefficient_of(errors.item, errors.absolute);
  Reliability reliability;
  reliability.generalizability = reliability.dependability = described;
  reliability.relative_error = errors.relative;
  reliability.absolute_error = errors.absolute;
  const char* nothing = "neither the items nor the errors vary";
  if (std::isnan(general)) {
    reliability.generalizability.undefined = nothing;
  } else {
    reliability.generalizability.value = general;
  }
  if (std::isnan(dependable)) {
    reliability.dependability.undefined = nothing;
  } else {
    reliability.dependability.value = dependable;
  }
  return reliability;
}

std::string name_of(Mask set, const std::vector<std::string>& facets) {
  std::string name;
  for (std::size_t facet = 0; facet < facets.size(); ++facet) {
    if ((set >> facet & 1) == 0) continue;
    if (!name.empty()) name += "×";
    name += facets[facet];
  }
  return name;
}

std::vector<std::size_t> members(Mask set) {
  std::vector<std::size_t> facets;
  for (std::size_t facet = 0; set >> facet != 0; ++facet) {
    if ((set >> facet & 1) != 0) facets.push_back(facet);
  }
  return facets;
}

}  // namespace

void CrossedDesign::add(std::vector<std::string> levels, double score) {
  if (levels.size() != facets_.size()) {
    ragged_ = true;
  } else if (!std::isfinite(score)) {
    ++not_finite_;
  } else {
    scores_.push_back({std::move(levels), score});
  }
}

GStudy g_study(const CrossedDesign& design, const Resampling& resampling) {
  const BalancedTable table(design);
  GStudy study;
  study.facets = design.facets();
  if (design.not_finite() > 0) study.missing["not_finite"] = design.not_finite();
  if (table.items_left_out() > 0) study.missing["items_incomplete"] = table.items_left_out();
  study.undefined = table.undefined();
  if (!study.undefined.empty()) return study;
  study.levels = table.levels();
  study.repeats = table.repeats();
  study.n = static_cast<std::int64_t>(table.cells() * table.repeats());

  const std::vector<Mask> order = report_order(table.whole());
  const std::size_t figures = order.size() + (table.repeats() > 1 ? 1 : 0);
  const BalancedTable::Squares squares = table.analyse(std::vector<std::int64_t>(table.items(), 1));
  const auto intervals =
      draw_items(table, figures, resampling, [&](const BalancedTable::Squares& drawn, std::span<double> row) {
        const Variances variances = variances_of(drawn);
        for (std::size_t i = 0; i < order.size(); ++i) row[i] = variances.of[order[i]] * table.scale();
        if (figures > order.size()) row[order.size()] = variances.residual * table.scale();
      });
  double sum = 0;
  for (std::size_t i = 0; i < figures; ++i) {
    const bool within = i == order.size();
    const Mask set = within ? table.whole() : order[i];
    VarianceComponent component;
    component.facets = members(set);
    component.name =
        within || (figures == order.size() && set == table.whole()) ? "residual" : name_of(set, study.facets);
    component.df = within ? static_cast<std::int64_t>(table.cells() * (table.repeats() - 1))
                          : static_cast<std::int64_t>(table.freedom(set));
    component.mean_square = squares.mean_squares[within ? 0 : set] * table.scale();
    component.solved = (within ? squares.residual : squares.components[set]) * table.scale();
    component.variance.value = std::max(component.solved, 0.0);
    component.variance.n = study.n;
    component.variance.missing = study.missing;
    attach(component.variance, intervals[i], resampling.level);
    if (component.solved < 0) {
      component.note =
          fmt::format("the mean squares give {:.4g}; a variance is not below 0", component.solved);
    }
    sum += *component.variance.value;
    study.components.push_back(std::move(component));
  }
  for (VarianceComponent& component : study.components) {
    component.share = sum > 0 ? *component.variance.value / sum : 0;
  }
  return study;
}

Reliability d_study(const GStudy& study, const Panel& panel) {
  Estimate described;
  described.n = study.n;
  described.missing = study.missing;
  if (!study.undefined.empty()) return undefined_reliability(described, study.undefined);
  const std::string wrong = misfit(panel, study.facets.size(), study.repeats);
  if (!wrong.empty()) return undefined_reliability(described, wrong);
  return reliability_of(errors_of(variances_of(study), panel), described);
}

Reliability d_study(const CrossedDesign& design, const Panel& panel, const Resampling& resampling) {
  const BalancedTable table(design);
  Estimate described;
  if (design.not_finite() > 0) described.missing["not_finite"] = design.not_finite();
  if (table.items_left_out() > 0) described.missing["items_incomplete"] = table.items_left_out();
  if (!table.undefined().empty()) return undefined_reliability(described, table.undefined());
  described.n = static_cast<std::int64_t>(table.cells() * table.repeats());
  const std::string wrong = misfit(panel, design.facets().size(), table.repeats());
  if (!wrong.empty()) return undefined_reliability(described, wrong);

  Errors errors = errors_of(variances_of(table.analyse(std::vector<std::int64_t>(table.items(), 1))), panel);
  const auto intervals =
      draw_items(table, 2, resampling, [&](const BalancedTable::Squares& drawn, std::span<double> row) {
        const Errors again = errors_of(variances_of(drawn), panel);
        row[0] = coefficient_of(again.item, again.relative);
        row[1] = coefficient_of(again.item, again.absolute);
      });
  errors.item *= table.scale();
  errors.relative *= table.scale();
  errors.absolute *= table.scale();
  Reliability reliability = reliability_of(errors, described);
  attach(reliability.generalizability, intervals[0], resampling.level);
  attach(reliability.dependability, intervals[1], resampling.level);
  return reliability;
}

PanelPlan smallest_panel(const GStudy& study, double target, Coefficient coefficient, const Panel& least,
                         const Panel& most) {
  PanelPlan plan;
  plan.undefined = study.undefined;
  if (plan.undefined.empty()) plan.undefined = misfit(least, study.facets.size(), study.repeats);
  if (plan.undefined.empty()) plan.undefined = misfit(most, study.facets.size(), study.repeats);
  if (plan.undefined.empty() && !(target > 0 && target < 1)) plan.undefined = "a target lies between 0 and 1";
  if (!plan.undefined.empty()) return plan;
  std::vector<std::size_t> low = least.numbers;
  std::vector<std::size_t> high = most.numbers;
  low.push_back(least.repeats);
  high.push_back(most.repeats);
  std::size_t panels = 1;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (low[i] > high[i])
      plan.undefined = "a number's least is above its most";
    else if (high[i] - low[i] >= kMostPanels / panels)
      plan.undefined = "too many panels to try";
    else
      panels *= high[i] - low[i] + 1;
    if (!plan.undefined.empty()) return plan;
  }

  const Variances variances = variances_of(study);
  const auto reached = [&](const std::vector<std::size_t>& numbers) {
    const Panel panel{{numbers.begin(), numbers.end() - 1}, numbers.back()};
    const Errors errors = errors_of(variances, panel);
    return coefficient_of(errors.item,
                          coefficient == Coefficient::generalizability ? errors.relative : errors.absolute);
  };
  double best_size = 0;
  for (std::vector<std::size_t> numbers = low;;) {
    double size = 1;
    for (const std::size_t number : numbers) size *= static_cast<double>(number);
    const double reliability = reached(numbers);
    const bool better =
        !plan.panel || size < best_size || (size == best_size && reliability > *plan.reliability);
    if (reliability >= target && better) {
      plan.panel = Panel{{numbers.begin(), numbers.end() - 1}, numbers.back()};
      plan.reliability = reliability;
      best_size = size;
    }
    std::size_t digit = 0;
    while (digit < numbers.size() && numbers[digit] == high[digit]) {
      numbers[digit] = low[digit];
      ++digit;
    }
    if (digit == numbers.size()) break;
    ++numbers[digit];
  }
  if (plan.panel) {
    plan.scores_per_item = static_cast<std::int64_t>(best_size);
    return plan;
  }
  const double at_most = reached(high);
  if (std::isnan(at_most)) {
    plan.undefined = "neither the items nor the errors vary";
  } else {
    plan.reliability = at_most;
    plan.undefined = fmt::format("the largest panel allowed reaches {:.3f} only", at_most);
  }
  return plan;
}

}  // namespace assay
