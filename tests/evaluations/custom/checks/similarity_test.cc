#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluations/custom/checks/numbers_in_text.h"
#include "tests/evaluations/custom/checks/checked.h"

namespace assay::custom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(NumberCheck, IsOneWithinTheTolerance) {
  EXPECT_EQ(score("number: 84.1, tolerance: 0.1", text("84.2")), 1);
  EXPECT_EQ(score("number: 84.1, tolerance: 0.1", text("84.21")), 0);
  EXPECT_EQ(score("number: '12.50'", json("12.5")), 1);  // from a CSV file
  EXPECT_EQ(score("number: 200, tolerance: 0.01, relative: true", text("198")), 1);
  EXPECT_EQ(score("number: -200, tolerance: 0.01, relative: true", text("-197")), 0);
  EXPECT_DOUBLE_EQ(score("number: 10, tolerance: 1, cutoff: 3", text("12")), 0.5);
  EXPECT_EQ(score("number: 5, key: amount", text(R"({"amount": 5, "days": 14})")), 1);
  EXPECT_EQ(score("number: 5", json("[5]")), 1);
  EXPECT_EQ(score("number: 10, strict_types: true", text("10")), 1);  // the output as a whole is a text
  EXPECT_EQ(score("number: 10, strict_types: true", member("\"10\"")), 0);
  EXPECT_EQ(score("number: 5", text("```json\n{\"amount\": 5}\n```")), 0);
  EXPECT_EQ(score("number: 5, lenient: true", text("```json\n{\"amount\": 5}\n```")), 1);
  EXPECT_EQ(score("number: 5", text("5 dollars")), 0);
  EXPECT_EQ(why("number: 5", text("5 dollars")), "found \"5 dollars\", expected a number and nothing else");
  EXPECT_EQ(why("number: 5", text("7")), "found 7, expected 5, difference 2");
  EXPECT_EQ(score("number: 5, tolerance: '0.5'", text("5.5")), 1);
  EXPECT_EQ(score("number: 5, strict_types: true", text("5")), 1);  // the JSON 5
  EXPECT_EQ(score("number: 5, strict_types: true", text("\"5\"")), 0);
  EXPECT_EQ(score("number: 5", text("\"5\"")), 1);
  EXPECT_THAT(refusal("number: five"), HasSubstr("expected a number"));
  EXPECT_THAT(refusal("number: 5, tolerance: 2, cutoff: 1"), HasSubstr("at least the tolerance, 2"));
  EXPECT_THAT(refusal("number: 5, tolerance: -1"), HasSubstr("from 0"));
}

TEST(NumberCheck, FindsNumbersInATextOnDemand) {
  EXPECT_EQ(score("number: 1234.5, in_text: last", text("In 30 days you get $1,234.50.")), 1);
  EXPECT_EQ(score("number: 30, in_text: first", text("In 30 days you get $1,234.50.")), 1);
  EXPECT_EQ(score("number: 1234.5, in_text: last, decimal: comma", text("Sie erhalten 1.234,50 €")), 1);
  EXPECT_EQ(score("number: 5, in_text: last", text("none")), 0);
  EXPECT_EQ(why("number: 5, in_text: last", text("none")), "found \"none\", expected a number in it");
  EXPECT_THAT(refusal("number: 5, in_text: middle"), HasSubstr("one of first, last"));

  const auto numbers = [](std::string_view text) { return numbers_in(text, DecimalMark::point); };
  EXPECT_THAT(numbers("-$5, $-6, −7 and +8, 3-5"), ElementsAre(-5, -6, -7, 8, 3, 5));
  EXPECT_THAT(numbers("12% of 3.5e3 kg, .5, 1e-2, 2e, 7."), ElementsAre(12, 3500, 0.5, 0.01, 2, 7));
  EXPECT_THAT(numbers("1,234,567 1'234 1\u202F234.5 1,23 12,3456"),
              ElementsAre(1234567, 1234, 1234.5, 1, 23, 12, 3456));
  EXPECT_THAT(numbers("Q3 of gpt-4o v1.2.3 at 192.168.0.1 on 01.02.2024"), IsEmpty());
  EXPECT_THAT(numbers("1,2,3"), ElementsAre(1, 2, 3));
  EXPECT_THAT(numbers("x1.5 1e999 ٣"), IsEmpty());
  EXPECT_THAT(numbers_in("1.234.567,8 und 0,5", DecimalMark::comma), ElementsAre(1234567.8, 0.5));
}

