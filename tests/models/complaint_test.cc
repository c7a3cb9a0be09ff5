#include "models/complaint.h"

#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

TEST(Complaint, OfOpenAiHasMessageTypeCodeAndParameter) {
  const auto found = complaints_in(json(R"({"error":{"message":"Unsupported parameter: 'max_tokens'",
      "type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}})"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Complaint{"Unsupported parameter: 'max_tokens'", "invalid_request_error",
                                 "unsupported_parameter", "max_tokens"}));
}

TEST(Complaint, OfAnthropicTakesTheInnerType) {
  const auto found = complaints_in(json(
      R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"})"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].type, "overloaded_error");
  EXPECT_EQ(found[0].message, "Overloaded");
}

TEST(Complaint, OfASpendLimitCarriesItsErrorCode) {
  const auto found =
      complaints_in(json(R"({"type":"error","error":{"type":"rate_limit_error","message":"Spend limit",)"
                         R"("details":{"error_code":"enforced_spend_limit_reached"}}})"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "enforced_spend_limit_reached");
}

TEST(Complaint, OfFastApiIsOnePerField) {
  const auto found = complaints_in(json(R"({"detail":[
      {"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":7},
      {"type":"extra_forbidden","loc":["body","messages",0,"name"],"msg":"Extra inputs are not permitted"}]})"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], (Complaint{"Extra inputs are not permitted", "extra_forbidden", "", "body.seed"}));
  EXPECT_EQ(found[1].parameter, "body.messages.0.name");
}

TEST(Complaint, InsideATextInsideAnErrorIsFound) {
  // As gateways wrap the error of the server behind them.
  const auto found = complaints_in(json(
      R"({"object":"error","message":"{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"stop\"],)"
      R"(\"msg\":\"Extra inputs are not permitted\"}]}","type":"internal_error_proxy","code":"1000"})"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].parameter, "body.stop");
  EXPECT_EQ(found[0].type, "extra_forbidden");
}

TEST(Complaint, MayBeAPlainTextOrNoJsonAtAll) {
  EXPECT_EQ(complaints_in(json(R"({"error":"model not found"})")).at(0).message, "model not found");
  EXPECT_EQ(complaints_in(json(R"({"detail":"Unsupported parameter: response_format"})")).at(0).message,
            "Unsupported parameter: response_format");
  EXPECT_EQ(complaints_in_text("<html>502 Bad Gateway</html>").at(0).message, "<html>502 Bad Gateway</html>");
  EXPECT_TRUE(complaints_in_text(" \n ").empty());
  EXPECT_TRUE(complaints_in(json(R"({"error":null})")).empty());
  EXPECT_TRUE(complaints_in(json("3")).empty());
}

TEST(Complaint, ThatNestsForEverIsBounded) {
  std::string text = "\"end\"";
  for (int i = 0; i < 50; ++i) text.insert(0, R"({"error":)").append("}");
  EXPECT_TRUE(complaints_in(json(text)).empty());
  std::string list = "[";
  for (int i = 0; i < 500; ++i) list += i == 0 ? "\"x\"" : ",\"x\"";
  EXPECT_EQ(complaints_in(json(list + "]")).size(), 16U);
}

TEST(Complaint, StandsForTheStatusItWouldHaveComeWith) {
  const auto status = [](std::string_view text) { return status_of(complaints_in(json(text))); };
  EXPECT_EQ(status(R"({"type":"error","error":{"type":"overloaded_error","message":"m"}})"), 529);
  EXPECT_EQ(status(R"({"type":"error","error":{"type":"rate_limit_error","message":"m"}})"), 429);
  EXPECT_EQ(status(R"({"type":"error","error":{"type":"authentication_error","message":"m"}})"), 401);
  EXPECT_EQ(status(R"({"error":{"code":502,"message":"provider is gone"}})"), 502);
  EXPECT_EQ(status(R"({"error":{"type":"server_error","message":"m","code":null}})"), 500);
  EXPECT_EQ(status(R"({"error":{"message":"m","code":"7"}})"), 500);
  EXPECT_EQ(status("{}"), 500);
}

}  // namespace
}  // namespace assay
