#include "sim/protocols/promptql.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/providers/promptql.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "sim/server.h"
#include "tests/models/wire_fixtures.h"

namespace assay::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kQuestion =
    "prioritize last 3 open tickets for me\nput the result in a artifact with identifier "
    "'prioritized_support_tickets'";

PromptqlSettings settings_with_data(std::string url = "sim") {
  PromptqlSettings settings;
  settings.url = std::move(url);
  settings.ddn = json(R"({"url": "https://data.example.org/v1/sql"})").as_object();
  settings.artifacts = json(R"([
    {"identifier": "users", "title": "Users", "artifact_type": "table", "data": [{"user_id": 1, "plan": "free"}]},
    {"identifier": "support_tickets", "title": "Support tickets", "artifact_type": "table", "data": [
      {"ticket_id": 1, "status": "open", "created_at": "2025-01-01", "priority": 5},
      {"ticket_id": 2, "status": "open", "created_at": "2025-01-05", "priority": 1},
      {"ticket_id": 3, "status": "closed", "created_at": "2025-01-06", "priority": 9},
      {"ticket_id": 4, "status": "open", "created_at": "2025-01-04", "priority": 3},
      {"ticket_id": 5, "status": "open", "created_at": "2025-01-03", "priority": 2}]}])")
                           .as_array();
  return settings;
}

Json body_of(std::string_view question, const PromptqlSettings& settings = settings_with_data()) {
  return promptql_query(settings, {.provider = "sim", .name = "any"}, question).body;
}

const Json& last_artifact(const Json& reply) {
  return reply.at("modified_artifacts").as_array().back();
}

TEST(SimPromptql, AnswersFromTheTableThatTheQuestionSpeaksOf) {
  const Json reply = promptql_reply(body_of(kQuestion), {.seed = 1, .noise = 0});
  const Json& artifact = last_artifact(reply);
  EXPECT_EQ(artifact.at("identifier"), "prioritized_support_tickets");
  EXPECT_EQ(artifact.at("artifact_type"), "table");
  // Open, of those the newest three, ordered by the only number.
  EXPECT_EQ(to_text(artifact.at("data")),
            R"([{"ticket_id":4,"status":"open","created_at":"2025-01-04","priority":3},)"
            R"({"ticket_id":5,"status":"open","created_at":"2025-01-03","priority":2},)"
            R"({"ticket_id":2,"status":"open","created_at":"2025-01-05","priority":1}])");
  ASSERT_EQ(reply.at("assistant_actions").as_array().size(), 2U);
  EXPECT_TRUE(reply.at("assistant_actions").at(0).at("plan").is_string());
  EXPECT_TRUE(reply.at("assistant_actions").at(0).at("code_output").is_string());
  EXPECT_THAT(text_at(reply.at("assistant_actions").at(1), "message"),
              HasSubstr("<artifact identifier='prioritized_support_tickets' />"));
  EXPECT_EQ(text_at(reply, "thread_id").size(), 36U);
}

TEST(SimPromptql, KeepsToTheColumnsThatAreNamed) {
  const Json reply =
      promptql_reply(body_of("ticket_id and priority of the top 1 ticket, as artifact 'x'"), {.noise = 0});
  EXPECT_EQ(to_text(last_artifact(reply).at("data")), R"([{"ticket_id":3,"priority":9}])");
}

TEST(SimPromptql, ComputesOneNumberWhereOneIsAskedFor) {
  Json reply = promptql_reply(body_of("average priority of open tickets"), {.noise = 0});
  EXPECT_EQ(to_text(last_artifact(reply).at("data")), R"([{"average":2.75}])");
  reply = promptql_reply(body_of("how many tickets are closed?"), {.noise = 0});
  EXPECT_EQ(to_text(last_artifact(reply).at("data")), R"([{"count":1}])");
}

TEST(SimPromptql, MakesRowsUpWithoutData) {
  PromptqlSettings bare;
  const Json reply = promptql_reply(body_of(kQuestion, bare), {});
  EXPECT_EQ(last_artifact(reply).at("identifier"), "prioritized_support_tickets");
  EXPECT_EQ(last_artifact(reply).at("data").as_array().size(), 3U) << "no more than were asked for";
  EXPECT_TRUE(promptql_reply(Json(), {}).is_object());
  EXPECT_TRUE(
      promptql_reply(json(R"({"interactions": [1], "artifacts": [{"data": 3}, 4]})"), {}).is_object());
}

