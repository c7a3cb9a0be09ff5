#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "imports/datasets/records.h"
#include "imports/originals/originals.h"
#include "imports/promptfoo/reading.h"

namespace assay {
namespace {

using promptfoo::Node;
using promptfoo::Reading;

// A task, the rake task that generates for it, the variable that names its model, and where the reply has
// what.
struct ChatTask {
  std::string_view name;
  std::string_view rake;
  std::string_view model_variable;
  std::string_view map;  // YAML
};
constexpr ChatTask kTasks[] = {
    {"jailbreak_guardrails", "evaluation:generate_jailbreak_guardrail_response",
     "BEDROCK_CLAUDE_JAILBREAK_GUARDRAILS_MODEL",
     "{actual_outcome: {at: /jailbreak_guardrails_status, bool_of: {pass: false, fail: true}}, model: "
     "/metrics/jailbreak_guardrails/model}"},
    {"output_guardrails", "evaluation:generate_output_guardrail_response[GUARDRAIL_TYPE]",
     "BEDROCK_CLAUDE_GUARDRAILS_MODEL", ""},
    {"question_router", "evaluation:generate_question_routing_response",
     "BEDROCK_CLAUDE_QUESTION_ROUTER_MODEL",
     "{actual_outcome: /question_routing_label, confidence_score: /question_routing_confidence_score, "
     "answer: "
     "/message, model: /metrics/question_routing/model}"},
    {"rag_answers", "evaluation:generate_rag_structured_answer_response",
     "BEDROCK_CLAUDE_STRUCTURED_ANSWER_COMPOSER_MODEL",
     "{llm_answer: /message, structured_contexts: {at: /sources, each: /chunk}, model: "
     "/metrics/structured_answer/model}"},
    {"retrieval", "evaluation:search_results_for_question", "",
     "{actual_search_results: /results, actual_opensearch_index: /opensearch_index}"},
    {"topic_tagger", "evaluation:generate_topics_for_question", "",
     "{actual_primary_topic: /primary_topic, actual_secondary_topic: /secondary_topic, status: /status, "
     "error_message: /error_message, model: /metrics/model}"},
};

constexpr std::string_view kMetrics[] = {"faithfulness",      "bias",
                                         "relevance",         "factual_precision",
                                         "factual_recall",    "absence_of_factual_contradictions",
                                         "context_relevancy", "coherence"};

// A judge's name as `provider/name`.
std::string judge_name(const std::string& theirs) {
  if (theirs.empty() || theirs.contains('/')) return theirs;
  if (theirs.starts_with("gpt-")) return "openai/" + theirs;
  if (theirs.starts_with("gemini-")) return "gemini/" + theirs;
  return "bedrock/" + theirs;
}

Json metric_of(const Node& entry, Reading& reading) {
  const std::string name = entry.is_text() ? entry.text() : entry.text_of("name");
  if (!promptfoo::among(name, kMetrics)) {
    reading.leave_out(entry, fmt::format("metric {}", name), "there is no such metric");
    return nullptr;
  }
  JsonObject metric{{"name", name}};
  const auto take = [&](const Node& node) {
    for (const auto& [key, value] : node.members()) {
      if (key == "threshold" || key == "temperature") {
        metric[key] = value.value();
      } else if (key == "model") {
        metric["model"] = judge_name(value.text());
      } else if (key != "name" && key != "llm_judge") {
        reading.leave_out(value, fmt::format("metrics: {}", key), "there is no such setting");
      }
    }
  };
  take(entry);
  take(entry.member("llm_judge"));
  return metric;
}

// What the tool itself did for `generate: true`: one rake task a line, in the application's directory.
Json target_of(const Node& root, const ChatTask& task, Reading& reading) {
  std::string rake(task.rake);
  const std::string type = root.text_of("guardrail_type");
  if (const std::size_t at = rake.find("GUARDRAIL_TYPE"); at != std::string::npos)
    rake.replace(at, std::string_view("GUARDRAIL_TYPE").size(), type.empty() ? "answer_guardrails" : type);
  JsonObject target{{"command", JsonArray{"bundle", "exec", "rake", rake}},
                    {"cwd", "${HOME}/govuk/govuk-chat"},
                    {"concurrency", 5}};
  const std::string model = root.text_of("claude_generation_model");
  if (!model.empty() && !task.model_variable.empty())
    target["env"] = JsonObject{{task.model_variable, model}};
  if (!task.map.empty()) {
    if (auto map = parse_yaml(task.map)) target["map"] = std::move(map->value);
  } else {
    const std::string which = type.empty() ? "answer_guardrails" : type;
    const std::string failures = fmt::format("/{}_failures", which);
    target["map"] = JsonObject{{"actual_triggered", JsonObject{{"at", failures}, {"any", true}}},
                               {"actual_guardrails", JsonObject{{"at", failures}, {"flags", true}}},
                               {"model", fmt::format("/metrics/{}/model", which)}};
    reading.note(root.member("generate"), "generate",
                 fmt::format("taken from {}, what the application prints today; of one that prints "
                             "triggered and guardrails map these. A guardrail that failed and is not in "
                             "expected_guardrails counts as a false alarm, where it was passed over",
                             failures.substr(1)));
  }
  if (task.name == "retrieval" || task.name == "rag_answers")
    reading.note(root.member("generate"), "OPENSEARCH_INDEX",
                 "set it under target.env if your lines have expected_opensearch_index: "
                 "{OPENSEARCH_INDEX: \"{expected_opensearch_index}\"}");
  return target;
}

}  // namespace

Result<ImportedSuite> import_chat_components(const std::string& name, std::string_view text) {
  auto root = promptfoo::read_document(name, text);
  if (!root) return fail(std::move(root.error()));
  const std::string stem = promptfoo::stem_of_path(name);
  const auto* const task =
      std::ranges::find_if(kTasks, [&](const ChatTask& one) { return stem.contains(one.name); });
  if (!root->is_object() || task == std::end(kTasks)) {
    std::vector<std::string_view> names;
    for (const ChatTask& one : kTasks) names.push_back(one.name);
    return fail(
        Error{ErrorKind::data,
              fmt::format("which task is it? Its file must be named after it: {}", fmt::join(names, ", ")),
              {{"file", name}}});
  }
  const SuiteFiles none;
  Reading reading{none};
  JsonObject config{{"evaluation", task->name}};
  const bool generates = root->member("generate").value() == Json(true);
  for (const auto& [key, value] : root->members()) {
    const bool judged = task->name == "rag_answers";  // the one task that a judge looks at
    if (key == "what" || key == "generate" || (key == "n_runs" && judged)) {
      config[key] = value.value();
    } else if (key == "input_path") {
      // Theirs is meant from the directory that the tool is started in; the config is written beside the old
      // one.
      config[key] = value.value();
      reading.note(value, "input_path",
                   "the data stay where they are: start assay in the same directory as before");
    } else if (key == "metrics" && judged) {
      JsonArray metrics;
      for (const Node& entry : value.items()) {
        if (Json metric = metric_of(entry, reading); !metric.is_null()) metrics.push_back(std::move(metric));
      }
      config[key] = std::move(metrics);
    } else if (key == "metrics" || key == "n_runs") {
      reading.leave_out(value, key,
                        fmt::format("{} asks no judge: its figures follow from its data", task->name));
    } else if (key == "provider" || key == "embedding_provider") {
      reading.leave_out(value, key,
                        "the application no longer takes it; give it as an argument or a variable of the "
                        "target if yours does");
    } else if (key != "guardrail_type" && key != "claude_generation_model") {
      reading.leave_out(value, key, "the tool ignored it, too");
    }
  }
  if (!config.contains("input_path"))
    return fail(Error{
        ErrorKind::data, "it has no input_path: is it a config of the chat evaluation?", {{"file", name}}});
  if (generates) config["target"] = target_of(*root, *task, reading);
  ImportedSuite suite;
  suite.metrics = config.contains("metrics") ? config["metrics"].get_array().size() : 0;
  suite.left_out = std::move(reading.left_out);
  suite.notes = std::move(reading.notes);
  suite.files = {datasets::config_file(config, "chat_components", name)};
  return suite;
}

}  // namespace assay
