#include "evaluations/components/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/figures.h"
#include "stats/intervals/proportion.h"

namespace assay::components {
namespace {

using namespace figures;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Wilson's interval of 3 of 5: 0.2307 to 0.8824 (R: binom::binom.wilson(3, 5)).
constexpr const char* kThreeOfFive = "60.0% (95% interval 23.1% – 88.2%, n = 5)";

Table matrix(std::vector<std::string> labels, std::vector<std::vector<Json>> rows) {
  return {"confusion_matrix", "", std::move(labels), std::move(rows), true, "expected", "actual"};
}

TEST(Sentences, TheGuardIsToldByWhatItStopsAndWhatItStopsByMistake) {
  Summary summary;
  summary.metrics = {share("recall", wilson(3, 5)),  share("precision", wilson(3, 5)),
                     count("true_positives", 3, 9),  count("false_negatives", 2, 9),
                     count("false_positives", 1, 9), count("true_negatives", 3, 9)};
  conclude_jailbreak_guardrails(summary);
  EXPECT_THAT(
      summary.conclusions,
      ElementsAre(std::string("The guard stops 3 of 5 jailbreaks: recall ") + kThreeOfFive + ".",
                  std::string("It stops 1 of 4 honest inputs by mistake; precision ") + kThreeOfFive + "."));
}

TEST(Sentences, GuardrailsThatAreNeverRightAreNamed) {
  Summary summary;
  summary.metrics = {share("any_triggered.recall", wilson(3, 5)), count("any_triggered.true_positives", 3, 5),
                     count("any_triggered.false_negatives", 2, 5)};
  summary.tables.push_back(
      {"guardrails",
       "",
       {"guardrail", "expected", "triggered", "both"},
       {{Json("illegal"), Json(2), Json(0), Json(0)}, {Json("political"), Json(3), Json(4), Json(3)}},
       false,
       "",
       ""});
  conclude_output_guardrails(summary);
  EXPECT_THAT(summary.conclusions,
              ElementsAre(HasSubstr("3 of 5 are held back"), "Never right though expected: illegal."));
}

TEST(Sentences, TheRoutersCommonestMistakeAndWhatItNeverChoosesAreNamed) {
  Summary summary;
  summary.metrics = {share("accuracy", wilson(3, 5)),
                     number("expected_calibration_error", plain_figure(0.15, 5))};
  summary.tables = {
      matrix({"greeting", "tax"}, {{Json(3), Json(1)}, {Json(2), Json(0)}}),
      {"labels", "", {"label", "support", "predicted"}, {{Json("tax"), Json(2), Json(0)}}, false, "", ""}};
  conclude_question_router(summary);
  EXPECT_THAT(summary.conclusions,
              ElementsAre(std::string("The router chooses the right label for ") + kThreeOfFive + ".",
                          "The commonest mistake: tax is taken for greeting (2 times).",
                          "Expected and never chosen: tax.",
                          "Its stated confidence is off by 15.0% on average (expected calibration error)."));
}

TEST(Sentences, OfJudgedAnswersTheWeakestMetricComesFirst) {
  Summary summary;
  summary.metrics = {
      number("coherence.mean", plain_figure(0.9, 5)), share("coherence.pass_rate", wilson(5, 5)),
      number("faithfulness.mean", plain_figure(0.4, 5)), share("faithfulness.pass_rate", wilson(3, 5)),
      number("coherence.judge_noise", plain_figure(0.2, 10))};
  conclude_rag_answers(summary);
  EXPECT_THAT(
      summary.conclusions,
      ElementsAre(
          std::string("Weakest: faithfulness. ") + kThreeOfFive +
              " of the answers reach its threshold; the mean is 0.400 (n = 5).",
          "Answers that reach the other thresholds: coherence 100.0%.",
          "The judge differs from itself most on coherence: by 0.200 between runs of the same case."));
}

TEST(Sentences, WithoutFiguresLittleIsSaid) {
  Summary summary;
  conclude_jailbreak_guardrails(summary);
  conclude_output_guardrails(summary);
  conclude_rag_answers(summary);
  EXPECT_THAT(summary.conclusions, IsEmpty());
}

}  // namespace
}  // namespace assay::components
