// The endpoint over loopback, asked with the program's own HTTP client.
#include "sim/server.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/providers/openai.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"

namespace assay {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

class SimServerTest : public testing::Test {
 protected:
  void start(SimServerOptions options = {}) {
    auto started = start_sim(std::move(options));
    ASSERT_TRUE(started) << started.error().text();
    server_ = std::move(*started);
  }

  static HttpRequest post(std::string path, std::string body) {
    HttpRequest request;
    request.method = "POST";
    request.url = std::move(path);
    request.headers = {{"content-type", "application/json"}, {"anthropic-version", "2023-06-01"}};
    request.body = std::move(body);
    request.total_timeout = 5s;
    return request;
  }

  Result<HttpResponse> send(HttpRequest request) {
    request.url = server_->url() + request.url;
    return loop_.run_until_done(client_.send(std::move(request)));
  }
  Result<HttpResponse> ask(std::string_view words, std::string_view more = "") {
    return send(post("/v1/chat/completions", chat(words, more)));
  }
  static std::string chat(std::string_view words, std::string_view more = "") {
    return R"({"model": "m", "messages": [{"role": "user", "content": ")" + std::string(words) + "\"}]" +
           std::string(more) + "}";
  }
  static std::string message(std::string_view words) {
    return R"({"model": "m", "max_tokens": 50, "messages": [{"role": "user", "content": ")" +
           std::string(words) + "\"}]}";
  }
  HttpResponse get(std::string path) {
    HttpRequest request;
    request.url = std::move(path);
    auto response = send(std::move(request));
    EXPECT_TRUE(response);
    return response ? *response : HttpResponse();
  }
  Json stats() { return *parse_json(get("/sim/stats").body); }

  EventLoop loop_;
  HttpClient client_{loop_, {}};
  std::unique_ptr<SimServer> server_;
};

TEST_F(SimServerTest, AnswersBothProtocolsUnderEachOfTheirPaths) {
  start();
  for (const char* path : {"/v1/chat/completions", "/chat/completions"}) {
    const auto response = send(post(path, chat("hello")));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 200);
    EXPECT_TRUE(openai_reply(*parse_json(response->body)));
    EXPECT_NE(response->headers.find("x-request-id"), nullptr);
  }
  const auto response = send(post("/v1/messages", message("hello")));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_NE(response->headers.find("request-id"), nullptr);
  EXPECT_EQ(parse_json(response->body)->at("type"), "message");
}

TEST_F(SimServerTest, RefusesInTheFormOfTheProtocol) {
  SimServerOptions options;
  options.max_body = 400;
  start(options);
  const auto error = [&](HttpRequest request, int status) -> std::string {
    const auto response = send(std::move(request));
    EXPECT_TRUE(response);
    if (!response) return "";
    EXPECT_EQ(response->status, status);
    EXPECT_EQ(*response->headers.find("content-type"), "application/json");
    return response->body;
  };
  const std::string long_text(500, 'x');
  EXPECT_THAT(error(post("/v1/chat/completions", "{"), 400), HasSubstr("\"type\":\"invalid_request_error\""));
  EXPECT_THAT(error(post("/v1/messages", "{"), 400), HasSubstr("\"request_id\":\"req_"));
  EXPECT_THAT(error(post("/v1/messages", chat(long_text)), 413), HasSubstr("request_too_large"));
  EXPECT_THAT(error(post("/v1/chat/completions", chat(long_text)), 413), HasSubstr("\"error\":{\"message\""));
  EXPECT_THAT(error(post("/v1/nothing", "{}"), 404), HasSubstr("not_found_error"));
  HttpRequest wrong_method;
  wrong_method.url = "/v1/chat/completions";
  EXPECT_THAT(error(wrong_method, 405), HasSubstr("POST"));
  HttpRequest unversioned = post("/v1/messages", message("x"));
  unversioned.headers = {};
  EXPECT_THAT(error(unversioned, 400), HasSubstr("anthropic-version"));
  EXPECT_THAT(
      error(post("/v1/chat/completions",
                 chat("x", R"(, "response_format": {"type": "json_schema", "json_schema": {"name": "n",
                              "schema": {"type": "objekt"}}})")),
            400),
      HasSubstr("invalid_json_schema"));
}

