#include "evaluations/persona/judgement.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/saturating.h"

namespace assay::persona {
namespace {

// The texts of a list; none if there is no such list.
std::vector<std::string> texts_at(const Json& json, std::string_view name) {
  std::vector<std::string> texts;
  for (const Json& text : list_at(json, name)) texts.emplace_back(as_text(text).value_or(""));
  return texts;
}

}  // namespace

Json usage_json(const Usage& usage) {
  return JsonObject{{"completion_tokens", usage.completion_tokens},
                    {"prompt_tokens", usage.prompt_tokens},
                    {"total_tokens", saturating_add(usage.prompt_tokens, usage.completion_tokens)}};
}

Json texts_json(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

JsonObject outcome_json(const Judgement& judgement, Mode mode) {
  JsonArray verdicts;
  for (const Verdict& verdict : judgement.answer.verdicts) verdicts.push_back(to_json(verdict, mode));
  JsonObject json{{"verdicts", std::move(verdicts)},
                  {"attempts", judgement.attempts},
                  {"model", judgement.model},
                  {"origin", assay::to_json(judgement.origin)},
                  {"usage", usage_json(judgement.usage)}};
  if (!judgement.answer.warnings.empty()) json["warnings"] = texts_json(judgement.answer.warnings);
  if (judgement.error) {
    json["raw_text"] = judgement.raw_text;
    json["defects"] = texts_json(judgement.answer.defects);
  }
  return json;
}

Judgement judgement_from(const Outcome& outcome) {
  const Json result(outcome.result);
  Judgement judgement;
  for (const Json& verdict : list_at(result, "verdicts"))
    judgement.answer.verdicts.push_back(verdict_from(verdict));
  judgement.answer.warnings = texts_at(result, "warnings");
  judgement.answer.defects = texts_at(result, "defects");
  judgement.raw_text = text_at(result, "raw_text");
  if (const Json* origin = find_member(result, "origin"))
    judgement.origin = origin_from_json(*origin).value_or(ReplyOrigin{});
  judgement.model = text_at(result, "model");
  if (const Json* attempts = find_member(result, "attempts"))
    judgement.attempts = static_cast<int>(as_integer(*attempts).value_or(0));
  if (const Json* usage = find_member(result, "usage")) {
    const auto tokens = [&](std::string_view name) {
      const Json* value = find_member(*usage, name);
      return value != nullptr ? as_integer(*value).value_or(0) : 0;
    };
    judgement.usage.prompt_tokens = tokens("prompt_tokens");
    judgement.usage.completion_tokens = tokens("completion_tokens");
  }
  return judgement;
}

}  // namespace assay::persona
