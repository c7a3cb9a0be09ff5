#include "stats/classification/confusion_matrix.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/json/json.h"
#include "core/random.h"
#include "tests/stats/reference.h"

namespace assay {
namespace {

using Rows = std::vector<std::vector<std::int64_t>>;

ConfusionMatrix matrix_of(const std::vector<std::string>& labels, const Rows& rows) {
  ConfusionMatrix matrix;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = 0; j < labels.size(); ++j) matrix.add(labels[i], labels[j], rows[i][j]);
  }
  return matrix;
}

TEST(ConfusionMatrix, SortsLabelsAndCountsRowsExpectedColumnsActual) {
  ConfusionMatrix matrix;
  matrix.add("tax", "tax");
  matrix.add("benefits", "tax");
  matrix.add("tax", "visa");
  matrix.add("tax", "visa");
  EXPECT_EQ(matrix.labels(), (std::vector<std::string>{"benefits", "tax", "visa"}));
  EXPECT_EQ(matrix.rows(), (Rows{{0, 1, 0}, {0, 1, 2}, {0, 0, 0}}));
  EXPECT_EQ(matrix.total(), 4);
  EXPECT_EQ(matrix.correct(), 1);
  EXPECT_EQ(matrix.cells().size(), 3U);
}

TEST(ConfusionMatrix, MergesByLabel) {
  ConfusionMatrix one;
  one.add("b", "a", 2);
  ConfusionMatrix other;
  other.add("a", "a", 3);
  other.add("b", "a", 1);
  one.merge(other);
  EXPECT_EQ(one.rows(), (Rows{{3, 0}, {3, 0}}));
  EXPECT_EQ(one.total(), 6);
}

TEST(ConfusionMatrix, IgnoresCountsThatAreNotPositive) {
  ConfusionMatrix matrix;
  matrix.add("a", "b", 0);
  matrix.add("a", "b", -5);
  EXPECT_EQ(matrix.label_count(), 0U);
  EXPECT_EQ(matrix.total(), 0);
}

TEST(ConfusionMatrix, TakesAnyText) {
  ConfusionMatrix matrix;
  const std::string zero("a\0b", 3);
  matrix.add("", zero);
  matrix.add(zero, "");
  matrix.add("<script>", "\xff\xfe");
  EXPECT_EQ(matrix.label_count(), 4U);
  EXPECT_EQ(matrix.labels().front(), "");
}

TEST(MatrixFigures, AgreeWithScikitLearn) {
  for (const Json& table : reference_values("matrices").as_array()) {
    ConfusionMatrix matrix;
    for (std::size_t i = 0; i < table.at("expected").as_array().size(); ++i) {
      matrix.add(as_text(table.at("expected").at(i)).value(), as_text(table.at("actual").at(i)).value());
    }
    for (std::size_t i = 0; i < matrix.label_count(); ++i) {
      for (std::size_t j = 0; j < matrix.label_count(); ++j) {
        EXPECT_EQ(matrix.rows()[i][j], as_integer(table.at("rows").at(i).at(j)));
      }
    }
    const MatrixFigures figures = matrix_figures(matrix, {.draws = 1000});
    EXPECT_NEAR(figures.accuracy.value.value(), number(table.at("accuracy")), 1e-12);
    EXPECT_NEAR(figures.cohen_kappa.value.value(), number(table.at("cohen_kappa")), 1e-12);
    EXPECT_NEAR(figures.matthews_correlation.value.value(), number(table.at("matthews_correlation")), 1e-12);
    const auto check = [&](const AveragedFigures& average, const char* name) {
      const Json& reference = table.at("averages").at(name);
      EXPECT_NEAR(average.precision.value.value(), number(reference.at("precision")), 1e-12) << name;
      EXPECT_NEAR(average.recall.value.value(), number(reference.at("recall")), 1e-12) << name;
      EXPECT_NEAR(average.f1.value.value(), number(reference.at("f1")), 1e-12) << name;
      EXPECT_NEAR(average.f2.value.value(), number(reference.at("f2")), 1e-12) << name;
    };
    check(figures.weighted, "weighted");
    check(figures.macro, "macro");
    check(figures.micro, "micro");
    for (std::size_t i = 0; i < figures.labels.size(); ++i) {
      const Json& reference = table.at("per_label");
      EXPECT_NEAR(figures.labels[i].precision.value.value(), number(reference.at("precision").at(i)), 1e-12);
      EXPECT_NEAR(figures.labels[i].recall.value.value(), number(reference.at("recall").at(i)), 1e-12);
      EXPECT_NEAR(figures.labels[i].f1.value.value(), number(reference.at("f1").at(i)), 1e-12);
      EXPECT_NEAR(figures.labels[i].f2.value.value(), number(reference.at("f2").at(i)), 1e-12);
    }
  }
}

