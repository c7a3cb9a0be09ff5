#include "models/batch/batch_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Json json(std::string_view text) {
  return *parse_json(text);
}

// The shapes are those of the providers' API references and clients.
TEST(OpenAiBatches, AreMadeOfAFileWithOneRequestALine) {
  EXPECT_EQ(kOpenAiBatches.written({"mark-item", R"({"model":"gpt-4o"})"}, kOpenAiBatches.endpoint),
            "{\"custom_id\":\"mark-item\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":"
            "{\"model\":\"gpt-4o\"}}\n");
  EXPECT_EQ(json(kOpenAiBatches.creation("file-1", {}, "mark", kOpenAiBatches.endpoint)),
            json(R"({"input_file_id": "file-1", "endpoint": "/v1/chat/completions",
                     "completion_window": "24h", "metadata": {"assay": "mark"}})"));
  EXPECT_EQ(kOpenAiResponsesBatches.endpoint, "/v1/responses");
}

TEST(OpenAiBatches, SayHowFarTheyAre) {
  const auto state = kOpenAiBatches.state(json(
      R"({"id": "batch_1", "status": "in_progress", "metadata": {"assay": "mark"}, "output_file_id": null,
          "request_counts": {"total": 10, "completed": 3, "failed": 1}})"));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->id, "batch_1");
  EXPECT_FALSE(state->ended);
  EXPECT_EQ(state->total, 10);
  EXPECT_EQ(state->done, 4);
  EXPECT_EQ(state->mark, "mark");
  const auto ended = kOpenAiBatches.state(json(
      R"({"id": "batch_1", "status": "expired", "output_file_id": "file-o", "error_file_id": "file-e"})"));
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->ended);
  EXPECT_THAT(ended->results, ElementsAre("/files/file-o/content", "/files/file-e/content"));
  const auto failed = kOpenAiBatches.state(json(
      R"({"id": "b", "status": "failed", "errors": {"data": [{"code": "token_limit_exceeded",
          "message": "Enqueued token limit reached"}]}})"));
  ASSERT_TRUE(failed && failed->failure);
  EXPECT_EQ(failed->failure->kind, ErrorKind::rate_limited) << "it passes with time";
  EXPECT_THAT(failed->failure->message, HasSubstr("Enqueued token limit"));
  EXPECT_FALSE(kOpenAiBatches.state(json(R"({"object": "list"})")));
}

TEST(OpenAiBatches, GiveEachRequestItsAnswerOrItsFailure) {
  const auto answered = read_batch_result(
      kOpenAiBatches,
      R"({"custom_id": "m-1", "response": {"status_code": 200, "body": {"choices": []}}, "error": null})");
  ASSERT_TRUE(answered && answered->answer);
  EXPECT_EQ(answered->answer->body, R"({"choices":[]})");
  const auto refused = read_batch_result(
      kOpenAiBatches, R"({"custom_id": "m-2", "response": {"status_code": 400, "body": {"error": {}}}})");
  ASSERT_TRUE(refused && refused->answer);
  EXPECT_EQ(refused->answer->status, 400);
  const auto expired = read_batch_result(
      kOpenAiBatches, R"({"custom_id": "m-3", "response": null, "error": {"code": "batch_expired"}})");
  ASSERT_TRUE(expired && !expired->answer);
  EXPECT_TRUE(retryable(expired->answer.error().kind));
  const auto cancelled = read_batch_result(
      kOpenAiBatches, R"({"custom_id": "m-4", "response": null, "error": {"code": "batch_cancelled"}})");
  ASSERT_TRUE(cancelled && !cancelled->answer);
  EXPECT_FALSE(retryable(cancelled->answer.error().kind)) << "somebody wanted it so";
  for (const char* wrong :
       {"", "[]", "{\"custom_id\":\"a\"}", "{\"response\":{\"status_code\":200,\"body\":{}}}",
        R"({"custom_id":"a","response":{"status_code":9000,"body":{}}})"})
    EXPECT_FALSE(read_batch_result(kOpenAiBatches, wrong)) << wrong;
}

TEST(AnthropicBatches, AreMadeAndReadWithoutFiles) {
  const std::vector<std::string> written{kAnthropicBatches.written({"m-1", R"({"model":"c"})"}, ""),
                                         kAnthropicBatches.written({"m-2", "{}"}, "")};
  EXPECT_EQ(json(kAnthropicBatches.creation("", written, "m", "")),
            json(R"({"requests": [{"custom_id": "m-1", "params": {"model": "c"}},
                                  {"custom_id": "m-2", "params": {}}]})"));
  const auto state = kAnthropicBatches.state(json(
      R"({"id": "msgbatch_1", "processing_status": "ended", "results_url": "https://elsewhere/results",
          "request_counts": {"processing": 1, "succeeded": 2, "errored": 3, "canceled": 4, "expired": 5}})"));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->total, 15);
  EXPECT_EQ(state->done, 14);
  EXPECT_THAT(state->results, ElementsAre("/messages/batches/msgbatch_1/results"))
      << "the key goes nowhere but to the model's own address";
  const auto overloaded = read_batch_result(
      kAnthropicBatches,
      R"({"custom_id": "m-1", "result": {"type": "errored", "error": {"type": "error", "error":
          {"type": "overloaded_error", "message": "Overloaded"}}}})");
  ASSERT_TRUE(overloaded && overloaded->answer);
  EXPECT_EQ(overloaded->answer->status, 529);
  const auto answered = read_batch_result(
      kAnthropicBatches, R"({"custom_id": "m-1", "result": {"type": "succeeded", "message": {"id": "x"}}})");
  ASSERT_TRUE(answered && answered->answer);
  EXPECT_EQ(answered->answer->body, R"({"id":"x"})");
  const auto expired =
      read_batch_result(kAnthropicBatches, R"({"custom_id": "m", "result": {"type": "expired"}})");
  ASSERT_TRUE(expired && !expired->answer);
  EXPECT_FALSE(read_batch_result(kAnthropicBatches, R"({"custom_id": "m", "result": {"type": "odd"}})"));
}

TEST(BatchLines, AreWholeHoweverTheyCome) {
  const std::string text = "one\r\n\ntwo\nthree";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    std::vector<std::string> lines;
    const auto take = [&](std::string_view line) { lines.emplace_back(line); };
    BatchLines reader;
    for (std::size_t at = 0; at < text.size(); at += piece)
      reader.feed(std::string_view(text).substr(at, piece), take);
    reader.finish(take);
    EXPECT_THAT(lines, ElementsAre("one\r", "two", "three"));
  }
}

}  // namespace
}  // namespace assay
