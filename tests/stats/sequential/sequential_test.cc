#include "stats/sequential/sequential.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/random.h"
#include "stats/intervals/mean.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Values of the confseq unit tests (shared/reference/statistics.md, 4.8): v_opt = 100, α = .05.
TEST(NormalMixture, HasThePublishedBoundary) {
  const double rho = best_rho(100, 0.05);
  EXPECT_NEAR(rho, 12.60056, 5e-6);
  EXPECT_NEAR(normal_mixture_boundary(100, rho, 0.05), 30.35209, 5e-6);
  EXPECT_NEAR(normal_mixture_log_wealth(10, 100, rho), -0.6510052, 5e-8);
  EXPECT_NEAR(normal_mixture_boundary_above(100, best_rho(100, 0.10), 0.05), 27.66071, 5e-6);
  // The boundary is where the wealth reaches 1/α.
  EXPECT_NEAR(normal_mixture_log_wealth(30.35209, 100, rho), std::log(20.0), 5e-6);
}

TEST(NormalMixture, AgreesWithR) {
  const Json reference = reference_file("sequential.json").at("boundaries");
  for (const Json& item : reference.as_array()) {
    const std::vector<double> row = reference_numbers(item);  // v, ρ, α, two-sided, one-sided
    EXPECT_NEAR(normal_mixture_boundary(row[0], row[1], row[2]), row[3], 1e-6 * row[3]);
    EXPECT_NEAR(normal_mixture_boundary_above(row[0], row[1], row[2]), row[4], 1e-6 * row[3]);
  }
}

TEST(NormalMixture, IsUndefinedOutsideItsDomain) {
  EXPECT_TRUE(std::isnan(normal_mixture_boundary(-1, 1, 0.05)));
  EXPECT_TRUE(std::isnan(normal_mixture_boundary(1, 0, 0.05)));
  EXPECT_TRUE(std::isnan(normal_mixture_boundary(1, 1, 1)));
  EXPECT_TRUE(std::isnan(normal_mixture_boundary_above(1, 1, kNaN)));
  EXPECT_TRUE(std::isnan(normal_mixture_log_wealth(1, -1, 1)));
  EXPECT_TRUE(std::isnan(best_rho(0, 0.05)));
}

// 100 observations of range 2 have σ = 1 and v = 100: the half width is 30.35209/100.
TEST(NormalMixture, SequenceFollowsTheBoundary) {
  NormalMixtureSequence sequence({.range = Interval{-1, 1}, .tuned_for = 100});
  for (int i = 0; i < 100; ++i) sequence.add(i % 2 == 0 ? 0.5 : -0.5);
  const Estimate known = sequence.now();
  EXPECT_NEAR(known.value.value(), 0, 1e-12);
  EXPECT_NEAR(known.ci.value().high, 0.3035209, 5e-8);
  EXPECT_NEAR(known.ci.value().low, -0.3035209, 5e-8);
  EXPECT_EQ(known.method, "normal_mixture");
  // With its own deviation, 0.5, half of it.
  NormalMixtureSequence estimated;
  for (int i = 0; i < 100; ++i) estimated.add(i % 2 == 0 ? 0.5 : -0.5);
  EXPECT_NEAR(estimated.now().ci.value().high, 0.3035209 / 2, 5e-8);
  EXPECT_EQ(estimated.now().method, "normal_mixture_asymptotic");
}

