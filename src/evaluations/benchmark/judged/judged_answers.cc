#include "evaluations/benchmark/judged/judged_answers.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/benchmark/judged/judge_stress.h"
#include "evaluations/data/data_file.h"
#include "evaluations/human_check.h"
#include "evaluations/jsonl_cases.h"
#include "evaluations/judges/score_means.h"
#include "evaluations/stress/stressed.h"
#include "models/tokens.h"
#include "report/csv.h"
#include "stats/intervals/mean.h"

namespace assay::benchmark {
namespace {

constexpr const char* kScore = "score.mean";
constexpr std::int64_t kTokensPerCriterion = 60;

void complain(std::vector<std::string>& problems, std::string_view field, const Json* found,
              const std::string& expected) {
  problems.push_back(fmt::format("field {}: found {}, expected {}", field,
                                 found == nullptr ? std::string("nothing") : excerpt(*found), expected));
}

void read_task_name(const Json& line, const BenchmarkPlan& plan, JudgedAnswer& answer,
                    std::vector<std::string>& problems) {
  std::vector<std::string> known;
  known.reserve(plan.tasks.size());
  for (const BenchmarkTask& task : plan.tasks) known.push_back(task.name);
  const auto found = std::ranges::find(known, text_at(line, "task"));
  if (found == known.end()) {
    const auto guess = nearest(text_at(line, "task"), known);
    return complain(
        problems, "task", find_member(line, "task"),
        fmt::format("a task of {}{}", plan.input_dir,
                    guess ? fmt::format("; did you mean {}?", *guess) : ": " + join(known, ", ")));
  }
  answer.task = static_cast<std::size_t>(found - known.begin());
}

void read_variation(const Json& line, const TaskFile& task, JudgedAnswer& answer,
                    std::vector<std::string>& problems) {
  const Json* given = find_member(line, "variation");
  const std::size_t count = task.variations.size();
  if (given == nullptr || given->is_null()) {
    if (count > 1) complain(problems, "variation", nullptr, fmt::format("a number from 0 to {}", count - 1));
    return;
  }
  const auto number = as_integer(*given);
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < count) {
    answer.variation = static_cast<std::size_t>(*number);
    return;
  }
  const auto named = std::ranges::find(task.variations, text_or_json(*given), &Variation::name);
  if (named == task.variations.end())
    return complain(problems, "variation", given,
                    fmt::format("the name of a variation, or a number from 0 to {}", count - 1));
  answer.variation = static_cast<std::size_t>(named - task.variations.begin());
}

bool is_rated(const TaskFile& task, const Variation& variation) {
  const auto scorer = task.scorer_for(variation);
  return scorer && scorer->name == ScorerName::rubric;
}

class JudgedAnswers final : public Evaluation {
 public:
  JudgedAnswers(BenchmarkPlan plan, RubricJudge judge, std::map<std::string, std::string> prompts,
                std::string file, std::vector<HumanCheck> human, double moved)
      : plan_(std::move(plan)),
        judge_(std::move(judge)),
        prompts_(std::move(prompts)),
        human_(std::move(human)),
        moved_(moved) {
    lines_.data.path = std::move(file);
    lines_.wanted.others = WantedField{ValueKind::tree, true};
    lines_.check = [this](const Json& line) {
      std::vector<std::string> problems;
      (void)read_judged_answer(line, plan_, problems);
      return problems;
    };
    lines_.id = [](const Json& line) { return text_of_id(line, "id"); };
    // As the runs of a benchmark are: variations of one task are alike.
    lines_.cluster = [this](const Json& line) {
      const JudgedAnswer answer = read(line);
      return plan_.tasks.size() > 1 ? plan_.tasks[answer.task].name
                                    : fmt::format("variation{}", answer.variation);
    };
  }

  Result<std::unique_ptr<CaseSource>> cases() const override { return open_trees(lines_); }
  std::string data_path() const override { return lines_.data.path; }
  bool asks_outside() const override { return true; }
  std::vector<std::string> models() const override { return {judge_.model()}; }

  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    const JudgedAnswer answer = read(*CaseTree(input));
    const TaskFile& task = plan_.tasks[answer.task].task;
    const Scorer scorer = *task.scorer_for(task.variations[answer.variation]);
    auto score = co_await score_answer(context, &judge_,
                                       {.scorer = scorer,
                                        .prompt = plan_.prompt_of(answer.run()),
                                        .variation = task.variations[answer.variation],
                                        .answer = answer.answer,
                                        .program_steps = ""});
    if (!score) {
      if (winds_down(score.error().kind)) co_return failed_outcome(score.error());
      co_return Outcome{OutcomeKind::judge_failed, {}, score.error().text()};
    }
    Outcome outcome;
    outcome.result["score"] = (*score)->value;
    outcome.result["details"] = std::move((*score)->details);
    co_return outcome;
  }

  void estimate(const Case& input, CallEstimate& estimate) const override {
    const JudgedAnswer answer = read(*CaseTree(input));
    const TaskFile& task = plan_.tasks[answer.task].task;
    const auto criteria = task.scorer->criteria.size();
    auto& model = estimate.models[judge_.model()];
    ++model.calls;
    model.prompt_tokens +=
        judge_.prompt_tokens(plan_.prompt_of(answer.run()), task.variations[answer.variation], answer.answer,
                             task.scorer->criteria);
    model.completion_tokens += kTokensPerCriterion * static_cast<std::int64_t>(criteria);
  }

