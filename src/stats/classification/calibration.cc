#include "stats/classification/calibration.h"

#include <algorithm>
#include <cmath>

#include "stats/intervals/proportion.h"

namespace assay {
namespace {

constexpr const char* kNoInterval =
    "no interval: small bins push this figure up by chance; see the interval of each bin";

}  // namespace

Calibration::Calibration(std::size_t bins) : bins_(std::clamp<std::size_t>(bins, 1, 1000)) {}

void Calibration::add(double confidence, bool correct) {
  if (!(confidence >= 0 && confidence <= 1)) {
    ++out_of_range_;
    return;
  }
  const double count = static_cast<double>(bins_.size());
  auto bin = static_cast<std::size_t>(std::max(0.0, std::ceil(confidence * count) - 1));
  // The product may round across a border; the border itself, low = bin/m, decides.
  if (bin > 0 && confidence <= static_cast<double>(bin) / count) --bin;
  if (bin + 1 < bins_.size() && confidence > static_cast<double>(bin + 1) / count) ++bin;
  bin = std::min(bin, bins_.size() - 1);

  Sums& sums = bins_[bin];
  ++sums.n;
  sums.correct += correct ? 1 : 0;
  sums.confidence += (confidence - sums.confidence) / static_cast<double>(sums.n);
  const double error = confidence - (correct ? 1 : 0);
  squared_errors_.add(error * error);
  ++n_;
}

double Calibration::gap(const Sums& bin) const {
  return std::fabs(static_cast<double>(bin.correct) / static_cast<double>(bin.n) - bin.confidence);
}

Estimate Calibration::expected_error() const {
  Estimate estimate = undefined_figure("no case has a confidence");
  if (n_ > 0) {
    double sum = 0;
    for (const Sums& bin : bins_) {
      if (bin.n > 0) sum += static_cast<double>(bin.n) * gap(bin);
    }
    estimate = plain_figure(sum / static_cast<double>(n_), n_);
    estimate.undefined = kNoInterval;
  }
  if (out_of_range_ > 0) estimate.missing["out_of_range"] = out_of_range_;
  return estimate;
}

Estimate Calibration::largest_error() const {
  Estimate estimate = undefined_figure("no case has a confidence");
  if (n_ > 0) {
    double largest = 0;
    for (const Sums& bin : bins_) {
      if (bin.n > 0) largest = std::max(largest, gap(bin));
    }
    estimate = plain_figure(largest, n_);
    estimate.undefined = kNoInterval;
  }
  if (out_of_range_ > 0) estimate.missing["out_of_range"] = out_of_range_;
  return estimate;
}

Estimate Calibration::brier_score(double level) const {
  Estimate estimate = estimate_mean(squared_errors_, level);
  if (!estimate.value) estimate.undefined = "no case has a confidence";
  if (out_of_range_ > 0) estimate.missing["out_of_range"] = out_of_range_;
  return estimate;
}

std::vector<Calibration::Bin> Calibration::reliability(double level) const {
  std::vector<Bin> table;
  const double count = static_cast<double>(bins_.size());
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    Bin bin;
    bin.low = static_cast<double>(i) / count;
    bin.high = static_cast<double>(i + 1) / count;
    bin.n = bins_[i].n;
    if (bin.n > 0) bin.mean_confidence = bins_[i].confidence;
    bin.accuracy = wilson(bins_[i].correct, bins_[i].n, level);
    table.push_back(std::move(bin));
  }
  return table;
}

}  // namespace assay
