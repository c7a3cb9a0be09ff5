#include "tools/mcp/mcp_message.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "tools/hidden.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kKnownVersions = {kMcpVersion, "2025-03-26", "2024-11-05"};
constexpr std::int64_t kMethodNotFound = -32601;  // JSON-RPC 2.0, 5.1
constexpr std::size_t kLongestMessage = 2000;

std::unexpected<Error> misshapen(std::string message) {
  return fail(ErrorKind::schema, std::move(message));
}

McpFault read_fault(const Json& given, const Secrets& secrets) {
  const Json error = secrets.hide_in(given);
  McpFault fault;
  if (const Json* code = find_member(error, "code")) fault.code = as_integer(*code).value_or(0);
  fault.message = find_text(error, "message").value_or("");
  if (const Json* detail = find_member(error, "data"); detail && !detail->is_null()) {
    fault.message += fmt::format(" ({})", excerpt(*detail, 500));
  }
  if (trim(fault.message).empty()) fault.message = excerpt(error, 200);
  fault.message = shorten(fault.message, kLongestMessage);
  return fault;
}

Result<McpMessage> read_reply(const Json& message, const Json* id, const Secrets& secrets) {
  const Json* error = find_member(message, "error");
  const Json* result = find_member(message, "result");
  McpReply reply;
  if (id && !id->is_null()) {
    reply.id = as_integer(*id);
    if (!reply.id)
      return misshapen(fmt::format("a reply has the id {}, which was never given", excerpt(*id)));
  }
  if (error && !error->is_null()) {
    reply.fault = read_fault(*error, secrets);
    return reply;
  }
  if (!result) return misshapen("a message has neither method nor result nor error");
  if (!reply.id) return misshapen("a reply has no id");
  reply.result = *result;
  return reply;
}

Result<McpMessage> read_one(const Json& message, const Secrets& secrets) {
  if (!message.is_object()) {
    return misshapen(fmt::format("a message is an object; found {}", kind_word(message)));
  }
  if (find_text(message, "jsonrpc") != "2.0") return misshapen("a message lacks \"jsonrpc\": \"2.0\"");
  const Json* id = find_member(message, "id");
  const Json* method = find_member(message, "method");
  if (!method) return read_reply(message, id, secrets);
  const auto name = as_text(*method);
  if (!name) return misshapen(fmt::format("the method of a message is text; found {}", excerpt(*method)));
  if (!id) return McpNotification{std::string(*name)};
  if (!id->is_string() && !id->is_number()) {
    return misshapen(fmt::format("the id of a request is text or a number; found {}", kind_word(*id)));
  }
  return McpRequest{*id, std::string(*name)};
}

std::string text_member(const Json& value, std::string_view key) {
  return find_text(value, key).value_or("");
}

Result<McpTool> read_tool(const Json& entry, std::size_t place) {
  McpTool tool;
  tool.name = text_member(entry, "name");
  if (tool.name.empty()) return misshapen(fmt::format("tool {} of the list has no name", place));
  tool.title = text_member(entry, "title");
  tool.description = text_member(entry, "description");
  const Json* schema = find_member(entry, "inputSchema");
  if (!schema || schema->is_null()) {
    tool.input_schema = JsonObject{{"type", "object"}};
  } else if (schema->is_object()) {
    tool.input_schema = schema->get_object();
  } else {
    return misshapen(fmt::format("the inputSchema of the tool {} is {}, expected an object", tool.name,
                                 kind_word(*schema)));
  }
  if (const Json* output = find_member(entry, "outputSchema"); output && output->is_object()) {
    tool.output_schema = output->get_object();
  }
  return tool;
}

// Of the bytes that base64 text stands for.
std::size_t decoded_size(std::string_view base64) {
  while (base64.ends_with('=')) base64.remove_suffix(1);
  return base64.size() * 3 / 4;
}

