// HttpModel against a real server on loopback.
#include "models/endpoint.h"

#include <atomic>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/endpoint_scene.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Endpoint, SpeaksOpenAi) {
  serve_replies({{200, openai_text("Hi.")}});
  const auto reply = complete(model(spec()));
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->message.text, "Hi.");
  EXPECT_EQ(reply->usage.prompt_tokens, 7);
  EXPECT_EQ(reply->model, "m-1");
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_[0].method, "POST");
  EXPECT_EQ(requests_[0].path, "/v1/chat/completions");
  EXPECT_EQ(header(requests_[0], "authorization"), "Bearer " + std::string(kKey));
  EXPECT_EQ(header(requests_[0], "content-type"), "application/json");
  EXPECT_EQ(to_text(bodies_[0]), R"({"model":"m","messages":[{"role":"user","content":"Hello"}]})");
}

TEST_F(Endpoint, SpeaksAnthropic) {
  serve_replies({{200, R"({"type":"message","model":"c","content":[{"type":"text","text":"Hi."}],
                           "stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}})"}});
  const auto reply = complete(model(spec("anthropic", "claude-x")));
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->message.text, "Hi.");
  EXPECT_EQ(requests_.at(0).path, "/v1/messages");
  EXPECT_EQ(header(requests_[0], "x-api-key"), kKey);
  EXPECT_EQ(header(requests_[0], "anthropic-version"), "2023-06-01");
  EXPECT_EQ(header(requests_[0], "authorization"), "");
}

TEST_F(Endpoint, NeedsNoKeyForALocalServer) {
  serve_replies({{200, openai_text("Hi.")}});
  auto built = HttpModel::make(spec(), client_, [](std::string_view) { return std::nullopt; });
  ASSERT_TRUE(complete(**built).has_value());
  EXPECT_EQ(header(requests_.at(0), "authorization"), "");
}

TEST_F(Endpoint, NamesTheVariableOfAMissingKeyAndSendsNothing) {
  const auto none = [](std::string_view) { return std::nullopt; };
  for (const auto& [provider, variable] : std::vector<std::pair<std::string, std::string>>{
           {"openai", "OPENAI_API_KEY"}, {"anthropic", "ANTHROPIC_API_KEY"}}) {
    auto built = HttpModel::make({.provider = provider, .name = "m"}, client_, none);
    const auto reply = complete(**built);
    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().error.kind, ErrorKind::auth);
    EXPECT_THAT(reply.error().error.text(), HasSubstr(variable));
    EXPECT_FALSE((*built)->ready().has_value());
  }
  // A variable that the user names is meant to be set, wherever the server is.
  ModelSpec own = spec();
  own.api_key_env = "LOCAL_KEY";
  auto built = HttpModel::make(own, client_, none);
  EXPECT_THAT((*built)->ready().error().text(), HasSubstr("LOCAL_KEY"));
}

TEST_F(Endpoint, TakesBaseUrlAndKeyFromTheEnvironment) {
  serve_replies({{200, openai_text("Hi.")}});
  const std::string base = "http://127.0.0.1:" + std::to_string(server_->port()) + "/proxy/v1/";
  auto built = HttpModel::make({.provider = "openai", .name = "m", .api_key_env = "MINE"}, client_,
                               [&](std::string_view name) -> std::optional<std::string> {
                                 if (name == "OPENAI_BASE_URL") return base;
                                 if (name == "MINE") return " my-own-key\n";
                                 return std::nullopt;
                               });
  ASSERT_TRUE(built.has_value());
  ASSERT_TRUE(complete(**built).has_value());
  EXPECT_EQ(requests_.at(0).path, "/proxy/v1/chat/completions");
  EXPECT_EQ(header(requests_[0], "authorization"), "Bearer my-own-key");
}

