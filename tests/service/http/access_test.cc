#include "service/http/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

int status_of(const Access& access, const std::string& host, const std::string& origin = "",
              const std::string& local = "10.0.0.5") {
  ServerRequest request;
  request.host = host;
  request.local = local;
  if (!origin.empty()) request.headers.add("Origin", origin);
  const auto objection = access.objection(request);
  return objection ? objection->first : 0;
}

TEST(Access, KnowsItsNames) {
  const Access access("0.0.0.0", {"Assay.example:443"});
  for (const char* good : {"localhost:8080", "127.0.0.1:8080", "[::1]:8080", "127.5.5.5", "LOCALHOST.",
                           "10.0.0.5:1", "assay.example", "assay.example:8443", ""})
    EXPECT_EQ(status_of(access, good), 0) << good;
  for (const char* bad :
       {"evil.example", "localhost.evil.example", "10.0.0.6", "0.0.0.0", "127.0.0.1.evil.example"})
    EXPECT_EQ(status_of(access, bad), 421) << bad;
  EXPECT_EQ(status_of(Access("10.0.0.5", {}), "10.0.0.5:8080", "", "10.0.0.5"), 0);
  EXPECT_EQ(status_of(Access("myhost", {}), "MyHost:8080"), 0);
}

TEST(Access, RefusesPagesOfOtherOrigins) {
  const Access access("127.0.0.1", {"assay.example"});
  EXPECT_EQ(status_of(access, "localhost:8080", "http://localhost:8080"), 0);
  EXPECT_EQ(status_of(access, "localhost", "http://localhost:80"), 0);
  EXPECT_EQ(status_of(access, "127.0.0.1:8080", "https://assay.example"), 0) << "behind a proxy";
  for (const char* bad :
       {"http://localhost:3000", "http://127.0.0.1:8080", "https://localhost", "null", "http://evil.example",
        "http://localhost:8080.evil.example", "file://", "http://assay.example.evil"})
    EXPECT_EQ(status_of(access, "localhost:8080", bad), 403) << bad;
}

TEST(Access, LetsInThePagesOfNamedOriginsAlone) {
  const Access access("127.0.0.1", {}, {"https://Dashboard.example/"});
  EXPECT_EQ(status_of(access, "localhost:8080", "https://dashboard.example"), 0);
  for (const char* bad : {"http://dashboard.example", "https://dashboard.example:8443",
                          "https://dashboard.example.evil", "https://evil.example", "null"})
    EXPECT_EQ(status_of(access, "localhost:8080", bad), 403) << bad;
  ServerRequest request;
  request.headers.add("Origin", "https://dashboard.example");
  EXPECT_EQ(access.named_origin(request), "https://dashboard.example");
  EXPECT_EQ(Access("127.0.0.1", {}).named_origin(request), "");
  EXPECT_EQ(Access::origin_defect("https://dashboard.example:8443"), "");
  for (const char* none : {"*", "dashboard.example", "null", "file://x", "https://"})
    EXPECT_NE(Access::origin_defect(none), "") << none;
}

TEST(Access, AnotherSiteChangesNothingEvenWithoutAnOrigin) {
  const Access access("127.0.0.1", {});
  ServerRequest request;
  request.host = "localhost:8080";
  request.headers.add("Sec-Fetch-Site", "cross-site");
  request.method = "GET";
  EXPECT_FALSE(access.objection(request)) << "a link from elsewhere opens the page";
  request.method = "POST";
  EXPECT_EQ(access.objection(request)->first, 403);
}

}  // namespace
}  // namespace assay