TEST(SimPromptql, DependsOnSeedAndWhatIsSeenAlone) {
  Json body = body_of(kQuestion);
  const Json once = promptql_reply(body, {.seed = 5, .noise = 0.4});
  EXPECT_EQ(once, promptql_reply(body, {.seed = 5, .noise = 0.4}));
  body.as_object()["llm"].as_object()["api_key"] = "secret";
  body.as_object()["promptql_api_key"] = "secret";
  EXPECT_EQ(once, promptql_reply(body, {.seed = 5, .noise = 0.4})) << "a key decides nothing";
  std::set<std::string> answers;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    answers.insert(to_text(last_artifact(promptql_reply(body, {.seed = seed, .noise = 0.4})).at("data")));
  }
  EXPECT_GT(answers.size(), 3U);
}

TEST(SimPromptql, FindsTheIdentifierInTheMessage) {
  EXPECT_EQ(wanted_identifier("… artifact with identifier 'a_b'"), "a_b");
  EXPECT_EQ(wanted_identifier("the artifact's Identifier is \"open-tickets\"."), "open-tickets");
  EXPECT_EQ(wanted_identifier("an artifact named `top`"), "top");
  EXPECT_EQ(wanted_identifier("store it as artifact open_tickets."), "open_tickets");
  EXPECT_EQ(wanted_identifier("put 'it' into an artifact"), "it");
  EXPECT_EQ(wanted_identifier("don't bother"), "result");
  EXPECT_EQ(wanted_identifier(""), "result");
}

std::vector<std::string> problems(const Json& body) {
  std::vector<std::string> found;
  for (const Json& problem : promptql_problems(body)) {
    found.push_back(to_text(problem.at("loc")) + " " + text_at(problem, "msg"));
  }
  return found;
}

TEST(SimPromptql, TakesWhatTheClientSends) {
  EXPECT_THAT(problems(body_of(kQuestion)), IsEmpty());
  PromptqlSettings second = settings_with_data();
  second.version = "v2";
  second.ddn = json(R"({"build_id": "b", "headers": {"x": "y"}})").as_object();
  EXPECT_THAT(problems(body_of(kQuestion, second)), IsEmpty());
}

TEST(SimPromptql, RefusesWhatTheRealServiceRefuses) {
  EXPECT_THAT(problems(Json()), ElementsAre("[\"body\"] Input should be a valid dictionary"));
  EXPECT_THAT(problems(json("{}")), ElementsAre("[\"body\",\"version\"] Field required"));
  EXPECT_THAT(problems(json(R"({"version": "v3"})")), ElementsAre(HasSubstr("Input should be 'v1' or 'v2'")));
  EXPECT_THAT(
      problems(json(R"({"version": "v1", "llm": {"provider": "openai"}, "ddn": {}, "extra": 1,
                               "artifacts": [{"identifier": "a"}], "stream": "no",
                               "interactions": [{"user_message": {}}]})")),
      ElementsAre(R"(["body","extra"] Extra inputs are not permitted)",
                  R"(["body","llm","api_key"] Field required)", R"(["body","ddn","url"] Field required)",
                  R"(["body","artifacts",0,"title"] Field required)",
                  R"(["body","artifacts",0,"artifact_type"] Field required)",
                  R"(["body","artifacts",0,"data"] Field required)", R"(["body","timezone"] Field required)",
                  R"(["body","interactions",0,"user_message","text"] Field required)",
                  R"(["body","stream"] Input should be a valid boolean)"));
  EXPECT_THAT(problems(json(R"({"version": "v2", "ddn": {"build_id": "a", "build_version": "b"}, "llm": {},
                               "timezone": "", "interactions": [], "stream": true})")),
              ElementsAre(HasSubstr("\"llm\"] Extra"), HasSubstr("only one of build_id and build_version"),
                          HasSubstr("time zone"), HasSubstr("at least 1"),
                          HasSubstr("only stream: false is simulated")));
}

class SimPromptqlServer : public testing::Test {
 protected:
  void start(SimServerOptions options = {}) {
    auto started = start_sim(std::move(options));
    ASSERT_TRUE(started) << started.error().text();
    server_ = std::move(*started);
  }
  std::expected<Json, ModelFailure> ask(std::string_view question = kQuestion,
                                        std::string_view path = "/query", std::string key = "") {
    const PromptqlQuery query = promptql_query(settings_with_data(server_->url() + std::string(path)),
                                               {.provider = "sim", .name = "any"}, question);
    const Environment environment = [&](std::string_view) {
      return key.empty() ? std::nullopt : std::optional<std::string>(key);
    };
    return loop_.run_until_done(query_promptql(client_, query, environment));
  }

  EventLoop loop_;
  HttpClient client_{loop_, {}};
  std::unique_ptr<SimServer> server_;
};

