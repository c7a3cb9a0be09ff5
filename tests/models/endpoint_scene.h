// A model behind HTTP and, on loopback, the server that a test wants it to meet.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/endpoint.h"
#include "net/http/http_server.h"
#include "tests/models/wire_fixtures.h"

namespace assay {

inline constexpr std::string_view kKey = "test-key-0123456789abcdef";

inline std::string openai_text(std::string_view text, std::string_view more = "") {
  return R"({"model":"m-1","choices":[{"message":{"role":"assistant","content":)" + to_text(Json(text)) +
         R"(},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2})" +
         std::string(more) + "}";
}

struct Reply {
  int status = 200;
  std::string body;
  Headers headers = {};
};

class Endpoint : public testing::Test {
 protected:
  using Answer = std::function<void(const Json& body, Responder& responder)>;
  using LateAnswer = std::function<void(const Json& body, const std::shared_ptr<Responder>& responder)>;

  // Answers each request by `answer`, and keeps what came.
  void serve(Answer answer) {
    serve_late([answer = std::move(answer)](const Json& body, const std::shared_ptr<Responder>& responder) {
      answer(body, *responder);
    });
  }

  void serve_late(LateAnswer answer) {
    auto server =
        HttpServer::start({}, [this, answer = std::move(answer)](
                                  const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
          const auto body = parse_json(request.body);
          {
            const std::lock_guard lock(mutex_);
            requests_.push_back(request);
            bodies_.push_back(body ? *body : Json("not JSON"));
          }
          answer(body ? *body : Json(), responder);
        });
    ASSERT_TRUE(server.has_value()) << server.error().text();
    server_ = std::move(*server);
  }

  void serve_replies(std::vector<Reply> replies) {
    serve([replies = std::move(replies), next = std::make_shared<std::size_t>(0)](const Json&,
                                                                                  Responder& responder) {
      const Reply& reply = replies.at(std::min((*next)++, replies.size() - 1));
      responder.send(reply.status, reply.headers, reply.body);
    });
  }

  ModelSpec spec(std::string provider = "openai", std::string name = "m") const {
    ModelSpec made;
    made.provider = std::move(provider);
    made.name = std::move(name);
    made.base_url = "http://127.0.0.1:" + std::to_string(server_ ? server_->port() : 1);
    made.timeout = std::chrono::seconds(10);
    return made;
  }

  HttpModel& model(ModelSpec made) {
    auto built =
        HttpModel::make(std::move(made), client_, [](std::string_view name) -> std::optional<std::string> {
          if (name == "OPENAI_API_KEY" || name == "ANTHROPIC_API_KEY") return std::string(kKey);
          return std::nullopt;
        });
    EXPECT_TRUE(built.has_value());
    models_.push_back(std::move(*built));
    return *models_.back();
  }

  std::expected<ChatReply, ModelFailure> complete(HttpModel& asked, const ChatRequest& request = ask("Hello"),
                                                  OnTokens on_tokens = {}) {
    auto reply = loop_.run_until_done(asked.complete(request, std::move(on_tokens)));
    if (!reply) {
      EXPECT_THAT(reply.error().error.text(), testing::Not(testing::HasSubstr(std::string(kKey))))
          << "a key in an error";
    }
    return reply;
  }

  EventLoop loop_;
  HttpClient client_{loop_, {}};
  std::vector<std::unique_ptr<HttpModel>> models_;
  std::mutex mutex_;
  std::vector<ServerRequest> requests_;
  std::vector<Json> bodies_;
  std::unique_ptr<HttpServer> server_;  // last, so that its threads end before what they write to
};

inline std::string header(const ServerRequest& request, std::string_view name) {
  const std::string* found = request.headers.find(name);
  return found == nullptr ? "" : *found;
}

}  // namespace assay