TEST_F(Endpoint, IsIdentifiedByWhatDecidesItsAnswers) {
  const auto identity = [&](ModelSpec made, std::string_view base_variable = "") {
    auto built = HttpModel::make(std::move(made), client_, [&](std::string_view name) {
      return name == base_variable
                 ? std::optional<std::string>("https://user:pw@gate.test/llm/?key=topsecret")
                 : std::nullopt;
    });
    return (*built)->identity();
  };
  EXPECT_EQ(identity({.provider = "openai", .name = "m"}),
            (ModelIdentity{.provider = "openai", .name = "m", .base_url = "https://api.openai.com/v1"}));
  EXPECT_EQ(identity({.provider = "openai", .name = "m"}, "OPENAI_BASE_URL").base_url,
            "https://gate.test/llm");
  EXPECT_EQ(identity({.provider = "openai",
                      .name = "m",
                      .base_url = "http://h:1/v1/",
                      .max_tokens = 9,
                      .temperature = 0.5,
                      .structured = "tools"},
                     "OPENAI_BASE_URL"),
            (ModelIdentity{.provider = "openai",
                           .name = "m",
                           .base_url = "http://h:1/v1",
                           .temperature = 0.5,
                           .max_tokens = 9,
                           .structured = "tools"}));
  // This wire wants a limit, so one is in force even if nobody names it.
  EXPECT_EQ(identity({.provider = "anthropic", .name = "m"}).max_tokens, 4096);
  EXPECT_EQ(identity({.provider = "anthropic", .name = "m", .max_tokens = 7}).max_tokens, 7);
}

TEST_F(Endpoint, RefusesAWrongDeclaration) {
  const auto none = [](std::string_view) { return std::nullopt; };
  const auto error = [&](ModelSpec made, const Environment& environment) {
    auto built = HttpModel::make(std::move(made), client_, environment);
    EXPECT_FALSE(built.has_value());
    return built ? std::string() : built.error().text();
  };
  EXPECT_THAT(error({.provider = "sim", .name = "m"}, none), HasSubstr("sim"));
  EXPECT_THAT(error({.provider = "openai", .name = ""}, none), HasSubstr("name"));
  EXPECT_THAT(error({.provider = "openai", .name = "m", .structured = "yaml"}, none),
              HasSubstr("json_schema"));
  EXPECT_THAT(error({.provider = "openai", .name = "m", .base_url = "nowhere"}, none), HasSubstr("base_url"));
  const auto split = [](std::string_view) { return std::optional<std::string>("abc\r\nX-Evil: 1"); };
  const std::string injected = error({.provider = "openai", .name = "m", .base_url = "http://h"}, split);
  EXPECT_THAT(injected, HasSubstr("OPENAI_API_KEY"));
  EXPECT_THAT(injected, Not(HasSubstr("Evil")));
}

