#include "evaluations/custom/asked/scorer_reply.h"

#include <cmath>
#include <cstddef>
#include <string_view>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::custom {
namespace {

constexpr std::size_t kMostScores = 100;
constexpr std::size_t kLongestName = 100;    // bytes
constexpr std::size_t kLongestError = 1000;  // bytes

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorKind::judge, std::move(message));
}

// Null if it is absent or null.
const Json* given(const Json& reply, std::string_view name) {
  const Json* value = find_member(reply, name);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

bool zero_to_one(const Interval& scale) {
  return scale.low == 0 && scale.high == 1;
}

Result<double> read_score(std::string_view name, const Json& value, const Interval& scale) {
  if (const auto yes = as_boolean(value); yes && zero_to_one(scale)) return *yes ? 1.0 : 0.0;
  const auto number = as_number(value);
  if (!number || !std::isfinite(*number) || *number < scale.low || *number > scale.high) {
    return wrong(
        fmt::format("{}: found {}, expected a number from {} to {}; `scale` says which ones there are", name,
                    excerpt(value), number_text(scale.low), number_text(scale.high)));
  }
  return *number;
}

Result<std::vector<std::pair<std::string, double>>> read_scores(const Json& value, const Interval& scale) {
  std::vector<std::pair<std::string, double>> scores;
  if (!value.is_object())
    return wrong(fmt::format("scores: found {}, expected an object of names and numbers", excerpt(value)));
  for (const auto& [name, number] : value.get_object()) {
    if (number.is_null()) continue;
    if (trim(name).empty() || name.size() > kLongestName) {
      return wrong(fmt::format("scores: found the name {}, expected 1 to {} bytes",
                               excerpt(boost::json::string(name)), kLongestName));
    }
    auto score = read_score(fmt::format("scores.{}", std::string_view(name)), number, scale);
    if (!score) return fail(std::move(score.error()));
    scores.emplace_back(name, *score);
  }
  if (scores.size() > kMostScores)
    return wrong(fmt::format("scores: found {} numbers, expected {} at most", scores.size(), kMostScores));
  return scores;
}

}  // namespace

JsonObject to_json(const ScorerQuestion& question) {
  return {{"case", question.case_id},
          {"variant", question.variant.empty() ? Json(nullptr) : Json(boost::json::string(question.variant))},
          {"repeat", question.repeat},
          {"fields", question.fields},
          {"output", question.output},
          {"meta", question.meta.is_null() ? Json(JsonObject{}) : question.meta},
          {"trace", question.trace.is_null() ? Json(JsonArray{}) : question.trace}};
}

Result<ScorerReply> read_scorer_reply(const Json& reply, const Interval& scale) {
  if (!reply.is_object())
    return wrong(fmt::format("found {}, expected an object with `score` or `scores`", excerpt(reply)));
  if (const Json* error = given(reply, "error"))
    return wrong("the scorer says: " + shorten(text_or_json(*error), kLongestError));
  ScorerReply read;
  if (const Json* value = given(reply, "score")) {
    auto score = read_score("score", *value, scale);
    if (!score) return fail(std::move(score.error()));
    read.score = *score;
  }
  if (const Json* value = given(reply, "scores")) {
    auto scores = read_scores(*value, scale);
    if (!scores) return fail(std::move(scores.error()));
    read.scores = std::move(*scores);
  }
  if (const Json* value = given(reply, "passed")) {
    read.passed = as_boolean(*value);
    if (!read.passed) return wrong(fmt::format("passed: found {}, expected true or false", excerpt(*value)));
  }
  if (const Json* value = given(reply, "label")) {
    if (value->is_object() || value->is_array())
      return wrong(fmt::format("label: found {}, expected a text", excerpt(*value)));
    read.label = text_or_json(*value);
  }
  if (const Json* value = given(reply, "reason")) read.reason = text_or_json(*value);
  if (!read.score && read.scores.empty() && read.passed && zero_to_one(scale))
    read.score = *read.passed ? 1 : 0;
  if (!read.score && read.scores.empty() && read.label.empty())
    return wrong(fmt::format("found {}, expected `score` or `scores`", excerpt(reply, 200)));
  return read;
}

}  // namespace assay::custom
