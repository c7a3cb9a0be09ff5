// A figure that says how sure it is. Undefined is not zero: a figure without a denominator has no value, and
// says why; an interval is never a point because data were missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace assay {

struct Interval {
  double low = 0;
  double high = 0;
};

struct Estimate {
  std::optional<double> value;
  std::int64_t n = 0;                 // how many observations it rests on
  std::optional<std::int64_t> count;  // a rate's numerator
  std::optional<Interval> ci;
  std::string method;   // how the interval was made: "wilson", "t", "t_clustered", "bootstrap_percentile", …
  double level = 0.95;  // of the interval
  // Why there is no value or no interval; empty if both are there, and for a plain figure (see below).
  std::string undefined;
  std::map<std::string, std::int64_t> missing;  // observations left out, by reason ("judge_failed": 3)
  std::optional<Interval> bounds;  // the value if every missing one were worst / best; only if any is missing
};

// A count, or a description of the data at hand (maximum, standard deviation): no interval is meant, and
// `method` stays empty.
inline Estimate plain_figure(double value, std::int64_t n) {
  Estimate estimate;
  estimate.value = value;
  estimate.n = n;
  return estimate;
}

inline Estimate undefined_figure(std::string reason, std::int64_t n = 0) {
  Estimate estimate;
  estimate.n = n;
  estimate.undefined = std::move(reason);
  return estimate;
}

}  // namespace assay
