// The table of providers, and that nothing beside it has to know a new one: here a wire that only this test
// speaks (the example of docs/add_a_provider.md) and a preset are asked like any other.
#include "models/providers/provider.h"

#include <mutex>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/endpoint.h"
#include "models/providers/openai.h"
#include "models/providers/wire_text.h"
#include "net/http/http_server.h"
#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Providers, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Provider& provider : providers()) {
    EXPECT_TRUE(names.insert(provider.name).second) << provider.name;
    EXPECT_EQ(find_provider(provider.name), &provider);
    EXPECT_EQ(provider.name.find('/'), std::string_view::npos)
        << "only the first slash divides a model's name";
  }
  EXPECT_EQ(find_provider("nobody"), nullptr);
  EXPECT_EQ(find_provider(""), nullptr);
  EXPECT_THAT(known_providers(), ElementsAre("anthropic", "azure", "bedrock", "deepseek", "gemini", "groq",
                                             "llamacpp", "lmstudio", "mistral", "ollama", "openai",
                                             "openrouter", "sim", "together", "vertex", "vllm", "xai"));
}

TEST(Providers, AreComplete) {
  for (const Provider& provider : providers()) {
    SCOPED_TRACE(provider.name);
    if (provider.wire == nullptr) continue;
    EXPECT_FALSE(provider.key_variable.empty());
    EXPECT_FALSE(provider.base_variable.empty());
    // Azure has an address for each user; those of Vertex and Bedrock are made of variables.
    if (!provider.base_url.empty() && !provider.base_url.contains("${")) {
      const auto address = chat_address(provider, provider.base_url, "m");
      ASSERT_TRUE(address.has_value());
      EXPECT_TRUE(address->is_public);
      EXPECT_EQ(address->base, provider.base_url) << "the base is written as it is shown";
    }
    const Wire& wire = *provider.wire;
    EXPECT_TRUE(wire.body && wire.reply && wire.stream && wire.options);
    EXPECT_FALSE(wire.name.empty());
    EXPECT_FALSE(wire.own.empty());
    ASSERT_FALSE(wire.ways.empty());
    EXPECT_EQ(wire.ways.back(), StructuredWay::text) << "the way that always works comes last";
  }
}

TEST(Providers, ShareTheMeaningOfErrors) {
  EXPECT_EQ(find_error("overloaded_error")->status, 529);
  EXPECT_EQ(find_error("rate_limit_exceeded")->status, 429);
  for (const std::string_view word :
       {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "credit_balance_exhausted",
        "enforced_spend_limit_reached", "billing_error"}) {
    EXPECT_TRUE(find_error(word)->used_up) << word;
  }
  EXPECT_FALSE(find_error("rate_limit_error")->used_up);
  EXPECT_EQ(find_error("bored"), nullptr);
  EXPECT_EQ(find_error(""), nullptr);
}

class AcmeStream : public ReplyStream {
 public:
  void take(const ServerSentEvent& event) override {
    if (event.event == "end") finished_ = true;
    text_ += event.data;
  }
  bool finished() const override { return finished_; }
  Result<ChatReply> reply() const override {
    return ChatReply{.message = {.role = Role::assistant, .text = text_}};
  }

 private:
  std::string text_;
  bool finished_ = false;
};

constexpr std::array kAcmeWays{StructuredWay::text};
constexpr std::array kAcmeErrors{ErrorName{"TOO_BUSY", 503}};

const Wire kAcmeWire{
    .name = "acme",
    .version = "/v3",
    .version_in = VersionIn::base,
    .endpoint = "/ask/{model}",
    .stream_endpoint = "/ask/{model}?stream=1",
    .body =
        [](const ChatRequest& request, const ModelSpec& spec, const WirePlan& plan) {
          const Sampling sampling = sampling_of(request, spec, plan.capabilities);
          JsonObject body{{"question", request.messages.back().text}};
          if (sampling.temperature) body["heat"] = *sampling.temperature;
          return to_text(body);
        },
    .reply = [](const Json& json) -> Result<ChatReply> {
      if (find_member(json, "answer") == nullptr) return fail(ErrorKind::parse, "it has no answer");
      return ChatReply{.message = {.role = Role::assistant, .text = text_of(json, "answer")}};
    },
    .stream = []() -> std::unique_ptr<ReplyStream> { return std::make_unique<AcmeStream>(); },
    .ways = kAcmeWays,
    .capabilities = {.seed = false},
    .max_tokens = 77,
    .errors = kAcmeErrors,
};

