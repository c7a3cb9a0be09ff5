#include "stats/agreement/human_labels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "core/random.h"
#include "stats/intervals/mean.h"

namespace assay {
namespace {

constexpr const char* kBadLevel = "an interval's level must lie between 0 and 1";
constexpr const char* kNoSpread =
    "no interval: the scores do not vary, which says nothing about the error of the mean";
constexpr double kLeastYouden = 0.05;

// A variance of the mean of n numbers, as one part of an estimate's variance.
struct Part {
  double variance = 0;
  double freedom = 0;
};

Part part_of(const Moments& moments, LabelInterval interval) {
  if (moments.n() < 2) return {};
  const double n = static_cast<double>(moments.n());
  const double deviation =
      interval == LabelInterval::normal ? *moments.population_deviation() : *moments.sample_deviation();
  return {deviation * deviation / n, n - 1};
}

double quantile_for(std::span<const Part> parts, const LabelOptions& options) {
  const double share = 0.5 + options.level / 2;
  if (options.interval == LabelInterval::normal) return boost::math::quantile(boost::math::normal(), share);
  double total = 0;
  double weighted = 0;  // Welch and Satterthwaite
  for (const Part& part : parts) {
    total += part.variance;
    if (part.freedom > 0) weighted += part.variance * part.variance / part.freedom;
  }
  return boost::math::quantile(boost::math::students_t(total * total / weighted), share);
}

// The value with the interval that its parts allow.
Estimate figure(double value, std::int64_t n, std::string method, std::span<const Part> parts, double scale,
                const LabelOptions& options) {
  Estimate estimate;
  estimate.value = value;
  estimate.n = n;
  estimate.method = std::move(method);
  estimate.level = options.level;
  double variance = 0;
  for (const Part& part : parts) variance += part.variance;
  if (!(options.level > 0 && options.level < 1)) {
    estimate.undefined = kBadLevel;
  } else if (std::ranges::any_of(parts, [](const Part& part) { return part.freedom < 1; })) {
    estimate.undefined = "no interval: one row has no spread";
  } else if (variance <= 1e-26 * scale * scale) {
    estimate.undefined = kNoSpread;
  } else {
    const double half = quantile_for(parts, options) * std::sqrt(variance);
    estimate.ci = Interval{value - half, value + half};
  }
  return estimate;
}

struct Labelled {
  std::vector<double> human;
  std::vector<double> judge;
};

// Σ(x - x̄)(y - ȳ)/n.
double covariance(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mean_x) * (y[i] - mean_y);
  return sum / n;
}

// How many of the labelled rows judge and people say exactly the same of.
struct Equal {
  std::int64_t rows = 0;
  std::int64_t of = 0;
  void add(double human, double judge) {
    rows += human == judge ? 1 : 0;
    ++of;
  }
  bool most() const { return 2 * rows >= of; }
};

// human - λ·judge of the four rows that are taken as labelled besides; `mean` is that of the labelled ones,
// `deviation` that of all of the judge's scores. Nothing where none are.
std::vector<double> residuals_besides(UnseenErrors unseen, const Equal& equal, double lambda, double mean,
                                      double deviation) {
  if (unseen == UnseenErrors::one_of_each) return {0, 1, -lambda, 1 - lambda};
  if (unseen == UnseenErrors::none || !equal.most()) return {};
  const double apart = (1 + lambda) * deviation;
  const double alike = (1 - lambda) * deviation;
  return {mean - apart, mean - alike, mean + alike, mean + apart};
}

// λ·mean(unlabelled judge) + mean(human - λ·judge); `deviation` is that of the judge's scores.
Estimate powered(const Labelled& labelled, const Moments& unlabelled, double lambda, double deviation,
                 std::string method, const LabelOptions& options) {
  Equal equal;
  Moments residual;
  double scale = 0;
  for (std::size_t i = 0; i < labelled.human.size(); ++i) {
    residual.add(labelled.human[i] - lambda * labelled.judge[i]);
    equal.add(labelled.human[i], labelled.judge[i]);
    scale = std::max(scale, std::fabs(labelled.human[i]) + std::fabs(labelled.judge[i]));
  }
  const Part rest = part_of(unlabelled, options.interval);
  Part own = part_of(residual, options.interval);
  const auto besides = residuals_besides(options.unseen, equal, lambda, *residual.mean(), deviation);
  if (!besides.empty() && residual.n() > 1) {
    Moments spread = residual;
    for (const double one : besides) spread.add(one);
    const double n = static_cast<double>(spread.n());
    own.variance = part_of(spread, options.interval).variance * n / static_cast<double>(residual.n());
  }
  const Part parts[] = {{lambda * lambda * rest.variance, rest.freedom}, own};
  // A judge that is not trusted at all adds nothing, whatever it said.
  const std::span<const Part> used = lambda == 0 ? std::span(parts).subspan(1) : std::span<const Part>(parts);
  return figure(lambda * *unlabelled.mean() + *residual.mean(), residual.n(), std::move(method), used, scale,
                options);
}

bool is_probability(double p) {
  return p > 0 && p <= 1;
}

}  // namespace

