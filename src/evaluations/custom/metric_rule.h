// A metric as it is declared, in the config or among the `checks` of a single case: one kind, what it looks
// at, when it applies, when it passes. Marks of checks are made here, at any time and without asking; those
// of the kinds that ask are kept by the case's outcome.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"
#include "evaluations/custom/asked/asked_metric.h"
#include "evaluations/custom/checks/check.h"
#include "evaluations/custom/condition.h"
#include "evaluations/custom/design.h"
#include "evaluations/custom/marks.h"
#include "evaluations/custom/subject_path.h"

namespace assay::custom {

struct MetricRule {
  MetricShape shape;
  std::string key = {};  // its place: "metrics[2]"
  SubjectPath of = {};
  std::optional<Condition> when = {};
  std::optional<PassRule> passes = {};
  bool scorer_says = false;  // `passes: said`: a scorer's reply holds it
  bool lenient = false;      // an output with its JSON inside fences or running text counts as JSON

  // The `{field}`s without which it says nothing of a case: of a check's argument and options, of a rubric.
  std::vector<std::string> filled_from = {};

  // A check: `argument` and `options` as declared, with `{field}`; ready if nothing is to be filled.
  NamedCheck check = {};
  Json argument = nullptr;
  JsonObject options = {};
  std::shared_ptr<const Check> ready = {};

  std::string expected = {};             // of a label: the right class, with `{field}`
  std::vector<std::string> labels = {};  // of a label that the output itself is
  std::shared_ptr<const AskedMetric> asked = {};
  // Decided by a cascade: the same metric once for each of its judges; `asked` is that of the first.
  std::vector<std::shared_ptr<const AskedMetric>> judges = {};

  // The `{field}`s and fields that it uses.
  std::vector<std::string> fields_used() const;
};

// What metrics are read with.
struct MetricSurroundings {
  const Config& config;
  std::vector<std::string> fields;  // names that the data have, as far as they are known
  bool fields_known = false;        // no other may be named
  JudgeSettings judge = {};
  std::vector<JudgeSettings> cascade = {};  // in its place, from the first up
  const PromptLibrary& prompts;
  std::string directory = {};  // of the data, for checks that stand in them
};

// The keys of a metric, made from the tables of kinds.
Keys metric_keys();

// One metric, with everything that is wrong with it. `key` is its place: "metrics[2]". The entry is checked
// against metric_keys().
std::optional<MetricRule> read_metric(const JsonObject& entry, const std::string& key,
                                      const MetricSurroundings& around, std::vector<ConfigProblem>& problems);
// One of the `checks` of a case, from the data: its keys are looked at here.
std::optional<MetricRule> read_case_check(const Json& entry, std::size_t place,
                                          const MetricSurroundings& around,
                                          std::vector<ConfigProblem>& problems);

// Whether the metric is about this answer at all; why not in words, "" if it is.
std::string not_applicable(const MetricRule& rule, const CaseAnswer& answer);
// By whom `asked` asks, which is one of the rule's: shown is what `of` names, in the place of the output.
// What `answer` refers to outlives it.
Task<Mark> asked_mark(const MetricRule& rule, const AskedMetric& asked, const CaseAnswer& answer,
                      std::string step, CaseContext& context);
// What that will ask, of an answer that may stand for one to come: where it has nothing that `of` names, all
// of it counts.
void estimate_asked(const MetricRule& rule, const AskedMetric& asked, const CaseAnswer& answer,
                    CallEstimate& estimate);
// Of a check, or of a class that the output itself is. Pure.
Mark check_mark(const MetricRule& rule, const CaseAnswer& answer);
// What follows from a mark that was asked for and kept: whether it passes, the expected class.
Mark completed(const MetricRule& rule, const CaseAnswer& answer, Mark mark);

}  // namespace assay::custom
