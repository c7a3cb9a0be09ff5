#include "sim/answers/tool_user.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/answers/answer.h"
#include "sim/answers/example_answer.h"
#include "sim/answers/tool_arguments.h"
#include "tests/models/wire_fixtures.h"

namespace assay::sim {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const Json kSqlSchema =
    json(R"({"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"],
                                 "additionalProperties": false})");

Tool tickets_tool() {
  return {"query_support_tickets",
          "Runs SQL on the support database: support_ticket(ticket_id, project_id, status, created_at, "
          "priority), "
          "support_user(user_id, email).",
          kSqlSchema};
}
Tool control_tool() {
  return {"query_control_plane_data",
          "Runs SQL. CREATE TABLE projects (project_id integer, plan text, revenue numeric);", kSqlSchema};
}
Tool python_tool() {
  return {
      "execute_python_program", "Runs a Python program and gives {stdout, stderr, exitCode}.",
      json(
          R"({"type": "object", "properties": {"pythonCode": {"type": "string"}}, "required": ["pythonCode"]})")};
}

constexpr std::string_view kTask =
    "prioritize last 3 open tickets for me. first query query_support_tickets tool, then query "
    "query_control_plane_data tool. put your result in the following format:\n```json\n[{\n  \"ticket_id\": "
    "\"123\",\n  \"project_id\": \"456\",\n  \"plan\": \"x\",\n  \"priority_score\": 84.1,\n}]\n```\n";

constexpr std::string_view kTickets =
    R"({"columns": ["ticket_id", "project_id", "status"], "rows": [
        {"ticket_id": 7, "project_id": 70, "status": "open", "created_at": "2025-01-03", "priority": 1},
        {"ticket_id": 8, "project_id": 80, "status": "open", "created_at": "2025-01-02", "priority": 3},
        {"ticket_id": 9, "project_id": 70, "status": "open", "created_at": "2025-01-01", "priority": 2}]})";
constexpr std::string_view kProjects =
    R"({"rows": [{"project_id": 70, "plan": "free", "revenue": "1.5"}, {"project_id": 80, "plan": "base", "revenue": "20"}]})";

ChatRequest task(std::vector<Tool> tools, std::string text = std::string(kTask)) {
  ChatRequest request = ask(std::move(text));
  request.tools = std::move(tools);
  return request;
}

void add_results(ChatRequest& request, const Message& turn, bool fail_sql = false) {
  request.messages.push_back(turn);
  for (const ToolCall& call : turn.tool_calls) {
    Message result{.role = Role::tool, .tool_call_id = call.id};
    if (fail_sql) {
      result.text = R"({"error": "no such column: status"})";
    } else if (call.name == "execute_python_program") {
      result.text = R"({"stdout": "[]\n", "stderr": "", "exitCode": 0})";
    } else {
      result.text = call.name == "query_support_tickets" ? kTickets : kProjects;
    }
    request.messages.push_back(std::move(result));
  }
}

struct Talk {
  std::vector<std::vector<std::string>> turns;  // the tools called in each
  std::string last;
};

Talk talk(ChatRequest& request, const SimOptions& options) {
  Talk out;
  for (int turn = 0; turn < 8; ++turn) {
    const ChatReply reply = answer(request, options);
    if (reply.message.tool_calls.empty()) {
      out.last = reply.message.text;
      request.messages.push_back(reply.message);
      return out;
    }
    std::vector<std::string> names;
    for (const ToolCall& call : reply.message.tool_calls) names.push_back(call.name);
    out.turns.push_back(std::move(names));
    add_results(request, reply.message);
  }
  ADD_FAILURE() << "it never came to an end";
  return out;
}

