#include "stats/agreement/human_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <span>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/random.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> kHuman = {1, 1, 1, 0, 1, 0, 1, 1, 0, 0};
const std::vector<double> kJudge = {1, 1, 1, 1, 1, 0, 1, 1, 1, 0};

// 33 ones and 7 zeros.
std::vector<double> judged_alone() {
  std::vector<double> scores(40, 0.0);
  std::fill_n(scores.begin(), 33, 1.0);
  return scores;
}

double standard_error(const Estimate& estimate) {
  return (estimate.ci.value().high - estimate.ci.value().low) / 2 / 1.959963985;
}

// shared/reference/statistics.md, 4.7 (conventions of ppi_py).
TEST(HumanLabels, GiveThePublishedFigures) {
  const HumanLabelFigures figures = with_human_labels(kHuman, kJudge, judged_alone());
  EXPECT_NEAR(figures.judge_only.value.value(), 0.825, 1e-12);
  EXPECT_NEAR(figures.human_only.value.value(), 0.6, 1e-12);
  EXPECT_NEAR(standard_error(figures.human_only), 0.154919, 5e-7);
  EXPECT_NEAR(figures.ppi.value.value(), 0.625, 1e-12);
  EXPECT_NEAR(standard_error(figures.ppi), 0.140033, 5e-7);
  EXPECT_NEAR(figures.ppi.ci->low, 0.350539, 1e-6);
  EXPECT_NEAR(figures.ppi.ci->high, 0.899461, 1e-6);
  EXPECT_NEAR(figures.lambda.value(), 0.637398, 5e-7);
  EXPECT_NEAR(figures.ppi_plus_plus.value.value(), 0.615935, 5e-7);
  EXPECT_NEAR(standard_error(figures.ppi_plus_plus), 0.129110, 5e-7);
  EXPECT_NEAR(figures.ppi_plus_plus.ci->low, 0.362885, 1e-6);
  EXPECT_NEAR(figures.ppi_plus_plus.ci->high, 0.868985, 1e-6);
  EXPECT_EQ(figures.ppi_plus_plus.n, 10);
  EXPECT_EQ(figures.ppi_plus_plus.method, "ppi_plus_plus");
  EXPECT_EQ(figures.judge_only.n, 40);
}

TEST(HumanLabels, AgreeWithR) {
  const Json reference = reference_file("human_labels.json").at("plain");
  for (const Json& item : reference.as_array()) {
    const auto human = reference_numbers(item.at("human"));
    const auto judge = reference_numbers(item.at("judge"));
    const auto alone = reference_numbers(item.at("judge_only"));
    const HumanLabelFigures normal = with_human_labels(human, judge, alone);
    const HumanLabelFigures student =
        with_human_labels(human, judge, alone, {.interval = LabelInterval::student});
    EXPECT_NEAR(normal.lambda.value(), as_number(item.at("lambda")).value(), 1e-7);
    for (const char* name : {"ppi", "ppi_plus_plus"}) {
      const std::vector<double> expected = reference_numbers(item.at(name));
      const bool tuned = std::string_view(name) == "ppi_plus_plus";
      const Estimate& z = tuned ? normal.ppi_plus_plus : normal.ppi;
      const Estimate& t = tuned ? student.ppi_plus_plus : student.ppi;
      EXPECT_NEAR(z.value.value(), expected[0], 1e-7);
      EXPECT_NEAR(z.ci.value().low, expected[1], 1e-7);
      EXPECT_NEAR(z.ci.value().high, expected[2], 1e-7);
      EXPECT_NEAR(t.ci.value().low, expected[3], 1e-7);
      EXPECT_NEAR(t.ci.value().high, expected[4], 1e-7);
    }
  }
}

