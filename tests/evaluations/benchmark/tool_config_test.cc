#include "evaluations/benchmark/tool_config.h"

#include <filesystem>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/yaml.h"

namespace assay::benchmark {
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
  ToolSpecs tools = read_task_tools(*document, file, problems);
  for (const ConfigProblem& problem : problems)
    told.push_back(problem.where + ": " + problem.key + ": " + problem.text);
  return tools;
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
  EXPECT_EQ(std::get<SqlTool>(tools[0]->kind).max_rows, 5U);
  EXPECT_EQ(tools[0]->timeout, std::chrono::seconds(3));
  EXPECT_THAT(std::get<CommandTool>(tools[1]->kind).command, ElementsAre("/somewhere/run.sh", "a"))
      << "a path belongs to the file that names it";
  EXPECT_EQ(std::get<HttpTool>(tools[2]->kind).method, "GET");
  EXPECT_THAT(std::get<McpTools>(tools[3]->kind).only, ElementsAre("one"));
  const PythonTool& python = std::get<PythonTool>(tools[4]->kind);
  EXPECT_EQ(python.sandbox, Sandbox::none);
  EXPECT_EQ(python.limits.memory, std::size_t{64} << 20);
  EXPECT_EQ(python.limits.cpu, std::chrono::seconds(2));
  // What identifies a tool holds the names of secrets, never secrets.
  EXPECT_THAT(to_text(to_json(*tools[1])), HasSubstr("${KEY}"));
  EXPECT_EQ(to_text(to_json(*tools[0])).find("DB_USER"), std::string::npos);
}

TEST(ToolConfig, ASqliteFileBelongsToTheFileThatNamesIt) {
  std::vector<std::string> told;
  const ToolSpecs tools =
      read("tools: [{name: q, kind: sql, database: \"sqlite:a.db\"}]", told, "/somewhere/task.yaml");
  ASSERT_THAT(tools, SizeIs(1));
  EXPECT_EQ(std::get<SqlTool>(tools[0]->kind).database, "sqlite:/somewhere/a.db");
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

TEST(ToolConfig, ThePythonToolOfTheSystemIsSandboxed) {
  const auto tool = default_python_tool();
  EXPECT_EQ(tool->name, "execute_python_program");
  EXPECT_EQ(std::get<PythonTool>(tool->kind).sandbox, Sandbox::bubblewrap);
}

}  // namespace
}  // namespace assay::benchmark
