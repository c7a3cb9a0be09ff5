// Any bytes as a task, as an output file that a person may have edited, and as what a system answered:
// problems are told in words, and an output file that is read is written and read again as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evaluations/benchmark/run_file.h"
#include "evaluations/benchmark/scoring/answer.h"
#include "evaluations/benchmark/task_file.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  using namespace assay::benchmark;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto task = read_task(text, "task.yaml");
  fuzz::require_words(task);
  if (task) {
    for (const ConfigProblem& problem : task->problems) fuzz::require_words(problem.text);
    if (task->problems.empty()) {
      fuzz::require(!task->task.variations.empty());
      for (const Variation& variation : task->task.variations)
        (void)fill(task->task.tool_calling_prompt.value_or(""), variation.parameters);
    }
  }
  for (const RunForm form : {RunForm::promptql, RunForm::conversation}) {
    const auto file = read_run_file(text, form);
    fuzz::require_words(file);
    if (!file) continue;
    const std::string written = to_yaml(*file);
    const auto again = read_run_file(written, form);
    fuzz::require(again.has_value());
    fuzz::require(again->conversation.size() == file->conversation.size());
    fuzz::require(to_yaml(*again) == written);
    (void)artifact_answer(file->output, "result");
  }
  const std::vector<std::string> messages = {text};
  const Answer answer = extract_answer(messages);
  fuzz::require((answer.state == AnswerState::found) == answer.error.empty());
  return 0;
}
