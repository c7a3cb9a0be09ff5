#include "evaluations/experiment/judging/answers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <re2/re2.h>

#include "core/text.h"
#include "evaluations/experiment/judging/answer_values.h"
#include "evaluations/experiment/judging/judgements.h"

namespace assay::experiment {
namespace {

constexpr std::size_t kLongestReason = 4000;

enum class Kind { choice, which, score, two_scores, yes_no, list, winner, reason };

struct Field {
  std::string_view key;
  Kind kind;
  std::vector<std::string_view> names;  // as they may stand in a line, longer ones first
};

const std::vector<Field>& fields_of(AnswerForm form) {
  const auto criteria = [](Kind kind) {
    return std::vector<Field>{{"helpfulness", kind, {"helpfulness"}},
                              {"appropriateness", kind, {"appropriateness"}},
                              {"completeness", kind, {"completeness"}},
                              {"actionability", kind, {"actionability"}},
                              {"overall", kind, {"overall quality", "overall"}}};
  };
  const auto tone = [](std::vector<Field> list, Kind kind) {
    list.push_back({"tone_consistency", kind, {"tone consistency", "tone_consistency"}});
    list.push_back({"interaction_feel", kind, {"interaction feel", "interaction_feel"}});
    return list;
  };
  static const std::vector<Field> kPairwise = [&] {
    auto list = criteria(Kind::choice);
    list.push_back(
        {"winner", Kind::winner, {"overall winner", "final winner", "final verdict", "winner", "verdict"}});
    return list;
  }();
  static const std::vector<Field> kPairwiseTone = [&] {
    auto list = tone(kPairwise, Kind::two_scores);
    list.push_back({"jarring_shift",
                    Kind::which,
                    {"jarring personality shift", "jarring shift", "jarring_shift", "personality shift"}});
    list.push_back({"more_natural",
                    Kind::choice,
                    {"more natural conversation", "more natural", "more_natural", "natural conversation"}});
    list.push_back({"awkward_language",
                    Kind::which,
                    {"awkward transitions", "awkward language", "awkward_language", "unnatural language"}});
    return list;
  }();
  static const std::vector<Field> kAbsolute = criteria(Kind::score);
  static const std::vector<Field> kAbsoluteTone = tone(kAbsolute, Kind::score);
  static const std::vector<Field> kRole = {
      {"appropriate",
       Kind::yes_no,
       {"role appropriateness", "role appropriate", "appropriate role", "appropriate"}},
      {"reason", Kind::reason, {"reason", "explanation", "why"}}};
  static const std::vector<Field> kRoleAmbiguous = [&] {
    auto list = kRole;
    list.push_back({"other_roles",
                    Kind::list,
                    {"roles that would do", "appropriate roles", "alternative roles", "suitable roles",
                     "possible roles", "other roles", "other_roles", "roles"}});
    return list;
  }();
  switch (form) {
    case AnswerForm::pairwise:
      return kPairwise;
    case AnswerForm::pairwise_tone:
      return kPairwiseTone;
    case AnswerForm::absolute:
      return kAbsolute;
    case AnswerForm::absolute_tone:
      return kAbsoluteTone;
    case AnswerForm::role:
      return kRole;
    case AnswerForm::role_ambiguous:
      return kRoleAmbiguous;
  }
  return kPairwise;
}

std::string reason_text(std::string_view text) {
  return shorten(bare(text), kLongestReason);
}

Json number_json(double value) {
  return value == std::floor(value) ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

// A value with its reason as the schema has it; nothing if it cannot be read.
std::optional<Json> value_from(Kind kind, std::string_view text) {
  switch (kind) {
    case Kind::choice:
    case Kind::which:
      if (auto read = kind == Kind::choice ? read_choice(text) : read_which(text))
        return JsonObject{{"reason", reason_text(read->rest)}, {"choice", read->value}};
      return std::nullopt;
    case Kind::winner:
      if (auto read = read_choice(text)) return Json(boost::json::string(read->value));
      return std::nullopt;
    case Kind::score:
      if (auto read = read_score(text))
        return JsonObject{{"reason", reason_text(read->rest)}, {"score", number_json(read->value)}};
      return std::nullopt;
    case Kind::two_scores: {
      JsonObject both;
      for (const char which : {'a', 'b'}) {
        if (const auto score = read_score_of(which, text))
          both.emplace(std::string_view(&which, 1), number_json(*score));
      }
      if (both.empty()) return std::nullopt;
      return both;
    }
    case Kind::yes_no:
      if (auto read = read_yes_no(text)) return Json(read->value == "yes");
      return std::nullopt;
    case Kind::list: {
      JsonArray list;
      for (const std::string& one : read_list(text)) list.emplace_back(one);
      return list;
    }
    case Kind::reason:
      return Json(boost::json::string(reason_text(text)));
  }
  return std::nullopt;
}

// A line that begins with the name of a field, and what stands behind it.
struct FieldLine {
  const Field* field = nullptr;
  char one_of_two = 0;  // "Tone Consistency (A): 4"
  std::string_view value;
};

std::optional<FieldLine> field_line(std::string_view line, std::span<const Field> fields) {
  static const RE2 kLead(R"(^(?:[\s>#*_~|\x{60}•-]|–|\(?[0-9]{1,2}[.):])*)");
  static const RE2 kBehind(
      R"((?i)^[*_~\x{60}]*(?:\s+(?:score|rating|criterion))?\s*(?:[(\[][^)\]\n]{0,40}[)\]])?\s*[*_~\x{60}]*\s*(?::|=|\||-|–|—)\s*)");
  static const RE2 kBracket(R"(^[*_~\x{60}]*\s*(\[))");
  static const RE2 kOneOfTwo(
      R"((?i)^[*_~\x{60}]*\s*[(\[]?\s*(?:response\s+)?([ab])\s*[)\]]?[*_~\x{60}]*\s*(?::|=|-|–|—)\s*)");
  re2::StringPiece rest(line.data(), line.size());
  RE2::Consume(&rest, kLead);
  const Field* best = nullptr;
  std::size_t longest = 0;
  for (const Field& field : fields) {
    for (const std::string_view name : field.names) {
      if (name.size() > longest && rest.size() >= name.size() &&
          equal_ignoring_ascii_case(name, {rest.data(), name.size()}))
        best = &field, longest = name.size();
    }
  }
  if (best == nullptr) return std::nullopt;
  rest.remove_prefix(longest);
  FieldLine found{best, 0, {}};
  std::string letter;
  if (best->kind == Kind::two_scores && RE2::Consume(&rest, kOneOfTwo, &letter)) {
    found.one_of_two = lower_ascii(letter)[0];
  } else if (trim({rest.data(), rest.size()}).find_first_not_of("*_~`:") == std::string_view::npos) {
    // A heading: the value is on a line of its own.
    rest.remove_prefix(rest.size());
  } else if (!RE2::Consume(&rest, kBehind) && !RE2::PartialMatch(rest, kBracket)) {
    return std::nullopt;
  }
  found.value = {rest.data(), rest.size()};
  return found;
}

// "Choice: A" under a heading.
std::string_view without_label(std::string_view text) {
  static const RE2 kLabel(
      R"((?i)^[\s*_~\x{60}•-]*(?:choice|score|rating|answer|preference|selection)[*_~\x{60}]*\s*[:=][*_~\x{60}]*\s*)");
  re2::StringPiece rest(text.data(), text.size());
  RE2::Consume(&rest, kLabel);
  return {rest.data(), rest.size()};
}

struct Found {
  FieldLine line;
  std::string text;  // the value and everything up to the next field
};

std::vector<Found> cut_into_fields(std::string_view text, std::span<const Field> fields) {
  std::vector<Found> list;
  for (const std::string_view line : split_lines(text)) {
    if (auto begins = field_line(line, fields)) {
      list.push_back({*begins, std::string(begins->value)});
    } else if (!list.empty() && !trim(line).empty()) {
      std::string& own = list.back().text;
      const bool empty = trim(own).empty();
      own += empty ? "" : "\n";
      own += empty ? without_label(line) : line;
    }
  }
  return list;
}

// Names of keys as in JSON: "Overall Quality" and "overallQuality" are the same.
std::string plain_key(std::string_view key) {
  std::string plain;
  for (const char c : lower_ascii(key)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) plain += c;
  }
  return plain;
}

const Field* field_named(std::string_view key, std::span<const Field> fields) {
  const std::string plain = plain_key(key);
  for (const Field& field : fields) {
    if (plain == plain_key(field.key)) return &field;
    for (const std::string_view name : field.names) {
      if (plain == plain_key(name)) return &field;
    }
  }
  return nullptr;
}

const Json* first_of(const JsonObject& object, std::initializer_list<std::string_view> names) {
  for (const auto& [key, value] : object) {
    if (std::ranges::find(names, plain_key(key)) != names.end()) return &value;
  }
  return nullptr;
}

std::string as_words(const Json& value) {
  if (const auto text = as_text(value)) return std::string(*text);
  if (const auto yes = as_boolean(value)) return *yes ? "yes" : "no";
  return value.is_number() ? to_text(value) : std::string();
}

std::optional<Json> usual_value(const Field& field, const Json& value) {
  const JsonObject* object = value.if_object();
  if (field.kind == Kind::list) {
    JsonArray list;
    if (value.is_array()) {
      for (const Json& one : value.get_array()) {
        const std::string words = as_words(one);
        if (!trim(words).empty()) list.emplace_back(trim(words));
      }
      return list;
    }
    return value_from(field.kind, as_words(value));
  }
  if (field.kind == Kind::two_scores && object != nullptr) {
    JsonObject both;
    for (const char which : {'a', 'b'}) {
      const std::string name(1, which);
      const Json* own = first_of(*object, {name, "response" + name, "score" + name});
      if (own == nullptr) continue;
      const auto score = read_score(as_words(*own));
      both.emplace(name, score ? number_json(score->value) : *own);
    }
    return both;
  }
  if (object == nullptr) return value_from(field.kind, as_words(value));
  const Json* decided = first_of(*object, {"choice", "score", "rating", "winner", "verdict", "answer",
                                           "preference", "value", "better", "appropriate"});
  if (decided == nullptr) return std::nullopt;
  auto made = value_from(field.kind, as_words(*decided));
  if (!made) return std::nullopt;
  const Json* reason =
      first_of(*object, {"reason", "explanation", "why", "justification", "rationale", "comment"});
  if (reason != nullptr && made->is_object()) made->get_object()["reason"] = reason_text(as_words(*reason));
  return made;
}

void take_members(const JsonObject& object, std::span<const Field> fields, JsonObject& into) {
  for (const auto& [key, value] : object) {
    if (const Field* field = field_named(key, fields)) {
      if (into.contains(field->key)) continue;
      auto usual = usual_value(*field, value);
      into.emplace(field->key, usual ? *usual : value);
      // {"appropriate": {"answer": "yes", "reason": "…"}}: the reason stands beside it in our shape.
      if (field->kind == Kind::yes_no && value.is_object() && !object.contains("reason")) {
        if (const Json* reason = first_of(value.get_object(), {"reason", "explanation", "why"}))
          into["reason"] = reason_text(as_words(*reason));
      }
    } else if (value.is_object()) {
      take_members(value.get_object(), fields, into);
    }
  }
}

}  // namespace

std::optional<Json> read_lines(std::string_view text, AnswerForm form) {
  const std::vector<Field>& fields = fields_of(form);
  const std::vector<Found> found = cut_into_fields(text, fields);
  JsonObject answer;
  std::map<std::string_view, bool> contradicted;
  const auto decision = [](const Json& value) {
    const JsonObject* object = value.if_object();
    const Json* own = object == nullptr ? nullptr : first_of(*object, {"choice", "score"});
    return own != nullptr ? *own : value;
  };
  for (const Found& one : found) {
    const Field& field = *one.line.field;
    if (one.line.one_of_two != 0) {
      const auto score = read_score(one.text);
      if (!score) continue;
      Json& both = answer[field.key];
      if (!both.is_object()) both = JsonObject{};
      both.get_object()[std::string_view(&one.line.one_of_two, 1)] = number_json(score->value);
      continue;
    }
    auto value = value_from(field.kind, one.text);
    if (!value) continue;
    const Json* before = answer.if_contains(field.key);
    if (before != nullptr && field.kind != Kind::reason && decision(*before) != decision(*value))
      contradicted[field.key] = true;
    if (field.kind == Kind::yes_no && !answer.contains("reason")) {
      if (const auto read = read_yes_no(one.text)) answer["reason"] = reason_text(read->rest);
    }
    answer[field.key] = std::move(*value);
  }
  // "Yes - a librarian knows where to look": the question on the role needs no name before its answer.
  const bool role = form == AnswerForm::role || form == AnswerForm::role_ambiguous;
  if (role && !answer.contains("appropriate")) {
    if (const auto read = read_yes_no(trim(text))) {
      answer["appropriate"] = read->value == "yes";
      const auto lines = split_lines(trim(text));
      const auto first = read_yes_no(lines.front());
      if (!answer.contains("reason")) answer["reason"] = first ? reason_text(first->rest) : "";
    }
  }
  if (answer.empty() && found.empty()) return std::nullopt;
  for (const auto& [key, yes] : contradicted) answer.erase(key);
  return answer;
}

Json with_usual_spelling(const Json& answer, AnswerForm form) {
  if (!answer.is_object()) return answer;
  JsonObject usual;
  take_members(answer.get_object(), fields_of(form), usual);
  return usual;
}

}  // namespace assay::experiment
