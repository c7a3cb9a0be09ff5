#include "runs/collecting/collection.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/time.h"
#include "core/version.h"
#include "core/yaml.h"
#include "evaluations/case_spread.h"
#include "evaluations/clustered_figures.h"
#include "evaluations/judges/anchors.h"
#include "evaluations/judges/label_origin.h"
#include "evaluations/output_files.h"
#include "evaluations/worst_cases.h"
#include "report/conclusions.h"
#include "report/csv.h"
#include "report/hangs_on_missing.h"
#include "report/notable.h"
#include "report/pages/html.h"
#include "report/plots/summary_plots.h"
#include "runs/about.h"
#include "runs/collecting/all_cases.h"
#include "runs/collecting/problem_log.h"
#include "runs/outcome_cursor.h"

namespace assay {
namespace {

// Of problems that wait for the end of the run, in bytes.
constexpr std::size_t kMostHeld = std::size_t{4} << 20;
constexpr std::size_t kShownProblems = 200;  // in the report

// What follows from the scores of all cases: intervals that honour clusters, and people's labels beside them.
class ScoreFigures {
 public:
  explicit ScoreFigures(const Evaluation& evaluation)
      : means_(evaluation.mean_figures()), human_(evaluation.human().begin(), evaluation.human().end()) {}
  // `failed`: what cost the case its scores; "" if it has them.
  void add(const Case& input, const CaseScores& scores, std::string_view failed) {
    for (const Score& score : scores.scores) {
      if (score.value && !input.cluster.empty()) clustered_.add(input.cluster, score.figure, *score.value);
    }
    for (HumanCheck& human : human_) human.add_case(input.id, input.cluster, scores, failed);
  }
  void apply(Summary& summary) const {
    clustered_.apply(summary, means_);
    for (std::size_t i = 0; i < human_.size(); ++i) human_[i].apply(summary, i);
  }

 private:
  std::vector<MeanFigure> means_;
  ClusteredFigures clustered_;
  std::vector<HumanCheck> human_;
};

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
        cases_(files, report_scripts().cases),
        aggregate_(evaluation.aggregate(files, run)) {
    const std::vector<std::string> columns = evaluation.columns();
    if (columns.empty()) return;
    std::string head;
    append_csv_row(head, columns);
    files_.write("results.csv", head);
    rows_ = files_.open("results.csv");
  }

  // `hear`, if there is any, gets the line of results.jsonl.
  CaseScores add(const Case& input, const FinishedCase* finished,
                 const std::function<void(std::string_view line)>& hear) {
    line_.begin(finished, worst_.threshold());
    evaluation_.line(input, finished, line_);
    if (line_.scored()) {
      ++evaluated_;
    } else {
      ++missing_[std::string(to_string(line_.outcome()))];
    }
    const std::string_view whole = line_.whole(input, finished);
    if (results_ != nullptr) results_->write(whole);
    cases_.add(whole, [&] { return evaluation_.material(input, finished); });
    if (hear) hear(whole);
    if (rows_ != nullptr && !line_.rows().empty()) rows_->write(line_.rows());
    if (!line_.generated().empty()) {
      files_.write("generated.jsonl", line_.generated());
      files_.write("generated.jsonl", "\n");
    }
    for (auto& [goodness, shown] : line_.notable()) worst_.add(goodness, std::move(shown));
    aggregate_->add(input, line_);
    return {line_.scores(), line_.parts()};
  }

  // Of the case that was added last; "" if it was scored.
  const std::string& error() const { return line_.error(); }
  std::string_view failed() const { return line_.scored() ? std::string_view() : to_string(line_.outcome()); }

