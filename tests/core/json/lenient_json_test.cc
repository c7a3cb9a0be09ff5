#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "core/json/json.h"
#include "core/text.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LenientJson read(std::string_view text, Unfinished unfinished = Unfinished::reject) {
  auto found = parse_lenient_json(text, unfinished);
  EXPECT_TRUE(found) << text << ": " << (found ? "" : found.error().text());
  return found ? std::move(*found) : LenientJson{};
}

std::string value_of(std::string_view text, Unfinished unfinished = Unfinished::reject) {
  return to_text(read(text, unfinished).value);
}

std::string error_of(std::string_view text, Unfinished unfinished = Unfinished::reject) {
  const auto found = parse_lenient_json(text, unfinished);
  EXPECT_FALSE(found) << text << " gave " << (found ? to_text(found->value) : "");
  return found ? "" : found.error().text();
}

TEST(LenientJson, ForgivesNothingInStrictJson) {
  const auto found = read(R"( {"a": [1, "x"]} )");
  EXPECT_EQ(to_text(found.value), R"({"a":[1,"x"]})");
  EXPECT_THAT(found.forgiven, IsEmpty());
  EXPECT_EQ(value_of("42"), "42");
}

TEST(LenientJson, NamesEachFaultOnce) {
  const auto found = read(R"({
    // the verdict
    'verdict': True, /* sure */
    reasons: ["a", 'b',],
    "note": "first
second",
  })");
  EXPECT_EQ(to_text(found.value), R"({"verdict":true,"reasons":["a","b"],"note":"first\nsecond"})");
  EXPECT_THAT(found.forgiven,
              ElementsAre("comment", "trailing comma", "single quotes", "key without quotes",
                          "Python's True, False or None", "raw line break or control character in a text"));
}

TEST(LenientJson, ReadsPythonWords) {
  EXPECT_EQ(value_of("{'a': None, 'b': False, 'c': [True]}"), R"({"a":null,"b":false,"c":[true]})");
}

TEST(LenientJson, TakesTheBlockInAFence) {
  const auto found = read("```json\n{\"a\": 1}\n```");
  EXPECT_EQ(to_text(found.value), R"({"a":1})");
  EXPECT_THAT(found.forgiven, ElementsAre("code fence"));
  EXPECT_THAT(read("Sure!\n```\n[1, 2]\n```\nDone.").forgiven,
              ElementsAre("code fence", "text around the JSON"));
  EXPECT_EQ(value_of("inline ```json {\"a\":1}``` fence"), R"({"a":1})");
}

TEST(LenientJson, PrefersTheLastCompleteFence) {
  EXPECT_EQ(value_of("```json\n{\"draft\": 1}\n```\nBetter:\n```json\n{\"final\": 2}\n```"),
            R"({"final":2})");
  EXPECT_EQ(value_of("```python\nx = {}\n```\n```json\n{\"final\": 2}\n```\n{\"after\": 3}"),
            R"({"final":2})");
  EXPECT_EQ(value_of("```json\n{\"a\": 1}\n```\nScore:\n```\n0.9\n```"), R"({"a":1})");
  EXPECT_EQ(value_of("The answer is\n```\n0.9\n```"), "0.9");
}

TEST(LenientJson, LeavesFencesInsideTextsAlone) {
  EXPECT_EQ(value_of("Here: {\"code\": \"```js\\n{}\\n```\", \"n\": 1}"),
            R"({"code":"```js\n{}\n```","n":1})");
  EXPECT_EQ(value_of("```json\n{\"code\": \"```\", \"n\": 1}\n```"), R"({"code":"```","n":1})");
}

TEST(LenientJson, PrefersTheLastTopLevelValueInRunningText) {
  const auto found = read(R"(First {"a": 1}, then {"b": {"c": 2}}. That is all.)");
  EXPECT_EQ(to_text(found.value), R"({"b":{"c":2}})");
  EXPECT_THAT(found.forgiven, ElementsAre("text around the JSON"));
  EXPECT_EQ(value_of("{\"a\":1}\n{\"b\":2}"), R"({"b":2})");
  EXPECT_EQ(value_of("Use {braces} and \\frac{1}{2}, but: {\"a\": 1}"), R"({"a":1})");
}

TEST(LenientJson, TakesCitationsForWhatTheyAre) {
  EXPECT_EQ(value_of(R"({"score": 3} as described in [1] and [2, 3].)"), R"({"score":3})");
  EXPECT_EQ(value_of("The ranking is [3, 1, 2]."), "[3,1,2]");
  EXPECT_EQ(value_of("Given {\"x\": 1}:\n[3, 1, 2]\n"), "[3,1,2]");
}

TEST(LenientJson, NeverTakesAPieceOfABrokenObject) {
  EXPECT_THAT(error_of(R"({"a": {"x": 1} "b": {"y": 2}})"),
              HasSubstr("begins at line 1, column 1 breaks at line 1, column 16"));
  EXPECT_THAT(error_of(R"(Result: {"a": {"x": 1}, "b": )"), HasSubstr("the text ends inside the JSON"));
  // After a broken one a good one still counts.
  EXPECT_EQ(value_of(R"({"a": {"x": 1} "b": "}"} and {"c": 3})"), R"({"c":3})");
}

TEST(LenientJson, ClosesWhatIsOpenOnlyWhenAsked) {
  constexpr std::string_view kCut = R"({"score": 4, "reasons": ["good", "clear)";
  EXPECT_THAT(error_of(kCut), HasSubstr("the text ends inside the JSON that begins at line 1, column 1"));
  const auto found = read(kCut, Unfinished::close);
  EXPECT_EQ(to_text(found.value), R"({"score":4,"reasons":["good","clear"]})");
  EXPECT_THAT(found.forgiven, ElementsAre("unfinished end"));
}

TEST(LenientJson, DropsWhatCannotBeClosed) {
  const auto close = [](std::string_view text) { return value_of(text, Unfinished::close); };
  EXPECT_EQ(close(R"({"a": 1, "b)"), R"({"a":1})");
  EXPECT_EQ(close(R"({"a": 1, "b")"), R"({"a":1})");
  EXPECT_EQ(close(R"({"a": 1, "b": )"), R"({"a":1})");
  EXPECT_EQ(close(R"({"a": 1, "b": tru)"), R"({"a":1})");
  EXPECT_EQ(close(R"({"a": 1, "b": -)"), R"({"a":1})");
  EXPECT_EQ(close(R"({"a": 1, )"), R"({"a":1})");
  EXPECT_EQ(close(R"({"a": [{"b": [1, 2)"), R"({"a":[{"b":[1,2]}]})");
  EXPECT_EQ(close("Here:\n```json\n{\"a\": \"x\\"), R"({"a":"x"})");
  EXPECT_EQ(close("["), "[]");
}

