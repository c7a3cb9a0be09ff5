// persona: would this persona agree with how the system classified this item? A case is one request: an item
// as one persona sees it, from all perspectives (mode 1) or from one (modes 2, 3).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluations/evaluation.h"
#include "evaluations/jsonl_cases.h"
#include "evaluations/persona/human_ratings.h"
#include "evaluations/persona/job_status.h"
#include "evaluations/persona/judge.h"
#include "evaluations/persona/records.h"
#include "evaluations/persona/request_line.h"

namespace assay::persona {

// Everything that decides a run, checked.
struct PersonaPlan {
  JobParameters job;
  DataFile items;
  std::string agent = "assay";
  std::optional<HumanRatings> human;
  std::map<std::string, std::string> prompts;  // fingerprints
};

class PersonaEvaluation final : public Evaluation {
 public:
  PersonaEvaluation(PersonaPlan plan, Judge judge);

  Result<std::unique_ptr<CaseSource>> cases() const override { return open_trees(lines_); }
  std::string data_path() const override { return plan_.items.path; }
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override;
  void estimate(const Case& input, CallEstimate& estimate) const override;
  std::vector<std::string> models() const override { return {plan_.job.model}; }
  void line(const Case& input, const FinishedCase* finished, ResultLine& line) const override;
  std::vector<std::string> columns() const override { return request_columns(); }
  std::unique_ptr<Aggregate> aggregate(OutputFiles& files, const RunFacts& run) const override;
  std::vector<std::string> metric_names() const override;
  std::vector<MeanFigure> mean_figures() const override {
    return {{"likert.mean_per_request", {1, 5}}, {"agreement_rate_per_request"}};
  }
  std::map<std::string, std::string> prompts() const override { return plan_.prompts; }
  std::string unchecked() const override { return plan_.human ? "" : not_checked("agreement_rate"); }
  std::string ratings_drawn() const override { return plan_.human ? plan_.human->drawn() : ""; }
  // The request, which request_texts.h makes readable.
  JsonObject as_judged(const Case& input, std::string_view part) const override;

  const PersonaPlan& plan() const { return plan_; }
  const Judge& judge() const { return judge_; }
  std::size_t requests_per_item() const { return lines_.parts.size(); }
  PersonaCase take_apart(const Json& item, std::size_t part) const;
  // What is kept of a finished case.
  struct Records {
    bool good = false;  // `record` is a success record, else a failure record
    Json record;
    Json job_entry;
    std::vector<Json> eval_info;  // none of a failure
  };
  Records records(const PersonaCase& one, const std::string& context_id, const Outcome& outcome) const;
  // The same where the outcome was read before.
  Records records(const PersonaCase& one, const std::string& context_id, const Judgement& judgement,
                  OutcomeKind kind, const std::string& error) const;

 private:
  PersonaPlan plan_;
  Judge judge_;
  TreeLines lines_;
};

// Keys beside the common ones.
Keys persona_keys();
// Every figure that a run without human labels may report (Evaluation::metric_names).
std::vector<std::string> figure_names();
std::unique_ptr<Evaluation> make_persona(const Config& config, std::vector<ConfigProblem>& problems);
// The same of a plan that is there already: jobs of the data service bring their own, prompts and attempts
// come from the service's config.
std::unique_ptr<PersonaEvaluation> make_evaluation(PersonaPlan plan, Sampling sampling, const Config& config,
                                                   std::vector<ConfigProblem>& problems);

// `params` of a config or a job: temperature, top_p, max_tokens, seed; problems name the member.
Sampling sampling_of(const JsonObject& params, std::vector<std::string>& problems);

}  // namespace assay::persona
