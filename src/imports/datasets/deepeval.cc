#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "imports/datasets/datasets.h"
#include "imports/datasets/records.h"

namespace assay {
namespace {

using namespace datasets;

constexpr std::string_view kLists[] = {"test_cases",
                                       "testCases",
                                       "goldens",
                                       "conversational_test_cases",
                                       "conversationalTestCases",
                                       "conversational_goldens"};
// The latest test run is kept under this, beside its address.
constexpr std::string_view kWrapping = "testRunData";
constexpr std::string_view kAddress = "testRunLink";
constexpr std::string_view kOutput[] = {"actual_output", "actualOutput"};
constexpr std::string_view kExpected[] = {"expected_output", "expectedOutput"};
// The first that is there: what was retrieved is what the answer rests on.
constexpr std::string_view kContexts[] = {"retrieval_context", "retrievalContext", "context"};
constexpr std::string_view kCalled[] = {"tools_called", "toolsCalled"};
constexpr std::string_view kExpectedTools[] = {"expected_tools", "expectedTools"};
constexpr std::string_view kMetadata[] = {"additional_metadata", "additionalMetadata"};
constexpr std::string_view kMetrics[] = {"metrics_data", "metricsData"};

// A judged metric of theirs and what measures the same here.
struct Counterpart {
  std::string_view theirs;
  std::string_view rag;  // a metric of rag_answers
  enum class Threshold {
    least,
    most,
    most_of_the_rest,  // what theirs counts is what ours leaves: 1 less it is the least
  } threshold = Threshold::least;

