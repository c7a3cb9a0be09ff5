#include "evaluations/benchmark/collector.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "evaluations/benchmark/contest.h"
#include "evaluations/benchmark/run_case.h"
#include "evaluations/benchmark/transcripts.h"
#include "evaluations/figures.h"
#include "evaluations/legacy_line.h"
#include "report/csv.h"
#include "stats/intervals/mean.h"

namespace assay::benchmark {
namespace {

using namespace figures;

constexpr std::size_t kShownCases = 30;

double number_at(const Json& object, std::string_view key) {
  const Json* value = find_member(object, key);
  return value != nullptr ? as_number(*value).value_or(0) : 0;
}

class BenchmarkCollector final : public Collector {
 public:
  BenchmarkCollector(const BenchmarkPlan& plan, OutputFiles& files)
      : plan_(plan), files_(files), page_(files), contest_(plan) {
    for (const PlannedRun& run : plan.runs) {
      const std::string contender = plan.contender(run);
      names_.emplace(contender, "score.mean." + contender);
    }
    write_row({"input", "system", "model", "variation", "run", "score", "outcome", "answer", "tool_calls",
               "turns", "nudges", "prompt_tokens", "completion_tokens", "cost_usd", "seconds", "error"});
  }

  Scores add(const Case& input, const FinishedCase* finished) override {
    if (finished == nullptr) return {};
    const PlannedRun& run = plan_.runs[input.part];
    if (!page_runs_.empty() && !same_page(plan_.runs[page_runs_.back()], run)) flush_page();
    page_runs_.push_back(input.part);
    outcomes_.emplace_back(to_string(finished->outcome.kind));
    const Json result(finished->outcome.result);
    ++(finished->outcome.kind == OutcomeKind::scored ? evaluated_ : errored_);

    RunFigures figures;
    figures.run = input.part;
    figures.cluster = input.cluster;
    figures.score = number(result, "score");
    const Json* failed = find_member(result, "failed");
    if (failed != nullptr) {
      figures.completed = failed->is_bool() && !failed->get_bool();
      figures.answered = text_at(result, "answer_state") == "found";
    }
    if (const Json* answer = find_member(result, "answer")) figures.answer = *answer;
    figures.tool_calls = number(result, "tool_calls");
    figures.nudges = number(result, "nudges");
    figures.seconds = number(result, "seconds");
    if (const Json* usage = find_member(result, "usage")) {
      if (find_member(*usage, "prompt_tokens") != nullptr)
        figures.tokens = number_at(*usage, "prompt_tokens") + number_at(*usage, "completion_tokens");
      figures.cost = number(*usage, "cost_usd");
    }
    write_line(input, run, *finished, result, figures);
    note_case(run, *finished, figures);
    contest_.add(std::move(figures));
    return line_.scores();
  }

  void finish(Summary& summary, std::vector<NotableCase>& notable) override {
    flush_page();
    page_.finish();
    summary.cases.evaluated = evaluated_;
    summary.cases.errored = errored_;
    contest_.finish(summary);
    notable = std::move(failed_);
    std::ranges::sort(low_, {}, &Low::score);
    if (low_.size() > kShownCases) low_.resize(kShownCases);
    for (Low& low : low_) notable.push_back(std::move(low.shown));
  }

  void write_figures(const Summary& summary) override { files_.write("aggregate.csv", summary_csv(summary)); }

 private:
  struct Low {
    double score;
    NotableCase shown;
  };

  static std::optional<double> number(const Json& object, std::string_view key) {
    const Json* value = find_member(object, key);
    return value != nullptr ? as_number(*value) : std::nullopt;
  }

  static bool same_page(const PlannedRun& a, const PlannedRun& b) {
    return a.task == b.task && a.variation == b.variation && a.run == b.run;
  }