TEST(NormalMixture, SequenceSaysWhyThereIsNoInterval) {
  NormalMixtureSequence early;
  for (int i = 0; i < 99; ++i) early.add(i % 2);
  EXPECT_EQ(early.now().undefined,
            "no interval before 100 observations: until then their spread is known too badly");
  early.add(1);
  EXPECT_TRUE(early.now().ci.has_value());
  NormalMixtureSequence sequence({.first_look = 2});
  EXPECT_EQ(sequence.now().undefined, "no observations");
  sequence.add(kNaN);
  sequence.add(2);
  EXPECT_EQ(sequence.now().undefined, "no interval: one observation has no spread");
  EXPECT_EQ(sequence.now().missing.at("not_finite"), 1);
  sequence.add(2);
  EXPECT_EQ(sequence.now().undefined,
            "no interval: all observations are equal, which says nothing about the error of the mean");
  sequence.add(3);
  EXPECT_TRUE(sequence.now().ci.has_value());
  NormalMixtureSequence bounded({.range = Interval{0, 1}});
  bounded.add(1);
  EXPECT_EQ(bounded.now().ci.value().low, 0);  // one score of a known range excludes nothing
  EXPECT_EQ(bounded.now().ci.value().high, 1);
  bounded.add(1.5);
  EXPECT_EQ(bounded.now().undefined, "a score lies outside the range, which the interval relies on");
  EXPECT_FALSE(NormalMixtureSequence({.level = 1}).now().undefined.empty());
  NormalMixtureSequence impossible({.tuned_for = 0});
  impossible.add(1);
  impossible.add(2);
  EXPECT_FALSE(impossible.now().ci.has_value());
}

// confseq's beta-binomial mixture with g = .2, h = .8, v = 100 is 625 trials against p = .2, prior weight
// κ = (ρ - gh)/gh. Log wealth at s = 10: -0.6941012 (confseq); boundaries 31.4308 and 28.41238 (4.8).
TEST(BetaMixture, HasThePublishedBoundaries) {
  const double trials = 625;
  const auto wealth = [&](double s, double rho, BetsOn side) {
    const double weight = (rho - 0.16) / 0.16;
    return beta_mixture_log_wealth(125 + s, trials - 125 - s, 0.2, weight * 0.2, weight * 0.8, side);
  };
  EXPECT_NEAR(wealth(10, best_rho(100, 0.05), BetsOn::both_sides), -0.6941012, 5e-7);
  EXPECT_NEAR(wealth(31.4308, best_rho(100, 0.05), BetsOn::both_sides), std::log(20), 2e-5);
  EXPECT_NEAR(wealth(28.41238, best_rho(100, 0.10), BetsOn::larger), std::log(20), 2e-6);
}

TEST(BetaMixture, AgreesWithR) {
  const Json reference = reference_file("sequential.json").at("mixtures");
  for (const Json& item : reference.as_array()) {
    const std::vector<double> row = reference_numbers(item);
    EXPECT_NEAR(beta_mixture_log_wealth(row[0], row[1], row[2], row[3], row[4]), row[5], 1e-6);
    EXPECT_NEAR(beta_mixture_log_wealth(row[0], row[1], row[2], row[3], row[4], BetsOn::larger), row[6],
                1e-6 * (1 + std::fabs(row[6])));
  }
  EXPECT_TRUE(std::isnan(beta_mixture_log_wealth(1, 1, 0, 1, 1)));
  EXPECT_TRUE(std::isnan(beta_mixture_log_wealth(-1, 1, 0.5, 1, 1)));
  EXPECT_TRUE(std::isnan(beta_mixture_log_wealth(1, 1, 0.5, 0, 1)));
}

// 4.8: 700/1000 tuned for 100, 15/50 for 50, 1/50 for 50, 100/200 for 1.
TEST(BernoulliSequence, HasThePublishedIntervals) {
  struct Published {
    std::int64_t successes;
    std::int64_t n;
    double tuned_for;
    double low;
    double high;
  };
  for (const Published& p :
       {Published{700, 1000, 100, 0.651629, 0.745949}, Published{15, 50, 50, 0.129556, 0.511896},
        Published{1, 50, 50, 0, 0.13489}, Published{100, 200, 1, 0.328923, 0.671076}}) {
    const Estimate estimate = bernoulli_sequence(p.successes, p.n, 0.95, p.tuned_for);
    EXPECT_NEAR(estimate.ci.value().low, p.low, 2e-6) << p.successes;
    EXPECT_NEAR(estimate.ci.value().high, p.high, 2e-6) << p.successes;
    EXPECT_EQ(estimate.method, "beta_binomial");
    EXPECT_EQ(estimate.count, p.successes);
  }
}

