#include "core/json/json.h"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "core/text.h"

namespace assay {
namespace {

Json parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().text());
  return value ? std::move(*value) : Json();
}

std::string parse_error(std::string_view text) {
  const auto value = parse_json(text);
  EXPECT_FALSE(value) << text;
  if (value) return {};
  EXPECT_EQ(value.error().kind, ErrorKind::parse);
  return value.error().text();
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const auto value = parsed(R"( {"a": [1, -2.5, true, false, null, "x\n\u00e9\ud83d\ude00"]} )");
  EXPECT_EQ(to_text(value), R"({"a":[1,-2.5,true,false,null,"x\né😀"]})");
}

TEST(ParseJson, SaysWhetherATextIsJson) {
  EXPECT_TRUE(is_json(R"({"a": [1, "x"]})"));
  EXPECT_TRUE(is_json('[' + std::string(10'000, ' ') + "\"" + std::string(100'000, 'x') + "\"]"));
  EXPECT_FALSE(is_json("{a: 1}"));
  EXPECT_FALSE(is_json(""));
}

TEST(ParseJson, NamesLineAndColumnInCharacters) {
  EXPECT_EQ(parse_error("{\"é\": 1,\n  \"b\": x}"), "line 2, column 8: unexpected 'x'");
  EXPECT_EQ(parse_error("[1, 2"), "line 1, column 6: the text ends too early");
  EXPECT_EQ(parse_error(""), "line 1, column 1: the text is empty");
  EXPECT_EQ(parse_error("1 2"), "line 1, column 3: unexpected '2'");
  EXPECT_EQ(parse_error("\"é€\" x"), "line 1, column 6: unexpected 'x'");
}

TEST(ParseJson, RefusesWhatRfc8259DoesNotAllow) {
  for (const std::string_view text : {"[1,]",
                                      "{\"a\":1,}",
                                      "// c\n1",
                                      "'a'",
                                      "{a:1}",
                                      "01",
                                      "+1",
                                      ".5",
                                      "5.",
                                      "1e",
                                      "NaN",
                                      "Infinity",
                                      "-",
                                      "nul",
                                      "\"\t\"",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\\ud800\"",
                                      "\"\\ud800\\u0041\"",
                                      "\"\\udc00\"",
                                      "[1 2]",
                                      "{\"a\" 1}",
                                      "{1:2}",
                                      "\"a",
                                      "\xEF\xBB\xBF{}",
                                      "[}",
                                      "tru",
                                      "\v1",
                                      "1\x01",
                                      "True"}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
}

TEST(ParseJson, SaysWhatIsWrongWithBytesThatCannotBeShown) {
  EXPECT_EQ(parse_error("\xEF\xBB\xBF{}"), "line 1, column 1: unexpected byte order mark");
  EXPECT_EQ(parse_error("\"a\nb\""), "line 1, column 3: unexpected control character 0x0a");
  EXPECT_EQ(parse_error("[\"\xC3\x28\"]").find("line 1, column"), 0U);
  EXPECT_NE(parse_error("[\"\xFF\"]").find("not UTF-8"), std::string::npos);
  EXPECT_EQ(parse_error("\"\\ud800\\u0041\""), "line 1, column 10: half of a surrogate pair in a \\u escape");
}

TEST(ParseJson, BoundsDepthAt128) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(128)));
  EXPECT_EQ(parse_error(nested(129)), "line 1, column 129: nested deeper than 128 levels");
  EXPECT_FALSE(parse_json(std::string(10'000'000, '[')));
}

TEST(ParseJson, KeepsWholeNumbersOf64BitsExact) {
  EXPECT_EQ(parsed("9223372036854775807").get_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parsed("-9223372036854775808").get_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parsed("18446744073709551615").get_uint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parsed("18446744073709551616").get_double(), 0x1p64);
}

