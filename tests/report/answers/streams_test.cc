// Questions about runs and streams: pass@k and confidence sequences.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/answers/ask.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

std::string runs_of(const std::string& task, int n, int passed) {
  std::string rows;
  for (int i = 0; i < n; ++i) rows += task + (i < passed ? ",true\n" : ",false\n");
  return rows;
}

// Ten runs, seven passes: pass@3 0.991667 and pass^3 0.291667 (tests/stats, agents_test.cc).
TEST(PassAtKAnswer, GivesThePublishedValues) {
  const Json json =
      asked("pass-at-k", "id,ok\n" + runs_of("t", 10, 7), {{"task", "id"}, {"passed", "ok"}, {"k", "3"}});
  EXPECT_NEAR(number_at(json, "/pass_at_k/3/value"), 0.991667, 5e-7);
  EXPECT_NEAR(number_at(json, "/pass_hat_k/3/value"), 0.291667, 5e-7);
  EXPECT_EQ(number_at(json, "/pass_at_k/3/n"), 1);
  EXPECT_TRUE(json.at_pointer("/pass_at_k/3/ci").is_null());  // one task says nothing of others
  EXPECT_EQ(number_at(json, "/runs"), 10);
}

TEST(PassAtKAnswer, AgreesWithR) {
  for (const Json& item : reference_file("agents.json").as_array()) {
    const std::vector<double> row = reference_numbers(item);  // n, c, k, pass@k, pass^k
    if (row[0] > 1000) continue;
    const std::string k = to_text(Json(static_cast<std::int64_t>(row[2])));
    const Json json =
        asked("pass-at-k", "id,ok\n" + runs_of("t", static_cast<int>(row[0]), static_cast<int>(row[1])),
              {{"task", "id"}, {"passed", "ok"}, {"k", k}});
    EXPECT_NEAR(number_at(json, "/pass_at_k/" + k + "/value"), row[3], 1e-10);
    EXPECT_NEAR(number_at(json, "/pass_hat_k/" + k + "/value"), row[4], 1e-10);
  }
}

