#include "evaluations/benchmark/benchmark.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "core/files/find_program.h"
#include "core/sha256.h"
#include "evaluations/benchmark/aggregate.h"
#include "evaluations/benchmark/judged/judge_stress.h"
#include "evaluations/benchmark/judged/judged_answers.h"
#include "evaluations/benchmark/run_case.h"
#include "evaluations/benchmark/run_material.h"
#include "evaluations/benchmark/run_outcome.h"
#include "evaluations/benchmark/scorer_choices.h"
#include "evaluations/benchmark/standing.h"
#include "evaluations/stress/stressed.h"
#include "models/declared.h"
#include "models/tokens.h"

namespace assay::benchmark {
namespace {

// What a run of a tool calling system takes at least: a round for each expected call, and the answer.
constexpr std::int64_t kTokensPerRound = 400;

constexpr std::size_t kMostTold = 20;  // files in `check`

// Depends on nothing but the name of the output file and the sitting. So it means the same whatever else is
// asked for in this directory, a sitting that was cut off finds its answers in the journal, and one that came
// to its end is over: the next is a case of its own.
std::int64_t index_of(const std::string& id, std::int64_t sitting) {
  const Digest digest = sha256(fmt::format("{}/sitting{}", id, sitting));
  std::uint64_t value = 0;
  std::memcpy(&value, digest.data(), sizeof value);
  return static_cast<std::int64_t>(value >> 2U);
}

class PlannedRuns final : public CaseSource {
 public:
  // Without a directory no run has begun.
  PlannedRuns(const BenchmarkPlan& plan, const std::string& directory,
              const std::map<std::string, EarlierSittings>& earlier)
      : plan_(plan), directory_(directory), earlier_(earlier), problems_(plan.problems) {}

  Result<bool> next() override {
    if (position_ == plan_.runs.size()) return false;
    stand_on(position_++);
    if (!plan_.transcripts.empty()) {
      current_.payload =
          to_payload(run_state_or_taken(earlier(current_.id), path_of(current_.id),
                                        fmt::format("{}/{}.yaml", plan_.transcripts, current_.id)));
    } else if (!directory_.empty()) {
      current_.payload = to_payload(run_state(earlier(current_.id), path_of(current_.id)));
    }
    return true;
  }
  const Case& current() const override { return current_; }
  CasePlace place() const override { return {current_.index, {}}; }
  Status go_to(const CasePlace& place) override {
    for (position_ = 0; position_ < plan_.runs.size();) {
      if (auto moved = next(); !moved) return fail(std::move(moved.error()));
      if (current_.index == place.index) return {};
    }
    return fail(ErrorKind::internal, "there is no such run");
  }
  std::vector<Problem> take_problems() override { return std::exchange(problems_, {}); }
  std::int64_t lines() const override { return static_cast<std::int64_t>(position_) + plan_.unusable_tasks; }
  std::int64_t invalid() const override { return plan_.unusable_tasks; }
  std::string_view unit() const override { return "task files and runs"; }

 private:
  void stand_on(std::size_t position) {
    const PlannedRun& run = plan_.runs[position];
    current_ = {};
    current_.index = index_of(run.id, earlier(run.id).last + 1);
    current_.line = position + 1;
    current_.id = run.id;
    // Variations of one task are alike; where there is but one task, the runs of one variation are.
    current_.cluster = plan_.tasks[run.task].name;
    if (plan_.tasks.size() == 1) current_.cluster += fmt::format("/variation{}", run.variation);
    current_.part = position;
  }
  EarlierSittings earlier(const std::string& id) const {
    const auto found = earlier_.find(id);
    return found == earlier_.end() ? EarlierSittings() : found->second;
  }
  std::string path_of(const std::string& id) const { return fmt::format("{}/{}.yaml", directory_, id); }

