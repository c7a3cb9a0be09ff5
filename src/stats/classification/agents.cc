#include "stats/classification/agents.h"

#include <string>
#include <vector>

#include <fmt/format.h>

namespace assay {
namespace {

bool possible(TaskRuns task) {
  return task.n >= 0 && task.c >= 0 && task.c <= task.n;
}

// C(part, k)/C(whole, k), the chance that k of `whole` all come from `part`; 0 if part < k.
double all_from(std::int64_t part, std::int64_t whole, std::int64_t k) {
  double chance = 1;
  for (std::int64_t i = 0; i < k && chance > 0; ++i) {
    chance *= static_cast<double>(part - i) / static_cast<double>(whole - i);
  }
  return chance;
}

template <class PerTask>
Estimate over_tasks(std::span<const TaskRuns> tasks, std::int64_t k, const Bootstrap& options,
                    const PerTask& per_task) {
  if (k < 1) return undefined_figure("k must be at least 1");
  std::vector<double> figures;
  std::int64_t few_runs = 0;
  std::int64_t impossible = 0;
  for (const TaskRuns& task : tasks) {
    if (const auto figure = per_task(task, k)) {
      figures.push_back(*figure);
    } else {
      ++(possible(task) ? few_runs : impossible);
    }
  }
  Estimate estimate = bootstrap_mean(figures, {}, options);
  if (few_runs > 0) estimate.missing["fewer_runs_than_k"] = few_runs;
  if (impossible > 0) estimate.missing["impossible_counts"] = impossible;
  if (figures.empty() && !tasks.empty()) estimate.undefined = fmt::format("no task has {} runs", k);
  return estimate;
}

}  // namespace

std::optional<double> pass_at_k(TaskRuns task, std::int64_t k) {
  if (!possible(task) || k < 1 || task.n < k) return std::nullopt;
  return 1 - all_from(task.n - task.c, task.n, k);
}

std::optional<double> pass_hat_k(TaskRuns task, std::int64_t k) {
  if (!possible(task) || k < 1 || task.n < k) return std::nullopt;
  return all_from(task.c, task.n, k);
}

Estimate estimate_pass_at_k(std::span<const TaskRuns> tasks, std::int64_t k, const Bootstrap& options) {
  return over_tasks(tasks, k, options, pass_at_k);
}

Estimate estimate_pass_hat_k(std::span<const TaskRuns> tasks, std::int64_t k, const Bootstrap& options) {
  return over_tasks(tasks, k, options, pass_hat_k);
}

}  // namespace assay
