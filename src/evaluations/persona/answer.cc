#include "evaluations/persona/answer.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/persona/schemas.h"

namespace assay::persona {
namespace {

constexpr std::string_view kLabels[] = {"Strongly Disagree", "Disagree", "Neutral", "Agree",
                                        "Strongly Agree"};

// Of arguments that fit the schema.
std::vector<Verdict> read_verdicts(Mode mode, const Json& arguments) {
  std::vector<Verdict> verdicts;
  const auto add = [&](std::string item, std::string classification, std::string perspective,
                       const Json& from) {
    Verdict verdict{std::move(item),
                    std::move(classification),
                    std::move(perspective),
                    find_text(from, "evaluatedSelection"),
                    0,
                    false,
                    text_at(from, "evaluationText")};
    if (mode == Mode::mode3) {
      verdict.agrees = text_at(from, "evaluationAgreement") == "AGREE";
    } else {
      verdict.likert = static_cast<int>(as_integer(*find_member(from, "evaluationLikert")).value_or(0));
    }
    verdicts.push_back(std::move(verdict));
  };
  for (const Json& result : find_member(arguments, "resultItems")->get_array()) {
    if (mode != Mode::mode1) {
      const Json& id = *find_member(result, "id");
      add(text_at(id, "itemId"), text_at(id, "classificationId"), text_at(id, "perspectiveId"), result);
      continue;
    }
    for (const Json& evaluation : find_member(result, "evaluations")->get_array()) {
      for (const Json& perspective : find_member(evaluation, "perspectives")->get_array())
        add(text_at(result, "itemId"), text_at(evaluation, "classificationName"),
            text_at(perspective, "perspectiveId"), perspective);
    }
  }
  return verdicts;
}

std::string ids(std::string_view item, std::string_view classification, std::string_view perspective) {
  return fmt::format("item \"{}\", classification \"{}\", perspective \"{}\"", item, classification,
                     perspective);
}

// What is unknown about a verdict that answers no question.
std::string unknown_words(const Verdict& verdict, const std::vector<Question>& questions) {
  const auto asks = [&](auto member, const std::string& id) {
    return std::ranges::any_of(questions, [&](const Question& one) { return one.*member == id; });
  };
  const std::string where = ids(verdict.item_id, verdict.classification_id, verdict.perspective_id);
  if (!asks(&Question::item_id, verdict.item_id)) return where + ": no such item was asked about";
  if (!asks(&Question::perspective_id, verdict.perspective_id))
    return where + ": no such perspective was asked for";
  if (!asks(&Question::classification_id, verdict.classification_id))
    return where + ": no such classification was asked about";
  return where + ": this item has no such classification";
}

std::string shown_value(const std::optional<std::string>& value) {
  return value ? "\"" + *value + "\"" : "null";
}

}  // namespace

std::string_view likert_label(int value) {
  return value >= 1 && value <= 5 ? kLabels[value - 1] : "";
}

Json as_result_items(Json arguments) {
  if (!arguments.is_array()) return arguments;
  return JsonObject{{"resultItems", std::move(arguments)}};
}

CheckedAnswer check_answer(Mode mode, const std::vector<Question>& questions, const Json& arguments) {
  CheckedAnswer checked;
  for (const SchemaDefect& defect : schema(result_schema(mode)).validate(arguments))
    checked.defects.push_back(fmt::format(
        "{}: {}", defect.instance_pointer.empty() ? "the answer as a whole" : defect.instance_pointer,
        defect.message));
  if (!checked.defects.empty()) return checked;

  std::vector<std::optional<Verdict>> answers(questions.size());
  for (Verdict& verdict : read_verdicts(mode, arguments)) {
    const auto asked = std::ranges::find_if(questions, [&](const Question& one) {
      return one.same_ids({verdict.item_id, verdict.classification_id, verdict.perspective_id, {}});
    });
    if (asked == questions.end()) {
      checked.defects.push_back(unknown_words(verdict, questions));
      continue;
    }
    std::optional<Verdict>& answer = answers[static_cast<std::size_t>(asked - questions.begin())];
    if (answer) {
      checked.defects.push_back(ids(verdict.item_id, verdict.classification_id, verdict.perspective_id) +
                                ": answered more than once");
      continue;
    }
    answer = std::move(verdict);
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Question& asked = questions[i];
    const std::string where = ids(asked.item_id, asked.classification_id, asked.perspective_id);
    if (!answers[i]) {
      checked.defects.push_back(where + ": has no result");
    } else if (answers[i]->selection != asked.selected) {
      checked.warnings.push_back(fmt::format("{}: evaluatedSelection is {}, but {} was sent", where,
                                             shown_value(answers[i]->selection),
                                             shown_value(asked.selected)));
    }
  }
  if (!checked.defects.empty()) {
    checked.warnings.clear();
    return checked;
  }
  for (std::optional<Verdict>& answer : answers) checked.verdicts.push_back(std::move(*answer));
  return checked;
}

Json to_json(const Verdict& verdict, Mode mode) {
  JsonObject json{{"itemId", verdict.item_id},
                  {"classificationName", verdict.classification_id},
                  {"perspectiveId", verdict.perspective_id}};
  json["evaluatedSelection"] = or_null(verdict.selection);
  if (mode == Mode::mode3) {
    json["evaluationAgreement"] = verdict.agrees ? "AGREE" : "DISAGREE";
  } else {
    json["evaluationLikert"] = verdict.likert;
  }
  json["evaluationText"] = verdict.text;
  return json;
}

Verdict verdict_from(const Json& json) {
  Verdict verdict{text_at(json, "itemId"),
                  text_at(json, "classificationName"),
                  text_at(json, "perspectiveId"),
                  find_text(json, "evaluatedSelection"),
                  0,
                  text_at(json, "evaluationAgreement") == "AGREE",
                  text_at(json, "evaluationText")};
  if (const Json* likert = find_member(json, "evaluationLikert"))
    verdict.likert = static_cast<int>(as_integer(*likert).value_or(0));
  return verdict;
}

}  // namespace assay::persona