TEST(HumanLabels, SayWhyThereIsNothing) {
  const HumanLabelFigures empty = with_human_labels({}, {}, {});
  EXPECT_EQ(empty.ppi.undefined, "no row has a human label");
  EXPECT_EQ(empty.human_only.undefined, "no observations");
  const HumanLabelFigures no_others = with_human_labels(kHuman, kJudge, {});
  EXPECT_FALSE(no_others.ppi.value.has_value());
  EXPECT_TRUE(no_others.human_only.ci.has_value());
  const HumanLabelFigures lengths = with_human_labels(kHuman, {}, judged_alone());
  EXPECT_EQ(lengths.ppi_plus_plus.undefined, "not every labelled row has both scores");
  const HumanLabelFigures one =
      with_human_labels(std::vector<double>{1}, std::vector<double>{1}, judged_alone());
  EXPECT_NEAR(one.ppi.value.value(), 0.825, 1e-12);
  EXPECT_EQ(one.ppi.undefined, "no interval: one row has no spread");
  EXPECT_EQ(one.human_only.undefined, "no interval: one row has no spread");
  // Two labels are enough for an interval.
  EXPECT_TRUE(with_human_labels(std::vector<double>{1, 0}, std::vector<double>{1, 1}, judged_alone())
                  .ppi.ci.has_value());
  EXPECT_FALSE(with_human_labels(kHuman, kJudge, judged_alone(), {.level = 1}).ppi.ci.has_value());
}

TEST(HumanLabels, ClaimNoCertaintyFromEqualScores) {
  const std::vector<double> ones(20, 1.0);
  const HumanLabelFigures all_pass = with_human_labels(ones, ones, ones);
  for (const Estimate& estimate :
       {all_pass.ppi, all_pass.ppi_plus_plus, all_pass.human_only, all_pass.judge_only}) {
    EXPECT_EQ(estimate.value, 1);
    EXPECT_FALSE(estimate.ci.has_value());
    EXPECT_FALSE(estimate.undefined.empty());
  }
  // A judge that always says the same is not trusted: what is left are the people.
  const HumanLabelFigures mute = with_human_labels(kHuman, std::vector<double>(10, 1.0), ones);
  EXPECT_EQ(mute.lambda, 0);
  EXPECT_EQ(mute.ppi_plus_plus.value, mute.human_only.value);
  EXPECT_NEAR(mute.ppi_plus_plus.ci.value().low, mute.human_only.ci.value().low, 1e-12);
}

TEST(HumanLabels, LeaveOutWhatIsNotFinite) {
  auto human = kHuman;
  auto judge = kJudge;
  auto alone = judged_alone();
  human.push_back(kNaN);
  judge.push_back(1);
  human.push_back(1);
  judge.push_back(kNaN);
  alone.push_back(kNaN);
  const HumanLabelFigures figures = with_human_labels(human, judge, alone);
  EXPECT_NEAR(figures.ppi_plus_plus.value.value(), 0.615935, 5e-7);
  EXPECT_EQ(figures.ppi_plus_plus.missing.at("not_finite"), 3);
  EXPECT_EQ(figures.human_only.missing.at("not_finite"), 2);
  EXPECT_EQ(figures.judge_only.missing.at("not_finite"), 1);
}

RC_GTEST_PROP(HumanLabels, MoveAndScaleWithTheScores,
              (const std::vector<std::pair<std::int8_t, std::int8_t>>& labelled,
               const std::vector<std::int8_t>& others)) {
  std::vector<double> human;
  std::vector<double> judge;
  for (const auto& [h, j] : labelled) {
    human.push_back(h);
    judge.push_back(j);
  }
  std::vector<double> alone(others.begin(), others.end());
  const HumanLabelFigures plain = with_human_labels(human, judge, alone);
  for (auto* list : {&human, &judge, &alone}) {
    for (double& score : *list) score = 2 * score + 8;
  }
  const HumanLabelFigures moved = with_human_labels(human, judge, alone);
  RC_ASSERT(plain.ppi_plus_plus.ci.has_value() == moved.ppi_plus_plus.ci.has_value());
  if (!plain.ppi_plus_plus.ci) return;
  RC_ASSERT(std::fabs(2 * plain.ppi_plus_plus.ci->low + 8 - moved.ppi_plus_plus.ci->low) < 1e-7);
  RC_ASSERT(std::fabs(2 * *plain.ppi_plus_plus.value + 8 - *moved.ppi_plus_plus.value) < 1e-7);
}

