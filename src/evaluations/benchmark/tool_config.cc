#include "evaluations/benchmark/tool_config.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/schema/schema.h"
#include "core/text.h"
#include "tools/sql/sql_query.h"
#include "tools/toolbox.h"

namespace assay::benchmark {
namespace {

constexpr double kBytesPerMegabyte = 1 << 20;

// Which keys each kind has beside name, kind, description and timeout; those it needs come first.
struct KindKeys {
  std::string_view kind;
  std::vector<std::string_view> needed;
  std::vector<std::string_view> optional;
};
const std::vector<KindKeys>& kind_keys() {
  static const std::vector<KindKeys> kKinds = {
      {"sql", {"database"}, {"max_rows", "max_bytes"}},
      {"command", {"command"}, {"parameters", "environment"}},
      {"http", {"url"}, {"method", "headers", "parameters"}},
      {"mcp", {}, {"command", "environment", "url", "headers", "only"}},
      {"python", {}, {"sandbox", "python", "readable", "memory_mb", "cpu", "max_output", "max_processes"}},
  };
  return kKinds;
}

Json one_text_argument(std::string_view name, std::string_view description) {
  JsonObject argument{{"type", "string"}, {"description", description}};
  return JsonObject{{"type", "object"},
                    {"properties", JsonObject{{name, std::move(argument)}}},
                    {"required", JsonArray{boost::json::string(name)}},
                    {"additionalProperties", false}};
}

Json sql_parameters() {
  return one_text_argument(kSqlArgument, "One SQL statement that only reads.");
}

Json python_parameters() {
  return one_text_argument(kPythonArgument,
                           "The program's source. It has the standard library, no network and no input; what "
                           "it prints is the result.");
}

constexpr const char* kPythonDescription =
    "Runs a Python 3 program and gives back what it printed (stdout, stderr) and its exit code. Put the data "
    "that it works on into its text.";

std::vector<std::pair<std::string, std::string>> pairs_of(const Config& entry, const std::string& key,
                                                          std::vector<std::string>& wrong) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const Json* value = entry.find(key);
  if (value == nullptr) return pairs;
  if (!value->is_object()) {
    wrong.push_back(fmt::format("{}: found {}, expected names with texts", key, excerpt(*value)));
    return pairs;
  }
  for (const auto& [name, item] : value->get_object()) {
    pairs.emplace_back(name, text_or_json(item));
  }
  return pairs;
}

std::size_t size_of(const Config& entry, const std::string& key, std::size_t fallback) {
  const auto value = entry.integer(key);
  return value ? static_cast<std::size_t>(*value) : fallback;
}

// Whether a database URL has a password that is not a variable's.
bool holds_password(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return false;
  const auto literal = [](std::string_view text) { return !text.empty() && !text.starts_with("${"); };
  if (const std::size_t key = url.find("password="); key != std::string_view::npos)
    return literal(url.substr(key + std::string_view("password=").size()));
  const std::string_view user = url.substr(scheme + 3, url.find('@') - std::min(url.find('@'), scheme + 3));
  if (!url.contains('@')) return false;
  const std::size_t colon = user.find(':');
  return colon != std::string_view::npos && literal(user.substr(colon + 1));
}

// Reads one entry; problems are words without a place.
class EntryReader {
 public:
  EntryReader(const Config& entry, std::vector<std::string>& wrong) : entry_(entry), wrong_(wrong) {}

  std::shared_ptr<const ToolSpec> read() {
    auto tool = std::make_shared<ToolSpec>();
    tool->name = entry_.text("name");
    tool->description = entry_.text("description");
    const std::string kind = entry_.text("kind");
    check_name(*tool, kind);
    if (!check_keys(kind)) return nullptr;
    if (entry_.has("timeout")) tool->timeout = entry_.duration("timeout");
    if (kind == "sql") read_sql(*tool);
    if (kind == "command") read_command(*tool);
    if (kind == "http") read_http(*tool);
    if (kind == "mcp") read_mcp(*tool);
    if (kind == "python") read_python(*tool);
    if (wrong_.empty() && kind != "mcp") {
      if (auto schema = Schema::compile(tool->parameters); !schema)
        wrong_.push_back("parameters: " + schema.error().text());
    }
    return wrong_.empty() ? tool : nullptr;
  }

 private:
  // What both providers take for the name of a function.
  void check_name(const ToolSpec& tool, const std::string& kind) {
    const bool plain = tool.name.size() <= 64 && std::ranges::all_of(tool.name, [](char c) {
                         return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                c == '_' || c == '-';
                       });
    if ((tool.name.empty() || !plain) && kind != "mcp") {
      wrong_.push_back(fmt::format("name: found \"{}\", expected 1 to 64 letters, digits, _ or -",
                                   shorten(tool.name, 80)));
    }
  }

