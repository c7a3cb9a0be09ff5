#include "core/text.h"

#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;

// Unicode 15, table 3-7: first and last well-formed sequence of each row, and what lies just outside.
TEST(Utf8, AcceptsTheEdgesOfEveryRowOfTheTable) {
  for (const std::string_view good :
       {"", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(valid_utf8(good));
    EXPECT_EQ(find_invalid_utf8(good), std::nullopt);
  }
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndWhatIsTooLarge) {
  for (const std::string_view bad :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "\xF0\x9F\x98"}) {
    EXPECT_FALSE(valid_utf8(bad));
    EXPECT_EQ(find_invalid_utf8(std::string("ab") += bad), 2U);
  }
}

RC_GTEST_PROP(Utf8, EveryCodePointSurvivesEncodingAndDecoding, ()) {
  const auto value = static_cast<char32_t>(*rc::gen::inRange<std::uint32_t>(0, 0x110000));
  std::string text;
  append_utf8(text, value);
  const auto read = first_code_point(text);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  RC_ASSERT(read.valid);
  RC_ASSERT(read.size == text.size());
  RC_ASSERT(read.value == (surrogate ? char32_t{0xFFFD} : value));
}

RC_GTEST_PROP(Utf8, RepairGivesValidTextAndLeavesValidTextAlone, (const std::string& bytes)) {
  const auto repaired = repair_utf8(bytes);
  RC_ASSERT(valid_utf8(repaired));
  if (valid_utf8(bytes)) RC_ASSERT(repaired == bytes);
  RC_ASSERT(find_invalid_utf8(bytes).has_value() == !valid_utf8(bytes));
}

TEST(Utf8, RepairReplacesEachBadByte) {
  EXPECT_EQ(repair_utf8("a\xFF\xC3z"), "a\uFFFD\uFFFDz");
}

TEST(CodePoints, AreCountedNotBytes) {
  EXPECT_EQ(count_code_points(""), 0U);
  EXPECT_EQ(count_code_points("aé€😀"), 4U);
}

TEST(Cut, EndsBeforeACharacterThatDoesNotFit) {
  EXPECT_EQ(cut("aé", 3), "aé");
  EXPECT_EQ(cut("aé", 2), "a");
  EXPECT_EQ(cut("😀", 3), "");
  EXPECT_EQ(cut("ab", 0), "");
  // Not UTF-8: still no more than asked for.
  EXPECT_EQ(cut("\x80\x80\x80\x80\x80\x80", 5).size(), 5U);
}

TEST(Shorten, SpendsTheEllipsisWithinTheLimit) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6), "abc…");
  EXPECT_EQ(shorten("ééééé", 6), "é…");
  EXPECT_EQ(shorten("abc", 2), "ab");
}

RC_GTEST_PROP(Shorten, NeverExceedsTheLimitAndStaysValid, ()) {
  std::string text;
  for (const auto c :
       *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 0x110000))) {
    append_utf8(text, static_cast<char32_t>(c));
  }
  const auto limit = *rc::gen::inRange<std::size_t>(0, 40);
  const auto shortened = shorten(text, limit);
  RC_ASSERT(shortened.size() <= limit || shortened == text);
  RC_ASSERT(shortened.size() <= std::max(limit, text.size()));
  RC_ASSERT(valid_utf8(shortened));
}

TEST(Trim, TakesWhiteSpaceFromBothEndsOnly) {
  EXPECT_EQ(trim(" \t\r\n a b \v\f"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Split, GivesOnePartMoreThanSeparators) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(SplitLines, KnowsBothLineEndsAndNoEmptyLastLine) {
  EXPECT_THAT(split_lines("a\r\nb\n\nc"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(split_lines("a\n"), ElementsAre("a"));
  EXPECT_THAT(split_lines(""), ElementsAre());
  EXPECT_THAT(split_lines("a\r"), ElementsAre("a\r"));
}

TEST(Join, PutsSeparatorsBetween) {
  EXPECT_EQ(join(std::vector<std::string>{"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join(std::vector<std::string_view>{}, ", "), "");
}

TEST(LowerAscii, LeavesOtherLettersAlone) {
  EXPECT_EQ(lower_ascii("AZ[aé É"), "az[aé É");
  EXPECT_TRUE(equal_ignoring_ascii_case("Content-Type", "content-TYPE"));
  EXPECT_FALSE(equal_ignoring_ascii_case("a", "ab"));
}

TEST(EditDistance, CountsInsertDeleteReplaceAndSwap) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);  // the textbook pair
  EXPECT_EQ(edit_distance("recieve", "receive"), 1U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

RC_GTEST_PROP(EditDistance, IsSymmetricAndBounded, (const std::string& a, const std::string& b)) {
  const auto distance = edit_distance(a, b);
  RC_ASSERT(distance == edit_distance(b, a));
  RC_ASSERT(distance <= std::max(a.size(), b.size()));
  RC_ASSERT((distance == 0) == (a == b));
}

TEST(Nearest, FindsTheWordThatWasMeant) {
  constexpr std::array<std::string_view, 4> kKeys = {"input_path", "output_dir", "evaluation", "models"};
  EXPECT_EQ(nearest("inputpath", kKeys), "input_path");
  EXPECT_EQ(nearest("evalution", kKeys), "evaluation");
  EXPECT_EQ(nearest("MODEL", kKeys), "models");
  EXPECT_EQ(nearest("temperature", kKeys), std::nullopt);
  EXPECT_EQ(nearest("", kKeys), std::nullopt);
}

TEST(Nearest, DoesNotTakeOneLetterForAnother) {
  constexpr std::array<std::string_view, 2> kKeys = {"a", "b"};
  EXPECT_EQ(nearest("x", kKeys), std::nullopt);
}

TEST(Nearest, IgnoresWordsTooLongToBeTyped) {
  const std::vector<std::string> candidates = {std::string(100'000, 'a')};
  EXPECT_EQ(nearest(std::string(100'000, 'a'), candidates), std::nullopt);
}

TEST(HtmlEscape, MakesMarkupHarmless) {
  EXPECT_EQ(html_escape(R"(<a href="x" title='y'>&é</a>)"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;é&lt;/a&gt;");
}

}  // namespace
}  // namespace assay
