#include "net/http/response_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

std::string head(const Headers& headers, bool& keep_alive, bool old_version = false) {
  std::string out;
  append_response_head(out, {200, headers, "today", old_version}, keep_alive);
  return out;
}

TEST(ResponseHead, HasStatusDateAndTheGivenFields) {
  bool keep_alive = true;
  EXPECT_EQ(head({{"Content-Type", "text/plain"}}, keep_alive),
            "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Type: text/plain\r\n");
}

TEST(ResponseHead, AValueCannotWriteFieldsOfItsOwn) {
  bool keep_alive = true;
  EXPECT_EQ(head({{"X-Note", "a\r\nSet-Cookie: b"}, {"bad name", "x"}, {"X\r\nY", "z"}}, keep_alive),
            "HTTP/1.1 200 OK\r\nDate: today\r\nX-Note: a  Set-Cookie: b\r\n");
}

TEST(ResponseHead, FieldsThatFrameTheBodyAreTheServers) {
  bool keep_alive = true;
  EXPECT_EQ(head({{"content-length", "5"}, {"Transfer-Encoding", "chunked"}, {"Date", "x"}}, keep_alive),
            "HTTP/1.1 200 OK\r\nDate: today\r\n");
}

TEST(ResponseHead, AHandlerMayCloseTheConnectionAndAnOldClientIsToldThatItStays) {
  bool keep_alive = true;
  EXPECT_THAT(head({{"connection", "Close"}}, keep_alive), testing::EndsWith("Connection: close\r\n"));
  EXPECT_FALSE(keep_alive);
  keep_alive = true;
  EXPECT_THAT(head({}, keep_alive, true), testing::EndsWith("Connection: keep-alive\r\n"));
}

}  // namespace
}  // namespace assay