  void write_line(const Case& input, const PlannedRun& run, const FinishedCase& finished, const Json& result,
                  const RunFigures& figures) {
    const OutcomeKind kind = finished.outcome.kind;
    line_.begin(input, kind);
    line_.text("file", run.id + ".yaml");
    line_.text("input", plan_.tasks[run.task].name);
    line_.text("system", to_string(run.system));
    line_.text("model", plan_.models[run.model].name);
    line_.number("variation", static_cast<double>(run.variation));
    line_.number("run", run.run);
    for (const std::string_view key : {"answer", "answer_state", "answer_error", "details", "notes",
                                       "tool_calls", "turns", "nudges", "done", "seconds"}) {
      if (const Json* value = find_member(result, key)) line_.json(key, *value);
    }
    const assay::Score scores[] = {{"score.mean", figures.score},
                                   {names_.at(plan_.contender(run)), figures.score}};
    line_.scores(scores);
    if (!finished.outcome.error.empty()) line_.text("error", finished.outcome.error);
    const Json* usage = find_member(result, "usage");
    line_.json("usage", usage != nullptr ? *usage : finished.usage);
    line_.number("latency_ms", finished.latency_ms);
    files_.write("results.jsonl", line_.end());

    const auto cell = [](const std::optional<double>& value) { return value ? number_text(*value) : ""; };
    write_row({plan_.tasks[run.task].name, std::string(to_string(run.system)), plan_.models[run.model].name,
               std::to_string(run.variation), std::to_string(run.run), cell(figures.score),
               std::string(to_string(kind)), text_at(result, "answer_state"), cell(figures.tool_calls),
               cell(number(result, "turns")), cell(figures.nudges),
               usage != nullptr ? cell(number(*usage, "prompt_tokens")) : "",
               usage != nullptr ? cell(number(*usage, "completion_tokens")) : "", cell(figures.cost),
               cell(figures.seconds), finished.outcome.error});
  }

  void note_case(const PlannedRun& run, const FinishedCase& finished, const RunFigures& figures) {
    if (!finished.outcome.error.empty()) {
      if (failed_.size() < kShownCases)
        failed_.push_back({run.id,
                           std::string(to_string(finished.outcome.kind)),
                           {{"file", run.id + ".yaml"}, {"error", finished.outcome.error}}});
      return;
    }
    if (!figures.score || *figures.score >= 1) return;
    NotableCase shown{run.id, fmt::format("score {:.3f}", *figures.score), {{"file", run.id + ".yaml"}}};
    const Variation& variation = plan_.tasks[run.task].task.variations[run.variation];
    if (variation.expected_output) shown.fields.emplace_back("expected", to_text(*variation.expected_output));
    if (figures.answer) shown.fields.emplace_back("answer", to_text(*figures.answer));
    const std::string error = text_at(Json(finished.outcome.result), "answer_error");
    if (!error.empty()) shown.fields.emplace_back("no answer", error);
    low_.push_back({*figures.score, std::move(shown)});
    if (low_.size() < 4 * kShownCases) return;
    std::ranges::nth_element(low_, low_.begin() + kShownCases, {}, &Low::score);
    low_.resize(kShownCases);
  }

  // The runs that are shown side by side are those of one variation and repeat.
  void flush_page() {
    if (page_runs_.empty()) return;
    std::vector<Transcript> sides;
    for (std::size_t i = 0; i < page_runs_.size(); ++i) {
      const PlannedRun& run = plan_.runs[page_runs_[i]];
      Transcript transcript{plan_.contender(run), run.id + ".yaml", std::nullopt, outcomes_[i]};
      auto text = read_file(files_.directory() + "/" + transcript.file);
      auto file = text ? read_run_file(*text, form_of(run.system)) : fail(text.error());
      if (file) transcript.run = std::move(*file);
      sides.push_back(std::move(transcript));
    }
    const PlannedRun& first = plan_.runs[page_runs_.front()];
    const Variation& variation = plan_.tasks[first.task].task.variations[first.variation];
    std::string title = fmt::format("{}, variation {}", plan_.tasks[first.task].name, first.variation);
    if (!variation.name.empty()) title += fmt::format(" ({})", variation.name);
    if (plan_.repeat > 1) title += fmt::format(", run {}", first.run);
    page_.add(title, variation.expected_output ? &*variation.expected_output : nullptr, sides);
    page_runs_.clear();
    outcomes_.clear();
  }

  void write_row(const std::vector<std::string>& cells) {
    row_.clear();
    append_csv_row(row_, cells);
    files_.write("results.csv", row_);
  }

  const BenchmarkPlan& plan_;
  OutputFiles& files_;
  TranscriptPage page_;
  Contest contest_;
  std::map<std::string, std::string> names_;  // of the contenders' figures
  std::vector<std::size_t> page_runs_;
  std::vector<std::string> outcomes_;  // of page_runs_
  std::int64_t evaluated_ = 0;
  std::int64_t errored_ = 0;
  LegacyLine line_;
  std::string row_;
  std::vector<NotableCase> failed_;
  std::vector<Low> low_;
};

}  // namespace

std::unique_ptr<Collector> make_collector(const BenchmarkPlan& plan, OutputFiles& files) {
  return std::make_unique<BenchmarkCollector>(plan, files);
}

}  // namespace assay::benchmark
