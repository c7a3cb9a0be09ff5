#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "imports/datasets/datasets.h"
#include "imports/datasets/records.h"
#include "imports/traces/conversation.h"

namespace assay {
namespace {

using namespace datasets;

constexpr std::string_view kLists[] = {"samples"};
constexpr std::string_view kHeldAgainstTargets[] = {"includes", "match", "exact", "choice", "f1"};

// The text of a message: itself, or its parts.
std::string text_of_content(const Json& content) {
  if (const auto text = as_text(content)) return std::string(*text);
  std::string out;
  for (const Json& part : content.is_array() ? content.get_array() : JsonArray())
    out += text_at(part, "text");
  return out;
}

std::string input_text(const Json& input) {
  if (const auto text = as_text(input)) return std::string(*text);
  std::string last;
  for (const Json& message : input.is_array() ? input.get_array() : JsonArray()) {
    const Json* content = find_member(message, "content");
    if (text_at(message, "role") == "user" && content != nullptr) last = text_of_content(*content);
  }
  return last;
}

// Tool calls of the assistant in order, each with what came back.
JsonArray trace_of(const Json& messages) {
  JsonArray trace;
  std::vector<std::pair<std::string, std::size_t>> open;
  for (const Json& message : messages.is_array() ? messages.get_array() : JsonArray()) {
    if (const Json* calls = find_member(message, "tool_calls"); calls != nullptr && calls->is_array()) {
      for (const Json& call : calls->get_array()) {
        JsonObject step{{"tool", text_at(call, "function")}};
        if (const Json* arguments = find_member(call, "arguments"))
          step["arguments"] = call_arguments(*arguments);
        open.emplace_back(text_at(call, "id"), trace.size());
        trace.push_back(std::move(step));
      }
    }
    if (text_at(message, "role") != "tool") continue;
    const std::string id = text_at(message, "tool_call_id");
    for (const auto& [call, place] : open) {
      const Json* content = find_member(message, "content");
      if (call == id && content != nullptr) trace[place].get_object()["result"] = text_of_content(*content);
      if (const Json* error = find_member(message, "error");
          call == id && error != nullptr && !error->is_null())
        trace[place].get_object()["error"] = true;
    }
  }
  return trace;
}

std::optional<std::string> output_of(const JsonObject& sample) {
  const Json* output = sample.if_contains("output");
  const Json* choices = output != nullptr ? find_member(*output, "choices") : nullptr;
  if (choices == nullptr || !choices->is_array() || choices->get_array().empty()) return std::nullopt;
  const Json* message = find_member(choices->get_array().front(), "message");
  const Json* content = message != nullptr ? find_member(*message, "content") : nullptr;
  if (content == nullptr) return std::nullopt;
  return text_of_content(*content);
}

bool has_error(const JsonObject& sample) {
  const Json* error = sample.if_contains("error");
  return error != nullptr && !error->is_null();
}

std::string asked_of(const JsonObject& sample) {
  const Json* input = sample.if_contains("input");
  return input != nullptr ? input_text(*input) : std::string();
}

struct Taken {
  bool answered = false;  // the samples have outputs; one that has none is left out
  std::vector<JsonObject> cases = {};
  bool has_targets = false;
  bool has_epochs = false;
  bool has_choices = false;
  bool has_traces = false;
  std::set<std::string> scorers = {};
  std::set<std::string> ids = {};
};

void take(const Records& records, const Record& record, Taken& taken, ImportedSuite& suite) {
  const JsonObject& sample = record.fields;
  const std::string asked = asked_of(sample);
  if (asked.empty()) {
    suite.left_out.push_back({records.place(record), "sample", "it has no input that is text"});
    return;
  }
  const Json* own_id = sample.if_contains("id");
  const std::string sample_id =
      own_id != nullptr && !own_id->is_null() ? text_or_json(*own_id) : fmt::format("{}", record.number);
  const Json* epoch = sample.if_contains("epoch");
  const std::int64_t turn = epoch != nullptr ? as_integer(*epoch).value_or(1) : 1;
  std::string id = turn > 1 ? fmt::format("{}#{}", sample_id, turn) : sample_id;
  if (!taken.ids.insert(id).second) {
    suite.left_out.push_back({records.place(record), fmt::format("sample {}", id), "its id is there twice"});
    return;
  }
  if (has_error(sample)) {
    suite.left_out.push_back(
        {records.place(record), fmt::format("output of {}", id), "the sample ended in error"});
    return;
  }
  const auto said = output_of(sample);
  if (taken.answered && !said) {
    suite.left_out.push_back(
        {records.place(record), fmt::format("sample {}", id), std::string(kNotAnswered)});
    return;
  }
  taken.has_epochs = taken.has_epochs || turn > 1;
  JsonObject one{{"id", id}, {"sample", sample_id}, {"input", asked}};
  if (const Json* target = sample.if_contains("target"); target != nullptr && !target->is_null()) {
    // A text is one target, also where it looks like a list.
    if (JsonArray targets = target->is_array() ? texts_of(*target, "") : JsonArray{text_or_json(*target)};
        !targets.empty() && !text_or_json(targets.front()).empty()) {
      one.emplace("first_target", targets.front());
      one.emplace("target", std::move(targets));
      taken.has_targets = true;
    }
  }
  if (const Json* choices = sample.if_contains("choices"); choices != nullptr && !choices->is_null()) {
    if (JsonArray texts = texts_of(*choices, ","); !texts.empty()) {
      one.emplace("choices", std::move(texts));
      taken.has_choices = true;
    }
  }
  const Json* described = sample.if_contains("metadata");
  if (const Json metadata = described != nullptr ? unfolded(*described) : Json(); metadata.is_object()) {
    for (const auto& [key, value] : metadata.get_object()) {
      if (!one.contains(key) && key != "output" && key != "checks" && key != "trace") one.emplace(key, value);
    }
  }
  if (said) one["output"] = *said;
  if (const Json* messages = sample.if_contains("messages")) {
    if (JsonArray trace = trace_of(*messages); !trace.empty()) {
      one["trace"] = std::move(trace);
      taken.has_traces = true;
    }
  }
  if (const Json* scores = sample.if_contains("scores"); scores != nullptr && scores->is_object()) {
    JsonObject before;
    for (const auto& [scorer, score] : scores->get_object()) {
      taken.scorers.insert(scorer);
      if (const Json* value = find_member(score, "value")) before.insert_or_assign(scorer, *value);
    }
    one["inspect_scores"] = std::move(before);
  }
  taken.cases.push_back(std::move(one));
}

bool among(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// `match` and its like look past white space around a target, `includes` does not: where it is asked, too,
// the targets stay as they are.
void trim_targets(Taken& taken) {
  if (taken.scorers.empty() || taken.scorers.contains("includes")) return;
  const auto trimmed = [](Json& value) {
    if (const auto text = as_text(value); text && !trim(*text).empty())
      value = boost::json::string(std::string(trim(*text)));
  };
  for (JsonObject& one : taken.cases) {
    if (Json* first = one.if_contains("first_target")) trimmed(*first);
    Json* targets = one.if_contains("target");
    if (targets == nullptr || !targets->is_array()) continue;
    for (Json& target : targets->get_array()) trimmed(target);
  }
}

JsonArray metrics_of(const Taken& taken, const std::string& name, ImportedSuite& suite) {
  JsonArray metrics;
  std::set<std::string> scorers = taken.scorers;
  if (scorers.empty() && taken.has_targets) scorers.insert("includes");
  for (const std::string& scorer : scorers) {
    if (!taken.has_targets && among(scorer, kHeldAgainstTargets)) continue;
    if (scorer == "includes" || scorer == "match") {
      metrics.push_back(JsonObject{{"name", scorer}, {"contains_any", "{target}"}, {"ignore_case", true}});
      if (scorer == "match")
        suite.notes.push_back({name, "scorer match", "here the target may stand anywhere in the output"});
    } else if (scorer == "exact") {
      metrics.push_back(JsonObject{{"name", scorer},
                                   {"equals", "{first_target}"},
                                   {"ignore_case", true},
                                   {"ignore_space", true},
                                   {"ignore_punctuation", true}});
      suite.notes.push_back({name, "scorer exact", "compared with the first target of each sample"});
    } else if (scorer == "choice") {
      metrics.push_back(JsonObject{{"name", scorer}, {"regex", R"((?i)ANSWER\s*:\s*\(?{first_target}\b)"}});
      suite.notes.push_back(
          {name, "scorer choice", "looked for as ANSWER: X, which is what multiple_choice asks for"});
    } else if (scorer == "f1") {
      metrics.push_back(JsonObject{{"name", scorer}, {"token_f1", "{target}"}});
    } else if (scorer.starts_with("model_graded")) {
      metrics.push_back(JsonObject{{"name", scorer},
                                   {"rubric", "Answers the question with what one of the targets says."},
                                   {"shows", JsonArray{"input", "output", "target"}}});
      suite.notes.push_back({name, "scorer " + scorer, "other words: look at its verdicts"});
    } else {
      suite.left_out.push_back({name, "scorer " + scorer,
                                "declare what it measures under `metrics`: a check, a "
                                "rubric, or the scorer itself as a `program`"});
    }
  }
  if (metrics.empty()) metrics.push_back(JsonObject{{"name", "answered"}, {"words", JsonObject{{"min", 1}}}});
  return metrics;
}

}  // namespace

Result<ImportedSuite> import_inspect(const std::string& name, std::string_view text) {
  if (name.ends_with(".eval") || text.starts_with("PK\x03\x04"))
    return fail(Error{ErrorKind::data,
                      "found a log in Inspect's packed form, expected JSON: inspect log convert --to json "
                      "--output-dir logs-json FILE",
                      {{"file", name}}});
  auto records = read_records(name, text, kLists);
  if (!records) return fail(std::move(records.error()));
  ImportedSuite suite;
  suite.left_out = std::move(records->bad);
  Taken taken{.answered = std::ranges::any_of(records->list, [](const Record& record) {
                return !asked_of(record.fields).empty() && !has_error(record.fields) &&
                       output_of(record.fields);
              })};
  for (const Record& record : records->list) take(*records, record, taken, suite);
  trim_targets(taken);
  if (taken.cases.empty())
    return fail(Error{ErrorKind::data,
                      "found no sample with an input: is it a log of Inspect as JSON, or its samples?",
                      {{"file", name}}});
  JsonObject config{
      {"evaluation", "custom"}, {"what", "imported from " + name}, {"input_path", "cases.jsonl"}};
  JsonObject fields;
  if (taken.has_targets) {
    for (const std::string_view key : {"target", "first_target"})
      fields[key] = JsonObject{{"answer_key", true}, {"optional", true}};
  }
  if (!taken.scorers.empty()) fields["inspect_scores"] = JsonObject{{"answer_key", true}, {"optional", true}};
  if (!fields.empty()) config["fields"] = std::move(fields);
  if (taken.has_epochs) config["cluster"] = "sample";
  if (!taken.answered) {
    config["variants"] = JsonObject{
        {"bot", JsonObject{{"model", JsonObject{{"model", "sim/writer"}, {"prompt", "{input}"}}}}}};
    suite.left_out.push_back({name, fmt::format("outputs of {} samples", taken.cases.size()),
                              "a data set has none, and solvers are no data: all are asked for, of the "
                              "built-in model until you put your "
                              "system under `variants`"});
    if (taken.has_choices)
      suite.notes.push_back({name, "choices", "the prompt shows the question alone: put {choices} into it"});
  }
  config["judge"] = JsonObject{{"model", "openai/gpt-4o"}};
  config["metrics"] = metrics_of(taken, name, suite);
  suite.cases = taken.cases.size();
  suite.metrics = config["metrics"].get_array().size();
  suite.files = {config_file(config, "inspect", name), cases_file(taken.cases)};
  return suite;
}

}  // namespace assay
