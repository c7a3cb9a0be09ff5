#include "evaluations/persona/request_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::persona {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct RequestLineTest : testing::Test {
  Case input{.line = 1, .id = "i1/ines"};
  JobParameters job;
  PersonaCase asked;
  Judgement judgement;
  ResultLine line;

  RequestLineTest() {
    job.personas = {{"ines", "Ines", {}}};
    asked.item.id = "i1";
    asked.item.title = "Minutes";
    asked.item.classifications = {{"topic", "", "WORK", {}}, {"urgent", "", std::nullopt, {}}};
    asked.perspectives = {{"fit", "Fit", "Does it fit?"}};
    judgement.attempts = 2;
    judgement.answer.verdicts = {{"i1", "topic", "fit", "WORK", 5, false, "Right."},
                                 {"i1", "urgent", "fit", std::nullopt, 2, false, "No."}};
  }

  std::string write(OutcomeKind kind, std::string error = "") {
    const FinishedCase finished{{kind, outcome_json(judgement, job.mode), std::move(error)}, JsonObject{}, 5};
    line.begin(&finished);
    request_line(input, finished.outcome, asked, job, line);
    return std::string(line.whole(input, &finished));
  }
};

TEST_F(RequestLineTest, MeansAreOverTheVerdictsAndEachIsARow) {
  EXPECT_THAT(write(OutcomeKind::scored),
              HasSubstr(R"("scores":{"likert.mean_per_request":3.5,"agreement_rate_per_request":0.5},)"
                        R"("attempts":2,)"));
  EXPECT_EQ(line.rows(),
            "i1/ines,i1,topic,fit,ines,mode2,WORK,WORK,5,,Right.\r\n"
            "i1/ines,i1,urgent,fit,ines,mode2,,,2,,No.\r\n");
  EXPECT_EQ(line.facts<RequestFacts>().judgement.attempts, 2);
}

TEST_F(RequestLineTest, WhatThePersonaDoesNotAgreeWithIsWorthALookWithItsReason) {
  asked.item.classifications[1] = {"urgent", "Must it be done today?", "yes", {"yes", "no"}};
  write(OutcomeKind::scored);
  ASSERT_EQ(line.notable().size(), 1U) << "the 5 is agreed with";
  const auto& [goodness, shown] = line.notable()[0];
  EXPECT_EQ(goodness, 1) << "a 2 is one better than the worst";
  EXPECT_EQ(shown.why, "urgent as \"yes\": 2 (Disagree)");
  EXPECT_THAT(shown.fields, testing::Contains(std::pair<std::string, std::string>("reason", "No.")));
  EXPECT_THAT(shown.fields, testing::Contains(testing::Pair("item", HasSubstr("Minutes"))));
  EXPECT_THAT(shown.fields,
              testing::Contains(testing::Pair("classification", "urgent: Must it be done today?")));
}

TEST_F(RequestLineTest, Mode3HasAgreementAndNoLikert) {
  job.mode = Mode::mode3;
  judgement.answer.verdicts[0].agrees = true;
  EXPECT_THAT(write(OutcomeKind::scored), HasSubstr(R"("likert.mean_per_request":null)"));
  EXPECT_THAT(line.rows(), HasSubstr("i1,topic,fit,ines,mode3,WORK,WORK,,AGREE,Right."));
}

TEST_F(RequestLineTest, AFailureHasNoScoreAndIsWorthALook) {
  judgement.answer = {{}, {"i1: has no result"}, {}};
  judgement.error = Error{ErrorKind::judge, "no complete answer", {}};
  write(OutcomeKind::judge_failed, "no complete answer");
  EXPECT_EQ(line.scores()[0].value, std::nullopt);
  EXPECT_THAT(line.rows(), IsEmpty());
  ASSERT_EQ(line.notable().size(), 1U);
  EXPECT_LT(line.notable()[0].first, 0) << "failures come first";
  EXPECT_EQ(line.notable()[0].second.fields[1].second, "no complete answer");
}

}  // namespace
}  // namespace assay::persona