  void finish(ReportInput& report) {
    Summary& summary = report.summary;
    summary.cases.evaluated = evaluated_;
    for (const auto& [outcome, count] : missing_) summary.cases.errored += count;
    aggregate_->finish(missing_, summary);
    report.notable = worst_.take();
    report.cases = cases_.finish();
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
  AllCases cases_;
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

class Collection::Fold {
 public:
  Fold(CollectRequest request, std::unique_ptr<CaseSource> source)
      : request_(std::move(request)),
        source_(std::move(source)),
        files_(request_.directory),
        tally_(std::in_place, request_, files_) {
    if (request_.store != nullptr) outcomes_.emplace(*request_.store);
    files_.write(kProblemsFile, "");
    skipped_.begin(nullptr);
    skipped_.failed(OutcomeKind::skipped, "");
  }

  void end(RunEnding ending) {
    ending_ = std::move(ending);
    if (outcomes_) outcomes_->all_settled();
    for (const Problem& warning : ending_->warnings) note(warning);
    for (Problem& problem : std::exchange(held_, {})) note(std::move(problem));
  }

  Task<Status> take_below(std::int64_t end) {
    if (outcomes_ && !ending_) outcomes_->settled_below(end);
    for (;;) {
      if (!standing_) {
        auto more = source_->next();
        for (Problem& problem : source_->take_problems()) note(std::move(problem));
        if (!more) co_return fail(std::move(more.error()));
        if (held_bytes_ > kMostHeld) co_return fail(ErrorKind::data, "too many problems to hold back");
        if (!*more) co_return Status();
      }
      const Case& current = source_->current();
      standing_ = current.index >= end;
      if (standing_) co_return Status();
      if (!outcomes_) {
        score(current, nullptr);
        continue;
      }
      auto finished = co_await outcomes_->at(current.index);
      if (!finished) co_return fail(std::move(finished.error()));
      if (!*finished && !ending_) co_return fail(ErrorKind::internal, "a case has no outcome yet");
      take(current, std::move(*finished));
    }
  }

  // What was judged beside the cases, after the last of them.
  Task<Status> take_rest() {
    if (auto taken = co_await take_below(std::numeric_limits<std::int64_t>::max()); !taken) co_return taken;
    const Anchors* anchors = request_.evaluation.anchors();
    if (anchors == nullptr || !outcomes_) co_return Status();
    anchors_.emplace(*anchors);
    auto source = anchors->cases();
    if (!source) co_return fail(std::move(source.error()));
    for (;;) {
      auto more = (*source)->next();
      if (!more) co_return fail(std::move(more.error()));
      if (!*more) co_return Status();
      auto finished = co_await outcomes_->at((*source)->current().index);
      if (!finished) co_return fail(std::move(finished.error()));
      anchors_->add((*source)->current(), *finished ? &**finished : nullptr, files_);
    }
  }

  const ProblemList& problems() const { return problems_; }

  Result<Collected> finish() {
    auto finished = finish_figures();
    if (!finished) return fail(std::move(finished.error()));
    tally_.reset();
    return write_files();
  }

 private:
  // What grows with the cases.
  struct Tally {
    Tally(const CollectRequest& request, OutputFiles& files)
        : lines(request.evaluation, files, {request.header.run_id, request.header.started}),
          figures(request.evaluation),
          spread(request.evaluation.mean_figures()) {}
    Lines lines;
    ScoreFigures figures;
    CaseSpread spread;
  };

  void note(Problem problem) {
    if (!ending_) {
      held_bytes_ += sizeof problem + problem.where.size() + problem.text.size();
      held_.push_back(std::move(problem));
      return;
    }
    files_.write(kProblemsFile, problem_line(problem));
    problems_.add(std::move(problem));
  }

  void score(const Case& input, const FinishedCase* finished) {
    Lines& lines = tally_->lines;
    const CaseScores scores = lines.add(input, finished, request_.hear_line);
    // The line's, which may say that the target failed although everything that was asked was answered.
    if (!lines.error().empty()) note({"error", fmt::format("case {}", input.id), lines.error()});
    tally_->figures.add(input, scores, lines.failed());
    tally_->spread.add_scores(scores.scores);
    if (finished != nullptr) tally_->spread.add_finished(*finished);
  }

  void take(const Case& current, std::optional<FinishedCase> finished) {
    if (finished) ++taken_;
    if (!finished && ending_->not_taken == NotTaken::open) {
      ++report_.summary.cases.open;
      return;
    }
    if (!finished && ending_->not_taken == NotTaken::skipped) {
      ++report_.summary.cases.skipped;
      files_.write("results.jsonl", skipped_.whole(current, nullptr));
      return;
    }
    if (!finished)
      finished = FinishedCase{{OutcomeKind::limit_hit, {}, ending_->not_evaluated}, JsonObject{}, 0};
    if (const Json* warnings = finished->outcome.result.if_contains("warnings");
        warnings != nullptr && warnings->is_array()) {
      for (const Json& warning : warnings->get_array())
        note({"warning", fmt::format("case {}", current.id), std::string(as_text(warning).value_or(""))});
    }
    score(current, &*finished);
  }

  Status finish_figures() {
    Summary& summary = report_.summary;
    summary.assay = kVersion;
    summary.evaluation = request_.header.evaluation;
    summary.what = request_.header.what;
    summary.run_id = request_.header.run_id;
    summary.started = request_.header.started;
    summary.prompts = request_.evaluation.prompts();
    summary.cases.total = source_->lines() * source_->cases_per_line();
    summary.cases.invalid = source_->invalid() * source_->cases_per_line();
    summary.usage = usage_of(ending_->totals);
    if (ending_->totals) summary.simulated = ending_->totals->simulated;
    summary.about = request_.header.about;
    for (auto& [what, words] : summary.about) {
      if (what == "data")
        words += fmt::format(
            " ({})", taken_words(request_.evaluation.choice(), summary.cases.total, source_->left_out()));
    }
    if (summary.cases.invalid > 0 && request_.invalid_lines == InvalidLines::refuse) {
      return fail(ErrorKind::data, fmt::format("{} of {} {} cannot be used", summary.cases.invalid,
                                               summary.cases.total, source_->unit()));
    }
    if (summary.cases.total == 0) return fail(ErrorKind::data, "the data hold no case");
    tally_->lines.finish(report_);
    tally_->figures.apply(summary);
    // How far the judge is to be believed, which is said after what it found.
    std::vector<std::string> of_judge;
    std::vector<LabelsDrawn> labels;
    for (const HumanCheck& human : request_.evaluation.human())
      labels.insert(labels.end(), human.files().begin(), human.files().end());
    if (!labels.empty()) of_judge = label_ages(labels, origin());
    if (const std::string drawn = request_.evaluation.ratings_drawn(); !drawn.empty())
      of_judge.push_back(label_age(drawn, origin()));
    if (anchors_) of_judge.push_back(anchors_->apply(summary));
    if (std::string words = request_.evaluation.unchecked(); !words.empty())
      of_judge.push_back(std::move(words));
    set_ranges(request_.evaluation.mean_figures(), summary);
    if (ending_->early_stop != nullptr) ending_->early_stop->apply(summary, taken_);
    summary.finished = iso_time(std::chrono::system_clock::now());
    const std::chrono::duration<double> collecting = std::chrono::steady_clock::now() - ending_->since;
    summary.worked_seconds = std::round((ending_->worked_seconds + collecting.count()) * 1000) / 1000;
    summary.gates = evaluate_gates(request_.gates, summary);
    tally_->lines.conclude(summary, request_.gates);
    std::ranges::move(of_judge, std::back_inserter(summary.conclusions));
    tally_->lines.write_figures(summary, report_.notable);
    collect_plots(summary, tally_->spread);
    return {};
  }

  // Who judged this run, as its labels will say it.
  LabelOrigin origin() const {
    const auto config = parse_yaml(request_.header.config_yaml);
    const bool read = config && config->value.is_object();
    return label_origin(request_.header.evaluation, read ? config->value.get_object() : JsonObject(),
                        request_.evaluation.prompts(), request_.header.started);
  }

  Result<Collected> write_files() {
    report_.problems = problems_.first;
    if (report_.problems.size() > kShownProblems) report_.problems.resize(kShownProblems);
    report_.problem_count = problems_.count;
    report_.config_yaml = request_.header.config_yaml;
    report_.command = request_.header.command;
    files_.write(kNotableFile, pretty_text(to_json(report_.notable)));
    files_.write("summary.json", pretty_text(to_json(report_.summary)));
    for (std::size_t i = 0; i < report_.summary.plots.size(); ++i) {
      const Plot& plot = report_.summary.plots[i];
      files_.write(fmt::format("plots/{}.vl.json", plot.name), pretty_text(placed_spec(plot, i)));
    }
    for (const std::string& name : files_.names()) {
      if (name.ends_with(".html")) report_.pages.push_back(name);
    }
    files_.write("report.html", html_report(report_));
    auto written = files_.commit();
    if (!written) return fail(std::move(written.error()));
    return Collected{std::move(report_), std::move(*written)};
  }

  CollectRequest request_;
  std::optional<RunEnding> ending_;  // nothing as long as the run is under way
  std::unique_ptr<CaseSource> source_;
  bool standing_ = false;  // the source is at a case that was not taken yet
  std::optional<OutcomeCursor> outcomes_;
  OutputFiles files_;
  std::optional<Tally> tally_;
  std::optional<AnchorTally> anchors_;
  ResultLine skipped_;
  ReportInput report_;
  std::int64_t taken_ = 0;
  std::vector<Problem> held_;  // until the ending is known
  std::size_t held_bytes_ = 0;
  ProblemList problems_;
};

Result<std::unique_ptr<Collection>> Collection::begin(CollectRequest request) {
  auto source = request.evaluation.chosen_cases();
  if (!source) return fail(std::move(source.error()));
  return std::unique_ptr<Collection>(
      new Collection(std::make_unique<Fold>(std::move(request), std::move(*source))));
}

Collection::Collection(std::unique_ptr<Fold> fold) : fold_(std::move(fold)) {}
Collection::~Collection() = default;

Task<Status> Collection::take_below(std::int64_t end) {
  return fold_->take_below(end);
}

Task<Status> Collection::take_rest(RunEnding ending) {
  fold_->end(std::move(ending));
  return fold_->take_rest();
}

const ProblemList& Collection::problems() const {
  return fold_->problems();
}

Result<Collected> Collection::finish() {
  return fold_->finish();
}

}  // namespace assay
