#include "evaluations/experiment/analysis/arms.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/text.h"
#include "evaluations/experiment/analysis/by_query.h"

namespace assay::experiment {
namespace {

constexpr Interval kShare{0, 1};

std::int64_t runs_of(const ExperimentData& data, const Part& part) {
  return part.run ? 1 : std::max(data.runs, 1);
}

// `each` judgements of every answer that is missing.
void lack_answers(QueryCells& cells, const ExperimentData& data, std::size_t condition, std::int64_t each,
                  const Part& part) {
  for (const AnswerFact& answer : data.answers) {
    if (answer.condition == condition && !answer.present && part.holds(data, answer.query, answer.run))
      cells.lack(answer.query, each, kNoAnswer);
  }
}

bool same_role(std::string_view one, std::string_view other) {
  return equal_ignoring_ascii_case(trim(one), trim(other));
}

}  // namespace

bool tone_asked(const ExperimentData& data) {
  return std::ranges::any_of(data.conditions, &Condition::tone);
}

QueryCells rating_cells(const ExperimentData& data, std::size_t condition, std::size_t criterion,
                        const Part& part) {
  QueryCells cells(kLikert);
  if (criterion < kCriteria.size() || tone_asked(data)) {
    for (std::size_t query = 0; query < data.queries.size(); ++query) {
      if (data.raters > 0 && part.holds(data, query)) cells.expect(query, runs_of(data, part) * data.raters);
    }
    lack_answers(cells, data, condition, data.raters, part);
  }
  for (const Rating& rating : data.ratings) {
    if (rating.condition != condition || !part.holds(data, rating.query, rating.run)) continue;
    if (const auto mark = rating.mark(criterion)) cells.add(rating.query, *mark);
  }
  return cells;
}

QueryCells verdict_cells(const ExperimentData& data, std::size_t condition, std::size_t against,
                         const Worth& worth, Interval scale, const Part& part) {
  QueryCells cells(scale);
  const std::int64_t showings = std::int64_t{data.pair_judges} * (data.swap ? 2 : 1);
  for (const PairVerdict& verdict : data.pairs) {
    if (!compares(verdict, condition, against) || !part.holds(data, verdict.query, verdict.run)) continue;
    if (const auto value = worth(verdict)) cells.add(verdict.query, *value);
  }
  if (showings == 0) return cells;
  for (std::size_t query = 0; query < data.queries.size(); ++query) {
    if (part.holds(data, query)) cells.expect(query, runs_of(data, part) * showings);
  }
  // A pair is judged where both answers are there.
  std::set<std::pair<std::size_t, int>> unpaired;  // query and run
  for (const AnswerFact& answer : data.answers) {
    const bool own = answer.condition == condition || answer.condition == against;
    if (own && !answer.present && part.holds(data, answer.query, answer.run))
      unpaired.emplace(answer.query, answer.run);
  }
  for (const auto& [query, run] : unpaired) cells.lack(query, showings, kNoAnswer);
  return cells;
}

QueryCells win_cells(const ExperimentData& data, std::size_t condition, std::size_t against,
                     const Part& part) {
  return verdict_cells(
      data, condition, against,
      [condition](const PairVerdict& verdict) { return points_for(verdict, verdict.winner, condition); },
      kShare, part);
}

QueryCells role_cells(const ExperimentData& data, std::size_t condition, const Part& part) {
  QueryCells cells(kShare);
  if (!data.conditions[condition].has_role()) return cells;
  for (const AnswerFact& answer : data.answers) {
    if (answer.condition != condition || !part.holds(data, answer.query, answer.run)) continue;
    cells.expect(answer.query, data.role_judges);
    if (answer.role.empty()) cells.lack(answer.query, data.role_judges, answer.present ? kNoRole : kNoAnswer);
  }
  for (const RoleVerdict& verdict : data.roles) {
    if (verdict.condition == condition && part.holds(data, verdict.query, verdict.run))
      cells.add(verdict.query, verdict.appropriate ? 1 : 0);
  }
  return cells;
}

QueryCells role_match_cells(const ExperimentData& data, std::size_t condition, const Part& part) {
  QueryCells cells(kShare);
  if (!data.conditions[condition].reports_role) return cells;
  for (const AnswerFact& answer : data.answers) {
    const Query& query = data.queries[answer.query];
    if (answer.condition != condition || trim(query.role).empty() ||
        !part.holds(data, answer.query, answer.run))
      continue;
    cells.expect(answer.query, 1);
    if (answer.named.empty()) {
      cells.lack(answer.query, 1, answer.present ? kNoRole : kNoAnswer);
    } else {
      cells.add(answer.query, same_role(answer.named, query.role) ? 1 : 0);
    }
  }
  return cells;
}

}  // namespace assay::experiment
