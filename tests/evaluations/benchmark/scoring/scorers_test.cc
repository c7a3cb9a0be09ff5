#include "evaluations/benchmark/scoring/scorers.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/scoring/ranking.h"

namespace assay::benchmark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json json(std::string_view text) {
  return parse_json(text).value();
}

std::optional<Scorer> read(const std::string& yaml, std::vector<ConfigProblem>& problems) {
  return read_scorer(parse_yaml("scorer: " + yaml + "\n").value(), "/scorer", "task.yaml", problems);
}

Scorer scorer(const std::string& yaml) {
  std::vector<ConfigProblem> problems;
  auto found = read(yaml, problems);
  for (const auto& problem : problems) ADD_FAILURE() << problem.key << ": " << problem.text;
  return found.value_or(Scorer{});
}

AnswerScore scored(const std::string& yaml, std::string_view expected, std::string_view answer) {
  const Json wanted = json(expected);
  return score(scorer(yaml), &wanted, json(answer)).value();
}
double value(const std::string& yaml, std::string_view expected, std::string_view answer) {
  return scored(yaml, expected, answer).value;
}

TEST(ExactScorer, WantsEqualJsonInAnyOrderOfKeys) {
  EXPECT_EQ(value("exact", R"({"a":1,"b":[1,2]})", R"({"b":[1.0,2],"a":1})"), 1);
  EXPECT_EQ(value("exact", R"({"a":1})", R"({"a":"1"})"), 0);
  EXPECT_EQ(value("exact", "[1,2]", "[2,1]"), 0);
  EXPECT_EQ(value("exact", "null", "null"), 1);
  EXPECT_THAT(scored("exact", "1", "2").notes, ElementsAre("found 2, expected 1"));
}

TEST(NumberScorer, FallsFromToleranceToCutoff) {
  const std::string config = "{name: number, tolerance: 1, cutoff: 5}";
  EXPECT_EQ(value(config, "100", "101"), 1);
  EXPECT_EQ(value(config, "100", "99"), 1);
  EXPECT_DOUBLE_EQ(value(config, "100", "103"), 0.5);  // (5 - 3) / (5 - 1)
  EXPECT_DOUBLE_EQ(value(config, "100", "98"), 0.75);  // (5 - 2) / (5 - 1)
  EXPECT_EQ(value(config, "100", "105"), 0);
  EXPECT_EQ(value(config, "100", "1e300"), 0);
  EXPECT_EQ(value("number", "2301.8", "2301.80"), 1);
  EXPECT_EQ(value("number", "2301.8", "2301.81"), 0);
  EXPECT_EQ(value("{name: number, tolerance: 2, cutoff: 2}", "10", "12"), 1);
  EXPECT_EQ(value("{name: number, tolerance: 2, cutoff: 2}", "10", "12.5"), 0);
  // 84.2 - 84.1 is 0.10000000000000853 in binary.
  EXPECT_EQ(value("{name: number, tolerance: 0.1}", "84.1", "84.2"), 1);
  EXPECT_EQ(value("{name: number, tolerance: 0.1}", "84.1", "84.201"), 0);
}

TEST(NumberScorer, FindsTheNumberInTextAndInListsOfOne) {
  EXPECT_EQ(value("number", "12.5", R"("12.50")"), 1);
  EXPECT_EQ(value("{name: number, strict_types: true}", "12.5", R"("12.5")"), 0);
  EXPECT_EQ(value("number", "12.5", R"([{"average_hours": 12.5}])"), 1);
  EXPECT_EQ(value("{name: number, key: hours}", "12.5", R"({"n": 3, "hours": 12.5})"), 1);
  EXPECT_EQ(value("number", "12.5", R"({"n": 3, "hours": 12.5})"), 0);
  EXPECT_EQ(value("number", "12.5", "[12.5, 13]"), 0);
  EXPECT_THAT(scored("number", "12.5", R"("many")").notes, ElementsAre(R"(found "many", expected a number)"));
}