  void line(const Case& input, const FinishedCase* finished, ResultLine& line) const override {
    const JudgedAnswer answer = read(*CaseTree(input));
    const JsonObject nothing;
    const JsonObject& result = finished == nullptr ? nothing : finished->outcome.result;
    const Json* score = result.if_contains("score");
    const auto value = score == nullptr ? std::nullopt : as_number(*score);
    const BenchmarkTask& task = plan_.tasks[answer.task];
    line.text("input", task.name);
    line.text("system", to_string(answer.system));
    line.number("variation", static_cast<double>(answer.variation));
    line.json("answer", answer.answer);
    if (const Json* details = result.if_contains("details")) line.json("details", *details);
    if (const auto& expected = task.task.variations[answer.variation].expected_output)
      line.json("expected", *expected);
    const Score scores[] = {{kScore, value}};
    line.scores(scores);
    line.row({input.id, task.name, std::string(to_string(answer.system)), std::to_string(answer.variation),
              value ? number_text(*value) : "", line.error()});
    if (value && *value < 1) {
      line.notable(*value, [&] {
        return NotableCase{
            input.id, fmt::format("score {:.3f}", *value), {{"answer", text_or_json(answer.answer)}}};
      });
    }
  }
  JsonObject as_judged(const Case& input, std::string_view /*part*/) const override {
    const JudgedAnswer answer = read(*CaseTree(input));
    const TaskFile& task = plan_.tasks[answer.task].task;
    JsonObject seen{{"task", plan_.prompt_of(answer.run())}};
    if (const auto& expected = task.variations[answer.variation].expected_output)
      seen["expected"] = *expected;
    seen["answer"] = answer.answer;
    seen["criteria"] = JsonArray(task.scorer->criteria.begin(), task.scorer->criteria.end());
    return seen;
  }
  std::vector<std::string> columns() const override {
    return {"id", "input", "system", "variation", "score", "error"};
  }
  std::unique_ptr<Aggregate> aggregate(OutputFiles& /*files*/, const RunFacts& /*run*/) const override {
    return score_means(mean_figures());
  }
  std::vector<std::string> metric_names() const override {
    std::vector<std::string> names{kScore};
    add_names(human_, names);
    return names;
  }
  std::vector<MeanFigure> mean_figures() const override { return {{kScore, {0, 1}}}; }
  std::map<std::string, std::string> prompts() const override { return prompts_; }
  std::span<const HumanCheck> human() const override { return human_; }
  std::string unchecked() const override { return !human_.empty() ? "" : not_checked(kScore); }
  std::unique_ptr<stress::Stressing> stressing() const override {
    return judge_stressing(
        plan_, [this](const Case& input) { return std::optional(read(*CaseTree(input))); }, "", moved_);
  }

 private:
  // Of a line without problems.
  JudgedAnswer read(const Json& line) const {
    std::vector<std::string> none;
    return read_judged_answer(line, plan_, none);
  }

  BenchmarkPlan plan_;
  RubricJudge judge_;
  std::map<std::string, std::string> prompts_;
  std::vector<HumanCheck> human_;
  double moved_;
  TreeLines lines_;
};

}  // namespace

JudgedAnswer read_judged_answer(const Json& line, const BenchmarkPlan& plan,
                                std::vector<std::string>& problems) {
  JudgedAnswer answer;
  answer.system = plan.systems.front();
  const std::size_t before = problems.size();
  read_task_name(line, plan, answer, problems);
  if (problems.size() > before) return answer;
  const BenchmarkTask& task = plan.tasks[answer.task];
  read_variation(line, task.task, answer, problems);
  if (problems.size() == before && !is_rated(task.task, task.task.variations[answer.variation])) {
    problems.push_back(fmt::format(
        "field task: found \"{}\", whose answers no judge rates; expected a task with the scorer rubric",
        task.name));
  }
  if (const Json* system = find_member(line, "system"); system != nullptr && !system->is_null()) {
    const auto named = std::ranges::find_if(
        plan.systems, [&](System one) { return to_string(one) == text_at(line, "system"); });
    if (named == plan.systems.end()) {
      complain(problems, "system", system, "a system of the config");
    } else {
      answer.system = *named;
    }
  }
  if (const Json* given = find_member(line, "answer")) {
    answer.answer = *given;
  } else {
    complain(problems, "answer", nullptr, "the answer that is judged");
  }
  return answer;
}

JsonObject to_line(const JudgedAnswer& answer, const BenchmarkPlan& plan, const std::string& id) {
  return {{"id", id},
          {"task", plan.tasks[answer.task].name},
          {"variation", answer.variation},
          {"system", to_string(answer.system)},
          {"answer", answer.answer}};
}

std::unique_ptr<Evaluation> make_judged_answers(BenchmarkPlan plan, RubricJudge judge,
                                                std::map<std::string, std::string> prompts,
                                                const Config& config, std::vector<ConfigProblem>& problems) {
  auto human = HumanCheck::from(config, {{kScore, {0, 1}}}, problems);
  if (!problems.empty()) return nullptr;
  return std::make_unique<JudgedAnswers>(std::move(plan), std::move(judge), std::move(prompts),
                                         config.text("answers"), std::move(human),
                                         stress::moved_part(config));
}

}  // namespace assay::benchmark
