// Uses tools. Servers of the Model Context Protocol are started when they are first needed and shared by all
// uses of the same declaration; destroying the toolbox ends them. Belongs to one event loop.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/environment.h"
#include "core/error.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "tools/mcp/mcp_client.h"
#include "tools/tool.h"

namespace assay {

class Toolbox {
 public:
  Toolbox(EventLoop& loop, HttpClient& http, Environment environment);

  // The tools of a server: [{"name", "description", "inputSchema"}, …], those that the declaration offers. An
  // error names what it offers and the server lacks.
  Task<Result<Json>> list(std::shared_ptr<const ToolSpec> server);

  // What the model gets to see: rows as a list of objects (with `truncated` beside them if there were more),
  // the program's or service's JSON (a service's text if it is none), a server's text, or of Python {stdout,
  // stderr, exitCode}. Never tries twice: a tool may have had an effect. A failure, a result of more than a
  // mebibyte too, is an error in words for the model.
  Task<Result<Json>> use(ToolUse use);

 private:
  Task<Result<Json>> query(const ToolSpec& tool, const SqlTool& sql, const JsonObject& arguments);
  Task<Result<Json>> run(const ToolSpec& tool, const CommandTool& command, const JsonObject& arguments);
  Task<Result<Json>> request(const ToolSpec& tool, const HttpTool& http, const JsonObject& arguments);
  Task<Result<Json>> ask(const ToolSpec& tool, const McpTools& mcp, const std::string& name,
                         const JsonObject& arguments);
  Task<Result<Json>> python(const ToolSpec& tool, const PythonTool& python, const JsonObject& arguments);
  McpClient& server(const ToolSpec& tool, const McpTools& mcp);

  EventLoop& loop_;
  HttpClient& http_;
  Environment environment_;
  std::map<std::string, std::unique_ptr<McpClient>> servers_;  // by declaration
};

// The argument that holds the query or the program.
inline constexpr std::string_view kSqlArgument = "sql";
inline constexpr std::string_view kPythonArgument = "pythonCode";

}  // namespace assay
