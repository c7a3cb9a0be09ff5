// PromptQL's bodies by themselves, and the client against a real server on loopback.
#include "models/providers/promptql.h"

#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/http_server.h"
#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr std::string_view kServiceKey = "pql-0123456789-service";
constexpr std::string_view kModelKey = "llm-abcdefghij-model";
constexpr std::string_view kDataToken = "ddn-klmnopqrst-token";

const Environment kEnvironment = [](std::string_view name) -> std::optional<std::string> {
  if (name == "PROMPTQL_API_KEY") return std::string(kServiceKey) + "\n";
  if (name == "ANTHROPIC_API_KEY" || name == "MY_LLM") return std::string(kModelKey);
  if (name == "DDN_TOKEN") return std::string(kDataToken);
  return std::nullopt;
};

JsonObject object(std::string_view text) {
  return json(text).as_object();
}

PromptqlSettings first() {
  PromptqlSettings settings;
  settings.ddn = object(R"({"url": "https://p.ddn.hasura.app/v1/sql",
                            "headers": {"x-token": "Bearer ${DDN_TOKEN}", "x-role": "admin"}})");
  return settings;
}

const ModelSpec kClaude{.provider = "anthropic", .name = "claude-3-7-sonnet"};
const ModelSpec kSim{.provider = "sim", .name = "any"};

TEST(Promptql, WritesABodyOfTheFirstVersion) {
  PromptqlSettings settings = first();
  settings.timezone = "America/Los_Angeles";
  settings.system_instructions = "Sort with cmp_to_key.";
  settings.artifacts =
      json(R"([{"identifier": "t", "title": "T", "artifact_type": "text", "data": "x"}])").as_array();
  const PromptqlQuery query = promptql_query(settings, kClaude, "last 20 ${DDN_TOKEN}");
  // Fields and forms: reference/benchmark.md, section 9.
  EXPECT_EQ(
      to_text(query.body),
      R"({"version":"v1","llm":{"provider":"anthropic","model":"claude-3-7-sonnet"},)"
      R"("ddn":{"url":"https://p.ddn.hasura.app/v1/sql","headers":{"x-token":"Bearer ${DDN_TOKEN}","x-role":"admin"}},)"
      R"("artifacts":[{"identifier":"t","title":"T","artifact_type":"text","data":"x"}],)"
      R"("system_instructions":"Sort with cmp_to_key.","timezone":"America/Los_Angeles",)"
      R"("interactions":[{"user_message":{"text":"last 20 ${DDN_TOKEN}"}}],"stream":false})");
  EXPECT_THAT(query.body_keys, ElementsAre(std::pair("/llm/api_key", "ANTHROPIC_API_KEY")));
  EXPECT_EQ(query.url, "https://api.promptql.pro.hasura.io/query");
  EXPECT_EQ(query.timeout, 600s);
}

