#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "imports/datasets/datasets.h"
#include "imports/datasets/records.h"

namespace assay {
namespace {

using namespace datasets;

constexpr std::string_view kLists[] = {"samples", "data", "dataset"};
constexpr std::string_view kQuestion[] = {"user_input", "question"};
constexpr std::string_view kAnswer[] = {"response", "answer"};
constexpr std::string_view kContexts[] = {"retrieved_contexts", "contexts"};
constexpr std::string_view kReference[] = {"reference", "ground_truth", "ground_truths"};

struct Found {
  std::size_t contexts = 0;
  std::size_t references = 0;
};

JsonArray metrics_for(const Found& found, bool asks) {
  JsonArray metrics{"relevance"};
  if (found.contexts > 0 && !asks) {
    metrics.emplace_back("faithfulness");
    metrics.emplace_back("context_relevancy");
  }
  if (found.references > 0) {
    metrics.emplace_back("factual_precision");
    metrics.emplace_back("factual_recall");
  }
  return metrics;
}

// Null if it has none that is text.
const Json* text_of(const JsonObject& fields, std::span<const std::string_view> names) {
  const Json* value = first_of(fields, names);
  return value != nullptr && value->is_string() ? value : nullptr;
}

bool known(std::string_view key) {
  for (const auto& names : {std::span(kQuestion), std::span(kAnswer), std::span(kContexts)}) {
    for (const std::string_view name : names) {
      if (name == key) return true;
    }
  }
  return key == "reference" || key == "ground_truth" || key == "ground_truths";
}

}  // namespace

Result<ImportedSuite> import_ragas(const std::string& name, std::string_view text) {
  auto records = read_records(name, text, kLists);
  if (!records) return fail(std::move(records.error()));
  ImportedSuite suite;
  suite.left_out = std::move(records->bad);
  std::vector<JsonObject> cases;
  Found found;
  const bool asks = std::ranges::none_of(records->list, [](const Record& record) {
    return text_of(record.fields, kQuestion) != nullptr && text_of(record.fields, kAnswer) != nullptr;
  });
  for (const Record& record : records->list) {
    const Json* question = first_of(record.fields, kQuestion);
    if (question == nullptr || !question->is_string()) {
      suite.left_out.push_back({records->place(record), "sample",
                                question == nullptr ? "it has neither user_input nor question"
                                                    : "its user_input is a conversation; `guidelines` and "
                                                      "`custom` judge those"});
      continue;
    }
    const Json* answer = text_of(record.fields, kAnswer);
    if (!asks && answer == nullptr) {
      suite.left_out.push_back({records->place(record), "sample", std::string(kNotAnswered)});
      continue;
    }
    JsonObject one{{"question", *question}};
    if (answer != nullptr) one.emplace("llm_answer", *answer);
    if (const Json* contexts = first_of(record.fields, kContexts)) {
      if (JsonArray texts = texts_of(*contexts, ""); !texts.empty()) {
        ++found.contexts;
        // Who gives the answer brings what it rests on.
        if (!asks) one.emplace("structured_contexts", std::move(texts));
      }
    }
    if (const Json* reference = first_of(record.fields, kReference)) {
      // Older data sets have a list of one.
      const JsonArray texts = texts_of(*reference, "");
      if (!texts.empty()) {
        one.emplace("ideal_answer", texts.front());
        ++found.references;
      }
      if (texts.size() > 1)
        suite.left_out.push_back({records->place(record), "ground_truths", "only the first is taken"});
    }
    // What else a row says (scores of an earlier evaluation among it) is kept beside the results.
    for (const auto& [key, value] : record.fields) {
      if (!known(key) && !one.contains(key)) one.emplace(key, value);
    }
    cases.push_back(std::move(one));
  }
  if (cases.empty())
    return fail(Error{ErrorKind::data,
                      "found no sample with user_input or question: is it a data set of Ragas?",
                      {{"file", name}}});
  JsonObject config{
      {"evaluation", "rag_answers"}, {"what", "imported from " + name}, {"input_path", "cases.jsonl"}};
  if (asks) {
    config["generate"] = true;
    config["target"] = JsonObject{
        {"model", JsonObject{{"model", "sim/writer"}, {"prompt", "Answer the question.\n{question}"}}}};
    suite.left_out.push_back(
        {name, fmt::format("answers of {} samples", cases.size()),
         "they are not in the data: all are asked for, of the built-in model until you put your system under "
         "`target`"});
    if (found.contexts > 0)
      suite.left_out.push_back({name, fmt::format("contexts of {} samples", found.contexts),
                                "an answer that is asked for rests on its own: map `structured_contexts` of "
                                "your system"});
  }
  config["judge"] = JsonObject{{"model", "openai/gpt-4o-mini"}};
  config["metrics"] = metrics_for(found, asks);
  config["n_runs"] = 1;
  suite.notes.push_back({name, "metrics",
                         "a data set names none: those that its columns allow are set, judged by "
                         "openai/gpt-4o-mini"});
  suite.cases = cases.size();
  suite.metrics = config["metrics"].get_array().size();
  suite.files = {config_file(config, "ragas", name), cases_file(cases)};
  return suite;
}

}  // namespace assay
