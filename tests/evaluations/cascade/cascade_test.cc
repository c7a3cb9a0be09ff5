#include "evaluations/cascade/cascade.h"

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;

CascadeJudge judge(std::string name, int votes, std::optional<double> error) {
  CascadeJudge made{std::move(name), {}, votes, error};
  made.settings.model = made.name;
  return made;
}

// Cheap and strong share 5 %: 2.5 % and, over four ways to come to the strong one, 0.625 %.
CascadeSettings cheap_strong_people() {
  return {.judges = {judge("cheap", 5, 0.025), judge("strong", 1, 0.00625)},
          .people = true,
          .labels = "labels.csv",
          .people_said = ""};
}

std::map<std::string, PeoplesWord, std::less<>> labelled(int count) {
  std::map<std::string, PeoplesWord, std::less<>> labels;
  for (int i = 0; i < count; ++i) labels.emplace("case" + std::to_string(i), PeoplesWord{"pass", 1});
  return labels;
}

CascadeBallot ballot(std::string judge, int pass, int fail, int unusable = 0) {
  CascadeBallot made{.judge = std::move(judge), .votes = {}};
  made.votes.insert(made.votes.end(), static_cast<std::size_t>(pass), "pass");
  made.votes.insert(made.votes.end(), static_cast<std::size_t>(fail), "fail");
  made.votes.insert(made.votes.end(), static_cast<std::size_t>(unusable), "");
  return made;
}

CalibrationCase told(int number, std::vector<CascadeBallot> ballots) {
  CalibrationCase one;
  one.input.index = number;
  one.input.id = "case" + std::to_string(number);
  one.outcome.result.emplace("cascade", to_json(CascadeRecord{std::move(ballots), ""}));
  return one;
}

// So many of the labelled cases on which the cheap judge is sure and right, and the others on which it is
// torn.
std::vector<CalibrationCase> cheap_on(int sure, int all) {
  std::vector<CalibrationCase> cases;
  for (int i = 0; i < all; ++i)
    cases.push_back(told(i, {i < sure ? ballot("cheap", 5, 0) : ballot("cheap", 3, 2)}));
  return cases;
}

TEST(CascadeRecord, TheSideIsThatOfMoreThanHalfOfAllVotes) {
  EXPECT_EQ(ballot("cheap", 3, 2).side(), "pass");
  EXPECT_EQ(ballot("cheap", 3, 2).count(), 3);
  EXPECT_EQ(ballot("cheap", 2, 2).side(), "");
  EXPECT_EQ(ballot("cheap", 2, 2).count(), 0);
  // Votes that cannot be used are for no side, and count among all.
  EXPECT_EQ(ballot("cheap", 2, 0, 3).side(), "");
  EXPECT_EQ(ballot("cheap", 3, 0, 2).count(), 3);
}

TEST(CascadeRecord, WhatIsWrittenIsRead) {
  CascadeRecord record{{ballot("cheap", 3, 1, 1), ballot("strong", 1, 0)}, "strong"};
  record.ballots[0].requests = 5;
  record.ballots[0].cost_usd = 0.25;
  const CascadeRecord read = cascade_record(to_json(record));
  EXPECT_EQ(read.decided_by, "strong");
  ASSERT_EQ(read.ballots.size(), 2U);
  EXPECT_EQ(read.ballots[0].votes, record.ballots[0].votes);
  EXPECT_EQ(read.ballots[0].requests, 5);
  EXPECT_EQ(read.ballots[0].cost_usd, 0.25);
  EXPECT_FALSE(read.ballots[1].cost_usd);
}

TEST(Cascade, ACaseGoesUpUntilSomebodyMayDecide) {
  Cascade cascade(cheap_strong_people(), labelled(200));
  // Before anything is learnt a case is asked as far as that goes, and ends nowhere.
  EXPECT_EQ(cascade.next({}, "new").ask, 0U);
  const auto open = cascade.next({{ballot("cheap", 5, 0)}, ""}, "new");
  EXPECT_FALSE(open.ask);
  EXPECT_EQ(open.decided_by, "");

  ASSERT_EQ(cascade.step(), "cheap");
  const auto learnt = cascade.learn(cheap_on(100, 200));  // all agree: every threshold down to 3 of 5 holds
  ASSERT_TRUE(learnt);
  ASSERT_TRUE(cascade.know(*learnt));
  ASSERT_TRUE(cascade.shown()[0].search.chosen());
  EXPECT_EQ(cascade.shown()[0].search.chosen()->votes, 3);
  EXPECT_EQ(cascade.next({{ballot("cheap", 3, 2)}, ""}, "new").decided_by, "cheap");
  EXPECT_EQ(cascade.next({{ballot("cheap", 2, 2, 1)}, ""}, "new").ask, 1U);
}