// Doubles whose decimal text is rounded wrongly by multiplying a mantissa with a power of ten.
TEST(ParseJson, RoundsFractionsToTheNearestDouble) {
  EXPECT_EQ(parsed("0.1").get_double(), 0.1);
  EXPECT_EQ(parsed("8.988465674311579e307").get_double(), 8.988465674311579e307);
  EXPECT_EQ(parsed("2.2250738585072014e-308").get_double(), 2.2250738585072014e-308);
  EXPECT_EQ(parsed("1.7976931348623157e308").get_double(), std::numeric_limits<double>::max());
  EXPECT_EQ(parsed("5e-324").get_double(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parsed("123456789012345678901234567890").get_double(), 123456789012345678901234567890.0);
}

TEST(ParseJson, RefusesNumbersBeyondADoubleAndFlushesTinyOnesToZero) {
  EXPECT_EQ(parse_error("[1e309]"), "line 1, column 2: the number is too large for a double");
  EXPECT_EQ(parse_error("-1e999"), "line 1, column 1: the number is too large for a double");
  EXPECT_EQ(parsed("1e-400").get_double(), 0.0);
  EXPECT_TRUE(std::signbit(parsed("-1e-400").get_double()));
}

RC_GTEST_PROP(ParseJson, EveryFiniteDoubleSurvivesWritingAndReading, (std::uint64_t bits)) {
  const auto number = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(number));
  const auto back = parse_json(number_text(number));
  RC_ASSERT(back.has_value());
  RC_ASSERT(*as_number(*back) == number);
  RC_ASSERT(std::signbit(*as_number(*back)) == std::signbit(number));
}

RC_GTEST_PROP(ParseJson, EveryTextSurvivesWritingAndReading, (const std::string& bytes)) {
  const auto text = repair_utf8(bytes);
  std::string json;
  append_json_string(json, text);
  const auto back = parse_json(json);
  RC_ASSERT(back.has_value());
  RC_ASSERT(as_text(*back) == std::string_view(text));
  // Bytes that are not UTF-8 are replaced, never written.
  std::string raw;
  append_json_string(raw, bytes);
  RC_ASSERT(raw == json);
}

TEST(ParseJson, TheLastOfTwoMembersWithOneNameCounts) {
  EXPECT_EQ(to_text(parsed(R"({"a":1,"a":2})")), R"({"a":2})");
}

TEST(WriteJson, EscapesWhatMustBeEscapedAndNothingElse) {
  std::string out;
  append_json_string(out, std::string_view("\"\\/\b\f\n\r\t\x01\x1F\x7F\0é", 14));
  EXPECT_EQ(out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\\u0000é\"");
}

TEST(WriteJson, WritesNumbersAsPeopleDo) {
  EXPECT_EQ(number_text(1), "1");
  for (int i = 1; i < 300'000; i += 7) {
    for (const double number : {i / 1e4, i / 1e5, std::nextafter(i / 1e4, 1e9), i * 1e4, i / 1e2})
      ASSERT_EQ(number_text(number), fmt::format("{}", number));
  }
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(100000), "100000");
  EXPECT_EQ(number_text(1e21), "1e+21");
  EXPECT_EQ(number_text(-0.0), "-0.0");
  EXPECT_EQ(number_text(std::nan("")), "null");
  EXPECT_EQ(number_text(-std::numeric_limits<double>::infinity()), "null");
}