TEST(Promptql, NamesTheModelThatAnswers) {
  ModelSpec own{
      .provider = "openai", .name = "qwen", .base_url = "http://10.0.0.1/v1", .api_key_env = "MY_LLM"};
  const PromptqlQuery query = promptql_query(first(), own, "q");
  EXPECT_EQ(to_text(query.body.at("llm")),
            R"({"provider":"openai","model":"qwen","base_url":"http://10.0.0.1/v1"})");
  EXPECT_THAT(query.body_keys, ElementsAre(std::pair("/llm/api_key", "MY_LLM")));
  const PromptqlQuery service = promptql_query(first(), kSim, "q");
  EXPECT_EQ(to_text(service.body.at("llm")), R"({"provider":"hasura"})");
  EXPECT_THAT(service.body_keys, IsEmpty());
}

TEST(Promptql, NamesAnotherModelForItsPrimitives) {
  PromptqlSettings settings = first();
  settings.ai_primitives = ModelSpec{.provider = "openai", .name = "gpt-4o", .api_key_env = "MY_LLM"};
  const PromptqlQuery query = promptql_query(settings, kClaude, "q");
  EXPECT_EQ(to_text(query.body.at("ai_primitives_llm")), R"({"provider":"openai","model":"gpt-4o"})");
  EXPECT_THAT(query.body_keys, ElementsAre(std::pair("/llm/api_key", "ANTHROPIC_API_KEY"),
                                           std::pair("/ai_primitives_llm/api_key", "MY_LLM")));
  settings.version = "v2";
  settings.ddn = {};
  EXPECT_THAT(problems_of(settings), ElementsAre(HasSubstr("ai_primitives_llm: v2 takes none")));
}

TEST(Promptql, ASecondInteractionHoldsWhatWasReplied) {
  const PromptqlQuery query = confirming_query(
      promptql_query(first(), kSim, "q"),
      json(R"({"assistant_actions":[{"message":"shall I?"}],"modified_artifacts":[{"identifier":"draft"}]})"),
      "do it");
  EXPECT_EQ(to_text(query.body.at("interactions")),
            R"([{"user_message":{"text":"q"},"assistant_actions":[{"message":"shall I?"}]},)"
            R"({"user_message":{"text":"do it"}}])");
  EXPECT_EQ(to_text(query.body.at("artifacts")), R"([{"identifier":"draft"}])");
}

TEST(Promptql, WritesABodyOfTheSecondVersionWithoutModel) {
  PromptqlSettings settings;
  settings.version = "v2";
  settings.ddn = object(R"({"build_version": "b1"})");
  const PromptqlQuery query = promptql_query(settings, kClaude, "q");
  EXPECT_EQ(to_text(query.body), R"({"version":"v2","ddn":{"build_version":"b1"},"timezone":"UTC",)"
                                 R"("interactions":[{"user_message":{"text":"q"}}],"stream":false})");
  EXPECT_THAT(query.body_keys, IsEmpty());
}

TEST(Promptql, IsIdentifiedWithoutSecrets) {
  const Json known = to_json(promptql_query(first(), kClaude, "q"));
  EXPECT_EQ(known.at("url"), "https://api.promptql.pro.hasura.io/query");
  EXPECT_EQ(to_text(known.at("keys")),
            R"({"Authorization":"PROMPTQL_API_KEY","/llm/api_key":"ANTHROPIC_API_KEY"})");
  EXPECT_EQ(known.at("body").at("ddn").at("headers").at("x-token"), "Bearer ${DDN_TOKEN}");
  EXPECT_NE(known, to_json(promptql_query(first(), kClaude, "another")));
}

TEST(PromptqlSettings, AreToldAllTheirProblems) {
  EXPECT_THAT(problems_of(first()), IsEmpty());
  EXPECT_THAT(problems_of({}), ElementsAre(HasSubstr("ddn.url: missing")));
  PromptqlSettings sim;
  sim.url = "sim";
  EXPECT_THAT(problems_of(sim), IsEmpty()) << "the simulator needs no data";

  PromptqlSettings bad;
  bad.url = "ftp://user:pw@host";
  bad.version = "v3";
  bad.api_key_env = "MY KEY";
  bad.timezone = "";
  bad.timeout = 0s;
  bad.ddn = object(R"({"headers": {"a b": "x", "c": 1}})");
  bad.artifacts = json(R"([1, {"identifier": "a", "title": "A", "artifact_type": "chart"},
                           {"identifier": "a", "artifact_type": "table", "data": [1]}])")
                      .as_array();
  EXPECT_THAT(problems_of(bad),
              ElementsAre(HasSubstr("url: expected sim"), HasSubstr("version: found \"v3\""),
                          HasSubstr("api_key_env"), HasSubstr("timezone: it is empty"), HasSubstr("timeout"),
                          HasSubstr("\"a b\" is not the name"), HasSubstr("ddn.headers.c: expected text"),
                          HasSubstr("artifacts[0]"), HasSubstr("artifacts[1].artifact_type"),
                          HasSubstr("\"a\" is there twice"), HasSubstr("artifacts[2].title"),
                          HasSubstr("artifacts[2].data: expected a list of objects")));
  for (const std::string& problem : problems_of(bad)) EXPECT_THAT(problem, Not(HasSubstr("pw")));
}