TEST_F(Endpoint, MapsFailuresToTheirKind) {
  const std::vector<std::pair<Reply, ErrorKind>> cases{
      {{401, R"({"error":{"message":"Incorrect API key provided: test-key-0123456789abcdef."}})"},
       ErrorKind::auth},
      {{429, R"({"error":{"message":"slow down"}})", {{"Retry-After", "2"}}}, ErrorKind::rate_limited},
      {{429, R"({"error":{"message":"pay","code":"insufficient_quota"}})"}, ErrorKind::rejected},
      {{529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"},
       ErrorKind::overloaded},
      {{400, R"({"error":{"message":"no"}})"}, ErrorKind::rejected},
      {{200, "<html>test-key-0123456789abcdef</html>"}, ErrorKind::network},
      {{200, ""}, ErrorKind::network},
      {{200, R"({"choices":[]})"}, ErrorKind::network},
      {{200, openai_text("Hi.").substr(0, 40)}, ErrorKind::network},
      {{200, R"({"error":{"code":502,"message":"provider is gone"}})"}, ErrorKind::overloaded},
      {{200, R"({"error":{"code":"rate_limit_exceeded","message":"slow"}})"}, ErrorKind::rate_limited},
  };
  for (const auto& [reply, kind] : cases) {
    serve_replies({reply});
    const auto found = complete(model(spec()));
    ASSERT_FALSE(found.has_value()) << reply.body;
    EXPECT_EQ(found.error().error.kind, kind) << found.error().error.text();
    EXPECT_THAT(found.error().error.text(), HasSubstr("openai/m"));
    EXPECT_THAT(found.error().error.text(), HasSubstr("127.0.0.1"));
  }
}

TEST_F(Endpoint, PassesOnRetryAfter) {
  serve_replies({{429, "{}", {{"retry-after-ms", "250"}}}});
  EXPECT_EQ(complete(model(spec())).error().retry_after, 250ms);
}

TEST_F(Endpoint, MapsABrokenConnectionToNetwork) {
  serve([](const Json&, Responder& responder) {
    responder.send_truncated(200, {{"Content-Type", "application/json"}}, R"({"choices":[)", 5000);
  });
  const auto cut = complete(model(spec()));
  ASSERT_FALSE(cut.has_value());
  EXPECT_EQ(cut.error().error.kind, ErrorKind::network);
  serve([](const Json&, Responder& responder) { responder.drop(); });
  EXPECT_EQ(complete(model(spec())).error().error.kind, ErrorKind::network);
}

TEST_F(Endpoint, WaitsForASilentModelUpToTheTotalTimeout) {
  serve_late([](const Json&, const std::shared_ptr<Responder>& responder) {
    responder->after(200ms, [responder] { responder->send(200, {}, openai_text("Hi.")); });
  });
  ModelSpec patient = spec();
  patient.idle_timeout = 20ms;  // counts for streams only
  EXPECT_TRUE(complete(model(patient)).has_value());
  ModelSpec hurried = spec();
  hurried.timeout = 50ms;
  const auto late = complete(model(hurried));
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().error.kind, ErrorKind::timeout);
}

TEST_F(Endpoint, GivesUpAStreamThatStalls) {
  serve_late([](const Json&, const std::shared_ptr<Responder>& responder) {
    responder->begin_stream(200, {{"Content-Type", "text/event-stream"}});
    responder->write("data: {\"choices\":[{\"delta\":{\"content\":\"H\"}}]}\n\n");
    responder->after(1h, [responder] { responder->end_stream(); });
  });
  ModelSpec stalled = spec();
  stalled.stream = true;
  stalled.idle_timeout = 100ms;
  const auto reply = complete(model(stalled));
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().error.kind, ErrorKind::timeout);
}

TEST_F(Endpoint, PutsTheRequestDifferentlyWhereTheModelDoesNotTakeIt) {
  // A model that is not in the table: no max_tokens, no temperature, no stop.
  serve([](const Json& body, Responder& responder) {
    for (const auto& [name, message] : std::vector<std::pair<std::string, std::string>>{
             {"max_tokens",
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
              "'max_completion_tokens' instead."},
             {"temperature", "Unsupported value: 'temperature' does not support 0 with this model."},
             {"stop", "Unsupported parameter: 'stop' is not supported with this model."}}) {
      if (find_member(body, name) != nullptr) {
        return responder.send(
            400, {},
            to_text(Json(JsonObject{
                {"error",
                 JsonObject{{"message", message}, {"param", name}, {"code", "unsupported_parameter"}}}})));
      }
    }
    responder.send(200, {}, openai_text("one END two"));
  });
  HttpModel& asked = model(spec());
  ChatRequest request = ask("q");
  request.sampling.temperature = 0;
  request.sampling.max_tokens = 10;
  request.sampling.stop = {"END"};
  const auto reply = complete(asked, request);
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->message.text, "one ");
  EXPECT_EQ(requests_.size(), 4U);
  EXPECT_NE(find_member(bodies_.back(), "max_completion_tokens"), nullptr);
  // The next call knows it all.
  ASSERT_TRUE(complete(asked, request).has_value());
  EXPECT_EQ(requests_.size(), 5U);
  EXPECT_EQ(asked.notes().size(), 3U);
}

