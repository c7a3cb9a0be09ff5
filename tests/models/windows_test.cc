#include "models/windows.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(KnownWindow, IsFoundByNameWhoeverServesTheModel) {
  EXPECT_EQ(known_window("gpt-4o-mini"), 128'000);
  EXPECT_EQ(known_window("gpt-4"), 8'192);
  EXPECT_EQ(known_window("us.anthropic.claude-sonnet-4-5-20250929-v1:0"), 200'000);
  EXPECT_EQ(known_window("google/gemini-2.5-pro"), 1'048'576);
  EXPECT_EQ(known_window("my-own"), std::nullopt);
  // The generations of one family differ.
  EXPECT_EQ(known_window("claude-opus-4-5"), 200'000);
  EXPECT_EQ(known_window("claude-opus-4-6"), 1'000'000);
  EXPECT_EQ(known_window("anthropic.claude-opus-4-7"), 1'000'000);
  EXPECT_EQ(known_window("claude-opus-5"), 1'000'000);
  EXPECT_EQ(known_window("gpt-5.1"), 400'000);
  EXPECT_EQ(known_window("gpt-5.1-chat-latest"), 128'000);
  EXPECT_EQ(known_window("x-ai/grok-4"), 256'000);
  EXPECT_EQ(known_window("grok-4-fast-reasoning"), 2'000'000);
  EXPECT_EQ(known_window("mistral-medium-latest"), 262'144);
}

struct Said {
  std::string_view message;
  std::optional<std::int64_t> prompt;
  std::optional<std::int64_t> limit;
  std::string_view code = "";
};

// In the words of the services.
constexpr Said kSaid[] = {
    {"This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 "
     "tokens. "
     "Please reduce the length of the messages.",
     130'012, 128'000, "context_length_exceeded"},
    {"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in the "
     "messages, 100 in the completion).",
     5'000, 4'096},
    {"prompt is too long: 208310 tokens > 200000 maximum", 208'310, 200'000},
    {"input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length",
     207'192, 200'000},
    {"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1'200'000,
     1'048'576},
    {"Input is too long for requested model.", std::nullopt, std::nullopt},
    {"Your input exceeds the context window of this model.", std::nullopt, std::nullopt},
    {"the request exceeds the available context size. try increasing the context size", std::nullopt,
     std::nullopt, "exceed_context_size_error"},
    {"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
     40'000, 32'768},
    {"This model's maximum prompt length is 131072 but the request contains 200000 tokens.", 200'000,
     131'072},
    {"Please reduce the length of the messages or completion.", std::nullopt, std::nullopt},
    {"The decoder prompt (length 15050) is longer than the maximum model length of 8192.", 15'050, 8'192},
    {"The input (9000 tokens) is longer than the model's context length (8192 tokens).", 9'000, 8'192},
    {"Input validation error: `inputs` must have less than 4095 tokens. Given: 5000", 5'000, 4'095},
    {"Input Tokens Exceeded: Number of input tokens exceeds maximum length.", std::nullopt, std::nullopt},
    {"The number of tokens to keep from the initial prompt is greater than the context length.", std::nullopt,
     std::nullopt},
};

TEST(Overflow, IsRecognisedInTheWordsOfEveryService) {
  for (const Said& said : kSaid) {
    SCOPED_TRACE(said.message);
    const auto overflow = overflow_of({std::string(said.message), "", std::string(said.code), ""});
    ASSERT_TRUE(overflow.has_value());
    EXPECT_EQ(overflow->prompt, said.prompt);
    EXPECT_EQ(overflow->limit, said.limit);
  }
  EXPECT_FALSE(overflow_of({"max_tokens is too large: 200000", "invalid_request_error", "", ""}).has_value());
}

// As llama-server answers (tools/server/utils.hpp).
TEST(Overflow, TakesTheSizesFromMembersOfTheError) {
  const auto complaints = complaints_in_text(
      R"({"error": {"code": 400, "message": "the request exceeds the available context size. try increasing it",)"
      R"( "type": "exceed_context_size_error", "n_prompt_tokens": 60010, "n_ctx": 4096}})");
  ASSERT_EQ(complaints.size(), 1U);
  const auto overflow = overflow_of(complaints[0]);
  ASSERT_TRUE(overflow.has_value());
  EXPECT_EQ(overflow->prompt, 60'010);
  EXPECT_EQ(overflow->limit, 4'096);
}

TEST(Overflow, IsToldWithTheSizes) {
  EXPECT_EQ(overflow_words({208'310, 200'000}),
            "the prompt does not fit into the model's context: 208310 tokens, at most 200000");
  EXPECT_EQ(overflow_words({std::nullopt, 200'000}),
            "the prompt does not fit into the model's context: at most 200000 tokens");
  EXPECT_EQ(overflow_words({}), "the prompt does not fit into the model's context");
}

}  // namespace
}  // namespace assay
