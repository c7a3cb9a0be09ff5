#include "evaluations/experiment/aggregate.h"

#include <algorithm>
#include <iterator>

#include <boost/json/object.hpp>

#include "evaluations/experiment/analysis/analysis.h"
#include "evaluations/experiment/analysis/gathering.h"
#include "evaluations/experiment/analysis/plots.h"
#include "evaluations/experiment/experiment.h"
#include "evaluations/experiment/experiment_files.h"
#include "report/markdown.h"

namespace assay::experiment {
namespace {

class ExperimentAggregate final : public Aggregate {
 public:
  ExperimentAggregate(const ExperimentEvaluation& evaluation, OutputFiles& files, const RunFacts& run)
      : design_(evaluation.plan().design),
        key_(evaluation.key()),
        files_(files),
        run_(run),
        written_(design_, key_, evaluation.judges(),
                 [&files](const std::string& name, std::string_view bytes) { files.write(name, bytes); }),
        gathering_(design_) {}

  void add(const Case& /*input*/, const ResultLine& line) override {
    const JudgedQuery& judged = line.facts<QueryFacts>().judged;
    written_.add(judged);
    gathering_.add(judged);
  }

  void finish(const MissingCases& /*missing*/, Summary& summary) override {
    written_.finish();
    const Analysis analysis = analyse(gathering_.data(), {.seed = design_.seed});
    files_.write(kAnalysisFile, pretty_text(to_json(analysis)));
    add_figures(analysis, summary);
    std::ranges::move(plots_of(analysis), std::back_inserter(summary.plots));
    summary.tables.push_back(
        {"blinding",
         "Which file of answers stood under which code was settled, and its hash "
         "written, before anything was asked",
         {"file", "sha256", "committed"},
         {{kKeyFile, boost::json::string(key_.hash()), boost::json::string(run_.started)}},
         false,
         "",
         ""});
  }

  void write_figures(const Summary& summary, const std::vector<NotableCase>& notable) override {
    ReportInput report;
    report.summary = summary;
    report.notable = notable;
    files_.write("report.md", markdown_report(report));
  }

 private:
  const Design& design_;
  const BlindingKey& key_;
  OutputFiles& files_;
  RunFacts run_;
  ExperimentFiles written_;
  Gathering gathering_;
};

}  // namespace

std::unique_ptr<Aggregate> make_aggregate(const ExperimentEvaluation& evaluation, OutputFiles& files,
                                          const RunFacts& run) {
  return std::make_unique<ExperimentAggregate>(evaluation, files, run);
}

}  // namespace assay::experiment