TEST(ToolUser, CallsTheToolsThatTheUserNamesInTheirOrder) {
  int one_by_one = 0;
  int side_by_side = 0;
  int stopped = 0;
  constexpr int kTalks = 120;
  for (std::uint64_t seed = 0; seed < kTalks; ++seed) {
    ChatRequest request = task({control_tool(), tickets_tool()});
    const Talk done = talk(request, {.seed = seed});
    std::vector<std::string> all;
    for (const auto& turn : done.turns) all.insert(all.end(), turn.begin(), turn.end());
    if (all.size() < 2) {
      ++stopped;
      EXPECT_THAT(all, AnyOf(IsEmpty(), ElementsAre("query_support_tickets")));
      continue;
    }
    EXPECT_THAT(all, ElementsAre("query_support_tickets", "query_control_plane_data"));
    ++(done.turns.size() == 1 ? side_by_side : one_by_one);
    EXPECT_THAT(done.last, HasSubstr("```json"));
  }
  // Shares 0.15 to stop at each of up to two turns, 0.35 side by side: binomial around 28, 36 and 56 of 120.
  EXPECT_GT(stopped, 8);
  EXPECT_GT(side_by_side, 12);
  EXPECT_GT(one_by_one, 25);
}

TEST(ToolUser, GoesOnWhenANudgeNamesTheTools) {
  int nudged = 0;
  int went_on = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    ChatRequest request = task({tickets_tool(), control_tool()});
    const Talk first = talk(request, {.seed = seed});
    if (first.turns.empty() || first.turns.back().back() == "query_control_plane_data") continue;
    ++nudged;
    request.messages.push_back(
        {.role = Role::user, .text = "actually use the query_control_plane_data tools to get the answer"});
    const Talk second = talk(request, {.seed = seed});
    if (second.turns.empty()) continue;
    ++went_on;
    EXPECT_THAT(second.turns[0], ElementsAre("query_control_plane_data"));
    EXPECT_THAT(second.last, HasSubstr("```json")) << "the example of the first message still holds";
  }
  EXPECT_GT(nudged, 4);
  EXPECT_GT(went_on * 2, nudged) << "it stops again at times only";
}

TEST(ToolUser, MayRunAProgramOnTheRowsItHasSeen) {
  int programs = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ChatRequest request = task({tickets_tool(), control_tool(), python_tool()});
    const Talk done = talk(request, {.seed = seed});
    for (const auto& turn : done.turns)
      programs += turn == std::vector<std::string>{"execute_python_program"} ? 1 : 0;
  }
  EXPECT_GT(programs, 8);
  EXPECT_LT(programs, 40);
}

TEST(ToolUser, TriesASimplerQueryOnceAfterAnError) {
  int again = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    ChatRequest request = task({tickets_tool()}, "query_support_tickets: the last 3 open tickets");
    const ChatReply first = answer(request, {.seed = seed});
    if (first.message.tool_calls.empty()) continue;
    EXPECT_THAT(text_at(first.message.tool_calls[0].arguments, "sql"), HasSubstr("WHERE status = 'open'"));
    add_results(request, first.message, true);
    const ChatReply second = answer(request, {.seed = seed});
    if (second.message.tool_calls.empty()) continue;
    ++again;
    EXPECT_EQ(text_at(second.message.tool_calls[0].arguments, "sql"), "SELECT * FROM support_ticket LIMIT 3");
    add_results(request, second.message, true);
    EXPECT_THAT(answer(request, {.seed = seed}).message.tool_calls, IsEmpty()) << "once is enough";
  }
  EXPECT_GT(again, 15);
}

TEST(ToolUser, KeepsItsOldWaysWithoutSigns) {
  ChatRequest request = ask("Show me data like this:\n```json\n[{\"a\": 1}]\n```");
  EXPECT_THAT(answer(request, {}).message.text, testing::Not(HasSubstr("```json"))) << "no tools, no rows";
  ChatRequest forced = task({tickets_tool()});
  forced.tool_choice = {ToolChoice::Mode::named, "query_support_tickets"};
  EXPECT_THAT(text_at(answer(forced, {}).message.tool_calls.at(0).arguments, "sql"),
              testing::Not(HasSubstr("SELECT")))
      << "that is how structured answers are asked for";
  ChatRequest odd = task({{"query_support_tickets", "", Json()}}, "query_support_tickets ((((((((");
  odd.messages.push_back({.role = Role::tool, .text = "[{\"a\":", .tool_call_id = "unknown"});
  EXPECT_NO_FATAL_FAILURE(answer(odd, {}));
}

