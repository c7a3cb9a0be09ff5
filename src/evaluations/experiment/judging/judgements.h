// Everything that was judged in an experiment, de-blinded: what the analysis is made from.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"

namespace assay::experiment {

// In the order of every array of criteria below.
inline constexpr std::array<std::string_view, 5> kCriteria = {"helpfulness", "appropriateness",
                                                              "completeness", "actionability", "overall"};
inline constexpr std::array<std::string_view, 2> kToneCriteria = {"tone_consistency", "interaction_feel"};
inline constexpr std::size_t kOverall = 4;
// What a rating may have a mark for: the criteria, then those of tone.
inline constexpr std::size_t kRated = kCriteria.size() + kToneCriteria.size();
constexpr std::string_view rated_name(std::size_t criterion) {
  return criterion < kCriteria.size() ? kCriteria[criterion] : kToneCriteria[criterion - kCriteria.size()];
}

struct Query {
  std::string id;
  std::string text;
  std::string query_type;  // "" if it has none
  std::string role;        // for conditions whose role is given per query; "" if it has none
  bool ambiguous = false;
};

struct Condition {
  std::string name;
  bool control = false;
  bool reports_role = false;
  bool tone = false;
  bool role_per_query = false;  // it is told the query's role

  // Whether the role of its answers is asked about.
  bool has_role() const { return reports_role || role_per_query; }
};

enum class Choice { a, b, tie };

// One comparison of two answers to a query, as one evaluator saw it.
struct PairVerdict {
  int evaluator = 0;  // from 1
  std::size_t query = 0;
  std::size_t condition_a = 0;  // whose answer stood as Response A
  std::size_t condition_b = 0;
  int run = 0;             // from 1
  bool swapped = false;    // the second showing of a pair, the other way round
  std::int64_t order = 0;  // place in the evaluator's sequence, from 0
  std::array<Choice, 5> choices{};
  Choice winner = Choice::tie;  // its word on the whole
  std::array<std::string, 5> reasons{};
  std::size_t length_a = 0;  // characters of the blinded text
  std::size_t length_b = 0;
  std::array<std::optional<int>, 2> tone_a{};  // 1 to 5, where a tone condition is compared
  std::array<std::optional<int>, 2> tone_b{};
  Json tone_answers;  // the three tone questions; null if they were not asked
};

// One answer, rated by itself.
struct Rating {
  // By place in rated_name(); absent if it was not asked for.
  std::optional<int> mark(std::size_t criterion) const {
    return criterion < scores.size() ? scores[criterion] : tone[criterion - scores.size()];
  }

  int evaluator = 0;
  std::size_t query = 0;
  std::size_t condition = 0;
  int run = 0;
  std::int64_t order = 0;
  std::array<int, 5> scores{};  // 1 to 5
  std::array<std::string, 5> reasons{};
  std::array<std::optional<int>, 2> tone{};
  std::size_t length = 0;
};

// Whether the role that an answer showed was apt; asked apart from the blinded scores.
struct RoleVerdict {
  int evaluator = 0;
  std::size_t query = 0;
  std::size_t condition = 0;
  int run = 0;
  std::string role;
  bool appropriate = false;
  std::string why;
  std::vector<std::string> other_roles;  // for ambiguous queries
};

// A judgement that never came, or came only after its form was wrong so often.
struct JudgeTrouble {
  int evaluator = 0;
  int format_failures = 0;  // answers that could not be read or were incomplete
  bool lost = false;        // no usable answer in the end
};

// An answer of the design, there or not.
struct AnswerFact {
  std::size_t query = 0;
  std::size_t condition = 0;
  int run = 0;
  bool present = true;
  std::string role;   // that it was given in: what it said, else what it was told; "" if none
  std::string named;  // what it said
};

struct ExperimentData {
  std::vector<Query> queries;
  std::vector<Condition> conditions;  // exactly one is the control
  int runs = 0;
  bool swap = false;  // whether pairs were also shown the other way round
  // How many were asked about each answer and each pair: what a complete design would hold.
  int raters = 0;
  int pair_judges = 0;
  int role_judges = 0;
  std::vector<AnswerFact> answers;  // all of the design
  std::vector<PairVerdict> pairs;
  std::vector<Rating> ratings;
  std::vector<RoleVerdict> roles;
  std::vector<JudgeTrouble> trouble;
  std::vector<std::string> leaks;  // role or condition words left in blinded texts, a sentence each
};

}  // namespace assay::experiment
