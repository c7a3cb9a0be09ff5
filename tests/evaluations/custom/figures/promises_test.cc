#include "tests/evaluations/custom/figures/promises.h"

#include <gtest/gtest.h>

namespace assay::custom {
namespace {

// 60 cases in 20 clusters, three repeats, three variants, three metrics, no effect: of 200 runs 5 % may claim
// something; 19 are 10 ± three standard deviations.
TEST(CustomPromises, WithoutAnEffectHardlyAnyRunClaimsOne) {
  const Promises kept = promises({}, 200);
  EXPECT_LE(kept.claims, 19);
  SimulatedRun blind;
  blind.declared = false;
  EXPECT_GT(promises(blind, 200).claims, kept.claims) << "clusters that are not declared are not allowed for";
}

TEST(CustomPromises, AnEffectIsFoundAndItsIntervalHoldsIt) {
  SimulatedRun run;
  run.effect = 0.15;
  const Promises kept = promises(run, 200);
  EXPECT_GT(kept.claimed_even, 100);
  for (const int held : {kept.even_held, kept.rare_held, kept.tone_held}) {
    EXPECT_GE(held, 181);  // 95 % ± three standard deviations of 200
    EXPECT_LE(held, 199);
  }
}

}  // namespace
}  // namespace assay::custom
