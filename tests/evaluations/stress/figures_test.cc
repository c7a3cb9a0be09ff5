#include "evaluations/stress/figures.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/stress/stressed.h"

namespace assay::stress {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A metric that is held against the reference.
StressPlan plan_of_correct() {
  StressPlan plan;
  plan.figures.push_back({.name = "correct.rate", .metric = "correct", .faults = {"figure"}});
  return plan;
}

void judge(StressedCases& cases, int i, const std::string& change, double score, Grounds grounds = {}) {
  Judged& judged = cases.of("q" + std::to_string(i), "").judged[change];
  judged.scores["correct.rate"] = score;
  judged.grounds = grounds;
}

// Unchanged every second case is right; an order always makes it right, padding nothing; figures go unseen in
// all but the first.
StressedCases follower(int n) {
  StressedCases cases;
  for (int i = 0; i < n; ++i) {
    const double right = i % 2 == 0 ? 1 : 0;
    judge(cases, i, "unchanged", right);
    judge(cases, i, "again", right);
    judge(cases, i, "order_in_answer", 1);
    judge(cases, i, "padding", right);
    judge(cases, i, "figure", i == 0 ? 0 : right, {.reference = true});
  }
  return cases;
}

TEST(Stress, FindsWhatMovesTheJudgeAndWhatItOverlooks) {
  const StressPlan plan = plan_of_correct();
  const StressResult result = stress_result(plan, follower(40));
  EXPECT_EQ(result.cases, 40);
  ASSERT_EQ(result.swayed.size(), 2U);
  EXPECT_EQ(result.swayed[0].change, "order_in_answer");
  EXPECT_TRUE(result.swayed[0].swayed());
  EXPECT_EQ(*result.swayed[0].sway.moved.count, 20);
  EXPECT_FALSE(result.swayed[1].swayed());
  ASSERT_EQ(result.noticed.size(), 1U);
  EXPECT_EQ(result.noticed[0].notice.n, 20);  // the wrong ones cannot fall
  EXPECT_EQ(*result.noticed[0].notice.noticed.count, 1);
  EXPECT_EQ(result.noticed[0].notice.verdict, Notice::Verdict::overlooked);
  EXPECT_EQ(result.moved.size(), 20U);
  EXPECT_EQ(result.missed.size(), 19U);
  EXPECT_EQ(result.tried.at("negation"), 0);
}

TEST(Stress, SaysItInSentencesMostTellingFirst) {
  const StressPlan plan = plan_of_correct();
  const auto said = sentences(stress_result(plan, follower(40)));
  ASSERT_GE(said.size(), 4U);
  EXPECT_THAT(said[0],
              StartsWith("The judge follows orders hidden in the answer: correct moved in 20 of 40 cases, "
                         "+0.50 (+0.34 to +0.66) on average, and in 0 when judged again unchanged."));
  EXPECT_THAT(said[1], StartsWith("The judge overlooks wrong figures in correct: 1 of 20"));
  EXPECT_THAT(said, Contains("Not seen to move correct (20 of 40 cases could rise), with the mean move that "
                             "can be ruled out beyond: padding (0.08)."));
  EXPECT_THAT(said, Contains("Asked twice about the same text, the judge moved correct in 0 of 40."));
}

TEST(Stress, AccusesNobodyOfWhatItDoesByItself) {
  StressedCases cases;
  for (int i = 0; i < 60; ++i) {
    judge(cases, i, "unchanged", i % 3 == 0 ? 1 : 0);
    judge(cases, i, "again", i % 3 == 1 ? 1 : 0);
    judge(cases, i, "authority", i % 3 == 2 ? 1 : 0);
  }
  const StressPlan plan = plan_of_correct();
  const StressResult result = stress_result(plan, cases);
  ASSERT_EQ(result.swayed.size(), 1U);
  EXPECT_FALSE(result.swayed[0].swayed());
  EXPECT_THAT(sentences(result)[0], HasSubstr("nothing that must not matter"));
}

// A share of statements that are borne out: one more that is not must cost, and must not bring anything.
TEST(Stress, WhatIsAddedIsAStatementWhereStatementsAreCounted) {
  const auto added = [](double changed) {
    StressedCases cases;
    for (int i = 0; i < 40; ++i) {
      judge(cases, i, "unchanged", 0.5);
      judge(cases, i, "again", 0.5);
      judge(cases, i, "authority", changed + 0.1 * (i % 2));
      judge(cases, i, "bullets", 0.5);
    }
    return cases;
  };
  StressPlan plan = plan_of_correct();
  plan.figures[0].counts_statements = true;
  const StressResult fell = stress_result(plan, added(0.3));
  EXPECT_EQ(std::ranges::count_if(fell.swayed, &SwayRow::swayed), 0);
  EXPECT_TRUE(fell.moved.empty());
  EXPECT_THAT(sentences(fell)[0], HasSubstr("nothing that must not matter"));
  EXPECT_THAT(sentences(fell), Contains(HasSubstr("claims of authority in correct -0.15")));
  const StressResult rose = stress_result(plan, added(0.7));
  EXPECT_EQ(std::ranges::count_if(rose.swayed, &SwayRow::swayed), 1);
  EXPECT_EQ(rose.moved.size(), 40U);
  plan.figures[0].counts_statements = false;
  const StressResult other = stress_result(plan, added(0.3));
  EXPECT_THAT(sentences(other)[0], StartsWith("The judge marks claims of authority down"));
}

TEST(Stress, CountsAFaultOnlyWhereTheMetricCouldSeeIt) {
  StressPlan plan = plan_of_correct();
  plan.figures[0].against = JudgedFigure::Against::contexts;
  EXPECT_TRUE(stress_result(plan, follower(10)).noticed.empty());
  // And a change only where the judge sees what was changed.
  plan.figures[0].sees_answer = false;
  EXPECT_TRUE(stress_result(plan, follower(10)).swayed.empty());
}

TEST(Stress, CountsWhatFailedAndPairsWhatIsThere) {
  StressedCases cases = follower(10);
  Judged& failed = cases.of("q3", "").judged["order_in_answer"];
  failed.scores.clear();
  failed.failed = "judge_failed";
  const StressPlan plan = plan_of_correct();
  const StressResult result = stress_result(plan, cases);
  for (const SwayRow& row : result.swayed) EXPECT_EQ(row.sway.n, row.change == "padding" ? 10 : 9);
  EXPECT_EQ(result.failed.at("judge_failed"), 1);
}

// The judgements of one change alone, and the sentences about them.
std::vector<std::string> said_of(const std::string& change, double unchanged,
                                 const std::string& failed = "") {
  StressedCases cases;
  for (int i = 0; i < 10; ++i) {
    for (const std::string& which : {std::string("unchanged"), std::string("again"), change}) {
      judge(cases, i, which, unchanged, {.reference = true});
      Judged& judged = cases.of("q" + std::to_string(i), "").judged[which];
      judged.failed = failed;
      if (!failed.empty()) judged.scores.clear();
    }
  }
  const StressPlan plan = plan_of_correct();
  Summary summary;
  report(stress_result(plan, cases), summary);
  std::vector<std::string> said = summary.conclusions;
  for (const Metric& metric : summary.metrics) {
    if (metric.name == "weaknesses") said.push_back("weaknesses: " + metric.estimate.undefined);
  }
  return said;
}

TEST(Stress, GivesNoCleanBillWhereNothingWasTriedOrJudged) {
  const auto faults = said_of("figure", 1);
  EXPECT_THAT(faults, Contains("Nothing that must not matter was tried."));
  EXPECT_THAT(faults, Contains("weaknesses: nothing that must not matter was tried"));
  EXPECT_THAT(faults, Not(Contains(HasSubstr("was seen to move"))));
  EXPECT_THAT(said_of("padding", 1, "judge_failed"),
              ElementsAre("Of 30 judgements all failed: nothing can be said of the judge.",
                          "weaknesses: every judgement failed"));
}

TEST(Stress, SaysWhereAFaultHadNoRoomToCostAnything) {
  EXPECT_THAT(said_of("figure", 0), Contains("Nothing can be said where no score was good enough to fall: "
                                             "wrong figures in correct (10 cases)."));
}

TEST(Stress, TellsWhatASeatIsWorth) {
  StressPlan plan;
  plan.figures.push_back({.name = "better.win_rate.new", .metric = "better", .both_orders = true});
  StressedCases cases;
  for (int i = 0; i < 12; ++i) {
    for (const char* which : {"unchanged", "again"}) {
      Judged& judged = cases.of("q" + std::to_string(i), "").judged[which];
      judged.scores["better.win_rate.new"] = 0.5;
      judged.seats["better.win_rate.new"] = 0.5;
    }
  }
  const StressResult result = stress_result(plan, cases);
  ASSERT_EQ(result.swayed.size(), 1U);
  EXPECT_TRUE(result.swayed[0].swayed());
  EXPECT_THAT(sentences(result)[0],
              StartsWith("The judge prefers the answer that it sees first: better turned with "
                         "the seats in 12 of 12 pairs; sitting first is worth +0.50"));
}

TEST(Stress, GivesEveryFigureItsDeclaredName) {
  const StressPlan plan = plan_of_correct();
  Summary summary;
  report(stress_result(plan, follower(40)), summary);
  const auto names = stress_metric_names(plan);
  ASSERT_FALSE(summary.metrics.empty());
  for (const Metric& metric : summary.metrics) EXPECT_THAT(names, Contains(metric.name));
  EXPECT_EQ(summary.metrics[0].name, "weaknesses");
  EXPECT_EQ(summary.metrics[0].estimate.value, 1);
  EXPECT_EQ(summary.metrics[1].estimate.value, 1);  // blind spots
  EXPECT_FALSE(summary.conclusions.empty());
}

TEST(Stress, CountsNoBlindSpotsWhereNoFaultCouldBePlanted) {
  StressPlan plan = plan_of_correct();
  plan.figures[0].faults = {};
  Summary summary;
  report(stress_result(plan, follower(10)), summary);
  EXPECT_EQ(summary.metrics[1].name, "blind_spots");
  EXPECT_FALSE(summary.metrics[1].estimate.value);
}

TEST(Stress, OfLinesThatSayNothingSaysSo) {
  const StressPlan plan = plan_of_correct();
  EXPECT_THAT(sentences(stress_result(plan, {})), ElementsAre(HasSubstr("nothing can be compared")));
}

TEST(ChangeNote, IsReadAsItWasWritten) {
  const ChangeNote note{
      .of_case = "r3", .change = "figure", .cluster = "c", .id = 3, .grounds = {.contexts = true}};
  const auto read = change_of(JsonObject{{std::string(kChangedMember), to_json(note)}});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->of_case, "r3");
  EXPECT_EQ(read->change, "figure");
  EXPECT_EQ(read->cluster, "c");
  EXPECT_EQ(read->id, 3);
  EXPECT_TRUE(read->grounds.contexts);
  EXPECT_FALSE(read->grounds.reference);
  EXPECT_FALSE(change_of(JsonObject{{"id", "r3"}}));
}

}  // namespace
}  // namespace assay::stress
