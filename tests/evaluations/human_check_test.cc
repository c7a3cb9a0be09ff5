#include "evaluations/human_check.h"

#include <fstream>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

struct HumanCheckTest : testing::Test {
  std::string path = testing::TempDir() + "assay-labels.csv";
  std::vector<ConfigProblem> problems;

  std::optional<HumanCheck> check(const std::string& csv, const char* figure = "accuracy") {
    std::ofstream(path) << csv;
    return HumanCheck::from(Config(JsonObject{{"human", JsonObject{{"labels", path}, {"figure", figure}}}}),
                            {{"accuracy"}, {"f1"}}, problems);
  }
  static double value(const Summary& summary, const std::string& name) {
    for (const Metric& metric : summary.metrics) {
      if (metric.name == name) return metric.estimate.value.value_or(-1);
    }
    ADD_FAILURE() << "no metric " << name;
    return -1;
  }
};

TEST_F(HumanCheckTest, WithoutTheKeyThereIsNone) {
  EXPECT_EQ(HumanCheck::from(Config(JsonObject{}), {}, problems).has_value(), false);
  EXPECT_TRUE(problems.empty());
}

TEST_F(HumanCheckTest, OnlyTheNamedFigureCountsAndStrangersAreCounted) {
  auto human = check("id,label\na,1\nb,0\nz,1\n");
  ASSERT_TRUE(human);
  for (const auto& [id, score] :
       std::vector<std::pair<const char*, double>>{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 0}}) {
    human->add(id, "", "accuracy", score);
    human->add(id, "", "another", 0);
  }
  Summary summary;
  human->apply(summary);
  EXPECT_EQ(value(summary, "accuracy.judge_only"), 0.75);
  EXPECT_EQ(value(summary, "accuracy.human_only"), 0.5);
  EXPECT_EQ(value(summary, "accuracy.labels"), 2);
  EXPECT_EQ(value(summary, "accuracy.labels_of_no_case"), 1);
}

TEST_F(HumanCheckTest, RatingsAreNotCutToShares) {
  auto human = check("id,label\na,2\nb,1\n");
  for (const auto& [id, score] :
       std::vector<std::pair<const char*, double>>{{"a", 1}, {"b", 1}, {"c", 2}, {"d", 1}})
    human->add(id, "", "accuracy", score);
  Summary summary;
  human->apply(summary);
  const Estimate& judge = summary.metrics.front().estimate;
  EXPECT_EQ(judge.value, 1.25);
  EXPECT_GT(judge.ci->high, 1.25) << "the interval holds what it is of";
}

TEST_F(HumanCheckTest, WhereEverythingIsLabelledPeopleHaveTheLastWord) {
  auto human = check("id,label\na,1\nb,0\n");
  human->add("a", "", "accuracy", 1);
  human->add("b", "", "accuracy", 1);
  Summary summary;
  summary.metrics.push_back({"accuracy", {}, Metric::Form::share});
  human->apply(summary);
  EXPECT_EQ(value(summary, "accuracy.corrected"), 0.5);
  ASSERT_EQ(summary.conclusions.size(), 1U);
  EXPECT_THAT(summary.conclusions[0],
              HasSubstr("Corrected by people's labels of 2 cases, Accuracy is 50.0%"));
}

TEST_F(HumanCheckTest, ItsFiguresReadLikeTheOneTheyAreAboutAndAreShownFirst) {
  auto human = check("id,label\na,1\nb,0\n");
  human->add("a", "", "accuracy", 1);
  human->add("b", "", "accuracy", 1);
  Summary summary;
  summary.metrics.push_back({"accuracy", {}, Metric::Form::share});
  human->apply(summary);
  for (const Metric& metric : summary.metrics) {
    if (metric.name != "accuracy.corrected") continue;
    EXPECT_EQ(metric.form, Metric::Form::share);
    EXPECT_TRUE(metric.headline);
  }
}

TEST_F(HumanCheckTest, AFigureThatDoesNotExistIsToldWithTheNearest) {
  check("id,label\na,1\n", "acuracy");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].text, "no figure acuracy is a mean over cases; did you mean accuracy?");
}

TEST_F(HumanCheckTest, ACopyStartsWithoutCases) {
  const auto labels = check("id,label\na,1\n");
  for (int collector = 0; collector < 2; ++collector) {
    HumanCheck own = *labels;
    own.add("a", "", "accuracy", 1);
    Summary summary;
    own.apply(summary);
    EXPECT_EQ(value(summary, "accuracy.labels"), 1);
  }
}

TEST_F(HumanCheckTest, EveryProblemOfTheFileIsToldWithItsLine) {
  check("id,label,probability\na,x,0.5\nb,1,0\nb,1,0.5\n");
  std::string all;
  for (const ConfigProblem& problem : problems) all += problem.text + "\n";
  EXPECT_THAT(all, AllOf(HasSubstr("line 2, label: found x"), HasSubstr("line 3, probability: found 0"),
                         HasSubstr("line 4: the case b is labelled already")));
  problems.clear();
  EXPECT_FALSE(check("name,score\na,1\n"));
  EXPECT_EQ(problems.size(), 2U);
}

}  // namespace
}  // namespace assay