// Pairs of the common ids: tau = (concordant - discordant) / all, as there are no ties.
TEST(RankingScorer, IsKendallsTauLessAFifthForEachMissingOrExtraId) {
  EXPECT_EQ(value("ranking", "[1,2,3,4]", "[1,2,3,4]"), 1);
  EXPECT_DOUBLE_EQ(value("ranking", "[1,2,3,4]", "[2,1,3,4]"), 4.0 / 6);  // 5 right, 1 wrong of 6
  EXPECT_DOUBLE_EQ(value("ranking", "[1,2,3,4]", "[2,1,4,3]"), 2.0 / 6);  // 4 right, 2 wrong
  EXPECT_EQ(value("ranking", "[1,2,3,4]", "[4,3,2,1]"), 0);               // -1, clamped
  EXPECT_DOUBLE_EQ(value("ranking", "[1,2,3,4]", "[1,2,3]"), 0.8);
  EXPECT_DOUBLE_EQ(value("ranking", "[1,2,3,4]", "[1,2,3,4,5]"), 0.8);
  EXPECT_DOUBLE_EQ(value("ranking", "[1,2,3,4]", "[1,9,2,3]"), 0.6);  // 4 missing, 9 extra
  EXPECT_EQ(value("ranking", "[1,2,3,4]", "[2,1,3,5]"), 0);           // 1/3 - 0.4, clamped
  EXPECT_EQ(value("ranking", "[1,2,3]", "[7,8,9]"), 0);
  EXPECT_EQ(value("ranking", "[1,2,3]", "[]"), 0);
}

TEST(RankingScorer, ACorrectListOfOneIsOne) {
  EXPECT_EQ(value("ranking", "[1]", "[1]"), 1);
  EXPECT_EQ(value("ranking", "[1]", "[2]"), 0);
  EXPECT_DOUBLE_EQ(value("ranking", "[1]", "[1,2]"), 0.8);
  EXPECT_DOUBLE_EQ(value("ranking", "[1,2,3]", "[2]"), 0.6);
  EXPECT_EQ(value("ranking", "[]", "[]"), 1);
  EXPECT_EQ(value("ranking", "[]", "[1]"), 0);
}

TEST(RankingScorer, ARepeatedIdAndARowWithoutIdAreExtra) {
  EXPECT_DOUBLE_EQ(value("ranking", "[1,2,3]", "[1,2,3,1]"), 0.8);  // the first place of 1 counts
  EXPECT_DOUBLE_EQ(value("ranking", "[1,2,3]", "[1,2,3,null]"), 0.8);
  EXPECT_DOUBLE_EQ(value("ranking", "[1,2,3]", "[1,2,3,{}]"), 0.8);
  EXPECT_DOUBLE_EQ(
      value("{name: ranking, key: id}", R"([{"id":1},{"id":2}])", R"([{"id":1},{"id":2},{"x":3}])"), 0.8);
}

TEST(RankingScorer, IdsAreTheKeyOrTheFirstFieldAndCompareAsText) {
  const char* expected = R"([{"ticket_id":1,"project_id":7},{"ticket_id":2,"project_id":8}])";
  EXPECT_EQ(value("ranking", expected, R"([{"ticket_id":"1"},{"ticket_id":"2"}])"), 1);
  EXPECT_EQ(value("ranking", expected, R"([{"score":9,"ticket_id":1.0},{"score":8,"ticket_id":2}])"), 1);
  EXPECT_EQ(value("ranking", expected, R"([{"id":1},{"id":2}])"), 1);
  EXPECT_EQ(value("ranking", expected, "[1,2]"), 1);
  EXPECT_EQ(value("{name: ranking, key: project_id}", expected, R"([{"project_id":7},{"project_id":8}])"), 1);
  EXPECT_EQ(value("{name: ranking, key: ticket_id}", expected, R"([{"id":1},{"id":2}])"), 0);
  EXPECT_EQ(value("{name: ranking, strict_types: true}", "[1,2]", R"(["1","2"])"), 0);
  EXPECT_EQ(value("{name: ranking, strict_types: true}", "[1,2]", "[1.0,2]"), 1);
  EXPECT_EQ(value("{name: ranking, strict_types: true}", R"(["1","2"])", R"(["1","2"])"), 1);
}

TEST(RankingScorer, AWrappedListIsForgivenAndNotedAndAnythingElseIsZero) {
  const AnswerScore wrapped = scored("ranking", "[1,2]", R"({"tickets":[1,2]})");
  EXPECT_EQ(wrapped.value, 1);
  EXPECT_THAT(wrapped.notes, ElementsAre("the list was taken from the field `tickets`"));
  EXPECT_THAT(scored("ranking", "[1,2]", "5").notes, ElementsAre("found 5, expected a list"));
  EXPECT_EQ(value("ranking", R"([{"id":1}])", R"({"id":1,"b":2})"), 1);
}