  // Whether the kind has all that it needs.
  bool check_keys(const std::string& kind) {
    const auto own = std::ranges::find(kind_keys(), kind, &KindKeys::kind);
    bool complete = true;
    for (const std::string_view key : own->needed) {
      if (entry_.has(key)) continue;
      wrong_.push_back(fmt::format("{} is missing; kind {} needs it", key, kind));
      complete = false;
    }
    static constexpr std::string_view kCommon[] = {"name", "kind", "description", "timeout"};
    for (const auto& [key, value] : entry_.values()) {
      const std::string_view name = key;
      const bool known = std::ranges::find(kCommon, name) != std::end(kCommon) ||
                         std::ranges::find(own->needed, name) != own->needed.end() ||
                         std::ranges::find(own->optional, name) != own->optional.end();
      if (!known && !value.is_null()) wrong_.push_back(fmt::format("kind {} has no key {}", kind, name));
    }
    return complete;
  }

  void read_sql(ToolSpec& tool) {
    SqlTool sql;
    sql.database = entry_.text("database");
    sql.max_rows = size_of(entry_, "max_rows", sql.max_rows);
    sql.max_bytes = size_of(entry_, "max_bytes", sql.max_bytes);
    if (auto url = parse_database_url(sql.database); !url)
      wrong_.push_back("database: " + url.error().text());
    if (holds_password(sql.database)) {
      wrong_.emplace_back(
          "database: a password in a config ends up in the files of the run; write ${NAME} in its place and "
          "put it "
          "into that environment variable");
    }
    if (!entry_.has("timeout")) tool.timeout = SqlQuery{}.timeout;
    tool.parameters = sql_parameters();
    tool.kind = std::move(sql);
  }

  void read_command(ToolSpec& tool) {
    CommandTool command{entry_.texts("command"), pairs_of(entry_, "environment", wrong_)};
    if (command.command.empty()) wrong_.emplace_back("command: found an empty list, expected a program");
    tool.parameters = parameters();
    tool.kind = std::move(command);
  }

  void read_http(ToolSpec& tool) {
    HttpTool http;
    if (entry_.has("method")) http.method = entry_.text("method");
    http.url = entry_.text("url");
    http.headers = pairs_of(entry_, "headers", wrong_);
    check_url(http.url);
    tool.parameters = parameters();
    tool.kind = std::move(http);
  }

  void read_mcp(ToolSpec& tool) {
    McpTools mcp;
    mcp.command = entry_.texts("command");
    mcp.environment = pairs_of(entry_, "environment", wrong_);
    mcp.url = entry_.text("url");
    mcp.headers = pairs_of(entry_, "headers", wrong_);
    mcp.only = entry_.texts("only");
    if (mcp.command.empty() == mcp.url.empty())
      wrong_.emplace_back("kind mcp needs a command or a url, and not both");
    if (!mcp.url.empty()) check_url(mcp.url);
    tool.kind = std::move(mcp);
  }

  void read_python(ToolSpec& tool) {
    PythonTool python;
    if (entry_.text("sandbox") == "none") python.sandbox = Sandbox::none;
    if (entry_.has("python")) python.python = entry_.text("python");
    python.readable = entry_.texts("readable");
    PythonLimits& limits = python.limits;
    if (const auto memory = entry_.number("memory_mb"))
      limits.memory = static_cast<std::size_t>(std::llround(*memory * kBytesPerMegabyte));
    if (entry_.has("cpu")) limits.cpu = std::chrono::ceil<std::chrono::seconds>(entry_.duration("cpu"));
    limits.output = size_of(entry_, "max_output", limits.output);
    limits.max_processes = size_of(entry_, "max_processes", limits.max_processes);
    if (!entry_.has("timeout")) tool.timeout = limits.timeout;
    if (tool.description.empty()) tool.description = kPythonDescription;
    tool.parameters = python_parameters();
    tool.kind = std::move(python);
  }

  void check_url(const std::string& url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
      wrong_.push_back(fmt::format("url: found {}, expected http://… or https://…", shorten(url, 80)));
  }

  Json parameters() {
    const Json* given = entry_.find("parameters");
    if (given == nullptr) return JsonObject{{"type", "object"}, {"properties", JsonObject{}}};
    if (!given->is_object())
      wrong_.push_back(fmt::format("parameters: found {}, expected a JSON schema", excerpt(*given)));
    return *given;
  }

