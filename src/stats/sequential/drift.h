// Has a judge changed? The same items are scored in run after run, and after each run one may look.
//
// Nothing is assumed of the scores but that, as long as nothing has changed, the scores of an item in all
// runs so far are as likely in one order as in any other, whatever the others have; items may be as noisy and
// as unequal as they like.
// So at each look the new run's score of an item is, given the scores so far without their order, a draw from
// them, and the distribution of the sum over items is known exactly. Its tails are the p-values of the look;
// those of different looks are independent (a conformal test: Vovk, Gammerman, Shafer, Algorithmic Learning
// in a Random World, 2nd edition, 2022, chapter 8).
//
// They are gambled with: a p-value multiplies what was staked by κ·p^(κ - 1), for four κ, from each look on
// that could have been the first after a change, with the shares 1/(k(k + 1)). If nothing ever changes, the
// chance that the wealth ever comes to 1/α is at most α (Ville), however long one looks. Half of α watches
// the scores, half how close they are to what people said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stats/estimate.h"

namespace assay {

// The whole levels that an item had in earlier runs, and the one that it has now.
struct RepeatedLevel {
  struct Times {
    int level = 0;
    std::int64_t times = 0;
  };
  std::vector<Times> earlier;  // ascending; at least one
  int now = 0;
};

struct ExchangeTest {
  double p_higher = 1;  // of a sum at least as high as this, had nothing changed
  double p_lower = 1;
  std::int64_t items = 0;  // that vary at all
};

// Exact: by the distribution of the sum, item by item.
ExchangeTest exchange_test(std::span<const RepeatedLevel> items);

struct DriftPlan {
  double alpha = 0.05;
  Interval range{0, 1};  // that a score lies in
};

// One change that was found. Runs are counted from 0.
struct Drift {
  enum class Way { higher, lower, closer, further };
  Way way = Way::higher;     // what was seen: scores, or their closeness to the labels
  std::size_t from = 0;      // the first run of those before the change
  std::size_t changed = 0;   // the run that most likely was the first after it
  std::size_t found = 0;     // the run after which it was known
  std::size_t until = 0;     // behind the last run of those after it
  double evidence = 0;       // the wealth; at least 1/α
  Estimate shift;            // mean score after - before, over the items that have both; t over items
  Estimate closeness_shift;  // the same of 1 - |score - label|/width; undefined without labels
};

struct DriftCourse {
  std::vector<Drift> drifts;
  std::vector<double> evidence;  // after each run
};

// `runs[t][i]`: the score of item i in run t, NaN if it has none; all of one length, that of `labels` (NaN:
// none). After a change was found, later runs are held against the run that gave it away and those behind it.
DriftCourse watch_drift(std::span<const std::vector<double>> runs, std::span<const double> labels,
                        const DriftPlan& plan = {});

}  // namespace assay
