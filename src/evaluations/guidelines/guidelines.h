// guidelines: has the agent carried out the action of each guideline in this conversation? A case is one
// conversation; its guidelines are judged in chunks, side by side.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluations/evaluation.h"
#include "evaluations/guidelines/judge.h"
#include "evaluations/jsonl_cases.h"

namespace assay::guidelines {

struct GuidelinesPlan {
  DataFile conversations;
  std::vector<Guideline> shared;
  SkipRules skip;
  std::size_t batch_size = 5;
  int votes = 1;
  std::map<std::string, std::string> prompts;  // fingerprints
  std::vector<HumanCheck> human = {};
  double moved = 0.1;  // `stress.moved`
};

// Those that are means over conversations.
std::vector<MeanFigure> mean_figures();

class GuidelinesEvaluation final : public Evaluation {
 public:
  GuidelinesEvaluation(GuidelinesPlan plan, Judge judge);

  Result<std::unique_ptr<CaseSource>> cases() const override { return open_trees(lines_); }
  std::string data_path() const override { return plan_.conversations.path; }
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override;
  void estimate(const Case& input, CallEstimate& estimate) const override;
  std::vector<std::string> models() const override { return {judge_.model()}; }
  void line(const Case& input, const FinishedCase* finished, ResultLine& line) const override;
  std::vector<std::string> columns() const override;
  std::unique_ptr<Aggregate> aggregate(OutputFiles& files, const RunFacts& run) const override;
  std::vector<std::string> metric_names() const override;
  std::vector<MeanFigure> mean_figures() const override { return guidelines::mean_figures(); }
  std::map<std::string, std::string> prompts() const override { return plan_.prompts; }
  std::span<const HumanCheck> human() const override { return plan_.human; }
  JsonObject as_judged(const Case& input, std::string_view part) const override;
  std::string unchecked() const override { return !plan_.human.empty() ? "" : not_checked("applied_rate"); }
  std::unique_ptr<stress::Stressing> stressing() const override;

 private:
  // Of a line without problems.
  Conversation conversation(const Json& line) const;

  GuidelinesPlan plan_;
  Judge judge_;
  TreeLines lines_;
};

// Every figure that a run may report (Evaluation::metric_names).
std::vector<std::string> figure_names();
Keys guidelines_keys();
std::unique_ptr<Evaluation> make_guidelines(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::guidelines
