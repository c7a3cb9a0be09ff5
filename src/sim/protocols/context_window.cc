#include "sim/protocols/context_window.h"

#include <fmt/format.h>

#include "sim/answers/answer.h"

namespace assay::sim {

std::optional<WireError> overflow_error(const ChatRequest& request, Protocol protocol, std::int64_t window) {
  if (window <= 0) return std::nullopt;
  const std::int64_t tokens = prompt_tokens(request);
  if (tokens <= window) return std::nullopt;
  switch (protocol) {
    case Protocol::anthropic:
      return WireError{400, fmt::format("prompt is too long: {} tokens > {} maximum", tokens, window), "", "",
                       ""};
    case Protocol::gemini:
      return WireError{
          400,
          fmt::format("The input token count ({}) exceeds the maximum number of tokens allowed ({}).", tokens,
                      window),
          "", "", ""};
    case Protocol::bedrock:
      return WireError{400, "Input is too long for requested model.", "", "", ""};
    case Protocol::openai:
    case Protocol::promptql:
      break;
  }
  return WireError{400,
                   fmt::format("This model's maximum context length is {} tokens. However, your messages "
                               "resulted in {} tokens. Please reduce the length of the messages.",
                               window, tokens),
                   "", "messages", "context_length_exceeded"};
}

}  // namespace assay::sim