// By hand. a: tp 2, fn 1 (given d). b: never given, its case went to c. c: tp 1, fp 1. d: given once, never
// expected.
TEST(MatrixFigures, LeaveUndefinedLabelsOutOfTheAverages) {
  ConfusionMatrix matrix;
  matrix.add("a", "a", 2);
  matrix.add("a", "d");
  matrix.add("b", "c");
  matrix.add("c", "c");
  const MatrixFigures figures = matrix_figures(matrix);
  ASSERT_EQ(figures.labels.size(), 4U);
  EXPECT_FALSE(figures.labels[1].precision.value.has_value());
  EXPECT_EQ(figures.labels[1].precision.undefined, "no case was given this label");
  EXPECT_EQ(figures.labels[1].recall.value, 0);
  EXPECT_EQ(figures.labels[1].f1.value, 0);
  EXPECT_FALSE(figures.labels[3].recall.value.has_value());
  EXPECT_EQ(figures.labels[3].precision.value, 0);
  EXPECT_EQ(figures.labels[0].support, 3);
  EXPECT_EQ(figures.labels[2].predicted, 2);

  // Precision: (3·1 + 1·½ + 0·0)/4, b's weight is gone with it.
  EXPECT_NEAR(figures.weighted.precision.value.value(), 0.875, 1e-12);
  EXPECT_EQ(figures.weighted.precision.n, 4);
  EXPECT_EQ(figures.weighted.precision.missing.at("label_undefined"), 1);
  EXPECT_NEAR(figures.weighted.precision.bounds.value().low, 3.5 / 5, 1e-12);
  EXPECT_NEAR(figures.weighted.precision.bounds.value().high, 4.5 / 5, 1e-12);
  EXPECT_NEAR(figures.weighted.recall.value.value(), 3.0 / 5, 1e-12);
  EXPECT_NEAR(figures.weighted.f1.value.value(), (3 * 0.8 + 2.0 / 3) / 5, 1e-12);
  EXPECT_NEAR(figures.weighted.f2.value.value(), (3 * 10.0 / 14 + 5.0 / 6) / 5, 1e-12);
  EXPECT_NEAR(figures.macro.precision.value.value(), (1 + 0.5 + 0) / 3, 1e-12);
  EXPECT_NEAR(figures.macro.precision.bounds.value().high, 2.5 / 4, 1e-12);
  EXPECT_NEAR(figures.macro.recall.value.value(), (2.0 / 3 + 0 + 1) / 3, 1e-12);
  EXPECT_FALSE(figures.macro.recall.bounds.has_value());  // no case is missing: d was never expected
  EXPECT_NEAR(figures.macro.f1.value.value(), (0.8 + 0 + 2.0 / 3 + 0) / 4, 1e-12);
  EXPECT_NEAR(figures.cohen_kappa.value.value(), (0.6 - 0.32) / (1 - 0.32), 1e-12);
}

// One case, expected a, given b: precision of a is undefined, that of b is 0 and rests on that case.
TEST(MatrixFigures, OfOneWrongCaseRestOnIt) {
  ConfusionMatrix matrix;
  matrix.add("a", "b");
  const MatrixFigures figures = matrix_figures(matrix);
  EXPECT_EQ(figures.macro.precision.value, 0);
  EXPECT_EQ(figures.macro.precision.n, 1);
  EXPECT_FALSE(figures.weighted.precision.value);
  EXPECT_EQ(figures.weighted.precision.n, 0);
}