TEST_F(SimServerTest, WantsItsKeyAndNeverShowsIt) {
  SimServerOptions options;
  options.require_key = "sk-secret-123";
  start(options);
  for (const char* path : {"/v1/chat/completions", "/v1/messages", "/v1/models"}) {
    HttpRequest request = post(path, chat("x"));
    request.headers.add("authorization", "Bearer sk-other");
    const auto response = send(request);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 401);
    EXPECT_EQ(response->body.find("secret"), std::string::npos);
    EXPECT_EQ(response->body.find("sk-other"), std::string::npos);
  }
  HttpRequest request = post("/v1/chat/completions", chat("x"));
  request.headers.add("Authorization", "Bearer sk-secret-123");
  EXPECT_EQ(send(request)->status, 200);
  request = post("/v1/messages", message("x"));
  request.headers.add("X-Api-Key", "sk-secret-123");
  EXPECT_EQ(send(request)->status, 200);
}

TEST_F(SimServerTest, CountsWhatItSees) {
  start();
  ASSERT_TRUE(ask("one"));
  ASSERT_TRUE(ask("one"));
  ASSERT_TRUE(ask("two"));
  ASSERT_TRUE(send(post("/v1/messages", "{}")));
  get("/v1/models");
  get("/elsewhere");
  Json seen = stats();
  EXPECT_EQ(seen.at("requests").at("total"), 6);
  EXPECT_EQ(to_text(seen.at("requests").at("by_status")), R"({"200":4,"400":1,"404":1})");
  EXPECT_EQ(seen.at("requests").at("by_route").at("POST /v1/chat/completions").at("200"), 3);
  EXPECT_EQ(to_text(seen.at("bodies")), R"({"distinct":3,"repeated":1,"again":1})");
  EXPECT_EQ(to_text(seen.at("in_flight")), R"({"now":0,"most":1})");
  EXPECT_GT(seen.at("tokens").at("prompt").to_number<int>(), 0);
  EXPECT_GT(seen.at("tokens").at("completion").to_number<int>(), 0);
  ASSERT_TRUE(send(post("/sim/reset", "")));
  seen = stats();
  EXPECT_EQ(seen.at("requests").at("total"), 0);
  EXPECT_EQ(seen.at("bodies").at("distinct"), 0);
  EXPECT_EQ(get("/sim/reset").status, 405);
}

TEST_F(SimServerTest, KnowsTheMostInFlight) {
  SimServerOptions options;
  options.latency = 150ms;
  options.threads = 2;
  start(options);
  std::vector<Task<Result<HttpResponse>>> parts;
  for (int i = 0; i < 8; ++i) {
    HttpRequest request = post(server_->url() + "/v1/chat/completions", chat("number " + std::to_string(i)));
    parts.push_back(client_.send(std::move(request)));
  }
  const auto started = std::chrono::steady_clock::now();
  for (const auto& response : loop_.run_until_done(all(std::move(parts)))) {
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 200);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - started, 150ms);
  EXPECT_EQ(stats().at("in_flight").at("most"), 8);
  EXPECT_EQ(stats().at("in_flight").at("now"), 0);
}

TEST_F(SimServerTest, InjectsEachFault) {
  struct Case {
    double SimFaultOptions::* rate;
    std::string_view name;
    int status;  // 0: no usable response
  };
  for (const Case& fault :
       {Case{&SimFaultOptions::rate_429, "429", 429}, Case{&SimFaultOptions::rate_500, "500", 500},
        Case{&SimFaultOptions::rate_503, "503", 503}, Case{&SimFaultOptions::rate_drop, "drop", 0},
        Case{&SimFaultOptions::rate_stall, "stall", 0}, Case{&SimFaultOptions::rate_truncate, "truncate", 0},
        Case{&SimFaultOptions::rate_malformed, "malformed", 200},
        Case{&SimFaultOptions::rate_length, "length", 200}}) {
    SimServerOptions options;
    options.*fault.rate = 1;
    options.retry_after = 0.25;
    start(options);
    HttpRequest request = post("/v1/chat/completions", chat("tell me about rivers"));
    request.total_timeout = fault.name == "stall" ? Duration(200ms) : Duration(5s);
    const auto response = send(request);
    EXPECT_EQ(stats().at("faults").at(fault.name), 1) << fault.name;
    if (fault.status == 0) {
      EXPECT_FALSE(response) << fault.name;
      continue;
    }
    ASSERT_TRUE(response) << fault.name;
    EXPECT_EQ(response->status, fault.status);
    if (fault.name == "429") {
      EXPECT_EQ(*response->headers.find("retry-after"), "1");
      EXPECT_EQ(*response->headers.find("retry-after-ms"), "250");
    }
    if (fault.name == "malformed") EXPECT_FALSE(parse_json(response->body));
    if (fault.name == "length") EXPECT_THAT(response->body, HasSubstr(R"("finish_reason":"length")"));
  }
}

