#include "evaluations/experiment/judging/records.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay::experiment {
namespace {

constexpr std::array<std::string_view, 3> kToneQuestions = {"jarring_shift", "more_natural",
                                                            "awkward_language"};

std::int64_t whole(const Json& json, std::string_view key) {
  const Json* value = find_member(json, key);
  return value == nullptr ? 0 : as_integer(*value).value_or(0);
}

std::optional<int> score_at(const Json& json, std::string_view key) {
  const Json* value = find_member(json, key);
  const auto score = value == nullptr ? std::nullopt : as_integer(*value);
  return score ? std::optional(static_cast<int>(*score)) : std::nullopt;
}

const Json& member(const Json& json, std::string_view key) {
  static const Json kNull;
  const Json* found = find_member(json, key);
  return found == nullptr ? kNull : *found;
}

Json text(const std::string& value) {
  return Json(boost::json::string(value));
}

Json two_scores(const std::array<std::optional<int>, 2>& scores) {
  JsonArray list;
  for (const auto& score : scores) list.push_back(score ? Json(*score) : Json(nullptr));
  return list;
}

std::array<std::optional<int>, 2> two_scores_from(const Json& json) {
  std::array<std::optional<int>, 2> scores;
  const JsonArray* list = json.if_array();
  for (std::size_t i = 0; list != nullptr && i < std::min<std::size_t>(list->size(), 2); ++i) {
    if (const auto score = as_integer((*list)[i])) scores[i] = static_cast<int>(*score);
  }
  return scores;
}

JsonArray reasons_json(const std::array<std::string, 5>& reasons) {
  JsonArray list;
  for (const std::string& reason : reasons) list.push_back(text(reason));
  return list;
}

void reasons_from(const Json& json, std::array<std::string, 5>& reasons) {
  const JsonArray& list = list_at(json, "why");
  for (std::size_t i = 0; i < std::min(list.size(), reasons.size()); ++i)
    reasons[i] = as_text(list[i]).value_or("");
}

}  // namespace

std::string_view to_string(Choice choice) {
  return choice == Choice::a ? "A" : choice == Choice::b ? "B" : "Tie";
}

std::optional<Choice> choice_from(std::string_view word) {
  if (word == "A") return Choice::a;
  if (word == "B") return Choice::b;
  if (word == "Tie") return Choice::tie;
  return std::nullopt;
}

void take_answer(const Json& answer, PairVerdict& verdict) {
  for (std::size_t i = 0; i < kCriteria.size(); ++i) {
    const Json& own = member(answer, kCriteria[i]);
    verdict.choices[i] = choice_from(text_at(own, "choice")).value_or(Choice::tie);
    verdict.reasons[i] = text_at(own, "reason");
  }
  verdict.winner = choice_from(text_at(answer, "winner")).value_or(Choice::tie);
  for (std::size_t i = 0; i < kToneCriteria.size(); ++i) {
    const Json& own = member(answer, kToneCriteria[i]);
    verdict.tone_a[i] = score_at(own, "a");
    verdict.tone_b[i] = score_at(own, "b");
  }
  JsonObject tone;
  for (const std::string_view question : kToneQuestions) {
    if (const Json* own = find_member(answer, question)) tone.emplace(question, *own);
  }
  if (!tone.empty()) verdict.tone_answers = std::move(tone);
}

void take_answer(const Json& answer, Rating& rating) {
  for (std::size_t i = 0; i < kCriteria.size(); ++i) {
    const Json& own = member(answer, kCriteria[i]);
    rating.scores[i] = score_at(own, "score").value_or(0);
    rating.reasons[i] = text_at(own, "reason");
  }
  for (std::size_t i = 0; i < kToneCriteria.size(); ++i)
    rating.tone[i] = score_at(member(answer, kToneCriteria[i]), "score");
}

void take_answer(const Json& answer, RoleVerdict& verdict) {
  verdict.appropriate = as_boolean(member(answer, "appropriate")).value_or(false);
  verdict.why = text_at(answer, "reason");
  for (const Json& role : list_at(answer, "other_roles"))
    verdict.other_roles.emplace_back(as_text(role).value_or(""));
}

