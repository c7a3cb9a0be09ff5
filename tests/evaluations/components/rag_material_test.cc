#include "evaluations/components/rag_material.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::components {
namespace {

using testing::ElementsAre;
using testing::Pair;

RagRecord record_of(std::string_view runs) {
  return rag_record(JsonObject{{"runs", parse_json(runs).value()}});
}

TEST(RagMaterial, EveryVerdictStandsBesideWhatItIsAboutAndEqualJudgementsStandOnce) {
  const RagRecord record = record_of(R"({
    "faithfulness": [
      {"run": 1, "score": 0.5, "truths": ["The fee is 80."], "claims": ["The fee is 50.", "One pays online."],
       "verdicts": [{"id": 1, "verdict": "no", "reason": "The contexts say 80."}, {"id": 2, "verdict": "yes", "reason": ""}]},
      {"run": 2, "score": 0.5, "truths": ["The fee is 80."], "claims": ["The fee is 50.", "One pays online."],
       "verdicts": [{"id": 1, "verdict": "no", "reason": "The contexts say 80."}, {"id": 2, "verdict": "yes", "reason": ""}]}],
    "coherence": [{"run": 1, "score": 0.75, "level": 4, "reason": "Reads well."}],
    "factual_recall": [{"run": 1, "score": 0, "TP": [], "FP": ["The fee is 50."], "FN": ["The fee is 80."]}],
    "context_relevancy": [{"run": 1, "score": null, "not_applicable": "there are no structured_contexts"}]
  })");
  const Json fields =
      JsonObject{{"question", "What is the fee?"}, {"llm_answer", "50."}, {"ideal_answer", "80."}};
  EXPECT_THAT(
      judged_material(fields, {"Title: Fees\n\nThe fee is 80."}, record),
      ElementsAre(Pair("question", "What is the fee?"), Pair("answer", "50."), Pair("ideal answer", "80."),
                  Pair("faithfulness, run 1: 0.50 · faithfulness, run 2: 0.50",
                       "1. no: The fee is 50. (The contexts say 80.)\n2. yes: One pays online."),
                  Pair("coherence, run 1: 0.75", "level 4\nReads well."),
                  Pair("factual_recall, run 1: 0.00",
                       "TP, in both answers: none\nFP, in the answer only:\n• The fee is 50.\n"
                       "FN, in the ideal answer only:\n• The fee is 80."),
                  Pair("context_relevancy, run 1", "there are no structured_contexts"),
                  Pair("context 1", "Title: Fees\n\nThe fee is 80.")));
}

TEST(RagMaterial, AVerdictOnWhatIsNotThereDoesNoHarm) {
  const RagRecord record = record_of(
      R"({"relevance": [{"run": 1, "score": 0, "statements": ["a"], "verdicts": [{"id": 9, "verdict": "no"}, {"verdict": "no"}]}]})");
  EXPECT_EQ(judged_words(record.runs.front().second.front()), "9. no: \n?. no: ");
}

}  // namespace
}  // namespace assay::components
