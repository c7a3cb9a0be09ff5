#include "net/http/request_parser.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/host_name.h"
#include "tests/net/http/request_cuts.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t kMaxBody = 1000;

std::string understood_at_once(std::string_view bytes) {
  return assay::understood_at_once(bytes, kMaxBody);
}

const std::string kPost = "POST /x HTTP/1.1\r\nHost: h\r\n";
const std::string kChunked = kPost + "Transfer-Encoding: chunked\r\n\r\n";

// Requests of every kind, good and bad; several of them in one go.
const std::string kCorpus[] = {
    "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "\r\nGET /a%20b?c=%20d HTTP/1.1\r\nHost: x:80\r\nX-Empty:\r\nX-Blank: \t b \t\r\n\r\n",
    "GET http://name:81/p?q HTTP/1.1\r\nHost: other\r\nConnection: TE, Close\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
    kPost + "Content-Length: 4\r\n\r\nbodyGET /next HTTP/1.1\r\nHost: h\r\n\r\n",
    kPost + "Content-Length: 0\r\n\r\n",
    kChunked + "3\r\nabc\r\nA;e=1;f=\"x\"\r\n0123456789\r\n0\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n",
    kChunked + "000\r\nX-Trailer: 1\r\nX-More: 2\r\n\r\n",
    kPost + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
    // Refused.
    "hello\r\n\r\n",
    "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET / HTTP/1.1\nHost: x\n\n",
    "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    kPost + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    kPost + "Content-Length: 1001\r\n\r\n",
    kChunked + "3\r\nabcd\r\n0\r\n\r\n",
    kChunked + "3e9\r\nabc",
    kChunked + "3 ;" + std::string(5000, 'e') + "\r\nabc\r\n",
    kChunked + "3" + std::string(9000, '0'),
    kChunked + "0\r\nnot a trailer\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(70'000, 'x'),
};

TEST(RequestParser, UnderstandsTheSameHoweverTheBytesAreCut) {
  for (const std::string& bytes : kCorpus) {
    const std::string whole = understood_at_once(bytes);
    EXPECT_NE(whole, "") << bytes.substr(0, 200);
    for (const std::size_t step : {1, 2, 3, 7, 64})
      EXPECT_EQ(understood_in_steps(bytes, kMaxBody, step), whole) << bytes.substr(0, 200);
    const std::size_t cuts = std::min<std::size_t>(bytes.size(), 400);
    for (std::size_t cut = 1; cut < cuts; ++cut)
      EXPECT_EQ(understood_with_cut(bytes, kMaxBody, cut), whole) << cut << " of " << bytes.substr(0, 200);
  }
}

TEST(RequestParser, UnderstandsAChunkedBodyInAnyTwoCuts) {
  const std::string bytes = kChunked + "3;a\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n" + kChunked + "0\r\n\r\n";
  const std::string whole = understood_at_once(bytes);
  EXPECT_THAT(whole, HasSubstr("{abcde}\n"));
  for (std::size_t first = 1; first < bytes.size(); ++first) {
    for (std::size_t second = first + 1; second < bytes.size(); ++second) {
      EXPECT_EQ(understood(bytes, kMaxBody,
                           [&](std::size_t at) {
                             return at < first ? first - at : at < second ? second - at : bytes.size();
                           }),
                whole)
          << first << ", " << second;
    }
  }
}

TEST(RequestParser, TellsTheHeadBeforeTheBody) {
  EXPECT_EQ(understood_at_once(kPost + "Content-Length: 2\r\n\r\nab"),
            "head with body\nPOST /x ? @h 1.1 stays [Host=h] [Content-Length=2] {ab}\n");
  EXPECT_EQ(understood_at_once("GET / HTTP/1.0\r\n\r\n"), "head\nGET / ? @ 1.0 goes {}\n");
  EXPECT_THAT(understood_at_once("GET http://a:1/p?q HTTP/1.1\r\nHost: b\r\n\r\n"),
              HasSubstr("GET /p ?q @a:1 "));
}

