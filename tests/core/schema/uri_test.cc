#include "core/schema/uri.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace assay::schema {
namespace {

// RFC 3986, section 5.4: normal and abnormal examples of reference resolution.
TEST(ResolveUri, GivesTheExamplesOfRfc3986) {
  constexpr std::string_view kBase = "http://a/b/c/d;p?q";
  const std::vector<std::pair<std::string_view, std::string_view>> examples = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y#s"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/./x", "http://a/b/c/g#s/./x"},
      {"g#s/../x", "http://a/b/c/g#s/../x"},
      {"http:g", "http:g"},
  };
  for (const auto& [reference, expected] : examples)
    EXPECT_EQ(resolve_uri(kBase, reference), expected) << reference;
}

TEST(ResolveUri, WorksOnNamesAndWithoutABase) {
  EXPECT_EQ(resolve_uri("urn:uuid:1-2", "#/$defs/a"), "urn:uuid:1-2#/$defs/a");
  EXPECT_EQ(resolve_uri("", "item.json#a"), "item.json#a");
  EXPECT_EQ(resolve_uri("item.json", "#a"), "item.json#a");
  EXPECT_EQ(resolve_uri("HTTP://Example.ORG", "Path"), "http://example.org/Path");
}

RC_GTEST_PROP(ResolveUri, IsStableForWhatItGives, (const std::string& base, const std::string& reference)) {
  const auto once = resolve_uri(base, reference);
  if (has_scheme(once)) RC_ASSERT(resolve_uri("http://other/", once) == once);
}

TEST(SplitFragment, CutsAtTheHash) {
  EXPECT_EQ(split_fragment("http://a#b").resource, "http://a");
  EXPECT_EQ(split_fragment("http://a#b").fragment, "b");
  EXPECT_EQ(split_fragment("http://a").fragment, "");
}

TEST(PercentDecode, NeedsTwoDigits) {
  EXPECT_EQ(percent_decode("a%20b%C3%a9"), "a bé");
  EXPECT_EQ(percent_decode("%"), std::nullopt);
  EXPECT_EQ(percent_decode("%2"), std::nullopt);
  EXPECT_EQ(percent_decode("%zz"), std::nullopt);
}

}  // namespace
}  // namespace assay::schema
