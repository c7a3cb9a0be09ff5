#include "evaluations/benchmark/aggregate.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "evaluations/benchmark/standing.h"
#include "evaluations/benchmark/transcripts.h"

namespace assay::benchmark {
namespace {

class BenchmarkAggregate final : public Aggregate {
 public:
  BenchmarkAggregate(const BenchmarkPlan& plan, OutputFiles& files)
      : plan_(plan), page_(files, index_of(plan)), contest_(plan) {}

  void add(const Case& input, const ResultLine& line) override {
    const PlannedRun& run = plan_.runs[input.part];
    if (!sides_.empty() && !shown_together(plan_.runs[first_side_], run)) flush_page();
    if (sides_.empty()) first_side_ = input.part;
    sides_.push_back(transcript(input, run, line.outcome()));
    contest_.add(line.facts<RunLineFacts>().figures);
  }

  void finish(const MissingCases& /*missing*/, Summary& summary) override {
    flush_page();
    page_.finish();
    contest_.finish(summary);
  }

 private:
  static TranscriptIndex index_of(const BenchmarkPlan& plan) {
    std::vector<std::string> systems;
    std::vector<std::string> models;
    std::vector<std::string> tasks;
    systems.reserve(plan.systems.size());
    models.reserve(plan.models.size());
    tasks.reserve(plan.tasks.size());
    for (const System system : plan.systems) systems.emplace_back(to_string(system));
    for (const BenchmarkModel& model : plan.models) models.push_back(model.name);
    for (const BenchmarkTask& task : plan.tasks) tasks.push_back(task.name);
    return {std::move(systems), std::move(models), std::move(tasks)};
  }

  // The runs that are shown side by side are those of one variation and repeat.
  static bool shown_together(const PlannedRun& a, const PlannedRun& b) {
    return a.task == b.task && a.variation == b.variation && a.run == b.run;
  }

  // From the run's file as the case brings it, not from the outcome: a conversation is long, the file holds
  // it already, and a run that was not taken up in this sitting is shown as it stands.
  Transcript transcript(const Case& input, const PlannedRun& run, OutcomeKind outcome) const {
    const auto system = std::ranges::find(plan_.systems, run.system) - plan_.systems.begin();
    Transcript shown{plan_.contender(run),
                     run.id + ".yaml",
                     std::nullopt,
                     std::string(to_string(outcome)),
                     {static_cast<std::size_t>(system), run.model, run.task}};
    const RunState state = run_state_of(input);
    if (!state.text) return shown;
    if (auto file = read_run_file(*state.text, form_of(run.system))) shown.run = std::move(*file);
    return shown;
  }

  void flush_page() {
    if (sides_.empty()) return;
    const PlannedRun& first = plan_.runs[first_side_];
    const Variation& variation = plan_.tasks[first.task].task.variations[first.variation];
    std::string which = std::to_string(first.variation);
    if (!variation.name.empty()) which += fmt::format(" ({})", variation.name);
    if (plan_.repeat > 1) which += fmt::format(", run {}", first.run);
    page_.add(fmt::format("{}, variation {}", plan_.tasks[first.task].name, which), which,
              variation.expected_output ? &*variation.expected_output : nullptr, std::exchange(sides_, {}));
  }

  const BenchmarkPlan& plan_;
  TranscriptPage page_;
  Contest contest_;
  std::vector<Transcript> sides_;
  std::size_t first_side_ = 0;  // its place in the plan
};

}  // namespace

std::unique_ptr<Aggregate> make_aggregate(const BenchmarkPlan& plan, OutputFiles& files) {
  return std::make_unique<BenchmarkAggregate>(plan, files);
}

}  // namespace assay::benchmark