std::string in_brackets(std::string_view kind, const Json& part, std::string_view bytes_key) {
  std::string note = fmt::format("[{}", kind);
  for (const std::string_view key : {"name", "uri", "mimeType"}) {
    if (const auto text = find_text(part, key)) note += fmt::format(", {}", shorten(*text, 500));
  }
  if (const auto data = find_text(part, bytes_key)) note += fmt::format(", {} bytes", decoded_size(*data));
  return note + "]";
}

// The words of a schema that check nothing are the only ones that may change.
Json hidden_in_schema(const Json& schema, const Secrets& secrets) {
  constexpr std::array<std::string_view, 5> kAnnotations = {"title", "description", "default", "examples",
                                                            "$comment"};
  if (const auto* list = schema.if_array()) {
    JsonArray hidden;
    for (const Json& item : *list) hidden.push_back(hidden_in_schema(item, secrets));
    return hidden;
  }
  const auto* object = schema.if_object();
  if (object == nullptr) return schema;
  JsonObject hidden;
  for (const auto& [name, value] : *object) {
    // A property may have such a name, too; then its value is a schema.
    const bool annotation = std::ranges::find(kAnnotations, std::string_view(name)) != kAnnotations.end() &&
                            !(value.is_object() && name != "default");
    hidden.insert_or_assign(name, annotation ? secrets.hide_in(value) : hidden_in_schema(value, secrets));
  }
  return hidden;
}

std::string text_of_part(const Json& part) {
  const std::string kind = text_member(part, "type");
  if (kind == "text") return text_member(part, "text");
  if (kind == "resource") {
    const Json* resource = find_member(part, "resource");
    if (!resource) return "[resource]";
    if (auto text = find_text(*resource, "text")) return std::move(*text);
    return in_brackets("resource", *resource, "blob");
  }
  return in_brackets(shorten(kind, 100), part, "data");
}

}  // namespace

bool is_known_mcp_version(std::string_view version) {
  return std::ranges::find(kKnownVersions, version) != kKnownVersions.end();
}

