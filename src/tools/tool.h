// A tool that a model may use, as a config declares it, and one use of it. What a use gives back is a JSON
// value for the model; a failure is such a value too, {"error": "…"}, since a model may go on after it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/json/json.h"
#include "tools/python_sandbox.h"

namespace assay {

struct SqlTool {
  std::string database;  // see sql_query.h
  std::size_t max_rows = 1000;
  std::size_t max_bytes = std::size_t{1} << 20;
};

// The arguments as JSON on stdin, one JSON value on stdout.
struct CommandTool {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
};

// `{name}` in the URL is filled from the arguments; the rest of them is the query of a GET or DELETE and the
// JSON body of the others.
struct HttpTool {
  std::string method = "POST";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // values may hold ${NAME}
};

// A server with tools of its own: by `command` or by `url`.
struct McpTools {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> only;  // which of its tools are offered; empty: all
};

struct PythonTool {
  Sandbox sandbox = Sandbox::bubblewrap;
  std::string python = "python3";
  std::vector<std::string> readable;
  PythonLimits limits;
};

struct ToolSpec {
  std::string name;  // of a server: what messages call it
  std::string description;
  Json parameters;  // JSON schema of the arguments; a server's tools bring their own
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);
  std::variant<SqlTool, CommandTool, HttpTool, McpTools, PythonTool> kind;
};

// "sql", "command", "http", "mcp", "python"
std::string_view kind_word(const ToolSpec& tool);
// What decides a result: all but description and limits; no secret.
Json to_json(const ToolSpec& tool);

struct ToolUse {
  std::shared_ptr<const ToolSpec> tool;
  std::string name;  // as the model calls it; of a server's tools which one
  JsonObject arguments;
};
Json to_json(const ToolUse& use);

// What a use that failed gives the model, and whether a result is that.
Json tool_error(std::string_view message);
bool is_tool_error(const Json& result);

}  // namespace assay
