#include "runs/labels/draw.h"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/random.h"
#include "core/text.h"
#include "stats/agreement/human_labels.h"

namespace assay::labels {
namespace {

// The judge's score of each case, where the sheet is about a figure.
std::vector<std::optional<double>> scores_of(const JudgedRun& run, const std::string& figure) {
  const auto at = std::ranges::find(run.scores.figures, figure);
  const auto position = static_cast<std::size_t>(at - run.scores.figures.begin());
  std::vector<std::optional<double>> scores;
  scores.reserve(run.scores.cases.size());
  for (const ScoredCase& one : run.scores.cases)
    scores.push_back(position < one.scores.size() ? one.scores[position] : std::nullopt);
  return scores;
}

}  // namespace

SheetTask make_task(const SheetPlan& plan, const std::string& id, const CaseTexts& texts,
                    std::uint64_t seed) {
  SheetTask task;
  task.case_id = id;
  if (plan.as_judge) task.asked = texts.asked;
  task.material = texts.material;
  if (plan.classes != nullptr) {
    if (const auto found = plan.classes->cases.find(id); found != plan.classes->cases.end()) {
      task.judge_label = found->second.judge;
      task.right_label = found->second.right;
    }
    std::erase_if(task.material, [&](const auto& field) {
      const std::string_view text = trim(field.second);
      return text == task.judge_label || text == task.right_label;
    });
  }
  // The same repeat of both variants, as a judge compares them. Of classes the first is the one that is kept.
  const std::uint64_t drawn = plan.classes != nullptr ? 0 : Random::keyed(seed, "repeat", id).bits64();
  for (const std::string& variant : plan.shown) {
    const auto answers = texts.answers.find(variant);
    if (answers == texts.answers.end() || answers->second.empty()) continue;
    const ShownAnswer& answer = answers->second[drawn % answers->second.size()];
    if (plan.sheet.kind == SheetKind::pair) {
      task.answers.push_back(answer.text);
    } else {
      task.material.insert(task.material.end(), answer.beside.begin(), answer.beside.end());
      task.material.emplace_back(texts.answer_name, answer.text);
    }
  }
  return task;
}

Result<Sheet> draw_sheet(const JudgedRun& run, const SheetRequest& request) {
  if (request.count < 1 || request.count > kMostTasks)
    return fail(
        Error{ErrorKind::data, fmt::format("expected a whole number from 1 to {}", kMostTasks), {}}.with(
            "field", "/count"));
  auto plan = plan_sheet(run, request);
  if (!plan) return fail(std::move(plan.error()));
  const bool judged = !plan->sheet.figure.empty();
  const auto answered = answered_cases(run, plan->shown);
  if (!answered) return fail(answered.error());
  const std::vector<std::optional<double>> judge = scores_of(run, plan->sheet.figure);
  std::vector<double> scores;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < run.scores.cases.size(); ++i) {
    const std::string& id = run.scores.cases[i].id;
    const bool classless = plan->classes != nullptr && !plan->classes->cases.contains(id);
    const bool fits = answered->contains(id) && !classless && (!judged || judge[i]);
    scores.push_back(fits ? judge[i].value_or(0) : std::numeric_limits<double>::quiet_NaN());
    names.push_back(id);
  }
  const LabelChoice choice = choose_rows_to_label(scores, names, request.count, {.seed = request.seed});
  if (!choice.undefined.empty()) return fail(ErrorKind::data, choice.undefined);
  std::set<std::string> ids;
  for (const std::size_t row : choice.rows) ids.insert(names[row]);
  const auto texts = read_case_texts(run, plan->sheet.figure, ids,
                                     plan->sheet.kind == SheetKind::label ? Classes::hidden : Classes::shown);
  if (!texts) return fail(texts.error());
  Sheet sheet = plan->sheet;
  for (const std::size_t row : choice.rows) {
    SheetTask& task =
        sheet.tasks.emplace_back(make_task(*plan, names[row], texts->at(names[row]), request.seed));
    task.cluster = run.scores.cases[row].cluster;
    if (judged) task.judge = judge[row];
  }
  if (sheet.tasks.empty()) return fail(ErrorKind::data, "no case of the run can be judged so");
  sheet.drawn = drawn_of(run);
  sheet.probability = choice.probabilities[choice.rows.front()];
  return sheet;
}

}  // namespace assay::labels