// RFC 9112: each of these has been a way to smuggle a request past somebody.
TEST(RequestParser, RefusesWhatCouldBeReadInTwoWays) {
  const std::pair<std::string, std::string> kRefused[] = {
      {kPost + "Transfer-Encoding: xchunked\r\n\r\n", "501"},
      {kPost + "Transfer-Encoding: identity\r\n\r\n", "501"},
      {kPost + "Transfer-Encoding: chunked, chunked\r\n\r\n", "501"},
      {kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
      {kPost + "Transfer-Encoding : chunked\r\n\r\n", "400"},
      {kPost + "Transfer-Encoding:\x0b"
               "chunked\r\n\r\n",
       "400"},
      {kPost + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", "400"},
      {kPost + "Content-Length: 1, 1\r\n\r\na", "400"},
      {kPost + "Content-Length: +1\r\n\r\na", "400"},
      {kPost + "Content-Length: 0x1\r\n\r\na", "400"},
      {kPost + "Content-Length:\r\n\r\n", "400"},
      {kPost + "Content-Length: 99999999999999999999\r\n\r\n", "413"},
      {kPost + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
      {kChunked + "0x3\r\nabc\r\n", "400"},
      {kChunked + "-1\r\n", "400"},
      {kChunked + "\r\n", "400"},
      {kChunked + "3 x\r\nabc\r\n", "400"},
      {kChunked + "3\nabc\r\n", "400"},
      {kChunked + "3\r\nabcX\n0\r\n\r\n", "400"},
      {kChunked + "ffffffffffffffff1\r\n", "413"},
      {kChunked + "ffffffffffffffff\r\n", "413"},
      {"GET / HTTP/1.1\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: user@a\r\n\r\n", "400"},
      {"GET http://user@a/ HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {"GET / HTTP/1.1\r\nHost: a\rX: 1\r\n\r\n", "400"},
      {std::string("GET / HTTP/1.1\r\nHost: a\r\nX: ") + '\0' + "\r\n\r\n", "400"},
      {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {"GET /\tHTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", "400"},
      {"GET / http/1.1\r\nHost: a\r\n\r\n", "400"},
      {"GET a HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {"G(T / HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
      {kPost + "Expect: the unexpected\r\nContent-Length: 1\r\n\r\n", "417"},
  };
  for (const auto& [bytes, status] : kRefused) {
    const std::string whole = understood_at_once(bytes);
    const std::size_t last = whole.rfind('\n', whole.size() - 2);
    EXPECT_THAT(whole.substr(last == std::string::npos ? 0 : last + 1), StartsWith(status)) << bytes;
  }
}

TEST(RequestParser, BoundsEverythingThatAClientCanSend) {
  std::string extensions = kChunked;
  for (int i = 0; i < 1000; ++i) extensions += "1;an=extension\r\nx\r\n";
  EXPECT_THAT(understood_at_once(extensions), HasSubstr("400 the extensions of the chunks are too long"));
  std::string trailers = kChunked + "0\r\n";
  for (int i = 0; i < 1000; ++i) trailers += "X-Trailer: more\r\n";
  EXPECT_THAT(understood_at_once(trailers), HasSubstr("400 a line between or after the chunks is too long"));
  std::string fields = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 300; ++i) fields += "a: b\r\n";
  EXPECT_THAT(understood_at_once(fields), HasSubstr("431 there are too many header fields"));
  std::string chunks = kChunked;
  for (int i = 0; i < 1001; ++i) chunks += "1\r\nx\r\n";
  EXPECT_THAT(understood_at_once(chunks), HasSubstr("413 the body is too large"));
}

TEST(HostName, HasOneForm) {
  EXPECT_EQ(split_authority("LocalHost.:80")->host, "localhost");
  EXPECT_EQ(split_authority("LocalHost.:80")->port, "80");
  EXPECT_EQ(split_authority("[0:0:0:0:0:0:0:1]:8080")->host, "::1");
  EXPECT_EQ(split_authority("[::ffff:10.0.0.1]")->host, "10.0.0.1");
  EXPECT_EQ(split_authority("a:")->port, "");
  for (const auto* bad : {"", ":80", "a:b", "a:123456", "[::1", "[::1]x", "[a]", "a@b", "a/b", "::1", "a b"})
    EXPECT_FALSE(split_authority(bad)) << bad;
  EXPECT_TRUE(is_loopback_host("127.9.8.7"));
  EXPECT_TRUE(is_loopback_host(plain_host("0::1")));
  for (const auto* other : {"127.evil.example", "localhost.evil.example", "10.0.0.1", "::2", "1270.0.0.1"})
    EXPECT_FALSE(is_loopback_host(other)) << other;
  EXPECT_EQ(url_host("::1"), "[::1]");
}

}  // namespace
}  // namespace assay
