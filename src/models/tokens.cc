#include "models/tokens.h"

#include "core/json/json.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::int64_t kQuartersPerToken = 4;
constexpr std::int64_t kPerMessage = 4;  // role and separators, as chat templates write them

std::int64_t quarters(std::string_view text) {
  // Most text is ASCII, and this runs over every prompt.
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  if (all < 0x80) return static_cast<std::int64_t>(text.size());
  std::int64_t sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++sum;
      ++at;
      continue;
    }
    const CodePoint point = first_code_point(text.substr(at));
    at += point.size;
    // By the bytes of UTF-8: ASCII; Latin, Greek, Cyrillic, Hebrew, Arabic; most of Asia; emoji.
    constexpr std::int64_t by_size[] = {0, 1, 2, 4, 8};
    sum += by_size[point.size];
  }
  return sum;
}

}  // namespace

std::int64_t estimate_tokens(std::string_view text) {
  return (quarters(text) + kQuartersPerToken - 1) / kQuartersPerToken;
}

std::int64_t estimate_prompt_tokens(const ChatRequest& request) {
  std::int64_t sum = 0;
  for (const auto& message : request.messages) {
    sum += kPerMessage + estimate_tokens(message.text);
    for (const auto& call : message.tool_calls) {
      sum += estimate_tokens(call.name) +
             estimate_tokens(call.arguments_text.empty() ? to_text(call.arguments) : call.arguments_text);
    }
  }
  for (const auto& tool : request.tools) {
    sum += kPerMessage + estimate_tokens(tool.name) + estimate_tokens(tool.description) +
           estimate_tokens(to_text(tool.parameters));
  }
  if (request.output) sum += kPerMessage + estimate_tokens(request.output->schema.canonical());
  return sum;
}

}  // namespace assay
