#include "evaluations/judge_config.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(MarkingOf, WhatACaseMustPassCountsInAnyOrderAndIsNoPartOfTheJudge) {
  const JsonObject loose{{"judge", JsonObject{{"model", "a/b"}}}, {"case_passes", nullptr}};
  JsonObject strict = loose;
  strict["case_passes"] = JsonArray{"tone", "correct"};
  JsonObject turned = loose;
  turned["case_passes"] = JsonArray{"correct", "tone"};
  EXPECT_NE(marking_of("custom", loose), marking_of("custom", strict));
  EXPECT_EQ(marking_of("custom", turned), marking_of("custom", strict));
  EXPECT_EQ(judging_of("custom", loose), judging_of("custom", strict));
  EXPECT_EQ(marking_of("custom", loose), judging_of("custom", loose));
}

TEST(JudgingOf, GuidelinesThatAreAskedTogetherAreAskedOtherwise) {
  EXPECT_NE(judging_of("guidelines", {{"batch_size", 5}}), judging_of("guidelines", {{"batch_size", 1}}));
  EXPECT_EQ(judging_of("custom", {{"batch_size", 5}}), judging_of("custom", {{"batch_size", 1}}));
}

}  // namespace
}  // namespace assay