TEST(PassAtKAnswer, CountsWhatItLeavesOut) {
  const std::string csv =
      "id,ok\n" + runs_of("a", 4, 2) + runs_of("b", 4, 3) + runs_of("c", 2, 1) + "c,\nd,\n";
  const auto answer = ask("pass-at-k", csv, {{"task", "id"}, {"passed", "ok"}, {"k", "1,3"}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(number_at(answer->json, "/tasks"), 4);
  EXPECT_EQ(number_at(answer->json, "/runs"), 10);
  EXPECT_EQ(number_at(answer->json, "/missing"), 2);
  EXPECT_EQ(number_at(answer->json, "/pass_at_k/1/n"), 3);
  EXPECT_EQ(number_at(answer->json, "/pass_at_k/3/n"), 2);
  EXPECT_EQ(number_at(answer->json, "/pass_at_k/3/missing/fewer_runs_than_k"), 2);
  EXPECT_THAT(answer->text, HasSubstr("left out: 2 runs without an outcome"));
  EXPECT_THAT(answer->text, HasSubstr("fewer runs than k 2"));
}

TEST(PassAtKAnswer, TakesOneAndTheFewestRunsIfNothingElseIsAsked) {
  const Json json = asked("pass-at-k", "id,ok\n" + runs_of("a", 4, 2) + runs_of("b", 3, 3),
                          {{"task", "id"}, {"passed", "ok"}});
  ASSERT_EQ(json.at("pass_at_k").as_object().size(), 2U);
  EXPECT_NEAR(number_at(json, "/pass_at_k/1/value"), 0.75, 1e-12);
  EXPECT_NEAR(number_at(json, "/pass_hat_k/3/value"), 0.5, 1e-12);
}

TEST(PassAtKAnswer, TellsEveryProblemOfTheTable) {
  EXPECT_EQ(refused("pass-at-k", "id,ok\n,true\nb,maybe\nc,2\n", {{"task", "id"}, {"passed", "ok"}}),
            "table.csv: line 2: column id is empty, expected the name of a task\n"
            "line 3, ok: found \"maybe\", expected true, false, 1 or 0\n"
            "line 4, ok: found \"2\", expected true, false, 1 or 0");
  EXPECT_EQ(refused("pass-at-k", "a,b\n1,2\n", {{"task", "id"}, {"passed", "ok"}}),
            "table.csv: there is no column id; there are a, b\nthere is no column ok; there are a, b");
  const std::vector<FlagValue> flags = {{"task", "id"}, {"passed", "ok"}, {"k", "0,x"}};
  EXPECT_EQ(refused("pass-at-k", "id,ok\n", flags),
            "--k: found 0, expected a number from 1 to 1000000\n"
            "--k: found x, expected a number from 1 to 1000000");
}

TEST(PassAtKAnswer, OfNoRunsIsUndefined) {
  const Json json = asked("pass-at-k", "id,ok\n", {{"task", "id"}, {"passed", "ok"}});
  EXPECT_TRUE(json.at_pointer("/pass_at_k/1/value").is_null());
  EXPECT_EQ(json.at_pointer("/pass_at_k/1/undefined").as_string(), "no observations");
}

std::string alternating(int n) {
  std::string csv = "v\n";
  for (int i = 0; i < n; ++i) csv += i % 2 == 0 ? "0.5\n" : "-0.5\n";
  return csv;
}

// The published boundary, 30.35209 for v = 100 at α = 0.05 (tests/stats, sequential_test.cc), with the
// observed deviation of 0.5: half of 0.3035209 at 100 observations.
TEST(SequenceAnswer, GivesThePublishedBoundaryWithoutLimits) {
  const Json json = asked("sequence", alternating(100), {{"value", "v"}});
  EXPECT_NEAR(number_at(json, "/mean/ci/1"), 0.3035209 / 2, 5e-8);
  EXPECT_EQ(json.at_pointer("/mean/method").as_string(), "normal_mixture_asymptotic");
  EXPECT_EQ(number_at(json, "/n"), 100);
}

TEST(SequenceAnswer, LooksMoreSeldomAsTheStreamGrowsAndAtTheEnd) {
  const Json json = asked("sequence", alternating(120), {{"value", "v"}, {"low", "-1"}, {"high", "1"}});
  std::vector<double> looks;
  for (const Json& look : json.at("looks").as_array()) looks.push_back(number_at(look, "/n"));
  EXPECT_THAT(looks, ::testing::ElementsAre(1, 2, 5, 10, 20, 50, 100, 120));
  EXPECT_EQ(json.at_pointer("/mean/method").as_string(), "betting");
  for (const Json& look : json.at("looks").as_array()) {
    EXPECT_LE(number_at(look, "/mean/ci/0"), 0);
    EXPECT_GE(number_at(look, "/mean/ci/1"), 0);
  }
}

TEST(SequenceAnswer, TakesTheBoundThatIsAskedFor) {
  const std::vector<FlagValue> limits = {{"value", "v"}, {"low", "-1"}, {"high", "1"}};
  for (const std::string bound : {"mixture", "stitched"}) {
    auto flags = limits;
    flags.push_back({"bound", bound});
    EXPECT_EQ(asked("sequence", alternating(50), flags).at_pointer("/mean/method").as_string(),
              "empirical_bernstein_" + bound);
  }
}

// 1 … 1000: the median lies between 418 and 583 (tests/stats, quantiles_test.cc).
TEST(SequenceAnswer, FollowsQuantiles) {
  std::string csv = "v\n";
  for (int i = 1000; i >= 1; --i) csv += std::to_string(i) + "\n";
  const auto answer = ask("sequence", csv, {{"value", "v"}, {"quantiles", "0.5,0.99"}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(number_at(answer->json, "/quantiles/0.5/value"), 500);
  EXPECT_EQ(number_at(answer->json, "/quantiles/0.5/ci/0"), 418);
  EXPECT_EQ(number_at(answer->json, "/quantiles/0.5/ci/1"), 583);
  EXPECT_EQ(number_at(answer->json, "/quantiles/0.99/value"), 990);
  EXPECT_TRUE(answer->json.at_pointer("/quantiles/0.99/ci").is_null());
  EXPECT_THAT(answer->text, HasSubstr("1000 observations do not bound this quantile on both sides"));
}

TEST(SequenceAnswer, CountsMissingValuesAndOfNoneIsUndefined) {
  const Json some = asked("sequence", "v,w\n1,1\n,1\n0,1\n", {{"value", "v"}, {"low", "0"}, {"high", "1"}});
  EXPECT_EQ(number_at(some, "/n"), 2);
  EXPECT_EQ(number_at(some, "/missing"), 1);
  const Json none = asked("sequence", "v,w\n", {{"value", "v"}});
  EXPECT_TRUE(none.at_pointer("/mean/value").is_null());
  EXPECT_EQ(none.at("looks").as_array().size(), 1U);
}

TEST(SequenceAnswer, RefusesLimitsThatDoNotHold) {
  EXPECT_EQ(refused("sequence", "v\n1\n2\nx\n", {{"value", "v"}, {"low", "0"}, {"high", "1"}}),
            "table.csv: line 3: column v: found 2, expected a number from 0 to 1\n"
            "line 4, v: found \"x\", expected a number");
  EXPECT_THAT(refused("sequence", "v\n1\n", {{"value", "v"}, {"low", "0"}}), HasSubstr("belong together"));
  EXPECT_THAT(refused("sequence", "v\n1\n", {{"value", "v"}, {"low", "1"}, {"high", "0"}}),
              HasSubstr("the first below the second"));
  EXPECT_EQ(refused("sequence", "v\n1\n", {{"value", "v"}, {"bound", "betting"}}),
            "--bound betting needs --low N and --high N");
}

}  // namespace
}  // namespace assay
