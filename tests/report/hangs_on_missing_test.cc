#include "report/hangs_on_missing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stats/intervals/missing.h"
#include "stats/intervals/proportion.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// 45 of 50 right, so many missing.
Summary with_missing_cases(std::int64_t missing, bool headline = false) {
  Summary summary;
  Metric metric;
  metric.name = "accuracy";
  metric.form = Metric::Form::share;
  metric.headline = headline;
  metric.estimate = with_missing(wilson(45, 50), {{"target_failed", missing}});
  summary.metrics.push_back(metric);
  return summary;
}

std::vector<std::string> conclusions(Summary summary, const std::string& gate) {
  const std::vector<Gate> gates = {parse_gate(gate).value()};
  summary.gates = evaluate_gates(gates, summary);
  return missing_conclusions(gates, summary);
}

TEST(HangsOnMissing, AGateThatCouldFailIsTold) {
  EXPECT_THAT(
      conclusions(with_missing_cases(10), "accuracy >= 0.8"),
      ElementsAre("The gate “accuracy >= 0.8” passed with 90.0%, and what is missing could change that "
                  "(target failed 10): with all of it at its worst the figure would be 75.0%, and the "
                  "gate would fail."));
  EXPECT_THAT(conclusions(with_missing_cases(60), "accuracy >= 0.95"),
              ElementsAre(HasSubstr("at its best the figure would be 95.5%, and the gate would pass.")));
}

TEST(HangsOnMissing, AGateThatCannotChangeIsNot) {
  EXPECT_THAT(conclusions(with_missing_cases(2), "accuracy >= 0.8"), IsEmpty());
  EXPECT_THAT(conclusions(with_missing_cases(0), "accuracy >= 0.8"), IsEmpty());
}

TEST(HangsOnMissing, AHeadlineFigureThatTheMissingMoveFurtherThanChanceIsTold) {
  EXPECT_THAT(missing_conclusions({}, with_missing_cases(20, true)),
              ElementsAre(HasSubstr("accuracy between 64.3% – 92.9% (missing: target failed 20)")));
  EXPECT_THAT(missing_conclusions({}, with_missing_cases(1, true)), IsEmpty());
}

}  // namespace
}  // namespace assay