TEST(BernoulliSequence, AgreesWithR) {
  const Json reference = reference_file("sequential.json").at("bernoulli");
  for (const Json& item : reference.as_array()) {
    const std::vector<double> row = reference_numbers(item);
    const Estimate estimate = bernoulli_sequence(static_cast<std::int64_t>(row[0]),
                                                 static_cast<std::int64_t>(row[1]), row[2], row[3]);
    EXPECT_NEAR(estimate.ci.value().low, row[4], 1e-6) << row[0] << "/" << row[1];
    EXPECT_NEAR(estimate.ci.value().high, row[5], 1e-6) << row[0] << "/" << row[1];
  }
}

TEST(BernoulliSequence, IsNeverAPointAndSaysWhyItIsUndefined) {
  EXPECT_EQ(BernoulliSequence().now().undefined, "no observations");
  BernoulliSequence all_pass;
  for (int i = 0; i < 40; ++i) all_pass.add(true);
  EXPECT_EQ(all_pass.now().value, 1);
  EXPECT_EQ(all_pass.now().ci.value().high, 1);
  EXPECT_GT(all_pass.now().ci->low, 0.5);
  EXPECT_LT(all_pass.now().ci->low, 0.95);
  BernoulliSequence one;
  one.add(false);
  EXPECT_EQ(one.now().ci.value().low, 0);
  EXPECT_EQ(one.now().ci.value().high, 1);
  EXPECT_FALSE(bernoulli_sequence(3, 2).value.has_value());
  EXPECT_FALSE(bernoulli_sequence(1, 2, 1).ci.has_value());
  EXPECT_FALSE(bernoulli_sequence(1, 2, 0.95, 0).ci.has_value());
}

RC_GTEST_PROP(BernoulliSequence, IsAMirrorImageOfItsOpposite, (std::uint16_t hits, std::uint16_t misses)) {
  const std::int64_t a = hits % 300;
  const std::int64_t b = misses % 300;
  if (a + b == 0) return;
  const Estimate one = bernoulli_sequence(a, a + b);
  const Estimate other = bernoulli_sequence(b, a + b);
  RC_ASSERT(std::fabs(one.ci->low - (1 - other.ci->high)) < 1e-9);
  RC_ASSERT(one.ci->low <= *one.value && *one.value <= one.ci->high);
  RC_ASSERT(one.ci->low < one.ci->high);
}

// 4.8: λ = 1 against m = ½, eight wins and two losses.
TEST(Betting, FixedBetHasThePublishedWealth) {
  const std::vector<double> games = {1, 1, 0, 1, 1, 1, 0, 1, 1, 1};
  EXPECT_NEAR(fixed_bet_e_value(games, 0.5, 1), 6.4072266, 5e-8);
  EXPECT_TRUE(std::isnan(fixed_bet_e_value(games, 0.5, 2.1)));
  EXPECT_TRUE(std::isnan(fixed_bet_e_value(std::vector<double>{1.5}, 0.5, 1)));
  EXPECT_TRUE(std::isnan(fixed_bet_e_value(games, 0, 1)));
  EXPECT_EQ(fixed_bet_e_value({}, 0.5, 1), 1);
}

// R computes the set of surviving means on a grid of 10,000; ours may be wider by one cell of 1/1000 at each
// end, and never narrower (by more than R's own 1/10,000).
TEST(Betting, AgreesWithRWithAndWithoutReplacement) {
  const Json reference = reference_file("sequential.json").at("betting");
  for (const Json& item : reference.as_array()) {
    BettingPlan plan;
    const auto population = static_cast<std::int64_t>(as_number(item.at("population")).value());
    if (population > 0) plan.population = population;
    BettingSequence sequence(plan);
    const std::vector<double> scores = reference_numbers(item.at("x"));
    std::size_t asked = 0;
    for (std::size_t t = 1; t <= scores.size(); ++t) {
      sequence.add(scores[t - 1]);
      if (asked == item.at("intervals").as_array().size()) break;
      const std::vector<double> expected = reference_numbers(item.at("intervals").at(asked));
      if (static_cast<double>(t) != expected[0]) continue;
      ++asked;
      const Interval interval = sequence.now().ci.value();
      EXPECT_LE(interval.low, expected[1] + 1e-4) << t;
      EXPECT_GE(interval.low, expected[1] - 1.1e-3) << t;
      EXPECT_GE(interval.high, expected[2] - 1e-4) << t;
      EXPECT_LE(interval.high, expected[2] + 1.1e-3) << t;
    }
    EXPECT_EQ(asked, item.at("intervals").as_array().size());
  }
}