TEST_F(Endpoint, StopsWhenTheServerIsNeverContent) {
  serve([](const Json& body, Responder& responder) {
    const bool has = find_member(body, "temperature") != nullptr;
    responder.send(400, {},
                   has ? R"({"error":{"message":"'temperature' is not supported","param":"temperature"}})"
                       : R"({"error":{"message":"'top_p' is not supported","param":"top_p"}})");
  });
  ChatRequest request = ask("q");
  request.sampling.temperature = 0;
  const auto reply = complete(model(spec()), request);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().error.kind, ErrorKind::rejected);
  EXPECT_EQ(requests_.size(), 2U) << "top_p was never sent";
}

ChatRequest ask_for_verdict() {
  ChatRequest request = ask("Is it good?");
  request.output = OutputSchema{
      "verdict", "", json(R"({"type":"object","properties":{"good":{"type":"boolean"}},"required":["good"],
                                         "additionalProperties":false})")};
  return request;
}

// A server that takes only some ways to structured output, and answers in the way it was asked.
void answer_structured(const Json& body, Responder& responder, bool schema, bool tools) {
  const auto refuse = [&](std::string_view name) {
    responder.send(400, {}, R"({"error":{"message":"')" + std::string(name) + R"(' is not supported"}})");
  };
  if (find_member(body, "response_format") != nullptr) {
    if (!schema) return refuse("response_format");
    return responder.send(200, {}, openai_text(R"({"good":true})"));
  }
  if (find_member(body, "tools") != nullptr) {
    if (!tools) return refuse("tools");
    return responder.send(200, {}, R"({"choices":[{"message":{"content":null,"tool_calls":[{"id":"c",
        "function":{"name":"verdict","arguments":"{\"good\":true}"}}]},"finish_reason":"tool_calls"}]})");
  }
  responder.send(200, {}, openai_text("Here:\n```json\n{\"good\": true}\n```"));
}

TEST_F(Endpoint, GetsJsonWhicheverWayTheServerTakes) {
  struct Case {
    bool schema;
    bool tools;
    std::size_t requests;
  };
  for (const Case& each : {Case{true, true, 1}, Case{false, true, 2}, Case{false, false, 3}}) {
    requests_.clear();
    serve([each](const Json& body, Responder& responder) {
      answer_structured(body, responder, each.schema, each.tools);
    });
    HttpModel& asked = model(spec());
    const auto reply = complete(asked, ask_for_verdict());
    ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
    EXPECT_EQ(reply->message.text, R"({"good":true})");
    EXPECT_EQ(reply->finish, FinishReason::stop);
    EXPECT_THAT(reply->message.tool_calls, IsEmpty());
    EXPECT_EQ(requests_.size(), each.requests);
    ASSERT_TRUE(complete(asked, ask_for_verdict()).has_value());
    EXPECT_EQ(requests_.size(), each.requests + 1) << "the way is remembered";
  }
}

TEST_F(Endpoint, StaysWithAPinnedWay) {
  serve([](const Json& body, Responder& responder) { answer_structured(body, responder, false, true); });
  ModelSpec pinned = spec();
  pinned.structured = "json_schema";
  const auto refused = complete(model(pinned), ask_for_verdict());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().error.kind, ErrorKind::rejected);
  pinned.structured = "text";
  EXPECT_EQ(complete(model(pinned), ask_for_verdict())->message.text, R"({"good":true})");
  EXPECT_EQ(find_member(bodies_.back(), "response_format"), nullptr);
}

TEST_F(Endpoint, SendsStrictOnlyForASchemaThatFits) {
  serve([](const Json& body, Responder& responder) { answer_structured(body, responder, true, true); });
  HttpModel& asked = model(spec());
  EXPECT_TRUE(complete(asked, ask_for_verdict()));
  EXPECT_NE(find_pointer(bodies_.back(), "/response_format/json_schema/strict"), nullptr);
  ChatRequest loose = ask_for_verdict();
  loose.output->schema = json(R"({"type":"object","properties":{"good":{"type":"boolean"}}})");
  EXPECT_TRUE(complete(asked, loose));
  EXPECT_EQ(find_pointer(bodies_.back(), "/response_format/json_schema/strict"), nullptr);
}

