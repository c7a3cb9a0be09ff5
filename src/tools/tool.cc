#include "tools/tool.h"

#include <algorithm>
#include <limits>
#include <thread>

#include <boost/json/object.hpp>

#include "tools/tool_kind.h"

namespace assay {

std::string_view kind_word(const ToolSpec& tool) {
  return tool.kind->name;
}

bool is_server(const ToolSpec& tool) {
  return tool.kind->offers == ToolKind::Offers::tools_of_its_own;
}

bool has_own_process(const ToolSpec& tool) {
  return tool.action->has_own_process();
}

std::vector<std::string> variables_of(const ToolSpec& tool) {
  return tool.action->variables();
}

std::vector<std::pair<std::string, std::string>> not_found(const ToolSpec& tool) {
  return tool.action->not_found();
}

int most_at_once(const ToolSpec& tool) {
  if (tool.kind->runs == ToolKind::Runs::elsewhere) return std::numeric_limits<int>::max();
  return 2 * std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Json to_json(const ToolSpec& tool) {
  JsonObject object{{"name", tool.name}, {"kind", kind_word(tool)}};
  for (const auto& [name, value] : tool.action->identity()) object.insert_or_assign(name, value);
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