TEST(PromptqlSettings, KeepTheVersionsApart) {
  PromptqlSettings second;
  second.version = "v2";
  EXPECT_THAT(problems_of(second), IsEmpty()) << "without a build the applied one answers";
  second.ddn = object(R"({"build_id": "a", "build_version": "b"})");
  EXPECT_THAT(problems_of(second), ElementsAre(HasSubstr("exclude each other")));
  second.ddn = object(R"({"url": "https://h/v1/sql"})");
  second.system_instructions = "x";
  EXPECT_THAT(problems_of(second),
              UnorderedElementsAre(HasSubstr("ddn.url: v2 takes"), HasSubstr("system_instructions")));
  PromptqlSettings one = first();
  one.ddn["build_id"] = "a";
  EXPECT_THAT(problems_of(one), ElementsAre(HasSubstr("ddn.build_id: v1 takes url, headers")));
  one = first();
  one.ddn["url"] = "${DDN_URL}";
  EXPECT_THAT(problems_of(one), IsEmpty());
  one.ddn["url"] = "nowhere";
  EXPECT_THAT(problems_of(one), ElementsAre(HasSubstr("ddn.url: expected a URL")));
  one = first();
  one.url = "https://me:secret@host/query";
  EXPECT_THAT(problems_of(one), ElementsAre(HasSubstr("user name or password")));
}

class PromptqlService : public testing::Test {
 protected:
  using Answer = std::function<void(const std::shared_ptr<Responder>&)>;

  void serve(Answer answer) {
    auto server =
        HttpServer::start({}, [this, answer = std::move(answer)](const ServerRequest& request,
                                                                 const std::shared_ptr<Responder>& to) {
          {
            const std::lock_guard lock(mutex_);
            requests_.push_back(request);
          }
          answer(to);
        });
    ASSERT_TRUE(server.has_value()) << server.error().text();
    server_ = std::move(*server);
  }
  void serve(int status, const std::string& body, const Headers& headers = {}) {
    serve([=](const std::shared_ptr<Responder>& to) { to->send(status, headers, body); });
  }

  PromptqlQuery query() const {
    PromptqlSettings settings = first();
    settings.url = "http://127.0.0.1:" + std::to_string(server_ ? server_->port() : 1) + "/query";
    settings.timeout = 10s;
    return promptql_query(settings, kClaude, "prioritize");
  }

  std::expected<Json, ModelFailure> ask(const PromptqlQuery& asked,
                                        const Environment& environment = kEnvironment) {
    auto reply = loop_.run_until_done(query_promptql(client_, asked, environment));
    if (!reply) {
      for (const std::string_view secret : {kServiceKey, kModelKey, kDataToken}) {
        EXPECT_THAT(reply.error().error.text(), Not(HasSubstr(std::string(secret.substr(0, 8)))));
        EXPECT_THAT(reply.error().error.text(),
                    Not(HasSubstr(std::string(secret.substr(secret.size() - 8)))));
      }
    }
    return reply;
  }
  std::expected<Json, ModelFailure> ask() { return ask(query()); }

  EventLoop loop_;
  HttpClient client_{loop_, {}};
  std::mutex mutex_;
  std::vector<ServerRequest> requests_;
  std::unique_ptr<HttpServer> server_;  // last, so that its threads end before what they write to
};

constexpr std::string_view kReply = R"({"assistant_actions": [{"message": "Done."}], "modified_artifacts": [
    {"identifier": "a", "title": "A", "artifact_type": "table", "data": [{"id": 1}]}]})";

TEST_F(PromptqlService, IsAskedWithEverySecretFilledIn) {
  serve(200, std::string(kReply));
  const auto reply = ask();
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->at("modified_artifacts").at(0).at("identifier"), "a");
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_[0].method, "POST");
  EXPECT_EQ(requests_[0].path, "/query");
  EXPECT_EQ(*requests_[0].headers.find("authorization"), "Bearer " + std::string(kServiceKey));
  EXPECT_EQ(*requests_[0].headers.find("content-type"), "application/json");
  const Json body = json(requests_[0].body);
  EXPECT_EQ(text_at(body.at("llm"), "api_key"), kModelKey);
  EXPECT_EQ(text_at(body.at("ddn").at("headers"), "x-token"), "Bearer " + std::string(kDataToken));
  EXPECT_EQ(body.at("interactions").at(0).at("user_message").at("text"), "prioritize");
}

TEST_F(PromptqlService, TakesAReplyWithEitherList) {
  serve(200, R"({"assistant_actions": null, "modified_artifacts": []})");
  EXPECT_TRUE(ask().has_value());
  serve(200, R"({"thread_id": "x", "assistant_actions": []})");
  EXPECT_TRUE(ask().has_value());
}

