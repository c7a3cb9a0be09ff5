#include "evaluations/case_spread.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "report/plots/few.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kFineBins = 1000;
constexpr std::size_t kShownBins = 20;
constexpr std::size_t kStepsPerDecade = 50;
constexpr std::size_t kMostPoints = 200;
constexpr std::size_t kMostHistograms = 8;
constexpr std::int64_t kFewestCases = kFewestForABar;  // below, the table of cases says it better
constexpr Interval kMilliseconds{0.01, 1e8};
constexpr Interval kDollars{1e-8, 1e4};

const Metric* find_metric(const Summary& summary, std::string_view name) {
  const auto found = std::ranges::find(summary.metrics, name, &Metric::name);
  return found == summary.metrics.end() ? nullptr : &*found;
}

}  // namespace

BinnedValues BinnedValues::linear(Interval range, std::size_t bins) {
  return {Scale::linear, range, bins};
}

BinnedValues BinnedValues::logarithmic(Interval range) {
  const double decades = std::log10(range.high / range.low);
  return {Scale::logarithmic, range, static_cast<std::size_t>(std::ceil(decades * kStepsPerDecade))};
}

std::size_t BinnedValues::bin_of(double value) const {
  const double share = scale_ == Scale::linear ? (value - range_.low) / (range_.high - range_.low)
                                               : std::log(std::max(value, range_.low) / range_.low) /
                                                     std::log(range_.high / range_.low);
  const double last = static_cast<double>(bins_.size() - 1);
  return static_cast<std::size_t>(
      std::clamp(std::floor(share * static_cast<double>(bins_.size())), 0.0, last));
}

void BinnedValues::add(double value) {
  if (!std::isfinite(value)) return;
  Bin& bin = bins_[bin_of(value)];
  ++bin.count;
  bin.mean += (value - bin.mean) / static_cast<double>(bin.count);
  largest_ = n_ == 0 ? value : std::max(largest_, value);
  ++n_;
  inner_ |= value != range_.low && value != range_.high;
}

double BinnedValues::quantile(double share) const {
  const auto wanted = std::max<std::int64_t>(1, std::llround(std::ceil(share * static_cast<double>(n_))));
  std::int64_t below = 0;
  double last = range_.low;
  for (const Bin& bin : bins_) {
    if (bin.count == 0) continue;
    below += bin.count;
    last = bin.mean;
    if (below >= wanted) break;
  }
  return last;
}

std::vector<CumulativeSeries::Point> BinnedValues::cumulative(std::size_t most) const {
  std::vector<CumulativeSeries::Point> all;
  std::int64_t below = 0;
  for (const Bin& bin : bins_) {
    if (bin.count == 0) continue;
    below += bin.count;
    all.push_back({bin.mean, static_cast<double>(below) / static_cast<double>(n_)});
  }
  if (all.size() <= most) return all;
  std::vector<CumulativeSeries::Point> thinned;
  thinned.reserve(most);
  for (std::size_t i = 0; i < most; ++i) thinned.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return thinned;
}

std::vector<HistogramBin> BinnedValues::histogram(std::size_t bins) const {
  std::vector<HistogramBin> out(bins);
  const double width = (range_.high - range_.low) / static_cast<double>(bins);
  for (std::size_t i = 0; i < bins; ++i) {
    out[i].from = range_.low + width * static_cast<double>(i);
    out[i].to = i + 1 == bins ? range_.high : range_.low + width * static_cast<double>(i + 1);
  }
  for (std::size_t i = 0; i < bins_.size(); ++i) out[i * bins / bins_.size()].count += bins_[i].count;
  return out;
}

Box BinnedValues::box(std::string label) const {
  Box box;
  box.label = std::move(label);
  box.n = n_;
  box.lower_quartile = quantile(0.25);
  box.median = quantile(0.5);
  box.upper_quartile = quantile(0.75);
  const double reach = 1.5 * (box.upper_quartile - box.lower_quartile);
  box.low = box.lower_quartile;
  box.high = box.upper_quartile;
  for (const Bin& bin : bins_) {
    if (bin.count == 0) continue;
    if (bin.mean < box.lower_quartile - reach || bin.mean > box.upper_quartile + reach) {
      box.outliers.push_back(bin.mean);
      continue;
    }
    box.low = std::min(box.low, bin.mean);
    box.high = std::max(box.high, bin.mean);
  }
  return box;
}

