#include "evaluations/experiment/design/design.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/random.h"

namespace assay::experiment {
namespace {

template <class T>
void shuffle(std::vector<T>& list, Random random) {
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[static_cast<std::size_t>(random.below(i))]);
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> Design::pairs() const {
  std::vector<std::pair<std::size_t, std::size_t>> list;
  for (std::size_t one = 0; one < conditions.size(); ++one) {
    for (std::size_t other = one + 1; other < conditions.size(); ++other) {
      if (against == Against::control && !conditions[one].control && !conditions[other].control) continue;
      list.emplace_back(conditions[one].control ? other : one, conditions[one].control ? one : other);
    }
  }
  return list;
}

std::pair<int, int> Design::role_evaluators() const {
  if (!role_question) return {1, 0};
  return pairwise_evaluators > 0 ? std::pair{1, pairwise_evaluators} : std::pair{1, absolute_evaluators};
}

bool Design::any_tone() const {
  return std::ranges::any_of(conditions, &Condition::tone);
}

std::size_t Design::place(std::size_t condition, int run) const {
  return condition * static_cast<std::size_t>(runs) + static_cast<std::size_t>(run - 1);
}

Design::AnswerOf Design::answer_at(std::size_t place) const {
  const auto each = static_cast<std::size_t>(runs);
  return {place / each, static_cast<int>(place % each) + 1};
}

std::string Design::file_at(std::size_t place) const {
  const auto [condition, run] = answer_at(place);
  return response_file(conditions[condition].name, run, runs);
}

std::string response_file(const std::string& condition, int run, int runs) {
  return runs == 1 ? fmt::format("{}_responses.json", condition)
                   : fmt::format("{}_run_{}_responses.json", condition, run);
}

std::vector<Showing> showings(const Design& design, const std::string& query) {
  std::vector<Showing> all;
  const auto pairs = design.pairs();
  for (int evaluator = 1; evaluator <= design.pairwise_evaluators; ++evaluator) {
    std::vector<Showing> own;
    for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
      const auto [one, other] = pairs[pair];
      for (int run = 1; run <= design.runs; ++run) {
        const bool turned = Random::keyed(design.seed, "position", query, evaluator,
                                          design.conditions[one].name, design.conditions[other].name, run)
                                .below(2) == 1;
        const Showing first{evaluator, pair, turned ? other : one, turned ? one : other, run, false, 0};
        own.push_back(first);
        if (design.swap) own.push_back({evaluator, pair, first.condition_b, first.condition_a, run, true, 0});
      }
    }
    shuffle(own, Random::keyed(design.seed, "order", query, evaluator));
    for (std::size_t i = 0; i < own.size(); ++i) own[i].place = static_cast<std::int64_t>(i);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<RatingTurn> rating_turns(const Design& design, const std::string& query) {
  std::vector<RatingTurn> all;
  for (int number = 1; number <= design.absolute_evaluators; ++number) {
    const int evaluator = design.pairwise_evaluators + number;
    std::vector<RatingTurn> own;
    for (std::size_t condition = 0; condition < design.conditions.size(); ++condition) {
      for (int run = 1; run <= design.runs; ++run) own.push_back({evaluator, condition, run, 0});
    }
    shuffle(own, Random::keyed(design.seed, "order", query, evaluator));
    for (std::size_t i = 0; i < own.size(); ++i) own[i].place = static_cast<std::int64_t>(i);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::int64_t showings_per_query(const Design& design) {
  return static_cast<std::int64_t>(design.pairs().size()) * design.runs * (design.swap ? 2 : 1);
}

std::int64_t ratings_per_query(const Design& design) {
  return static_cast<std::int64_t>(design.conditions.size()) * design.runs;
}

}  // namespace assay::experiment
