#include "tools/tool_config.h"

#include <limits>
#include <map>
#include <set>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/yaml.h"
#include "tools/kinds/kinds.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ToolSpecs read(const std::string& yaml, std::vector<std::string>& told,
               const std::string& file = "task.yaml") {
  std::vector<ConfigProblem> problems;
  const auto document = parse_yaml(yaml);
  EXPECT_TRUE(document);
  ToolSpecs tools = read_tools(*document, file, problems);
  for (const ConfigProblem& problem : problems)
    told.push_back(problem.where + ": " + problem.key + ": " + problem.text);
  return tools;
}

// What the kind has read, as it goes into the journal.
std::string field(const std::shared_ptr<const ToolSpec>& tool, std::string_view name) {
  return to_text(to_json(*tool).at(name));
}

TEST(ToolConfig, ReadsEveryKind) {
  std::vector<std::string> told;
  const ToolSpecs tools = read(R"(tools:
  - {name: q, kind: sql, database: "postgres://${DB_USER}@host/db", description: asks, max_rows: 5, timeout: 3s}
  - {name: c, kind: command, command: [./run.sh, a], environment: {KEY: "${KEY}"}, parameters: {type: object}}
  - {name: h, kind: http, method: GET, url: "https://x/{id}", headers: {A: b}}
  - {name: m, kind: mcp, url: "https://y", only: [one]}
  - {name: p, kind: python, sandbox: none, memory_mb: 64, cpu: 1500ms, max_processes: 3}
)",
                               told, "/somewhere/task.yaml");
  ASSERT_THAT(told, IsEmpty());
  ASSERT_THAT(tools, SizeIs(5));
  EXPECT_EQ(field(tools[0], "max_rows"), "5");
  EXPECT_EQ(tools[0]->timeout, std::chrono::seconds(3));
  EXPECT_EQ(field(tools[1], "command"), R"(["/somewhere/run.sh","a"])")
      << "a path belongs to the file that names it";
  EXPECT_EQ(field(tools[2], "method"), R"("GET")");
  EXPECT_EQ(field(tools[3], "only"), R"(["one"])");
  EXPECT_EQ(field(tools[4], "sandbox"), R"("none")");
  // What identifies a tool holds the names of secrets, never secrets.
  EXPECT_THAT(to_text(to_json(*tools[1])), HasSubstr("${KEY}"));
  EXPECT_EQ(to_text(to_json(*tools[0])).find("DB_USER"), std::string::npos);
}

TEST(ToolConfig, ASqliteFileBelongsToTheFileThatNamesIt) {
  std::vector<std::string> told;
  const ToolSpecs tools =
      read("tools: [{name: q, kind: sql, database: \"sqlite:a.db\"}]", told, "/somewhere/task.yaml");
  ASSERT_THAT(tools, SizeIs(1));
  EXPECT_EQ(field(tools[0], "database"), R"("sqlite:/somewhere/a.db")");
}

TEST(ToolConfig, NamesEveryProblemWithItsPlace) {
  std::vector<std::string> told;
  (void)read(R"(tools:
  - {name: "two words", kind: sql, database: "oracle:x"}
  - {name: a, kind: command, url: "http://x"}
  - {name: a, kind: http, url: "ftp://x", parameters: {type: nonsense}}
  - {name: m, kind: mcp}
)",
             told);
  EXPECT_THAT(told, testing::UnorderedElementsAre(
                        AllOf(HasSubstr("task.yaml, line 2"), HasSubstr("tools[0]"), HasSubstr("two words")),
                        AllOf(HasSubstr("tools[0]"), HasSubstr("database")),
                        AllOf(HasSubstr("line 3"), HasSubstr("command is missing")),
                        AllOf(HasSubstr("tools[1]"), HasSubstr("kind command has no key url")),
                        AllOf(HasSubstr("line 4"), HasSubstr("http://")),
                        AllOf(HasSubstr("tools[2]"), HasSubstr("a is there twice")),
                        AllOf(HasSubstr("line 5"), HasSubstr("a command or a url"))));
}

TEST(ToolConfig, UnknownKeysAndKindsAreToldByTheDeclaration) {
  std::vector<std::string> told;
  (void)read("tools: [{name: a, kind: sqll, databse: x}]", told);
  EXPECT_THAT(told, ElementsAre(HasSubstr("did you mean"), HasSubstr("did you mean `database`?")));
}