TEST(WeightedLabels, AgreeWithR) {
  const Json reference = reference_file("human_labels.json").at("weighted");
  int index = 0;
  for (const Json& item : reference.as_array()) {
    const bool clustered = ++index > 2;
    const auto judge = reference_numbers(item.at("judge"));
    const auto probability = reference_numbers(item.at("probability"));
    const auto human = reference_numbers(item.at("human"));  // -1: not labelled
    const auto cluster = reference_numbers(item.at("cluster"));
    std::vector<JudgedRow> rows;
    for (std::size_t i = 0; i < judge.size(); ++i) {
      JudgedRow row{.judge = judge[i], .probability = probability[i]};
      if (human[i] >= 0) row.human = human[i];
      if (clustered) row.cluster = std::to_string(static_cast<int>(cluster[i]));
      rows.push_back(row);
    }
    const WeightedLabelFigure figure = with_weighted_labels(rows);
    const std::vector<double> expected = reference_numbers(item.at("estimate"));
    EXPECT_NEAR(figure.lambda.value(), as_number(item.at("lambda")).value(), 1e-5);
    EXPECT_NEAR(figure.estimate.value.value(), expected[0], 1e-6);
    EXPECT_NEAR(figure.estimate.ci.value().low, expected[1], 1e-6);
    EXPECT_NEAR(figure.estimate.ci.value().high, expected[2], 1e-6);
  }
}

// Equal probabilities: the estimate is λ·mean(all judge) + mean(human - λ·judge), so λ here is 1 + n/N times
// the λ of PPI++; with the published data 0.12/(variance of all rows' judge as this estimate sees it).
TEST(WeightedLabels, AreNearPpiForEqualProbabilities) {
  std::vector<JudgedRow> rows;
  for (std::size_t i = 0; i < kHuman.size(); ++i) {
    rows.push_back({.judge = kJudge[i], .human = kHuman[i], .probability = 0.2});
  }
  for (const double score : judged_alone()) rows.push_back({.judge = score, .probability = 0.2});
  const WeightedLabelFigure figure = with_weighted_labels(rows);
  EXPECT_NEAR(figure.estimate.value.value(), 0.6 + figure.lambda.value() * (0.82 - 0.80), 1e-12);
  EXPECT_NEAR(figure.estimate.value.value(), 0.615935, 5e-3);
  EXPECT_NEAR(standard_error(figure.estimate), 0.129110, 5e-3);
}

// Rows with a high judge score are labelled four times as often. Means of labelled rows are far off; the
// weighted estimate is right, and its 95 % interval covers.
TEST(WeightedLabels, UndoTheChoiceOfInterestingRows) {
  constexpr int kStudies = 300;
  int covered = 0;
  double sum = 0;
  double naive = 0;
  for (int study = 0; study < kStudies; ++study) {
    Random random = Random::keyed("weighted labels").at(static_cast<std::uint64_t>(study));
    std::vector<JudgedRow> rows;
    double labelled = 0;
    double passed = 0;
    for (int i = 0; i < 500; ++i) {
      const bool passes = random.uniform() < 0.4;
      const double judge = random.uniform() < (passes ? 0.9 : 0.3) ? 1 : 0;
      JudgedRow row{.judge = judge, .probability = judge > 0 ? 0.4 : 0.1};
      if (random.uniform() < row.probability) {
        row.human = passes ? 1 : 0;
        ++labelled;
        passed += passes ? 1 : 0;
      }
      rows.push_back(row);
    }
    const Estimate estimate = with_weighted_labels(rows).estimate;
    sum += *estimate.value / kStudies;
    naive += passed / labelled / kStudies;
    covered += estimate.ci->low <= 0.4 && estimate.ci->high >= 0.4 ? 1 : 0;
  }
  EXPECT_NEAR(sum, 0.4, 0.008);
  EXPECT_GT(naive, 0.5);
  EXPECT_GE(covered, 0.91 * kStudies);
}