// The scorers have their own tests in tests/evaluations/benchmark/scoring.
TEST(RowsChecks, AreTheScorersOfBenchmark) {
  EXPECT_EQ(score("records: [{id: 1, price: 5}, {id: 2, price: 6}]",
                  text(R"([{"id": 2, "price": 6}, {"id": 1, "price": 5}])")),
            1);
  EXPECT_DOUBLE_EQ(
      score("records: [{id: 1, price: 5}, {id: 2, price: 6}]", json(R"([{"id": 1, "price": 5.01}])")), 0);
  EXPECT_DOUBLE_EQ(score("records: [{id: 1, price: 5}, {id: 2, price: 6}], fields: {price: 0.1}",
                         json(R"([{"id": 1, "price": 5.01}])")),
                   2.0 / 3);  // 2·1 / (2 + 1)
  EXPECT_EQ(
      why("records: [{id: 1, price: 5}, {id: 2, price: 6}]", json(R"([{"id": 1, "price": 4}, {"id": 3}])")),
      "1 row matched, 1 missing, 1 too many; price right in 0 of 1");
  EXPECT_EQ(score("records: '[{\"id\": 1}]', key: id", text("```json\n[{\"id\": 1}]\n```")), 0);
  EXPECT_EQ(score("records: '[{\"id\": 1}]', key: id, lenient: true", text("```json\n[{\"id\": 1}]\n```")),
            1);
  EXPECT_DOUBLE_EQ(score("ranking: [b, a, c]", json(R"(["a", "b", "c"])")),
                   1.0 / 3);  // 2 of 3 pairs in order
  EXPECT_DOUBLE_EQ(score("ranking: [a, b, c]", json(R"(["a", "b"])")), 0.8);
  EXPECT_EQ(why("ranking: [a, b, c]", json(R"(["b", "a"])")),
            "2 in common, 1 missing, 0 too many; Kendall's tau -1");
  EXPECT_EQ(score("ranking: [a]", text("a")), 0);
  EXPECT_THAT(refusal("ranking: 3"), HasSubstr("a list of rows"));
  EXPECT_THAT(refusal("records: [{id: 1}], fields: price"), HasSubstr("names with tolerances"));
}

// Rajpurkar et al. 2016, SQuAD, section 6.1; worked by hand after its evaluate-v2.0.py.
TEST(TokenF1Check, IsSquads) {
  EXPECT_EQ(score("token_f1: Denver Broncos", text("The Denver Broncos!")), 1);
  EXPECT_DOUBLE_EQ(score("token_f1: '1976'", text("in the year 1976.")), 0.5);     // P 1/3, R 1
  EXPECT_DOUBLE_EQ(score("token_f1: cat cat dog", text("cat dog dog")), 2.0 / 3);  // 2 in common of 3 and 3
  EXPECT_DOUBLE_EQ(score("token_f1: [Rome, a Paris café]", text("PARIS, Café")), 1);
  EXPECT_EQ(score("token_f1: x", text("y")), 0);
  EXPECT_EQ(score("token_f1: ''", text("The.")), 1);  // both without words, as evaluate-v2.0.py has it
  EXPECT_EQ(score("token_f1: ''", text("yes")), 0);
  EXPECT_DOUBLE_EQ(score("token_f1: wellknown $5", text("well-known 5")),
                   1);  // punctuation goes without a gap
}

TEST(TokenF1Check, SaysWhichReferenceWasTheBest) {
  EXPECT_EQ(why("token_f1: [Rome, in Paris]", text("Paris")),
            "1 word in common, of 1 in the answer and 2 in the reference (reference 2 of 2)");
  EXPECT_FALSE(look("token_f1: []", text("a")).score.has_value());
}

