#include "models/providers/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/providers/provider.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

Result<Address> address_of(std::string_view provider, std::string_view base) {
  return chat_address(*find_provider(provider), base, "m");
}

TEST(Address, OfOpenAiTakesEveryFormOfTheBase) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"},
      {"https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"},
      {"https://api.openai.com", "https://api.openai.com/v1/chat/completions"},
      {" http://127.0.0.1:8080/ ", "http://127.0.0.1:8080/v1/chat/completions"},
      {"http://localhost:11434/v1/chat/completions", "http://localhost:11434/v1/chat/completions"},
      {"https://openrouter.ai/api/v1//", "https://openrouter.ai/api/v1/chat/completions"},
      {"https://x.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21",
       "https://x.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21"},
      {"https://host.test?token=x", "https://host.test/v1/chat/completions?token=x"},
      {"http://[::1]:8080/v1#top", "http://[::1]:8080/v1/chat/completions"},
  };
  for (const auto& [base, url] : cases) EXPECT_EQ(address_of("openai", base)->url, url) << base;
}

TEST(Address, OfAnthropicAddsTheVersionBelowAnyPath) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"https://api.anthropic.com", "https://api.anthropic.com/v1/messages"},
      {"https://api.anthropic.com/", "https://api.anthropic.com/v1/messages"},
      {"https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"},
      {"https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/messages"},
      {"https://api.deepseek.com/anthropic", "https://api.deepseek.com/anthropic/v1/messages"},
  };
  for (const auto& [base, url] : cases) EXPECT_EQ(address_of("anthropic", base)->url, url) << base;
}

TEST(Address, KnowsThePublicServices) {
  EXPECT_TRUE(address_of("openai", find_provider("openai")->base_url)->is_public);
  EXPECT_TRUE(address_of("openai", "https://API.openai.com:443")->is_public);
  EXPECT_TRUE(address_of("anthropic", find_provider("anthropic")->base_url)->is_public);
  EXPECT_FALSE(address_of("openai", "https://api.openai.com.evil.test")->is_public);
  EXPECT_FALSE(address_of("openai", "http://127.0.0.1:1")->is_public);
}

TEST(Address, MayNameTheModelAndDifferForAStream) {
  const Wire wire{.name = "acme",
                  .version = "/v1beta",
                  .endpoint = "/models/{model}:generate",
                  .stream_endpoint = "/models/{model}:stream?alt=sse",
                  .body = nullptr,
                  .reply = nullptr,
                  .stream = nullptr,
                  .ways = {}};
  const Provider acme{.name = "acme", .wire = &wire, .base_url = "https://acme.test"};
  const auto address = chat_address(acme, "https://acme.test?key=k1", "tuned/m 1");
  ASSERT_TRUE(address.has_value());
  EXPECT_EQ(address->url, "https://acme.test/v1beta/models/tuned%2Fm%201:generate?key=k1");
  EXPECT_EQ(address->stream_url, "https://acme.test/v1beta/models/tuned%2Fm%201:stream?key=k1&alt=sse");
  EXPECT_TRUE(address->is_public);
  EXPECT_EQ(address_of("openai", "http://h")->stream_url, address_of("openai", "http://h")->url);
}

TEST(Address, ShowsNeitherPasswordNorQuery) {
  const auto address = address_of("openai", "https://user:hunter2@gate.test:8443/llm/v1?sig=topsecret");
  ASSERT_TRUE(address.has_value());
  EXPECT_EQ(address->base, "https://gate.test:8443/llm/v1");
  EXPECT_EQ(address->host, "gate.test:8443");
  EXPECT_THAT(address->url, HasSubstr("hunter2"));
}

TEST(Address, ThatIsNoUrlIsAConfigErrorThatDoesNotRepeatIt) {
  for (const std::string_view base : {"", "api.openai.com", "ftp://secret@host/", "http://",
                                      "https://a b/secret", "file:///etc/secret", "http:///v1"}) {
    const auto address = address_of("openai", base);
    ASSERT_FALSE(address.has_value()) << base;
    EXPECT_EQ(address.error().kind, ErrorKind::config);
    EXPECT_THAT(address.error().message, Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace assay
