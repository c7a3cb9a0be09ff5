// A tool that a model may use, as a config declares it, and one use of it. What a use gives back is a JSON
// value for the model; a failure is such a value too, {"error": "…"}, since a model may go on after it.
// What a kind of tool is made of stands in tool_kind.h, the kinds themselves in kinds/.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json.h"

namespace assay {

struct ToolKind;
class ToolAction;
class ToolSession;

// Made by reading a declaration (tool_config.h): kind and action are always there.
struct ToolSpec {
  const ToolKind* kind = nullptr;  // a row of the table in kinds/kinds.h
  std::string name;                // of a server: what messages call it
  std::string description;
  Json parameters;  // JSON schema of the arguments; a server's tools bring their own
  std::chrono::nanoseconds timeout{};
  std::shared_ptr<const ToolAction> action;  // what it does, with what its kind has read
  // Where it is declared: the file, "" for the config, and the entry there, "tools[2]".
  std::string file = {};
  std::string entry = {};
};
using ToolSpecs = std::vector<std::shared_ptr<const ToolSpec>>;

// "sql", "command", …
std::string_view kind_word(const ToolSpec& tool);
// Whether it is a server: not a tool itself, but one that has tools, which are listed (Toolbox::list).
bool is_server(const ToolSpec& tool);
// Whether each session starts a program of its own for it, which lives as long as the session.
bool has_own_process(const ToolSpec& tool);
// What it takes from the environment.
std::vector<std::string> variables_of(const ToolSpec& tool);
// What it works with and is not there (a program, a database's file, a sandbox): each with its key in the
// declaration and what is missing. Whether a server answers is seen when it is asked.
std::vector<std::pair<std::string, std::string>> not_found(const ToolSpec& tool);
// How many uses this machine bears at a time; the largest int if it does not carry them.
int most_at_once(const ToolSpec& tool);
// What decides a result: all but description and limits; no secret.
Json to_json(const ToolSpec& tool);

struct ToolUse {
  std::shared_ptr<const ToolSpec> tool;
  std::string name;  // as the model calls it; of a server's tools which one
  JsonObject arguments;
  std::shared_ptr<ToolSession> session = {};  // of the conversation; null: one for all of the run
};
Json to_json(const ToolUse& use);

// What a use that failed gives the model, and whether a result is that.
Json tool_error(std::string_view message);
bool is_tool_error(const Json& result);

}  // namespace assay
