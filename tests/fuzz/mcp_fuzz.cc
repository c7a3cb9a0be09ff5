// Any bytes as messages of an MCP server, and their results as greeting, list of tools and result of a tool.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "tests/fuzz/require.h"
#include "tools/mcp/mcp_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  Secrets secrets;
  secrets.add("fuzzed-secret");
  const auto messages = read_mcp_messages({reinterpret_cast<const char*>(data), size}, secrets);
  fuzz::require_words(messages);
  if (!messages) return 0;
  for (const McpMessage& message : *messages) {
    if (const auto* request = std::get_if<McpRequest>(&message)) {
      fuzz::require(parse_json(mcp_answer_text(*request)).has_value());
    }
    const auto* reply = std::get_if<McpReply>(&message);
    if (reply == nullptr) continue;
    fuzz::require(reply->id || reply->fault);
    fuzz::require_words(read_greeting(reply->result));
    if (const auto page = read_tools_page(reply->result)) {
      for (const McpTool& tool : page->tools) fuzz::require(!hidden_in(tool, secrets).name.empty());
    } else {
      fuzz::require_words(page.error().text());
    }
    if (const auto result = read_tool_result(reply->result)) {
      fuzz::require(valid_utf8(text_of(hidden_in(*result, secrets))));
    }
  }
  return 0;
}