// b a c x against a b c d: among a, b and c two pairs are in order and one is not.
TEST(RankingScorer, SaysMoreBesideTheScore) {
  const AnswerScore score = scored("ranking", R"(["a","b","c","d"])", R"(["b","a","c","x"])");
  EXPECT_EQ(score.value, 0);  // 1/3 - 0.4
  EXPECT_DOUBLE_EQ(*as_number(score.details.at("tau")), 1.0 / 3);
  EXPECT_DOUBLE_EQ(*as_number(score.details.at("spearman")), 0.5);  // 1 - 6·(1+1)/(3·8)
  // Gains 4 3 2 1: (3 + 4/log2(3) + 2/2) / (4 + 3/log2(3) + 2/2 + 1/log2(5)) = 6.523719/7.323465
  EXPECT_NEAR(*as_number(score.details.at("ndcg")), 0.890797, 1e-6);
  EXPECT_EQ(*as_number(score.details.at("top1")), 0);
  EXPECT_EQ(*as_number(score.details.at("exact_prefix")), 0);
  EXPECT_EQ(*as_integer(score.details.at("missing")), 1);
  EXPECT_EQ(*as_integer(score.details.at("extra")), 1);
  const AnswerScore half = scored("ranking", "[1,2,3,4]", "[1,2,4,3]");
  EXPECT_EQ(*as_number(half.details.at("top1")), 1);
  EXPECT_EQ(*as_number(half.details.at("exact_prefix")), 0.5);
  EXPECT_TRUE(scored("ranking", "[1]", "[1]").details.at("tau").is_null());
}

TEST(RecordsScorer, IsTheF1OfRowsThatCountAsFarAsTheyAreRight) {
  const char* expected = R"([{"id":1,"a":10,"b":"x"},{"id":2,"a":20,"b":"y"}])";
  EXPECT_EQ(value("records", expected, R"([{"id":2,"b":"y","a":20},{"id":"1","a":10,"b":"x","more":0}])"), 1);
  // Row 1 half right, row 2 right: 2·1.5/4.
  EXPECT_DOUBLE_EQ(value("records", expected, R"([{"id":1,"a":11,"b":"x"},{"id":2,"a":20,"b":"y"}])"), 0.75);
  // Row 2 missing: 2·1/3.
  const AnswerScore one = scored("records", expected, R"([{"id":1,"a":10,"b":"x"}])");
  EXPECT_DOUBLE_EQ(one.value, 2.0 / 3);
  EXPECT_EQ(*as_number(one.details.at("precision")), 1);
  EXPECT_EQ(*as_number(one.details.at("recall")), 0.5);
  EXPECT_EQ(*as_number(one.details.at("field_accuracy")), 1);
  // Row 1 twice: 2·2/5.
  EXPECT_DOUBLE_EQ(value("records", expected,
                         R"([{"id":1,"a":10,"b":"x"},{"id":1,"a":10,"b":"x"},{"id":2,"a":20,"b":"y"}])"),
                   0.8);
  // A missing field is a wrong one: 2·(0.5 + 1)/4.
  EXPECT_DOUBLE_EQ(value("records", expected, R"([{"id":1,"b":"x"},{"id":2,"a":20,"b":"y"}])"), 0.75);
  EXPECT_EQ(value("records", expected, "[]"), 0);
  EXPECT_TRUE(scored("records", expected, "[]").details.at("precision").is_null());
  EXPECT_EQ(value("records", "[]", "[]"), 1);
  EXPECT_EQ(value("records", R"(["a","b"])", R"(["b","a"])"), 1);
}

