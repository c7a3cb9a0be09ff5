#include "tools/toolbox.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "tools/command.h"
#include "tools/http_call.h"
#include "tools/sql/sql_query.h"

namespace assay {
namespace {

constexpr std::size_t kLargestResult = std::size_t{1} << 20;

// The arguments that the URL names go into it; `rest` keeps the others.
std::string filled_url(std::string_view pattern, JsonObject& rest) {
  std::string url;
  const JsonObject arguments = rest;
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    url.append(pattern.substr(0, open));
    if (open == std::string_view::npos) break;
    const std::size_t close = pattern.find('}', open);
    const std::string_view name =
        close == std::string_view::npos ? std::string_view() : pattern.substr(open + 1, close - open - 1);
    const Json* value = close == std::string_view::npos ? nullptr : arguments.if_contains(name);
    if (value == nullptr) {
      url += '{';
      pattern.remove_prefix(open + 1);
      continue;
    }
    url += percent_encoded(text_or_json(*value));
    rest.erase(name);
    pattern.remove_prefix(close + 1);
  }
  return url;
}

bool has_body(std::string_view method) {
  return method != "GET" && method != "DELETE";
}

void append_query(std::string& url, const JsonObject& arguments) {
  char before = url.contains('?') ? '&' : '?';
  for (const auto& [name, value] : arguments) {
    url += fmt::format("{}{}={}", before, percent_encoded(name), percent_encoded(text_or_json(value)));
    before = '&';
  }
}

// Rows alone where that is all there is to say.
Json rows_of(Json result) {
  JsonObject& object = result.as_object();
  if (object.contains("truncated"))
    return JsonObject{{"rows", std::move(object["rows"])}, {"truncated", std::move(object["truncated"])}};
  return std::move(object["rows"]);
}

}  // namespace

Toolbox::Toolbox(EventLoop& loop, HttpClient& http, Environment environment)
    : loop_(loop), http_(http), environment_(std::move(environment)) {}

McpClient& Toolbox::server(const ToolSpec& tool, const McpTools& mcp) {
  auto& slot = servers_[fmt::format("{} {}", tool.timeout.count(), canonical_text(to_json(tool)))];
  if (!slot) {
    McpServer server;
    server.name = tool.name;
    server.command = mcp.command;
    server.environment = mcp.environment;
    server.url = mcp.url;
    server.headers = mcp.headers;
    server.call_timeout = tool.timeout;
    slot = std::make_unique<McpClient>(loop_, http_, std::move(server), environment_);
  }
  return *slot;
}

Task<Result<Json>> Toolbox::list(std::shared_ptr<const ToolSpec> declared) {
  const McpTools& mcp = std::get<McpTools>(declared->kind);
  auto tools = co_await server(*declared, mcp).list_tools();
  if (!tools) co_return fail(std::move(tools.error()));
  const auto offered = [&](const std::string& name) {
    return mcp.only.empty() || std::ranges::find(mcp.only, name) != mcp.only.end();
  };
  JsonArray list;
  std::vector<std::string> names;
  for (McpTool& tool : *tools) {
    names.push_back(tool.name);
    if (!offered(tool.name)) continue;
    // Servers name older drafts there, which models refuse although nothing in the schema depends on it.
    tool.input_schema.erase("$schema");
    list.push_back(JsonObject{{"name", tool.name},
                              {"description", tool.description.empty() ? tool.title : tool.description},
                              {"inputSchema", std::move(tool.input_schema)}});
  }
  for (const std::string& wanted : mcp.only) {
    if (std::ranges::find(names, wanted) != names.end()) continue;
    co_return fail(Error{ErrorKind::config,
                         fmt::format("the server has no tool {}; it has {}", wanted, fmt::join(names, ", ")),
                         {{"tools", declared->name}}});
  }
  co_return Json(std::move(list));
}

