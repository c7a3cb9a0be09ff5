#include "evaluations/benchmark/standing.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace assay::benchmark {
namespace {

// A file that a person made does not tell what was asked; its first message does.
bool begins_otherwise(const RunFile& file, const std::string& prompt) {
  if (!file.asked.empty() || file.conversation.empty()) return false;
  const Entry& first = file.conversation.front();
  return first.kind == Entry::Kind::user_message && trim(first.text) != trim(prompt);
}

std::string last_error(const RunFile& file) {
  if (file.error) return ": " + *file.error;
  if (file.conversation.empty() || file.conversation.back().kind != Entry::Kind::error) return "";
  return ": " + file.conversation.back().text;
}

}  // namespace

RunForm form_of(System system) {
  return system == System::promptql ? RunForm::promptql : RunForm::conversation;
}

Standing standing_of(const BenchmarkPlan& plan, const PlannedRun& run, const RunState& state) {
  Standing standing;
  standing.file.form = form_of(run.system);
  standing.unreadable = state.problem;
  if (!state.problem.empty()) return standing;
  if (state.text) {
    auto file = read_run_file(*state.text, standing.file.form);
    if (!file) {
      standing.unreadable = std::move(file.error()).with("file", state.path).text();
      return standing;
    }
    standing.file = std::move(*file);
  }
  standing.next = resume(standing.file, plan.present(run));
  if (plan.transcripts.empty() || standing.next.action == Resume::Action::skip) return standing;
  standing.unfinished = state.text
                            ? fmt::format("the transcript in {} did not come to its end{}", plan.transcripts,
                                          last_error(standing.file))
                            : fmt::format("there is no transcript {}.yaml in {}", run.id, plan.transcripts);
  standing.next.action = Resume::Action::skip;
  return standing;
}

std::string replaced_file(const PlannedRun& run, const RunState& state) {
  return fmt::format("{}-replaced{}.yaml", run.id, state.sitting);
}

std::string change_words(const BenchmarkPlan& plan, const PlannedRun& run, const Standing& standing,
                         const std::string& aside) {
  const Resume& next = standing.next;
  if (next.changed.empty()) {
    if (!begins_otherwise(standing.file, plan.prompt_of(run))) return "";
    return "the file's first message is not the prompt that the task has now, and the file does not tell "
           "what "
           "was asked: it is taken as it is; delete it to run this afresh";
  }
  const std::string what =
      fmt::format("the {} changed since the file was written", fmt::join(next.changed, " and the "));
  if (next.action == Resume::Action::again)
    return fmt::format("{}: run afresh, and what was there is kept in {}", what, aside);
  return what + ": the answer to what was asked then is kept and scored, as keep_changed says";
}

}  // namespace assay::benchmark