  std::string passes(double theirs_threshold) const {
    if (threshold == Threshold::most) return fmt::format("<= {}", theirs_threshold);
    if (threshold == Threshold::least) return fmt::format(">= {}", theirs_threshold);
    constexpr double kSteps = 1e9;  // 1 - 0.7 is 0.3, not 0.30000000000000004
    return fmt::format(">= {}", std::round((1 - theirs_threshold) * kSteps) / kSteps);
  }
};
// Of two that measure the same the first counts.
constexpr Counterpart kCounterparts[] = {
    {"Answer Relevancy", "relevance"},
    {"Faithfulness", "faithfulness"},
    {"Hallucination", "faithfulness", Counterpart::Threshold::most_of_the_rest},
    {"Contextual Relevancy", "context_relevancy"},
    {"Bias", "bias", Counterpart::Threshold::most}};

// A list, or in a table its text: JSON, or names divided at `;`.
JsonArray tools_in(const Json& value) {
  Json list = unfolded(value);
  return list.is_array() ? std::move(list.get_array()) : texts_of(value, ";");
}

std::string tool_name(const Json& call) {
  return call.is_string() ? text_or_json(call) : text_at(call, "name");
}

JsonArray tool_trace(const Json& calls) {
  JsonArray trace;
  for (const Json& call : tools_in(calls)) {
    JsonObject step{{"tool", tool_name(call)}};
    for (const std::string_view key : {"input_parameters", "inputParameters"}) {
      if (const Json* arguments = find_member(call, key)) step["arguments"] = *arguments;
    }
    if (const Json* output = find_member(call, "output")) step["result"] = *output;
    trace.push_back(std::move(step));
  }
  return trace;
}

JsonArray tool_names(const Json& calls) {
  JsonArray names;
  for (const Json& call : tools_in(calls)) {
    if (std::string name = tool_name(call); !name.empty()) names.emplace_back(std::move(name));
  }
  return names;
}

// What divides contexts in a cell: `|` as a data set is saved, `;` as test cases are read. A file has one of
// them.
std::string_view divider_of(const std::vector<Record>& records) {
  const bool bars = std::ranges::any_of(records, [](const Record& record) {
    const Json* contexts = first_of(record.fields, kContexts);
    return contexts != nullptr && contexts->is_string() && text_or_json(*contexts).contains('|');
  });
  return bars ? "|" : ";";
}

bool has_input(const Record& record) {
  const Json* input = record.fields.if_contains("input");
  return input != nullptr && input->is_string();
}

struct Taken {
  std::string_view divider;
  bool answered = false;  // the cases have outputs; one that has none is left out
  std::vector<JsonObject> cases = {};
  bool expects = false;
  bool has_contexts = false;
  bool expects_tools = false;
  std::map<std::string, double> theirs = {};  // metrics of a test run, with their thresholds
};

void take_metrics(const JsonObject& fields, JsonObject& one, Taken& taken) {
  const Json* list = first_of(fields, kMetrics);
  if (list == nullptr || !list->is_array()) return;
  JsonObject before;
  for (const Json& metric : list->get_array()) {
    const std::string name = text_at(metric, "name");
    if (name.empty()) continue;
    const Json* threshold = find_member(metric, "threshold");
    taken.theirs.emplace(name, threshold != nullptr ? as_number(*threshold).value_or(0.5) : 0.5);
    if (const Json* score = find_member(metric, "score")) before.insert_or_assign(name, *score);
  }
  if (!before.empty()) one.emplace("deepeval_scores", std::move(before));
}

void take(const Records& records, const Record& record, Taken& taken, ImportedSuite& suite) {
  if (!has_input(record)) {
    const bool turns = record.fields.contains("turns") || record.fields.contains("scenario");
    suite.left_out.push_back({records.place(record), turns ? "conversation" : "test case",
                              turns
                                  ? "test cases of several turns are for `guidelines`: write their turns as "
                                    "`messages`"
                                  : "it has no input"});
    return;
  }
  const Json* output = first_of(record.fields, kOutput);
  if (taken.answered && output == nullptr) {
    suite.left_out.push_back({records.place(record), "test case", std::string(kNotAnswered)});
    return;
  }
  JsonObject one{{"input", record.fields.at("input")}};
  if (const std::string name = text_at(Json(record.fields), "name"); !name.empty()) one.emplace("name", name);
  if (output != nullptr) one.emplace("output", *output);
  if (const Json* expected = first_of(record.fields, kExpected)) {
    one.emplace("expected_output", *expected);
    taken.expects = true;
  }
  if (const Json* contexts = first_of(record.fields, kContexts)) {
    one.emplace("contexts", texts_of(*contexts, taken.divider));
    taken.has_contexts = true;
  }
  if (const Json* called = first_of(record.fields, kCalled)) one.emplace("trace", tool_trace(*called));
  if (const Json* tools = first_of(record.fields, kExpectedTools)) {
    if (JsonArray names = tool_names(*tools); !names.empty()) {
      one.emplace("expected_tools", std::move(names));
      taken.expects_tools = true;
    }
  }
  const Json* described = first_of(record.fields, kMetadata);
  if (const Json metadata = described != nullptr ? unfolded(*described) : Json(); metadata.is_object()) {
    for (const auto& [key, value] : metadata.get_object()) {
      if (!one.contains(key) && key != "id" && key != "checks") one.emplace(key, value);
    }
  }
  take_metrics(record.fields, one, taken);
  taken.cases.push_back(std::move(one));
}

JsonArray metrics_of(const Taken& taken, const std::string& name, ImportedSuite& suite) {
  JsonArray metrics;
  const auto named = [&](std::string_view wanted) {
    return std::ranges::any_of(metrics, [&](const Json& one) { return text_at(one, "name") == wanted; });
  };
  for (const auto& [theirs, threshold] : taken.theirs) {
    const auto* const same = std::ranges::find(kCounterparts, theirs, &Counterpart::theirs);
    if (same == std::end(kCounterparts)) {
      suite.left_out.push_back(
          {name, fmt::format("metric {}", theirs),
           theirs.contains("GEval")
               ? "the file does not hold its criteria: write them as a `rubric`"
               : "declare what it measures under `metrics`: a rubric, a check or a program"});
      continue;
    }
    const auto leave_out = [&](std::string why) {
      suite.left_out.push_back({name, fmt::format("metric {}", theirs), std::move(why)});
    };
    if (named(same->rag)) {
      leave_out(fmt::format("`{}` measures it already, with the threshold of the other", same->rag));
      continue;
    }
    const bool needs_contexts = same->rag == "faithfulness" || same->rag == "context_relevancy";
    if (needs_contexts && !taken.has_contexts) {
      leave_out(fmt::format("`{}` is held against contexts, and no case has retrieval_context or context",
                            same->rag));
      continue;
    }
    metrics.push_back(JsonObject{{"name", same->rag},
                                 {"rag", same->rag},
                                 {"question", "{input}"},
                                 {"passes", same->passes(threshold)}});
    suite.notes.push_back(
        {name, fmt::format("metric {}", theirs), "measured in another way: look at its threshold"});
  }
  if (taken.expects && !named("correct")) {
    metrics.push_back(
        JsonObject{{"name", "correct"},
                   {"rubric", "Says the same as the expected output in everything that matters."},
                   {"shows", JsonArray{"input", "output", "expected_output"}}});
  }
  if (taken.expects_tools)
    metrics.push_back(JsonObject{{"name", "tools"}, {"tool_called", "{expected_tools}"}});
  if (metrics.empty()) metrics.push_back(JsonObject{{"name", "answered"}, {"words", JsonObject{{"min", 1}}}});
  return metrics;
}

}  // namespace

Result<ImportedSuite> import_deepeval(const std::string& name, std::string_view text) {
  std::string inner;
  if (const auto tree = python_json(text)) {
    if (const Json* run = find_member(*tree, kWrapping)) inner = to_text(*run);
    if (inner.empty() && tree->is_object() && tree->get_object().size() == 1 &&
        find_member(*tree, kAddress) != nullptr)
      return fail(
          Error{ErrorKind::data,
                "found the address of a test run and not the run: logged in, DeepEval keeps it at its "
                "service. Set DEEPEVAL_RESULTS_FOLDER, test again and import the file that is written "
                "there, or export the run",
                {{"file", name}}});
  }
  auto records = read_records(name, inner.empty() ? text : inner, kLists);
  if (!records) return fail(std::move(records.error()));
  ImportedSuite suite;
  suite.left_out = std::move(records->bad);
  Taken taken{.divider = divider_of(records->list),
              .answered = std::ranges::any_of(records->list, [](const Record& record) {
                return has_input(record) && first_of(record.fields, kOutput) != nullptr;
              })};
  for (const Record& record : records->list) take(*records, record, taken, suite);
  if (taken.cases.empty())
    return fail(Error{ErrorKind::data,
                      "found no test case with an input: is it a data set or a test run of DeepEval?",
                      {{"file", name}}});
  JsonObject config{
      {"evaluation", "custom"}, {"what", "imported from " + name}, {"input_path", "cases.jsonl"}};
  JsonObject fields;
  if (taken.expects) fields["expected_output"] = JsonObject{{"answer_key", true}, {"optional", true}};
  if (taken.expects_tools) fields["expected_tools"] = JsonObject{{"answer_key", true}, {"optional", true}};
  if (!taken.theirs.empty()) fields["deepeval_scores"] = JsonObject{{"answer_key", true}, {"optional", true}};
  if (!fields.empty()) config["fields"] = std::move(fields);
  if (!taken.answered) {
    config["variants"] = JsonObject{
        {"bot", JsonObject{{"model", JsonObject{{"model", "sim/writer"}, {"prompt", "{input}"}}}}}};
    suite.left_out.push_back({name, fmt::format("outputs of {} cases", taken.cases.size()),
                              "goldens have none: all are asked for, of the built-in model until you put "
                              "your system under `variants`"});
  }
  config["judge"] = JsonObject{{"model", "openai/gpt-4.1"}};
  config["metrics"] = metrics_of(taken, name, suite);
  suite.cases = taken.cases.size();
  suite.metrics = config["metrics"].get_array().size();
  suite.files = {config_file(config, "deepeval", name), cases_file(taken.cases)};
  return suite;
}

}  // namespace assay