TEST_F(PromptqlService, SendsNothingWithoutItsKeys) {
  serve(200, std::string(kReply));
  const auto missing = [&](std::string_view gone, const PromptqlQuery& asked) {
    const Environment lacking = [gone](std::string_view name) {
      return name == gone ? std::nullopt : kEnvironment(name);
    };
    const auto reply = ask(asked, lacking);
    EXPECT_FALSE(reply.has_value());
    if (reply) return;
    EXPECT_EQ(reply.error().error.kind, ErrorKind::auth);
    EXPECT_THAT(reply.error().error.text(), HasSubstr(std::string(gone)));
  };
  missing("DDN_TOKEN", query());
  missing("ANTHROPIC_API_KEY", query());
  PromptqlQuery named = query();
  named.api_key_env = "MY_LLM";
  missing("MY_LLM", named);
  PromptqlQuery own = query();
  own.url = "https://promptql.ddn.hasura.app/api/query";
  missing("PROMPTQL_API_KEY", own);
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(PromptqlService, NeedsNoKeyElsewhere) {
  serve(200, std::string(kReply));
  const Environment lacking = [](std::string_view name) {
    return name == "PROMPTQL_API_KEY" ? std::nullopt : kEnvironment(name);
  };
  EXPECT_TRUE(ask(query(), lacking).has_value());
  EXPECT_EQ(requests_.at(0).headers.find("authorization"), nullptr);
  PromptqlQuery none = query();
  none.api_key_env = "";
  EXPECT_TRUE(ask(none).has_value());
  EXPECT_EQ(requests_.at(1).headers.find("authorization"), nullptr);
  const Environment split = [](std::string_view) { return std::optional<std::string>("abcd\r\nX-Evil: 1"); };
  const auto odd = ask(query(), split);
  ASSERT_FALSE(odd.has_value());
  EXPECT_EQ(odd.error().error.kind, ErrorKind::config);
  EXPECT_THAT(odd.error().error.text(), Not(HasSubstr("Evil")));
}

TEST_F(PromptqlService, MapsFailuresToTheirKind) {
  const std::string leak =
      std::string(kServiceKey) + " " + std::string(kModelKey) + " " + std::string(kDataToken);
  struct Case {
    int status;
    std::string body;
    ErrorKind kind;
    std::string words;
  };
  const std::vector<Case> cases{
      {422, R"({"detail":[{"loc":["body","timezone"],"msg":"Field required","type":"missing"}]})",
       ErrorKind::rejected, "HTTP 422 from 127.0.0.1"},
      {422, R"({"detail":[{"loc":["body","timezone"],"msg":"Field required","type":"missing"}]})",
       ErrorKind::rejected, "timezone: Field required"},
      {401, R"({"error":"bad key )" + leak + R"("})", ErrorKind::auth, "check PROMPTQL_API_KEY"},
      {403, R"({"detail":"not for you"})", ErrorKind::auth, "not for you"},
      {404, "", ErrorKind::rejected, "HTTP 404"},
      {429, R"({"error":"slow down"})", ErrorKind::rate_limited, "slow down"},
      {500, R"({"error":"it broke at )" + leak + R"("})", ErrorKind::overloaded, "it broke"},
      {500, std::string(280, 'x') + leak, ErrorKind::overloaded, "xxx"},
      {502, "<html>Bad gateway</html>", ErrorKind::overloaded, "Bad gateway"},
      {200, R"({"assistant_actions": [)" + leak, ErrorKind::network, "not complete JSON"},
      {200, "", ErrorKind::network, "empty"},
      {200, R"({"error":"it broke )" + leak + R"("})", ErrorKind::overloaded, "it broke"},
      {200, R"({"answer": ")" + leak + R"("})", ErrorKind::schema, "neither assistant_actions nor"},
      {200, R"([])", ErrorKind::schema, "list, not an object"},
      {200, R"({"assistant_actions": "done"})", ErrorKind::schema, "assistant_actions is text"},
      {200, R"({"assistant_actions": [], "modified_artifacts": {}})", ErrorKind::schema,
       "modified_artifacts"},
  };
  for (const Case& each : cases) {
    serve(each.status, each.body);
    const auto reply = ask();
    ASSERT_FALSE(reply.has_value()) << each.body;
    EXPECT_EQ(reply.error().error.kind, each.kind) << reply.error().error.text();
    EXPECT_THAT(reply.error().error.text(), HasSubstr(each.words));
    EXPECT_THAT(reply.error().error.text(), HasSubstr("127.0.0.1"));
  }
}

TEST_F(PromptqlService, PassesOnRetryAfter) {
  serve(429, "{}", {{"retry-after-ms", "250"}});
  EXPECT_EQ(ask().error().retry_after, 250ms);
}

TEST_F(PromptqlService, IsGivenItsTimeAndNoMore) {
  serve([](const std::shared_ptr<Responder>& to) {
    to->after(1h, [to] { to->send(200, {}, std::string(kReply)); });
  });
  PromptqlQuery hurried = query();
  hurried.timeout = 50ms;
  const auto late = ask(hurried);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().error.kind, ErrorKind::timeout);
  serve([](const std::shared_ptr<Responder>& to) { to->drop(); });
  EXPECT_EQ(ask().error().error.kind, ErrorKind::network);
}

}  // namespace
}  // namespace assay