TEST(RougeLCheck, IsLinsWithBetaOne) {
  // Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries, section 3.1: S1 to S4.
  EXPECT_DOUBLE_EQ(score("rouge_l: police killed the gunman", text("police kill the gunman")), 0.75);
  EXPECT_DOUBLE_EQ(score("rouge_l: police killed the gunman", text("the gunman kill police")), 0.5);
  EXPECT_DOUBLE_EQ(score("rouge_l: police killed the gunman", text("the gunman police killed")), 0.5);
  // The README of Google's rouge_score: precision 5/8, recall 5/9.
  EXPECT_NEAR(score("rouge_l: The quick brown fox jumps over the lazy dog",
                    text("The quick brown dog jumps on the log.")),
              0.58823529, 1e-8);
  EXPECT_DOUBLE_EQ(score("rouge_l: testing one two", text("testing")), 0.5);  // rouge_scorer_test.py
  EXPECT_EQ(score("rouge_l: ''", text("a")), 0);
  EXPECT_EQ(score("rouge_l: a", text("...")), 0);
  EXPECT_DOUBLE_EQ(score("rouge_l: [x, GRÖSSE]", text("größe")), 1);
  EXPECT_DOUBLE_EQ(score("rouge_l: 東京都", text("東の都")), 2.0 / 3);
}

TEST(LevenshteinCheck, IsOneLessTheShareOfEdits) {
  EXPECT_DOUBLE_EQ(score("levenshtein: kitten", text("sitting")), 1 - 3.0 / 7);
  EXPECT_DOUBLE_EQ(score("levenshtein: ab", text("ba")), 0);  // a swap is two edits
  EXPECT_EQ(score("levenshtein: \"caf\\u00e9\"", text("cafe\u0301")), 1);
  EXPECT_EQ(score("levenshtein: ''", text("")), 1);
  EXPECT_EQ(score("levenshtein: ''", text("abc")), 0);
  EXPECT_DOUBLE_EQ(score("levenshtein: [abcd, abce]", text("ABCF")), 0);
  EXPECT_DOUBLE_EQ(score("levenshtein: [xxxx, abce], ignore_case: true", text("ABCF")), 0.75);
  EXPECT_EQ(why("levenshtein: kitten", text("sitting")), "3 edits for 7 characters");
}

TEST(SimilarityChecks, SayIfTextsAreTooLong) {
  const std::string large(1'000'000, 'x');
  EXPECT_NEAR(score("levenshtein: xyz", text(large)), 0, 1e-5);
  const auto huge = look("levenshtein: " + large, text(large + "y"));
  EXPECT_FALSE(huge.score.has_value());
  EXPECT_EQ(huge.reason, "too long to compare: 1000001 and 1000000 characters");
  std::string words;
  for (int i = 0; i < 100'000; ++i) words += "w ";
  EXPECT_EQ(why("rouge_l: " + words, text(words)), "too long to compare: 100000 and 100000 words");
  EXPECT_EQ(score("token_f1: " + words, text(words)), 1);
}

RC_GTEST_PROP(SimilarityChecks, AreSymmetricAndOneForTheSameText,
              (const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b)) {
  const auto spelled = [](const std::vector<std::uint8_t>& letters) {
    std::string out;
    for (const std::uint8_t letter : letters) out += "ab c"[letter % 4];
    return out;
  };
  const std::string one = spelled(a) + "w";
  const std::string other = spelled(b) + "w";
  const auto scored = [](std::string_view kind, const std::string& reference, const std::string& answer) {
    return score(fmt::format("{}: '{}'", kind, reference), text(answer));
  };
  for (const std::string_view kind : {"token_f1", "rouge_l", "levenshtein"}) {
    RC_ASSERT(scored(kind, one, one) == 1);
    const double there = scored(kind, one, other);
    RC_ASSERT(there == scored(kind, other, one));
    RC_ASSERT(there >= 0);
    RC_ASSERT(there <= 1);
  }
}

}  // namespace
}  // namespace assay::custom