TEST_F(SimPromptqlServer, AnswersTheClientAsInProcess) {
  SimServerOptions options;
  options.seed = 4;
  start(options);
  Json expected = promptql_reply(body_of(kQuestion), {.seed = 4});
  sign_promptql(expected);
  for (const char* path : {"/query", "/api/query"}) {
    const auto reply = ask(kQuestion, path);
    ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
    EXPECT_EQ(*reply, expected);
  }
  EXPECT_EQ(to_text(server_->stats().at("requests").at("by_route")), R"({"POST /query":{"200":2}})");
  EXPECT_GT(server_->stats().at("tokens").at("prompt").as_uint64(), 0U);
}

TEST_F(SimPromptqlServer, RefusesInTheFormOfTheService) {
  SimServerOptions options;
  options.require_key = "right-key-123";
  start(options);
  EXPECT_EQ(ask().error().error.kind, ErrorKind::auth);
  EXPECT_TRUE(ask(kQuestion, "/query", "right-key-123").has_value());
  start();
  HttpRequest request;
  request.method = "POST";
  request.url = server_->url() + "/query";
  request.body = "{";
  auto response = loop_.run_until_done(client_.send(request));
  EXPECT_EQ(response->status, 422);
  EXPECT_EQ(response->body,
            R"({"detail":[{"loc":["body"],"msg":"JSON decode error","type":"json_invalid"}]})");
  request.body = R"({"version": "v2"})";
  EXPECT_THAT(loop_.run_until_done(client_.send(request))->body, HasSubstr(R"("loc":["body","timezone"])"));
  request.method = "GET";
  response = loop_.run_until_done(client_.send(request));
  EXPECT_EQ(response->status, 405);
  EXPECT_THAT(response->body, testing::StartsWith(R"({"error":")"));
}

TEST_F(SimPromptqlServer, FollowsItsScript) {
  const auto path = std::filesystem::temp_directory_path() / "assay_sim_promptql_script.jsonl";
  std::ofstream(path) << R"({"match": "alpha", "reply": {"json": {"modified_artifacts": [], "note": 1}}})"
                      << "\n"
                      << R"({"match": "beta", "reply": {"text": "Said."}})" << "\n"
                      << R"({"match": "gamma", "times": 1, "reply": {"error": {"status": 503}}})" << "\n"
                      << R"({"match": "delta", "reply": {"fault": "wrong_schema"}})" << "\n"
                      << R"({"match": "epsilon", "reply": {"fault": "drop"}})" << "\n"
                      << R"({"match": "zeta", "reply": {"tool_calls": [{"name": "x"}]}})" << "\n"
                      << R"({"match": "theta", "reply": {"fault": "length"}})" << "\n";
  SimServerOptions options;
  options.script = path.string();
  start(options);
  std::filesystem::remove(path);
  EXPECT_EQ(to_text(*ask("alpha")), R"({"modified_artifacts":[],"note":1,"model":"sim/promptql"})");
  EXPECT_EQ(ask("beta")->at("assistant_actions").at(0).at("message"), "Said.");
  EXPECT_EQ(ask("gamma").error().error.kind, ErrorKind::overloaded);
  EXPECT_TRUE(ask("gamma").has_value());
  EXPECT_EQ(ask("delta").error().error.kind, ErrorKind::schema);
  EXPECT_EQ(ask("epsilon").error().error.kind, ErrorKind::network);
  EXPECT_EQ(ask("zeta").error().error.kind, ErrorKind::overloaded);
  const auto planned = ask("theta");
  EXPECT_THAT(planned->at("modified_artifacts").as_array(), IsEmpty());
  EXPECT_EQ(planned->at("assistant_actions").as_array().size(), 1U);
  EXPECT_TRUE(ask().has_value()) << "without a rule the built-in answer";
  EXPECT_EQ(server_->stats().at("faults").at("wrong_schema"), 1);
}

TEST_F(SimPromptqlServer, HasTheSameFaultsAsTheOthers) {
  SimServerOptions options;
  options.rate_429 = 0.25;
  options.rate_malformed = 0.25;
  options.rate_wrong_schema = 0.25;
  options.retry_after = 0.5;
  start(options);
  std::set<ErrorKind> kinds;
  for (int i = 0; i < 40; ++i) {
    const auto reply = ask();
    if (reply) continue;
    kinds.insert(reply.error().error.kind);
    if (reply.error().error.kind == ErrorKind::rate_limited) {
      EXPECT_EQ(reply.error().retry_after, std::chrono::milliseconds(500));
    }
  }
  EXPECT_THAT(kinds,
              testing::UnorderedElementsAre(ErrorKind::rate_limited, ErrorKind::network, ErrorKind::schema));
}

}  // namespace
}  // namespace assay::sim