RC_GTEST_PROP(MatrixFigures, SayOverHowManyCasesTheyWereTaken, ()) {
  ConfusionMatrix matrix;
  const auto cases = *rc::gen::inRange(1, 6);
  for (int i = 0; i < cases; ++i)
    matrix.add(std::to_string(*rc::gen::inRange(0, 4)), std::to_string(*rc::gen::inRange(0, 4)));
  const MatrixFigures figures = matrix_figures(matrix, {.draws = 0});
  std::vector<const Estimate*> all = {&figures.accuracy, &figures.cohen_kappa, &figures.matthews_correlation};
  for (const AveragedFigures* average : {&figures.weighted, &figures.macro, &figures.micro})
    all.insert(all.end(), {&average->precision, &average->recall, &average->f1, &average->f2});
  for (const LabelFigures& label : figures.labels)
    all.insert(all.end(), {&label.precision, &label.recall, &label.f1, &label.f2});
  for (const Estimate* one : all) RC_ASSERT(!one->value || one->n > 0);
}

TEST(MatrixFigures, GiveWeightedRecallTheIntervalOfTheAccuracy) {
  const MatrixFigures figures = matrix_figures(matrix_of({"a", "b"}, {{7, 2}, {3, 8}}));
  EXPECT_EQ(figures.weighted.recall.value, figures.accuracy.value);
  EXPECT_EQ(figures.weighted.recall.ci->low, figures.accuracy.ci->low);
  EXPECT_EQ(figures.weighted.recall.method, "wilson");
}

// SAS/STAT FREQ, example of the simple kappa coefficient (also in statsmodels' tests): 0.4842, ASE 0.1380, 95
// % limits 0.2137 and 0.7547. The bootstrap of 19 cases has other tails, but must be of that size.
TEST(CohenKappa, GivesTheSasExample) {
  const MatrixFigures figures = matrix_figures(matrix_of({"1", "2", "3"}, {{0, 4, 1}, {0, 8, 0}, {0, 1, 5}}));
  EXPECT_NEAR(figures.cohen_kappa.value.value(), 0.4842, 5e-5);
  EXPECT_EQ(figures.cohen_kappa.method, "bootstrap_percentile");
  EXPECT_NEAR(figures.cohen_kappa.ci.value().low, 0.2137, 0.08);
  EXPECT_NEAR(figures.cohen_kappa.ci.value().high, 0.7547, 0.08);
}

TEST(CohenKappa, GivesThePublishedValues) {
  const auto kappa = [](const Rows& rows) {
    std::vector<std::string> labels;
    labels.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) labels.push_back(std::to_string(i));
    return matrix_figures(matrix_of(labels, rows), {.draws = 100}).cohen_kappa.value.value();
  };
  // Cohen 1968, unweighted.
  EXPECT_NEAR(kappa({{88, 10, 2}, {14, 40, 6}, {18, 10, 12}}), 0.491525, 5e-7);
  // The same observed agreement, different kappa; and the paradox of a rare class.
  EXPECT_NEAR(kappa({{45, 15}, {25, 15}}), 0.1304, 5e-5);
  EXPECT_NEAR(kappa({{25, 35}, {5, 35}}), 0.2593, 5e-5);
  EXPECT_NEAR(kappa({{118, 5}, {2, 0}}), -0.0234, 5e-5);
}

TEST(CohenKappa, IsUndefinedWhenBothSidesUseOneLabel) {
  const MatrixFigures figures = matrix_figures(matrix_of({"a"}, {{5}}));
  EXPECT_FALSE(figures.cohen_kappa.value.has_value());
  EXPECT_EQ(figures.cohen_kappa.undefined, "chance alone agrees: both sides use one and the same label");
  EXPECT_FALSE(figures.matthews_correlation.value.has_value());
  EXPECT_EQ(figures.accuracy.value, 1);
  EXPECT_EQ(figures.weighted.f1.value, 1);
  EXPECT_FALSE(figures.weighted.f1.ci.has_value());
}

TEST(MatrixFigures, OfNothingAreUndefined) {
  const MatrixFigures figures = matrix_figures(ConfusionMatrix());
  for (const Estimate* figure :
       {&figures.accuracy, &figures.weighted.precision, &figures.macro.f2, &figures.micro.recall,
        &figures.cohen_kappa, &figures.matthews_correlation}) {
    EXPECT_FALSE(figure->value.has_value());
    EXPECT_EQ(figure->undefined, "no observations");
  }
  EXPECT_TRUE(figures.labels.empty());
}

