#include "evaluations/experiment/collector.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/experiment/analysis/analysis.h"
#include "evaluations/experiment/analysis/gathering.h"
#include "evaluations/experiment/analysis/plots.h"
#include "evaluations/experiment/experiment.h"
#include "evaluations/experiment/experiment_files.h"
#include "evaluations/legacy_line.h"
#include "report/csv.h"
#include "report/markdown.h"

namespace assay::experiment {
namespace {

constexpr std::size_t kShownCases = 30;

class ExperimentCollector final : public Collector {
 public:
  ExperimentCollector(const ExperimentEvaluation& evaluation, OutputFiles& files, const RunFacts& run)
      : evaluation_(evaluation),
        plan_(evaluation.plan()),
        files_(files),
        run_(run),
        written_(plan_.design, evaluation.key(), evaluation.judges(), files),
        gathering_(plan_.design) {}

  Scores add(const Case& input, const FinishedCase* finished) override {
    if (finished == nullptr) return {};
    const Query& query = evaluation_.query(input.index);
    QueryRecord record = record_from(finished->outcome.result);
    record.responses.resize(plan_.design.conditions.size() * static_cast<std::size_t>(plan_.design.runs));
    const BlindAnswers answers = blinded(record.responses);
    std::vector<std::string> roles;
    roles.reserve(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i)
      roles.push_back(answers[i]
                          ? plan_.role_of(i / static_cast<std::size_t>(plan_.design.runs), query, *answers[i])
                          : std::string());
    written_.add({query, record, answers, std::move(roles)});
    gathering_.add(query, record, answers);
    ++(finished->outcome.kind == OutcomeKind::scored ? evaluated_ : errored_);
    if (finished->outcome.kind != OutcomeKind::scored && notable_.size() < kShownCases)
      notable_.push_back({query.id, finished->outcome.error, {{"query", query.text}}});
    write_line(input, query, record, *finished);
    return line_.scores();
  }

  void finish(Summary& summary, std::vector<NotableCase>& notable) override {
    written_.finish();
    summary.cases.evaluated = evaluated_;
    summary.cases.errored = errored_;
    const Analysis analysis = analyse(gathering_.data(), {.seed = plan_.design.seed});
    files_.write(kAnalysisFile, pretty_text(to_json(analysis)));
    add_figures(analysis, summary);
    std::ranges::move(plots_of(analysis), std::back_inserter(summary.plots));
    summary.tables.push_back(
        {"blinding",
         "Which file of answers stood under which code was settled, and its hash "
         "written, before anything was asked",
         {"file", "sha256", "committed"},
         {{kKeyFile, boost::json::string(evaluation_.key().hash()), boost::json::string(run_.started)}},
         false,
         "",
         ""});
    notable = notable_;
  }

  void write_figures(const Summary& summary) override {
    files_.write("aggregate.csv", summary_csv(summary));
    ReportInput report;
    report.summary = summary;
    report.notable = notable_;
    files_.write("report.md", markdown_report(report));
  }

 private:
  void write_line(const Case& input, const Query& query, const QueryRecord& record,
                  const FinishedCase& finished) {
    line_.begin(input, finished.outcome.kind);
    line_.text("query", query.text);
    if (!query.query_type.empty()) line_.text("query_type", query.query_type);
    if (!query.role.empty()) line_.text("role", query.role);
    line_.boolean("ambiguous", query.ambiguous);
    JsonArray missing;
    for (std::size_t i = 0; i < record.responses.size(); ++i) {
      if (record.responses[i]) continue;
      const auto runs = static_cast<std::size_t>(plan_.design.runs);
      missing.emplace_back(response_file(plan_.design.conditions[i / runs].name,
                                         static_cast<int>(i % runs) + 1, plan_.design.runs));
    }
    line_.number("answers", static_cast<double>(record.responses.size() - missing.size()));
    if (!missing.empty()) line_.json("missing", missing);
    line_.number("pairs", static_cast<double>(record.pairs.size()));
    line_.number("ratings", static_cast<double>(record.ratings.size()));
    line_.number("role_verdicts", static_cast<double>(record.roles.size()));
    line_.number("lost", static_cast<double>(record.lost.size()));
    line_.scores(query_scores(plan_.design, evaluation_.score_names(), record));
    if (!finished.outcome.error.empty()) line_.text("error", finished.outcome.error);
    line_.json("usage", finished.usage);
    line_.number("latency_ms", finished.latency_ms);
    files_.write("results.jsonl", line_.end());
  }

  const ExperimentEvaluation& evaluation_;
  const ExperimentPlan& plan_;
  OutputFiles& files_;
  RunFacts run_;
  ExperimentFiles written_;
  Gathering gathering_;
  std::int64_t evaluated_ = 0;
  std::int64_t errored_ = 0;
  std::vector<NotableCase> notable_;
  LegacyLine line_;
};

}  // namespace

std::vector<Score> query_scores(const Design& design, const std::vector<ScoreNames>& names,
                                const QueryRecord& record) {
  std::vector<Score> scores;
  for (std::size_t condition = 0; condition < design.conditions.size(); ++condition) {
    double sum = 0;
    double count = 0;
    for (const auto& [rating, failures] : record.ratings) {
      if (rating.condition != condition) continue;
      sum += rating.scores[kOverall];
      count += 1;
    }
    if (design.absolute_evaluators > 0)
      scores.push_back({names[condition].overall, count > 0 ? std::optional(sum / count) : std::nullopt});
    if (design.conditions[condition].control || design.pairwise_evaluators == 0) continue;
    double won = 0;
    double shown = 0;
    for (const auto& [verdict, failures] : record.pairs) {
      const bool as_a = verdict.condition_a == condition && design.conditions[verdict.condition_b].control;
      const bool as_b = verdict.condition_b == condition && design.conditions[verdict.condition_a].control;
      if (!as_a && !as_b) continue;
      shown += 1;
      if (verdict.winner == Choice::tie) won += 0.5;
      if (verdict.winner == (as_a ? Choice::a : Choice::b)) won += 1;
    }
    scores.push_back({names[condition].win_rate, shown > 0 ? std::optional(won / shown) : std::nullopt});
  }
  return scores;
}

std::unique_ptr<Collector> make_collector(const ExperimentEvaluation& evaluation, OutputFiles& files,
                                          const RunFacts& run) {
  return std::make_unique<ExperimentCollector>(evaluation, files, run);
}

}  // namespace assay::experiment