TEST_F(Endpoint, RemembersARefusedSchemaForThatSchemaOnly) {
  serve([](const Json& body, Responder& responder) {
    const Json* properties =
        find_pointer(body, "/response_format/json_schema/schema/properties/good/minLength");
    if (properties != nullptr) {
      return responder.send(400, {},
                            R"({"error":{"message":"Invalid schema for response_format 'verdict': minLength",
                                                  "param":"response_format"}})");
    }
    answer_structured(body, responder, true, true);
  });
  HttpModel& asked = model(spec());
  ChatRequest odd = ask_for_verdict();
  odd.output->schema = json(R"({"type":"object","properties":{"good":{"type":"string","minLength":1}}})");
  ASSERT_TRUE(complete(asked, odd).has_value());
  EXPECT_EQ(requests_.size(), 2U);
  ASSERT_TRUE(complete(asked, odd).has_value());
  EXPECT_EQ(requests_.size(), 3U) << "this schema goes by tool at once";
  ASSERT_TRUE(complete(asked, ask_for_verdict()).has_value());
  EXPECT_NE(find_member(bodies_.back(), "response_format"), nullptr) << "others still go by schema";
}

TEST_F(Endpoint, AsksClaudeByAToolAndThenByItsOwnSchema) {
  serve([](const Json& body, Responder& responder) {
    if (find_member(body, "tool_choice") != nullptr) {
      return responder.send(400, {}, R"({"type":"error","error":{"type":"invalid_request_error",
          "message":"tool_choice: type \"tool\" and \"any\" are not supported for this model."}})");
    }
    responder.send(200, {},
                   R"({"content":[{"type":"text","text":"{\"good\":true}"}],"stop_reason":"end_turn"})");
  });
  const auto reply = complete(model(spec("anthropic", "claude-new")), ask_for_verdict());
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->message.text, R"({"good":true})");
  ASSERT_EQ(bodies_.size(), 2U);
  EXPECT_NE(find_member(bodies_[0], "tools"), nullptr);
  EXPECT_NE(find_pointer(bodies_[1], "/output_config/format/schema"), nullptr);
}

constexpr std::string_view kChunks[] = {
    "data: {\"model\":\"m-1\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"H\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"i.\"},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\n", "data: [DONE]\n\n"};

ModelSpec streaming(ModelSpec made) {
  made.stream = true;
  return made;
}

TEST_F(Endpoint, PutsAStreamTogetherToTheSameReply) {
  serve([](const Json& body, Responder& responder) {
    if (find_member(body, "stream") == nullptr) return responder.send(200, {}, openai_text("Hi."));
    responder.begin_stream(200, {{"Content-Type", "text/event-stream"}});
    for (const auto chunk : kChunks) responder.write(std::string(chunk));
    responder.end_stream();
  });
  const auto whole = complete(model(spec()));
  const auto streamed = complete(model(streaming(spec())));
  ASSERT_TRUE(streamed.has_value()) << streamed.error().error.text();
  EXPECT_EQ(*streamed, *whole);
  EXPECT_EQ(header(requests_.back(), "accept"), "text/event-stream");
}

TEST_F(Endpoint, StreamsAnthropicToo) {
  serve([](const Json&, Responder& responder) {
    responder.begin_stream(200, {{"Content-Type", "text/event-stream"}});
    responder.write(
        "event: message_start\ndata: "
        "{\"type\":\"message_start\",\"message\":{\"model\":\"c\",\"usage\":{\"input_tokens\":4}}}\n\n"
        "event: content_block_start\ndata: "
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}"
        "\n\n");
    responder.write(
        "event: content_block_delta\ndata: "
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi.\"}}"
        "\n\n"
        "event: message_delta\ndata: "
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}"
        "}\n\n"
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
    responder.end_stream();
  });
  const auto reply = complete(model(streaming(spec("anthropic", "claude-x"))));
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->message.text, "Hi.");
  EXPECT_EQ(reply->usage, (Usage{4, 2, 0, 0, 0}));
}