std::string mcp_request_text(std::int64_t id, std::string_view method, JsonObject params) {
  return to_text(
      JsonObject{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
}

std::string mcp_notification_text(std::string_view method, JsonObject params) {
  JsonObject message{{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.empty()) message.emplace("params", std::move(params));
  return to_text(message);
}

JsonObject initialize_params() {
  return {{"protocolVersion", kMcpVersion},
          {"capabilities", JsonObject{}},
          {"clientInfo", JsonObject{{"name", "assay"}, {"version", "1"}}}};
}

JsonObject list_tools_params(const std::optional<std::string>& cursor) {
  return cursor ? JsonObject{{"cursor", *cursor}} : JsonObject{};
}

JsonObject call_tool_params(std::string_view name, JsonObject arguments) {
  return {{"name", name}, {"arguments", std::move(arguments)}};
}

JsonObject cancelled_params(std::int64_t id, std::string_view reason) {
  return {{"requestId", id}, {"reason", reason}};
}

Result<std::vector<McpMessage>> read_mcp_messages(std::string_view text, const Secrets& secrets) {
  auto value = parse_json(text);
  if (!value) return fail(std::move(value.error()));
  std::vector<McpMessage> messages;
  if (!value->is_array()) {
    auto message = read_one(*value, secrets);
    if (!message) return fail(std::move(message.error()));
    messages.push_back(std::move(*message));
    return messages;
  }
  for (const Json& entry : value->get_array()) {
    auto message = read_one(entry, secrets);
    if (!message) return fail(std::move(message.error()));
    messages.push_back(std::move(*message));
  }
  return messages;
}

std::string mcp_answer_text(const McpRequest& request) {
  JsonObject answer{{"jsonrpc", "2.0"}, {"id", request.id}};
  if (request.method == "ping") {
    answer.emplace("result", JsonObject{});
  } else {
    answer.emplace("error", JsonObject{{"code", kMethodNotFound}, {"message", "Method not found"}});
  }
  return to_text(answer);
}

Result<McpGreeting> read_greeting(const Json& result) {
  const auto version = find_text(result, "protocolVersion");
  if (!version) return misshapen("the server's greeting has no protocolVersion");
  if (!is_known_mcp_version(*version)) {
    return misshapen(fmt::format("the server speaks revision {} of the protocol; known are {}",
                                 shorten(*version, 40), fmt::join(kKnownVersions, ", ")));
  }
  McpGreeting greeting;
  greeting.version = *version;
  greeting.instructions = text_member(result, "instructions");
  if (const Json* server = find_member(result, "serverInfo")) {
    greeting.server_name = text_member(*server, "name");
    greeting.server_version = text_member(*server, "version");
  }
  const Json* capabilities = find_member(result, "capabilities");
  const Json* tools = capabilities ? find_member(*capabilities, "tools") : nullptr;
  greeting.has_tools = tools && tools->is_object();
  return greeting;
}

Result<McpToolsPage> read_tools_page(const Json& result) {
  const Json* tools = find_member(result, "tools");
  if (!tools || !tools->is_array()) return misshapen("the list of tools has no list `tools`");
  McpToolsPage page;
  for (const Json& entry : tools->get_array()) {
    auto tool = read_tool(entry, page.tools.size() + 1);
    if (!tool) return fail(std::move(tool.error()));
    page.tools.push_back(std::move(*tool));
  }
  const Json* cursor = find_member(result, "nextCursor");
  if (cursor && !cursor->is_null()) {
    page.next_cursor = find_text(result, "nextCursor");
    if (!page.next_cursor) return misshapen("the nextCursor of the list of tools is not text");
  }
  return page;
}

Result<McpToolResult> read_tool_result(const Json& result) {
  McpToolResult read;
  if (const Json* structured = find_member(result, "structuredContent");
      structured && !structured->is_null()) {
    read.structured = *structured;
  }
  const Json* content = find_member(result, "content");
  if (!content && !read.structured) return misshapen("the result of the tool has no content");
  if (content) {
    if (!content->is_array()) {
      return misshapen(
          fmt::format("the content of the tool's result is {}, expected a list", kind_word(*content)));
    }
    for (const Json& part : content->get_array()) {
      const auto kind = find_text(part, "type");
      if (!kind)
        return misshapen(fmt::format("part {} of the tool's result has no type", read.content.size() + 1));
      if (*kind == "text" && !find_text(part, "text")) {
        return misshapen(fmt::format("part {} of the tool's result has no text", read.content.size() + 1));
      }
      read.content.push_back(part);
    }
  }
  if (const Json* is_error = find_member(result, "isError"); is_error && !is_error->is_null()) {
    const auto flag = as_boolean(*is_error);
    if (!flag) return misshapen("isError of the tool's result is not true or false");
    read.is_error = *flag;
  }
  return read;
}

McpGreeting hidden_in(McpGreeting greeting, const Secrets& secrets) {
  for (std::string* said : {&greeting.server_name, &greeting.server_version, &greeting.instructions})
    *said = secrets.hide(*said);
  return greeting;
}

McpTool hidden_in(McpTool tool, const Secrets& secrets) {
  if (secrets.empty()) return tool;
  tool.title = secrets.hide(tool.title);
  tool.description = secrets.hide(tool.description);
  tool.input_schema = hidden_in_schema(tool.input_schema, secrets).get_object();
  if (tool.output_schema) tool.output_schema = hidden_in_schema(*tool.output_schema, secrets).get_object();
  return tool;
}

McpToolResult hidden_in(McpToolResult result, const Secrets& secrets) {
  if (result.structured) result.structured = secrets.hide_in(*result.structured);
  for (Json& part : result.content) {
    for (auto& [name, value] : part.get_object()) {
      if (name != "type") value = secrets.hide_in(value);
    }
  }
  return result;
}

std::string text_of(const McpToolResult& result) {
  if (result.content.empty()) return result.structured ? to_text(*result.structured) : "";
  std::string text;
  for (const Json& part : result.content) {
    if (&part != &result.content.front()) text += '\n';
    text += text_of_part(part);
  }
  return text;
}

}  // namespace assay
