#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/tables/csv.h"
#include "report/answers/columns.h"
#include "report/answers/mode.h"
#include "report/answers/words.h"
#include "report/figure_json.h"
#include "report/words.h"
#include "stats/classification/agents.h"

namespace assay::answers {
namespace {

constexpr double kMostRuns = 1'000'000;

struct Runs {
  std::vector<TaskRuns> tasks;
  std::int64_t runs = 0;
  std::int64_t missing = 0;  // runs without an outcome
};

Result<Runs> read_runs(const DataTable& table, const Config& config) {
  const std::string task = config.text("task");
  const std::string passed = config.text("passed");
  Columns columns(table);
  const auto names = columns.texts(task);
  const auto outcomes = columns.texts(passed);
  std::map<std::string, TaskRuns> tasks;
  Runs found;
  for (std::size_t row = 0; row < columns.rows(); ++row) {
    if (!names[row]) {
      columns.empty(row, task, "the name of a task");
      continue;
    }
    TaskRuns& runs = tasks[*names[row]];
    if (!outcomes[row]) {
      ++found.missing;
      continue;
    }
    const auto outcome = cell_number(*outcomes[row]);
    if (outcome != 0 && outcome != 1) {
      columns.wrong(row, passed, *outcomes[row], "true, false, 1 or 0");
      continue;
    }
    ++found.runs;
    ++runs.n;
    runs.c += outcome == 1 ? 1 : 0;
  }
  if (auto good = columns.status(); !good) return fail(std::move(good.error()));
  for (const auto& [name, runs] : tasks) found.tasks.push_back(runs);
  return found;
}

// As asked for; none if nothing was.
Result<std::vector<std::int64_t>> asked_k(const Config& config) {
  const auto given = listed_numbers(config, "k", 1, kMostRuns);
  if (!given) return fail(given.error());
  std::vector<std::int64_t> asked;
  for (const double k : *given) {
    if (k != std::floor(k))
      return fail(ErrorKind::usage, fmt::format("--k: found {}, expected whole numbers", k));
    asked.push_back(static_cast<std::int64_t>(k));
  }
  return asked;
}

// 1, and the most that every task with a run allows.
std::vector<std::int64_t> usual_k(const Runs& runs) {
  std::int64_t fewest = 0;
  for (const TaskRuns& task : runs.tasks) {
    if (task.n > 0) fewest = fewest == 0 ? task.n : std::min(fewest, task.n);
  }
  return fewest > 1 ? std::vector<std::int64_t>{1, fewest} : std::vector<std::int64_t>{1};
}

Result<Answer> estimate_passes(const DataTable& table, const Config& config) {
  const auto asked = asked_k(config);
  if (!asked) return fail(asked.error());
  const auto runs = read_runs(table, config);
  if (!runs) return fail(runs.error());

  JsonObject at_least_one;
  JsonObject all;
  std::vector<Row> rows{{"figure", "value", "95% interval", "tasks", ""}};
  for (const std::int64_t k : asked->empty() ? usual_k(*runs) : *asked) {
    const Estimate at = estimate_pass_at_k(runs->tasks, k);
    const Estimate hat = estimate_pass_hat_k(runs->tasks, k);
    at_least_one[std::to_string(k)] = figure_json(at);
    all[std::to_string(k)] = figure_json(hat);
    rows.push_back(figure_row(fmt::format("pass@{}", k), at));
    rows.push_back(figure_row(fmt::format("pass^{}", k), hat));
  }
  Answer answer;
  answer.json = JsonObject{{"tasks", runs->tasks.size()},
                           {"runs", runs->runs},
                           {"missing", runs->missing},
                           {"pass_at_k", std::move(at_least_one)},
                           {"pass_hat_k", std::move(all)}};
  answer.text = text_table(rows);
  if (runs->missing > 0)
    answer.text +=
        fmt::format("left out: {} without an outcome\n", counted_words(runs->missing, "run", "runs"));
  return answer;
}

}  // namespace

Mode pass_at_k_mode() {
  return {
      .name = "pass-at-k",
      .title = "how reliable is an agent that ran several times on each task (pass@k, pass^k)",
      .needed = "--task COLUMN --passed COLUMN",
      .asked_by = {},
      .keys =
          {
              {.name = "task", .help = "Column that names the task; one run a row.", .required = true},
              {.name = "passed",
               .help = "Column of the run's outcome: true, false, 1 or 0; a run without one is left out and "
                       "counted.",
               .required = true},
              {.name = "k",
               .type = KeyType::text_list,
               .help = "How many runs: 1,3,… Without it 1 and the fewest runs of any task. Tasks with fewer "
                       "runs are left out and counted."},
          },
      .answer = estimate_passes};
}

}  // namespace assay::answers