// A token for each piece here; what is thought aloud has been computed too.
TEST_F(Endpoint, TellsTheTokensOfAStreamAsTheyCome) {
  const auto heard = [&](const char* provider, const std::vector<std::string>& events) {
    serve([events](const Json&, Responder& responder) {
      responder.begin_stream(200, {{"Content-Type", "text/event-stream"}});
      for (const std::string& event : events) responder.write("data: " + event + "\n\n");
      responder.end_stream();
    });
    std::int64_t tokens = 0;
    EXPECT_TRUE(
        complete(model(streaming(spec(provider))), ask("Hello"), [&](std::int64_t more) { tokens += more; }));
    return tokens;
  };
  const std::vector<std::string> openai{
      R"({"choices":[{"delta":{"reasoning_content":"Hm "}}]})",
      R"({"choices":[{"delta":{"content":"Hi"}}]})",
      R"({"choices":[{"delta":{"content":" you"}}]})",
      R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]})",
      R"({"choices":[{"delta":{},"finish_reason":"stop"}]})",
      "[DONE]"};
  EXPECT_EQ(heard("openai", openai), 4);
  const std::vector<std::string> anthropic{
      R"({"type":"message_start","message":{"model":"c","usage":{"input_tokens":4}}})",
      R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}})",
      R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi."}})",
      R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}})",
      R"({"type":"message_stop"})"};
  EXPECT_EQ(heard("anthropic", anthropic), 2);
}

TEST_F(Endpoint, MapsTroubleInAStream) {
  struct Case {
    std::vector<std::string> chunks;
    ErrorKind kind;
  };
  const std::vector<Case> cases{
      {{std::string(kChunks[0])}, ErrorKind::network},
      {{}, ErrorKind::network},
      {{std::string(kChunks[0]), "data: {\"choices\":[{\"del\n\n"}, ErrorKind::network},
      {{std::string(kChunks[0]), "data: {\"error\":{\"message\":\"oops\",\"type\":\"server_error\"}}\n\n",
        "data: [DONE]\n\n"},
       ErrorKind::overloaded},
      {{"data: {\"error\":{\"message\":\"slow\",\"code\":429}}\n\n"}, ErrorKind::rate_limited},
      {{"data: [DONE]\n\n"}, ErrorKind::network},
  };
  for (const auto& each : cases) {
    serve([&](const Json&, Responder& responder) {
      responder.begin_stream(200, {{"Content-Type", "text/event-stream"}});
      for (const auto& chunk : each.chunks) responder.write(chunk);
      responder.end_stream();
    });
    const auto reply = complete(model(streaming(spec())));
    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().error.kind, each.kind) << reply.error().error.text();
  }
}

TEST_F(Endpoint, TakesAWholeReplyWhereAStreamWasAskedFor) {
  serve_replies({{200, openai_text("Hi.")}});
  EXPECT_EQ(complete(model(streaming(spec())))->message.text, "Hi.");
  serve_replies({{503, R"({"error":{"message":"busy"}})"}});
  EXPECT_EQ(complete(model(streaming(spec()))).error().error.kind, ErrorKind::overloaded);
}

TEST_F(Endpoint, ServesManyAtOnceAndLearnsOnlyAsOftenAsItMust) {
  serve([](const Json& body, Responder& responder) {
    if (find_member(body, "seed") != nullptr) {
      return responder.send(422, {},
                            R"({"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra"}]})");
    }
    responder.send(200, {}, openai_text("Hi."));
  });
  HttpModel& asked = model(spec());
  ChatRequest request = ask("q");
  request.sampling.seed = 1;
  std::vector<Task<std::expected<ChatReply, ModelFailure>>> tasks;
  tasks.reserve(50);
  for (int i = 0; i < 50; ++i) tasks.push_back(asked.complete(request, nullptr));
  for (const auto& reply : loop_.run_until_done(all(std::move(tasks)))) ASSERT_TRUE(reply.has_value());
  EXPECT_LE(requests_.size(), 100U);
  EXPECT_THAT(asked.notes(), ElementsAre(HasSubstr("seed")));
}

}  // namespace
}  // namespace assay
