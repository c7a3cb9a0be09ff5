#include "stats/classification/missing_decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::Pair;

// tp 6, tn 5, fp 2, fn 1; two positives and three negatives were not decided.
TEST(MissingDecisions, BoundPrecisionRecallAndF) {
  const BinaryCounts counts{.tp = 6, .tn = 5, .fp = 2, .fn = 1};
  BinaryFigures figures = binary_figures(counts);
  MissingDecisions missing;
  missing.add(true, "target_failed", 2);
  missing.add(false, "target_failed");
  missing.add(false, "refused", 2);
  missing.apply(counts, figures.precision, figures.recall, figures.f1);
  EXPECT_NEAR(figures.precision.bounds->low, 6.0 / (6 + 2 + 3), 1e-12);
  EXPECT_NEAR(figures.precision.bounds->high, 8.0 / 10, 1e-12);
  EXPECT_THAT(figures.precision.missing, ElementsAre(Pair("refused", 2), Pair("target_failed", 3)));
  EXPECT_NEAR(figures.recall.bounds->low, 6.0 / 9, 1e-12);
  EXPECT_NEAR(figures.recall.bounds->high, 8.0 / 9, 1e-12);
  EXPECT_THAT(figures.recall.missing, ElementsAre(Pair("target_failed", 2)));
  EXPECT_NEAR(figures.f1.bounds->low, 12.0 / (12 + 3 + 5), 1e-12);
  EXPECT_NEAR(figures.f1.bounds->high, 16.0 / (16 + 1 + 2), 1e-12);
}

TEST(MissingDecisions, OfNoneChangeNothing) {
  const BinaryCounts counts{.tp = 1, .tn = 1, .fp = 1, .fn = 1};
  BinaryFigures figures = binary_figures(counts);
  MissingDecisions().apply(counts, figures.precision, figures.recall, figures.f1);
  EXPECT_FALSE(figures.precision.bounds || figures.recall.bounds || figures.f1.bounds);
}

// Every way in which the missing cases could have been labelled gives figures within the bounds.
TEST(MissingLabels, BoundWhateverTheMissingCasesWouldHaveBeen) {
  ConfusionMatrix matrix;
  matrix.add("a", "a", 3);
  matrix.add("a", "b", 1);
  matrix.add("b", "b", 2);
  matrix.add("b", "a", 1);
  MissingLabels missing;
  missing.add("a", "target_failed");
  missing.add("b", "target_failed");
  missing.add("c", "refused");
  MatrixFigures figures = matrix_figures(matrix, {.draws = 0});
  missing.apply(matrix, figures);
  const std::string labels[] = {"a", "b", "c"};
  for (const std::string& first : labels) {
    for (const std::string& second : labels) {
      for (const std::string& third : labels) {
        ConfusionMatrix completed = matrix;
        completed.add("a", first);
        completed.add("b", second);
        completed.add("c", third);
        const MatrixFigures whole = matrix_figures(completed, {.draws = 0});
        const std::pair<const Estimate*, const Estimate*> held[] = {
            {&whole.accuracy, &figures.accuracy},
            {&whole.macro.precision, &figures.macro.precision},
            {&whole.macro.recall, &figures.macro.recall},
            {&whole.macro.f1, &figures.macro.f1},
            {&whole.weighted.recall, &figures.weighted.recall},
            {&whole.weighted.f1, &figures.weighted.f1},
            {&whole.labels[0].precision, &figures.labels[0].precision},
            {&whole.labels[0].recall, &figures.labels[0].recall},
            {&whole.labels[1].f2, &figures.labels[1].f2}};
        for (const auto& [found, bounded] : held) {
          if (!found->value) continue;
          ASSERT_TRUE(bounded->bounds);
          EXPECT_GE(*found->value, bounded->bounds->low - 1e-12);
          EXPECT_LE(*found->value, bounded->bounds->high + 1e-12);
        }
      }
    }
  }
  EXPECT_THAT(figures.accuracy.missing, ElementsAre(Pair("refused", 1), Pair("target_failed", 2)));
  EXPECT_THAT(figures.labels[0].recall.missing, ElementsAre(Pair("target_failed", 1)));
  EXPECT_TRUE(figures.cohen_kappa.bounds.has_value());
}

}  // namespace
}  // namespace assay
