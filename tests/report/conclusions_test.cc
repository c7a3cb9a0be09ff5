#include "report/conclusions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/sample.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Summary finished(const std::vector<std::string>& gates) {
  Summary summary;
  summary.cases = {50, 48, 2, 0};
  summary.metrics.push_back(metric("accuracy", wilson(3, 5), Metric::Form::share, true));
  summary.metrics.push_back(
      metric("precision", undefined_figure("nothing was positive"), Metric::Form::share));
  for (const std::string& gate : gates)
    summary.gates.push_back(evaluate_gate(parse_gate(gate).value(), summary).value());
  return summary;
}

TEST(Conclusions, FailedGatesAndErrorsComeBeforeWhatTheEvaluationSays) {
  Summary summary = finished({"accuracy >= 0.5", "accuracy >= 0.9", "precision >= 0.8"});
  summary.conclusions = {"The router confuses visa with tax."};
  conclude(summary);
  EXPECT_THAT(summary.conclusions,
              ElementsAre("2 of 3 gates failed: accuracy >= 0.9 (value 60.0%), precision >= 0.8 (value n/a).",
                          "2 of 50 cases ended in error; each figure rests on the cases that its n counts.",
                          "The router confuses visa with tax."));
}

TEST(Conclusions, GatesThatPassedComeLast) {
  Summary summary = finished({"accuracy >= 0.5"});
  summary.cases = {50, 50, 0, 0};
  summary.conclusions = {"All is well."};
  conclude(summary);
  EXPECT_THAT(summary.conclusions, ElementsAre("All is well.", "The gate passed."));
}

TEST(Conclusions, WhereTheEvaluationSaysNothingItsHeadlineFiguresSpeak) {
  Summary summary = finished({});
  summary.cases = {5, 5, 0, 0};
  summary.metrics[1].headline = true;
  conclude(summary);
  // Wilson's interval of 3 of 5: 0.2307 to 0.8824 (R: binom::binom.wilson(3, 5)).
  EXPECT_THAT(summary.conclusions, ElementsAre("Accuracy is 60.0% (95% interval 23.1% – 88.2%, n = 5).",
                                               "Precision is n/a (nothing was positive)."));
}

TEST(Conclusions, ARunWithoutFiguresHasNone) {
  Summary summary;
  conclude(summary);
  EXPECT_THAT(summary.conclusions, IsEmpty());
}

TEST(SimulatedSentence, NamesWhoIsSimulatedAndIsSilentOtherwise) {
  EXPECT_EQ(simulated_sentence({}), "");
  EXPECT_THAT(simulated_sentence({"sim/judge", "sim/writer"}), testing::HasSubstr("sim/judge, sim/writer"));
}

}  // namespace
}  // namespace assay
