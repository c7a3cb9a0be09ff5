#include "engine/distributed/case_message.h"

#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/json/json.h"

namespace assay {

std::string message_text(const CaseMessage& message) {
  const Case& input = message.input;
  std::string text =
      fmt::format(R"({{"index":{},"line":{},"part":{},"id":)", input.index, input.line, input.part);
  append_json_string(text, input.id);
  text += R"(,"cluster":)";
  append_json_string(text, input.cluster);
  if (message.kept_under.empty()) {
    text += R"(,"payload":)";
    append_json_string(text, input.payload);
  } else {
    text += R"(,"kept_under":)";
    append_json_string(text, message.kept_under);
  }
  text += '}';
  return text;
}

Result<CaseMessage> read_message(std::string_view text) {
  const auto wrong = [] {
    return fail(ErrorKind::parse, "this is no case that a coordinator has published");
  };
  auto tree = parse_json(text);
  if (!tree || !tree->is_object()) return wrong();
  const auto number = [&](std::string_view name) -> std::optional<std::int64_t> {
    const Json* value = find_member(*tree, name);
    return value != nullptr && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
  };
  const auto index = number("index");
  const auto line = number("line");
  const auto part = number("part");
  const Json* id = find_member(*tree, "id");
  if (!index || !line || !part || *index < 0 || *line < 0 || *part < 0 || id == nullptr || !id->is_string())
    return wrong();
  CaseMessage message;
  message.input.index = *index;
  message.input.line = static_cast<std::uint64_t>(*line);
  message.input.part = static_cast<std::size_t>(*part);
  message.input.id = text_at(*tree, "id");
  message.input.cluster = text_at(*tree, "cluster");
  message.input.payload = text_at(*tree, "payload");
  message.kept_under = text_at(*tree, "kept_under");
  return message;
}

std::string payload_name(const Case& input) {
  return fmt::format("case-{}.json", input.index);
}

}  // namespace assay