TEST(ToolUser, DependsOnSeedAndRequestAlone) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    ChatRequest a = task({tickets_tool(), control_tool(), python_tool()});
    ChatRequest b = a;
    EXPECT_EQ(talk(a, {.seed = seed}).last, talk(b, {.seed = seed}).last);
    EXPECT_EQ(a, b);
  }
}

TEST(ToolArguments, AreSqlOnATableThatCanBeSeen) {
  const auto sql = [](const Tool& tool, std::string_view question, std::string_view visible = "") {
    std::set<std::string> written;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      written.insert(write_sql(tool, {question, visible}, Chance(seed)));
    return written;
  };
  EXPECT_THAT(
      sql(tickets_tool(), "prioritize last 20 open tickets"),
      ElementsAre("SELECT * FROM support_ticket WHERE status = 'open' ORDER BY created_at DESC LIMIT 20",
                  "SELECT ticket_id, project_id, status, created_at, priority FROM support_ticket WHERE "
                  "status = 'open' ORDER BY created_at DESC LIMIT 20"));
  EXPECT_THAT(sql(control_tool(), "prioritize last 20 open tickets"),
              ElementsAre("SELECT * FROM projects", "SELECT project_id, plan, revenue FROM projects"))
      << "the limit is for tickets, and there is no status";
  Tool bare{"query_users", "Runs SQL", kSqlSchema};
  EXPECT_THAT(*sql(bare, "list them", "Tables: users(id, name), tickets(id, status)").begin(),
              StartsWith("SELECT * FROM users"));
  EXPECT_THAT(sql(bare, "list them"),
              ElementsAre("SELECT table_name, column_name FROM information_schema.columns"));
  bare.description = "Runs SQL on SQLite";
  EXPECT_THAT(*sql(bare, "list them").begin(), HasSubstr("sqlite_master"));
}

TEST(ToolArguments, AreKnownByNameAndDescription) {
  const Json schema =
      json(R"({"type": "object", "properties": {"query": {"type": "string"}, "n": {"type": "integer"}}})");
  EXPECT_EQ(argument_for({"search", "Searches the web", schema}, Language::sql), "");
  EXPECT_EQ(argument_for({"run", "Reads a table of the database", schema}, Language::sql), "query");
  EXPECT_EQ(argument_for(python_tool(), Language::python), "pythonCode");
  EXPECT_EQ(language_of({"decode", "Reads a postal code", Json()}, "code"), Language::none);
}

// Runs the program as a tool would, and gives what it prints.
std::string run_python(const std::string& program) {
  const auto path = std::filesystem::temp_directory_path() / "assay_tool_user_test.py";
  std::ofstream(path) << program;
  std::FILE* pipe = popen(("python3 " + path.string() + " 2>&1").c_str(), "r");
  std::string printed;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) printed += buffer.data();
  pclose(pipe);
  std::filesystem::remove(path);
  return printed;
}

