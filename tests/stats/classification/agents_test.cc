#include "stats/classification/agents.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/reference/file.h"

namespace assay {
namespace {

// shared/reference/statistics.md, 4.11: ten runs, seven passes, k = 3.
TEST(PassK, HasThePublishedValues) {
  EXPECT_NEAR(pass_at_k({10, 7}, 3).value(), 0.991667, 5e-7);
  EXPECT_NEAR(pass_hat_k({10, 7}, 3).value(), 0.291667, 5e-7);
}

TEST(PassK, AgreesWithR) {
  const Json reference = reference_file("agents.json");
  for (const Json& item : reference.as_array()) {
    const std::vector<double> row = reference_numbers(item);
    const TaskRuns task{static_cast<std::int64_t>(row[0]), static_cast<std::int64_t>(row[1])};
    const auto k = static_cast<std::int64_t>(row[2]);
    EXPECT_NEAR(pass_at_k(task, k).value(), row[3], 1e-10);
    EXPECT_NEAR(pass_hat_k(task, k).value(), row[4], 1e-10);
  }
}

TEST(PassK, IsUndefinedForFewerRunsThanK) {
  EXPECT_FALSE(pass_at_k({2, 1}, 3).has_value());
  EXPECT_FALSE(pass_hat_k({2, 1}, 3).has_value());
  EXPECT_FALSE(pass_at_k({0, 0}, 1).has_value());
  EXPECT_FALSE(pass_at_k({5, 6}, 1).has_value());
  EXPECT_FALSE(pass_at_k({5, -1}, 1).has_value());
  EXPECT_FALSE(pass_hat_k({5, 3}, 0).has_value());
  EXPECT_EQ(pass_at_k({3, 3}, 3), 1);
  EXPECT_EQ(pass_hat_k({3, 3}, 3), 1);
  EXPECT_EQ(pass_at_k({3, 0}, 3), 0);
  EXPECT_EQ(pass_hat_k({3, 2}, 3), 0);
  EXPECT_EQ(pass_at_k({3, 1}, 3), 1);
  EXPECT_NEAR(pass_hat_k({1'000'000, 999'999}, 1000).value(), 0.999, 1e-9);
}

TEST(PassK, OverTasksIsTheirMeanWithABootstrapInterval) {
  std::vector<TaskRuns> tasks;
  for (int i = 0; i < 40; ++i) tasks.push_back({10, i % 11});
  double sum = 0;
  for (const TaskRuns& task : tasks) sum += *pass_hat_k(task, 2);
  const Estimate hat = estimate_pass_hat_k(tasks, 2);
  EXPECT_NEAR(hat.value.value(), sum / 40, 1e-12);
  EXPECT_EQ(hat.n, 40);
  EXPECT_EQ(hat.method, "bootstrap_bca");
  EXPECT_LT(hat.ci.value().low, *hat.value);
  EXPECT_GT(hat.ci.value().high, *hat.value);
  // About two standard errors at each side: sd of the 40 figures / sqrt(40).
  EXPECT_NEAR(hat.ci->high - hat.ci->low, 4 * 0.34 / std::sqrt(40.0), 0.05);
  EXPECT_GT(*estimate_pass_at_k(tasks, 2).value, *hat.value);
}

TEST(PassK, CountsTheTasksThatItLeavesOut) {
  const std::vector<TaskRuns> tasks = {{5, 3}, {5, 1}, {2, 2}, {5, 9}, {5, 5}};
  const Estimate estimate = estimate_pass_at_k(tasks, 3);
  EXPECT_EQ(estimate.n, 3);
  EXPECT_EQ(estimate.missing.at("fewer_runs_than_k"), 1);
  EXPECT_EQ(estimate.missing.at("impossible_counts"), 1);
}

TEST(PassK, SaysWhyThereIsNoInterval) {
  EXPECT_EQ(estimate_pass_at_k({}, 1).undefined, "no observations");
  EXPECT_EQ(estimate_pass_at_k(std::vector<TaskRuns>{{2, 1}}, 3).undefined, "no task has 3 runs");
  EXPECT_EQ(estimate_pass_at_k(std::vector<TaskRuns>{{2, 1}}, 0).undefined, "k must be at least 1");
  const Estimate one = estimate_pass_at_k(std::vector<TaskRuns>{{4, 1}}, 2);
  EXPECT_NEAR(one.value.value(), 0.5, 1e-12);
  EXPECT_FALSE(one.ci.has_value());
  const Estimate all_pass = estimate_pass_hat_k(std::vector<TaskRuns>(30, TaskRuns{4, 4}), 4);
  EXPECT_EQ(all_pass.value, 1);
  EXPECT_FALSE(all_pass.ci.has_value());
  EXPECT_FALSE(all_pass.undefined.empty());
}

RC_GTEST_PROP(PassK, DoesNotDependOnTheOrderOfTasks,
              (const std::vector<std::pair<std::uint8_t, std::uint8_t>>& runs, unsigned seed)) {
  std::vector<TaskRuns> tasks;
  for (const auto& [n, c] : runs) tasks.push_back({n % 12, n % 12 == 0 ? 0 : c % (n % 12 + 1)});
  auto shuffled = tasks;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
  const Estimate a = estimate_pass_hat_k(tasks, 3, {.draws = 200});
  const Estimate b = estimate_pass_hat_k(shuffled, 3, {.draws = 200});
  RC_ASSERT(a.value == b.value);
  RC_ASSERT(a.ci.has_value() == b.ci.has_value());
  if (a.ci) RC_ASSERT(a.ci->low == b.ci->low && a.ci->high == b.ci->high);
}

RC_GTEST_PROP(PassK, GrowsWithKForOneAndFallsForAll, (std::uint8_t runs, std::uint8_t passes)) {
  const std::int64_t n = 1 + runs % 40;
  const TaskRuns task{n, passes % (n + 1)};
  RC_ASSERT(std::fabs(*pass_at_k(task, 1) - static_cast<double>(task.c) / static_cast<double>(n)) < 1e-12);
  // One of k fails exactly if not all pass.
  const TaskRuns opposite{n, n - task.c};
  for (std::int64_t k = 1; k <= n; ++k) {
    RC_ASSERT(std::fabs(*pass_at_k(task, k) + *pass_hat_k(opposite, k) - 1) < 1e-12);
    if (k > 1) RC_ASSERT(*pass_at_k(task, k) >= *pass_at_k(task, k - 1) - 1e-12);
    if (k > 1) RC_ASSERT(*pass_hat_k(task, k) <= *pass_hat_k(task, k - 1) + 1e-12);
  }
}

}  // namespace
}  // namespace assay
