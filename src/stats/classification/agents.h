// How reliable is an agent that was run several times on each task? pass@k: the chance that at least one of k
// runs passes; pass^k: the chance that all k do. Each task gives an unbiased estimate from its n runs with c
// passes; the figure is the mean over tasks, and the sampling unit is the task.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "stats/estimate.h"
#include "stats/intervals/bootstrap.h"

namespace assay {

struct TaskRuns {
  std::int64_t n = 0;  // runs
  std::int64_t c = 0;  // of which passed
};

// 1 - C(n-c, k)/C(n, k): Chen et al. 2021, arXiv:2107.03374. Undefined for n < k, k < 1 or c outside 0…n.
std::optional<double> pass_at_k(TaskRuns task, std::int64_t k);
// C(c, k)/C(n, k): Yao et al. 2024 (τ-bench), arXiv:2406.12045. Undefined likewise.
std::optional<double> pass_hat_k(TaskRuns task, std::int64_t k);

// The mean over the tasks with at least k runs, with a bootstrap interval over them; `n` is their number. The
// others are left out and counted ("fewer_runs_than_k", "impossible_counts"). No interval for one task, or
// where all tasks agree. Assumes that runs of one task are exchangeable and tasks independent.
Estimate estimate_pass_at_k(std::span<const TaskRuns> tasks, std::int64_t k, const Bootstrap& options = {});
Estimate estimate_pass_hat_k(std::span<const TaskRuns> tasks, std::int64_t k, const Bootstrap& options = {});

}  // namespace assay