TEST(WeightedLabels, SayWhyThereIsNothing) {
  EXPECT_EQ(with_weighted_labels({}).estimate.undefined, "no row has a human label");
  const std::vector<JudgedRow> never = {{.judge = 1, .human = 1, .probability = 0.5},
                                        {.judge = 1, .probability = 0}};
  EXPECT_EQ(with_weighted_labels(never).estimate.undefined,
            "a row's probability of being labelled does not lie above 0 and up to 1");
  std::vector<JudgedRow> one = {{.judge = 0.5, .human = 1, .probability = 0.5},
                                {.judge = 1, .probability = 0.5}};
  EXPECT_EQ(with_weighted_labels(one).estimate.undefined, "no interval: one row has no spread");
  one.push_back({.judge = kNaN, .probability = 0.5});
  one.push_back({.judge = 0.5, .human = 0, .probability = 0.5});
  EXPECT_EQ(with_weighted_labels(one).estimate.missing.at("not_finite"), 1);
  EXPECT_TRUE(with_weighted_labels(one).estimate.ci.has_value());
  for (JudgedRow& row : one) row.cluster = "q";
  EXPECT_EQ(with_weighted_labels(one).estimate.undefined,
            "no interval: one cluster shows no spread between clusters");
  const std::vector<JudgedRow> same(8, {.judge = 1, .human = 1, .probability = 1});
  EXPECT_FALSE(with_weighted_labels(same).estimate.ci.has_value());
}

// Yes or no, a judge that is right in 95 %, 20 labels: in a third of the studies it is right on all of them,
// and their residuals tell of no error. With one row of each kind the intervals hold what they promise, drawn
// alike or not.
TEST(HumanLabels, FewLabelsThatAllAgreeAreNoCertainty) {
  constexpr int kStudies = 400;
  constexpr int kRows = 1'000;
  constexpr int kLabels = 20;
  int plain = 0;
  int guarded = 0;
  int weighted = 0;
  for (int study = 0; study < kStudies; ++study) {
    Random random = Random::keyed("few labels that agree", study);
    std::vector<double> judge;
    std::vector<double> human;
    double truth = 0;
    for (int i = 0; i < kRows; ++i) {
      judge.push_back(random.uniform() < 0.7 ? 1 : 0);
      // The judge is too kind: it errs to one side, or its mean would be right by chance.
      human.push_back(random.uniform() < 0.93 ? judge.back() : 0);
      truth += human.back() / kRows;
    }
    const std::span<const double> people(human.data(), kLabels);
    const std::span<const double> labelled(judge.data(), kLabels);
    const auto others = std::span<const double>(judge).subspan(kLabels);
    const auto holds = [&](const Estimate& estimate) {
      return estimate.ci && estimate.ci->low <= truth && truth <= estimate.ci->high ? 1 : 0;
    };
    const LabelOptions before{.interval = LabelInterval::student};
    const LabelOptions options{.interval = LabelInterval::student, .unseen = UnseenErrors::one_of_each};
    const Estimate figure = with_human_labels(people, labelled, others, options).ppi_plus_plus;
    const Estimate without = with_human_labels(people, labelled, others, before).ppi_plus_plus;
    EXPECT_EQ(figure.value, without.value);
    plain += holds(without);
    guarded += holds(figure);
    std::vector<JudgedRow> rows;
    for (int i = 0; i < kRows; ++i) {
      JudgedRow& row = rows.emplace_back(JudgedRow{.judge = judge[static_cast<std::size_t>(i)]});
      row.probability = static_cast<double>(kLabels) / kRows;
      if (i < kLabels) row.human = human[static_cast<std::size_t>(i)];
    }
    weighted += holds(with_weighted_labels(rows, options).estimate);
  }
  EXPECT_LT(plain, 0.75 * kStudies) << plain;
  EXPECT_GE(guarded, 0.94 * kStudies);
  EXPECT_GE(weighted, 0.94 * kStudies);
}

