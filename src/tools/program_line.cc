#include "tools/program_line.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/json/depth.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view kSpace = " \t";
constexpr std::string_view kIdLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";

// What stands after "id": in text that is no JSON, be it for a NaN or for quotes of another language.
std::string id_in(std::string_view text) {
  for (const std::string_view key : {R"("id")", "'id'"}) {
    std::size_t at = text.find(key);
    if (at == std::string_view::npos) continue;
    at = text.find_first_not_of(kSpace, at + key.size());
    if (at == std::string_view::npos || text[at] != ':') continue;
    at = text.find_first_not_of(kSpace, at + 1);
    if (at == std::string_view::npos) continue;
    if (text[at] == '"' || text[at] == '\'') ++at;
    const std::size_t end = text.find_first_not_of(kIdLetters, at);
    return std::string(text.substr(at, end == std::string_view::npos ? end : end - at));
  }
  return {};
}

ProgramLine broken(std::string id, std::string defect) {
  return {.is = ProgramLine::Is::broken, .id = std::move(id), .defect = std::move(defect)};
}

}  // namespace

ProgramLine read_program_line(std::string_view line) {
  line = trim(line);
  if (line.empty()) return {};
  auto value = parse_json(line);
  if (!value) {
    if (line.front() != '{') return {};
    return broken(id_in(line), fmt::format("not JSON ({})", value.error().message));
  }
  if (!value->is_object()) return broken({}, fmt::format("{}, expected an object", kind_word(*value)));
  JsonObject& object = value->get_object();
  const auto found = object.find("id");
  if (found == object.end()) return broken({}, "without an id");
  const Json* given = &found->value();
  std::string id;
  if (const auto text = as_text(*given)) {
    id = *text;
  } else if (const auto number = as_integer(*given)) {
    id = std::to_string(*number);
  } else {
    return broken({}, fmt::format("with an id that is {}", excerpt(*given)));
  }
  object.stable_erase(found);
  if (!within_depth(*value))
    return broken(std::move(id), fmt::format("nested more than {} levels deep", kDeepestForeign));
  return {.is = ProgramLine::Is::reply, .id = std::move(id), .reply = std::move(object), .defect = {}};
}

}  // namespace assay
