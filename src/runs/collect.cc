#include "runs/collect.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/time.h"
#include "core/version.h"
#include "core/visible.h"
#include "engine/case_feed.h"
#include "engine/runner.h"
#include "evaluations/case_spread.h"
#include "evaluations/clustered_figures.h"
#include "evaluations/common_keys.h"
#include "evaluations/output_files.h"
#include "evaluations/worst_cases.h"
#include "report/conclusions.h"
#include "report/csv.h"
#include "report/hangs_on_missing.h"
#include "report/notable.h"
#include "report/pages/html.h"
#include "report/plots/summary_plots.h"
#include "runs/about.h"
#include "runs/outcome_cursor.h"

namespace assay {
namespace {

constexpr std::size_t kPage = 512;  // outcomes that are in memory at a time
constexpr std::int64_t kSomeCases = 32;

// What follows from the scores of all cases: intervals that honour clusters, and people's labels beside them.
class ScoreFigures {
 public:
  explicit ScoreFigures(const Evaluation& evaluation) : means_(evaluation.mean_figures()) {
    if (const HumanCheck* human = evaluation.human()) human_ = *human;
  }
  void add(const Case& input, Scores scores) {
    for (const Score& score : scores) {
      if (!score.value) continue;
      if (!input.cluster.empty()) clustered_.add(input.cluster, score.figure, *score.value);
      if (human_) human_->add(input.id, input.cluster, score.figure, *score.value);
    }
  }
  void apply(Summary& summary) const {
    clustered_.apply(summary, means_);
    if (human_) human_->apply(summary);
  }

 private:
  std::vector<MeanFigure> means_;
  ClusteredFigures clustered_;
  std::optional<HumanCheck> human_;
};

std::string problem_line(const Problem& problem) {
  // One line each: an id or a reply must not look like a problem of its own.
  return fmt::format("{}: {}{}{}\n", problem.severity, visible(problem.where),
                     problem.where.empty() ? "" : ": ", visible(problem.text));
}

// With what the spec alone does not say: where it stands among the others, and whether it wants the whole
// width.
Json placed_spec(const Plot& plot, std::size_t place) {
  Json spec = plot.spec;
  if (JsonObject* object = spec.if_object())
    (*object)["usermeta"] = JsonObject{{"place", place}, {"wide", plot.wide}};
  return spec;
}

UsageTotals usage_of(const std::optional<RunTotals>& totals) {
  UsageTotals usage;
  if (!totals) {
    usage.cost_usd = 0;
    return usage;
  }
  usage.requests = totals->requests;
  usage.prompt_tokens = totals->prompt_tokens;
  usage.completion_tokens = totals->completion_tokens;
  usage.cached_tokens = totals->cached_tokens;
  usage.reasoning_tokens = totals->reasoning_tokens;
  usage.cached = totals->reused;
  usage.retries = totals->retries;
  usage.repairs = totals->repairs;
  if (totals->cost_known) usage.cost_usd = static_cast<double>(totals->cost_picousd) / 1e12;
  return usage;
}

// Writes what every evaluation has, counts cases, keeps the worst: all that is made of lines and not of one
// evaluation's own.
class Lines {
 public:
  Lines(const Evaluation& evaluation, OutputFiles& files, const RunFacts& run)
      : evaluation_(evaluation),
        files_(files),
        results_(files.open("results.jsonl")),
        aggregate_(evaluation.aggregate(files, run)) {
    const std::vector<std::string> columns = evaluation.columns();
    if (columns.empty()) return;
    std::string head;
    append_csv_row(head, columns);
    files_.write("results.csv", head);
    rows_ = files_.open("results.csv");
  }

  Scores add(const Case& input, const FinishedCase* finished) {
    line_.begin(finished, worst_.threshold());
    evaluation_.line(input, finished, line_);
    if (line_.scored()) {
      ++evaluated_;
    } else {
      ++missing_[std::string(to_string(line_.outcome()))];
    }
    if (results_ != nullptr) results_->write(line_.whole(input, finished));
    if (rows_ != nullptr && !line_.rows().empty()) rows_->write(line_.rows());
    if (!line_.generated().empty()) {
      files_.write("generated.jsonl", line_.generated());
      files_.write("generated.jsonl", "\n");
    }
    for (auto& [goodness, shown] : line_.notable()) worst_.add(goodness, std::move(shown));
    aggregate_->add(input, line_);
    return line_.scores();
  }

  // Of the case that was added last; "" if it was scored.
  const std::string& error() const { return line_.error(); }

  void finish(Summary& summary, std::vector<NotableCase>& notable) {
    summary.cases.evaluated = evaluated_;
    for (const auto& [outcome, count] : missing_) summary.cases.errored += count;
    aggregate_->finish(missing_, summary);
    notable = worst_.take();
  }

  void conclude(Summary& summary, std::span<const Gate> gates) const {
    aggregate_->conclude(summary);
    std::ranges::move(missing_conclusions(gates, summary), std::back_inserter(summary.conclusions));
    assay::conclude(summary);
  }

