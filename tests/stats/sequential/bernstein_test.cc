#include "stats/sequential/bernstein.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "core/random.h"
#include "stats/sequential/boundaries.h"
#include "stats/sequential/sequential.h"

namespace assay {
namespace {

// Scores −1 and 1 in turn. The mean before an odd one is 0, so it adds 1 to v; before the 2k-th it is
// −1/(2k−1), and the score 1 adds (2k/(2k−1))².
struct Alternating {
  double v = 0;
  int n = 0;
};

Alternating add_pairs(BernsteinSequence& sequence, int pairs) {
  Alternating sum;
  for (int k = 1; k <= pairs; ++k) {
    sequence.add(-1);
    sequence.add(1);
    sum.v += 1 + std::pow(2.0 * k / (2 * k - 1), 2);
    sum.n += 2;
  }
  return sum;
}

// Level 0.9 spends 0.05 a side, and a range of width 2 tuned for 300 scores is tuned for v = 100: the setting
// of the published boundaries (boundaries_test.cc).
TEST(Bernstein, FollowsTheBoundaryOfItsVariance) {
  BernsteinSequence mixture({.level = 0.9, .range = {-1, 1}, .tuned_for = 300});
  const auto [v, n] = add_pairs(mixture, 200);
  const Estimate estimate = mixture.now();
  EXPECT_NEAR(estimate.value.value(), 0, 1e-12);
  const double half = gamma_exponential_boundary(v, best_rho(100, 0.10), 2, 0.05) / n;
  EXPECT_NEAR(estimate.ci.value().high, half, 1e-12);
  EXPECT_NEAR(estimate.ci.value().low, -half, 1e-12);
  EXPECT_EQ(estimate.n, 400);
  EXPECT_EQ(estimate.method, "empirical_bernstein_mixture");

  BernsteinSequence stitched(
      {.level = 0.9, .range = {-1, 1}, .bound = BernsteinBound::stitched, .tuned_for = 30});
  add_pairs(stitched, 200);
  EXPECT_NEAR(stitched.now().ci.value().high, stitched_boundary(v, 0.05, {.first_v = 10, .scale = 2}) / n,
              1e-12);
  EXPECT_EQ(stitched.now().method, "empirical_bernstein_stitched");
}

TEST(Bernstein, IsNarrowerTheMoreEvenTheScoresAre) {
  BernsteinSequence even;
  BernsteinSequence uneven;
  for (int i = 0; i < 1000; ++i) {
    even.add(i % 2 == 0 ? 0.45 : 0.55);
    uneven.add(i % 2);
  }
  const auto width = [](const BernsteinSequence& sequence) {
    const Interval ci = sequence.now().ci.value();
    return ci.high - ci.low;
  };
  EXPECT_LT(width(even), width(uneven) / 3);
}

TEST(Bernstein, IsWiderThanBettingAtFirstAndNarrowerInTheLongRun) {
  Random random = Random::keyed("bernstein and betting");
  BernsteinSequence bernstein;
  BettingSequence betting;
  const auto width = [](const auto& sequence) {
    const Interval ci = sequence.now().ci.value();
    return ci.high - ci.low;
  };
  for (int i = 1; i <= 10'000; ++i) {
    const double score = random.uniform();
    bernstein.add(score);
    betting.add(score);
    if (i == 100) EXPECT_GT(width(bernstein), 1.2 * width(betting));
  }
  EXPECT_LT(width(bernstein), 0.9 * width(betting));
}

TEST(Bernstein, StaysWithinTheRangeAndSaysWhatIsMissing) {
  BernsteinSequence sequence;
  EXPECT_EQ(sequence.now().undefined, "no observations");
  EXPECT_FALSE(sequence.now().value.has_value());
  sequence.add(1);
  EXPECT_EQ(sequence.now().ci.value().low, 0);
  EXPECT_EQ(sequence.now().ci.value().high, 1);
  sequence.add(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(sequence.now().missing.at("not_finite"), 1);
  EXPECT_EQ(sequence.now().n, 1);
  sequence.add(1.5);
  EXPECT_EQ(sequence.now().undefined, "a score lies outside the range, which the interval relies on");
  EXPECT_FALSE(sequence.now().ci.has_value());
  BernsteinSequence impossible({.level = 1});
  impossible.add(0.5);
  EXPECT_FALSE(impossible.now().ci.has_value());
  EXPECT_FALSE(impossible.now().undefined.empty());
}

// Looked at over and over, at most 5 % of streams may ever exclude the truth.
TEST(Bernstein, HoldsAtAllTimesTogether) {
  for (const BernsteinBound bound : {BernsteinBound::mixture, BernsteinBound::stitched}) {
    int excluded = 0;
    for (int stream = 0; stream < 100; ++stream) {
      Random random = Random::keyed("bernstein", stream);
      BernsteinSequence sequence({.bound = bound});
      bool held = true;
      for (int i = 1; i <= 600; ++i) {
        sequence.add(random.uniform() < 0.9 ? 1 : 0);
        if (i % 20 != 0) continue;
        const Interval ci = sequence.now().ci.value();
        held = held && ci.low <= 0.9 && ci.high >= 0.9;
      }
      excluded += held ? 0 : 1;
    }
    EXPECT_LE(excluded, 5);
  }
}

}  // namespace
}  // namespace assay