// The published example: with λ = 0.637398 the residuals are 0.362602 six times, 0 twice and −0.637398 twice.
// With 0, 1, −λ and 1 − λ beside them their variance is 0.210738, over ten rows 0.021074; the other rows add
// 0.001466.
TEST(HumanLabels, OneRowOfEachKindWidensTheIntervalAlone) {
  const HumanLabelFigures figures =
      with_human_labels(kHuman, kJudge, judged_alone(), {.unseen = UnseenErrors::one_of_each});
  EXPECT_NEAR(figures.ppi_plus_plus.value.value(), 0.615935, 5e-7);
  EXPECT_NEAR(standard_error(figures.ppi_plus_plus), 0.150134, 5e-7);
}

// Levels from 1 to 5, of which the judge calls 15 % the best: of 20 rows it is right on nearly all, and the
// few residuals that there are say little of the rest. Where half of the rows are equal, four rows on which
// judge and people have nothing to do with each other are taken as labelled besides.
TEST(HumanLabels, LevelsThatAreEqualOnMostOfFewRowsAreNoCertainty) {
  constexpr int kStudies = 400;
  constexpr int kRows = 1'000;
  constexpr int kLabels = 20;
  int plain = 0;
  int guarded = 0;
  int weighted = 0;
  for (int study = 0; study < kStudies; ++study) {
    Random random = Random::keyed("few levels that agree", study);
    std::vector<double> judge;
    std::vector<double> human;
    double truth = 0;
    for (int i = 0; i < kRows; ++i) {
      const double place = random.uniform();
      human.push_back(place < 0.05 ? 1 : place < 0.15 ? 2 : place < 0.35 ? 3 : place < 0.7 ? 4 : 5);
      judge.push_back(random.uniform() < 0.15 ? 5 : human.back());
      truth += human.back() / kRows;
    }
    const std::span<const double> people(human.data(), kLabels);
    const std::span<const double> labelled(judge.data(), kLabels);
    const auto others = std::span<const double>(judge).subspan(kLabels);
    const auto holds = [&](const Estimate& estimate) {
      return estimate.ci && estimate.ci->low <= truth && truth <= estimate.ci->high ? 1 : 0;
    };
    const LabelOptions before{.interval = LabelInterval::student};
    const LabelOptions options{.interval = LabelInterval::student, .unseen = UnseenErrors::unrelated};
    plain += holds(with_human_labels(people, labelled, others, before).ppi_plus_plus);
    guarded += holds(with_human_labels(people, labelled, others, options).ppi_plus_plus);
    std::vector<JudgedRow> rows;
    for (int i = 0; i < kRows; ++i) {
      JudgedRow& row = rows.emplace_back(JudgedRow{.judge = judge[static_cast<std::size_t>(i)]});
      row.probability = static_cast<double>(kLabels) / kRows;
      if (i < kLabels) row.human = human[static_cast<std::size_t>(i)];
    }
    weighted += holds(with_weighted_labels(rows, options).estimate);
  }
  EXPECT_LT(plain, 0.85 * kStudies) << plain;
  EXPECT_GE(guarded, 0.94 * kStudies);
  EXPECT_GE(weighted, 0.94 * kStudies);
}

