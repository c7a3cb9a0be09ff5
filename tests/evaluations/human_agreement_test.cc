#include "evaluations/human_agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

const Metric* find(const Summary& summary, const std::string& name) {
  const auto at = std::ranges::find(summary.metrics, name, &Metric::name);
  return at == summary.metrics.end() ? nullptr : &*at;
}

// People 1110101100, judge 1111101110: alike in 8 of 10; chance 0.6·0.8 + 0.4·0.2 = 0.56, kappa 0.24/0.44.
TEST(HumanAgreement, OfPassOrFailHasKappaConfusionAndWhereTheyDiffer) {
  const std::string people = "1110101100";
  const std::string judge = "1111101110";
  std::vector<LabelledCase> cases;
  for (std::size_t i = 0; i < 10; ++i)
    cases.push_back({"q" + std::to_string(i), "", judge[i] - '0' + 0.0, people[i] - '0' + 0.0});
  Summary summary;
  add_human_agreement("accuracy", cases, summary);
  EXPECT_EQ(find(summary, "accuracy.human_agreement")->estimate.count, 8);
  EXPECT_NEAR(*find(summary, "accuracy.human_kappa")->estimate.value, 0.24 / 0.44, 1e-12);
  EXPECT_EQ(find(summary, "accuracy.alt_test.winning_rate"), nullptr);
  ASSERT_EQ(summary.tables.size(), 2U);
  EXPECT_EQ(summary.tables[0].rows[0][1].as_int64(), 2);  // people fail, judge passes
  EXPECT_EQ(summary.tables[1].rows.size(), 2U);
  EXPECT_EQ(summary.tables[1].rows[0][0].as_string(), "q3");
  EXPECT_THAT(summary.conclusions.front(), HasSubstr("80.0%"));
}

// Two people who are even on 2 of 12 cases, which are no disagreement of the judge's: 9 of the other 10 are
// the same, people pass 6 of them and the judge 5; chance 0.6·0.5 + 0.4·0.5 = 0.5, kappa 0.4/0.5.
TEST(HumanAgreement, ACaseOnWhichPeopleAreEvenIsNeitherAgreementNorDisagreement) {
  std::vector<LabelledCase> cases;
  for (int i = 0; i < 10; ++i) {
    const double people = i < 6 ? 1 : 0;
    cases.push_back(
        {"q" + std::to_string(i), "", i < 5 ? 1.0 : 0.0, people, {{"ann", people}, {"bo", people}}});
  }
  for (const char* id : {"x", "y"}) cases.push_back({id, "", 1, 0.5, {{"ann", 1}, {"bo", 0}}});
  Summary summary;
  add_human_agreement("accuracy", cases, summary);
  const Metric* agreement = find(summary, "accuracy.human_agreement");
  EXPECT_EQ(agreement->estimate.count, 9);
  EXPECT_EQ(agreement->estimate.n, 10);
  EXPECT_EQ(agreement->estimate.missing.at("people_even"), 2);
  EXPECT_NEAR(agreement->estimate.bounds->low, 9.0 / 12, 1e-12);
  EXPECT_NEAR(agreement->estimate.bounds->high, 11.0 / 12, 1e-12);
  EXPECT_NEAR(*find(summary, "accuracy.human_kappa")->estimate.value, 0.8, 1e-12);
  EXPECT_THAT(summary.conclusions.front(),
              HasSubstr("Accuracy, but for 2 on which people are even, the judge"));
  // A half that one person gave is a level like any other.
  for (LabelledCase& one : cases) one.people.clear();
  Summary levels;
  add_human_agreement("accuracy", cases, levels);
  EXPECT_EQ(find(levels, "accuracy.human_agreement")->estimate.n, 12);
}

// Three people who agree with the judge always, and with each other in most cases: the judge wins against
// all.
TEST(HumanAgreement, OfSeveralPeopleHasTheAlternativeAnnotatorTest) {
  std::vector<LabelledCase> cases;
  for (int i = 0; i < 60; ++i) {
    const double truth = i % 2;
    LabelledCase one{"q" + std::to_string(i), "", truth, truth};
    one.people = {{"ann", i % 5 == 0 ? 1 - truth : truth},
                  {"bob", i % 5 == 1 ? 1 - truth : truth},
                  {"cid", i % 5 == 2 ? 1 - truth : truth}};
    if (i < 10) one.people["dan"] = truth;  // too few to be asked
    cases.push_back(std::move(one));
  }
  Summary summary;
  add_human_agreement("accuracy", cases, summary);
  ASSERT_NE(find(summary, "accuracy.alt_test.winning_rate"), nullptr);
  EXPECT_EQ(find(summary, "accuracy.alt_test.winning_rate")->estimate.value, 1);
  EXPECT_THAT(
      summary.conclusions.back(),
      HasSubstr("is as good as one more person: it stands up to 3 of 3 people (1 labelled too few cases "
                "to be asked)."));
}

