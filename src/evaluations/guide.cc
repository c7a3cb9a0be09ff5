#include "evaluations/guide.h"

#include <fmt/format.h>

#include "evaluations/benchmark/benchmark.h"
#include "evaluations/components/guides.h"
#include "evaluations/custom/figures/case_scores.h"
#include "evaluations/experiment/analysis/analysis.h"
#include "evaluations/guidelines/guidelines.h"
#include "evaluations/persona/persona.h"

namespace assay {
namespace {

const std::string kRequired = "required";
const std::string kOptional = "optional";
const GuideField kId{"id", "text or a whole number", kOptional, "names the case; by default its line"};

EvaluationGuide custom_guide() {
  custom::Design design;
  design.variants = {"BASELINE", "VARIANT"};
  design.baseline = 0;
  design.metrics = {{.name = "NAME"},
                    {.name = "SCORE", .value = custom::MetricShape::Value::score, .has_passes = true}};
  return {
      "input_path: a record a case, with whatever fields you like",
      {kId,
       {"…", "anything", "",
        "any field: {field} in prompts, bodies, arguments and metrics is filled from it"},
       {"output", "text or any value", "required without variants", "what was answered, if nobody is asked"},
       {"contexts", "a list", kOptional, "what the answer rests on, for `rag` metrics"},
       {"trace", "a list of {tool, arguments, result}", kOptional, "tool calls in order, for tool metrics"},
       {"meta", "an object", kOptional, "latency_ms, cost_usd, usage, model, finish_reason"},
       {"checks", "a list of metrics", kOptional, "what this case alone must pass"}},
      custom::figure_names(design)};
}

EvaluationGuide benchmark_guide() {
  return {
      "input_dir: a YAML file a task",
      {{"tool_calling_prompt", "text", "required for tool_calling…", "the task; {name} is a parameter"},
       {"promptql_prompt", "text", "required for promptql", "the same for PromptQL"},
       {"expected_promptql_artifact", "text", "required for promptql", "the artifact that holds the answer"},
       {"expected_tool_calls", "a list of names", kOptional, "tools that must be called, else it is nudged"},
       {"variations", "a list", kRequired,
        "{parameters: {…}, expected_output: …, name: …}, or the parameters themselves"},
       {"scorer", "a name or an object", kOptional,
        "exact, number, records, ranking, schema, rubric, command; by default by the expected output"},
       {"tools", "a list", kOptional, "tools of this task beside those of the config"},
       {"system_prompt", "text", kOptional, "in the place of the usual one"}},
      benchmark::figure_names()};
}

EvaluationGuide experiment_guide() {
  return {"queries: YAML, JSON, JSON Lines or a table, a record a query",
          {{"id", "text", kOptional, "names the query; by default query_1, query_2, …"},
           {"text", "text", kRequired, "the question that every condition answers"},
           {"query_type", "text", kOptional, "figures are also given by it"},
           {"role", "text", "required with role: per_query", "the role that is written into the prompt"},
           {"ambiguous", "true or false", kOptional, "whether several roles would do"}},
          experiment::figure_names()};
}

EvaluationGuide guidelines_guide() {
  return {"conversations: a record a conversation",
          {kId,
           {"events", "a list of {event_kind, event_source, data}", "required, or messages",
            "what was said and which tools were called, in order"},
           {"messages", "a list of {role, content}", "required, or events",
            "the same as OpenAI or Anthropic have it"},
           {"guidelines", "a list of {id, condition, action}", "required unless the config has `guidelines`",
            "what the agent should do, and when"},
           {"agent", "{name, description}", kOptional, "who the agent is"},
           {"customer", "{name}", kOptional, "whom it talks to"},
           {"context_variables", "a list or an object", kOptional, "what the agent knew besides"},
           {"glossary", "a list", kOptional, "words of its trade"},
           {"expected", "an object of true or false by guideline", kOptional,
            "what was carried out, as a person says: the run then measures the judge"}},
          guidelines::figure_names()};
}

EvaluationGuide persona_guide() {
  return {"items: a record an item, as the classifying system gave it",
          {{"contentItemSummary", "{itemId}", kRequired, "names the item"},
           {"evaluateTime", "ISO 8601 or seconds", kRequired, "when it was published"},
           {"evaluateTitle", "text", kOptional, "its title"},
           {"evaluateText", "text", kOptional, "its text"},
           {"evaluateSourceType, evaluateSourceOriginator, evaluateSourceChannel", "text", kOptional,
            "where it comes from"},
           {"evaluateClassifications",
            "a list of {classificationName, classificationDesc, classificationValue, classificationOptions}",
            kRequired, "what the system decided: the persona agrees or not"},
           {"tags", "a list of texts", kOptional, "kept with the records"}},
          persona::figure_names()};
}

}  // namespace

EvaluationGuide guide_to(std::string_view evaluation) {
  if (evaluation == "benchmark") return benchmark_guide();
  if (evaluation == "custom") return custom_guide();
  if (evaluation == "experiment") return experiment_guide();
  if (evaluation == "guidelines") return guidelines_guide();
  if (evaluation == "persona") return persona_guide();
  return components::guide_to(evaluation);
}

}  // namespace assay