TEST(WriteJson, PrettyTextIndentsByTwoAndEndsWithANewline) {
  EXPECT_EQ(pretty_text(parsed(R"({"b":[1,{}],"a":{"c":[]}})")),
            "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": {\n    \"c\": []\n  }\n}\n");
  EXPECT_EQ(pretty_text(Json(1)), "1\n");
}

TEST(WriteJson, CanonicalTextIsTheSameForEqualValues) {
  EXPECT_EQ(canonical_text(parsed(R"({"b":1.0,"a":{"d":-0.0,"c":1e2}})")), R"({"a":{"c":100,"d":0},"b":1})");
  EXPECT_EQ(canonical_text(Json(1e18)), canonical_text(Json(std::int64_t{1'000'000'000'000'000'000})));
  EXPECT_EQ(canonical_text(Json(0x1p63)), canonical_text(Json(std::uint64_t{1} << 63U)));
  EXPECT_NE(canonical_text(Json(1)), canonical_text(Json("1")));
  // The order of a list is part of its value.
  EXPECT_NE(canonical_text(parsed("[1,2]")), canonical_text(parsed("[2,1]")));
}

// They are copied eight at a time. RFC 8259, section 7.
TEST(WriteJson, EscapesAlikeWhereverItStandsAmongPlainBytes) {
  for (int code = 0; code < 0x80; ++code) {
    const char c = static_cast<char>(code);
    for (std::size_t before = 0; before < 18; ++before) {
      const std::string plain(before, 'p');
      const std::string text = fmt::format("{}{}é{}{}", plain, c, plain, c);
      std::string escaped(1, c);
      if (const auto at = std::string_view("\"\\\b\f\n\r\t").find(c); at != std::string_view::npos) {
        escaped = {'\\', R"("\bfnrt)"[at]};
      } else if (code < 0x20) {
        escaped = fmt::format("\\u{:04x}", code);
      }
      std::string written = "so far";
      append_json_string(written, text);
      ASSERT_EQ(written, fmt::format("so far\"{0}{1}é{0}{1}\"", plain, escaped)) << code << ' ' << before;
    }
  }
  std::string numbers;
  append_json_number(numbers, std::numeric_limits<std::int64_t>::min());
  append_json(numbers, Json("x"));
  append_json(numbers, Json(1.5));
  EXPECT_EQ(numbers, "-9223372036854775808\"x\"1.5");
}

TEST(FindPointer, FollowsRfc6901) {
  // The document of RFC 6901, section 5.
  const auto document =
      parsed(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})");
  const std::vector<std::pair<std::string_view, std::string_view>> expected = {{"/foo", R"(["bar","baz"])"},
                                                                               {"/foo/0", "\"bar\""},
                                                                               {"/", "0"},
                                                                               {"/a~1b", "1"},
                                                                               {"/c%d", "2"},
                                                                               {"/e^f", "3"},
                                                                               {"/g|h", "4"},
                                                                               {"/i\\j", "5"},
                                                                               {"/k\"l", "6"},
                                                                               {"/ ", "7"},
                                                                               {"/m~0n", "8"}};
  EXPECT_EQ(find_pointer(document, ""), &document);
  for (const auto& [pointer, text] : expected) {
    const auto* found = find_pointer(document, pointer);
    ASSERT_NE(found, nullptr) << pointer;
    EXPECT_EQ(to_text(*found), text);
  }
  for (const auto* absent : {"foo", "/foo/2", "/foo/00", "/foo/-", "/foo/-1", "/foo/", "/foo/0/x", "/m~n",
                             "/m~2n", "/bar", "/foo/99999999999999999999"}) {
    EXPECT_EQ(find_pointer(document, absent), nullptr) << absent;
  }
}

TEST(ReadValues, AreNoneForOtherKinds) {
  EXPECT_EQ(as_integer(Json(3.0)), 3);
  EXPECT_EQ(as_integer(Json(3.5)), std::nullopt);
  EXPECT_EQ(as_integer(Json(0x1p63)), std::nullopt);
  EXPECT_EQ(as_integer(Json(-0x1p63)), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(as_integer(Json(std::uint64_t{1} << 63U)), std::nullopt);
  EXPECT_EQ(as_integer(Json(std::nan(""))), std::nullopt);
  EXPECT_EQ(as_integer(Json("3")), std::nullopt);
  EXPECT_EQ(as_number(Json(7)), 7.0);
  EXPECT_EQ(as_number(Json(true)), std::nullopt);
  EXPECT_EQ(as_text(Json("x")), "x");
  EXPECT_EQ(as_text(Json(1)), std::nullopt);
  EXPECT_EQ(as_boolean(Json(false)), false);
  EXPECT_EQ(as_boolean(Json(0)), std::nullopt);
  EXPECT_EQ(find_member(Json(JsonArray{1}), "a"), nullptr);
}

TEST(Words, NameKindsForPeople) {
  EXPECT_EQ(kind_word(Json("")), "text");
  EXPECT_EQ(kind_word(Json(1)), "number");
  EXPECT_EQ(kind_word(Json(1.5)), "number");
  EXPECT_EQ(kind_word(Json(true)), "true/false");
  EXPECT_EQ(kind_word(Json(JsonArray{})), "list");
  EXPECT_EQ(kind_word(Json(JsonObject{})), "object");
  EXPECT_EQ(kind_word(Json()), "null");
}

TEST(Excerpt, IsCutAtACharacterWithinTheLimit) {
  EXPECT_EQ(excerpt(Json("short")), "\"short\"");
  EXPECT_EQ(excerpt(parsed(R"({"a":"éééé"})"), 12), "{\"a\":\"é…");
  const auto huge = Json(std::string(50'000'000, 'x'));
  EXPECT_EQ(excerpt(huge).size(), 60U);
  EXPECT_EQ(excerpt(Json(JsonArray(1'000'000, Json(1)))).size(), 60U);
}

}  // namespace
}  // namespace assay