TEST(RecordsScorer, FieldsHaveTolerancesAndTypesMayBeStrict) {
  const char* expected = R"([{"id":1,"score":84.1,"n":3}])";
  const std::string near = "{name: records, key: id, fields: {score: 0.1}}";
  EXPECT_EQ(value(near, expected, R"([{"id":1,"score":84.2,"n":3}])"), 1);
  EXPECT_EQ(value(near, expected, R"([{"id":1,"score":"84.15","n":"3"}])"), 1);
  EXPECT_DOUBLE_EQ(value(near, expected, R"([{"id":1,"score":84.3,"n":3}])"), 0.5);
  EXPECT_DOUBLE_EQ(
      value("{name: records, strict_types: true}", expected, R"([{"id":1,"score":84.1,"n":"3"}])"), 0.5);
  EXPECT_EQ(value("{name: records, strict_types: true}", expected, R"([{"id":"1","score":84.1,"n":3}])"), 0);
  const AnswerScore score = scored(near, expected, R"([{"id":1,"score":84.3,"n":3}])");
  EXPECT_EQ(to_text(score.details.at("fields")), R"({"n":1,"score":0})");
  EXPECT_EQ(value("records", R"([{"id":1,"zip":"007"}])", R"([{"id":1,"zip":"7"}])"), 0);
}

TEST(SchemaScorer, IsOneForAValidAnswerAndNamesDefects) {
  const std::string config =
      "{name: schema, schema: {type: object, required: [a], properties: {a: {type: number}}}}";
  const Scorer declared = scorer(config);
  EXPECT_EQ(score(declared, nullptr, json(R"({"a":1})"))->value, 1);
  const auto bad = score(declared, nullptr, json(R"({"a":"x"})"));
  EXPECT_EQ(bad->value, 0);
  EXPECT_THAT(bad->notes, ElementsAre(HasSubstr("/a")));
  EXPECT_EQ(value("schema", R"({"type":"array"})", "[]"), 1);  // expected_output is the schema
  EXPECT_EQ(value("schema", R"({"type":"array"})", "{}"), 0);
  EXPECT_EQ(value("schema", R"({"type":"nonsense"})", "{}"), 0);
}

TEST(Scorer, FollowsFromTheFormOfWhatIsExpected) {
  const auto name = [](std::string_view expected) { return to_string(default_scorer(json(expected)).name); };
  EXPECT_EQ(name("12.5"), "number");
  EXPECT_EQ(name(R"([{"ticket_id":123}])"), "ranking");
  EXPECT_EQ(name(R"([{"ticket_id":123},{"ticket_id":124,"score":1}])"), "records");
  EXPECT_EQ(name(R"(["a",1])"), "ranking");
  EXPECT_EQ(name("[]"), "exact");
  EXPECT_EQ(name("[[1],[2]]"), "exact");
  EXPECT_EQ(name(R"({"a":1})"), "exact");
  EXPECT_EQ(name(R"("text")"), "exact");
  EXPECT_EQ(name("null"), "exact");
}

TEST(Scorer, ByDefaultEveryValueOfAListOfObjectsCounts) {
  const Json expected = json(R"([{"id":1,"hours":2},{"id":2,"hours":3}])");
  const Scorer chosen = default_scorer(expected);
  const auto of = [&](std::string_view answer) { return score(chosen, &expected, json(answer)).value(); };
  EXPECT_EQ(of(R"([{"id":1,"hours":9},{"id":2,"hours":9}])").value, 0);
  EXPECT_EQ(of(R"([{"id":1,"hours":2},{"id":2,"hours":9}])").value, 0.5);
  EXPECT_EQ(of(R"([{"id":1,"hours":2},{"id":2,"hours":3}])").value, 1);
  const AnswerScore turned = of(R"([{"id":2,"hours":3},{"id":1,"hours":2}])");
  EXPECT_EQ(turned.value, 1);
  EXPECT_THAT(turned.notes, ElementsAre(HasSubstr("another order"))) << "nobody said that it does not matter";
  EXPECT_THAT(
      scored("records", "[{\"id\":1,\"a\":2},{\"id\":2,\"a\":3}]", "[{\"id\":2,\"a\":3},{\"id\":1,\"a\":2}]")
          .notes,
      IsEmpty());
}