TEST(Betting, KnowsTheMeanOnceThePopulationIsSeen) {
  std::vector<double> scores;
  for (int i = 0; i < 60; ++i) scores.push_back(i % 3 == 0 ? 1 : 0.25);
  std::shuffle(scores.begin(), scores.end(), std::mt19937(5));
  BettingSequence sequence({.population = 60});
  BettingSequence endless;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    sequence.add(scores[i]);
    endless.add(scores[i]);
    EXPECT_LE(sequence.now().ci.value().low, 0.5 + 1e-12);
    EXPECT_GE(sequence.now().ci.value().high, 0.5 - 1e-12);
  }
  EXPECT_NEAR(sequence.now().ci.value().low, 0.5, 1e-12);
  EXPECT_NEAR(sequence.now().ci.value().high, 0.5, 1e-12);
  EXPECT_GT(endless.now().ci.value().high - endless.now().ci.value().low, 0.1);
  sequence.add(0.5);
  EXPECT_EQ(sequence.now().undefined, "there are more scores than the population has");
}

TEST(Betting, LetsAMissingMemberHaveHadAnyValue) {
  BettingSequence sequence({.population = 10});
  for (int i = 0; i < 9; ++i) sequence.add(i % 2);
  sequence.add(kNaN);
  const Estimate estimate = sequence.now();
  EXPECT_EQ(estimate.missing.at("not_finite"), 1);
  EXPECT_EQ(estimate.n, 9);
  EXPECT_NEAR(estimate.ci.value().low, 0.4, 1e-12);
  EXPECT_NEAR(estimate.ci.value().high, 0.5, 1e-12);
}

// The worst case: 80 passes, and each of the 20 failures goes missing. The mean of all hundred is still 0.8.
TEST(Betting, KeepsItsLevelWhenOnlyFailuresAreMissing) {
  int misses = 0;
  for (std::uint64_t stream = 0; stream < 200; ++stream) {
    Random random = Random::keyed("missing failures").at(stream);
    std::vector<double> population(100, 1.0);
    std::fill_n(population.begin(), 20, kNaN);
    BettingSequence sequence({.population = 100, .cells = 100});
    bool missed = false;
    for (std::size_t t = 0; t < 100; ++t) {
      std::swap(population[t], population[t + random.below(100 - t)]);
      sequence.add(population[t]);
      const Estimate estimate = sequence.now();
      if (estimate.n == 0) continue;
      missed |= !estimate.ci || estimate.ci->low > 0.8 + 1e-9 || estimate.ci->high < 0.8 - 1e-9;
    }
    misses += missed ? 1 : 0;
  }
  EXPECT_LE(misses, 18);  // 10, and 2.6 standard errors
}

TEST(Betting, WorksOnAnyRange) {
  BettingSequence shares;
  BettingSequence likert({.range = {1, 5}});
  for (int i = 0; i < 200; ++i) {
    const int rating = 1 + (i * 7 + i / 5) % 5;
    shares.add((rating - 1) / 4.0);
    likert.add(rating);
  }
  EXPECT_NEAR(likert.now().value.value(), 1 + 4 * *shares.now().value, 1e-12);
  EXPECT_NEAR(likert.now().ci.value().low, 1 + 4 * shares.now().ci.value().low, 1e-12);
  EXPECT_NEAR(likert.now().ci.value().high, 1 + 4 * shares.now().ci.value().high, 1e-12);
}

