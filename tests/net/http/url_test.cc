#include "net/http/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Url, IsTakenApartAsItIsWritten) {
  const auto url = parse_url("HTTPS://name:p%40ss@API.example.com:8443/a/../b%2Fc?x=1&y=%20#top");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user, "name:p%40ss");
  EXPECT_EQ(url->host, "API.example.com");
  EXPECT_EQ(url->port, "8443");
  EXPECT_EQ(url->path, "/a/../b%2Fc");
  EXPECT_EQ(url->query, "x=1&y=%20");
  EXPECT_EQ(url->authority(), "API.example.com:8443");
  EXPECT_EQ(url->text(), "https://name:p%40ss@API.example.com:8443/a/../b%2Fc?x=1&y=%20");
}

TEST(Url, HasAPathEvenIfNoneIsWritten) {
  EXPECT_EQ(parse_url("http://host.test")->text(), "http://host.test/");
  EXPECT_EQ(parse_url("http://host.test?a=b")->text(), "http://host.test/?a=b");
  EXPECT_EQ(parse_url("http://[::1]:8080")->authority(), "[::1]:8080");
  EXPECT_EQ(parse_url("http://key@host.test")->user, "key");
}

TEST(Url, GoesToTheSchemesOwnPortUnlessItNamesOne) {
  EXPECT_EQ(parse_url("https://host.test/x")->origin().name, "https://host.test:443");
  EXPECT_EQ(parse_url("http://host.test?x")->origin().name, "http://host.test:80");
  EXPECT_EQ(parse_url("http://u:p@host.test:81")->origin().name, "http://host.test:81");
  EXPECT_TRUE(parse_url("https://host.test")->origin().tls);
  EXPECT_FALSE(parse_url("http://host.test")->origin().tls);
}

TEST(Url, ThatIsNoneIsNotRepeated) {
  for (const std::string_view text : {"", "host.test", "ftp://secret@host/", "http://", "http:///secret",
                                      "https://a b/secret", "file:///etc/secret", "http://host:99999/secret",
                                      "http://host.test/secret\n", "http://[::1/secret"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url.has_value()) << text;
    EXPECT_EQ(url.error().kind, ErrorKind::rejected);
    EXPECT_THAT(url.error().text(), Not(HasSubstr("secret")));
    EXPECT_EQ(host_of(text), "");
  }
}

TEST(Url, IsNamedByItsHostAloneInMessages) {
  EXPECT_EQ(host_of("https://user:hunter2@gate.test:8443/llm?sig=topsecret"), "gate.test:8443");
  EXPECT_EQ(host_of("https://gate.test"), "gate.test");
}

// The client remembers an origin under the beginning of the URL alone, so nothing that follows may change it.
RC_GTEST_PROP(Url, GoesWhereItsBeginningSays, ()) {
  const auto text = "http://" + *rc::gen::container<std::string>(
                                    rc::gen::element('a', 'b', '.', ':', '8', '@', '/', '?', '#', '%', '['));
  const auto whole = parse_url(text);
  const auto beginning = parse_url(std::string_view(text).substr(0, authority_end(text)));
  RC_ASSERT(whole.has_value() == beginning.has_value());
  if (whole) RC_ASSERT(whole->origin().name == beginning->origin().name);
}

// The schemes are those of curl's manual, --proxy.
TEST(Proxy, IsAHostWithOrWithoutSchemeUserAndPort) {
  for (const char* good : {"proxy", "proxy.example.org:3128", "http://proxy:3128", "https://proxy/",
                           "socks5h://me:pass@127.0.0.1:1080", "SOCKS4A://proxy", "http://[::1]:8080"})
    EXPECT_TRUE(check_proxy(good)) << good;
  for (const char* bad : {"nonsense proxy", "ftp://proxy", "http://", "http://me:secret@", "proxy:port",
                          "a b:1", "http://proxy:123456"}) {
    const auto refused = check_proxy(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().kind, ErrorKind::config);
    EXPECT_EQ(refused.error().message.find("secret"), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace assay
