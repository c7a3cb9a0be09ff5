#include "runs/labels/agreement.h"

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/conclusions.h"
#include "runs/labels/labels_file.h"
#include "tests/runs/labels/sample_sheets.h"

namespace assay::labels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

// docs/human_labels.md, "By hand".
const Words kPeople = {"yes", "yes", "yes", "no", "yes", "no", "yes", "yes", "no", "no"};
const Words kJudge = {"yes", "yes", "yes", "yes", "yes", "no", "yes", "yes", "yes", "no"};

TEST(LabelAgreement, TwoPeopleByHand) {
  const Sheet sheet = sheet_of(SheetKind::rubric, 10);
  GivenAnswers answers;
  answer_all(sheet, "Kim", kPeople, answers);
  answer_all(sheet, "Ana", kJudge, answers);
  const Agreement agreement = agreement_of(sheet, answers, nullptr);
  ASSERT_EQ(agreement.pairs.size(), 1U);
  const AgreementOfTwo& two = agreement.pairs.front();
  EXPECT_EQ(two.n, 10);
  EXPECT_DOUBLE_EQ(*two.agreement.value, 0.8);
  // Chance: 0.6·0.8 + 0.4·0.2 = 0.56; (0.8 − 0.56)/0.44.
  EXPECT_NEAR(*two.kappa.value, 0.24 / 0.44, 1e-12);
  EXPECT_TRUE(two.kappa.ci);
  // 14 yes and 6 no among 20: D_e = 2·14·6/(20·19); D_o = 0.2.
  EXPECT_NEAR(*agreement.alpha->value, 1 - 0.2 / (168.0 / 380.0), 1e-12);
  EXPECT_FALSE(agreement.corrected);
  EXPECT_TRUE(agreement.judge.empty());
  EXPECT_THAT(agreement.sentences,
              testing::Contains(HasSubstr("Kim and Ana say the same of 10 cases in 80")));
}

TEST(LabelAgreement, RatingsThatDifferByLittleCostLittle) {
  const Sheet sheet = sheet_of(SheetKind::rating, 5);
  GivenAnswers answers;
  answer_all(sheet, "Kim", {"1", "2", "3", "4", "5"}, answers);
  answer_all(sheet, "Ana", {"2", "2", "3", "4", "5"}, answers);
  const Agreement agreement = agreement_of(sheet, answers, nullptr);
  // Squared distance: 0.2 on average, and by chance 2 + 1.36 + 0.2² = 3.4.
  EXPECT_NEAR(*agreement.pairs.front().kappa.value, 1 - 0.2 / 3.4, 1e-12);
  // Means of the two: 1.5, 2, 3, 4, 5.
  EXPECT_NEAR(*agreement.human->value, 3.1, 1e-12);
}

RunScores fifty_judged_cases(const std::string& figure) {
  RunScores run;
  run.figures = {figure};
  for (std::size_t i = 0; i < 50; ++i) {
    // Of those that nobody labels the judge passes 33 of 40.
    const bool passed = i < 10 ? kJudge[i] == "yes" : i < 43;
    run.cases.push_back({.id = "case-" + std::to_string(i),
                         .cluster = "",
                         .outcome = "scored",
                         .text = "",
                         .scores = {passed ? 1.0 : 0.0}});
  }
  return run;
}

TEST(LabelAgreement, TheJudgeIsCorrectedAsByALabelsFile) {
  Sheet sheet = sheet_of(SheetKind::rubric, 10);
  sheet.figure = "correct.rate";
  sheet.range = Interval{0, 1};
  sheet.probability = 0.2;
  for (std::size_t i = 0; i < 10; ++i) sheet.tasks[i].judge = kJudge[i] == "yes" ? 1 : 0;
  GivenAnswers answers;
  answer_all(sheet, "Kim", kPeople, answers);
  const RunScores run = fifty_judged_cases("correct.rate");
  const Agreement agreement = agreement_of(sheet, answers, &run);
  ASSERT_TRUE(agreement.corrected);
  EXPECT_NEAR(*agreement.corrected->judge_only.value, 41.0 / 50, 1e-12);
  EXPECT_NEAR(*agreement.corrected->human_only.value, 0.6, 1e-12);
  EXPECT_NEAR(*agreement.corrected->corrected.value, 0.6159, 1e-4);
  ASSERT_EQ(agreement.judge.size(), 1U);
  EXPECT_EQ(agreement.judge.front().a, "Kim");
  EXPECT_NEAR(*agreement.judge.front().kappa.value, 0.24 / 0.44, 1e-12);
  EXPECT_THAT(agreement.sentences.front(), HasSubstr("Corrected by people's labels of 10 cases"));
}

