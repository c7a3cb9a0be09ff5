#include "evaluations/persona/figures_by_group.h"

#include <gtest/gtest.h>

namespace assay::persona {
namespace {

Verdict rated(const std::string& item, int likert) {
  Verdict verdict;
  verdict.item_id = item;
  verdict.likert = likert;
  return verdict;
}

TEST(VerdictTally, EveryFigureSaysWhatIsMissingAndWhatItCouldDo) {
  VerdictTally tally;
  tally.add(rated("i1", 4), Mode::mode1);
  tally.add(rated("i2", 4), Mode::mode1);
  tally.add(rated("i3", 5), Mode::mode1);
  tally.add_missing("judge_failed", 2);
  EXPECT_EQ(tally.likert_median().value, 4);
  EXPECT_EQ(tally.likert_median().n, 3);
  EXPECT_EQ(tally.likert_median().missing.at("judge_failed"), 2);
  // 1 1 4 4 5 and 4 4 5 5 5.
  EXPECT_EQ(tally.likert_median().bounds->low, 4);
  EXPECT_EQ(tally.likert_median().bounds->high, 5);
  EXPECT_NEAR(tally.likert_mean().bounds->low, 15.0 / 5, 1e-12);
  EXPECT_NEAR(tally.agreement_rate().bounds->low, 3.0 / 5, 1e-12);
  VerdictTally nothing;
  nothing.add_missing("refused", 1);
  EXPECT_FALSE(nothing.likert_median().value);
  EXPECT_EQ(nothing.likert_median().bounds->low, 1);
}

}  // namespace
}  // namespace assay::persona