TEST(Betting, SaysWhyThereIsNoInterval) {
  BettingSequence sequence;
  EXPECT_EQ(sequence.now().undefined, "no observations");
  sequence.add(1);
  EXPECT_EQ(sequence.now().ci.value().low, 0);  // one score excludes nothing
  EXPECT_EQ(sequence.now().ci.value().high, 1);
  sequence.add(kNaN);
  EXPECT_EQ(sequence.now().n, 1);
  sequence.add(2);
  EXPECT_EQ(sequence.now().undefined, "a score lies outside the range, which the interval relies on");
  EXPECT_TRUE(sequence.now().value.has_value());
  EXPECT_FALSE(BettingSequence({.level = 0}).now().undefined.empty());
  EXPECT_FALSE(BettingSequence({.range = {1, 1}}).now().undefined.empty());
  EXPECT_FALSE(BettingSequence({.population = 0}).now().undefined.empty());
  // Sorted scores are no random sample: a thousand failures exclude all that a thousand passes allow.
  BettingSequence sorted;
  for (int i = 0; i < 1000; ++i) sorted.add(0);
  for (int i = 0; i < 1000; ++i) sorted.add(1);
  EXPECT_FALSE(sorted.now().ci.has_value());
  EXPECT_NE(sorted.now().undefined, "");
}

TEST(Betting, OfEqualScoresKeepsItsWidth) {
  BettingSequence all_pass;
  for (int i = 0; i < 100; ++i) all_pass.add(1);
  EXPECT_EQ(all_pass.now().ci.value().high, 1);
  EXPECT_LT(all_pass.now().ci->low, 0.96);
  EXPECT_GT(all_pass.now().ci->low, 0.85);
}

RC_GTEST_PROP(Betting, TurnsWithTheScale, (const std::vector<std::uint8_t>& scores)) {
  BettingSequence up;
  BettingSequence down;
  for (const std::uint8_t score : scores) {
    up.add(score / 256.0);
    down.add(1 - score / 256.0);
  }
  const Estimate a = up.now();
  const Estimate b = down.now();
  RC_ASSERT(a.ci.has_value() == b.ci.has_value());
  if (!a.ci) return;
  RC_ASSERT(std::fabs(a.ci->low - (1 - b.ci->high)) < 1.1e-3);
  RC_ASSERT(a.ci->low < a.ci->high);
}

// The promise itself: of 600 streams that are looked at after every score, at most 5 % (and 2.6 standard
// errors, together 7.3 %) may ever exclude the truth.
TEST(Sequences, KeepTheirLevelUnderContinuousLooking) {
  constexpr int kStreams = 600;
  int betting_misses = 0;
  int finite_misses = 0;
  int bernoulli_misses = 0;
  int normal_misses = 0;
  for (int stream = 0; stream < kStreams; ++stream) {
    Random random = Random::keyed("looking").at(static_cast<std::uint64_t>(stream));
    BettingSequence betting({.cells = 100});
    BettingSequence finite({.population = 300, .cells = 100});
    BernoulliSequence bernoulli;
    NormalMixtureSequence normal({.range = Interval{0, 1}});
    std::vector<double> population(300, 0.0);
    std::fill_n(population.begin(), 30, 1.0);
    bool missed_betting = false;
    bool missed_finite = false;
    bool missed_bernoulli = false;
    bool missed_normal = false;
    const auto misses = [](const Estimate& estimate, double truth) {
      return !estimate.ci || estimate.ci->low > truth + 1e-9 || estimate.ci->high < truth - 1e-9;
    };
    for (std::size_t t = 0; t < 300; ++t) {
      const double score = random.uniform() < 0.1 ? 1 : 0;
      std::swap(population[t], population[t + random.below(300 - t)]);
      betting.add(score);
      finite.add(population[t]);
      bernoulli.add(score > 0);
      normal.add(score);
      missed_betting |= misses(betting.now(), 0.1);
      missed_finite |= misses(finite.now(), 0.1);
      if (t % 10 == 9) missed_bernoulli |= misses(bernoulli.now(), 0.1);
      missed_normal |= misses(normal.now(), 0.1);
    }
    betting_misses += missed_betting ? 1 : 0;
    finite_misses += missed_finite ? 1 : 0;
    bernoulli_misses += missed_bernoulli ? 1 : 0;
    normal_misses += missed_normal ? 1 : 0;
  }
  EXPECT_LE(betting_misses, 44);
  EXPECT_LE(finite_misses, 44);
  EXPECT_LE(bernoulli_misses, 44);
  EXPECT_LE(normal_misses, 44);
}

