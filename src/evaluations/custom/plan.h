// A declared evaluation, read and checked: data, variants, metrics and the design that figures are made by.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "evaluations/cascade/cascade.h"
#include "evaluations/custom/design.h"
#include "evaluations/custom/kept_outputs.h"
#include "evaluations/custom/metric_rule.h"
#include "evaluations/custom/variant.h"
#include "evaluations/human_check.h"
#include "evaluations/jsonl_cases.h"
#include "evaluations/prompts.h"

namespace assay::custom {

struct Plan {
  Config config;
  TreeLines lines;                       // how a record is read
  std::vector<std::string> answer_keys;  // fields that no variant sees
  std::vector<std::string> fields;       // that the data have
  std::vector<NamedVariant> variants;
  std::vector<MetricRule> metrics;
  Design design;
  JudgeSettings judge;
  std::optional<CascadeSettings> cascaded;  // judges in its place
  std::shared_ptr<Cascade> cascade;         // the same with its labels; null: every answer has one judge
  PromptLibrary prompts;
  std::shared_ptr<const KeptOutputs> kept;  // where answers come from, if nobody is to be asked for them
  bool asks = false;                        // somebody is asked anything
  std::vector<HumanCheck> human;

  // Whether the variant is asked: not if its answers stand in the data or were kept.
  bool asks_variant(std::size_t variant) const { return !kept && variants[variant].variant->asks(); }
  // The answer of one that is not.
  Answered given_answer(const JsonObject& fields, const std::string& case_id, std::size_t variant,
                        int repeat) const;
  // What metrics are read with; the plan outlives it.
  MetricSurroundings surroundings() const;
  // The same for a case's own checks, which no cascade decides: they have no labels.
  MetricSurroundings surroundings_of_checks() const;
  // The checks that the case alone has: all of them, or why not. The data were looked at before, so that only
  // another machine, which lacks a program, has a reason.
  Result<std::vector<MetricRule>> case_checks(const JsonObject& fields) const;
};

// After problems as much as could be read, for what is missing besides.
std::unique_ptr<Plan> read_plan(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::custom