TEST_F(SimServerTest, FaultsFollowTheRequestNumbers) {
  SimServerOptions options;
  options.rate_500 = 0.4;
  options.seed = 11;
  const auto statuses = [&] {
    start(options);
    std::string out;
    for (int i = 0; i < 25; ++i) out += std::to_string(ask("again")->status) + " ";
    return out;
  };
  const std::string first = statuses();
  EXPECT_EQ(first, statuses());
  EXPECT_THAT(first, HasSubstr("500"));
  EXPECT_THAT(first, HasSubstr("200"));
}

TEST_F(SimServerTest, BreaksStreamsInTheMiddle) {
  const auto streamed = [&](double SimFaultOptions::* rate) {
    SimServerOptions options;
    if (rate != nullptr) options.*rate = 1;
    start(options);
    std::string body;
    HttpRequest request = post("/v1/chat/completions", chat("tell me about rivers", R"(, "stream": true)"));
    request.idle_timeout = 200ms;
    request.on_data = [&](std::string_view data) {
      body += data;
      return true;
    };
    const auto response = send(request);
    return std::pair(response.has_value(), body);
  };
  const auto [whole, whole_body] = streamed(nullptr);
  EXPECT_TRUE(whole);
  EXPECT_TRUE(whole_body.ends_with("data: [DONE]\n\n"));
  const auto [dropped, dropped_body] = streamed(&SimFaultOptions::rate_drop);
  EXPECT_FALSE(dropped);
  const auto [stalled, stalled_body] = streamed(&SimFaultOptions::rate_stall);
  EXPECT_FALSE(stalled);
  EXPECT_TRUE(whole_body.starts_with(stalled_body.substr(0, 40)) && !stalled_body.empty());
  const auto [cut, cut_body] = streamed(&SimFaultOptions::rate_truncate);
  EXPECT_TRUE(cut);
  EXPECT_EQ(cut_body.find("[DONE]"), std::string::npos);
}

TEST_F(SimServerTest, FollowsItsScript) {
  const auto path =
      std::filesystem::temp_directory_path() / ("assay_sim_script_" + std::to_string(::getpid()) + ".jsonl");
  std::ofstream(path)
      << R"({"match": "refund", "reply": {"text": "Within 30 days."}})" << "\n"
      << R"({"match": "busy", "times": 1, "reply": {"error": {"status": 529, "headers": {"retry-after": "7"}}}})"
      << "\n"
      << R"({"match": "slow", "reply": {"text": "ok"}, "delay_ms": 80})" << "\n"
      << R"({"match": "gone", "reply": {"fault": "drop"}})" << "\n";
  SimServerOptions options;
  options.script = path.string();
  start(options);
  std::filesystem::remove(path);
  EXPECT_THAT(ask("my refund")->body, HasSubstr("Within 30 days."));
  const auto busy = send(post("/v1/messages", message("busy")));
  EXPECT_EQ(busy->status, 529);
  EXPECT_EQ(*busy->headers.find("retry-after"), "7");
  EXPECT_THAT(busy->body, HasSubstr("overloaded_error"));
  EXPECT_EQ(send(post("/v1/messages", message("busy")))->status, 200);
  EXPECT_GE(ask("slow")->elapsed, Duration(80ms));
  EXPECT_FALSE(ask("gone"));
  options.script = "/nowhere/script.jsonl";
  EXPECT_FALSE(start_sim(options));
}

TEST_F(SimServerTest, RefusesOptionsThatMakeNoSense) {
  SimServerOptions options;
  options.rate_429 = -1;
  EXPECT_EQ(start_sim(options).error().kind, ErrorKind::config);
  options = {};
  options.overload_status = 418;
  EXPECT_EQ(start_sim(options).error().kind, ErrorKind::config);
  options = {};
  options.noise = 7;
  EXPECT_EQ(start_sim(options).error().kind, ErrorKind::config);
  start();
  options = {};
  options.port = server_->port();
  EXPECT_EQ(start_sim(options).error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace assay
