#include "runs/about.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/yaml.h"
#include "evaluations/registry.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> about(std::string_view name, std::string_view yaml) {
  const EvaluationKind* kind = find_evaluation(name);
  const ResolvedConfig resolved = resolve_config(all_keys(*kind), {"", parse_yaml(yaml).value(), {}});
  for (const ConfigProblem& problem : resolved.problems) ADD_FAILURE() << problem.key << ": " << problem.text;
  std::vector<ConfigProblem> problems;
  const auto evaluation = kind->make(resolved.config, problems);
  for (const ConfigProblem& problem : problems) ADD_FAILURE() << problem.key << ": " << problem.text;
  return about_run(name, resolved.config, *evaluation);
}

TEST(AboutRun, NamesTargetJudgeAndDataWithAliasesResolved) {
  EXPECT_THAT(about("rag_answers", R"(
evaluation: rag_answers
generate: true
input_path: /data/questions.jsonl
target: {http: {url: "https://ada:secret@rag.example/ask?key=secret"}}
judge: {model: strict}
metrics: [coherence, {name: relevance, model: openai/gpt-4o}]
models:
  strict: {provider: openai, name: qwen3, base_url: "http://u:p@127.0.0.1:8080/v1?token=secret"}
seed: 7
)"),
              ElementsAre(Pair("target", "https://rag.example/ask"),
                          Pair("judge", "openai/qwen3 at http://127.0.0.1:8080/v1, openai/gpt-4o"),
                          Pair("data", "data/questions.jsonl"), Pair("seed", "7")));
}

TEST(AboutRun, ACommandIsShownAsOneWritesIt) {
  EXPECT_THAT(about("question_router", R"(
evaluation: question_router
generate: true
input_path: /data/questions.jsonl
target: {command: [python3, -m, route, --fast]}
)"),
              testing::Contains(Pair("target", "python3 -m route --fast")));
}

TEST(AboutRun, ATargetThatIsNotAskedIsNotNamed) {
  EXPECT_THAT(about("question_router", R"(
evaluation: question_router
generate: false
input_path: /data/questions.jsonl
target: {command: ["./route.sh"]}
)"),
              ElementsAre(Pair("target", "not asked: the data hold its answers"),
                          Pair("data", "data/questions.jsonl")));
}

}  // namespace
}  // namespace assay
