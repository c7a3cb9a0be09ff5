// Figures inside sentences.
#pragma once

#include <string>

#include <fmt/format.h>

#include "stats/estimate.h"

namespace assay::experiment {

inline std::string interval_words(double level) {
  return fmt::format("{:g} % interval", 100 * level);
}

inline std::string p_words(double p) {
  return p < 0.001 ? "below 0.001" : fmt::format("{:.3f}", p);
}

inline std::string queries_words(std::int64_t queries) {
  return fmt::format("{} {}", queries, queries == 1 ? "query" : "queries");
}

// "+0.52 points", "63 %", "-12 percentage points".
enum class FigureForm { points, share, share_difference };
inline std::string value_words(double value, FigureForm form) {
  switch (form) {
    case FigureForm::points:
      return fmt::format("{:+.2f} points", value);
    case FigureForm::share:
      return fmt::format("{:.0f} %", 100 * value);
    case FigureForm::share_difference:
      return fmt::format("{:+.0f} percentage points", 100 * value);
  }
  return "";
}

// "-0.27 to +2.60", "55 % to 71 %".
inline std::string range_words(const Interval& range, FigureForm form) {
  switch (form) {
    case FigureForm::points:
      return fmt::format("{:+.2f} to {:+.2f}", range.low, range.high);
    case FigureForm::share:
      return fmt::format("{:.0f} % to {:.0f} %", 100 * range.low, 100 * range.high);
    case FigureForm::share_difference:
      return fmt::format("{:+.0f} to {:+.0f}", 100 * range.low, 100 * range.high);
  }
  return "";
}

// "+1.17 points, 95 % interval -0.27 to +2.60"; the figure must have a value.
inline std::string figure_words(const Estimate& estimate, FigureForm form) {
  const std::string value = value_words(*estimate.value, form);
  if (!estimate.ci) return fmt::format("{}, {}", value, estimate.undefined);
  return fmt::format("{}, {} {}", value, interval_words(estimate.level), range_words(*estimate.ci, form));
}

}  // namespace assay::experiment