HumanLabelFigures with_human_labels(std::span<const double> human, std::span<const double> judge,
                                    std::span<const double> judge_only, const LabelOptions& options) {
  HumanLabelFigures figures;
  if (human.size() != judge.size()) {
    const Estimate none = undefined_figure("not every labelled row has both scores");
    return {none, none, none, none, std::nullopt};
  }
  Labelled labelled;
  Moments people;
  Moments unlabelled;
  Moments everywhere;  // the judge on all rows
  std::int64_t left_out = 0;
  for (std::size_t i = 0; i < human.size(); ++i) {
    if (!std::isfinite(human[i]) || !std::isfinite(judge[i])) {
      ++left_out;
      continue;
    }
    labelled.human.push_back(human[i]);
    labelled.judge.push_back(judge[i]);
    people.add(human[i]);
    everywhere.add(judge[i]);
  }
  for (const double score : judge_only) {
    unlabelled.add(score);
    everywhere.add(score);
  }
  const auto mean = [&](const Moments& moments) {
    if (moments.n() == 0) return undefined_figure("no observations");
    const Part part = part_of(moments, options.interval);
    const double scale = std::max(std::fabs(*moments.minimum()), std::fabs(*moments.maximum()));
    return figure(*moments.mean(), moments.n(), "mean", std::span(&part, 1), scale, options);
  };
  figures.judge_only = mean(unlabelled);
  figures.human_only = mean(people);
  if (labelled.human.empty() || unlabelled.n() == 0) {
    figures.ppi = figures.ppi_plus_plus = undefined_figure(
        labelled.human.empty() ? "no row has a human label" : "no row is judged alone; use the human labels");
  } else {
    const double n = static_cast<double>(people.n());
    const double others = static_cast<double>(unlabelled.n());
    const double deviation = everywhere.sample_deviation().value_or(0);
    figures.ppi = powered(labelled, unlabelled, 1, deviation, "ppi", options);
    const double lambda = deviation > 0 ? covariance(labelled.human, labelled.judge) /
                                              ((1 + n / others) * deviation * deviation)
                                        : 0;
    figures.lambda = std::clamp(lambda, 0.0, 1.0);
    figures.ppi_plus_plus =
        powered(labelled, unlabelled, *figures.lambda, deviation, "ppi_plus_plus", options);
  }
  if (left_out > 0) {
    for (Estimate* estimate : {&figures.human_only, &figures.ppi, &figures.ppi_plus_plus}) {
      estimate->missing["not_finite"] = left_out;
    }
  }
  if (unlabelled.not_finite() > 0) {
    for (Estimate* estimate : {&figures.judge_only, &figures.ppi, &figures.ppi_plus_plus}) {
      estimate->missing["not_finite"] += unlabelled.not_finite();
    }
  }
  return figures;
}

