#include "tools/tool.h"

#include <array>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "tools/sql/sql_query.h"

namespace assay {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

JsonArray list_of(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.push_back(boost::json::string(text));
  return list;
}

// As written: what is filled from the environment stays a name.
JsonObject object_of(const Pairs& pairs) {
  JsonObject object;
  for (const auto& [name, value] : pairs) object.insert_or_assign(name, value);
  return object;
}

JsonObject own_fields(const SqlTool& tool) {
  SqlQuery query;
  query.database = tool.database;
  query.max_rows = tool.max_rows;
  query.max_bytes = tool.max_bytes;
  JsonObject fields = to_json(query).as_object();
  fields.erase("sql");
  return fields;
}

JsonObject own_fields(const CommandTool& tool) {
  return {{"command", list_of(tool.command)}, {"environment", object_of(tool.environment)}};
}

JsonObject own_fields(const HttpTool& tool) {
  return {{"method", tool.method}, {"url", tool.url}, {"headers", object_of(tool.headers)}};
}

JsonObject own_fields(const McpTools& tool) {
  return {{"command", list_of(tool.command)},
          {"environment", object_of(tool.environment)},
          {"url", tool.url},
          {"headers", object_of(tool.headers)},
          {"only", list_of(tool.only)}};
}

JsonObject own_fields(const PythonTool& tool) {
  return {{"sandbox", tool.sandbox == Sandbox::none ? "none" : "bubblewrap"},
          {"python", tool.python},
          {"readable", list_of(tool.readable)}};
}

}  // namespace

std::string_view kind_word(const ToolSpec& tool) {
  constexpr std::array<std::string_view, 5> kWords = {"sql", "command", "http", "mcp", "python"};
  return kWords.at(tool.kind.index());
}

Json to_json(const ToolSpec& tool) {
  JsonObject object{{"name", tool.name}, {"kind", kind_word(tool)}};
  for (auto& [name, value] : std::visit([](const auto& own) { return own_fields(own); }, tool.kind))
    object.insert_or_assign(name, value);
  return object;
}

Json to_json(const ToolUse& use) {
  return JsonObject{{"tool", to_json(*use.tool)}, {"name", use.name}, {"arguments", use.arguments}};
}

Json tool_error(std::string_view message) {
  return JsonObject{{"error", message}};
}

bool is_tool_error(const Json& result) {
  const JsonObject* object = result.if_object();
  return object != nullptr && object->size() == 1 && object->contains("error");
}

}  // namespace assay
