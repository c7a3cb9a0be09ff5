#include "evaluations/custom/case_record.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/custom/mark_json.h"

namespace assay::custom {

Answered answered(Result<Reply> reply) {
  if (reply) return {std::move(*reply)};
  return {std::nullopt, outcome_of(reply.error().kind), reply.error().text()};
}

std::string step_name(const std::string& variant, int repeat, const std::string& what) {
  return variant.empty() ? fmt::format("{}/{}", repeat, what)
                         : fmt::format("{}/{}/{}", variant, repeat, what);
}

JsonObject output_line(const Answered& answer, const std::string& variant, int repeat) {
  JsonObject line;
  if (!variant.empty()) line.emplace("variant", variant);
  line.emplace("repeat", repeat);
  if (!answer.reply) {
    line.emplace("error", answer.error);
    line.emplace("outcome", to_string(answer.outcome));
    return line;
  }
  line.emplace("output", answer.reply->output);
  if (!answer.reply->contexts.is_null()) line.emplace("contexts", answer.reply->contexts);
  if (!answer.reply->trace.is_null()) line.emplace("trace", answer.reply->trace);
  if (!answer.reply->meta.is_null()) line.emplace("meta", answer.reply->meta);
  return line;
}

JsonObject to_json(const CaseRecord& record, const std::vector<std::string>& variants) {
  JsonArray answers;
  for (std::size_t i = 0; i < record.answers.size(); ++i) {
    for (std::size_t j = 0; j < record.answers[i].size(); ++j)
      answers.push_back(output_line(record.answers[i][j], variants[i], static_cast<int>(j) + 1));
  }
  JsonObject marks;
  for (const auto& [step, mark] : record.marks) marks.emplace(step, to_json(mark));
  JsonObject result{{"answers", std::move(answers)}, {"marks", std::move(marks)}};
  if (record.cascade) result.emplace("cascade", to_json(*record.cascade));
  return result;
}

Answered answer_in(const Json& entry) {
  Answered answer;
  const Json* output = find_member(entry, "output");
  if (output == nullptr) {
    answer.error = text_at(entry, "error");
    answer.outcome = outcome_kind(text_at(entry, "outcome"));
    return answer;
  }
  Reply reply{*output};
  const auto take = [&entry](std::string_view name, Json& into) {
    if (const Json* value = find_member(entry, name)) into = *value;
  };
  take("contexts", reply.contexts);
  take("trace", reply.trace);
  take("meta", reply.meta);
  answer.reply = std::move(reply);
  return answer;
}

CaseRecord read_record(const JsonObject& result, const std::vector<std::string>& variants, int repeats) {
  CaseRecord record;
  record.answers.assign(variants.size(), std::vector<Answered>(static_cast<std::size_t>(repeats)));
  const Json* answers = result.if_contains("answers");
  for (const Json& entry : answers != nullptr && answers->is_array() ? answers->get_array() : JsonArray()) {
    const auto variant = std::ranges::find(variants, text_at(entry, "variant"));
    const Json* place = find_member(entry, "repeat");
    const std::int64_t repeat = place != nullptr ? as_integer(*place).value_or(0) : 0;
    if (variant == variants.end() || repeat < 1 || repeat > repeats) continue;
    record
        .answers[static_cast<std::size_t>(variant - variants.begin())][static_cast<std::size_t>(repeat - 1)] =
        answer_in(entry);
  }
  if (const Json* cascade = result.if_contains("cascade")) record.cascade = cascade_record(*cascade);
  if (const Json* marks = result.if_contains("marks"); marks != nullptr && marks->is_object()) {
    for (const auto& [step, mark] : marks->get_object()) record.marks.emplace(step, mark_from_json(mark));
  }
  return record;
}

}  // namespace assay::custom
