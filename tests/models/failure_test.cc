#include "models/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/text.h"
#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kKey = "sk-proj-AbCdEf0123456789-secret";

Secrets holding(std::string_view key) {
  Secrets secrets;
  secrets.add(key);
  return secrets;
}

ModelFailure failure(int status, std::string_view body, std::string_view key = kKey,
                     const Headers& headers = {}) {
  const Secrets secrets = holding(key);
  return failure_of_status(status, headers, body, {"api.openai.com", "OPENAI_API_KEY", !key.empty(), secrets},
                           WallTime());
}

ModelFailure broken(std::string_view reason, std::string_view body, std::string_view key) {
  const Secrets secrets = holding(key);
  return failure_of_broken(reason, body, {"h", "K", !key.empty(), secrets});
}

ModelFailure complained(const std::vector<Complaint>& complaints, std::string_view key) {
  const Secrets secrets = holding(key);
  return failure_of_complaints(complaints, {"h", "K", !key.empty(), secrets});
}

TEST(Failure, HasTheKindOfItsStatus) {
  const std::vector<std::pair<int, ErrorKind>> kinds{
      {400, ErrorKind::rejected},   {401, ErrorKind::auth},         {402, ErrorKind::rejected},
      {403, ErrorKind::auth},       {404, ErrorKind::rejected},     {408, ErrorKind::overloaded},
      {409, ErrorKind::overloaded}, {413, ErrorKind::rejected},     {422, ErrorKind::rejected},
      {425, ErrorKind::overloaded}, {429, ErrorKind::rate_limited}, {500, ErrorKind::overloaded},
      {502, ErrorKind::overloaded}, {503, ErrorKind::overloaded},   {529, ErrorKind::overloaded},
      {302, ErrorKind::rejected}};
  for (const auto& [status, kind] : kinds) {
    EXPECT_EQ(failure(status, R"({"error":{"message":"no"}})").error.kind, kind) << status;
  }
}

TEST(Failure, OfAnEmptyPurseIsNotWorthAnotherTry) {
  for (
      const std::string_view body :
      {R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
       R"({"type":"error","error":{"type":"rate_limit_error","message":"Limit","details":{"error_code":"enforced_spend_limit_reached"}}})"}) {
    const ModelFailure found = failure(429, body);
    EXPECT_EQ(found.error.kind, ErrorKind::rejected) << body;
    EXPECT_FALSE(retryable(found.error.kind));
    EXPECT_THAT(found.error.message, HasSubstr("quota or credit is used up"));
  }
}

TEST(Failure, SaysWhoRefusedAndWhatToLookAt) {
  EXPECT_EQ(failure(500, R"({"error":{"message":"The server had an error"}})").error.message,
            "HTTP 500 from api.openai.com: The server had an error");
  EXPECT_THAT(failure(401, R"({"error":{"message":"Incorrect API key"}})").error.message,
              HasSubstr("check OPENAI_API_KEY"));
  EXPECT_THAT(failure(401, "{}", "").error.message, HasSubstr("no key was sent: set OPENAI_API_KEY"));
  EXPECT_THAT(failure(404, R"({"error":"model 'x' not found"})").error.message,
              HasSubstr("model's name and the URL"));
  EXPECT_THAT(
      failure(
          400,
          R"({"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}})")
          .error.message,
      HasSubstr("does not fit into the model's context"));
  EXPECT_THAT(
      failure(
          400,
          R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 207791 tokens > 200000 maximum"}})")
          .error.message,
      HasSubstr("does not fit into the model's context"));
  EXPECT_THAT(failure(422, R"({"detail":[{"loc":["body","model"],"msg":"Field required","type":"missing"}]})")
                  .error.message,
              HasSubstr("model: Field required"));
  EXPECT_EQ(failure(502, "").error.message, "HTTP 502 from api.openai.com");
}

TEST(Failure, ShowsTheServersWordsInOneShortPrintableLine) {
  const std::string long_text(5000, 'x');
  EXPECT_LT(failure(400, R"({"error":{"message":")" + long_text + R"("}})").error.message.size(), 400U);
  const std::string message = failure(502, "<html>\r\n\x1b[31m\t Bad \xff Gateway\x07</html>").error.message;
  EXPECT_EQ(message, "HTTP 502 from api.openai.com: <html> [31m Bad \xEF\xBF\xBD Gateway </html>");
}

TEST(Failure, CarriesWhatTheServerAskedFor) {
  EXPECT_EQ(failure(429, "{}", kKey, {{"retry-after", "3"}}).retry_after, std::chrono::seconds(3));
  EXPECT_EQ(failure(429, "{}").retry_after, std::nullopt);
}