WeightedLabelFigure with_weighted_labels(std::span<const JudgedRow> rows, const LabelOptions& options) {
  Estimate estimate;
  estimate.method = "ppi_plus_plus_weighted";
  estimate.level = options.level;
  std::vector<const JudgedRow*> used;
  Equal equal;
  Moments judged;
  double judge_sum = 0;
  double weights = 0;
  double square_weights = 0;
  double human_sum = 0;
  double judge_labelled_sum = 0;
  double scale = 0;
  for (const JudgedRow& row : rows) {
    if (!std::isfinite(row.judge) || (row.human && !std::isfinite(*row.human))) {
      ++estimate.missing["not_finite"];
      continue;
    }
    if (!is_probability(row.probability)) {
      estimate.undefined = "a row's probability of being labelled does not lie above 0 and up to 1";
      return {std::move(estimate), std::nullopt};
    }
    used.push_back(&row);
    judged.add(row.judge);
    judge_sum += row.judge;
    scale = std::max(scale, std::fabs(row.judge));
    if (!row.human) continue;
    ++estimate.n;
    equal.add(*row.human, row.judge);
    weights += 1 / row.probability;
    square_weights += 1 / (row.probability * row.probability);
    human_sum += *row.human / row.probability;
    judge_labelled_sum += row.judge / row.probability;
    scale = std::max(scale, std::fabs(*row.human));
  }
  if (estimate.n == 0) {
    estimate.undefined = "no row has a human label";
    return {std::move(estimate), std::nullopt};
  }
  const double count = static_cast<double>(used.size());
  const double judge_mean = judge_sum / count;
  const double human_mean = human_sum / weights;
  const double judge_labelled_mean = judge_labelled_sum / weights;

  // ψ = fixed + λ·slope, summed by cluster.
  struct Influence {
    double fixed = 0;
    double slope = 0;
  };
  std::vector<Influence> units;
  std::map<std::string_view, std::size_t> unit_of;
  std::int64_t labelled_units = 0;
  std::map<std::string_view, bool> labelled_clusters;
  for (const JudgedRow* row : used) {
    std::size_t unit = units.size();
    if (!row->cluster.empty()) unit = unit_of.try_emplace(row->cluster, unit).first->second;
    if (unit == units.size()) units.emplace_back();
    units[unit].slope += row->judge - judge_mean;
    if (!row->human) continue;
    const double weight = count / (row->probability * weights);
    units[unit].fixed += weight * (*row->human - human_mean);
    units[unit].slope -= weight * (row->judge - judge_labelled_mean);
    if (row->cluster.empty() || labelled_clusters.try_emplace(row->cluster, true).second) ++labelled_units;
  }
  double products = 0;
  double slopes = 0;
  for (const Influence& unit : units) {
    products += unit.fixed * unit.slope;
    slopes += unit.slope * unit.slope;
  }
  const double lambda = slopes > 1e-26 * scale * scale ? std::clamp(-products / slopes, 0.0, 1.0) : 0;
  estimate.value = lambda * judge_mean + human_mean - lambda * judge_labelled_mean;
  if (!(options.level > 0 && options.level < 1)) {
    estimate.undefined = kBadLevel;
  } else if (labelled_units < 2) {
    estimate.undefined = estimate.n < 2 ? "no interval: one row has no spread"
                                        : "no interval: one cluster shows no spread between clusters";
  } else {
    double squares = 0;
    for (const Influence& unit : units) {
      squares += (unit.fixed + lambda * unit.slope) * (unit.fixed + lambda * unit.slope);
    }
    // People saw few of the units: their number, not that of all, tells how well the spread is known.
    const double known = static_cast<double>(labelled_units);
    const double mean = human_mean - lambda * judge_labelled_mean;
    const auto besides =
        residuals_besides(options.unseen, equal, lambda, mean, judged.sample_deviation().value_or(0));
    if (!besides.empty()) {
      // With the weight that the labelled rows have in the variance.
      const double weight = count / weights;
      const double average = weight * weight * square_weights / static_cast<double>(estimate.n);
      for (const double one : besides) squares += average * (one - mean) * (one - mean);
      squares *= known / (known + 4);
    }
    if (options.interval == LabelInterval::student) {
      squares *= known / (known - 1);
    } else if (units.size() < used.size()) {
      squares *= static_cast<double>(units.size()) / static_cast<double>(units.size() - 1);
    }
    const Part part{squares / (count * count), known - 1};
    Estimate with_interval =
        figure(*estimate.value, estimate.n, estimate.method, std::span(&part, 1), scale, options);
    estimate.ci = with_interval.ci;
    estimate.undefined = std::move(with_interval.undefined);
  }
  return {std::move(estimate), lambda};
}

Estimate people_of_weighted_labels(std::span<const JudgedRow> rows, const LabelOptions& options) {
  std::vector<JudgedRow> labelled;
  for (const JudgedRow& row : rows) {
    if (!row.human) continue;
    labelled.push_back(row);
    labelled.back().judge = 0;  // one that says nothing is trusted with nothing
  }
  LabelOptions alone = options;
  alone.unseen = UnseenErrors::none;
  Estimate estimate = with_weighted_labels(labelled, alone).estimate;
  estimate.method = "mean_weighted";
  return estimate;
}