JsonObject to_json(const QueryRecord& record) {
  JsonArray responses;
  for (const auto& response : record.responses) responses.push_back(or_null(response));
  JsonArray pairs;
  for (const auto& [verdict, failures] : record.pairs) {
    std::string choices;
    for (const Choice choice : verdict.choices) choices += to_string(choice)[0];
    JsonObject one{{"e", verdict.evaluator},
                   {"a", verdict.condition_a},
                   {"b", verdict.condition_b},
                   {"r", verdict.run},
                   {"s", verdict.swapped},
                   {"o", verdict.order},
                   {"c", choices},
                   {"w", to_string(verdict.winner).substr(0, 1)},
                   {"why", reasons_json(verdict.reasons)},
                   {"f", failures}};
    if (!verdict.tone_answers.is_null()) {
      one["ta"] = two_scores(verdict.tone_a);
      one["tb"] = two_scores(verdict.tone_b);
      one["tone"] = verdict.tone_answers;
    }
    pairs.push_back(std::move(one));
  }
  JsonArray ratings;
  for (const auto& [rating, failures] : record.ratings) {
    JsonArray scores;
    for (const int score : rating.scores) scores.push_back(score);
    JsonObject one{{"e", rating.evaluator}, {"c", rating.condition},  {"r", rating.run},
                   {"o", rating.order},     {"s", std::move(scores)}, {"why", reasons_json(rating.reasons)},
                   {"f", failures}};
    if (rating.tone[0] || rating.tone[1]) one["t"] = two_scores(rating.tone);
    ratings.push_back(std::move(one));
  }
  JsonArray roles;
  for (const auto& [verdict, failures] : record.roles) {
    JsonArray other;
    for (const std::string& role : verdict.other_roles) other.push_back(text(role));
    roles.push_back(JsonObject{{"e", verdict.evaluator},
                               {"c", verdict.condition},
                               {"r", verdict.run},
                               {"role", text(verdict.role)},
                               {"ok", verdict.appropriate},
                               {"why", text(verdict.why)},
                               {"other", std::move(other)},
                               {"f", failures}});
  }
  JsonArray lost;
  for (const Lost& one : record.lost)
    lost.push_back(JsonObject{{"e", one.evaluator}, {"f", one.format_failures}, {"why", text(one.why)}});
  return {{"responses", std::move(responses)},
          {"pairs", std::move(pairs)},
          {"ratings", std::move(ratings)},
          {"roles", std::move(roles)},
          {"lost", std::move(lost)}};
}

QueryRecord record_from(const JsonObject& json) {
  const Json whole_record(json);
  QueryRecord record;
  for (const Json& response : list_at(whole_record, "responses")) {
    const auto words = as_text(response);
    record.responses.push_back(words ? std::optional(std::string(*words)) : std::nullopt);
  }
  const auto choice_of = [](char letter) {
    return letter == 'A' ? Choice::a : letter == 'B' ? Choice::b : Choice::tie;
  };
  for (const Json& one : list_at(whole_record, "pairs")) {
    PairVerdict verdict;
    verdict.evaluator = static_cast<int>(whole(one, "e"));
    verdict.condition_a = static_cast<std::size_t>(whole(one, "a"));
    verdict.condition_b = static_cast<std::size_t>(whole(one, "b"));
    verdict.run = static_cast<int>(whole(one, "r"));
    verdict.swapped = as_boolean(member(one, "s")).value_or(false);
    verdict.order = whole(one, "o");
    const std::string choices = text_at(one, "c");
    for (std::size_t i = 0; i < std::min(choices.size(), verdict.choices.size()); ++i)
      verdict.choices[i] = choice_of(choices[i]);
    const std::string winner = text_at(one, "w");
    verdict.winner = choice_of(winner.empty() ? 'T' : winner[0]);
    reasons_from(one, verdict.reasons);
    verdict.tone_a = two_scores_from(member(one, "ta"));
    verdict.tone_b = two_scores_from(member(one, "tb"));
    verdict.tone_answers = member(one, "tone");
    record.pairs.push_back({std::move(verdict), static_cast<int>(whole(one, "f"))});
  }
  for (const Json& one : list_at(whole_record, "ratings")) {
    Rating rating;
    rating.evaluator = static_cast<int>(whole(one, "e"));
    rating.condition = static_cast<std::size_t>(whole(one, "c"));
    rating.run = static_cast<int>(whole(one, "r"));
    rating.order = whole(one, "o");
    const JsonArray& scores = list_at(one, "s");
    for (std::size_t i = 0; i < std::min(scores.size(), rating.scores.size()); ++i)
      rating.scores[i] = static_cast<int>(as_integer(scores[i]).value_or(0));
    reasons_from(one, rating.reasons);
    rating.tone = two_scores_from(member(one, "t"));
    record.ratings.push_back({std::move(rating), static_cast<int>(whole(one, "f"))});
  }
  for (const Json& one : list_at(whole_record, "roles")) {
    RoleVerdict verdict;
    verdict.evaluator = static_cast<int>(whole(one, "e"));
    verdict.condition = static_cast<std::size_t>(whole(one, "c"));
    verdict.run = static_cast<int>(whole(one, "r"));
    verdict.role = text_at(one, "role");
    verdict.appropriate = as_boolean(member(one, "ok")).value_or(false);
    verdict.why = text_at(one, "why");
    for (const Json& role : list_at(one, "other"))
      verdict.other_roles.emplace_back(as_text(role).value_or(""));
    record.roles.push_back({std::move(verdict), static_cast<int>(whole(one, "f"))});
  }
  for (const Json& one : list_at(whole_record, "lost"))
    record.lost.push_back(
        {static_cast<int>(whole(one, "e")), static_cast<int>(whole(one, "f")), text_at(one, "why")});
  return record;
}