bool BinnedValues::only_ends() const {
  return !inner_;
}

CaseSpread::CaseSpread(std::vector<MeanFigure> figures)
    : latency_ms_(BinnedValues::logarithmic(kMilliseconds)), cost_usd_(BinnedValues::logarithmic(kDollars)) {
  for (MeanFigure& figure : figures) {
    if (!(figure.range.low < figure.range.high)) continue;
    BinnedValues values = BinnedValues::linear(figure.range, kFineBins);
    figures_.push_back({std::move(figure), std::move(values)});
  }
}

void CaseSpread::add_scores(Scores scores) {
  for (const Score& score : scores) {
    if (!score.value) continue;
    const auto figure = std::ranges::find(
        figures_, score.figure, [](const Figure& one) { return std::string_view(one.declared.name); });
    if (figure != figures_.end()) figure->values.add(*score.value);
  }
}

void CaseSpread::add_finished(const FinishedCase& finished) {
  if (finished.latency_ms > 0) latency_ms_.add(finished.latency_ms);
  const Json* cost = find_member(finished.usage, "cost_usd");
  const std::optional<double> usd = cost == nullptr ? std::nullopt : as_number(*cost);
  if (usd && *usd > 0) cost_usd_.add(*usd);
  if (cost != nullptr && !usd) cost_known_ = false;
}

void CaseSpread::add_score_plots(Summary& summary) const {
  std::vector<const Figure*> spread;
  for (const Figure& figure : figures_) {
    if (figure.values.n() >= kFewestCases && !figure.values.only_ends()) spread.push_back(&figure);
  }
  const auto mean_of = [&](const Figure& figure) -> std::optional<Estimate> {
    const Metric* metric = find_metric(summary, figure.declared.name);
    return metric == nullptr ? std::nullopt : std::optional(metric->estimate);
  };
  // Side by side where they have one scale.
  std::vector<Box> boxes;
  for (const Figure* figure : spread) {
    const Interval& range = figure->declared.range;
    const Interval& first = spread.front()->declared.range;
    if (range.low != first.low || range.high != first.high) continue;
    boxes.push_back(figure->values.box(metric_words(figure->declared.name)));
    boxes.back().mean = mean_of(*figure);
  }
  if (boxes.size() > 1) {
    summary.plots.push_back(box_plot({"scores", "Scores by figure", ""},
                                     {"score of a case", AxisForm::number, spread.front()->declared.range},
                                     boxes));
  }
  for (std::size_t i = 0; i < std::min(spread.size(), kMostHistograms); ++i) {
    const Figure& figure = *spread[i];
    const std::string words = metric_words(figure.declared.name);
    summary.plots.push_back(
        histogram_plot({"distribution_" + figure.declared.name, words + ": how the cases are spread", ""},
                       words, figure.values.histogram(kShownBins), mean_of(figure)));
  }
}

void CaseSpread::add_plots(Summary& summary) const {
  add_score_plots(summary);
  // Ten cases do not tell what 99 of 100 take: as many are named as there are.
  const auto words_of = [](const BinnedValues& values, const auto& read) {
    std::string words = fmt::format("Half of the cases: at most {}", read(values.quantile(0.5)));
    if (values.n() >= 10) words += fmt::format("; nine of ten: {}", read(values.quantile(0.9)));
    return words + (values.n() >= 100 ? fmt::format("; 99 of 100: {}.", read(values.quantile(0.99)))
                                      : fmt::format("; all of them: {}.", read(values.largest())));
  };
  if (latency_ms_.n() >= kFewestCases) {
    const auto read = [](double ms) {
      return ms < 1000 ? fmt::format("{:.3g} ms", ms) : fmt::format("{:.1f} s", ms / 1000);
    };
    summary.plots.push_back(cumulative_plot({"latency", "Latency of a case", words_of(latency_ms_, read)},
                                            "milliseconds, all its answers added up",
                                            {{"", latency_ms_.n(), latency_ms_.cumulative(kMostPoints)}}));
  }
  if (cost_known_ && cost_usd_.n() >= kFewestCases) {
    const auto read = [](double usd) { return cost_words(usd); };
    summary.plots.push_back(cumulative_plot({"cost", "Cost of a case", words_of(cost_usd_, read)}, "dollars",
                                            {{"", cost_usd_.n(), cost_usd_.cumulative(kMostPoints)}}));
  }
}

}  // namespace assay