TEST(Cascade, AJudgeThatCanPromiseNothingIsPassedOver) {
  Cascade cascade(cheap_strong_people(), labelled(200));
  std::vector<CalibrationCase> cases;
  for (int i = 0; i < 200; ++i) cases.push_back(told(i, {ballot("cheap", 0, 5)}));  // sure, and always wrong
  auto learnt = cascade.learn(cases);
  ASSERT_TRUE(learnt) << learnt.error().text();
  ASSERT_TRUE(cascade.know(*learnt));
  EXPECT_THAT(cascade.shown()[0].refusal, HasSubstr("agrees with people on 0 of 200"));
  EXPECT_THAT(cascade.shown()[0].refusal, HasSubstr("more labels would not help"));
  EXPECT_EQ(cascade.next({}, "new").ask, 1U);
  EXPECT_EQ(cascade.next({}, "case7").ask, 0U) << "what it said of a labelled case was paid for";

  cases.clear();
  for (int i = 0; i < 200; ++i) cases.push_back(told(i, {ballot("cheap", 0, 5), ballot("strong", 1, 0)}));
  learnt = cascade.learn(cases);
  ASSERT_TRUE(learnt) << learnt.error().text();
  ASSERT_TRUE(cascade.know(*learnt));
  EXPECT_FALSE(cascade.step());
  EXPECT_EQ(cascade.next({{ballot("strong", 1, 0)}, ""}, "new").decided_by, "strong");
  EXPECT_EQ(cascade.next({{ballot("strong", 0, 0, 1)}, ""}, "new").decided_by, "people");
}

TEST(Cascade, ARunInWhichNobodyCanPromiseAnythingIsRefused) {
  CascadeSettings settings = cheap_strong_people();
  settings.judges.pop_back();
  settings.judges[0].error = 0.05;
  const Cascade cascade(settings, labelled(100));
  // 40 of 100 labelled cases are sure, and on 38 of them people agree: 95 %, of too few.
  std::vector<CalibrationCase> cases;
  for (int i = 0; i < 100; ++i)
    cases.push_back(told(i, {i < 2    ? ballot("cheap", 0, 5)
                             : i < 40 ? ballot("cheap", 5, 0)
                                      : ballot("cheap", 3, 2)}));
  const auto learnt = cascade.learn(cases);
  ASSERT_FALSE(learnt);
  EXPECT_THAT(learnt.error().message, HasSubstr("38 of 40 labelled cases"));
  const auto needed = labels_at_rate(38, 40, {0.9, 0.05});
  ASSERT_TRUE(needed);
  // Two of five labelled cases count for it.
  const auto missing = std::to_string((*needed * 100 + 39) / 40 - 100);
  EXPECT_THAT(learnt.error().message, HasSubstr("about " + missing + " labels are missing"));
}

TEST(Cascade, TooFewLabelsAreToldWithTheNumberThatIsMissing) {
  const Cascade cascade(cheap_strong_people(), labelled(30));
  EXPECT_THAT(cascade.too_few(30), HasSubstr("expected at least 36"));  // 0.9³⁶ = 0.0225 < 0.025 < 0.9³⁵
  EXPECT_THAT(cascade.too_few(30), HasSubstr("6 labels are missing"));
  EXPECT_EQ(cascade.too_few(36), "");
}

TEST(Cascade, LabelledCasesOfOneClusterAreRefused) {
  const Cascade cascade(cheap_strong_people(), labelled(40));
  std::vector<CalibrationCase> cases = cheap_on(40, 40);
  EXPECT_TRUE(cascade.look_at(cases));
  cases[3].input.cluster = cases[9].input.cluster = "conversation 1";
  const auto looked = cascade.look_at(cases);
  ASSERT_FALSE(looked);
  EXPECT_THAT(looked.error().message, HasSubstr("case3 and case9 belong together"));
}

TEST(Cascade, TheLastWordIsNotAskedForAPromise) {
  CascadeSettings settings{.judges = {judge("cheap", 5, 0.05), judge("strong", 1, std::nullopt)},
                           .labels = "labels.csv",
                           .people_said = ""};
  Cascade cascade(settings, labelled(100));
  const auto learnt = cascade.learn(cheap_on(100, 100));
  ASSERT_TRUE(learnt);
  ASSERT_TRUE(cascade.know(*learnt));
  EXPECT_FALSE(cascade.step());
  EXPECT_EQ(cascade.next({{ballot("cheap", 2, 2, 1), ballot("strong", 0, 1)}, ""}, "new").decided_by,
            "strong");
}

TEST(Cascade, WhatWasLearntReadsBackTheSame) {
  Cascade first(cheap_strong_people(), labelled(200));
  const auto learnt = first.learn(cheap_on(120, 200));
  ASSERT_TRUE(learnt);
  Cascade second(cheap_strong_people(), labelled(200));
  ASSERT_TRUE(first.know(*learnt));
  ASSERT_TRUE(second.know(*learnt));
  EXPECT_EQ(first.rests_on(), second.rests_on());
  ASSERT_EQ(second.shown()[0].search.tests.size(), 3U);
  EXPECT_EQ(second.shown()[0].search.tests[0].cases, 120);
  EXPECT_EQ(second.shown()[0].reached, 200);
  EXPECT_FALSE(second.know(*learnt)) << "it is the strong judge's turn";
}

}  // namespace
}  // namespace assay
