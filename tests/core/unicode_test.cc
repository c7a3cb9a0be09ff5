#include "core/unicode.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/text.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Expected values: Python 3.11, unicodedata.normalize('NFC', s).
TEST(Unicode, FormCPutsTogetherWhatBelongsTogether) {
  EXPECT_EQ(nfc("plain"), "plain");
  EXPECT_EQ(nfc("e\u0301"), "\u00E9");
  EXPECT_EQ(nfc("\u00E9"), "\u00E9");
  EXPECT_EQ(nfc("\u212B"), "\u00C5");              // Ångström sign
  EXPECT_EQ(nfc("\u1100\u1161\u11A8"), "\uAC01");  // Hangul
  EXPECT_EQ(nfc("s\u0307\u0323"), "\u1E69");       // accents in the other order
  EXPECT_EQ(nfc("\u0958"), "\u0915\u093C");        // excluded from composition
  EXPECT_EQ(nfc("\u0344"), "\u0308\u0301");        // stays apart
  EXPECT_EQ(nfc("\uFB01"), "\uFB01");              // fi: compatible only, so it stays
  EXPECT_EQ(nfc("a\xFF"
                "b"),
            "a\uFFFD"
            "b");
  EXPECT_EQ(nfc(std::string("a\0e\u0301", 5)), std::string("a\0\u00E9", 4));
}

// Expected values: Python 3.11, normalize('NFC', normalize('NFD', s).casefold()).
TEST(Unicode, CaseIsFoldedInFull) {
  EXPECT_EQ(casefold("REFUND"), "refund");
  EXPECT_EQ(casefold("Straße"), "strasse");
  EXPECT_EQ(casefold("STRASSE"), "strasse");
  EXPECT_EQ(casefold("\u1E9E"), "ss");            // capital sharp s
  EXPECT_EQ(casefold("ΟΔΟΣ"), casefold("οδος"));  // final sigma
  EXPECT_EQ(casefold("\u0130"), "i\u0307");       // Turkish dotted capital I: not i alone
  EXPECT_EQ(casefold("\u0131"), "\u0131");        // and dotless i is no i
  EXPECT_EQ(casefold("E\u0301"), "\u00E9");
  EXPECT_EQ(casefold("\u1FB3\u0301"), "\u03AC\u03B9");  // iota below, with an accent behind it
  EXPECT_EQ(casefold("\uFB01"), "fi");
  EXPECT_EQ(casefold("Ǆ"), "ǆ");
}

TEST(Unicode, WhiteSpacePunctuationAndWords) {
  EXPECT_EQ(collapse_white_space("  a\u00A0\u2003b\r\n\tc \u3000"), "a b c");
  EXPECT_EQ(collapse_white_space(" \u2028 "), "");
  EXPECT_EQ(trim_white_space("\u00A0 a b\n"), "a b");
  EXPECT_EQ(trim_white_space(" \u3000"), "");
  EXPECT_EQ(without_punctuation("¿Qué? «Sí», it's $5–6!"), "Qué Sí its 56");
  EXPECT_EQ(without_punctuation("€5 ± 1"), "€5 ± 1");  // currency and mathematics are no punctuation
  EXPECT_THAT(split_white_space("  one – two\u00A0three "), ElementsAre("one", "–", "two", "three"));
  EXPECT_THAT(split_white_space(" "), IsEmpty());
  EXPECT_THAT(words_of("Don't stop-me_now, e\u0301 42!"),
              ElementsAre("Don", "t", "stop", "me", "now", "e\u0301", "42"));
  EXPECT_THAT(words_of("東京タワー は 3月"), ElementsAre("東", "京", "タ", "ワ", "ー", "は", "3", "月"));
  EXPECT_EQ(code_points("aé😀"), U"aé😀");
}

// Accents on one letter, in the order that costs a bubble sort most: 10^10 swaps.
TEST(Unicode, HostileTextsTakeNoLonger) {
  std::string accents = "e";
  for (int i = 0; i < 100'000; ++i) accents += "\u0301";  // class 230
  for (int i = 0; i < 100'000; ++i) accents += "\u0323";  // class 220 goes before
  const std::string normal = nfc(accents);
  EXPECT_TRUE(normal.starts_with("\u1EB9\u0323"));  // ẹ
  EXPECT_EQ(count_code_points(normal), 200'000);
  std::string letters;
  for (int i = 0; i < 100'000; ++i) letters += "\u00DFE\u0301";
  EXPECT_EQ(count_code_points(casefold(letters)), 300'000);
}

std::string any_text() {
  const auto points = *rc::gen::container<std::vector<char32_t>>(rc::gen::element<char32_t>(
      U'a', U'E', U'é', U'\u0301', U'\u0323', U'\u0345', U'ß', U'ς', U'\u0130', U'한', U'\u1100', U'\u1161',
      U'\u11A8', U' ', U'東', U'😀', U'α', U'\u212B', U'\u00A0', U'.'));
  std::string text;
  for (const char32_t point : points) append_utf8(text, point);
  return text;
}

RC_GTEST_PROP(Unicode, FormCAndFoldingChangeNothingTheSecondTime, ()) {
  const std::string text = any_text();
  RC_ASSERT(nfc(nfc(text)) == nfc(text));
  RC_ASSERT(casefold(casefold(text)) == casefold(text));
  RC_ASSERT(casefold(nfc(text)) == casefold(text));
  RC_ASSERT(collapse_white_space(collapse_white_space(text)) == collapse_white_space(text));
}

RC_GTEST_PROP(Unicode, AnyBytesBecomeText, (const std::string& bytes)) {
  RC_ASSERT(valid_utf8(nfc(bytes)));
  RC_ASSERT(valid_utf8(casefold(bytes)));
}

}  // namespace
}  // namespace assay