TEST(ToolArguments, ArePythonThatRuns) {
  const auto table = table_in(
      "t", json(R"([{"name": "it's '''odd''' \\ \"x\"", "score": "2.5"}, {"name": "ü\n", "score": null},
                                           {"name": "c", "score": "7"}])"));
  const std::string program = write_python({"top 2 by score", "", &*table}, Chance(1));
  const Json printed = json(run_python(program));
  ASSERT_EQ(printed.as_array().size(), 2U) << program;
  EXPECT_EQ(printed.at(0).at("name"), "c");
  EXPECT_EQ(printed.at(1), table->rows[0]);
  const auto plain = table_in("t", json(R"([{"a": "x\ny"}])"));
  EXPECT_EQ(json(run_python(write_python({"", "", &*plain}, Chance(1)))), json(R"([{"a": "x\ny"}])"));
  EXPECT_EQ(run_python(write_python({"", "", nullptr}, Chance(1))), "[]\n");
}

TEST(ExampleAnswer, HasTheFormOfTheExampleAndTheRowsOfTheTools) {
  const std::vector<Table> tables{*table_in_text("query_support_tickets", kTickets),
                                  *table_in_text("query_control_plane_data", kProjects)};
  const auto example = example_in(kTask);
  ASSERT_TRUE(example) << "the trailing comma is forgiven";
  const Json filled = fill_example(*example, tables, without_fences(kTask), 0, Chance(3));
  ASSERT_EQ(filled.as_array().size(), 3U);
  std::set<std::string> ids;
  double before = 1e9;
  for (const Json& row : filled.as_array()) {
    ids.insert(text_at(row, "ticket_id"));
    EXPECT_EQ(text_at(row, "plan"), text_at(row, "project_id") == "80" ? "base" : "free")
        << "through the key";
    EXPECT_LE(row.at("priority_score").as_double(), before) << "sorted by what the example has as a number";
    before = row.at("priority_score").as_double();
  }
  EXPECT_THAT(ids, ElementsAre("7", "8", "9")) << "as text, like the example";
}

TEST(ExampleAnswer, MatchesFieldsByNameAndTable) {
  const std::vector<Table> tables{
      *table_in("query_support_tickets", json(R"([{"id": 3, "createdAt": "d", "cost": "1.5"}])"))};
  EXPECT_EQ(to_text(fill_example(json(R"([{"ticket_id": 1, "created_at": "", "cost": 2.0}])"), tables, "", 0,
                                 Chance(1))),
            R"([{"ticket_id":3,"created_at":"d","cost":1.5}])");
  EXPECT_EQ(to_text(fill_example(json(R"(["1"])"), tables, "", 0, Chance(1))), R"(["3"])");
}

TEST(ExampleAnswer, GivesOneNumberWhereTheExampleIsOne) {
  const std::vector<Table> tables{*table_in("t", json(R"([{"hours": 1, "id": 1}, {"hours": 4, "id": 2}])"))};
  EXPECT_EQ(to_text(fill_example(json("12.5"), tables, "the average time", 0, Chance(1))), "2.5");
  EXPECT_EQ(to_text(fill_example(json("3"), tables, "how many are there", 0, Chance(1))), "2");
  EXPECT_EQ(to_text(fill_example(json(R"({"average_hours": 1.5})"), tables, "", 0, Chance(1))),
            R"({"average_hours":2.5})");
  ChatRequest request = task({tickets_tool()}, "What is the average priority? Answer with a number.");
  request.messages.push_back(
      {.role = Role::assistant, .tool_calls = {{"c", "query_support_tickets", JsonObject{}, {}}}});
  request.messages.push_back({.role = Role::tool, .text = std::string(kTickets), .tool_call_id = "c"});
  EXPECT_EQ(answer(request, {}).message.text, "The answer is 2.");
}

TEST(ExampleAnswer, IsInventedWhereNothingWasLookedUp) {
  const Json filled = fill_example(*example_in(kTask), {}, "", 0, Chance(1));
  ASSERT_FALSE(filled.as_array().empty());
  EXPECT_TRUE(filled.at(0).at("ticket_id").is_string());
  EXPECT_TRUE(filled.at(0).at("priority_score").is_double());
}

TEST(ExampleAnswer, IsWrittenAsCarelesslyAsModelsWrite) {
  int strict = 0;
  int careless = 0;
  const Json value = json(R"([{"a": 1}, {"a": 2}])");
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string text = written_answer(value, Chance(seed));
    const auto found = example_in(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(*found, value) << text;
    const std::size_t from = text.find("```json") + 7;
    ++(parse_json(text.substr(from, text.rfind("```") - from)) ? strict : careless);
  }
  // 0.2 of 200: mean 40, standard deviation 5.7.
  EXPECT_GT(careless, 15);
  EXPECT_GT(strict, 120);
  EXPECT_THAT(written_answer(json("2.5"), Chance(1)), HasSubstr("```json\n2.5\n```"));
}

TEST(ExampleAnswer, IsFoundInTheLastFence) {
  EXPECT_EQ(to_text(*example_in("```json\n1\n``` and ```json\n[2,]\n```")), "[2]");
  EXPECT_EQ(to_text(*example_in("```json\n[{\"a\": 1}]")), R"([{"a":1}])");
  EXPECT_FALSE(example_in("no fence"));
  EXPECT_FALSE(example_in("```json\n```"));
  EXPECT_EQ(without_fences("a ```json\nb\n``` c"), "a  c");
  EXPECT_EQ(without_fences("a ``` b"), "a ");
}

}  // namespace
}  // namespace assay::sim