  void write_figures(const Summary& summary, const std::vector<NotableCase>& notable) {
    files_.write("aggregate.csv", summary_csv(summary));
    aggregate_->write_figures(summary, notable);
  }

 private:
  const Evaluation& evaluation_;
  OutputFiles& files_;
  AtomicFile* results_;
  AtomicFile* rows_ = nullptr;
  std::unique_ptr<Aggregate> aggregate_;
  ResultLine line_;
  WorstCases worst_;
  std::int64_t evaluated_ = 0;
  MissingCases missing_;
};

// A mean, and each part of it ("likert.mean.work" of "likert.mean"), is drawn on the scale of the cases'
// scores.
void set_ranges(const std::vector<MeanFigure>& means, Summary& summary) {
  const auto usual = [](const Interval& range) { return range.low == 0 && range.high == 1; };
  for (Metric& metric : summary.metrics) {
    if (metric.range || metric.form != Metric::Form::number) continue;
    for (const MeanFigure& mean : means) {
      const bool part = metric.name.starts_with(mean.name) &&
                        (metric.name.size() == mean.name.size() || metric.name[mean.name.size()] == '.');
      if (part && !usual(mean.range)) metric.range = mean.range;
    }
  }
}

// What every run has, around what the evaluation drew itself.
void collect_plots(Summary& summary, const CaseSpread& spread) {
  std::vector<Plot> plots = summary_plots(summary);
  std::ranges::move(summary.plots, std::back_inserter(plots));
  summary.plots = std::move(plots);
  spread.add_plots(summary);
  give_own_names(summary.plots);
}

}  // namespace

void ProblemList::add(Problem problem) {
  ++count;
  if (problem.severity == "error") ++errors;
  if (first.size() < kKept) first.push_back(std::move(problem));
}

Task<Status> hear_outcomes(const Evaluation& evaluation, RunStore& store,
                           std::function<void(const Case& input, const Outcome& outcome)> hear) {
  OutcomeCursor outcomes(store);
  CaseFeed feed(evaluation);
  for (;;) {
    auto next = co_await feed.next();
    if (!next) co_return fail(std::move(next.error()));
    if (!*next) co_return Status();
    auto finished = co_await outcomes.at((*next)->index);
    if (!finished) co_return fail(std::move(finished.error()));
    if (*finished) hear(**next, (*finished)->outcome);
  }
}

Task<Status> recall_outcomes(Evaluation& evaluation, RunStore& store) {
  for (std::int64_t first = 0;;) {
    auto page = co_await store.outcomes(first, kPage);
    if (!page) co_return fail(std::move(page.error()));
    for (const OutcomeRow& row : *page) evaluation.recall(row.case_id, read_finished(row).outcome);
    if (page->size() < kPage) co_return Status();
    first = page->back().case_index + 1;
  }
}

Task<Status> look_at_earlier(Evaluation& evaluation, std::string directory) {
  if (!evaluation.goes_on() || !directory_exists(directory)) co_return Status();
  if (RunStore::holds_run(directory)) {
    auto store = RunStore::open(directory, nullptr);
    if (!store) co_return fail(std::move(store.error()));
    if (auto recalled = co_await recall_outcomes(evaluation, **store); !recalled) co_return recalled;
  }
  co_return evaluation.prepare(directory, {});
}

std::optional<double> Scan::calls_a_case() const {
  if (estimated == 0) return std::nullopt;
  std::int64_t calls = estimate.target_calls;
  for (const auto& [model, asked] : estimate.models) calls += asked.calls;
  return static_cast<double>(calls) / static_cast<double>(estimated);
}

Result<Scan> scan_data(const Evaluation& evaluation, Estimating estimating) {
  auto source = evaluation.chosen_cases();
  if (!source) return fail(std::move(source.error()));
  Scan scan;
  for (;;) {
    auto more = (*source)->next();
    for (Problem& problem : (*source)->take_problems()) scan.problems.add(std::move(problem));
    if (!more) return fail(std::move(more.error()));
    if (!*more) break;
    ++scan.cases;
    if (estimating == Estimating::some && scan.estimated == kSomeCases) continue;
    evaluation.estimate((*source)->current(), scan.estimate);
    ++scan.estimated;
  }
  scan.unit = (*source)->unit();
  scan.lines = (*source)->lines();
  scan.invalid = (*source)->invalid();
  if (estimating == Estimating::all) scan.left_out = (*source)->left_out();
  return scan;
}

Task<Result<Collected>> collect_run(const CollectRequest& request, ProblemList& problems) {
  auto source = request.evaluation.chosen_cases();
  if (!source) co_return fail(std::move(source.error()));
  std::optional<OutcomeCursor> outcomes;
  if (request.store != nullptr) outcomes.emplace(*request.store);
  OutputFiles files(request.directory);
  ReportInput report;
  const auto note = [&](Problem problem) {
    files.write("problems.log", problem_line(problem));
    problems.add(std::move(problem));
  };
  files.write("problems.log", "");
  for (const Problem& warning : request.warnings) note(warning);
  {
    const RunFacts facts{request.header.run_id, request.header.started};
    Lines lines(request.evaluation, files, facts);
    ScoreFigures figures(request.evaluation);
    CaseSpread spread(request.evaluation.mean_figures());
    const auto score = [&](const Case& input, const FinishedCase* finished) {
      const Scores scores = lines.add(input, finished);
      // The line's, which may say that the target failed although everything that was asked was answered.
      if (!lines.error().empty()) note({"error", fmt::format("case {}", input.id), lines.error()});
      figures.add(input, scores);
      spread.add_scores(scores);
      if (finished != nullptr) spread.add_finished(*finished);
    };
    ResultLine skipped;
    skipped.begin(nullptr);
    skipped.failed(OutcomeKind::skipped, "");
    std::int64_t taken = 0;
    for (;;) {
      auto more = (*source)->next();
      for (Problem& problem : (*source)->take_problems()) note(std::move(problem));
      if (!more) co_return fail(std::move(more.error()));
      if (!*more) break;
      const Case& current = (*source)->current();
      if (!outcomes) {
        score(current, nullptr);
        continue;
      }
      auto finished = co_await outcomes->at(current.index);
      if (!finished) co_return fail(std::move(finished.error()));
      if (*finished) ++taken;
      if (!*finished && request.not_taken == NotTaken::skipped) {
        ++report.summary.cases.skipped;
        files.write("results.jsonl", skipped.whole(current, nullptr));
        continue;
      }
      if (!*finished) {
        *finished = FinishedCase{{OutcomeKind::limit_hit, {}, request.not_evaluated}, JsonObject{}, 0};
      }
      if (const Json* warnings = (*finished)->outcome.result.if_contains("warnings");
          warnings != nullptr && warnings->is_array()) {
        for (const Json& warning : warnings->get_array())
          note({"warning", fmt::format("case {}", current.id), std::string(as_text(warning).value_or(""))});
      }
      score(current, &**finished);
    }
    Summary& summary = report.summary;
    summary.assay = kVersion;
    summary.evaluation = request.header.evaluation;
    summary.what = request.header.what;
    summary.run_id = request.header.run_id;
    summary.started = request.header.started;
    summary.prompts = request.evaluation.prompts();
    summary.cases.total = (*source)->lines() * (*source)->cases_per_line();
    summary.cases.invalid = (*source)->invalid() * (*source)->cases_per_line();
    summary.usage = usage_of(request.totals);
    if (request.totals) summary.simulated = request.totals->simulated;
    summary.about = request.header.about;
    for (auto& [what, words] : summary.about) {
      if (what == "data")
        words += fmt::format(
            " ({})", taken_words(request.evaluation.choice(), summary.cases.total, (*source)->left_out()));
    }
    if (summary.cases.invalid > 0 && request.invalid_lines == InvalidLines::refuse) {
      co_return fail(ErrorKind::data, fmt::format("{} of {} {} cannot be used", summary.cases.invalid,
                                                  summary.cases.total, (*source)->unit()));
    }
    if (summary.cases.total == 0) co_return fail(ErrorKind::data, "the data hold no case");
    lines.finish(summary, report.notable);
    figures.apply(summary);
    set_ranges(request.evaluation.mean_figures(), summary);
    if (request.early_stop != nullptr) request.early_stop->apply(summary, taken);
    summary.finished = iso_time(std::chrono::system_clock::now());
    const std::chrono::duration<double> collecting = std::chrono::steady_clock::now() - request.since;
    summary.worked_seconds = std::round((request.worked_seconds + collecting.count()) * 1000) / 1000;
    summary.gates = evaluate_gates(request.gates, summary);
    lines.conclude(summary, request.gates);
    lines.write_figures(summary, report.notable);
    collect_plots(summary, spread);
  }
  report.problems = problems.first;
  if (report.problems.size() > 200) report.problems.resize(200);
  report.problem_count = problems.count;
  report.config_yaml = request.header.config_yaml;
  report.command = request.header.command;
  files.write(kNotableFile, pretty_text(to_json(report.notable)));
  files.write("summary.json", pretty_text(to_json(report.summary)));
  for (std::size_t i = 0; i < report.summary.plots.size(); ++i) {
    const Plot& plot = report.summary.plots[i];
    files.write(fmt::format("plots/{}.vl.json", plot.name), pretty_text(placed_spec(plot, i)));
  }
  for (const std::string& name : files.names()) {
    if (name.ends_with(".html")) report.pages.push_back(name);
  }
  files.write("report.html", html_report(report));
  auto written = files.commit();
  if (!written) co_return fail(std::move(written.error()));
  co_return Collected{std::move(report), std::move(*written)};
}

}  // namespace assay