TEST(LenientJson, PrefersACompleteValueToAnUnfinishedOne) {
  EXPECT_EQ(value_of("```json\n{\"a\": 1}\n```\n and {\"b\": ", Unfinished::close), R"({"a":1})");
}

TEST(LenientJson, KeepsEscapesThatAreNone) {
  const auto found =
      read(R"({"formula": "\(x\) \_ \'", "pair": "\ud83d\ude00", "half": "\ud83d!", "u": "\u12"})");
  EXPECT_EQ(*as_text(found.value.at("formula")), R"(\(x\) \_ ')");
  EXPECT_EQ(*as_text(found.value.at("pair")), "😀");
  EXPECT_EQ(*as_text(found.value.at("half")), "\uFFFD!");
  EXPECT_EQ(*as_text(found.value.at("u")), "\\u12");
  EXPECT_THAT(found.forgiven, ElementsAre("unknown escape in a text", "half of a surrogate pair in a text"));
}

TEST(LenientJson, NotesAnEscapedSingleQuote) {
  EXPECT_THAT(read(R"("it\'s")").forgiven, ElementsAre("unknown escape in a text"));
}

TEST(LenientJson, RefusesWhatNobodyCanGuess) {
  for (const auto* text : {"", "   ", "no JSON here", "{a b}", "[1 2", "{\"a\": NaN}", "[1,,2]", "{,}",
                           "{\"a\"}", "['it's']", "[1e999]", "[01]"}) {
    EXPECT_FALSE(parse_lenient_json(text)) << text;
  }
  EXPECT_EQ(error_of(" "), "the text is empty, expected JSON");
  EXPECT_EQ(error_of("none"), "there is no JSON object or list in the text");
  EXPECT_THAT(error_of("ok {\"a\": 1\n, \"b\": \xFF}"), HasSubstr("line 2, column 8 are not UTF-8"));
  EXPECT_THAT(error_of(std::string(200, '[')), HasSubstr("nested too deeply"));
}

TEST(LenientJson, ForgivesAByteOrderMark) {
  const auto found = read("\xEF\xBB\xBF{\"a\": 1}");
  EXPECT_EQ(to_text(found.value), R"({"a":1})");
  EXPECT_THAT(found.forgiven, ElementsAre("byte order mark"));
}

// Each of these makes a naive search quadratic or worse, which would run into the time limit of the tests.
TEST(LenientJson, ComesToAnEndOnHostileText) {
  const auto repeat = [](std::string_view part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  for (const std::string_view part :
       {"[/*", "[1,", "{\"a\":", "[\"", "{'", "```[", "``` ", "[[[]", "{\"a\":1", "{a", "[#", "[\"a\",'"}) {
    const auto text = repeat(part, 500'000 / part.size());
    (void)parse_lenient_json(text);
    (void)parse_lenient_json(text, Unfinished::close);
  }
}

RC_GTEST_PROP(LenientJson, AgreesWithTheStrictReaderOnStrictJson, ()) {
  const auto numbers = *rc::gen::arbitrary<std::vector<std::int64_t>>();
  JsonObject object;
  for (const auto number : numbers) object[repair_utf8(*rc::gen::arbitrary<std::string>())] = number;
  const auto text = to_text(Json(object));
  RC_ASSERT(value_of(text) == text);
  // Inside prose the forgiving reader has to give the same.
  RC_ASSERT(value_of("So: " + text + " .") == text);
}

// A text that is cut anywhere closes to a value, and a shorter cut never knows more members.
RC_GTEST_PROP(LenientJson, ClosesEveryPrefixOfAnObject, ()) {
  constexpr std::string_view kText =
      R"({"a": [1, {"b": "xé\n\u00e9"}, null], "c": true, "d": -1.5e3, 'e': {}, })";
  const auto size = *rc::gen::inRange<std::size_t>(1, kText.size());
  const auto found = parse_lenient_json(cut(kText, size), Unfinished::close);
  RC_ASSERT(found.has_value());
  RC_ASSERT(found->value.is_object());
  RC_ASSERT(found->value.get_object().size() <= 4U);
}

}  // namespace
}  // namespace assay