JsonObject blinded_row(const Kept<PairVerdict>& kept, const BlindedPlace& place) {
  const PairVerdict& verdict = kept.judgement;
  JsonObject row{{"query", text(place.query)},
                 {"response_a", text(place.response_a)},
                 {"response_b", text(place.response_b)},
                 {"order", verdict.order},
                 {"swapped", verdict.swapped}};
  for (std::size_t i = 0; i < kCriteria.size(); ++i)
    row[kCriteria[i]] =
        JsonObject{{"choice", to_string(verdict.choices[i])}, {"reason", text(verdict.reasons[i])}};
  row["winner"] = to_string(verdict.winner);
  if (!verdict.tone_answers.is_null()) {
    for (std::size_t i = 0; i < kToneCriteria.size(); ++i) {
      JsonObject both;
      if (verdict.tone_a[i]) both["a"] = *verdict.tone_a[i];
      if (verdict.tone_b[i]) both["b"] = *verdict.tone_b[i];
      row[kToneCriteria[i]] = std::move(both);
    }
    for (const auto& [question, answer] : verdict.tone_answers.get_object()) row[question] = answer;
  }
  row["format_failures"] = kept.format_failures;
  return row;
}

JsonObject blinded_row(const Kept<Rating>& kept, const BlindedPlace& place) {
  const Rating& rating = kept.judgement;
  JsonObject row{{"query", text(place.query)}, {"response", text(place.response_a)}, {"order", rating.order}};
  for (std::size_t i = 0; i < kCriteria.size(); ++i)
    row[kCriteria[i]] = JsonObject{{"score", rating.scores[i]}, {"reason", text(rating.reasons[i])}};
  for (std::size_t i = 0; i < kToneCriteria.size(); ++i) {
    if (rating.tone[i]) row[kToneCriteria[i]] = JsonObject{{"score", *rating.tone[i]}};
  }
  row["format_failures"] = kept.format_failures;
  return row;
}

JsonObject blinded_row(const Kept<RoleVerdict>& kept, const BlindedPlace& place) {
  const RoleVerdict& verdict = kept.judgement;
  JsonArray other;
  for (const std::string& role : verdict.other_roles) other.push_back(text(role));
  return {{"query", text(place.query)},
          {"response", text(place.response_a)},
          {"role", text(verdict.role)},
          {"role_appropriate", verdict.appropriate},
          {"explanation", text(verdict.why)},
          {"other_roles", std::move(other)},
          {"format_failures", kept.format_failures}};
}

std::optional<Kept<PairVerdict>> pair_from_row(const Json& row, BlindedPlace& place) {
  place = {text_at(row, "query"), text_at(row, "response_a"), text_at(row, "response_b")};
  Kept<PairVerdict> kept{{}, static_cast<int>(whole(row, "format_failures"))};
  for (const std::string_view criterion : kCriteria) {
    if (!choice_from(text_at(member(row, criterion), "choice"))) return std::nullopt;
  }
  if (!choice_from(text_at(row, "winner"))) return std::nullopt;
  take_answer(row, kept.judgement);
  kept.judgement.order = whole(row, "order");
  kept.judgement.swapped = as_boolean(member(row, "swapped")).value_or(false);
  return kept;
}

std::optional<Kept<Rating>> rating_from_row(const Json& row, BlindedPlace& place) {
  place = {text_at(row, "query"), text_at(row, "response"), ""};
  Kept<Rating> kept{{}, static_cast<int>(whole(row, "format_failures"))};
  for (const std::string_view criterion : kCriteria) {
    const auto score = score_at(member(row, criterion), "score");
    if (!score || *score < 1 || *score > 5) return std::nullopt;
  }
  take_answer(row, kept.judgement);
  kept.judgement.order = whole(row, "order");
  return kept;
}

std::optional<Kept<RoleVerdict>> role_from_row(const Json& row, BlindedPlace& place) {
  place = {text_at(row, "query"), text_at(row, "response"), ""};
  Kept<RoleVerdict> kept{{}, static_cast<int>(whole(row, "format_failures"))};
  const auto appropriate = as_boolean(member(row, "role_appropriate"));
  if (!appropriate) return std::nullopt;
  take_answer(row, kept.judgement);
  kept.judgement.appropriate = *appropriate;
  kept.judgement.role = text_at(row, "role");
  kept.judgement.why = text_at(row, "explanation");
  return kept;
}

}  // namespace assay::experiment
