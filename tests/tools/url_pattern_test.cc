#include "tools/url_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/text.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string filled(std::string_view pattern, const JsonObject& values) {
  auto url = UrlPattern::parse(pattern).value().fill(values);
  return url ? *url : url.error().message;
}

TEST(UrlPattern, IsFilledWithEncodedValues) {
  EXPECT_EQ(filled("https://h/t/{a}/n-{b}?x={c}&y=1", {{"a", "ä b/c"}, {"b", 7}, {"c", "&=."}}),
            "https://h/t/%C3%A4%20b%2Fc/n-7?x=%26%3D.&y=1");
  EXPECT_EQ(filled("https://h/t", {{"a", 1}}), "https://h/t");
  EXPECT_THAT(UrlPattern::parse("https://h/{a}?{b}").value().names(), ElementsAre("a", "b"));
}

TEST(UrlPattern, AMissingValueIsAnErrorThatNamesIt) {
  EXPECT_THAT(filled("https://h/t/{a}", {}), HasSubstr("a is missing"));
  EXPECT_THAT(filled("https://h/t?x={a}", {{"a", nullptr}}), HasSubstr("a is missing"));
  EXPECT_THAT(filled("https://h/t/{a}/x", {{"a", ""}}), HasSubstr("a is empty"));
  EXPECT_EQ(filled("https://h/t?x={a}", {{"a", ""}}), "https://h/t?x=");
}

TEST(UrlPattern, NoSegmentIsEverAStepUp) {
  for (const char* value : {".", "..", "%2e", "%2E%2e", ".%2e", "%252e%252e", "../users", "a/../..", "..\\x",
                            "..;x", "a/..", "%2e%2e%2fusers", "..%00", "%2e%2e/%zz", "x/./y"}) {
    EXPECT_THAT(filled("https://h/tickets/{a}", {{"a", value}}), HasSubstr("out of the declared path"))
        << value;
  }
  EXPECT_THAT(filled("https://h/t/{a}{b}/c", {{"a", "."}, {"b", "."}}), HasSubstr("b holds"));
  EXPECT_THAT(filled("https://h/t/.{a}", {{"a", "."}}), HasSubstr("a holds"));
  EXPECT_EQ(filled("https://h/t/{a}", {{"a", "..."}}), "https://h/t/...");
  EXPECT_EQ(filled("https://h/t/{a}", {{"a", "1.5"}}), "https://h/t/1.5");
  EXPECT_EQ(filled("https://h/t/{a}", {{"a", "a..b"}}), "https://h/t/a..b");
  EXPECT_EQ(filled("https://h/t?up={a}", {{"a", ".."}}), "https://h/t?up=..") << "a query has no segments";
}

TEST(UrlPattern, TheHostIsTheDeclarations) {
  EXPECT_THAT(UrlPattern::parse("https://{host}/t").error().message, HasSubstr("host"));
  EXPECT_THAT(UrlPattern::parse("https://h:{port}/t").error().message, HasSubstr("host"));
  EXPECT_THAT(UrlPattern::parse("ftp://h/t").error().message, HasSubstr("expected http://"));
  EXPECT_THAT(UrlPattern::parse("https:///t").error().message, HasSubstr("expected http://"));
  EXPECT_FALSE(UrlPattern::parse("https://h/{}"));
}

RC_GTEST_PROP(UrlPattern, WhateverIsFilledInStaysBelowThePath, (const std::string& a, const std::string& b)) {
  const auto url = UrlPattern::parse("https://h/one/{a}/two/{b}").value().fill({{"a", a}, {"b", b}});
  if (!url) return;
  const auto parts = split(*url, '/');
  RC_ASSERT(parts.size() == 7U);
  RC_ASSERT(parts[4] != "." && parts[4] != ".." && !parts[4].empty());
  RC_ASSERT(parts[6] != "." && parts[6] != ".." && !parts[6].empty());
  RC_ASSERT(parts[2] == "h" && parts[3] == "one" && parts[5] == "two");
}

}  // namespace
}  // namespace assay