// 20 conversations of 5 copies each: what people say of a copy says nothing more.
TEST(LabelAgreement, CopiesOfACaseMakeNothingSurer) {
  Sheet sheet = sheet_of(SheetKind::rubric, 100);
  sheet.figure = "correct.rate";
  RunScores run;
  run.figures = {"correct.rate"};
  Words kim;
  Words ana;
  for (std::size_t i = 0; i < 100; ++i) {
    const std::size_t conversation = i / 5;
    kim.emplace_back(conversation % 3 == 0 ? "no" : "yes");
    ana.emplace_back(conversation % 4 == 0 ? "no" : "yes");
    sheet.tasks[i].cluster = "conversation " + std::to_string(conversation);
    sheet.tasks[i].judge = 1;
    run.cases.push_back({sheet.tasks[i].case_id, sheet.tasks[i].cluster, "scored", "", {1.0}});
  }
  GivenAnswers answers;
  answer_all(sheet, "Kim", kim, answers);
  answer_all(sheet, "Ana", ana, answers);
  const Agreement clustered = agreement_of(sheet, answers, &run);
  for (const Estimate& estimate : {clustered.pairs[0].agreement, clustered.pairs[0].kappa, *clustered.alpha})
    EXPECT_EQ(estimate.method, "bootstrap_clusters");
  EXPECT_EQ(clustered.human->method, "t_clustered");
  EXPECT_EQ(clustered.human->ci->low, clustered.corrected->human_only.ci->low) << "one figure, one interval";
  for (SheetTask& task : sheet.tasks) task.cluster = "";
  const Agreement naive = agreement_of(sheet, answers, nullptr);
  const auto width = [](const Estimate& estimate) { return estimate.ci->high - estimate.ci->low; };
  EXPECT_GT(width(clustered.pairs[0].kappa), 1.7 * width(naive.pairs[0].kappa));
  EXPECT_GT(width(clustered.pairs[0].agreement), 1.7 * width(naive.pairs[0].agreement));
}

TEST(LabelAgreement, ThreePeopleSayWhetherTheJudgeIsAsGoodAsOneMore) {
  Sheet sheet = sheet_of(SheetKind::rubric, 60);
  sheet.figure = "correct.rate";
  RunScores run;
  run.figures = {"correct.rate"};
  std::vector<Words> people(3, Words(60));
  for (std::size_t i = 0; i < 60; ++i) {
    const bool truth = i % 2 == 0;
    for (std::size_t j = 0; j < 3; ++j) people[j][i] = truth == (i % 5 == j) ? "no" : "yes";
    run.cases.push_back({sheet.tasks[i].case_id, "", "scored", "", {truth ? 1.0 : 0.0}});
  }
  GivenAnswers answers;
  answer_all(sheet, "Kim", people[0], answers);
  answer_all(sheet, "Ana", people[1], answers);
  answer_all(sheet, "Lou", people[2], answers);
  const Agreement agreement = agreement_of(sheet, answers, &run);
  EXPECT_THAT(agreement.sentences,
              testing::Contains(HasSubstr("as good as one more person: it stands up to 3 of 3 people")));
  ASSERT_TRUE(agreement.alpha);
  EXPECT_THAT(agreement.sentences,
              testing::Contains(HasSubstr(fmt::format(
                  "alpha is {}", figure_with_interval({.name = "", .estimate = *agreement.alpha})))))
      << "one figure, one interval";
}

// Whoever always says the same agrees with nobody beyond chance, in each resample as in the data.
TEST(LabelAgreement, AKappaThatIsAlwaysZeroHasNoInterval) {
  const Sheet sheet = sheet_of(SheetKind::rating, 10);
  GivenAnswers answers;
  answer_all(sheet, "Kim", {"1", "2", "3", "4", "5", "1", "2", "3", "4", "5"}, answers);
  answer_all(sheet, "Ana", Words(10, "3"), answers);
  const Estimate kappa = agreement_of(sheet, answers, nullptr).pairs.front().kappa;
  EXPECT_NEAR(*kappa.value, 0, 1e-12);
  EXPECT_FALSE(kappa.ci);
  EXPECT_THAT(kappa.undefined, HasSubstr("every resample gives the same figure"));
}

