#include "evaluations/custom/condition.h"

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay::custom {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kFields = {"area",        "amount", "reference", "tags", "urgent",
                                          "Customer ID", "day",    "code",      "and"};

bool holds(std::string_view condition, std::string_view fields) {
  const auto parsed = Condition::parse(condition, kFields);
  EXPECT_TRUE(parsed.has_value()) << condition << ": " << (parsed ? "" : parsed.error().text());
  return parsed && parsed->holds(parse_json(fields).value().get_object());
}
std::string refusal(std::string_view condition) {
  const auto parsed = Condition::parse(condition, kFields);
  return parsed ? "" : parsed.error().text();
}
bool passes(std::string_view rule, std::string_view value) {
  const auto parsed = PassRule::parse(rule);
  EXPECT_TRUE(parsed.has_value()) << rule << ": " << (parsed ? "" : parsed.error().text());
  return parsed && parsed->holds(parse_json(value).value());
}

TEST(Condition, ComparesFieldsWithValues) {
  EXPECT_TRUE(holds("area == refund", R"({"area": "refund"})"));
  EXPECT_FALSE(holds("area == refund", R"({"area": "delivery"})"));
  EXPECT_TRUE(holds("area != refund", R"({"area": "delivery"})"));
  EXPECT_TRUE(holds("area!='on hold'", R"({"area": "refund"})"));
  EXPECT_TRUE(holds("area == \"on hold\"", R"({"area": "on hold"})"));
  EXPECT_TRUE(holds("{Customer ID} == c-1", R"({"Customer ID": "c-1"})"));
  EXPECT_TRUE(holds("{and} == 1 and area == x", R"({"and": 1, "area": "x"})"));
  EXPECT_TRUE(holds("area == \"caf\u00E9\"", "{\"area\": \"cafe\u0301\"}"));
  EXPECT_FALSE(holds("area == Refund", R"({"area": "refund"})"));
}

TEST(Condition, KnowsNumbersAlsoWhereTheyAreSpelled) {
  EXPECT_TRUE(holds("amount >= 10", R"({"amount": 10})"));
  EXPECT_TRUE(holds("amount >= 10", R"({"amount": "10.0"})"));
  EXPECT_TRUE(holds("amount == 1e1", R"({"amount": " 10 "})"));
  EXPECT_FALSE(holds("amount > 10", R"({"amount": "9"})"));  // by value, not as texts
  EXPECT_TRUE(holds("amount < -1.5", R"({"amount": -2})"));
  EXPECT_FALSE(holds("amount <= 10", R"({"amount": "n/a"})"));
  EXPECT_TRUE(holds("amount != 10", R"({"amount": "n/a"})"));
  EXPECT_FALSE(holds("amount == 9007199254740993", R"({"amount": 9007199254740992})"));
  EXPECT_TRUE(holds("code == '007'", R"({"code": "007"})"));
  EXPECT_FALSE(holds("code == '007'", R"({"code": 7})"));
  EXPECT_TRUE(holds("day >= 2024-05-01 and day < 2024-06-01", R"({"day": "2024-05-31"})"));
}

TEST(Condition, KnowsWhetherAFieldIsThere) {
  EXPECT_TRUE(holds("reference", R"({"reference": "x"})"));
  for (const char* nothing : {R"({})", R"({"reference": null})", R"({"reference": " \n"})",
                              R"({"reference": []})", R"({"reference": {}})", R"({"reference": false})"}) {
    EXPECT_FALSE(holds("reference", nothing)) << nothing;
    EXPECT_TRUE(holds("not reference", nothing)) << nothing;
  }
  EXPECT_TRUE(holds("reference", R"({"reference": 0})"));
  EXPECT_TRUE(holds("reference == null", "{}"));
  EXPECT_TRUE(holds("reference != null", R"({"reference": ""})"));
  EXPECT_FALSE(holds("amount < 5", "{}"));
  EXPECT_TRUE(holds("urgent == true", R"({"urgent": true})"));
  EXPECT_TRUE(holds("urgent == true", R"({"urgent": "true"})"));
  EXPECT_TRUE(holds("urgent == no", R"({"urgent": false})"));
}

TEST(Condition, JoinsTests) {
  const std::string_view fields = R"({"area": "refund", "amount": 5, "reference": "r"})";
  EXPECT_TRUE(holds("area in [refund, 'on hold']", fields));
  EXPECT_FALSE(holds("area not in [refund, delivery]", fields));
  EXPECT_TRUE(holds("amount in [4, 5.0]", fields));
  EXPECT_TRUE(holds("area == x or area == refund and amount == 5", fields));  // and binds closer
  EXPECT_FALSE(holds("(area == x or area == refund) and amount == 6", fields));
  EXPECT_TRUE(holds("area == refund or amount == 6 and amount == 7", fields));
  EXPECT_TRUE(holds("not area == x and reference", fields));  // not binds closest
  EXPECT_TRUE(holds("not (area == x and reference)", fields));
  EXPECT_TRUE(holds("not not ((reference))", fields));
  EXPECT_THAT(Condition::parse("area == x or (amount > 1 and not area)", kFields)->fields(),
              ElementsAre("area", "amount"));
}

TEST(Condition, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(refusal("amount > 1 and aera == x"),
              AllOf(HasSubstr("column 16"), HasSubstr("no field `aera`; did you mean `area`?")));
  EXPECT_THAT(refusal("area = refund"), AllOf(HasSubstr("column 6"), HasSubstr("use == to compare")));
  EXPECT_THAT(refusal("area == on hold"), AllOf(HasSubstr("column 12"), HasSubstr("found `hold`")));
  EXPECT_THAT(refusal("area == "), HasSubstr("it ends where a value is expected"));
  EXPECT_THAT(refusal("(area"), HasSubstr("it ends where `)` is expected"));
  EXPECT_THAT(refusal("area)"), AllOf(HasSubstr("column 5"), HasSubstr("found `)`")));
  EXPECT_THAT(refusal("area in refund"), HasSubstr("a list, as in [refund, delivery]"));
  EXPECT_THAT(refusal("area in [a b]"), HasSubstr("stands in quotes"));
  EXPECT_THAT(refusal("area in []"), HasSubstr("expected a value"));
  EXPECT_THAT(refusal("area == 'x"), HasSubstr("the ' that belongs to this is missing"));
  EXPECT_THAT(refusal("!area"), HasSubstr("write `not`"));
  EXPECT_THAT(refusal("and area"), HasSubstr("expected a field"));
  EXPECT_THAT(refusal("é == 1"), HasSubstr("column 1:"));
  EXPECT_THAT(refusal(" "), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("area \xFF"), HasSubstr("not UTF-8"));
  EXPECT_THAT(refusal(std::string(60, '(') + "area" + std::string(60, ')')), HasSubstr("more than 50"));
  std::string nots;
  for (int i = 0; i < 2'000; ++i) nots += "not ";
  EXPECT_THAT(refusal(nots + "area"), HasSubstr("more than 50"));
  EXPECT_THAT(refusal(std::string(20'000, 'a')), HasSubstr("longer than 10000 bytes"));
}

TEST(PassRule, ComparesAScoreOrALabel) {
  EXPECT_TRUE(passes(">= 4", "4"));
  EXPECT_FALSE(passes("> 4", "4"));
  EXPECT_TRUE(passes(">= 0.9", "0.8999999999999999"));  // a mean that is 0.9 but for its last bit
  EXPECT_FALSE(passes("< 0.9", "0.8999999999999999"));
  EXPECT_FALSE(passes(">= 0.9", "0.89999"));
  EXPECT_TRUE(passes("== yes", "\"yes\""));
  EXPECT_TRUE(passes("== yes", "true"));
  EXPECT_TRUE(passes("in [good, fair]", "\"fair\""));
  EXPECT_TRUE(passes("not in [bad]", "\"fair\""));
  EXPECT_FALSE(passes("!= bad", "\"bad\""));
  EXPECT_TRUE(passes(">= 2 and < 4 or == 7", "7"));
  EXPECT_FALSE(passes("not (>= 2 and < 4)", "3"));
  const auto refused = [](std::string_view rule) { return PassRule::parse(rule).error().text(); };
  EXPECT_THAT(refused("4"), HasSubstr("one of == != >= > <= <"));
  EXPECT_THAT(refused(">= 4 5"), HasSubstr("found `5`"));
  EXPECT_THAT(refused(">="), HasSubstr("it ends where a value is expected; one reads like \">= 4\""));
}

// A random condition, and whether it should hold, said by C++ itself.
struct Said {
  std::string text;
  bool truth;
};
Said any_condition(int a, int b, int depth) {
  const int kind = *rc::gen::inRange(0, depth > 0 ? 7 : 4);
  const int number = *rc::gen::inRange(-3, 4);
  const std::string literal = std::to_string(number);
  if (kind == 0) return {"amount >= " + literal, a >= number};
  if (kind == 1) return {"code < " + literal, b < number};
  if (kind == 2) return {"amount in [" + literal + ", 2]", a == number || a == 2};
  if (kind == 3) return {"code != " + literal, b != number};
  const Said one = any_condition(a, b, depth - 1);
  if (kind == 4) return {"not (" + one.text + ")", !one.truth};
  const Said other = any_condition(a, b, depth - 1);
  if (kind == 5) return {"(" + one.text + ") and (" + other.text + ")", one.truth && other.truth};
  return {"(" + one.text + ") or (" + other.text + ")", one.truth || other.truth};
}

RC_GTEST_PROP(Condition, HoldsWhenItsPartsSaySo, ()) {
  const int a = *rc::gen::inRange(-3, 4);
  const int b = *rc::gen::inRange(-3, 4);
  const Said said = any_condition(a, b, 4);
  const auto condition = Condition::parse(said.text, kFields);
  RC_ASSERT(condition.has_value());
  RC_ASSERT(condition->holds({{"amount", a}, {"code", std::to_string(b)}}) == said.truth);
}

}  // namespace
}  // namespace assay::custom