Estimate rogan_gladen(const JudgeErrors& counts, double level) {
  const auto valid = [](std::int64_t part, std::int64_t whole) { return part >= 0 && part <= whole; };
  if (!valid(counts.judged_pass, counts.judged) || !valid(counts.human_pass_pass, counts.human_pass) ||
      !valid(counts.human_fail_fail, counts.human_fail)) {
    return undefined_figure("a count lies outside 0 to its total");
  }
  if (counts.judged == 0) return undefined_figure("no observations");
  if (counts.human_pass == 0 || counts.human_fail == 0) {
    return undefined_figure(fmt::format("the judge's {} is unknown: people let no labelled row {}",
                                        counts.human_pass == 0 ? "sensitivity" : "specificity",
                                        counts.human_pass == 0 ? "pass" : "fail"),
                            counts.judged);
  }
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  const auto variance = [&](std::int64_t part, std::int64_t whole) {
    const bool at_the_edge = part == 0 || part == whole;
    const double p = at_the_edge ? share(part + 1, whole + 2) : share(part, whole);
    return p * (1 - p) / static_cast<double>(whole);
  };
  Estimate estimate;
  estimate.n = counts.judged;
  estimate.method = "rogan_gladen";
  estimate.level = level;
  if (!(level > 0 && level < 1)) {
    estimate.undefined = kBadLevel;
    return estimate;
  }
  const double passing = share(counts.judged_pass, counts.judged);
  const double sensitivity = share(counts.human_pass_pass, counts.human_pass);
  const double specificity = share(counts.human_fail_fail, counts.human_fail);
  const double sensitivity_variance = variance(counts.human_pass_pass, counts.human_pass);
  const double specificity_variance = variance(counts.human_fail_fail, counts.human_fail);
  const double z = boost::math::quantile(boost::math::normal(), 0.5 + level / 2);
  const double youden = sensitivity + specificity - 1;
  const double doubt = z * std::sqrt(sensitivity_variance + specificity_variance);
  if (youden < kLeastYouden || youden <= doubt) {
    estimate.undefined = fmt::format(
        "sensitivity + specificity - 1 = {:.2f} ± {:.2f} cannot be told from 0: the judge says too "
        "little about what people would say",
        youden, doubt);
    return estimate;
  }
  const double rate = (passing + specificity - 1) / youden;
  const double inside = std::clamp(rate, 0.0, 1.0);
  const double error =
      std::sqrt(variance(counts.judged_pass, counts.judged) +
                (1 - inside) * (1 - inside) * specificity_variance + inside * inside * sensitivity_variance) /
      youden;
  estimate.value = inside;
  if (rate - z * error >= 1 || rate + z * error <= 0) {
    estimate.undefined =
        "no interval: the judge's verdicts contradict its measured errors, which must be different in these "
        "rows";
    return estimate;
  }
  estimate.ci = Interval{std::max(rate - z * error, 0.0), std::min(rate + z * error, 1.0)};
  return estimate;
}

namespace {

struct TicketedRow {
  double score;
  std::uint64_t ticket;
  std::size_t index;
};

// Probabilities in proportion to `sizes` that sum to the budget, none above 1.
std::vector<double> inclusion_probabilities(std::span<const double> sizes, std::size_t budget) {
  if (budget >= sizes.size()) return std::vector<double>(sizes.size(), 1.0);
  std::vector<double> chances(sizes.size(), 0.0);
  std::vector<bool> certain(sizes.size(), false);
  for (auto left = static_cast<double>(budget);;) {
    double sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) sum += certain[i] ? 0 : sizes[i];
    bool more = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (certain[i]) continue;
      chances[i] = sum > 0 ? left * sizes[i] / sum : 0;
      more = more || chances[i] >= 1;
    }
    if (!more) return chances;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (certain[i] || chances[i] < 1) continue;
      certain[i] = true;
      chances[i] = 1;
      left -= 1;
    }
  }
}