Task<Result<Json>> Toolbox::use(ToolUse use) {
  const ToolSpec& tool = *use.tool;
  Result<Json> result = fail(ErrorKind::internal, "no such kind of tool");
  if (const auto* sql = std::get_if<SqlTool>(&tool.kind)) {
    result = co_await query(tool, *sql, use.arguments);
  } else if (const auto* command = std::get_if<CommandTool>(&tool.kind)) {
    result = co_await run(tool, *command, use.arguments);
  } else if (const auto* http = std::get_if<HttpTool>(&tool.kind)) {
    result = co_await request(tool, *http, use.arguments);
  } else if (const auto* mcp = std::get_if<McpTools>(&tool.kind)) {
    result = co_await ask(tool, *mcp, use.name, use.arguments);
  } else if (const auto* program = std::get_if<PythonTool>(&tool.kind)) {
    result = co_await python(tool, *program, use.arguments);
  }
  if (!result) co_return result;
  if (const std::size_t size = to_text(*result).size(); size > kLargestResult) {
    co_return fail(
        ErrorKind::target,
        fmt::format("the result has {} bytes, and at most {} are given; ask for less", size, kLargestResult));
  }
  co_return result;
}

Task<Result<Json>> Toolbox::query(const ToolSpec& tool, const SqlTool& sql, const JsonObject& arguments) {
  SqlQuery query;
  query.database = sql.database;
  query.sql = text_at(arguments, kSqlArgument);
  query.max_rows = sql.max_rows;
  query.max_bytes = std::min(sql.max_bytes, kLargestResult - 1024);
  query.timeout = tool.timeout;
  auto result = co_await run_sql_query(loop_, std::move(query), environment_);
  if (!result) co_return result;
  co_return rows_of(std::move(*result));
}

Task<Result<Json>> Toolbox::run(const ToolSpec& tool, const CommandTool& command,
                                const JsonObject& arguments) {
  CommandCall call;
  call.command = command.command;
  // A model drives it: it gets no key that it is not given.
  call.inherited = InheritedVariables::safe;
  call.environment = command.environment;
  call.input = to_text(arguments);
  call.timeout = tool.timeout;
  co_return co_await run_command(loop_, std::move(call), environment_);
}

Task<Result<Json>> Toolbox::request(const ToolSpec& tool, const HttpTool& http, const JsonObject& arguments) {
  HttpCall call;
  call.method = http.method;
  call.headers = http.headers;
  call.timeout = tool.timeout;
  call.text_reply = true;
  JsonObject rest = arguments;
  call.url = filled_url(http.url, rest);
  if (has_body(http.method)) {
    call.body = to_text(rest);
    const bool typed = std::ranges::any_of(call.headers, [](const auto& header) {
      return equal_ignoring_ascii_case(header.first, "content-type");
    });
    if (!typed) call.headers.emplace_back("Content-Type", "application/json");
  } else {
    append_query(call.url, rest);
  }
  auto reply = co_await call_http(http_, std::move(call), environment_);
  if (!reply) co_return fail(std::move(reply.error().error));
  co_return std::move(*reply);
}

Task<Result<Json>> Toolbox::ask(const ToolSpec& tool, const McpTools& mcp, const std::string& name,
                                const JsonObject& arguments) {
  auto result = co_await server(tool, mcp).call_tool(name, arguments);
  if (!result) co_return fail(std::move(result.error()));
  std::string text = text_of(*result);
  if (result->is_error) co_return fail(ErrorKind::target, std::move(text));
  co_return Json(boost::json::string(text));
}

Task<Result<Json>> Toolbox::python(const ToolSpec& tool, const PythonTool& python,
                                   const JsonObject& arguments) {
  PythonCall call;
  call.program = text_at(arguments, kPythonArgument);
  call.sandbox = python.sandbox;
  call.python = python.python;
  call.readable = python.readable;
  call.limits = python.limits;
  call.limits.timeout = tool.timeout;
  co_return co_await run_python(loop_, std::move(call), environment_);
}

}  // namespace assay