  const BenchmarkPlan& plan_;
  const std::string& directory_;
  const std::map<std::string, EarlierSittings>& earlier_;
  std::vector<Problem> problems_;
  std::size_t position_ = 0;
  Case current_;
};

bool needs_judge(const BenchmarkPlan& plan) {
  return std::ranges::any_of(plan.tasks, [](const BenchmarkTask& task) {
    return task.task.scorer && task.task.scorer->name == ScorerName::rubric;
  });
}

std::optional<double> number_at(const Json& object, std::string_view key) {
  const Json* value = find_member(object, key);
  return value != nullptr ? as_number(*value) : std::nullopt;
}

RunFigures figures_of(const Case& input, const RunOutcome& outcome, bool expects_score, OutcomeKind ended) {
  RunFigures figures;
  figures.run = input.part;
  figures.cluster = input.cluster;
  figures.score = outcome.score;
  if (expects_score && !outcome.score) figures.missing = to_string(ended);
  figures.replaced = !outcome.changed.empty() && outcome.done == "ran";
  figures.kept = !outcome.changed.empty() && outcome.done != "ran";
  if (outcome.failed) {
    figures.completed = !*outcome.failed;
    figures.answered = outcome.answer_state == "found";
  }
  figures.answer = outcome.answer;
  figures.tool_calls = outcome.tool_calls;
  figures.nudges = outcome.nudges;
  figures.seconds = outcome.seconds;
  if (find_member(outcome.usage, "prompt_tokens") != nullptr) {
    figures.tokens = number_at(outcome.usage, "prompt_tokens").value_or(0) +
                     number_at(outcome.usage, "completion_tokens").value_or(0);
  }
  figures.cost = number_at(outcome.usage, "cost_usd");
  return figures;
}

NotableCase low_score(const PlannedRun& run, const Variation& variation, const RunOutcome& outcome) {
  NotableCase shown{run.id, fmt::format("score {:.3f}", *outcome.score), {{"file", run.id + ".yaml"}}};
  if (!outcome.scorer.empty()) shown.fields.emplace_back("scorer", outcome.scorer);
  if (variation.expected_output) shown.fields.emplace_back("expected", to_text(*variation.expected_output));
  if (outcome.answer) shown.fields.emplace_back("answer", to_text(*outcome.answer));
  if (!outcome.answer_error.empty()) shown.fields.emplace_back("no answer", outcome.answer_error);
  return shown;
}

}  // namespace

BenchmarkEvaluation::BenchmarkEvaluation(BenchmarkPlan plan, std::optional<RubricJudge> judge,
                                         std::map<std::string, std::string> prompts)
    : plan_(std::move(plan)), judge_(std::move(judge)), prompts_(std::move(prompts)) {
  score_names_.reserve(plan_.runs.size());
  for (const PlannedRun& run : plan_.runs) score_names_.push_back("score.mean." + plan_.contender(run));
}

Result<std::unique_ptr<CaseSource>> BenchmarkEvaluation::cases() const {
  return std::make_unique<PlannedRuns>(plan_, directory_, earlier_);
}

Task<Outcome> BenchmarkEvaluation::evaluate(const Case& input, CaseContext& context) const {
  return run_case(plan_, judge_ ? &*judge_ : nullptr, plan_.runs[input.part], run_state_of(input), context);
}

void BenchmarkEvaluation::recall(const std::string& id, const Outcome& outcome) {
  take_outcome(run_outcome_from(outcome.result), earlier_[id]);
}

Status BenchmarkEvaluation::prepare(const std::string& directory, const RunFacts& /*run*/) {
  directory_ = directory;
  return {};
}

void BenchmarkEvaluation::estimate(const Case& input, CallEstimate& estimate) const {
  const PlannedRun& run = plan_.runs[input.part];
  const BenchmarkTask& task = plan_.tasks[run.task];
  const RunState state = run_state_of(input);
  const Standing standing = standing_of(plan_, run, state);
  if (!standing.unreadable.empty() || !standing.unfinished.empty()) return;
  const bool skipped = standing.next.action == Resume::Action::skip;
  if (judge_ && task.task.scorer && task.task.scorer->name == ScorerName::rubric) {
    const Variation& variation = task.task.variations[run.variation];
    // A finished file without answer is no question; a verdict that is there is not asked for again.
    const bool known = skipped && (!standing.file.answer ||
                                   judge_->knows(state.verdicts, plan_.prompt_of(run), variation,
                                                 *standing.file.answer, task.task.scorer->criteria));
    if (!known) ++estimate.models[judge_->model()].calls;
  }
  if (skipped) return;
  if (run.system == System::promptql) {
    ++estimate.target_calls;
    return;
  }
  const auto left = uncalled(task.task.expected_tool_calls, standing.next.conversation);
  const auto rounds = static_cast<std::int64_t>(left.size()) + 1;
  std::int64_t prompt = estimate_tokens(plan_.prompt_of(run)) + estimate_tokens(plan_.system_prompt_of(run));
  for (const Entry& entry : standing.next.conversation)
    prompt +=
        estimate_tokens(entry.text) + (entry.call.result ? estimate_tokens(to_text(*entry.call.result)) : 0);
  auto& model = estimate.models[plan_.models[run.model].name];
  model.calls += rounds;
  model.prompt_tokens += rounds * prompt + kTokensPerRound * rounds * (rounds - 1) / 2;
  model.completion_tokens += rounds * kTokensPerRound;
}

std::vector<std::string> BenchmarkEvaluation::remarks() const {
  std::vector<std::string> remarks;
  for (const BenchmarkTask& task : plan_.tasks) {
    for (const ScorerChoice& choice : scorer_choices(task.task))
      remarks.push_back(sentence_of(choice, task.name, task.task.variations.size()));
  }
  if (directory_.empty()) return remarks;
  std::size_t finished = 0;
  std::size_t told = 0;
  PlannedRuns runs(plan_, directory_, earlier_);
  while (runs.next().value_or(false)) {
    const PlannedRun& run = plan_.runs[runs.current().part];
    const RunState state = run_state_of(runs.current());
    const Standing standing = standing_of(plan_, run, state);
    const std::string words = standing.unreadable.empty()
                                  ? change_words(plan_, run, standing, replaced_file(run, state))
                                  : standing.unreadable;
    if (standing.unreadable.empty() && standing.next.action == Resume::Action::skip) ++finished;
    if (words.empty() || ++told > kMostTold) continue;
    remarks.push_back(standing.unreadable.empty() ? fmt::format("{}.yaml: {}", run.id, words) : words);
  }
  if (told > kMostTold)
    remarks.push_back(fmt::format("{} more files of which there is something to tell", told - kMostTold));
  remarks.push_back(fmt::format("{} of {} files in {} are finished and are not asked again", finished,
                                plan_.runs.size(), directory_));
  return remarks;
}

std::vector<std::string> BenchmarkEvaluation::models() const {
  std::set<std::string> names;
  const bool tools =
      std::ranges::any_of(plan_.systems, [](System system) { return system != System::promptql; });
  if (tools && plan_.transcripts.empty()) {
    for (const BenchmarkModel& model : plan_.models) names.insert(model.name);
  }
  if (judge_) names.insert(judge_->model());
  return {names.begin(), names.end()};
}

std::vector<std::string> BenchmarkEvaluation::variables() const {
  std::set<std::string> names;
  for (const auto& tool : plan_.tools_used()) {
    for (std::string& name : variables_of(*tool)) names.insert(std::move(name));
  }
  const bool asked = std::ranges::find(plan_.systems, System::promptql) != plan_.systems.end();
  if (asked && plan_.transcripts.empty()) {
    for (const BenchmarkModel& model : plan_.models) {
      for (std::string& name : variables_of(promptql_query(plan_.promptql, model.spec, "")))
        names.insert(std::move(name));
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::pair<std::string, std::string>> BenchmarkEvaluation::not_found() const {
  std::vector<std::pair<std::string, std::string>> missing;
  for (const auto& tool : plan_.tools_used()) {
    for (auto& [key, words] : assay::not_found(*tool)) {
      const std::string entry = fmt::format("{}.{}", tool->entry, key);
      // The key says where in the config to look: of a task's own tool, at what brought it in.
      if (tool->file.empty()) {
        missing.emplace_back(entry, std::move(words));
      } else {
        missing.emplace_back("input_dir", fmt::format("{}: {}: {}", tool->file, entry, words));
      }
    }
  }
  for (const BenchmarkTask& task : plan_.tasks) {
    if (!task.task.scorer || task.task.scorer->name != ScorerName::command) continue;
    if (auto found = check_command(task.task.scorer->command, ""); !found)
      missing.emplace_back("input_dir",
                           fmt::format("{}: scorer.command: {}", task.file, found.error().text()));
  }
  return missing;
}

std::vector<std::string> BenchmarkEvaluation::columns() const {
  return {"input",
          "system",
          "model",
          "variation",
          "run",
          "score",
          "outcome",
          "answer",
          "tool_calls",
          "turns",
          "nudges",
          "prompt_tokens",
          "completion_tokens",
          "cost_usd",
          "seconds",
          "error"};
}

void BenchmarkEvaluation::line(const Case& input, const FinishedCase* finished, ResultLine& line) const {
  if (finished == nullptr) return;  // does not come: everything is asked outside
  const PlannedRun& run = plan_.runs[input.part];
  const std::string& task = plan_.tasks[run.task].name;
  const std::string& model = plan_.models[run.model].name;
  const RunOutcome outcome = run_outcome_from(finished->outcome.result);
  const TaskFile& file = plan_.tasks[run.task].task;
  const bool expects_score = file.scorer_for(file.variations[run.variation]).has_value();
  const RunFigures& figures = line.facts<RunLineFacts>().figures =
      figures_of(input, outcome, expects_score, line.outcome());

  line.text("file", run.id + ".yaml");
  line.text("input", task);
  line.text("system", to_string(run.system));
  line.text("model", model);
  line.number("variation", static_cast<double>(run.variation));
  line.number("run", run.run);
  // The rest as the outcome has it.
  const JsonObject fields = to_json(outcome);
  for (const std::string_view key : {"answer", "answer_state", "answer_error", "scorer", "details", "notes",
                                     "tool_calls", "turns", "nudges", "done", "changed", "seconds"}) {
    if (const Json* value = fields.if_contains(key)) line.json(key, *value);
  }
  const Score scores[] = {{"score.mean", outcome.score}, {score_names_[input.part], outcome.score}};
  line.scores(scores);
  // What a judge of the answer saw beside it: whoever checks the judge needs it too.
  const Variation& variation = file.variations[run.variation];
  if (judge_ && variation.expected_output) line.json("expected", *variation.expected_output);
  if (!outcome.usage.is_null()) line.usage(outcome.usage);

  const auto cell = [](const auto& value) {
    return value ? number_text(static_cast<double>(*value)) : std::string();
  };
  line.row(std::vector<std::string>{
      task, std::string(to_string(run.system)), model, std::to_string(run.variation), std::to_string(run.run),
      cell(outcome.score), std::string(to_string(line.outcome())), outcome.answer_state,
      cell(outcome.tool_calls), cell(outcome.turns), cell(outcome.nudges),
      cell(number_at(outcome.usage, "prompt_tokens")), cell(number_at(outcome.usage, "completion_tokens")),
      cell(figures.cost), cell(outcome.seconds), line.error()});

  if (!line.error().empty()) {
    line.notable(-1, [&] {
      return NotableCase{run.id,
                         std::string(to_string(line.outcome())),
                         {{"file", run.id + ".yaml"}, {"error", line.error()}}};
    });
  } else if (outcome.score && *outcome.score < 1) {
    line.notable(*outcome.score, [&] { return low_score(run, variation, outcome); });
  }
}

Json BenchmarkEvaluation::material(const Case& input, const FinishedCase* /*finished*/) const {
  return run_material(plan_, plan_.runs[input.part], run_state_of(input));
}

std::unique_ptr<Aggregate> BenchmarkEvaluation::aggregate(OutputFiles& files, const RunFacts& /*run*/) const {
  return make_aggregate(plan_, files);
}

std::vector<std::string> BenchmarkEvaluation::metric_names() const {
  std::vector<std::string> names = figure_names();
  add_names(human_, names);
  return names;
}

std::unique_ptr<stress::Stressing> BenchmarkEvaluation::stressing() const {
  if (!judge_) return nullptr;
  const auto rated_answer = [this](const Case& input) -> std::optional<JudgedAnswer> {
    const PlannedRun& run = plan_.runs[input.part];
    const TaskFile& task = plan_.tasks[run.task].task;
    const Standing standing = standing_of(plan_, run, run_state_of(input));
    const bool rated = task.scorer && task.scorer->name == ScorerName::rubric;
    const bool ended = standing.unreadable.empty() && standing.unfinished.empty();
    if (!rated || !ended || !standing.file.answer) return std::nullopt;
    return JudgedAnswer{run.task, run.variation, run.system, *standing.file.answer};
  };
  return judge_stressing(plan_, rated_answer,
                         plan_.transcripts.empty() ? "the systems would be asked for their answers" : "",
                         moved_);
}

std::string BenchmarkEvaluation::unchecked() const {
  return !human_.empty() || !judge_ ? "" : not_checked("score.mean");
}

std::vector<std::string> figure_names() {
  return {"score.mean",    "score.mean.",    "answered",    "answered.",       "completed",  "completed.",
          "repeatability", "repeatability.", "nudges.mean", "tool_calls.mean", "difference."};
}

std::vector<MeanFigure> BenchmarkEvaluation::mean_figures() const {
  return {{"score.mean", {0, 1}}};
}

std::unique_ptr<Evaluation> make_benchmark(const Config& config, std::vector<ConfigProblem>& problems) {
  BenchmarkPlan plan = make_plan(config, problems);
  PromptLibrary prompts;
  prompts.replace(config, problems);
  std::optional<RubricJudge> judge;
  std::map<std::string, std::string> prints;
  if (needs_judge(plan)) {
    if (config.has("judge.model")) {
      const JudgeSettings settings = read_judge(config, "judge");
      // A name that is nobody's is told where all models are looked up.
      judge.emplace(settings, declared_model(config, settings.model).value_or(ModelSpec()), prompts,
                    problems);
      prints = prompts.fingerprints("benchmark/");
    } else {
      problems.push_back({"config", "judge", "is missing, and a task has the scorer `rubric`"});
    }
  }
  add_scorer_prints(plan, prints, problems);
  if (!problems.empty()) {
    // Those of the tasks are told in the same breath.
    for (const Problem& problem : plan.problems) {
      if (problem.severity == "error") problems.push_back({problem.where, "", problem.text});
    }
    return nullptr;
  }
  if (config.has("answers")) {
    if (judge)
      return make_judged_answers(std::move(plan), std::move(*judge), std::move(prints), config, problems);
    problems.push_back({"config", "answers", "no task has the scorer `rubric`, so no judge rates an answer"});
    return nullptr;
  }
  auto evaluation =
      std::make_unique<BenchmarkEvaluation>(std::move(plan), std::move(judge), std::move(prints));
  evaluation->moved_beyond(stress::moved_part(config));
  evaluation->check_against(HumanCheck::from(config, evaluation->mean_figures(), problems));
  return problems.empty() ? std::move(evaluation) : nullptr;
}

}  // namespace assay::benchmark
