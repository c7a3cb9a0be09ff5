#include "evaluations/experiment/judging/judged_query.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace assay::experiment {

JudgedQuery judged_query(const Design& design, Query query, QueryRecord record) {
  JudgedQuery judged{std::move(query), std::move(record), {}, {}};
  judged.record.responses.resize(design.answers());
  judged.answers = blinded(judged.record.responses);
  judged.roles.reserve(judged.answers.size());
  for (std::size_t place = 0; place < judged.answers.size(); ++place) {
    const Condition& condition = design.conditions[design.answer_at(place).condition];
    const auto& answer = judged.answers[place];
    judged.roles.push_back(answer ? role_of(condition, judged.query, *answer) : "");
  }
  return judged;
}

std::vector<ScoreNames> score_names(const Design& design) {
  std::vector<ScoreNames> names;
  names.reserve(design.conditions.size());
  for (const Condition& condition : design.conditions)
    names.push_back({fmt::format("score.{}.overall", condition.name), "win_rate." + condition.name});
  return names;
}

std::vector<Score> query_scores(const Design& design, const std::vector<ScoreNames>& names,
                                const QueryRecord& record) {
  std::vector<Score> scores;
  for (std::size_t condition = 0; condition < design.conditions.size(); ++condition) {
    double sum = 0;
    double count = 0;
    for (const auto& [rating, failures] : record.ratings) {
      if (rating.condition != condition) continue;
      sum += rating.scores[kOverall];
      count += 1;
    }
    if (design.absolute_evaluators > 0)
      scores.push_back({names[condition].overall, count > 0 ? std::optional(sum / count) : std::nullopt});
    if (design.conditions[condition].control || design.pairwise_evaluators == 0) continue;
    double won = 0;
    double shown = 0;
    for (const auto& [verdict, failures] : record.pairs) {
      const bool as_a = verdict.condition_a == condition && design.conditions[verdict.condition_b].control;
      const bool as_b = verdict.condition_b == condition && design.conditions[verdict.condition_a].control;
      if (!as_a && !as_b) continue;
      shown += 1;
      if (verdict.winner == Choice::tie) won += 0.5;
      if (verdict.winner == (as_a ? Choice::a : Choice::b)) won += 1;
    }
    scores.push_back({names[condition].win_rate, shown > 0 ? std::optional(won / shown) : std::nullopt});
  }
  return scores;
}

}  // namespace assay::experiment