// Worked out apart from this program: people 1 2 3 4 5 5, the judge 1 2 3 4 5 4, and twelve rows that it
// judged alone; its scores have the deviation 1.381484. λ = 0.679224, and the residuals at ±(1 ± λ)·1.381484
// around their mean bring the standard error from 0.368749 to 0.542515. Of rows of which fewer than half are
// equal nothing is taken besides.
TEST(HumanLabels, UnrelatedRowsWidenTheIntervalAloneAndOnlyWhereMostAreEqual) {
  const std::vector<double> human = {1, 2, 3, 4, 5, 5};
  const std::vector<double> judge = {1, 2, 3, 4, 5, 4};
  const std::vector<double> others = {2, 3, 4, 4, 5, 5, 3, 1, 4, 5, 5, 2};
  const LabelOptions options{.unseen = UnseenErrors::unrelated};
  const HumanLabelFigures figures = with_human_labels(human, judge, others, options);
  EXPECT_NEAR(figures.ppi_plus_plus.value.value(), 3.616343, 5e-7);
  EXPECT_NEAR(standard_error(figures.ppi_plus_plus), 0.542515, 5e-7);
  EXPECT_NEAR(standard_error(with_human_labels(human, judge, others).ppi_plus_plus), 0.368749, 5e-7);
  std::vector<JudgedRow> rows;
  for (std::size_t i = 0; i < human.size(); ++i) rows.push_back({.judge = judge[i], .human = human[i]});
  for (const double score : others) rows.push_back({.judge = score});
  for (JudgedRow& row : rows) row.probability = 6.0 / 18;
  EXPECT_NEAR(standard_error(with_weighted_labels(rows).estimate), 0.372448, 5e-7);
  EXPECT_NEAR(standard_error(with_weighted_labels(rows, options).estimate), 0.581117, 5e-7);
  const std::vector<double> near = {1.1, 2.1, 3.1, 4.1, 5, 5};
  EXPECT_EQ(with_human_labels(near, judge, others, options).ppi_plus_plus.ci->low,
            with_human_labels(near, judge, others).ppi_plus_plus.ci->low);
}

// 4.7: p = .80 of 1000, sensitivity .95 of 200, specificity .85 of 200.
TEST(RoganGladen, HasThePublishedValue) {
  const Estimate estimate = rogan_gladen({.judged = 1000,
                                          .judged_pass = 800,
                                          .human_pass = 200,
                                          .human_pass_pass = 190,
                                          .human_fail = 200,
                                          .human_fail_fail = 170});
  EXPECT_NEAR(estimate.value.value(), 0.8125, 1e-12);
  EXPECT_NEAR(standard_error(estimate), 0.0230217, 5e-8);
  EXPECT_NEAR(estimate.ci->low, 0.7674, 5e-5);
  EXPECT_NEAR(estimate.ci->high, 0.8576, 5e-5);
  EXPECT_EQ(estimate.method, "rogan_gladen");
  EXPECT_EQ(estimate.n, 1000);
}

TEST(RoganGladen, AgreesWithR) {
  const Json reference = reference_file("human_labels.json").at("rogan_gladen");
  for (const Json& item : reference.as_array()) {
    const std::vector<double> row = reference_numbers(item);
    const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(row[i]); };
    const Estimate estimate = rogan_gladen({whole(0), whole(1), whole(2), whole(3), whole(4), whole(5)});
    EXPECT_NEAR(estimate.value.value(), row[6], 1e-8);
    EXPECT_NEAR(estimate.ci.value().low, row[7], 1e-8);
    EXPECT_NEAR(estimate.ci.value().high, row[8], 1e-8);
  }
}

TEST(RoganGladen, IsUndefinedWhereTheJudgeSaysNothing) {
  const Estimate coin = rogan_gladen({1000, 500, 200, 101, 200, 100});
  EXPECT_FALSE(coin.value.has_value());
  EXPECT_NE(coin.undefined.find("cannot be told from 0"), std::string::npos) << coin.undefined;
  // Few labels: 3 of 4 and 2 of 3 could be a coin.
  EXPECT_FALSE(rogan_gladen({1000, 500, 4, 3, 3, 2}).value.has_value());
  EXPECT_FALSE(rogan_gladen({1000, 500, 200, 20, 200, 20}).value.has_value());  // a judge turned round
  EXPECT_EQ(rogan_gladen({1000, 500, 0, 0, 3, 2}).undefined,
            "the judge's sensitivity is unknown: people let no labelled row pass");
  EXPECT_EQ(rogan_gladen({1000, 500, 3, 2, 0, 0}).undefined,
            "the judge's specificity is unknown: people let no labelled row fail");
  EXPECT_EQ(rogan_gladen({}).undefined, "no observations");
  EXPECT_FALSE(rogan_gladen({10, 11, 3, 2, 3, 2}).value.has_value());
  EXPECT_FALSE(rogan_gladen({1000, 800, 200, 190, 200, 170}, 1).ci.has_value());
}

