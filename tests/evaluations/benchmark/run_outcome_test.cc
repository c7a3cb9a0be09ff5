#include "evaluations/benchmark/run_outcome.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace assay::benchmark {
namespace {

TEST(RunOutcome, ComesBackFromTheJournalAsItWasWritten) {
  RunOutcome outcome;
  outcome.score = 0.75;
  outcome.failed = false;
  outcome.answer_state = "found";
  outcome.answer = Json(nullptr);  // null is an answer
  outcome.details = {{"tau", 0.5}};
  outcome.notes = {"a trailing comma"};
  outcome.tool_calls = 2;
  outcome.turns = 1;
  outcome.nudges = 0;
  outcome.usage = JsonObject{{"requests", 3}};
  outcome.seconds = 1.25;
  outcome.done = "went_on";
  outcome.scorer = "records";
  outcome.changed = {"prompt"};
  outcome.sitting = 2;
  outcome.warnings = {"expected_tool_calls names x, but no tool of that name was offered"};
  const JsonObject written = to_json(outcome);
  const RunOutcome read = run_outcome_from(parse_json(to_text(written)).value().get_object());
  EXPECT_EQ(to_text(to_json(read)), to_text(written));
  EXPECT_TRUE(read.answer.has_value());
  EXPECT_EQ(read.turns, 1);
  EXPECT_EQ(read.sitting, 2);
  EXPECT_EQ(read.scorer, "records");
  EXPECT_EQ(read.changed.size(), 1U);
}

TEST(RunOutcome, WhatIsNotThereIsNotWritten) {
  EXPECT_EQ(to_text(to_json(RunOutcome())), R"({"sitting":0})");
  const RunOutcome nothing = run_outcome_from({});
  EXPECT_FALSE(nothing.failed.has_value()) << "a run that nobody looked at has neither failed nor succeeded";
  EXPECT_FALSE(nothing.answer.has_value());
  EXPECT_FALSE(nothing.score.has_value());
}

}  // namespace
}  // namespace assay::benchmark