TEST(Scorer, IsReadByNameOrWithOptions) {
  EXPECT_EQ(scorer("ranking").name, ScorerName::ranking);
  const Scorer full = scorer("{name: number, tolerance: 0.5, cutoff: 2, strict_types: true}");
  EXPECT_EQ(full.tolerance, 0.5);
  EXPECT_EQ(full.cutoff, 2);
  EXPECT_TRUE(full.rule.strict_types);
  // Rubric and command are declared, and left to those who can ask and run.
  const Scorer rubric = scorer("{name: rubric, criteria: [polite]}");
  EXPECT_EQ(rubric.name, ScorerName::rubric);
  EXPECT_THAT(rubric.criteria, ElementsAre("polite"));
  EXPECT_FALSE(score(rubric, nullptr, json("1")).has_value());
  EXPECT_EQ(scorer("{name: command, command: [./score.sh]}").name, ScorerName::command);
  EXPECT_FALSE(score(scorer("exact"), nullptr, json("1")).has_value());
}

TEST(Scorer, EveryProblemIsNamedWithItsPlace) {
  const auto told = [](const std::string& yaml) {
    std::vector<ConfigProblem> problems;
    EXPECT_FALSE(read(yaml, problems).has_value()) << yaml;
    std::vector<std::string> lines;
    for (const auto& problem : problems)
      lines.push_back(problem.where + ": " + problem.key + ": " + problem.text);
    return lines;
  };
  EXPECT_THAT(told("rankin"),
              ElementsAre(AllOf(HasSubstr("task.yaml, line 1, column 1: scorer: found \"rankin\""),
                                HasSubstr("did you mean `ranking`?"))));
  EXPECT_THAT(told("7"), ElementsAre(HasSubstr("found 7, expected one of exact, number")));
  EXPECT_THAT(told("{key: a}"), ElementsAre(HasSubstr("`name` is missing")));
  EXPECT_THAT(told("{name: ranking, ky: a, strict_types: maybe}"),
              ElementsAre("task.yaml, line 1, column 25: scorer.ky: unknown key; did you mean `key`?",
                          AllOf(HasSubstr("scorer.strict_types: found \"maybe\""))));
  EXPECT_THAT(told("{name: number, tolerance: -1, cutoff: x}"),
              ElementsAre(HasSubstr("scorer.tolerance: found -1"), HasSubstr("scorer.cutoff: found \"x\"")));
  EXPECT_THAT(told("{name: number, tolerance: 3, cutoff: 2}"),
              ElementsAre(HasSubstr("scorer.cutoff: found 2, expected at least the tolerance, 3")));
  EXPECT_THAT(told("{name: records, fields: {a: -1, b: x}}"),
              ElementsAre(HasSubstr("column 34: scorer.fields.a: found -1"), HasSubstr("scorer.fields.b")));
  EXPECT_THAT(told("{name: records, fields: [a]}"), ElementsAre(HasSubstr("scorer.fields: found [\"a\"]")));
  EXPECT_THAT(told("{name: schema, schema: {type: nonsense}}"), ElementsAre(HasSubstr("scorer.schema: ")));
  EXPECT_THAT(told("{name: schema, schema: file.json}"), ElementsAre(HasSubstr("expected a JSON schema")));
}

TEST(Scorer, SaysWhatDoesNotFitTheExpectedOutput) {
  const auto told = [](const std::string& yaml, std::string_view expected) {
    const Json wanted = json(expected);
    return misfits(scorer(yaml), &wanted);
  };
  EXPECT_THAT(told("ranking", "[1,2]"), IsEmpty());
  EXPECT_THAT(told("ranking", "7"), ElementsAre("expected_output is 7, but `ranking` needs a list"));
  EXPECT_THAT(told("{name: ranking, key: id}", R"([{"id":1},{"x":2},{"id":1}])"),
              ElementsAre("expected_output[1] has no id under `id`", "expected_output[2] repeats the id 1"));
  EXPECT_THAT(told("{name: records, fields: {scor: 1}}", R"([{"id":1,"score":2}])"),
              ElementsAre("no row of expected_output has the field `scor` of `fields`"));
  EXPECT_THAT(told("number", R"("x")"), ElementsAre(HasSubstr("`number` needs a number")));
  EXPECT_THAT(told("schema", "[]"), ElementsAre(HasSubstr("no JSON schema")));
  EXPECT_THAT(misfits(scorer("exact"), nullptr), ElementsAre("`exact` needs an expected_output"));
  EXPECT_THAT(misfits(scorer("{name: rubric, criteria: [polite]}"), nullptr), IsEmpty());
}

}  // namespace
}  // namespace assay::benchmark
