#include "tools/tool_config.h"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/schema/schema.h"
#include "core/text.h"
#include "core/time.h"
#include "tools/kinds/kinds.h"

namespace assay {
namespace {

const ToolKind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(kToolKinds, name, [](const ToolKind* kind) { return kind->name; });
  return found == kToolKinds.end() ? nullptr : *found;
}

// "by default 10s for sql, 30s for python, 60s for the others"
std::string default_timeouts() {
  std::string words = "by default ";
  for (const ToolKind* kind : kToolKinds) {
    if (kind->timeout != ToolKind::kUsualTimeout)
      words += fmt::format("{} for {}, ", duration_literal(kind->timeout), kind->name);
  }
  return words + fmt::format("{} for the others", duration_literal(ToolKind::kUsualTimeout));
}

// Of every kind.
Keys common_tool_keys() {
  std::vector<std::string> kinds;
  kinds.reserve(kToolKinds.size());
  for (const ToolKind* kind : kToolKinds) kinds.emplace_back(kind->name);
  return {
      {.name = "name",
       .help = "As the model calls it; of an MCP server, what messages call it.",
       .required = true},
      {.name = "kind", .help = "What it runs.", .required = true, .choices = std::move(kinds)},
      {.name = "description", .help = "For the model: what the tool is good for."},
      {.name = "timeout",
       .type = KeyType::duration,
       .help = fmt::format("Longest time for one call; {}.", default_timeouts())},
  };
}

// A key of one or several kinds, and what each of them says of it.
struct SharedKey {
  Key key;
  struct Help {
    std::vector<std::string_view> kinds;
    std::string words;
  };
  std::vector<Help> helps;

  void add(std::string_view kind, const std::string& words) {
    const auto same = std::ranges::find(helps, words, &Help::words);
    if (same != helps.end()) {
      same->kinds.push_back(kind);
    } else {
      helps.push_back({{kind}, words});
    }
  }
  // "command, mcp: variables …", or "http: the address. mcp: the server."
  Key merged() const {
    Key merged = key;
    merged.required = false;  // that a kind needs it is checked where the kind is known
    merged.help.clear();
    for (const Help& help : helps) {
      merged.help +=
          fmt::format("{}{}: {}", merged.help.empty() ? "" : " ", fmt::join(help.kinds, ", "), help.words);
    }
    return merged;
  }
};

Keys keys_of_all_kinds() {
  std::vector<SharedKey> shared;
  for (const ToolKind* kind : kToolKinds) {
    for (const Key& key : kind->keys()) {
      auto found = std::ranges::find(shared, key.name, [](const SharedKey& known) { return known.key.name; });
      if (found == shared.end()) found = shared.insert(shared.end(), {key, {}});
      found->add(kind->name, key.help);
    }
  }
  Keys keys = common_tool_keys();
  for (const SharedKey& key : shared) keys.push_back(key.merged());
  return keys;
}

// What both providers take for the name of a function.
bool is_function_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// Whether the kind has all that it needs; what it does not know is a problem, too.
bool has_needed_keys(const ToolKind& kind, ToolDeclaration& declaration) {
  const Keys own = kind.keys();
  bool complete = true;
  for (const Key& key : own) {
    if (!key.required || declaration.values().has(key.name)) continue;
    declaration.complain(fmt::format("{} is missing; kind {} needs it", key.name, kind.name));
    complete = false;
  }
  const Keys common = common_tool_keys();
  for (const auto& [name, value] : declaration.values().values()) {
    const bool known = find_key(own, name) != nullptr || find_key(common, name) != nullptr;
    if (!known && !value.is_null())
      declaration.complain(fmt::format("kind {} has no key {}", kind.name, std::string_view(name)));
  }
  return complete;
}

// Null if there are problems, which the declaration then holds.
std::shared_ptr<ToolSpec> read_declaration(ToolDeclaration& declaration) {
  const Config& values = declaration.values();
  const ToolKind* found = find_kind(values.text("kind"));
  if (found == nullptr) return nullptr;  // the key's own check has told of it
  const ToolKind& kind = *found;
  auto tool = std::make_shared<ToolSpec>();
  tool->kind = &kind;
  tool->name = values.text("name");
  if (!is_server(*tool) && !is_function_name(tool->name)) {
    declaration.complain(
        fmt::format("name: found \"{}\", expected 1 to 64 letters, digits, _ or -", shorten(tool->name, 80)));
  }
  if (!has_needed_keys(kind, declaration)) return nullptr;
  tool->description = values.text("description");
  if (tool->description.empty()) tool->description = kind.description;
  tool->timeout = values.has("timeout") ? values.duration("timeout") : kind.timeout;
  auto read = kind.read(declaration);
  tool->parameters = std::move(read.parameters);
  tool->action = std::move(read.action);
  if (declaration.problems().empty() && !is_server(*tool)) {
    if (auto schema = Schema::compile(tool->parameters); !schema)
      declaration.complain("parameters: " + schema.error().text());
  }
  return declaration.problems().empty() ? tool : nullptr;
}

// `place` gives the words for where entry i of the file stands.
template <class Place>
ToolSpecs read_list(const Json* list, const std::string& file, Place place,
                    std::vector<ConfigProblem>& problems) {
  ToolSpecs tools;
  if (list == nullptr || !list->is_array()) return tools;
  std::set<std::string> names;
  std::size_t i = 0;
  for (const Json& item : list->get_array()) {
    const std::string entry = fmt::format("tools[{}]", i);
    ToolDeclaration declaration(item.as_object());
    auto tool = read_declaration(declaration);
    const std::string name = declaration.values().text("name");
    if (!names.insert(name).second) declaration.complain(fmt::format("name: {} is there twice", name));
    for (const std::string& words : declaration.problems()) problems.push_back({place(i), entry, words});
    if (tool) {
      tool->file = file;
      tool->entry = entry;
      tools.push_back(std::move(tool));
    }
    ++i;
  }
  return tools;
}

}  // namespace

