#include "runs/labels/given_answers.h"

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runs/labels/sample_sheets.h"

namespace assay::labels {
namespace {

constexpr const char* kTime = "2026-11-18T10:00:00.000Z";

TEST(GivenAnswers, APersonGoesOnBehindTheLastTaskThatTheyAnswered) {
  const Sheet sheet = sheet_of(SheetKind::rubric, 5);
  const auto order = order_for(sheet, "Kim");
  GivenAnswers answers;
  for (std::size_t i = 0; i < 5; ++i) {
    ASSERT_EQ(next_task(sheet, answers, "Kim"), order[i]);
    ASSERT_TRUE(answers.add(sheet, answer_line(sheet, "Kim", {order[i], "yes"}, kTime)));
    EXPECT_EQ(answers.done("Kim"), i + 1);
  }
  EXPECT_EQ(next_task(sheet, answers, "Kim"), std::nullopt);
  EXPECT_EQ(next_task(sheet, answers, "Ana"), order_for(sheet, "Ana").front());
}

TEST(GivenAnswers, WhatIsTakenBackComesAgain) {
  const Sheet sheet = sheet_of(SheetKind::rubric, 3);
  const auto order = order_for(sheet, "Kim");
  GivenAnswers answers;
  ASSERT_TRUE(answers.add(sheet, answer_line(sheet, "Kim", {order[0], "yes"}, kTime)));
  ASSERT_TRUE(answers.add(sheet, answer_line(sheet, "Kim", {order[1], "no"}, kTime)));
  ASSERT_TRUE(answers.add(sheet, undo_line("Kim", order[1], kTime)));
  EXPECT_EQ(answers.done("Kim"), 1U);
  EXPECT_EQ(next_task(sheet, answers, "Kim"), order[1]);
}

TEST(GivenAnswers, AnotherAnswerTakesThePlaceOfTheEarlierOneAndIsTheLast) {
  const Sheet sheet = sheet_of(SheetKind::rubric, 3);
  GivenAnswers answers;
  answer_all(sheet, "Kim", {"yes", "no"}, answers);
  answer_all(sheet, "Kim", {"no"}, answers);
  ASSERT_EQ(answers.done("Kim"), 2U);
  EXPECT_EQ(answers.find("Kim")->given.back(), (GivenAnswer{.task = 0, .value = "no"}));
}

TEST(GivenAnswers, APairRemembersWhichVariantStoodAtA) {
  const Sheet sheet = sheet_of(SheetKind::pair, 1);
  const Json line = answer_line(sheet, "Kim", {.task = 0, .value = "A", .first_is_a = false}, kTime);
  EXPECT_EQ(text_at(line, "a"), "old-prompt");
  GivenAnswers answers;
  ASSERT_TRUE(answers.add(sheet, line));
  EXPECT_FALSE(answers.find("Kim")->answer_to(0)->first_is_a);
}

TEST(GivenAnswers, ALineOfAnotherSheetIsRefused) {
  const Sheet sheet = sheet_of(SheetKind::rubric, 3);
  GivenAnswers answers;
  EXPECT_FALSE(answers.add(sheet, JsonObject{{"person", "Kim"}, {"key", "4"}, {"value", "yes"}}));
  EXPECT_FALSE(answers.add(sheet, JsonObject{{"key", "1"}, {"value", "yes"}}));
  EXPECT_FALSE(answers.add(sheet, JsonObject{{"person", "Kim"}, {"key", "1x"}, {"value", "yes"}}));
}

}  // namespace
}  // namespace assay::labels
