// The messages of the Model Context Protocol (revision 2025-06-18), built and read as plain text:
// JSON-RPC 2.0 with the few methods that a client of tools needs. Pure: no I/O, no clock. How they travel is
// mcp_transport.h's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/error.h"
#include "core/json/json.h"
#include "core/secrets/secrets.h"

namespace assay {

// What we ask for; a server may answer with an older revision that we know, too.
inline constexpr std::string_view kMcpVersion = "2025-06-18";
bool is_known_mcp_version(std::string_view version);

// Each is one line: no raw line break is inside.
std::string mcp_request_text(std::int64_t id, std::string_view method, JsonObject params);
std::string mcp_notification_text(std::string_view method, JsonObject params);
JsonObject initialize_params();
JsonObject list_tools_params(const std::optional<std::string>& cursor);
JsonObject call_tool_params(std::string_view name, JsonObject arguments);
JsonObject cancelled_params(std::int64_t id, std::string_view reason);

// The server cannot do what it was asked: JSON-RPC's error object.
struct McpFault {
  std::int64_t code = 0;
  std::string message;  // at most 2000 bytes
  bool operator==(const McpFault&) const = default;
};
// To one of our requests; without an id only if it holds a fault.
struct McpReply {
  std::optional<std::int64_t> id;
  Json result;
  std::optional<McpFault> fault;
};
struct McpRequest {
  Json id;  // text or number
  std::string method;
};
struct McpNotification {
  std::string method;
};
using McpMessage = std::variant<McpReply, McpRequest, McpNotification>;

// A message, or a list of them (revision 2025-03-26 may send several at once). Error kinds: parse, schema.
// Secrets are hidden in what faults say; results come as they are, since their form is still to be read.
Result<std::vector<McpMessage>> read_mcp_messages(std::string_view text, const Secrets& secrets);

// `{}` to a ping, method-not-found to anything else: we offer the server nothing.
std::string mcp_answer_text(const McpRequest& request);

// What a server says of itself.
struct McpGreeting {
  std::string version;  // of the protocol, one that we know
  std::string server_name;
  std::string server_version;
  std::string instructions;
  bool has_tools = false;
};
// Error of kind schema: not a greeting, or of a revision that we do not know.
Result<McpGreeting> read_greeting(const Json& result);

struct McpTool {
  std::string name;
  std::string title;        // empty if it has none
  std::string description;  // the same
  JsonObject input_schema;  // {"type": "object"} if it has none
  std::optional<JsonObject> output_schema;
};
struct McpToolsPage {
  std::vector<McpTool> tools;
  std::optional<std::string> next_cursor;
};
// Error of kind schema names the tool by its place.
Result<McpToolsPage> read_tools_page(const Json& result);

struct McpToolResult {
  JsonArray content;               // its parts as they came; each an object with a text `type`
  std::optional<Json> structured;  // structuredContent
  bool is_error = false;           // the tool ran and failed: for the model to read, no failure of ours
};
Result<McpToolResult> read_tool_result(const Json& result);

// What a server says, without secrets. Names of tools and what schemas demand stay, since calls depend on
// them.
McpGreeting hidden_in(McpGreeting greeting, const Secrets& secrets);
McpTool hidden_in(McpTool tool, const Secrets& secrets);
McpToolResult hidden_in(McpToolResult result, const Secrets& secrets);

// As text for a model: text parts and embedded texts joined by line breaks, what is not text named in
// brackets ("[image, image/png, 312 bytes]"); the structured content as JSON if there is no content.
std::string text_of(const McpToolResult& result);

}  // namespace assay
