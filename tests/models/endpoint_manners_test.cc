// What a model's server does besides answering: it counts wrongly or not at all, finds answers wanting, takes
// few texts at a time, and tires of its tokens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/endpoint_scene.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Groq checks a structured answer itself. To ask again with the defects named beats ending the case.
TEST_F(Endpoint, TakesAnAnswerThatTheServerFoundWantingForAnAnswer) {
  serve_replies(
      {{400,
        R"({"error":{"message":"Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
                           "type":"invalid_request_error","code":"json_validate_failed","failed_generation":"{\"score\": 9"}})"}});
  ChatRequest request = ask("Rate it.");
  request.output = OutputSchema{"v", "", json(R"({"type":"object"})")};
  const auto reply = complete(model(spec("groq", "llama-3.3-70b")), request);
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_EQ(reply->message.text, R"({"score": 9)");
  EXPECT_EQ(reply->origin.finish_reason, "json_validate_failed");
  EXPECT_EQ(requests_.size(), 1U);
  EXPECT_FALSE(complete(*models_.back()).has_value()) << "nobody asked for JSON";
}

TEST_F(Endpoint, FindsTheErrorInsideOfAChoice) {
  serve_replies(
      {{200,
        R"({"choices":[{"message":{"content":"The"},"finish_reason":"error","error":{"code":429,"message":"slow down"}}]})"}});
  for (const bool stream : {false, true}) {
    ModelSpec made = spec("openrouter");
    made.stream = stream;
    const auto reply = complete(model(made));
    ASSERT_FALSE(reply.has_value());
    EXPECT_EQ(reply.error().error.kind, ErrorKind::rate_limited) << reply.error().error.text();
  }
}

TEST_F(Endpoint, TellsWhenTheServerCountsNoTokens) {
  serve_replies({{200, R"({"choices":[{"message":{"content":"Hi."}}]})"}});
  HttpModel& asked = model(spec());
  ASSERT_TRUE(complete(asked).has_value());
  EXPECT_THAT(asked.notes(), ElementsAre(HasSubstr("tell no tokens")));
}

// Ollama and LM Studio cut a prompt that does not fit, and say nothing.
TEST_F(Endpoint, TellsWhenTheServerReadsMuchLessThanItWasSent) {
  serve_replies({{200, openai_text("Hi.")}});
  HttpModel& asked = model(spec("ollama"));
  ASSERT_TRUE(complete(asked).has_value());
  EXPECT_THAT(asked.notes(), IsEmpty());
  std::string words;
  while (words.size() < 20'000) words += "word ";
  ASSERT_TRUE(complete(asked, ask(words)).has_value());
  ASSERT_TRUE(complete(asked, ask(words + words)).has_value());
  EXPECT_THAT(asked.notes(), ElementsAre(HasSubstr("counts 7 tokens in a prompt that has about 5004")));
}

// Vertex AI takes one text at a time for Gemini's embeddings.
TEST_F(Endpoint, AsksForVectorsAsManyTextsAtATimeAsTheModelTakes) {
  serve_replies(
      {{200, R"({"predictions":[{"embeddings":{"values":[1,0],"statistics":{"token_count":3}}}]})"},
       {200, R"({"predictions":[{"embeddings":{"values":[0,1],"statistics":{"token_count":4}}}]})"}});
  ModelSpec made = spec("vertex", "gemini-embedding-001");
  made.base_url += "/v1";
  const auto reply = loop_.run_until_done(model(made).embed({"tides", "the moon"}));
  ASSERT_TRUE(reply.has_value()) << reply.error().error.text();
  EXPECT_THAT(reply->vectors, ElementsAre(ElementsAre(1, 0), ElementsAre(0, 1)));
  EXPECT_EQ(reply->usage.prompt_tokens, 7);
  ASSERT_EQ(bodies_.size(), 2U);
  EXPECT_EQ(to_text(bodies_[1]), R"({"instances":[{"content":"the moon"}]})");
}

// A batch lives longer than many a token.
TEST_F(Endpoint, AsksForAnotherTokenWhereOneIsRefusedWhateverItIsFor) {
  serve([this](const Json& body, Responder& responder) {
    const bool old = requests_.size() % 2 == 1;
    if (old) return responder.send(401, {}, R"({"error":{"message":"expired"}})");
    responder.send(
        200, {},
        find_member(body, "input") != nullptr ? R"({"data":[{"embedding":[1,0]}]})" : R"({"data":[]})");
  });
  ModelSpec made = spec();
  made.api_key_command = {"/bin/sh", "-c", "echo token-of-$$"};
  HttpModel& asked = model(made);
  const auto vectors = loop_.run_until_done(asked.embed({"tides"}));
  ASSERT_TRUE(vectors.has_value()) << vectors.error().error.text();
  const auto listed = loop_.run_until_done(asked.run({.path = "/batches?limit=1"}));
  ASSERT_TRUE(listed.has_value()) << listed.error().error.text();
  ASSERT_EQ(requests_.size(), 4U);
  EXPECT_EQ(requests_[3].path, "/v1/batches");
  EXPECT_NE(header(requests_[2], "authorization"), header(requests_[3], "authorization"));
}

}  // namespace
}  // namespace assay
