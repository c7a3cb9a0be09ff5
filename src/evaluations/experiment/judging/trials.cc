#include "evaluations/experiment/judging/trials.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/words.h"

namespace assay::experiment {
namespace {

const std::string& name_of(const Design& design, std::size_t condition) {
  return design.conditions[condition].name;
}

std::string chosen(const Design& design, const PairVerdict& verdict, Choice choice) {
  if (choice == Choice::tie) return "tie";
  return name_of(design, choice == Choice::a ? verdict.condition_a : verdict.condition_b);
}

// In the order that the design has them in, whichever was shown first.
JsonArray pair_names(const Design& design, const PairVerdict& verdict) {
  const auto pairs = design.pairs();
  const bool as_shown =
      std::ranges::find(pairs, std::pair(verdict.condition_a, verdict.condition_b)) != pairs.end();
  JsonArray names{name_of(design, verdict.condition_a), name_of(design, verdict.condition_b)};
  if (!as_shown) std::swap(names[0], names[1]);
  return names;
}

JsonObject preference(const Design& design, const PairVerdict& verdict) {
  JsonArray criteria;
  for (std::size_t i = 0; i < kCriteria.size(); ++i) {
    criteria.push_back(JsonObject{{"name", kCriteria[i]},
                                  {"choice", chosen(design, verdict, verdict.choices[i])},
                                  {"reason", verdict.reasons[i]}});
  }
  return {{"judge", std::to_string(verdict.evaluator)},
          {"run", verdict.run},
          {"conditions", pair_names(design, verdict)},
          {"first", name_of(design, verdict.condition_a)},
          {"second", name_of(design, verdict.condition_b)},
          {"winner", chosen(design, verdict, verdict.winner)},
          {"criteria", std::move(criteria)}};
}

void add_marks(const Design& design, const Rating& rating, JsonArray& marks) {
  for (std::size_t i = 0; i < kRated; ++i) {
    const auto mark = rating.mark(i);
    if (!mark) continue;
    marks.push_back(JsonObject{{"judge", std::to_string(rating.evaluator)},
                               {"run", rating.run},
                               {"condition", name_of(design, rating.condition)},
                               {"criterion", rated_name(i)},
                               {"score", *mark},
                               {"reason", i < kCriteria.size() ? rating.reasons[i] : std::string()}});
  }
}

// What it won of a pair with control: 0, half of a tie, 1; nothing if it is no such pair.
std::optional<double> won(const Design& design, const PairVerdict& verdict, std::size_t condition) {
  const bool as_a = verdict.condition_a == condition && design.conditions[verdict.condition_b].control;
  const bool as_b = verdict.condition_b == condition && design.conditions[verdict.condition_a].control;
  if (!as_a && !as_b) return std::nullopt;
  if (verdict.winner == Choice::tie) return 0.5;
  return verdict.winner == (as_a ? Choice::a : Choice::b) ? 1 : 0;
}

void add_answer(const Design& design, const QueryRecord& record, std::size_t condition, int run,
                NotableCase& shown) {
  const auto& answer = record.responses[design.place(condition, run)];
  shown.fields.emplace_back(fmt::format("answer of {}", name_of(design, condition)), answer.value_or("none"));
}

void add_reasons(const std::array<std::string, 5>& reasons, NotableCase& shown) {
  for (std::size_t i = 0; i < kCriteria.size(); ++i) {
    if (!reasons[i].empty()) shown.fields.emplace_back(kCriteria[i], reasons[i]);
  }
}

}  // namespace

JsonObject trials_json(const Design& design, const QueryRecord& record) {
  JsonArray answers;
  for (std::size_t place = 0; place < record.responses.size(); ++place) {
    const auto [condition, run] = design.answer_at(place);
    if (const auto& text = record.responses[place])
      answers.push_back(JsonObject{{"condition", name_of(design, condition)}, {"run", run}, {"text", *text}});
  }
  JsonArray preferences;
  for (const auto& [verdict, failures] : record.pairs) preferences.push_back(preference(design, verdict));
  JsonArray marks;
  for (const auto& [rating, failures] : record.ratings) add_marks(design, rating, marks);
  JsonArray roles;
  for (const auto& [role, failures] : record.roles) {
    roles.push_back(JsonObject{{"judge", std::to_string(role.evaluator)},
                               {"run", role.run},
                               {"condition", name_of(design, role.condition)},
                               {"suits", role.appropriate},
                               {"reason", role.why}});
  }
  return {{"answers", std::move(answers)},
          {"preferences", std::move(preferences)},
          {"marks", std::move(marks)},
          {"roles", std::move(roles)}};
}

std::optional<LowestScore> lowest_score(const Design& design, const QueryRecord& record) {
  const std::vector<ScoreNames> names = score_names(design);
  std::optional<LowestScore> lowest;
  for (const Score& score : query_scores(design, names, record)) {
    if (!score.value) continue;
    for (std::size_t condition = 0; condition < names.size(); ++condition) {
      const bool is_rating = score.figure == names[condition].overall;
      if (!is_rating && score.figure != names[condition].win_rate) continue;
      const double goodness = is_rating ? (*score.value - 1) / 4 : *score.value;
      if (!lowest || goodness < lowest->goodness) lowest = {goodness, condition, is_rating, *score.value};
    }
  }
  return lowest;
}

NotableCase low_query(const Design& design, const JudgedQuery& judged, const LowestScore& lowest) {
  const std::string& name = name_of(design, lowest.condition);
  NotableCase shown{judged.query.id,
                    lowest.is_rating
                        ? fmt::format("{} was rated {:.2f} of 5", name, lowest.value)
                        : fmt::format("{} won {} of its pairs with control", name, share_words(lowest.value)),
                    {{"query", judged.query.text}}};
  const QueryRecord& record = judged.record;
  if (lowest.is_rating) {
    const Rating* worst = nullptr;
    for (const auto& [rating, failures] : record.ratings) {
      if (rating.condition != lowest.condition) continue;
      if (worst == nullptr || rating.scores[kOverall] < worst->scores[kOverall]) worst = &rating;
    }
    if (worst == nullptr) return shown;
    add_answer(design, record, worst->condition, worst->run, shown);
    shown.fields.emplace_back(
        "judged", fmt::format("evaluator {}: {} of 5", worst->evaluator, worst->scores[kOverall]));
    add_reasons(worst->reasons, shown);
    return shown;
  }
  const PairVerdict* worst = nullptr;
  double least = 2;
  for (const auto& [verdict, failures] : record.pairs) {
    const auto points = won(design, verdict, lowest.condition);
    if (points && *points < least) least = *points, worst = &verdict;
  }
  if (worst == nullptr) return shown;
  const PairVerdict& verdict = *worst;
  add_answer(design, record, verdict.condition_a, verdict.run, shown);
  add_answer(design, record, verdict.condition_b, verdict.run, shown);
  shown.fields.emplace_back(
      "judged", fmt::format("evaluator {}: {}", verdict.evaluator, chosen(design, verdict, verdict.winner)));
  add_reasons(verdict.reasons, shown);
  return shown;
}

}  // namespace assay::experiment
