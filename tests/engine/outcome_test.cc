#include "engine/outcome.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "engine/runner.h"

namespace assay {
namespace {

TEST(Outcomes, OfAPromptThatDoesNotFitAreTheirOwnAndStand) {
  const Outcome outcome = failed_outcome({ErrorKind::context_overflow, "208310 tokens, at most 200000", {}});
  EXPECT_EQ(outcome.kind, OutcomeKind::context_overflow);
  EXPECT_EQ(to_string(outcome.kind), "context_overflow");
  EXPECT_EQ(outcome_kind("context_overflow"), OutcomeKind::context_overflow);
  EXPECT_EQ(std::ranges::count(outcomes_to_retry(), "context_overflow"), 0);
  EXPECT_EQ(outcome_of(ErrorKind::rejected), OutcomeKind::infra_failed);
}

}  // namespace
}  // namespace assay
