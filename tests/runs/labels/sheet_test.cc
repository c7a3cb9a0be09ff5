#include "runs/labels/sheet.h"

#include <algorithm>
#include <set>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runs/labels/sample_sheets.h"

namespace assay::labels {
namespace {

TEST(Sheet, GivesEachPersonAllTasksInAnOrderOfTheirOwn) {
  const Sheet sheet = sheet_of(SheetKind::rubric, 30);
  const auto kim = order_for(sheet, "Kim");
  EXPECT_EQ(kim, order_for(sheet, "Kim"));
  EXPECT_NE(kim, order_for(sheet, "Ana"));
  EXPECT_EQ(std::set<std::size_t>(kim.begin(), kim.end()).size(), 30U);
  EXPECT_EQ(kim.size(), 30U);
}

TEST(Sheet, SeatsAreRandomForEachPersonAndTask) {
  const Sheet sheet = sheet_of(SheetKind::pair, 200);
  int first = 0;
  int same = 0;
  for (std::size_t task = 0; task < 200; ++task) {
    first += first_is_a(sheet, "Kim", task) ? 1 : 0;
    same += first_is_a(sheet, "Kim", task) == first_is_a(sheet, "Ana", task) ? 1 : 0;
  }
  // 200 throws of a coin: outside of 70 to 130 once in 20,000 sheets, and this one is always the same.
  EXPECT_THAT(first, testing::AllOf(testing::Gt(70), testing::Lt(130)));
  EXPECT_THAT(same, testing::AllOf(testing::Gt(70), testing::Lt(130)));
}

TEST(Sheet, ATaskShowsTheAnswersInTheirSeatsAndNothingThatTellsWhoseTheyAre) {
  Sheet sheet = sheet_of(SheetKind::pair, 40);
  sheet.figure = "better.win_rate.fresh-prompt";
  for (SheetTask& task : sheet.tasks) task.judge = 0.8125;
  for (std::size_t i = 0; i < sheet.tasks.size(); ++i) {
    const JsonObject task = shown_task(sheet, "Kim", i, 7);
    const std::string text = to_text(task);
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("prompt")));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("0.8125")));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("case-")));
    const std::string number = std::to_string(i);
    const bool first = first_is_a(sheet, "Kim", i);
    EXPECT_EQ(text_at(task.at("answers"), "A"), (first ? "first " : "second ") + number);
    EXPECT_EQ(text_at(task.at("answers"), "B"), (first ? "second " : "first ") + number);
    EXPECT_EQ(task.at("number"), 7);
    EXPECT_EQ(task.at("of"), 40);
  }
}

TEST(Sheet, TakesAnswersOfItsKindOnly) {
  const auto taken = [](SheetKind kind, const Json& value) {
    const auto answer = checked_answer(sheet_of(kind, 1), value);
    return answer ? *answer : "! " + answer.error().message;
  };
  EXPECT_EQ(taken(SheetKind::pair, "A"), "A");
  EXPECT_EQ(taken(SheetKind::pair, "t"), "tie");
  EXPECT_EQ(taken(SheetKind::pair, "old-prompt"), "! expected A, B or tie");
  EXPECT_EQ(taken(SheetKind::rating, 5), "5");
  EXPECT_EQ(taken(SheetKind::rating, 3.0), "3");
  EXPECT_EQ(taken(SheetKind::rating, 6), "! expected a whole number from 1 to 5");
  EXPECT_EQ(taken(SheetKind::rating, 2.5), "! expected a whole number from 1 to 5");
  EXPECT_EQ(taken(SheetKind::label, "refund"), "refund");
  EXPECT_EQ(taken(SheetKind::label, "Refund"), "! expected one of billing, other, refund");
  EXPECT_EQ(taken(SheetKind::rubric, true), "yes");
  EXPECT_EQ(taken(SheetKind::rubric, "no"), "no");
  EXPECT_EQ(taken(SheetKind::rubric, "maybe"), "! expected yes or no");
}

TEST(Sheet, ANameIsShortAndVisible) {
  EXPECT_EQ(checked_person("  Kim Löwe ").value(), "Kim Löwe");
  for (const std::string& bad :
       {std::string(), std::string("  "), std::string("a\nb"), std::string(81, 'x'), std::string("\xff")})
    EXPECT_FALSE(checked_person(bad)) << bad;
}

TEST(Sheet, IsReadBackAsItWasWritten) {
  for (const SheetKind kind : {SheetKind::pair, SheetKind::rating, SheetKind::label, SheetKind::rubric}) {
    Sheet sheet = sheet_of(kind, 3);
    sheet.figure = "tone.mean";
    sheet.range = Interval{0, 1};
    sheet.probability = 0.25;
    sheet.drawn = "2026-11-18T20:14:08Z judging=a prompts=b";
    sheet.tasks[1].judge = 0.5;
    sheet.tasks[2].cluster = "c1";
    sheet.tasks[2].right_label = "other";
    const auto back = sheet_from_json(to_json(sheet));
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(to_json(*back), to_json(sheet));
  }
}

TEST(Sheet, ASheetThatIsNotWholeIsRefused) {
  Json json = to_json(sheet_of(SheetKind::pair, 2));
  json.at("tasks").at(1).as_object().erase("answers");
  EXPECT_FALSE(sheet_from_json(json));
  EXPECT_FALSE(sheet_from_json(JsonObject{{"kind", "poem"}}));
}

TEST(Sheet, RatingsGoToTheFiguresRangeAndScoresToTheScale) {
  Sheet sheet = sheet_of(SheetKind::rating, 1);
  EXPECT_EQ(on_range(sheet, 4), 4);  // without a figure a rating is itself
  sheet.range = Interval{0, 1};
  EXPECT_EQ(on_range(sheet, 1), 0);
  EXPECT_EQ(on_range(sheet, 4), 0.75);
  EXPECT_EQ(on_range(sheet, 5), 1);
  EXPECT_EQ(on_scale(sheet, 0.75), 4);
  EXPECT_EQ(on_scale(sheet, 0.8), 4);  // 4.2
}

}  // namespace
}  // namespace assay::labels
