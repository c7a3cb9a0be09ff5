#include "evaluations/experiment/analysis/gathering.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <boost/json/object.hpp>

#include "core/text.h"
#include "evaluations/experiment/design/leaks.h"

namespace assay::experiment {
namespace {

// Of the three tone questions only what was chosen.
Json choices_only(const Json& answers) {
  if (!answers.is_object()) return nullptr;
  JsonObject choices;
  for (const auto& [question, answer] : answers.get_object())
    choices.emplace(question, boost::json::string(text_at(answer, "choice")));
  return choices;
}

// Of this query and all before it: what was asked for, and what the answers named.
std::vector<std::string> roles_so_far(const ExperimentData& data) {
  std::set<std::string> roles;
  for (const Query& query : data.queries) roles.insert(query.role);
  for (const RoleVerdict& verdict : data.roles) roles.insert(verdict.role);
  roles.erase("");
  return {roles.begin(), roles.end()};
}

}  // namespace

Gathering::Gathering(const Design& design) : design_(design) {
  data_.conditions = design.conditions;
  data_.runs = design.runs;
  data_.swap = design.swap && design.pairwise_evaluators > 0;
  data_.raters = design.absolute_evaluators;
  data_.pair_judges = design.pairwise_evaluators;
  const auto [first, last] = design.role_evaluators();
  data_.role_judges = last - first + 1;
}

std::size_t Gathering::length(const BlindAnswers& answers, std::size_t condition, int run) const {
  const auto& answer = answers.at(design_.place(condition, run));
  return answer ? count_code_points(answer->text) : 0;
}

void Gathering::add(const JudgedQuery& judged) {
  const auto& [query, record, answers, roles] = judged;
  const std::size_t position = data_.queries.size();
  data_.queries.push_back(query);
  for (std::size_t place = 0; place < answers.size(); ++place) {
    const auto [condition, run] = design_.answer_at(place);
    const auto& answer = answers[place];
    data_.answers.push_back({position, condition, run, answer.has_value(), roles[place],
                             answer && !answer->roles.empty() ? answer->roles.front() : ""});
  }
  for (std::string& leak : leak_sentences(design_, query, answers, roles_so_far(data_)))
    data_.leaks.push_back(std::move(leak));

  const auto trouble_from = data_.trouble.size();
  const auto note = [&](int evaluator, int failures, bool lost) {
    if (failures > 0 || lost) data_.trouble.push_back({evaluator, failures, lost});
  };
  const std::size_t pairs_from = data_.pairs.size();
  for (const auto& [verdict, failures] : record.pairs) {
    PairVerdict one = verdict;
    one.query = position;
    one.reasons = {};
    one.tone_answers = choices_only(verdict.tone_answers);
    one.length_a = length(answers, one.condition_a, one.run);
    one.length_b = length(answers, one.condition_b, one.run);
    note(one.evaluator, failures, false);
    data_.pairs.push_back(std::move(one));
  }
  const std::size_t ratings_from = data_.ratings.size();
  for (const auto& [rating, failures] : record.ratings) {
    Rating one = rating;
    one.query = position;
    one.reasons = {};
    one.length = length(answers, one.condition, one.run);
    note(one.evaluator, failures, false);
    data_.ratings.push_back(std::move(one));
  }
  const std::size_t roles_from = data_.roles.size();
  for (const auto& [verdict, failures] : record.roles) {
    RoleVerdict one = verdict;
    one.query = position;
    one.why.clear();
    note(one.evaluator, failures, false);
    data_.roles.push_back(std::move(one));
  }
  for (const Lost& lost : record.lost) note(lost.evaluator, lost.format_failures, true);

  const auto sort_from = [](auto& list, std::size_t from, auto key) {
    std::ranges::sort(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(), {}, key);
  };
  sort_from(data_.pairs, pairs_from,
            [](const PairVerdict& one) { return std::tuple(one.evaluator, one.order); });
  sort_from(data_.ratings, ratings_from,
            [](const Rating& one) { return std::tuple(one.evaluator, one.order); });
  sort_from(data_.roles, roles_from,
            [](const RoleVerdict& one) { return std::tuple(one.evaluator, one.condition, one.run); });
  sort_from(data_.trouble, trouble_from,
            [](const JudgeTrouble& one) { return std::tuple(one.evaluator, one.format_failures, one.lost); });
}

}  // namespace assay::experiment