  const Config& entry_;
  std::vector<std::string>& wrong_;
};

// `place` gives the words for where entry i stands.
template <class Place>
ToolSpecs read_list(const Json* list, Place place, std::vector<ConfigProblem>& problems) {
  ToolSpecs tools;
  if (list == nullptr || !list->is_array()) return tools;
  std::set<std::string> names;
  std::size_t i = 0;
  for (const Json& item : list->get_array()) {
    std::vector<std::string> wrong;
    const Config entry(item.as_object());
    auto tool = EntryReader(entry, wrong).read();
    const std::string name = entry.text("name");
    if (!names.insert(name).second) wrong.push_back(fmt::format("name: {} is there twice", name));
    for (std::string& words : wrong)
      problems.push_back({place(i), fmt::format("tools[{}]", i), std::move(words)});
    if (tool) tools.push_back(std::move(tool));
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
      .keys =
          {{.name = "name",
            .help = "As the model calls it; of an MCP server, what messages call it.",
            .required = true},
           {.name = "kind",
            .help = "What it runs.",
            .required = true,
            .choices = {"sql", "command", "http", "mcp", "python"}},
           {.name = "description", .help = "For the model: what the tool is good for."},
           {.name = "timeout",
            .type = KeyType::duration,
            .help = "Longest time for one call; by default 10s for sql, 30s for python, 60s for the others."},
           {.name = "database",
            .type = KeyType::database,
            .help = "sql: the database; `${NAME}` in a URL is filled from the environment."},
           {.name = "max_rows",
            .type = KeyType::integer,
            .help = "sql: most rows of a result; by default 1000.",
            .minimum = 1},
           {.name = "max_bytes",
            .type = KeyType::integer,
            .help = "sql: most bytes of a result; by default 1 MiB.",
            .minimum = 100},
           {.name = "command",
            .type = KeyType::command,
            .help =
                "command: the program; its arguments come as JSON on stdin, and it prints one JSON value. "
                "mcp: the server."},
           {.name = "environment",
            .type = KeyType::any,
            .help =
                "command, mcp: variables of the program beside a harmless few of ours; `${NAME}` is filled "
                "from the environment."},
           {.name = "url",
            .help = "http: the address, `{name}` is filled from the arguments. mcp: the server."},
           {.name = "method",
            .help = "http: by default POST, with the arguments as JSON body.",
            .choices = {"GET", "POST", "PUT", "PATCH", "DELETE"}},
           {.name = "headers",
            .type = KeyType::any,
            .help = "http, mcp: headers; `${NAME}` is filled from the environment and kept secret."},
           {.name = "parameters",
            .type = KeyType::any,
            .help = "command, http: JSON schema of the arguments; a call that does not fit is not run."},
           {.name = "only",
            .type = KeyType::text_list,
            .help = "mcp: which of the server's tools are offered."},
           {.name = "sandbox",
            .help = "python: `none` runs what the model writes with your own rights.",
            .choices = {"bubblewrap", "none"}},
           {.name = "python", .help = "python: the interpreter; by default python3 of /usr."},
           {.name = "readable",
            .type = KeyType::path_list,
            .help = "python: further paths that the sandbox shows, read-only."},
           {.name = "memory_mb",
            .type = KeyType::number,
            .help = "python: memory of a process; by default 1024.",
            .minimum = 16},
           {.name = "cpu",
            .type = KeyType::duration,
            .help = "python: CPU time of a process; by default 20s."},
           {.name = "max_output",
            .type = KeyType::integer,
            .help = "python: bytes of stdout and stderr each; by default 1 MiB.",
            .minimum = 1},
           {.name = "max_processes",
            .type = KeyType::integer,
            .help = "python: processes and threads at a time; by default 16.",
            .minimum = 1}},
      .example = "[{name: query_tickets, kind: sql, database: \"sqlite:tickets.db\", description: \"…\"}]"};
}

ToolSpecs read_tools(const Config& config, std::vector<ConfigProblem>& problems) {
  return read_list(config.find("tools"), [](std::size_t) { return std::string("config"); }, problems);
}

ToolSpecs read_task_tools(const YamlDocument& document, const std::string& file,
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
      resolved.config.find("tools"),
      [&](std::size_t i) {
        const YamlPosition position = document.position(fmt::format("/tools/{}", i));
        return position.line == 0
                   ? file
                   : fmt::format("{}, line {}, column {}", file, position.line, position.column);
      },
      problems);
}

std::shared_ptr<const ToolSpec> default_python_tool() {
  static const std::shared_ptr<const ToolSpec> kTool = [] {
    auto tool = std::make_shared<ToolSpec>();
    tool->name = kPythonTool;
    tool->description = kPythonDescription;
    tool->parameters = python_parameters();
    PythonTool python;
    tool->timeout = python.limits.timeout;
    tool->kind = std::move(python);
    return tool;
  }();
  return kTool;
}

}  // namespace assay::benchmark
