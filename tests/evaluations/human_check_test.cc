#include "evaluations/human_check.h"

#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

struct HumanCheckTest : testing::Test {
  std::vector<ConfigProblem> problems;

  static std::string file(const std::string& name, const std::string& csv) {
    std::string path = testing::TempDir() + name;
    std::ofstream(path) << csv;
    return path;
  }
  static JsonObject entry(const JsonArray& paths, const char* figure = "accuracy") {
    return {{"labels", paths}, {"figure", figure}};
  }
  std::vector<HumanCheck> checks(const JsonArray& entries) {
    return HumanCheck::from(
        Config(JsonObject{{"human", entries}}),
        {{"accuracy"}, {"f1"}, {"rating", {1, 5}}, {.name = "applied", .part = "decision"}}, problems);
  }
  std::optional<HumanCheck> check(const std::string& csv, const char* figure = "accuracy") {
    auto made = checks({entry({boost::json::string(file("labels.csv", csv))}, figure)});
    return made.empty() ? std::nullopt : std::optional(std::move(made.front()));
  }
  std::string told() const {
    std::string all;
    for (const ConfigProblem& problem : problems)
      all += problem.where + "|" + problem.key + "|" + problem.text + "\n";
    return all;
  }
  static Estimate estimate(const Summary& summary, const std::string& name) {
    for (const Metric& metric : summary.metrics) {
      if (metric.name == name) return metric.estimate;
    }
    ADD_FAILURE() << "no metric " << name;
    return {};
  }
  static double value(const Summary& summary, const std::string& name) {
    return estimate(summary, name).value.value_or(-1);
  }
};

TEST_F(HumanCheckTest, WithoutTheKeyThereIsNone) {
  EXPECT_TRUE(HumanCheck::from(Config(JsonObject{}), {}, problems).empty());
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
  auto human = check("id,label\na,2\nb,1\n", "rating");
  for (const auto& [id, score] :
       std::vector<std::pair<const char*, double>>{{"a", 1}, {"b", 1}, {"c", 2}, {"d", 1}})
    human->add(id, "", "rating", score);
  Summary summary;
  human->apply(summary);
  EXPECT_EQ(summary.metrics.front().name, "rating.corrected") << "the figure to go by comes first";
  const Estimate& judge = summary.metrics[1].estimate;
  EXPECT_EQ(judge.value, 1.25);
  EXPECT_GT(judge.ci->high, 1.25) << "the interval holds what it is of";
}

TEST_F(HumanCheckTest, ALabelOffTheScaleIsRefusedWithItsLine) {
  check("id,by Ana,label\na,1,1\nb,3,0\nc,0,7\n");
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_THAT(problems[0].text, HasSubstr("line 3, by Ana: found 3, but accuracy lies between 0 and 1"));
  EXPECT_THAT(problems[1].text, HasSubstr("line 4, label: found 7, but accuracy lies between 0 and 1"));
  problems.clear();
  check("id,label\na,1\nb,5\n", "rating");
  EXPECT_TRUE(problems.empty());
  check("id,label\na,0.5\nb,5\n", "rating");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0].text, HasSubstr("line 2, label: found 0.5, but rating lies between 1 and 5"));
}

TEST_F(HumanCheckTest, WhatAPersonSaidThatIsNoNumberIsRefusedWithItsLine) {
  check("id,by Ana,by Ben,label\na,1,,1\nb,perhaps,0,0\n");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0].text, HasSubstr("line 3, by Ana: found perhaps, expected a number, true or false"));
}