TEST(ToolConfig, WhatADeclarationLeavesOutComesFromItsKind) {
  std::vector<std::string> told;
  const ToolSpecs tools = read(R"(tools:
  - {name: q, kind: sql, database: "sqlite:a.db"}
  - {name: p, kind: python}
  - {name: h, kind: http, url: "https://x"}
)",
                               told);
  ASSERT_THAT(tools, SizeIs(3));
  EXPECT_EQ(tools[0]->timeout, std::chrono::seconds(10));
  EXPECT_EQ(tools[1]->timeout, std::chrono::seconds(30));
  EXPECT_EQ(tools[2]->timeout, std::chrono::seconds(60));
  EXPECT_THAT(tools[1]->description, HasSubstr("Runs a Python 3 program"));
  EXPECT_EQ(tools[2]->description, "");
  EXPECT_EQ(to_text(tools[2]->parameters), R"({"type":"object","properties":{}})");
}

// Journals of earlier runs are found by these bytes.
TEST(ToolConfig, IsJournaledInTheSameWordsAsEver) {
  std::vector<std::string> told;
  const ToolSpecs tools = read(R"(tools:
  - {name: q, kind: sql, database: "sqlite:/a.db", max_rows: 5, timeout: 3s, description: asks}
  - {name: c, kind: command, command: [run, a], environment: {KEY: "${KEY}"}}
  - {name: h, kind: http, method: GET, url: "https://x/{id}", headers: {A: b}}
  - {name: m, kind: mcp, url: "https://y", only: [one]}
  - {name: p, kind: python, memory_mb: 64}
)",
                               told);
  std::vector<std::string> journaled;
  for (const auto& tool : tools) journaled.push_back(canonical_text(to_json(*tool)));
  EXPECT_THAT(
      journaled,
      ElementsAre(
          R"({"database":"sqlite:/a.db","kind":"sql","max_bytes":1048576,"max_rows":5,"name":"q"})",
          R"({"command":["run","a"],"environment":{"KEY":"${KEY}"},"kind":"command","name":"c"})",
          R"({"headers":{"A":"b"},"kind":"http","method":"GET","name":"h","url":"https://x/{id}"})",
          R"({"command":[],"environment":{},"headers":{},"kind":"mcp","name":"m","only":["one"],"url":"https://y"})",
          R"({"kind":"python","name":"p","python":"python3","readable":[],"sandbox":"bubblewrap"})"));
}

TEST(ToolConfig, AToolThatNoUserDeclaresIsMadeTheSameWay) {
  const auto tool = make_tool({{"name", "p"}, {"kind", "python"}});
  ASSERT_TRUE(tool) << tool.error().text();
  EXPECT_EQ((*tool)->kind, &kPythonKind);
  EXPECT_THAT(make_tool({{"name", "a b"}, {"kind", "command"}}).error().message,
              AllOf(HasSubstr("a b"), HasSubstr("command is missing")));
}

TEST(ToolKinds, HaveNamesAndKeysThatAgree) {
  std::map<std::string, KeyType> types;
  std::set<std::string_view> names;
  for (const ToolKind* kind : kToolKinds) {
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
    for (const Key& key : kind->keys()) {
      const auto [place, fresh] = types.try_emplace(key.name, key.type);
      EXPECT_EQ(place->second, key.type) << kind->name << " has another type for " << key.name;
      EXPECT_TRUE(key.default_value.is_null()) << "a default would be there for all kinds: " << key.name;
      EXPECT_TRUE(key.help.ends_with('.')) << key.name;
    }
  }
  for (const char* common : {"name", "kind", "description", "timeout"}) EXPECT_FALSE(types.contains(common));
}

TEST(ToolKinds, AreMergedIntoOneKeyThatSaysWhichKindHasWhat) {
  const Key tools = tools_key();
  const auto help = [&](std::string_view name) { return find_key(tools.keys, name)->help; };
  EXPECT_THAT(help("database"), testing::StartsWith("sql: the database"));
  EXPECT_EQ(help("url"), "http: the address, `{name}` is filled from the arguments. mcp: the server.");
  EXPECT_THAT(help("headers"), testing::StartsWith("http, mcp: headers; "));
  EXPECT_THAT(help("timeout"), HasSubstr("by default 10s for sql, 30s for python, 60s for the others."));
  EXPECT_FALSE(find_key(tools.keys, "database")->required) << "other kinds do without";
}

TEST(ToolKinds, OnlyWhatRunsHereIsBoundedByThisMachine) {
  const auto most = [](JsonObject declaration) {
    declaration["name"] = "t";
    return most_at_once(*make_tool(declaration).value());
  };
  const int here = most({{"kind", "python"}});
  EXPECT_GE(here, 2);
  EXPECT_LT(here, 10'000);
  EXPECT_EQ(most({{"kind", "command"}, {"command", "true"}}), here);
  EXPECT_EQ(most({{"kind", "sql"}, {"database", "sqlite:a.db"}}), here);
  EXPECT_EQ(most({{"kind", "http"}, {"url", "https://x"}}), std::numeric_limits<int>::max());
  EXPECT_EQ(most({{"kind", "mcp"}, {"url", "https://x"}}), std::numeric_limits<int>::max());
}

}  // namespace
}  // namespace assay
