#include "evaluations/components/rag_record.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace assay::components {
namespace {

TEST(RagRecord, IsReadBackAsItWasWritten) {
  RagRecord record;
  record.generated = JsonObject{{"llm_answer", "Two metres."}};
  record.add("coherence", {1, {0.75, {{"reason", "clear"}, {"score", 4}}, std::nullopt, ""}});
  record.add("faithfulness", {1, {std::nullopt, {}, std::nullopt, "there are no structured_contexts"}});
  record.add("coherence", {2, {std::nullopt, {}, Error{ErrorKind::judge, "no JSON", {}}, ""}});
  const std::string text =
      R"({"generated":{"llm_answer":"Two metres."},"runs":{)"
      R"("coherence":[{"run":1,"score":0.75,"reason":"clear","level":4},)"
      R"({"run":2,"score":null,"error":"no JSON","outcome":"judge_failed"}],)"
      R"("faithfulness":[{"run":1,"score":null,"not_applicable":"there are no structured_contexts"}]}})";
  EXPECT_EQ(to_text(to_json(record)), text);
  const RagRecord again = rag_record(to_json(record));
  EXPECT_EQ(to_text(to_json(again)), text);
  ASSERT_NE(again.find("coherence"), nullptr);
  EXPECT_EQ(again.find("coherence")->at(0).score, 0.75);
  EXPECT_EQ(again.find("coherence")->at(1).outcome, "judge_failed");
  EXPECT_EQ(again.find("relevance"), nullptr);
}

TEST(RagRecord, OfACaseThatWasNotJudgedHasNoRuns) {
  EXPECT_EQ(to_text(to_json(RagRecord())), "{}");
  EXPECT_TRUE(rag_record({}).runs.empty());
}

}  // namespace
}  // namespace assay::components