TEST(HumanAgreement, TwoPeopleAreNoVerdictOnTheJudge) {
  std::vector<LabelledCase> cases;
  for (int i = 0; i < 60; ++i) {
    const double truth = i % 2;
    LabelledCase one{"q" + std::to_string(i), "", truth, truth};
    one.people = {{"ann", i % 5 == 0 ? 1 - truth : truth}, {"bob", i % 5 == 1 ? 1 - truth : truth}};
    cases.push_back(std::move(one));
  }
  Summary summary;
  add_human_agreement("accuracy", cases, summary);
  EXPECT_THAT(summary.conclusions.back(),
              HasSubstr("two people show only which of them the judge is nearer to, and the alternative "
                        "annotator test asks for three"));
}

// 12 scores that are near people's and never equal to them.
TEST(HumanAgreement, OfScoresThatAreNoLevelsIsNoShareOfEqualOnes) {
  std::vector<LabelledCase> cases;
  for (int i = 0; i < 12; ++i) cases.push_back({"q" + std::to_string(i), "", i / 12.0 + 0.01, i / 12.0});
  Summary summary;
  add_human_agreement("recall.mean", cases, summary);
  EXPECT_EQ(find(summary, "recall.mean.human_agreement"), nullptr);
  EXPECT_NEAR(*find(summary, "recall.mean.human_difference")->estimate.value, 0.01, 1e-12);
  EXPECT_GT(*find(summary, "recall.mean.human_alpha")->estimate.value, 0.99);
  EXPECT_THAT(summary.conclusions.front(),
              AllOf(HasSubstr("On the labelled cases of Recall · mean, alpha is"),
                    HasSubstr("less people's is 0.01")));
}

// The same with a threshold of 0.5, which judge (from 0.51 on) and people (from 0.5 on) pass alike, but for
// one.
TEST(HumanAgreement, OfAFigureWithAThresholdIsTheSameSideOfIt) {
  std::vector<LabelledCase> cases;
  for (int i = 0; i < 10; ++i)
    cases.push_back({"q" + std::to_string(i), "", i / 10.0 + (i == 4 ? 0.11 : 0.01), i / 10.0});
  Summary summary;
  add_human_agreement("recall.mean", cases, summary, [](double score) { return score >= 0.5; });
  EXPECT_EQ(find(summary, "recall.mean.human_agreement")->estimate.count, 9);
  EXPECT_THAT(summary.conclusions.front(), HasSubstr("the same as people (whether it passes) in 90.0%"));
}

// 40 cases in 10 clusters of copies: kappa is drawn by cluster.
TEST(HumanAgreement, OfCasesInClustersIsMadeFromClusters) {
  std::vector<LabelledCase> cases;
  for (int i = 0; i < 40; ++i) {
    const int cluster = i / 4;
    cases.push_back({"q" + std::to_string(i), "c" + std::to_string(cluster), cluster % 2 + 0.0,
                     (cluster == 3 ? 0 : cluster % 2) + 0.0});
  }
  Summary summary;
  add_human_agreement("accuracy", cases, summary);
  EXPECT_EQ(find(summary, "accuracy.human_kappa")->estimate.method, "bootstrap_clusters");
  EXPECT_EQ(find(summary, "accuracy.human_agreement")->estimate.method, "wilson_clustered");
}

TEST(HumanAgreement, OfRatingsHasAlphaAndNothingWithoutLabels) {
  Summary none;
  add_human_agreement("tone.mean", {}, none);
  EXPECT_TRUE(none.metrics.empty());
  const std::vector<LabelledCase> cases = {{"a", "", 4, 5}, {"b", "", 2, 2}, {"c", "", 1, 3}};
  Summary summary;
  add_human_agreement("tone.mean", cases, summary);
  EXPECT_NE(find(summary, "tone.mean.human_alpha"), nullptr);
  ASSERT_EQ(summary.tables.size(), 1U);
  EXPECT_EQ(summary.tables[0].rows[0][0].as_string(), "c");
}

}  // namespace
}  // namespace assay
