#include "evaluations/custom/figures/figures.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/custom/figures/case_scores.h"
#include "evaluations/custom/figures/comparison_markdown.h"
#include "report/gates.h"
#include "stats/intervals/mean.h"
#include "stats/variance/nested_design.h"
#include "tests/evaluations/custom/figures/marked.h"

namespace assay::custom {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Four cases; `correct` of old 1 0 0 1 and of new 1 1 0 1.
std::vector<Marked> four_cases() {
  std::vector<Marked> cases;
  const double old_marks[] = {1, 0, 0, 1};
  const double new_marks[] = {1, 1, 0, 1};
  for (int i = 0; i < 4; ++i)
    cases.push_back({{{answered({given(old_marks[i])})}, {answered({given(new_marks[i])})}}});
  return cases;
}

TEST(CustomFigures, RatesAreWilsonsAndDifferencesPairedByCase) {
  const Summary summary = summary_of(two_variants({yes_no("correct")}), four_cases());
  const Estimate& rate = figure(summary, "correct.rate.new");
  EXPECT_EQ(rate.count, 3);
  EXPECT_EQ(rate.method, "wilson");
  EXPECT_NEAR(rate.ci->low, 0.3006418, 1e-6);  // Wilson's formula for 3 of 4
  EXPECT_NEAR(rate.ci->high, 0.9544127, 1e-6);
  // Differences 0 1 0 0: mean ¼, standard error ¼, t with 3 degrees of freedom 3.182446.
  const Estimate& difference = figure(summary, "correct.difference.new");
  EXPECT_DOUBLE_EQ(*difference.value, 0.25);
  EXPECT_NEAR(difference.ci->low, -0.5456116, 1e-6);
  EXPECT_EQ(difference.ci->high, 1) << "1.046, cut where a difference of rates ends";
  const Table& comparison = table(summary, "comparison");
  const auto& row = comparison.rows.front();
  EXPECT_EQ(row[0], "new");
  EXPECT_EQ(row[1], "correct");
  EXPECT_EQ(row[2], 0.5);
  EXPECT_EQ(row[3], 0.75);
  EXPECT_EQ(row[7], 1.0) << "four units: all sign patterns of one difference are as far out";
  EXPECT_EQ(row[9], 4);
  EXPECT_THAT(summary.conclusions,
              Contains(HasSubstr("new and old cannot be told apart on correct: difference "
                                 "+25.0 points, 95% interval −54.6 to +100.0 points")));
}

TEST(CustomFigures, AFailedAnswerIsMissingAndNoScore) {
  auto cases = four_cases();
  cases[1].answers[1] = {unanswered(OutcomeKind::target_failed, "timeout", 1)};
  cases[2].answers[0] = {answered({failed(OutcomeKind::judge_failed, "no JSON")})};
  Mark elsewhere;
  cases[3].answers[1] = {answered({elsewhere})};  // not applicable
  const Summary summary = summary_of(two_variants({yes_no("correct")}), cases);
  const Estimate& rate = figure(summary, "correct.rate.new");  // 1, missing, 0, not applicable
  EXPECT_EQ(rate.n, 2);
  EXPECT_EQ(rate.value, 0.5);
  EXPECT_THAT(rate.missing, ElementsAre(testing::Pair("target_failed", 1)));
  EXPECT_DOUBLE_EQ(rate.bounds->low, 1.0 / 3);
  EXPECT_DOUBLE_EQ(rate.bounds->high, 2.0 / 3);
  EXPECT_EQ(figure(summary, "failed.rate.new").count, 1);
  EXPECT_EQ(figure(summary, "failed.rate.new").n, 4);
  EXPECT_EQ(figure(summary, "case_passed.rate.new").n, 2);
  // Whole pairs: case 1 (0). Case 2: old 0, new missing: 0 to 1. Case 3: new 0, old missing: −1 to 0. Case 4
  // is no pair.
  const Estimate& difference = figure(summary, "correct.difference.new");
  EXPECT_EQ(difference.n, 1);
  EXPECT_DOUBLE_EQ(difference.bounds->low, -1.0 / 3);
  EXPECT_DOUBLE_EQ(difference.bounds->high, 1.0 / 3);
  EXPECT_THAT(summary.conclusions,
              Contains(HasSubstr("new: 1 of 4 answers did not come (25.0%, 95% interval")));
  EXPECT_THAT(summary.conclusions, Contains(HasSubstr("target failed 1; first: “timeout”")));
  EXPECT_THAT(
      summary.conclusions,
      Contains(HasSubstr("correct has no mark for 1 answer of old (judge failed 1; first: “no JSON”)")));
}

// Repeats: passes of three answers a case.
TEST(CustomFigures, RepeatsTellWhetherSomeAllAndTheSameAnswersPass) {
  Design design;
  design.variants = {""};
  design.repeats = 3;
  design.metrics = {yes_no("correct")};
  std::vector<Marked> cases;
  for (const auto& passes : {"111", "110", "111", "100"}) {
    Marked one{{{}}};
    for (const char* pass = passes; *pass != '\0'; ++pass)
      one.answers[0].push_back(answered({given(*pass - '0')}));
    cases.push_back(one);
  }
  cases.push_back(
      {{{answered({given(1)}), answered({given(1)}), unanswered(OutcomeKind::refused, "no", 1)}}});
  const Summary summary = summary_of(design, cases);
  const Estimate& rate = figure(summary, "correct.rate");
  EXPECT_DOUBLE_EQ(*rate.value, (1 + 2.0 / 3 + 1 + 1.0 / 3 + 1) / 5);
  EXPECT_EQ(rate.method, "wilson_shares");
  EXPECT_THAT(rate.missing, ElementsAre(testing::Pair("refused", 1)));
  EXPECT_DOUBLE_EQ(rate.bounds->low, (1 + 2.0 / 3 + 1 + 1.0 / 3 + 2.0 / 3) / 5);
  EXPECT_EQ(figure(summary, "correct.pass_at_k").value, 1);
  EXPECT_EQ(figure(summary, "correct.pass_at_k").n, 4) << "the fifth has only two answers";
  EXPECT_EQ(figure(summary, "correct.pass_all_k").value, 0.5);
  EXPECT_DOUBLE_EQ(*figure(summary, "correct.flips").value, 2.0 / 5);
}

// Two cases × two answers × two votes, analysis of variance by hand: within answers (2 + 2 + 0 + 2)/4 = 1.5,
// answers' means within cases (2 + 4.5)/2 = 3.25, cases' means 3 and 5.5: 3.125. So judge 1.5,
// answer 3.25 − 1.5/2 = 2.5, case 3.125 − 3.25/2 = 1.5.
TEST(CustomFigures, TheSpreadIsSplitByCaseAnswerAndJudge) {
  Design design;
  design.variants = {""};
  design.repeats = 2;
  design.metrics = {rating("tone")};
  design.metrics[0].scale = {0, 10};
  design.metrics[0].votes = 2;
  const auto voted = [](double first, double second) {
    Mark mark = given((first + second) / 2);
    mark.votes = {first, second};
    return answered({mark});
  };
  const std::vector<Marked> cases = {{{{voted(1, 3), voted(3, 5)}}}, {{{voted(4, 4), voted(6, 8)}}}};
  const Summary summary = summary_of(design, cases);
  const auto& rows = table(summary, "spread").rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_DOUBLE_EQ(rows[0][2].as_double(), 1.5);
  EXPECT_DOUBLE_EQ(rows[1][2].as_double(), 2.5);
  EXPECT_DOUBLE_EQ(rows[2][2].as_double(), 1.5);
  EXPECT_DOUBLE_EQ(*figure(summary, "tone.spread.answer").value, 2.5 / 5.5);
  EXPECT_FALSE(figure(summary, "tone.spread.answer").ci) << "two cases say nothing about the error";
  // The root of the mean variance of an answer's votes.
  EXPECT_DOUBLE_EQ(*figure(summary, "tone.judge_noise").value, std::sqrt(1.5));
  EXPECT_EQ(figure(summary, "tone.median").value, 4.25);
}

TEST(CustomFigures, TheSpreadOfSingleVotesIsThatOfTheNestedStudy) {
  Design design;
  design.variants = {""};
  design.repeats = 3;
  design.metrics = {rating("tone")};
  std::vector<Marked> cases;
  NestedScores scores;
  for (std::size_t q = 0; q < 12; ++q) {
    Marked one{{{}}};
    for (int r = 0; r < 3; ++r) {
      const double score = 1 + static_cast<double>((q * q + 2 * q * static_cast<std::size_t>(r) + 3) % 5);
      one.answers[0].push_back(answered({given(score)}));
      scores[{q, r, 0}] = score;
    }
    cases.push_back(one);
  }
  const NestedStudy study = nested_study(scores);
  const Summary summary = summary_of(design, cases);
  const auto& rows = table(summary, "spread").rows;
  ASSERT_EQ(rows.size(), 2U);
  ASSERT_EQ(study.components.size(), 2U);
  ASSERT_EQ(study.components[0].name, "query");
  EXPECT_GT(*study.components[0].variance.value, 0);
  EXPECT_NEAR(rows[0][2].as_double(), *study.components[0].variance.value, 1e-9);
  EXPECT_NEAR(rows[1][2].as_double(), *study.components[1].variance.value, 1e-9);
  EXPECT_TRUE(figure(summary, "tone.spread.case").ci);
}

TEST(CustomFigures, PairsHaveAWinRateAgainstOneHalfAndASeatEffect) {
  MetricShape better;
  better.name = "better";
  better.value = MetricShape::Value::pair;
  const auto compared = [](double as_first, double as_second) {
    Mark mark = given((as_first + as_second) / 2);
    mark.votes = {as_first, as_second};
    return answered({mark});
  };
  std::vector<Marked> cases;
  Mark none;
  for (int i = 0; i < 12; ++i)
    cases.push_back({{{answered({none})}, {i < 9 ? compared(1, 1) : compared(1, 0)}}});
  const Summary summary = summary_of(two_variants({better}), cases);
  EXPECT_DOUBLE_EQ(*figure(summary, "better.win_rate.new").value, (9 + 1.5) / 12);
  EXPECT_DOUBLE_EQ(*figure(summary, "better.ties.new").value, 0.25);
  // The first seat got ½ more than it should in three of twelve.
  EXPECT_DOUBLE_EQ(*figure(summary, "better.seat_effect").value, 0.5 * 3 / 12);
  EXPECT_THAT(summary.conclusions, Contains(HasSubstr("new is better than old on better")));
  EXPECT_THAT(summary.conclusions, Contains(HasSubstr("The data speak for new")));
}

TEST(CustomFigures, LabelsHaveTheFiguresOfAConfusionMatrix) {
  MetricShape topic;
  topic.name = "topic";
  topic.value = MetricShape::Value::label;
  Design design;
  design.variants = {""};
  design.metrics = {topic};
  std::vector<Marked> cases;
  const std::pair<const char*, const char*> said[] = {{"refund", "refund"},
                                                      {"refund", "other"},
                                                      {"other", "other"},
                                                      {"other", "other"},
                                                      {"refund", "refund"}};
  for (const auto& [expected, label] : said) {
    Mark mark = given(0);
    mark.expected = expected;
    mark.label = label;
    cases.push_back({{{answered({mark})}}});
  }
  const Summary summary = summary_of(design, cases);
  EXPECT_EQ(figure(summary, "topic.accuracy").count, 4);
  EXPECT_EQ(figure(summary, "topic.precision.refund").value, 1);
  EXPECT_DOUBLE_EQ(*figure(summary, "topic.recall.refund").value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(*figure(summary, "topic.macro_f1").value, 0.8);
  // Observed 0.8, by chance 0.6·0.4 + 0.4·0.6 = 0.48.
  EXPECT_NEAR(*figure(summary, "topic.cohen_kappa").value, (0.8 - 0.48) / (1 - 0.48), 1e-12);
  EXPECT_THAT(table(summary, "confusion_matrix.topic").columns, ElementsAre("other", "refund"));
}

TEST(CustomFigures, WordsThatAreNoClassAreWrongAndNoClassToAverageOver) {
  MetricShape topic;
  topic.name = "topic";
  topic.value = MetricShape::Value::label;
  topic.classes = {"refund", "other"};
  Design design;
  design.variants = {""};
  design.metrics = {topic};
  std::vector<Marked> cases;
  for (const auto& [expected, label] :
       std::vector<std::pair<std::string, std::string>>{{"refund", "refund"},
                                                        {"refund", "perhaps a refund"},
                                                        {"other", "other"},
                                                        {"other", "who knows"}}) {
    Mark mark = given(expected == label ? 1 : 0);
    mark.expected = expected;
    mark.label = label;
    cases.push_back({{{answered({mark})}}});
  }
  // Each class has precision 1 and recall 1/2: F1 = 2/3.
  EXPECT_DOUBLE_EQ(*figure(summary_of(design, cases), "topic.macro_f1").value, 2.0 / 3);
}

TEST(CustomFigures, SlicesPartsLatencyCostAndWeights) {
  Design design = two_variants({yes_no("correct"), rating("tone")});
  design.metrics[1].weight = 3;
  design.metrics[1].named_parts = true;
  design.slices = {"area"};
  std::vector<Marked> cases;
  for (int i = 0; i < 10; ++i) {
    const auto answer = [&](double correct, double tone) {
      Mark judged = given(tone);
      judged.parts = {{"warmth", tone + 1}};
      AnswerMarks marks = answered({given(correct), judged});
      marks.latency_ms = 100 * (i + 1);
      marks.cost_usd = 0.01;
      return marks;
    };
    cases.push_back({{{answer(i % 2, 3)}, {answer(1, 5)}}, "", {i < 4 ? "refund" : "a=b"}});
  }
  const Summary summary = summary_of(design, cases);
  EXPECT_EQ(figure(summary, "correct.rate.old.area=refund").count, 2);
  EXPECT_EQ(figure(summary, "correct.rate.old.area=a=b").n, 6);
  EXPECT_EQ(figure(summary, "tone.warmth.mean.new").value, 6);
  EXPECT_EQ(figure(summary, "latency.p50.new").value, 550);
  EXPECT_FALSE(figure(summary, "latency.p95.new").ci) << "ten answers";
  EXPECT_NEAR(*figure(summary, "cost.mean.new").value, 0.01, 1e-12);
  EXPECT_NEAR(*figure(summary, "cost.total").value, 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(*figure(summary, "weighted.mean.new").value, 1);
  EXPECT_DOUBLE_EQ(*figure(summary, "weighted.mean.old").value, (0.5 + 3 * 0.5) / 4);
  EXPECT_EQ(table(summary, "by_area").rows.front()[0], "a=b") << "the most frequent first";
  const auto gate = parse_gate("correct.rate.old.area=a=b.low >= 0.1");
  ASSERT_TRUE(gate.has_value());
  EXPECT_TRUE(evaluate_gate(*gate, summary)->passed);
  EXPECT_TRUE(check_gate(*gate, figure_names(design)).has_value());
  const std::string markdown = comparison_markdown(summary, design);
  EXPECT_THAT(markdown, HasSubstr("| `tone` | `new` | 3.000 | 5.000 | +2.000 |"));
  EXPECT_THAT(markdown, HasSubstr("| `latency.p50` | 550 ms"));
}

TEST(CustomFigures, ReportNothingButDeclaredNamesAndScoresAreTheirMeans) {
  Design design = two_variants({yes_no("correct"), rating("tone")});
  design.metrics[1].has_passes = true;
  design.metrics[1].votes = 2;
  design.repeats = 2;
  std::vector<Marked> cases;
  CaseScores scores(design);
  std::map<std::string, Moments> means;
  for (int i = 0; i < 8; ++i) {
    const auto answer = [&](int v, int r) {
      Mark tone = given(1 + (i + v + r) % 5);
      tone.passed = tone.score >= 4;
      tone.votes = {tone.score, 3};
      return answered({given((i * v + r) % 2), tone});
    };
    cases.push_back({{{answer(0, 0), answer(0, 1)}, {answer(1, 0), answer(1, 1)}}, std::to_string(i / 2)});
    CaseMarks marks;
    marks.answers = cases.back().answers;
    for (const Score& score : scores.of(marks)) {
      if (score.value) means[std::string(score.figure)].add(*score.value);
    }
  }
  const Summary summary = summary_of(design, cases);
  const std::vector<std::string> names = figure_names(design);
  for (const Metric& metric : summary.metrics) EXPECT_THAT(names, Contains(metric.name));
  EXPECT_EQ(summary.metrics.size(), names.size());
  for (const MeanFigure& mean : mean_figures(design)) {
    ASSERT_TRUE(means.contains(mean.name)) << mean.name;
    EXPECT_NEAR(*figure(summary, mean.name).value, *means[mean.name].mean(), 1e-12) << mean.name;
    EXPECT_THAT(figure(summary, mean.name).method, HasSubstr("clustered")) << mean.name;
  }
  const auto tone = find_mean_figure("tone.difference.new", mean_figures(design));
  ASSERT_TRUE(tone.has_value());
  EXPECT_EQ(tone->range.low, -4);
}

TEST(CustomSentences, AFindingThatHangsOnMissingAnswersIsNotClaimed) {
  std::vector<Marked> cases;
  for (int i = 0; i < 40; ++i) {
    // new answers the easy half only, and all of that is right.
    const bool easy = i < 20;
    cases.push_back({{{answered({given(i % 2 == 0 ? 1 : 0)})},
                      {easy ? answered({given(1)}) : unanswered(OutcomeKind::refused, "too hard", 1)}}});
  }
  const Summary summary = summary_of(two_variants({yes_no("correct")}), cases);
  EXPECT_THAT(summary.conclusions, Not(Contains(HasSubstr("is better than"))));
  EXPECT_THAT(summary.conclusions,
              Contains(HasSubstr("what is missing (refused 20) could make that anything")));
  EXPECT_THAT(summary.conclusions, Contains("The data do not say which to ship."));
}

TEST(CustomSentences, WithoutABaselineTheFiguresSpeak) {
  Design design = two_variants({yes_no("correct")});
  design.baseline.reset();
  const Summary summary = summary_of(design, four_cases());
  EXPECT_THAT(summary.conclusions,
              Contains(HasSubstr("correct rate: old 50.0% (95% interval 15.0% – 85.0%, n = 4), new 75.0%")));
  EXPECT_THAT(summary.conclusions, Contains(HasSubstr("No baseline is named")));
}

}  // namespace
}  // namespace assay::custom