TEST_F(HumanCheckTest, WhereEverythingIsLabelledPeopleHaveTheLastWord) {
  auto human = check("id,label\na,1\nb,0\n");
  human->add("a", "", "accuracy", 1);
  human->add("b", "", "accuracy", 1);
  Summary summary;
  summary.metrics.push_back({"accuracy", {}, Metric::Form::share});
  human->apply(summary);
  EXPECT_EQ(value(summary, "accuracy.corrected"), 0.5);
  ASSERT_EQ(summary.conclusions.size(), 2U);
  EXPECT_THAT(summary.conclusions[0],
              HasSubstr("Corrected by people's labels of 2 cases, Accuracy is 50.0%"));
  EXPECT_THAT(summary.conclusions[1], HasSubstr("the judge says the same as people in 50.0%"));
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

// Of 900 cases that the judge passes people pass 8 in 9, of 100 that it fails none: the truth is 80 %. As
// many of each were labelled, as a stratified sample has them.
TEST_F(HumanCheckTest, LabelsDrawnByTheJudgesScoreSayNothingOfItsOwnShare) {
  std::string csv = "id,label,probability\n";
  for (int i = 0; i < 72; ++i) csv += "p" + std::to_string(i) + (i < 64 ? ",1" : ",0") + ",0.08\n";
  for (int i = 0; i < 72; ++i) csv += "f" + std::to_string(i) + ",0,0.72\n";
  auto human = check(csv);
  for (int i = 0; i < 900; ++i) human->add("p" + std::to_string(i), "", "accuracy", 1);
  for (int i = 0; i < 100; ++i) human->add("f" + std::to_string(i), "", "accuracy", 0);
  Summary summary;
  human->apply(summary);
  EXPECT_NEAR(value(summary, "accuracy.human_only"), 0.8, 1e-12);
  EXPECT_NEAR(value(summary, "accuracy.corrected"), 0.8, 1e-12);
  EXPECT_EQ(estimate(summary, "accuracy.human_only").method, "mean_weighted");
  const Estimate& rates = estimate(summary, "accuracy.rogan_gladen");
  EXPECT_FALSE(rates.value);
  EXPECT_THAT(rates.undefined, HasSubstr("drawn alike"));
}

// Of 72 drawn from 900 cases that pass the judge is wrong on 8, of 72 drawn from 100 on none: it agrees on
// 0.9 of all cases, and on 136 of the 144. Kappa by hand in drawn_pairs_test.cc.
TEST_F(HumanCheckTest, HowFarTheJudgeAgreesIsSaidOfAllCasesAndNotOfTheDraw) {
  std::string csv = "id,label,probability\n";
  for (int i = 0; i < 72; ++i) csv += "p" + std::to_string(i) + (i < 64 ? ",1" : ",0") + ",0.08\n";
  for (int i = 0; i < 72; ++i) csv += "f" + std::to_string(i) + ",0,0.72\n";
  auto human = check(csv);
  for (int i = 0; i < 900; ++i) human->add("p" + std::to_string(i), "", "accuracy", 1);
  for (int i = 0; i < 100; ++i) human->add("f" + std::to_string(i), "", "accuracy", 0);
  Summary summary;
  human->apply(summary);
  EXPECT_NEAR(value(summary, "accuracy.human_agreement"), 0.9, 1e-12);
  EXPECT_NEAR(value(summary, "accuracy.human_kappa"), 0.16 / 0.26, 1e-12);
  EXPECT_THAT(summary.conclusions.back(),
              HasSubstr("each counted for as many as it was drawn from, the judge"));
}

// Two people who are even on one of 20 cases, and a judge that is right on the others: a half is no reason to
// be surer than of 20 that agree.
TEST_F(HumanCheckTest, AHalfOnWhichPeopleAreEvenMakesNothingSurer) {
  const auto width = [&](const char* last) {
    std::string csv = "id,label\n";
    for (int i = 0; i < 19; ++i) csv += "l" + std::to_string(i) + (i % 4 == 0 ? ",0\n" : ",1\n");
    auto human = check(csv + "l19," + last + "\n");
    for (int i = 0; i < 20; ++i) human->add("l" + std::to_string(i), "", "accuracy", i % 4 == 0 ? 0 : 1);
    for (int i = 0; i < 200; ++i) human->add("o" + std::to_string(i), "", "accuracy", i % 4 == 0 ? 0 : 1);
    Summary summary;
    human->apply(summary);
    const Interval ci = *estimate(summary, "accuracy.corrected").ci;
    return ci.high - ci.low;
  };
  EXPECT_GE(width("0.5"), width("1"));
}

TEST_F(HumanCheckTest, CasesThatWereDrawnAndHaveNoLabelAreCountedAndTold) {
  auto human = check("id,label\na,1\nb,\nc,0\nd, \nz,\n");
  for (const char* id : {"a", "b", "c", "d", "e"}) human->add(id, "", "accuracy", 1);
  Summary summary;
  human->apply(summary);
  EXPECT_EQ(estimate(summary, "accuracy.labels").missing.at("not_labelled"), 2);
  EXPECT_THAT(summary.conclusions, testing::Contains(HasSubstr(
                                       "Of 4 cases that were drawn to be labelled for Accuracy, 2 have no "
                                       "label: what follows from the others holds as far as it was chance")));
}

// 400 cases that are 20, each 20 times; the judge passes 15 of them, people one less.
TEST_F(HumanCheckTest, CopiesOfACaseMakeNothingSurer) {
  for (const int labelled : {200, 400}) {
    std::string csv = "id,label\n";
    for (int i = 0; i < labelled; ++i) csv += std::to_string(i) + (i % 20 < 14 ? ",1" : ",0") + "\n";
    auto naive = check(csv);
    auto human = naive;
    for (int i = 0; i < 400; ++i) {
      human->add(std::to_string(i), "c" + std::to_string(i % 20), "accuracy", i % 20 < 15 ? 1 : 0);
      naive->add(std::to_string(i), "", "accuracy", i % 20 < 15 ? 1 : 0);
    }
    Summary of_clusters;
    human->apply(of_clusters);
    Summary of_cases;
    naive->apply(of_cases);
    const auto width = [](const Estimate& one) { return one.ci->high - one.ci->low; };
    for (const char* part : {"accuracy.judge_only", "accuracy.human_only", "accuracy.corrected"})
      EXPECT_GT(width(estimate(of_clusters, part)), 2.5 * width(estimate(of_cases, part))) << part;
    EXPECT_TRUE(estimate(of_cases, "accuracy.rogan_gladen").ci);
    EXPECT_FALSE(estimate(of_clusters, "accuracy.rogan_gladen").ci);
    EXPECT_THAT(estimate(of_clusters, "accuracy.rogan_gladen").undefined, HasSubstr("clusters"));
  }
}

// 6 of 10 scored, 4 that the judge failed on, one of those labelled.
TEST_F(HumanCheckTest, WhatTheJudgeFailedOnIsMissingFromEveryFigure) {
  auto human = check("id,label\na,1\nb,1\nc,0\nx,1\nz,1\n");
  for (const char* id : {"a", "b", "c", "d", "e", "f"}) human->add(id, "", "accuracy", id[0] == 'c' ? 0 : 1);
  for (const char* id : {"w", "x", "y", "v"}) human->add_without_score(id, "judge_failed");
  human->add_without_score("n", "");
  Summary summary;
  human->apply(summary);
  for (const char* part : {"accuracy.judge_only", "accuracy.human_only", "accuracy.corrected"}) {
    const Estimate& one = estimate(summary, part);
    EXPECT_EQ(one.missing.at("judge_failed"), 4) << part;
    EXPECT_NEAR(one.bounds->low, *one.value * 6 / 10, 1e-12) << part;
    EXPECT_NEAR(one.bounds->high, (*one.value * 6 + 4) / 10, 1e-12) << part;
  }
  EXPECT_EQ(estimate(summary, "accuracy.labels").missing.at("judge_failed"), 1);
  EXPECT_EQ(value(summary, "accuracy.labels"), 3);
  EXPECT_EQ(value(summary, "accuracy.labels_of_no_case"), 1);
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

TEST_F(HumanCheckTest, EachOfSeveralFiguresIsCorrectedByItsOwnLabels) {
  auto made = checks({entry({boost::json::string(file("a.csv", "id,label\na,1\nb,0\n"))}, "accuracy"),
                      entry({boost::json::string(file("f.csv", "id,label\na,0\nb,0\n"))}, "f1")});
  ASSERT_EQ(made.size(), 2U);
  Summary summary;
  for (std::size_t i = 0; i < made.size(); ++i) {
    for (const char* id : {"a", "b"}) {
      const Score scores[] = {{"accuracy", 1}, {"f1", 1}};
      made[i].add_case(id, "", {scores, {}}, "");
    }
    made[i].apply(summary, i);
  }
  EXPECT_EQ(value(summary, "accuracy.corrected"), 0.5);
  EXPECT_EQ(value(summary, "f1.corrected"), 0);
  EXPECT_EQ(summary.metrics[0].name, "accuracy.corrected") << "in the order of the config, before all else";
  EXPECT_EQ(summary.metrics[1].name, "f1.corrected");
  EXPECT_THAT(summary.conclusions[0], HasSubstr("Accuracy is"));
  EXPECT_THAT(summary.conclusions[1], HasSubstr("F1 is"));
  std::vector<std::string> names;
  add_names(made, names);
  EXPECT_THAT(names, testing::IsSupersetOf({"accuracy.corrected", "f1.corrected", "f1.people_alpha"}));
}

TEST_F(HumanCheckTest, TwoEntriesForOneFigureAreRefusedAndBothNamed) {
  const Json path = boost::json::string(file("labels.csv", "id,label\na,1\n"));
  checks({entry({path}), entry({path}, "f1"), entry({path})});
  EXPECT_EQ(told(),
            "config|human[2].figure|accuracy has labels in human[0] already; several people's files stand in "
            "one list: `labels: [FILE, FILE]`\n");
}

TEST_F(HumanCheckTest, AnEmptyListOfFilesIsRefused) {
  checks({entry({})});
  EXPECT_EQ(told(), "config|human.labels|found [], expected a file\n");
}

// Of a all three say yes, of b two of three no, of c one yes and one no, of d only Cem: 1, 0, 1/2, 1.
TEST_F(HumanCheckTest, WhatSeveralPeopleSayOfYesAndNoIsWhatMostSayAndAHalfWhereTheyAreEven) {
  auto made = checks({entry({boost::json::string(file("ann.csv", "id,label\na,1\nb,true\nc,1\nd,\n")),
                             boost::json::string(file("second.csv", "id,by Bo,label\nb,0,0\na,1,1\nc,0,0\n")),
                             boost::json::string(file("cem.csv", "id,label\na,1\nb,0\nd,1\n"))})});
  ASSERT_EQ(told(), "");
  HumanCheck& human = made.front();
  for (const char* id : {"a", "b", "c", "d"}) human.add(id, "", "accuracy", 1);
  Summary summary;
  human.apply(summary);
  EXPECT_NEAR(value(summary, "accuracy.human_only"), (1 + 0 + 0.5 + 1) / 4.0, 1e-12);
  EXPECT_EQ(value(summary, "accuracy.labels"), 4);
  // Krippendorff by hand over a (1 1 1), b (1 0 0), c (1 0); d has one value. Observed disagreement: b 2·2/2,
  // c 2·1/1, over 8 values = 4/8; expected of 5 ones and 3 zeros: 2·5·3/(8·7) = 30/56. 1 - 0.5·56/30.
  EXPECT_NEAR(value(summary, "accuracy.people_alpha"), 1 - 28.0 / 30.0, 1e-12);
  EXPECT_EQ(estimate(summary, "accuracy.alt_test.winning_rate").undefined,
            "no human has enough units to be tested");
}

// 2 and 3 of a, 5 of b: 2.5 and 5. The judge says 2 and 4.
TEST_F(HumanCheckTest, WhatSeveralPeopleSayOnAScaleIsTheirMean) {
  auto made = checks({entry({boost::json::string(file("ann.csv", "id,label\na,2\nb,5\n")),
                             boost::json::string(file("bo.csv", "id,label\na,3\nb,5\n"))},
                            "rating")});
  ASSERT_EQ(told(), "");
  made.front().add("a", "", "rating", 2);
  made.front().add("b", "", "rating", 4);
  Summary summary;
  made.front().apply(summary);
  EXPECT_EQ(value(summary, "rating.human_only"), 3.75);
  EXPECT_EQ(value(summary, "rating.human_difference"), -0.75);
}

TEST_F(HumanCheckTest, WhatDoesNotFitBetweenTheFilesIsToldWithFileAndLine) {
  const std::string ann = file("ann.csv", "id,probability,label\na,0.5,1\nb,0.5,1\n");
  const std::string bo = file("bo.csv", "id,probability,by Ann,label\nb,0.5,0,0\na,0.25,1,1\n");
  const std::string two = file("two.csv", "id,by ann,by Ann,label\na,1,0,0.5\n");
  const std::string off = file("off.csv", "id,label\na,7\na,no\n");
  const auto text = [](const std::string& path) { return Json(boost::json::string(path)); };
  checks({entry({text(ann), text(bo), text(file("sub-ann.csv", "id,by ann,label\na,1,1\n")), text(two),
                 text(off), text("nowhere.csv")})});
  const std::string all = told();
  EXPECT_THAT(
      all, HasSubstr(bo + "|human.labels|line 3, probability: found 0.25 for the case a, but it is 0.5 in " +
                     ann + ", line 2"));
  EXPECT_THAT(all, HasSubstr("sub-ann.csv|human.labels|the labels of ann stand in " + ann + " already"));
  EXPECT_THAT(
      all, HasSubstr(two + "|human.labels|found columns by Ann, by ann, expected the labels of one person"));
  EXPECT_THAT(all,
              HasSubstr(off + "|human.labels|line 2, label: found 7, but accuracy lies between 0 and 1"));
  EXPECT_THAT(all, HasSubstr(off + "|human.labels|line 3, label: found no, expected a number"));
  EXPECT_THAT(all, HasSubstr(off + "|human.labels|line 3: the case a is labelled already"));
  EXPECT_THAT(all, HasSubstr("nowhere.csv|human.labels|"));
}

// The four conversations of docs/guidelines.md, judged + + + | + + - | - ? - | - - +, which people see
// otherwise in c1/g3 and c4/g1. The corrected value is worked out in fractions from the formula in
// human_labels.h, with what belongs to a conversation added up: λ = 43439/124009.
TEST_F(HumanCheckTest, OfAFigureOfPartsEachPartIsLabelledAndItsCaseIsTheCluster) {
  const auto judged = [](HumanCheck& human) {
    const std::vector<std::pair<const char*, std::string>> cases = {
        {"c1", "+++"}, {"c2", "++-"}, {"c3", "-?-"}, {"c4", "--+"}};
    for (const auto& [id, signs] : cases) {
      std::vector<PartScore> parts;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto value = signs[i] == '?' ? std::nullopt : std::optional(signs[i] == '+' ? 1.0 : 0.0);
        parts.push_back({"g" + std::to_string(i + 1), value, "undetermined"});
      }
      const Score of_case[] = {{"accuracy", 1}};
      human.add_case(id, "", {of_case, {"applied", parts}}, "");
    }
  };
  const std::string labels = "id,label\nc1/g1,1\nc1/g3,0\nc2/g3,0\nc3/g1,0\nc3/g2,1\nc4/g1,1\nc9/g1,1\n";
  auto human = check(labels, "applied");
  ASSERT_EQ(told(), "");
  judged(*human);
  Summary summary;
  human->apply(summary);
  EXPECT_NEAR(value(summary, "applied.judge_only"), 6.0 / 11, 1e-12);
  EXPECT_EQ(estimate(summary, "applied.judge_only").method, "t_clustered");
  EXPECT_EQ(estimate(summary, "applied.judge_only").missing.at("undetermined"), 1);
  EXPECT_NEAR(value(summary, "applied.human_only"), 2.0 / 5, 1e-12);
  EXPECT_NEAR(value(summary, "applied.corrected"), 55922.0 / 124009, 1e-12);
  EXPECT_EQ(value(summary, "applied.labels"), 5);
  EXPECT_EQ(estimate(summary, "applied.labels").missing.at("undetermined"), 1);
  EXPECT_EQ(value(summary, "applied.labels_of_no_case"), 1);
  EXPECT_EQ(value(summary, "applied.human_agreement"), 3.0 / 5);
  EXPECT_EQ(estimate(summary, "applied.human_agreement").method, "wilson_clustered");
  EXPECT_NEAR(value(summary, "applied.human_kappa"), (0.6 - 0.52) / 0.48, 1e-12);
  EXPECT_THAT(summary.conclusions.front(), HasSubstr("people's labels of 5 decisions, Applied is 0.451"));

  auto of_one = check(labels, "applied.g1");
  ASSERT_EQ(told(), "");
  judged(*of_one);
  Summary one;
  of_one->apply(one);
  EXPECT_EQ(value(one, "applied.g1.judge_only"), 0.5);
  EXPECT_EQ(value(one, "applied.g1.labels"), 3);
}

TEST(JoinedIds, KeepThoseApartThatHoldSlashes) {
  EXPECT_EQ(joined_ids({"bank-06", "cost"}), "bank-06/cost");
  EXPECT_EQ(joined_ids({"x", "y/z"}), "x/y%2Fz");
  EXPECT_EQ(joined_ids({"x/y", "z"}), "x%2Fy/z");
  EXPECT_EQ(joined_ids({"", "100%"}), "/100%25");
}

}  // namespace
}  // namespace assay
