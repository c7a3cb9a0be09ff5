#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "tests/evaluations/custom/checks/checked.h"

namespace assay::custom {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(EqualsCheck, ComparesTextsInFormC) {
  EXPECT_TRUE(holds("equals: Paris", text("Paris")));
  EXPECT_FALSE(holds("equals: Paris", text("Paris ")));
  EXPECT_FALSE(holds("equals: Paris", text("paris")));
  EXPECT_TRUE(holds("equals: \"caf\\u00e9\"", text("cafe\u0301")));
  EXPECT_TRUE(holds("not_equals: Paris", text("Rome")));
  EXPECT_EQ(why("equals: Paris", text("Rome")), "found \"Rome\", expected \"Paris\"");
  EXPECT_TRUE(holds("equals: ''", text("")));
}

TEST(EqualsCheck, MayIgnoreCaseSpaceAndPunctuation) {
  EXPECT_TRUE(holds("equals: STRASSE, ignore_case: true", text("straße")));
  EXPECT_TRUE(holds("equals: ΣΊΣΥΦΟΣ, ignore_case: true", text("σίσυφος")));
  EXPECT_FALSE(holds("equals: I, ignore_case: true", text("ı")));       // dotless i is another letter
  EXPECT_FALSE(holds("equals: i, ignore_case: true", text("\u0130")));  // and so is İ, without a language
  EXPECT_FALSE(holds("equals: Straße, ignore_space: true", text("STRASSE")));
  EXPECT_TRUE(holds("equals: a b, ignore_space: true", text("\n a \u00A0\tb\u3000")));
  EXPECT_FALSE(holds("equals: ab, ignore_space: true", text("a b")));
  EXPECT_TRUE(holds("equals: \"yes its so\", ignore_punctuation: true", text("“yes, it's so!”")));
  EXPECT_TRUE(
      holds("equals: yes, ignore_punctuation: true, ignore_case: true, ignore_space: true", text(" Yes . ")));
}

TEST(EqualsCheck, ComparesJsonByValue) {
  EXPECT_TRUE(holds("equals: 42", text("42")));
  EXPECT_TRUE(holds("equals: 42", text(" 42.0\n")));
  EXPECT_TRUE(holds("equals: 42", json("42.0")));
  EXPECT_TRUE(holds("equals: '42'", json("42.0")));  // a column of a CSV file against a number
  EXPECT_FALSE(holds("equals: 42", text("42 dollars")));
  EXPECT_FALSE(holds("equals: '042'", text("42")));  // two texts are texts
  EXPECT_TRUE(holds("equals: true", text("true")));
  EXPECT_TRUE(holds("equals: {a: 1, b: [x, null]}", text(R"({"b": ["x", null], "a": 1.0})")));
  EXPECT_FALSE(holds("equals: [1, 2]", json("[2, 1]")));
  EXPECT_FALSE(holds("equals: {a: 1}", json(R"({"a": 1, "b": 2})")));
  EXPECT_TRUE(holds(R"(equals: '{"a": [1]}', as: json)", json(R"({"a": [1]})")));
  EXPECT_TRUE(holds("equals: {a: YES}, ignore_case: true", json(R"({"a": "yes"})")));
  EXPECT_TRUE(holds("equals: {a: 1}, lenient: true", text("Here:\n```json\n{\"a\": 1,}\n```")));
  EXPECT_FALSE(holds("equals: {a: 1}", text("```json\n{\"a\": 1}\n```")));
  EXPECT_TRUE(holds("equals: 42, as: text", text("42")));
  EXPECT_FALSE(holds("equals: 42, as: text", text("42.0")));
  EXPECT_THAT(why("equals: '{}', as: text", json("[]")), HasSubstr("`as: json`"));
  EXPECT_THAT(refusal("equals: '{', as: json"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("equals: a, as: yaml"), HasSubstr("expected one of text, json"));
  EXPECT_THAT(refusal("equals: a, ignore_cas: true"), HasSubstr("did you mean `ignore_case`?"));
}

TEST(ContainsCheck, NamesWhatIsThereAndWhatIsMissing) {
  const Answer answer = text("We will refund you within 30 days.");
  EXPECT_TRUE(holds("contains: refund", answer));
  EXPECT_FALSE(holds("contains: Refund", answer));
  EXPECT_TRUE(holds("contains: REFUND, ignore_case: true", answer));
  EXPECT_TRUE(holds("contains: 30", answer));
  EXPECT_FALSE(holds("not_contains: refund", answer));
  EXPECT_TRUE(holds("contains_all: [refund, 30 days]", answer));
  EXPECT_FALSE(holds("contains_all: [refund, 14 days, sorry]", answer));
  EXPECT_EQ(why("contains_all: [refund, 14 days, sorry]", answer),
            "missing: \"14 days\", \"sorry\"; found: \"refund\"");
  EXPECT_TRUE(holds("not_contains_all: [refund, 14 days]", answer));
  EXPECT_TRUE(holds("contains_any: [voucher, refund]", answer));
  EXPECT_FALSE(holds("contains_any: [voucher, gift]", answer));
  EXPECT_EQ(why("contains_any: [voucher, gift]", answer), "missing: \"voucher\", \"gift\"");
  EXPECT_TRUE(holds("not_contains_any: voucher", answer));
  EXPECT_EQ(why("not_contains_any: [voucher, refund]", answer), "missing: \"voucher\"; found: \"refund\"");
  EXPECT_TRUE(holds("contains: '\"amount\":5'", json(R"({"amount": 5})")));  // JSON as it is written
  EXPECT_FALSE(holds("contains: e", text("\u00E9")));  // é is a letter of its own, however it is put together
  EXPECT_FALSE(holds("contains: e", text("e\u0301")));
  EXPECT_THAT(refusal("contains: [a, b]"), HasSubstr("contains_any and contains_all"));
  EXPECT_THAT(refusal("contains_all: {a: 1}"), HasSubstr("a text or a list of texts"));
}

TEST(ContainsCheck, OfNothingIsNoQuestion) {
  EXPECT_FALSE(look("contains_all: []", text("a")).score.has_value());
  EXPECT_FALSE(look("not_contains: ''", text("a")).score.has_value());
  EXPECT_EQ(why("contains: ''", text("a")), "there is nothing to look for");
}

TEST(EndsCheck, StartsEndsAndOneOf) {
  EXPECT_TRUE(holds("starts_with: Dear", text("Dear Sir")));
  EXPECT_TRUE(holds("starts_with: [Hello, Dear]", text("Dear Sir")));
  EXPECT_FALSE(holds("starts_with: Dear", text(" Dear Sir")));
  EXPECT_TRUE(holds("starts_with: dear, ignore_case: true, ignore_space: true", text(" Dear Sir")));
  EXPECT_TRUE(holds("ends_with: '?'", text("Why?")));
  EXPECT_TRUE(holds("not_ends_with: '?'", text("Why? ")));
  EXPECT_EQ(why("ends_with: '?'", text(std::string(300, 'a') + "é end.")),
            "found … \"" + std::string(73, 'a') + "é end.\", expected \"?\"");
  EXPECT_TRUE(holds("one_of: [refund, delivery]", text("\nrefund ")));
  EXPECT_FALSE(holds("one_of: [refund, delivery]", text("refund it")));
  EXPECT_TRUE(
      holds("one_of: [refund, delivery], ignore_case: true, ignore_punctuation: true", text("Delivery.")));
  EXPECT_TRUE(holds("one_of: [yes, '']", text(" \n")));
  EXPECT_EQ(why("one_of: [a, b]", text("c")), "found \"c\", expected one of \"a\", \"b\"");
  EXPECT_FALSE(look("one_of: []", text("a")).score.has_value());
}

TEST(RegexCheck, SearchesAnywhereInLinearTime) {
  EXPECT_TRUE(holds("regex: 'sue (us|them)'", text("You should sue them.")));
  EXPECT_FALSE(holds("regex: '^sue'", text("You should sue them.")));
  EXPECT_FALSE(holds("not_regex: '(?i)YOU SHOULD'", text("You should sue them.")));
  EXPECT_TRUE(holds("regex: YOU, ignore_case: true", text("You")));
  EXPECT_EQ(why("regex: 's..'", text("é should")), "\"sho\" at character 3");
  EXPECT_EQ(why("regex: 'x+'", text("a")), "no match for \"x+\"");
  EXPECT_TRUE(holds(R"(regex: '^\p{L}+$')", text("Größe")));
  EXPECT_TRUE(holds("regex: '^.$'", text("e\u0301")));  // one character in form C
  EXPECT_THAT(refusal("regex: '(a'"), AllOf(HasSubstr("missing ):"), HasSubstr("(a")));
  EXPECT_THAT(refusal("regex: '(?=a)b'"), AllOf(HasSubstr("invalid perl operator"), HasSubstr("look-ahead")));
  EXPECT_THAT(refusal("regex: 3"), HasSubstr("a regular expression as text"));
  const Answer hostile = text(std::string(100'000, 'a') + "!");
  EXPECT_FALSE(holds("regex: '(a+)+$'", hostile));
  EXPECT_FALSE(holds("regex: '(a|aa)+$'", hostile));
}

TEST(TextChecks, TakeAMegabyte) {
  std::string large;
  while (large.size() < 1'000'000) large += "ßtraße É e\u0301 ";
  const Answer answer = text(large + "needle");
  EXPECT_TRUE(
      holds("contains: NEEDLE, ignore_case: true, ignore_space: true, ignore_punctuation: true", answer));
  EXPECT_TRUE(holds("ends_with: needle", answer));
  EXPECT_LT(why("equals: short", answer).size(), 300);
  EXPECT_TRUE(valid_utf8(why("equals: short", answer)));
}

}  // namespace
}  // namespace assay::custom