// 4.8: why sequences are needed. An ordinary 95 % interval that is looked at after every one of 10 to 1000
// observations excludes the truth at some time in 47 % of streams; 300 streams have 2.6 standard errors of
// 7.5 points.
TEST(Sequences, AreNeededSinceAnOrdinaryIntervalFailsUnderLooking) {
  constexpr int kStreams = 300;
  int alarms = 0;
  for (int stream = 0; stream < kStreams; ++stream) {
    Random random = Random::keyed("ordinary").at(static_cast<std::uint64_t>(stream));
    Moments moments;
    bool alarm = false;
    for (int t = 1; t <= 1000 && !alarm; ++t) {
      moments.add(random.normal());
      if (t < 10) continue;
      const Interval ci = estimate_mean(moments).ci.value();
      alarm = ci.low > 0 || ci.high < 0;
    }
    alarms += alarm ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(alarms) / kStreams, 0.47, 0.075);
}

// 4.8: the uniform mixture's e-value against ½ is 0.91305 for 60 of 100 and 427.307 for 70 of 100.
TEST(PairedEvidence, HasThePublishedValues) {
  EXPECT_NEAR(paired_e_value(60, 40).e, 0.91305, 5e-6);
  EXPECT_NEAR(paired_e_value(70, 30).e, 427.307, 5e-4);
  EXPECT_NEAR(paired_e_value(30, 70).e, 427.307, 5e-4);  // two-sided
  EXPECT_NEAR(paired_e_value(70, 30).p, 1 / 427.307, 1e-8);
  EXPECT_EQ(paired_e_value(60, 40).p, 1);
}

TEST(PairedEvidence, OneSidedBelievesInOneSideOnly) {
  // With nearly all of the posterior on one side the wealth doubles there and vanishes on the other.
  EXPECT_NEAR(paired_e_value(70, 30, 1, 1, BetsOn::larger).e, 2 * 427.307, 0.1);
  EXPECT_LT(paired_e_value(30, 70, 1, 1, BetsOn::larger).e, 0.1);
  EXPECT_EQ(paired_e_value(0, 3000, 1, 1, BetsOn::larger).p, 1);
}

TEST(PairedEvidence, RemembersItsBestLook) {
  PairedEvidence evidence;
  for (int i = 0; i < 20; ++i) evidence.add(true, false);
  const double best = evidence.now().e;
  EXPECT_NEAR(best, std::pow(2.0, 20) / 21, 1e-6 * best);
  for (int i = 0; i < 30; ++i) evidence.add(true, true);  // says nothing
  EXPECT_EQ(evidence.now().e, best);
  for (int i = 0; i < 20; ++i) evidence.add(false, true);
  EXPECT_LT(evidence.now().e, 1);
  EXPECT_NEAR(evidence.now().p, 1 / best, 1e-12);
  EXPECT_EQ(evidence.now().n, 40);
}

TEST(PairedEvidence, OfNothingIsOne) {
  EXPECT_EQ(PairedEvidence().now().e, 1);
  EXPECT_EQ(PairedEvidence().now().p, 1);
  EXPECT_EQ(paired_e_value(-1, 3).undefined, "a count is negative");
  EXPECT_FALSE(paired_e_value(1, 3, 0, 1).undefined.empty());
  EXPECT_TRUE(std::isfinite(paired_e_value(4000, 0).log_e));
}