TEST(RoganGladen, StaysInsideAndIsNeverAPoint) {
  // All pass, and the judge never erred: still not certain.
  const Estimate perfect = rogan_gladen({50, 50, 20, 20, 20, 20});
  EXPECT_EQ(perfect.value, 1);
  EXPECT_EQ(perfect.ci.value().high, 1);
  EXPECT_LT(perfect.ci->low, 0.99);
  // 8 % pass where 10 % would by error alone: none, or a few.
  const Estimate none = rogan_gladen({200, 16, 100, 95, 100, 90});
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.ci.value().low, 0);
  EXPECT_GT(none.ci->high, 0.02);
  // 2 % cannot be: the judge errs less here than where it was measured.
  const Estimate contradiction = rogan_gladen({200, 4, 100, 95, 100, 90});
  EXPECT_EQ(contradiction.value, 0);
  EXPECT_FALSE(contradiction.ci.has_value());
  EXPECT_FALSE(contradiction.undefined.empty());
}

TEST(RowsToLabel, AreChosenUniformlyWithKnownProbability) {
  const std::vector<double> scores(200, 0.5);
  std::vector<int> chosen(200);
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const LabelChoice choice = choose_rows_to_label(scores, {}, 50, {.seed = seed});
    EXPECT_EQ(choice.rows.size(), 50U);
    EXPECT_TRUE(std::ranges::is_sorted(choice.rows));
    EXPECT_EQ(choice.probabilities[7], 0.25);
    for (const std::size_t row : choice.rows) ++chosen[row];
  }
  // 100 times each; five standard deviations are 43.
  for (const int times : chosen) EXPECT_NEAR(times, 100, 45);
}

TEST(RowsToLabel, SeeRareScoresWhenStratified) {
  std::vector<double> scores(1000, 1.0);
  std::fill_n(scores.begin(), 20, 0.0);  // the judge let 2 % fail
  const LabelPlan plan{.seed = 3, .design = LabelPlan::Design::stratified};
  const LabelChoice choice = choose_rows_to_label(scores, {}, 60, plan);
  EXPECT_EQ(choice.rows.size(), 60U);
  EXPECT_EQ(std::ranges::count_if(choice.rows, [](std::size_t row) { return row < 20; }), 20);
  EXPECT_EQ(choice.probabilities[0], 1);
  EXPECT_NEAR(choice.probabilities[500], 40.0 / 980, 1e-12);
}

TEST(RowsToLabel, FormGroupsOfLikeScores) {
  std::vector<double> scores;
  for (int i = 0; i < 1000; ++i) scores.push_back(i * i / 1e6);
  const LabelPlan plan{.design = LabelPlan::Design::stratified, .strata = 4};
  const LabelChoice choice = choose_rows_to_label(scores, {}, 40, plan);
  std::vector<int> counts(4);
  for (const std::size_t row : choice.rows) ++counts[row / 250];
  EXPECT_EQ(counts, (std::vector<int>{10, 10, 10, 10}));
  EXPECT_NEAR(choice.probabilities[999], 0.04, 1e-12);
  // A budget of two has two groups, so that no row is out of reach.
  const LabelChoice few = choose_rows_to_label(scores, {}, 2, plan);
  EXPECT_EQ(few.rows.size(), 2U);
  EXPECT_GT(std::ranges::min(few.probabilities), 0);
}