TEST(LabelAgreement, PairsAreWinsOfTheFirstVariantWhateverTheSeats) {
  Sheet sheet = sheet_of(SheetKind::pair, 4);
  sheet.figure = "better.win_rate.fresh-prompt";
  sheet.range = Interval{0, 1};
  for (SheetTask& task : sheet.tasks) task.judge = 0.75;
  GivenAnswers answers;
  const auto say = [&](std::size_t task, const char* value, bool first_is_a) {
    ASSERT_TRUE(answers.add(
        sheet, answer_line(sheet, "Kim", {.task = task, .value = value, .first_is_a = first_is_a}, "")));
  };
  say(0, "A", true);   // the first variant
  say(1, "B", false);  // the first variant
  say(2, "A", false);  // the second
  say(3, "tie", true);
  const Agreement agreement = agreement_of(sheet, answers, nullptr);
  EXPECT_DOUBLE_EQ(*agreement.human->value, 2.5 / 4);
  EXPECT_DOUBLE_EQ(*agreement.judge.front().agreement.value, 0.5);  // the judge prefers the first throughout
  EXPECT_THAT(agreement.sentences.front(),
              HasSubstr("People prefer fresh-prompt to old-prompt: it wins 62.5%"));
}

TEST(LabelAgreement, WithoutAnswersThereIsNothingToSay) {
  const Sheet sheet = sheet_of(SheetKind::rubric, 3);
  const Agreement agreement = agreement_of(sheet, {}, nullptr);
  EXPECT_THAT(agreement.sentences, ElementsAre("Nobody has answered any of the 3 cases yet."));
  EXPECT_FALSE(agreement.human);
  EXPECT_FALSE(agreement.alpha);
}

TEST(LabelsFile, SeveralPeopleSayWhatMostOfThemSay) {
  Sheet sheet = sheet_of(SheetKind::rubric, 3);
  sheet.probability = 0.5;
  GivenAnswers answers;
  answer_all(sheet, "Kim", {"yes", "yes", ""}, answers);
  answer_all(sheet, "Ana", {"yes", "no", ""}, answers);
  answer_all(sheet, "=x", {"no", "", ""}, answers);
  EXPECT_EQ(labels_csv(sheet, answers),
            "id,probability,by Kim,by Ana,by =x,label\r\n"
            "case-0,0.5,1,1,0,1\r\n"
            "case-1,0.5,1,0,,0.5\r\n"
            "case-2,0.5,,,,\r\n");
}

TEST(LabelsFile, SaysOfWhichRunAndJudgeItsCasesWereDrawn) {
  Sheet sheet = sheet_of(SheetKind::rubric, 1);
  sheet.drawn = "2026-11-18T20:14:08Z judging=a prompts=b";
  GivenAnswers answers;
  answer_all(sheet, "Kim", {"yes"}, answers);
  EXPECT_EQ(labels_csv(sheet, answers),
            "id,probability,by Kim,drawn,label\r\ncase-0,1,1,2026-11-18T20:14:08Z judging=a prompts=b,1\r\n");
}

TEST(LabelsFile, RatingsAreMeansOnTheFiguresRange) {
  Sheet sheet = sheet_of(SheetKind::rating, 2);
  sheet.figure = "coherence.mean";
  sheet.range = Interval{0, 1};
  GivenAnswers answers;
  answer_all(sheet, "Kim", {"5", "2"}, answers);
  answer_all(sheet, "Ana", {"4", ""}, answers);
  // (1 + 0.75)/2 and 0.25.
  EXPECT_EQ(labels_csv(sheet, answers),
            "id,probability,by Kim,by Ana,label\r\ncase-0,1,1,0.75,0.875\r\ncase-1,1,0.25,,0.25\r\n");
}

TEST(LabelsFile, AClassIsRightIfItIsTheOneThatTheFigureCounts) {
  Sheet sheet = sheet_of(SheetKind::label, 3);
  GivenAnswers answers;
  answer_all(sheet, "Kim", {"refund", "billing", "other"}, answers);
  EXPECT_EQ(labels_csv(sheet, answers),
            "id,probability,by Kim,label\r\ncase-0,1,refund,refund\r\ncase-1,1,billing,billing\r\n"
            "case-2,1,other,other\r\n");
  sheet.figure = "accuracy";
  sheet.range = Interval{0, 1};
  for (SheetTask& task : sheet.tasks) task.right_label = "billing";
  EXPECT_EQ(labels_csv(sheet, answers),
            "id,probability,by Kim,label\r\ncase-0,1,0,0\r\ncase-1,1,1,1\r\ncase-2,1,0,0\r\n");
}

}  // namespace
}  // namespace assay::labels