// By hand, m = 4 at rate 0.1: e_(k) >= 40/k holds for k = 2 (30 >= 20), not for 3 (13 < 13.3).
TEST(EBh, RejectsByRank) {
  const std::vector<double> e = {13, 45, 30, 0.5};
  EXPECT_EQ(e_bh(e, 0.1), (std::vector<bool>{false, true, true, false}));
  const std::vector<double> adjusted = e_bh_adjusted(e);
  EXPECT_NEAR(adjusted[1], 4.0 / 60, 1e-12);  // not 4/45: the second is cheaper
  EXPECT_NEAR(adjusted[2], 4.0 / 60, 1e-12);
  EXPECT_NEAR(adjusted[0], 4.0 / 39, 1e-12);
  EXPECT_EQ(adjusted[3], 1);
}

TEST(EBh, KeepsTheDeclaredFamily) {
  const std::vector<double> e = {50, kNaN, -1, std::numeric_limits<double>::infinity()};
  const std::vector<double> adjusted = e_bh_adjusted(e);
  EXPECT_EQ(adjusted[3], 0);
  EXPECT_NEAR(adjusted[0], 4.0 / 100, 1e-12);
  EXPECT_TRUE(std::isnan(adjusted[1]));
  EXPECT_TRUE(std::isnan(adjusted[2]));
  EXPECT_EQ(e_bh(e, 0.05), (std::vector<bool>{true, false, false, true}));
  EXPECT_TRUE(e_bh({}).empty());
}

RC_GTEST_PROP(EBh, DoesNotDependOnTheOrder, (std::vector<std::uint8_t> numbers, unsigned seed)) {
  std::vector<double> e(numbers.begin(), numbers.end());
  const std::vector<double> adjusted = e_bh_adjusted(e);
  std::vector<std::size_t> order(e.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  std::vector<double> shuffled;
  for (const std::size_t i : order) shuffled.push_back(e[i]);
  const std::vector<double> again = e_bh_adjusted(shuffled);
  for (std::size_t i = 0; i < order.size(); ++i) RC_ASSERT(again[i] == adjusted[order[i]]);
}

TEST(Betting, OfClustersHoldsForTheWeightedMean) {
  // Clusters of 1 to 10 cases; large ones pass less often, so the mean over cases is not that over clusters.
  int excluded = 0;
  constexpr int kStreams = 400;
  for (int stream = 0; stream < kStreams; ++stream) {
    Random random = Random::keyed("weighted betting", stream);
    BettingSequence sequence;
    bool out = false;
    // E[n·x]/E[n] with n uniform on 1…10 and x = 0.9 up to 5, 0.5 above: (15·0.9 + 40·0.5)/55.
    const double truth = (15 * 0.9 + 40 * 0.5) / 55;
    for (int t = 0; t < 300; ++t) {
      const auto n = 1 + random.below(10);
      double passed = 0;
      const bool all = random.uniform() < (n <= 5 ? 0.9 : 0.5);  // one cluster passes or fails as a whole
      passed = all ? 1 : 0;
      sequence.add(passed, static_cast<double>(n) / 10);
      const auto ci = sequence.now().ci;
      ASSERT_TRUE(ci);
      out = out || truth < ci->low || truth > ci->high;
    }
    excluded += out ? 1 : 0;
  }
  EXPECT_LE(excluded, kStreams / 20);
}

TEST(Betting, RefusesWeightsThatWouldVoidItsGuarantee) {
  for (const double weight : {0.0, -1.0, 1.5}) {
    BettingSequence sequence;
    sequence.add(0.5, weight);
    EXPECT_FALSE(sequence.now().ci) << weight;
  }
  BettingSequence plain;
  BettingSequence same;
  for (const double x : {0.2, 0.9, 0.4, 1.0, 0.7}) {
    plain.add(x);
    same.add(x, 1);
  }
  EXPECT_EQ(plain.now().ci->low, same.now().ci->low);
  EXPECT_EQ(plain.now().ci->high, same.now().ci->high);
}

}  // namespace
}  // namespace assay