// As each of them says it; the statuses are theirs.
TEST(Failure, OfAContentFilterIsARefusal) {
  const std::vector<std::pair<int, std::string_view>> said{
      {400,
       R"({"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"jailbreak":{"filtered":true,"detected":true}}}}})"},
      {400,
       R"({"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}})"},
      {400,
       R"({"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","type":"invalid_request_error","param":null,"code":"invalid_prompt"}})"},
      {403,
       R"({"error":{"code":403,"message":"m requires moderation on P. Your input was flagged for \"violence\". No credits were charged.","metadata":{"reasons":["violence"]}}})"},
      {403,
       R"({"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"})"},
      {400,
       R"({"error":{"message":"Content Exists Risk","type":"invalid_request_error","param":null,"code":"invalid_request_error"}})"}};
  for (const auto& [status, body] : said) {
    const Error error = failure(status, body).error;
    EXPECT_EQ(error.kind, ErrorKind::refused) << body;
    EXPECT_THAT(error.message, HasSubstr("declined by a content filter"));
  }
  EXPECT_EQ(complained(complaints_in(json(said[0].second)), "").error.kind, ErrorKind::refused);
  EXPECT_EQ(failure(403, R"({"error":{"message":"Key limit exceeded","code":403}})").error.kind,
            ErrorKind::auth);
}

// Statuses of their own for what passes, and a call of a tool that Groq's model wrote badly, which it may
// write well the next time.
TEST(Failure, ThatMayPassIsKnownByWhatServicesCallIt) {
  EXPECT_EQ(failure(424, R"({"message":"The request failed due to an error while processing the model."})")
                .error.kind,
            ErrorKind::overloaded)
      << "Bedrock's ModelErrorException";
  EXPECT_EQ(failure(498, R"({"error":{"message":"capacity_exceeded"}})").error.kind, ErrorKind::overloaded)
      << "Groq's flex tier";
  EXPECT_EQ(
      failure(
          400,
          R"({"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=look>"}})")
          .error.kind,
      ErrorKind::overloaded);
}

TEST(Failure, OfAKeyOrAPurseIsKnownByItsWordsWhereThereIsNoStatusForIt) {
  const Error key =
      failure(
          400,
          R"({"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***f0."})")
          .error;
  EXPECT_EQ(key.kind, ErrorKind::auth) << "xAI";
  EXPECT_THAT(key.message, HasSubstr("check OPENAI_API_KEY"));
  EXPECT_THAT(
      failure(
          400,
          R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}})")
          .error.message,
      HasSubstr("quota or credit is used up"));
}

TEST(Failure, InsideAReplyMapsLikeItsStatus) {
  const auto kind = [](std::string_view text) {
    return complained(complaints_in(json(text)), "").error.kind;
  };
  EXPECT_EQ(kind(R"({"type":"error","error":{"type":"overloaded_error","message":"m"}})"),
            ErrorKind::overloaded);
  EXPECT_EQ(kind(R"({"type":"error","error":{"type":"rate_limit_error","message":"m"}})"),
            ErrorKind::rate_limited);
  EXPECT_EQ(kind(R"({"type":"error","error":{"type":"invalid_request_error","message":"m"}})"),
            ErrorKind::rejected);
  EXPECT_EQ(kind(R"({"error":{"message":"m","code":"insufficient_quota"}})"), ErrorKind::rejected);
}

TEST(Failure, OfABrokenReplyIsWorthAnotherTryAndShowsItsStart) {
  const ModelFailure found = broken("it is not complete JSON", R"({"choices":[{"mess)", kKey);
  EXPECT_EQ(found.error.kind, ErrorKind::network);
  EXPECT_TRUE(retryable(found.error.kind));
  EXPECT_EQ(found.error.message,
            R"(the reply of h cannot be used: it is not complete JSON; it starts with: {"choices":[{"mess)");
  EXPECT_THAT(broken("it is empty", "", kKey).error.message, HasSubstr("it is empty"));
}

TEST(Failure, HidesTheKeyAndWhatLooksLikeOne) {
  EXPECT_THAT(failure(401, "Incorrect API key provided: sk-proj-********************cret.").error.message,
              HasSubstr("Incorrect API key provided: [key]"));
  EXPECT_THAT(failure(401, "starts with AbCdEf0123").error.message, HasSubstr("starts with [key]"));
}

TEST(Failure, LeavesWordsWholeThatHoldAShortKey) {
  EXPECT_THAT(failure(404, "no such task-specific model", "k").error.message,
              AllOf(HasSubstr("check the model's name"), HasSubstr("task-specific")));
}

// The property that matters most: whatever a server sends back, no piece of the key is in the text.
RC_GTEST_PROP(Failure, NeverHoldsAPieceOfTheKey, ()) {
  const auto key = *rc::gen::container<std::string>(rc::gen::element('a', 'b', 'k', '-', '7'));
  RC_PRE(key.size() >= 12);
  const auto from = *rc::gen::inRange<std::size_t>(0, key.size());
  const auto noise =
      *rc::gen::container<std::string>(rc::gen::element('x', ' ', '"', '{', '\n', '\xc3', 'z'));
  const std::string body = noise + key + noise + key.substr(from) + noise + key.substr(0, from);
  std::vector<std::string> messages{
      failure(401, body, key).error.message, broken(body, body, key).error.message,
      failure(400, to_text(Json(JsonObject{{"error", JsonObject{{"message", repair_utf8(body)}}}})), key)
          .error.message,
      complained({{body, "", "", "body." + key}}, key).error.message};
  for (const auto& message : messages) {
    for (std::size_t at = 0; at + 8 <= key.size(); ++at) {
      RC_ASSERT(message.find(key.substr(at, 8)) == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace assay
