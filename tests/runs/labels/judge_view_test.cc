#include "runs/labels/judge_view.h"

#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/yaml.h"

namespace assay::labels {
namespace {

using testing::ElementsAre;

JudgedRun run_of(const std::string& evaluation, const std::string& config = "{}") {
  JudgedRun run;
  run.evaluation = evaluation;
  run.scores.config = parse_yaml(config)->value.as_object();
  run.fields = {"id", "input", "gold", "reference", "must_say", "customer_id"};
  return run;
}

JudgeView view_of(const JudgedRun& run, std::string_view figure, Classes classes = Classes::shown) {
  return judge_view(run, figure, classes).value();
}

TEST(JudgeView, OfAMetricOfRagAnswersIsWhatItsPromptsHold) {
  const JudgedRun run = run_of("rag_answers");
  EXPECT_THAT(*view_of(run, "faithfulness.mean").fields, ElementsAre("llm_answer", "structured_contexts"));
  EXPECT_THAT(*view_of(run, "coherence.pass_rate").fields, ElementsAre("question", "llm_answer"));
  EXPECT_THAT(*view_of(run, "context_relevancy.mean").fields, ElementsAre("question", "structured_contexts"));
  EXPECT_THAT(*view_of(run, "factual_recall.mean").fields, ElementsAre("llm_answer", "ideal_answer"));
  // A question of a person's own may need all of it, but not who answered.
  EXPECT_THAT(*view_of(run, "").fields,
              ElementsAre("question", "llm_answer", "structured_contexts", "ideal_answer"));
}

TEST(JudgeView, OfACustomMetricIsWhatItShows) {
  const std::string prompt = testing::TempDir() + "assay-judge-view.txt";
  std::ofstream(prompt) << "Is {output} kind to {customer_id}?";
  const JudgedRun run =
      run_of("custom",
             "metrics:\n"
             "  - {name: correct, rubric: \"As {gold} says.\", shows: [input, output]}\n"
             "  - {name: correct.too, rubric: \"As it says.\", shows: [input]}\n"
             "  - {name: polite, criteria: [\"Is polite.\"]}\n"
             "  - {name: clear, rubric: \"Is clear.\", of: \"{input}\"}\n"
             "  - {name: tone, judge: {prompt: \"file:" +
                 prompt +
                 "\"}}\n"
                 "  - {name: kind, label: {judge: \"Which? {output} {input}\", of: [a, b]}}\n"
                 "  - {name: backed, rag: faithfulness}\n"
                 "  - {name: recalled, rag: factual_recall, reference: \"{gold}\"}\n"
                 "  - {name: fits, rag: relevance}\n"
                 "  - {name: better, pairwise: {rubric: \"Which?\"}, shows: [input]}\n");
  EXPECT_THAT(*view_of(run, "correct.rate.new").fields, ElementsAre("input", "output", "gold"));
  EXPECT_TRUE(view_of(run, "correct.rate.new").answer);
  EXPECT_THAT(*view_of(run, "correct.too.rate").fields, ElementsAre("input"));
  EXPECT_FALSE(view_of(run, "correct.too.rate").answer);
  EXPECT_FALSE(view_of(run, "polite.mean").fields) << "all fields and the output";
  EXPECT_EQ(view_of(run, "clear.rate").answer_name(), "input");
  EXPECT_EQ(view_of(run, "polite.mean").answer_name(), "answer");
  EXPECT_THAT(*view_of(run, "tone.mean.new").fields, ElementsAre("output", "customer_id"));
  EXPECT_THAT(*view_of(run, "kind.accuracy").fields, ElementsAre("output", "input"));
  EXPECT_THAT(*view_of(run, "backed.mean").fields, ElementsAre("contexts"));
  EXPECT_THAT(*view_of(run, "recalled.mean").fields, ElementsAre("gold"));
  EXPECT_THAT(*view_of(run, "fits.mean").fields, ElementsAre("input"));
  EXPECT_THAT(*view_of(run, "better.win_rate.new").fields, ElementsAre("input"));
  EXPECT_TRUE(view_of(run, "better.win_rate.new").answer);
}

TEST(JudgeView, OfAClassifierAPersonSeesWhatItWasAskedAndNeverWhatIsRight) {
  const JudgedRun router = run_of("question_router");
  EXPECT_THAT(*view_of(router, "accuracy").fields, ElementsAre("question", "actual_outcome"));
  EXPECT_THAT(*view_of(router, "accuracy", Classes::hidden).fields, ElementsAre("question"));
  EXPECT_TRUE(view_of(run_of("output_guardrails"), "", Classes::hidden).shows("message"));
  EXPECT_FALSE(view_of(run_of("guidelines"), "applied_rate_per_conversation").fields)
      << "what as_judged() gives";
}

}  // namespace
}  // namespace assay::labels