Key tools_key() {
  return {
      .name = "tools",
      .type = KeyType::object_list,
      .help = "What the model may call.",
      .keys = keys_of_all_kinds(),
      .example = "[{name: query_tickets, kind: sql, database: \"sqlite:tickets.db\", description: \"…\"}]"};
}

ToolSpecs read_tools(const Config& config, std::vector<ConfigProblem>& problems) {
  return read_list(config.find("tools"), "", [](std::size_t) { return std::string("config"); }, problems);
}

ToolSpecs read_tools(const YamlDocument& document, const std::string& file,
                     std::vector<ConfigProblem>& problems) {
  const Json* tools = find_member(document.value, "tools");
  if (tools == nullptr || tools->is_null()) return {};
  ConfigSource source;
  source.file = file;
  source.document.value = JsonObject{{"tools", *tools}};
  source.document.positions = document.positions;
  const ResolvedConfig resolved = resolve_config({tools_key()}, source);
  problems.insert(problems.end(), resolved.problems.begin(), resolved.problems.end());
  if (!resolved.problems.empty()) return {};
  return read_list(
      resolved.config.find("tools"), file,
      [&](std::size_t i) {
        const YamlPosition position = document.position(fmt::format("/tools/{}", i));
        return position.line == 0
                   ? file
                   : fmt::format("{}, line {}, column {}", file, position.line, position.column);
      },
      problems);
}

Result<std::shared_ptr<const ToolSpec>> make_tool(const JsonObject& declaration) {
  YamlDocument document;
  document.value = JsonObject{{"tools", JsonArray{declaration}}};
  std::vector<ConfigProblem> problems;
  ToolSpecs tools = read_tools(document, "", problems);
  if (problems.empty()) return std::move(tools.front());
  std::vector<std::string> words;
  words.reserve(problems.size());
  for (const ConfigProblem& problem : problems) words.push_back(problem.key + ": " + problem.text);
  return fail(ErrorKind::config, fmt::format("{}", fmt::join(words, "; ")));
}

}  // namespace assay