constexpr Provider kAcme{.name = "acme",
                         .wire = &kAcmeWire,
                         .base_url = "https://api.acme.test/v3",
                         .base_variable = "ACME_URL",
                         .key_variable = "ACME_KEY",
                         .key_header = {"X-Acme-Key"}};

// A service that speaks OpenAI's protocol: a row and nothing else.
constexpr Provider kPreset{.name = "preset",
                           .wire = &kOpenAiWire,
                           .base_url = "https://preset.test/openai/v1",
                           .base_variable = "PRESET_BASE_URL",
                           .key_variable = "PRESET_API_KEY"};

class NewProvider : public testing::Test {
 protected:
  void SetUp() override {
    auto server = HttpServer::start(
        {}, [this](const ServerRequest& request, const std::shared_ptr<Responder>& responder) {
          const std::lock_guard lock(mutex_);
          requests_.push_back(request);
          responder->send(200, {}, reply_);
        });
    ASSERT_TRUE(server.has_value());
    server_ = std::move(*server);
  }

  std::unique_ptr<HttpModel> model(ModelSpec spec, const Provider& provider) {
    const std::string base = "http://127.0.0.1:" + std::to_string(server_->port());
    auto built = HttpModel::make(std::move(spec), provider, client_, [&](std::string_view name) {
      if (name == provider.base_variable) return std::optional(base + base_path_);
      return name == provider.key_variable ? std::optional<std::string>("a-key-of-acme") : std::nullopt;
    });
    EXPECT_TRUE(built.has_value());
    return std::move(*built);
  }

  EventLoop loop_;
  HttpClient client_{loop_, {}};
  std::string reply_;
  std::string base_path_;
  std::mutex mutex_;
  std::vector<ServerRequest> requests_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(NewProvider, WithAWireOfItsOwnIsAskedInIt) {
  reply_ = R"({"answer":"Hi."})";
  const auto asked = model({.provider = "acme", .name = "m-1", .temperature = 0.5}, kAcme);
  ChatRequest request = ask("Hello");
  request.sampling.seed = 7;
  const auto reply = loop_.run_until_done(asked->complete(request, nullptr));
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->message.text, "Hi.");
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_[0].path, "/v3/ask/m-1");
  EXPECT_EQ(*requests_[0].headers.find("x-acme-key"), "a-key-of-acme");
  EXPECT_EQ(requests_[0].headers.find("authorization"), nullptr);
  EXPECT_EQ(requests_[0].body, R"({"question":"Hello","heat":0.5})");
  EXPECT_EQ(asked->identity().max_tokens, 77);
  EXPECT_THAT(asked->notes(), testing::Contains(HasSubstr("seed is not sent")));
}

TEST_F(NewProvider, WithAStreamOfItsOwnIsReadByIt) {
  reply_ = "data: Hel\n\nevent: end\ndata: lo.\n\n";
  const auto asked = model({.provider = "acme", .name = "m-1", .stream = true}, kAcme);
  const ChatRequest request = ask("Hello");
  const auto reply = loop_.run_until_done(asked->complete(request, nullptr));
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->message.text, "Hello.");
  EXPECT_EQ(requests_.at(0).path, "/v3/ask/m-1");
  EXPECT_EQ(requests_.at(0).query, "stream=1");
}

TEST_F(NewProvider, ThatSharesAWireIsARow) {
  reply_ = R"({"choices":[{"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]})";
  base_path_ = "/gate/v9";
  const auto asked = model({.provider = "preset", .name = "llama"}, kPreset);
  const ChatRequest request = ask("Hello");
  const auto reply = loop_.run_until_done(asked->complete(request, nullptr));
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->message.text, "Hi.");
  EXPECT_EQ(requests_.at(0).path, "/gate/v9/chat/completions");
  EXPECT_EQ(*requests_[0].headers.find("authorization"), "Bearer a-key-of-acme");
}

TEST_F(NewProvider, NeedsItsKeyAtItsOwnAddressUnlessItSaysOtherwise) {
  const auto none = [](std::string_view) { return std::nullopt; };
  const ModelSpec spec{.provider = "preset", .name = "llama"};
  const auto own = HttpModel::make(spec, kPreset, client_, none);
  EXPECT_THAT((*own)->ready().error().text(), HasSubstr("PRESET_API_KEY"));
  EXPECT_EQ((*own)->identity().base_url, "https://preset.test/openai/v1");
  Provider open = kPreset;
  open.needs_key = false;
  EXPECT_TRUE((*HttpModel::make(spec, open, client_, none))->ready().has_value());
}

}  // namespace
}  // namespace assay