// Systematic sampling in random order: each row has exactly its probability, and their number is the budget.
void choose_informative(std::vector<TicketedRow>& rows, std::size_t budget, const LabelPlan& plan,
                        LabelChoice& choice) {
  constexpr double kFloor = 0.05;
  std::ranges::sort(rows, {}, [](const TicketedRow& row) { return std::pair(row.ticket, row.index); });
  std::vector<double> sizes;
  for (const TicketedRow& row : rows) {
    const double share =
        std::clamp((row.score - plan.range.low) / (plan.range.high - plan.range.low), 0.0, 1.0);
    sizes.push_back(std::sqrt(share * (1 - share) + kFloor));
  }
  const std::vector<double> chances = inclusion_probabilities(sizes, std::min(budget, rows.size()));
  double next = Random::keyed(plan.seed, "label", "start").uniform();
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    choice.probabilities[rows[i].index] = chances[i];
    sum += chances[i];
    if (chances[i] < 1 && sum <= next) continue;
    choice.rows.push_back(rows[i].index);
    next += 1;
  }
  std::ranges::sort(choice.rows);
}

}  // namespace

LabelChoice choose_rows_to_label(std::span<const double> judge, std::span<const std::string> names,
                                 std::size_t budget, const LabelPlan& plan) {
  LabelChoice choice;
  choice.probabilities.assign(judge.size(), 0.0);
  if (!names.empty() && names.size() != judge.size()) {
    choice.undefined = "not every row has a name";
    return choice;
  }
  // By score; equal scores in the order of chance, which also says who is chosen within a group.
  using Row = TicketedRow;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < judge.size(); ++i) {
    if (!std::isfinite(judge[i])) continue;
    Random random =
        names.empty() ? Random::keyed(plan.seed, "label", i) : Random::keyed(plan.seed, "label", names[i]);
    rows.push_back({judge[i], random.bits64(), i});
  }
  if (rows.empty() || budget == 0) {
    choice.undefined = rows.empty() ? "no row has a score" : "no labels were asked for";
    return choice;
  }
  if (plan.design == LabelPlan::Design::informative) {
    choose_informative(rows, budget, plan, choice);
    return choice;
  }
  std::ranges::sort(rows, [](const Row& a, const Row& b) {
    return a.score != b.score ? a.score < b.score : a.ticket < b.ticket;
  });

  // Ends of the groups. Each takes its share of the rows and then the rest of the last score's rows.
  std::vector<std::size_t> ends;
  const bool stratified = plan.design == LabelPlan::Design::stratified;
  const std::size_t most = stratified ? std::max<std::size_t>(1, std::min(plan.strata, budget)) : 1;
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < rows.size(); ++i) distinct += rows[i].score != rows[i - 1].score ? 1 : 0;
  for (std::size_t begin = 0; begin < rows.size();) {
    const std::size_t groups_left = most - ends.size();
    std::size_t end = distinct <= most ? begin + 1  // a group for every score
                      : groups_left <= 1
                          ? rows.size()
                          : begin + std::max<std::size_t>(1, (rows.size() - begin) / groups_left);
    while (end < rows.size() && rows[end].score == rows[end - 1].score) ++end;
    ends.push_back(end);
    begin = end;
  }

  // The same number from each group; what a small group cannot use goes to the others, smallest first.
  std::vector<std::size_t> by_size(ends.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  const auto begin_of = [&](std::size_t group) { return group == 0 ? 0 : ends[group - 1]; };
  const auto size_of = [&](std::size_t group) { return ends[group] - begin_of(group); };
  std::ranges::sort(by_size, [&](std::size_t a, std::size_t b) {
    return size_of(a) != size_of(b) ? size_of(a) < size_of(b) : a < b;
  });
  std::size_t left = std::min(budget, rows.size());
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    const std::size_t group = by_size[i];
    const std::size_t size = size_of(group);
    const std::size_t take = std::min(size, left / (by_size.size() - i));
    left -= take;
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin_of(group));
    const auto members = std::span(first, size);
    std::ranges::sort(members, [](const Row& a, const Row& b) {
      return a.ticket != b.ticket ? a.ticket < b.ticket : a.index < b.index;
    });
    for (std::size_t member = 0; member < size; ++member) {
      choice.probabilities[members[member].index] = static_cast<double>(take) / static_cast<double>(size);
      if (member < take) choice.rows.push_back(members[member].index);
    }
  }
  std::ranges::sort(choice.rows);
  return choice;
}

}  // namespace assay