TEST(MatrixFigures, StayQuickWhenEveryAnswerIsItsOwnLabel) {
  ConfusionMatrix matrix;
  for (int i = 0; i < 300'000; ++i) matrix.add("expected", "free text " + std::to_string(i));
  const MatrixFigures figures = matrix_figures(matrix);
  EXPECT_EQ(figures.labels.size(), 300'001U);
  EXPECT_EQ(figures.accuracy.value, 0);
  EXPECT_FALSE(figures.weighted.f1.ci.has_value());
  EXPECT_EQ(figures.labels[0].f1.undefined, "no interval: too many labels to resample each");
}

std::vector<std::pair<char, char>> some_rows() {
  return *rc::gen::container<std::vector<std::pair<char, char>>>(
      rc::gen::pair(rc::gen::inRange('a', 'f'), rc::gen::inRange('a', 'f')));
}

MatrixFigures figures_of(const std::vector<std::pair<char, char>>& rows,
                         const std::map<char, std::string>& names) {
  ConfusionMatrix matrix;
  for (const auto& [expected, actual] : rows) matrix.add(names.at(expected), names.at(actual));
  return matrix_figures(matrix, {.draws = 200});
}

const std::map<char, std::string> kNames = {{'a', "a"}, {'b', "b"}, {'c', "c"}, {'d', "d"}, {'e', "e"}};

bool same(const Estimate& a, const Estimate& b) {
  return a.value == b.value && a.n == b.n && a.undefined == b.undefined &&
         a.ci.has_value() == b.ci.has_value() &&
         (!a.ci || (a.ci->low == b.ci->low && a.ci->high == b.ci->high));
}

RC_GTEST_PROP(MatrixFigures, DoNotDependOnTheOrderOfRows, (unsigned seed)) {
  const auto rows = some_rows();
  auto shuffled = rows;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
  const MatrixFigures one = figures_of(rows, kNames);
  const MatrixFigures other = figures_of(shuffled, kNames);
  RC_ASSERT(same(one.accuracy, other.accuracy));
  RC_ASSERT(same(one.weighted.f1, other.weighted.f1));
  RC_ASSERT(same(one.macro.precision, other.macro.precision));
  RC_ASSERT(same(one.cohen_kappa, other.cohen_kappa));
  RC_ASSERT(one.labels.size() == other.labels.size());
}

RC_GTEST_PROP(MatrixFigures, DoNotDependOnWhatTheLabelsAreCalled, ()) {
  const auto rows = some_rows();
  const std::map<char, std::string> renamed = {
      {'a', "zebra"}, {'b', ""}, {'c', "\"quoted\""}, {'d', "d\nd"}, {'e', "é"}};
  const MatrixFigures one = figures_of(rows, kNames);
  const MatrixFigures other = figures_of(rows, renamed);
  const auto near = [](const Estimate& a, const Estimate& b) {
    return a.value.has_value() == b.value.has_value() && a.n == b.n &&
           (!a.value || std::fabs(*a.value - *b.value) < 1e-12);
  };
  RC_ASSERT(near(one.accuracy, other.accuracy));
  RC_ASSERT(near(one.weighted.precision, other.weighted.precision));
  RC_ASSERT(near(one.macro.recall, other.macro.recall));
  RC_ASSERT(near(one.macro.f2, other.macro.f2));
  RC_ASSERT(near(one.cohen_kappa, other.cohen_kappa));
  RC_ASSERT(near(one.matthews_correlation, other.matthews_correlation));
}

// 60 cases with labels that are never predicted or never expected: tests/data/components/generate.py.
TEST(ConfusionMatrix, AgreesWithScikitLearnWhereFiguresAreUndefined) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/data/components/router.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto data = parse_json(text);
  ASSERT_TRUE(data) << data.error().text();
  const JsonArray& expected = find_member(*data, "expected")->get_array();
  const JsonArray& actual = find_member(*data, "actual")->get_array();
  ConfusionMatrix matrix;
  for (std::size_t i = 0; i < expected.size(); ++i) matrix.add(*as_text(expected[i]), *as_text(actual[i]));
  const MatrixFigures figures = matrix_figures(matrix);
  const auto same = [&data](const Estimate& estimate, const std::string& pointer) {
    const Json* value = find_pointer(*data, pointer);
    ASSERT_NE(value, nullptr) << pointer;
    ASSERT_EQ(estimate.value.has_value(), !value->is_null()) << pointer;
    if (estimate.value) EXPECT_NEAR(*estimate.value, *as_number(*value), 1e-12) << pointer;
  };
  same(figures.accuracy, "/accuracy");
  same(figures.cohen_kappa, "/cohen_kappa");
  for (const auto& [name, average] :
       {std::pair("/macro", &figures.macro), std::pair("/weighted", &figures.weighted)}) {
    same(average->precision, std::string(name) + "/precision");
    same(average->recall, std::string(name) + "/recall");
    same(average->f1, std::string(name) + "/f1");
    same(average->f2, std::string(name) + "/f2");
  }
  ASSERT_EQ(figures.labels.size(), find_member(*data, "labels")->get_array().size());
  for (std::size_t i = 0; i < figures.labels.size(); ++i) {
    same(figures.labels[i].precision, "/each/precision/" + std::to_string(i));
    same(figures.labels[i].recall, "/each/recall/" + std::to_string(i));
    same(figures.labels[i].f1, "/each/f1/" + std::to_string(i));
    same(figures.labels[i].f2, "/each/f2/" + std::to_string(i));
  }
}

TEST(ClusteredMatrix, OfSingleCasesHasAlmostTheIntervalOfTheCases) {
  ConfusionMatrix plain;
  ConfusionMatrix clustered;
  Random random = Random::keyed("clustered matrix");
  for (int i = 0; i < 400; ++i) {
    const char* expected = random.uniform() < 0.4 ? "a" : "b";
    const char* actual = random.uniform() < 0.8 ? expected : "a";
    plain.add(expected, actual);
    clustered.add(expected, actual, 1, std::to_string(i));
  }
  const MatrixFigures by_case = matrix_figures(plain);
  const MatrixFigures by_cluster = matrix_figures(clustered);
  EXPECT_EQ(by_cluster.cohen_kappa.value, by_case.cohen_kappa.value);
  EXPECT_EQ(by_cluster.cohen_kappa.method, "bootstrap_clusters");
  EXPECT_NEAR(by_cluster.cohen_kappa.ci->low, by_case.cohen_kappa.ci->low, 0.01);
  EXPECT_NEAR(by_cluster.macro.f1.ci->high, by_case.macro.f1.ci->high, 0.01);
  EXPECT_NEAR(by_cluster.labels[0].precision.ci->low, by_case.labels[0].precision.ci->low, 0.01);
}

TEST(ClusteredMatrix, CountsCopiesOfACaseAsOneObservation) {
  ConfusionMatrix once;
  ConfusionMatrix copied;
  Random random = Random::keyed("copied matrix");
  for (int i = 0; i < 100; ++i) {
    const char* expected = random.uniform() < 0.5 ? "a" : "b";
    const char* actual = random.uniform() < 0.75 ? expected : "a";
    once.add(expected, actual, 1, std::to_string(i));
    copied.add(expected, actual, 9, std::to_string(i));
  }
  const MatrixFigures a = matrix_figures(once);
  const MatrixFigures b = matrix_figures(copied);
  EXPECT_DOUBLE_EQ(a.cohen_kappa.ci->low, b.cohen_kappa.ci->low);
  EXPECT_DOUBLE_EQ(a.accuracy.ci->high, b.accuracy.ci->high);
  EXPECT_DOUBLE_EQ(a.labels[1].f1.ci->low, b.labels[1].f1.ci->low);
}

TEST(ClusteredMatrix, OfFewClustersHasNoInterval) {
  ConfusionMatrix matrix;
  for (int i = 0; i < 90; ++i)
    matrix.add(i % 2 == 0 ? "a" : "b", i % 3 == 0 ? "a" : "b", 1, std::to_string(i % 9));
  const MatrixFigures figures = matrix_figures(matrix);
  EXPECT_FALSE(figures.cohen_kappa.ci);
  EXPECT_NE(figures.cohen_kappa.undefined.find("9 clusters are too few"), std::string::npos);
  EXPECT_FALSE(figures.accuracy.ci);
}

}  // namespace
}  // namespace assay
