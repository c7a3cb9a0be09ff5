// What is compared on what, as figures need to know it: the variants, how often each answers, and the shape
// of each metric. Made from the config once; everything about it that is said of the data comes from
// CaseMarks.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stats/estimate.h"

namespace assay::custom {

struct MetricShape {
  std::string name;
  enum class Value {
    yes_no,  // 0 or 1, and that is whether it passes
    score,   // a number in `scale`
    label,   // a class; scored where one is expected
    pair,    // against the baseline: 1 win, ½ tie, 0 loss
  } value = Value::yes_no;
  Interval scale = {0, 1};
  bool has_passes = false;                  // a score that passes or not (`passes`); yes_no always does
  std::function<bool(double)> passes = {};  // which, where the score alone decides
  bool judged = false;                      // by a model
  int votes = 1;                            // judgements of one answer
  bool named_parts = false;                 // it may give several numbers by names of its own
  double weight = 1;
  bool lower_is_better = false;           // of a score
  std::vector<std::string> classes = {};  // of a label, as declared; empty: whatever words there are

  bool has_rate() const { return value == Value::yes_no || (value == Value::score && has_passes); }
};

struct Design {
  std::vector<std::string>
      variants;  // one empty name: the data hold the outputs, figures have no variant part
  std::optional<std::size_t> baseline;  // among the variants
  int repeats = 1;
  std::vector<MetricShape> metrics;
  std::vector<std::size_t> case_passes;  // metrics that an answer must pass; empty: all that have a rate
  std::vector<std::string> slices;       // fields that every figure is also given by
  bool case_checks = false;              // some cases have checks of their own

  // The user named what an answer must pass: then these are the metrics that comparisons are about.
  bool names_case_passes() const { return !case_passes.empty(); }
  bool has_variants() const { return variants.size() > 1 || !variants.front().empty(); }
};

}  // namespace assay::custom
