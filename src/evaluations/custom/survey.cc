#include "evaluations/custom/survey.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "engine/case.h"

namespace assay::custom {
namespace {

constexpr std::int64_t kMostCases = 1'000'000;

bool is_empty(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_string().empty()) ||
         (value.is_array() && value.get_array().empty());
}

}  // namespace

std::string survey_text(const Survey& survey) {
  JsonArray fields;
  for (const std::string& name : survey.names)
    fields.push_back(JsonObject{{"name", name}, {"cases", survey.fields.at(name)}});
  return to_text(JsonObject{{"fields", std::move(fields)},
                            {"cases", survey.cases},
                            {"with_checks", survey.with_checks},
                            {"whole", survey.whole}});
}

Survey read_survey(std::string_view text) {
  Survey survey;
  const auto tree = parse_json(text);
  if (!tree) return survey;
  const auto number = [](const Json& of, std::string_view name) {
    const Json* value = find_member(of, name);
    return value != nullptr ? as_integer(*value).value_or(0) : 0;
  };
  for (const Json& field : list_at(*tree, "fields")) {
    survey.names.push_back(text_at(field, "name"));
    survey.fields.emplace(survey.names.back(), number(field, "cases"));
  }
  survey.cases = number(*tree, "cases");
  survey.with_checks = number(*tree, "with_checks");
  const Json* whole = find_member(*tree, "whole");
  survey.whole = whole != nullptr && as_boolean(*whole).value_or(false);
  return survey;
}

Survey survey(CaseSource& source, const std::function<void(const JsonObject& fields)>& look) {
  Survey found;
  for (;;) {
    auto more = source.next();
    if (!more) found.whole = false;  // reading cannot go on: whoever opens the data for the run says why
    if (!more || !*more) return found;
    if (found.cases == kMostCases) {
      found.whole = false;
      return found;
    }
    ++found.cases;
    const CaseTree tree(source.current());
    const JsonObject* fields = tree->if_object();
    if (fields == nullptr) continue;
    for (const auto& [name, value] : *fields) {
      auto [entry, is_new] = found.fields.try_emplace(std::string(name), 0);
      if (is_new) found.names.emplace_back(name);
      if (!is_empty(value)) ++entry->second;
    }
    look(*fields);
  }
}

}  // namespace assay::custom
