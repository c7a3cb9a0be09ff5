#include "models/providers/aws_signature.h"

#include <chrono>

#include <gtest/gtest.h>

#include "core/time.h"

namespace assay {
namespace {

const AwsKeys kKeys{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};

std::string signature(std::string_view method, std::string_view path) {
  const Headers headers = aws_signature({method, path, "", "example.amazonaws.com", ""}, kKeys,
                                        {"us-east-1", "service"}, *parse_iso_time("2015-08-30T12:36:00Z"));
  return *headers.find("Authorization");
}

// AWS's own test suite for Signature Version 4: get-vanilla and post-vanilla.
TEST(AwsSignature, IsThePublishedOne) {
  EXPECT_EQ(signature("GET", "/"),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
            "SignedHeaders=host;x-amz-date, "
            "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_TRUE(signature("POST", "/")
                  .ends_with("Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"));
}

TEST(AwsSignature, CoversPathBodyAndSession) {
  EXPECT_NE(signature("POST", "/model/a%3A0/converse"), signature("POST", "/model/a:0/converse"));
  AwsKeys keys = kKeys;
  keys.session = "session";
  const WallTime now = *parse_iso_time("2026-01-02T03:04:05Z");
  const AwsRequest request{"POST", "/model/m/converse", "", "h", "{}"};
  const AwsScope scope{"eu-central-1", "bedrock"};
  const Headers headers = aws_signature(request, keys, scope, now);
  EXPECT_EQ(*headers.find("x-amz-date"), "20260102T030405Z");
  EXPECT_EQ(*headers.find("x-amz-security-token"), "session");
  EXPECT_TRUE(headers.find("authorization")->contains("SignedHeaders=host;x-amz-date;x-amz-security-token,"));
  const AwsRequest other{"POST", "/model/m/converse", "", "h", "{ }"};
  EXPECT_NE(*headers.find("authorization"), *aws_signature(other, keys, scope, now).find("authorization"));
}

TEST(AwsSignature, IsTheSameForWhoReceivesTheRequest) {
  const AwsRequest request{"POST", "/model/a%3A0/converse", "x=1", "h:80", "{}"};
  Headers headers =
      aws_signature(request, kKeys, {"us-east-1", "bedrock"}, *parse_iso_time("2026-01-02T03:04:05Z"));
  headers.add("Host", "h:80");
  const std::string sent = *headers.find("authorization");
  EXPECT_EQ(aws_authorization(request, headers, kKeys, sent), sent);
  EXPECT_NE(aws_authorization(request, headers, {kKeys.id, "another", ""}, sent), sent);
}

TEST(AwsRegion, StandsInTheHost) {
  EXPECT_EQ(aws_region("bedrock-runtime.eu-central-1.amazonaws.com"), "eu-central-1");
  EXPECT_EQ(aws_region("bedrock-runtime.cn-north-1.amazonaws.com.cn"), "cn-north-1");
  // An endpoint inside of a private network.
  EXPECT_EQ(aws_region("vpce-0a1b-c2d3.bedrock-runtime.us-east-1.vpce.amazonaws.com"), "us-east-1");
  EXPECT_EQ(aws_region("127.0.0.1"), "");
}

}  // namespace
}  // namespace assay
