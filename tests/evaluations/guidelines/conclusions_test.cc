#include "evaluations/guidelines/conclusions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/figures.h"

namespace assay::guidelines {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Estimate rate(double value, std::int64_t n) {
  Estimate estimate;
  estimate.value = value;
  estimate.n = n;
  estimate.ci = Interval{value / 2, (1 + value) / 2};
  return estimate;
}

TEST(GuidelineConclusions, SayWhatWasCarriedOutWhatLeastAndWhatTheJudgeIsWorth) {
  Summary summary;
  Estimate applied = rate(0.5, 11);
  applied.missing = {{"undetermined", 1}};
  applied.bounds = Interval{0.4, 0.6};
  summary.metrics = {figures::share("applied_rate", applied), figures::share("accuracy", rate(0.8, 11)),
                     figures::number("cohen_kappa", rate(0.6, 11))};
  const auto sentences =
      conclusions(summary, 4, {{"thank", "Say thank you", rate(0.25, 4)}, {"greet", "Greet", rate(0.75, 4)}});
  EXPECT_THAT(
      sentences,
      ElementsAre(
          "The agent carried out 50.0% (95% interval 25.0% – 75.0%, n = 11) of the actions asked of it, "
          "in 4 conversations. What has no verdict (undetermined 1) could bring it to 40.0% – 60.0%.",
          "Least often carried out: thank (\"Say thank you\"), 25.0% (95% interval 12.5% – 62.5%, n = 4).",
          HasSubstr("The judge's verdict is the expected one in 80.0%")));
}

TEST(GuidelineConclusions, SayNothingOfGuidelinesThatWereJudgedOnceOnly) {
  Summary summary;
  summary.metrics = {figures::share("applied_rate", rate(0.5, 2))};
  EXPECT_THAT(conclusions(summary, 2, {{"a", "A", rate(0, 1)}, {"b", "B", rate(1, 1)}}).back(),
              HasSubstr("cannot be compared"));
  EXPECT_THAT(conclusions({}, 0, {}), ElementsAre("No guideline has a verdict."));
}

}  // namespace
}  // namespace assay::guidelines
