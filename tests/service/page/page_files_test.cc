#include "service/page/page_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kScript(5000, 'x');

struct PageFilesTest : testing::Test {
  std::vector<EmbeddedText> texts = {{"index.html", "<!doctype html>"}, {"page.js", kScript}};
  PageFiles files{texts};
};

std::string header(const PageAnswer& answer, const char* name) {
  const std::string* value = answer.headers.find(name);
  return value == nullptr ? "" : *value;
}

std::string unzipped(std::string bytes) {
  std::string out(1 << 16, '\0');
  z_stream stream{};
  EXPECT_EQ(::inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::inflateEnd(&stream);
  return out;
}

TEST_F(PageFilesTest, AreCompressedForWhoTakesIt) {
  const auto plain = files.answer("page.js", {});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->body, kScript);
  EXPECT_EQ(header(*plain, "Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(header(*plain, "Content-Encoding"), "");
  EXPECT_EQ(header(*plain, "Vary"), "Accept-Encoding");
  const auto small = files.answer("page.js", {{"Accept-Encoding", "br, GZIP;q=0.5"}});
  EXPECT_EQ(header(*small, "Content-Encoding"), "gzip");
  EXPECT_LT(small->body.size(), 100U);
  EXPECT_EQ(unzipped(small->body), kScript);
  EXPECT_EQ(header(*files.answer("page.js", {{"Accept-Encoding", "gzip;q=0"}}), "Content-Encoding"), "");
  EXPECT_FALSE(files.answer("other.js", {}));
}

TEST_F(PageFilesTest, AFileThatTheBrowserHasIsNotSentAgain) {
  const std::string etag = header(*files.answer("page.js", {}), "ETag");
  EXPECT_NE(etag, header(*files.answer("index.html", {}), "ETag"));
  for (const std::string& known : {etag, "W/" + etag, "\"old\", " + etag}) {
    const auto same = files.answer("page.js", {{"If-None-Match", known}});
    EXPECT_EQ(same->status, 304) << known;
    EXPECT_EQ(same->body, "");
  }
  EXPECT_EQ(files.answer("page.js", {{"If-None-Match", "\"old\""}})->status, 200);
}

TEST_F(PageFilesTest, AllowNothingButTheirOwnOrigin) {
  for (const char* name : {"index.html", "page.js"}) {
    const auto answer = files.answer(name, {});
    const std::string policy = header(*answer, "Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'self'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_EQ(header(*answer, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header(*answer, "Referrer-Policy"), "no-referrer");
  }
}

}  // namespace
}  // namespace assay