// Sizes sqrt(p(1 - p) + 0.05): sqrt(0.05) for 0 and 1, sqrt(0.3) for 0.5. Two of four rows: 2·0.2236/1.5424
// and 2·0.5477/1.5424.
TEST(RowsToLabel, AreMoreOftenThoseThatTheJudgeIsLessSureOfWhenInformative) {
  LabelPlan plan;
  plan.design = LabelPlan::Design::informative;
  const std::vector<double> judge{0, 0.5, 1, 0.5};
  std::vector<double> chosen(4, 0.0);
  constexpr int kSeeds = 4000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    plan.seed = static_cast<std::uint64_t>(seed);
    const LabelChoice choice = choose_rows_to_label(judge, {}, 2, plan);
    ASSERT_EQ(choice.rows.size(), 2U);
    EXPECT_NEAR(choice.probabilities[0], 0.28990, 5e-5);
    EXPECT_NEAR(choice.probabilities[1], 0.71010, 5e-5);
    for (const std::size_t row : choice.rows) chosen[row] += 1.0 / kSeeds;
  }
  // 4 standard errors of 4,000 draws are 0.029.
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(chosen[i], i % 2 == 0 ? 0.28990 : 0.71010, 0.03);
}

// Of three rows two are wanted, and one weighs more than both others: 2·0.5477/0.9950 is above 1, so it is
// certain, and the others share the second place.
TEST(RowsToLabel, AreCertainWhereTheirChanceWouldPassOne) {
  LabelPlan plan;
  plan.design = LabelPlan::Design::informative;
  const LabelChoice choice = choose_rows_to_label(std::vector<double>{3, 1, 5}, {}, 2,
                                                  {.seed = 1, .design = plan.design, .range = {1, 5}});
  EXPECT_EQ(choice.probabilities, (std::vector<double>{1, 0.5, 0.5}));
  EXPECT_EQ(choice.rows.size(), 2U);
  EXPECT_EQ(choice.rows.front(), 0U);
}

TEST(RowsToLabel, NeverHaveNoScore) {
  const LabelChoice choice = choose_rows_to_label(std::vector<double>{kNaN, 1, 2, kNaN}, {}, 10, {.seed = 1});
  EXPECT_EQ(choice.rows, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(choice.probabilities, (std::vector<double>{0, 1, 1, 0}));
  EXPECT_EQ(choose_rows_to_label({}, {}, 10).undefined, "no row has a score");
  EXPECT_EQ(choose_rows_to_label(std::vector<double>{1}, {}, 0).undefined, "no labels were asked for");
  EXPECT_EQ(choose_rows_to_label(std::vector<double>{1}, std::vector<std::string>{"a", "b"}, 1).undefined,
            "not every row has a name");
}

RC_GTEST_PROP(RowsToLabel, HangOnTheirNamesAndNotOnTheirOrder,
              (const std::vector<std::uint8_t>& scores, std::uint8_t budget, unsigned seed)) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto chosen = [&](const LabelPlan& plan) {
    std::vector<double> judge;
    std::vector<std::string> names;
    for (const std::size_t i : order) {
      judge.push_back(scores[i] % 16);
      names.push_back("case " + std::to_string(i));
    }
    const LabelChoice choice = choose_rows_to_label(judge, names, budget, plan);
    double expected = std::accumulate(choice.probabilities.begin(), choice.probabilities.end(), 0.0);
    RC_ASSERT(std::fabs(expected - static_cast<double>(choice.rows.size())) < 1e-9);
    RC_ASSERT(choice.rows.size() == std::min<std::size_t>(budget, scores.size()));
    if (budget > 0) {
      for (const double p : choice.probabilities) RC_ASSERT(p > 0 && p <= 1);
    }
    std::set<std::string> result;
    for (const std::size_t row : choice.rows) result.insert(names[row]);
    return result;
  };
  const LabelPlan plan{.seed = seed, .design = LabelPlan::Design::stratified};
  const auto before = chosen(plan);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  RC_ASSERT(chosen(plan) == before);
}

}  // namespace
}  // namespace assay
