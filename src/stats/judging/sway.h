// Does a change of the text move a judge that wavers by itself? Each case is judged three times: changed, and
// twice as it was. If the change does not matter to the judge, any of the three could as well have been that
// of the changed text; nothing else is assumed of the judge, its scale or the cases.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/random.h"
#include "stats/estimate.h"
#include "stats/test_result.h"

namespace assay {

struct JudgedThrice {
  double changed = 0;
  double first = 0;  // of the unchanged text
  double again = 0;  // of the same once more
  std::string cluster = {};
};

struct SwayOptions {
  Interval range = {0, 1};      // of a score
  double moved = 0.1;           // a score that differs by more than this part of the range has moved
  std::int64_t draws = 20'000;  // of the permutation test
  Random random = Random::keyed("sway");
};

// Of the cases' mean, changed − (first + again)/2: the share of ways to say which of the three judgements of
// each case was of the changed text whose mean is at least as far from 0. Drawn, p = (1 + hits)/(1 + draws),
// so never 0; 1 if nothing differs. Method "exchange".
TestResult exchange_test(std::span<const JudgedThrice> cases, const SwayOptions& options);

// A change that must not matter.
struct Sway {
  std::int64_t n = 0;
  // Mean of changed − (first + again)/2: paired t, clustered where cases are. Where no score differs, what n
  // cases leave open: were a share q otherwise, none would have shown it with probability (1 − q)ⁿ
  // ("all_equal").
  Estimate shift;
  Estimate moved;           // share of cases whose score moved: Wilson, clustered
  std::int64_t own = 0;     // cases whose score moved when the same text was judged again
  TestResult shifted;       // exchange_test
  TestResult more_often;    // moved by the change alone against moved by itself alone: McNemar, exact
  std::optional<double> p;  // twice the lesser of both, at most 1
};
Sway sway_of(std::span<const JudgedThrice> cases, const SwayOptions& options);

// A change that must matter: a fault was planted, so the score should get worse. A case counts where the
// first judgement of the unchanged text lies in the best quarter of the range, so that it can fall. The other
// two are held against it alike: what a wavering judge does to both is told apart from what the fault does.
struct Notice {
  std::int64_t n = 0;         // cases that count
  std::int64_t left_out = 0;  // those whose score was too low for a fall to say much
  Estimate noticed;           // share whose score got worse by more than `moved`: Wilson, clustered
  std::int64_t own = 0;       // cases that got as much worse when the same text was judged again
  Estimate shift;             // mean of changed − again; below 0 is worse, whatever the scale
  TestResult worse;           // worse by the fault alone against worse by itself alone: McNemar, one-sided
  enum class Verdict {
    noticed,     // in half of the cases or more, beyond chance
    overlooked,  // in less than half
    open,        // too few cases to say
  } verdict = Verdict::open;
};
enum class BetterScore { higher, lower };
Notice notice_of(std::span<const JudgedThrice> cases, BetterScore better, const SwayOptions& options);

}  // namespace assay
