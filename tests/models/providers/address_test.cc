#include "models/providers/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

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
  for (const auto& [base, url] : cases) EXPECT_EQ(chat_address(Wire::openai, base)->url, url) << base;
}

TEST(Address, OfAnthropicAddsTheVersionBelowAnyPath) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"https://api.anthropic.com", "https://api.anthropic.com/v1/messages"},
      {"https://api.anthropic.com/", "https://api.anthropic.com/v1/messages"},
      {"https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages"},
      {"https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1/messages"},
      {"https://api.deepseek.com/anthropic", "https://api.deepseek.com/anthropic/v1/messages"},
  };
  for (const auto& [base, url] : cases) EXPECT_EQ(chat_address(Wire::anthropic, base)->url, url) << base;
}

TEST(Address, KnowsThePublicServices) {
  EXPECT_TRUE(chat_address(Wire::openai, default_base_url(Wire::openai))->is_public);
  EXPECT_TRUE(chat_address(Wire::openai, "https://API.openai.com:443")->is_public);
  EXPECT_TRUE(chat_address(Wire::anthropic, default_base_url(Wire::anthropic))->is_public);
  EXPECT_FALSE(chat_address(Wire::openai, "https://api.openai.com.evil.test")->is_public);
  EXPECT_FALSE(chat_address(Wire::openai, "http://127.0.0.1:1")->is_public);
  EXPECT_TRUE(chat_address(Wire::openai, "https://x.openai.azure.com/openai/v1")->is_azure);
}

TEST(Address, ShowsNeitherPasswordNorQuery) {
  const auto address = chat_address(Wire::openai, "https://user:hunter2@gate.test:8443/llm/v1?sig=topsecret");
  ASSERT_TRUE(address.has_value());
  EXPECT_EQ(address->base, "https://gate.test:8443/llm/v1");
  EXPECT_EQ(address->host, "gate.test:8443");
  EXPECT_THAT(address->url, HasSubstr("hunter2"));
}

TEST(Address, ThatIsNoUrlIsAConfigErrorThatDoesNotRepeatIt) {
  for (const std::string_view base : {"", "api.openai.com", "ftp://secret@host/", "http://",
                                      "https://a b/secret", "file:///etc/secret", "http:///v1"}) {
    const auto address = chat_address(Wire::openai, base);
    ASSERT_FALSE(address.has_value()) << base;
    EXPECT_EQ(address.error().kind, ErrorKind::config);
    EXPECT_THAT(address.error().message, Not(HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace assay
