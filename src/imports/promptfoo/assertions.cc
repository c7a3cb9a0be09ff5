#include "imports/promptfoo/assertions.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/embedded.h"
#include "core/text.h"

namespace assay {

std::span<const EmbeddedText> embedded_adapters();

namespace promptfoo {
namespace {

using Made = std::optional<MetricDraft>;

Json text(std::string_view value) {
  return boost::json::string(value);
}

Made left_out(const Assertion& assertion, const std::string& why, Reading& reading) {
  reading.leave_out(assertion.at,
                    fmt::format("assertion {}{}", assertion.inverse ? "not-" : "", assertion.type), why);
  return std::nullopt;
}

std::string number_of(double value) {
  return number_text(value);
}

MetricDraft draft(const Assertion& assertion, std::string_view kind, Json argument) {
  MetricDraft out;
  out.kind = (assertion.inverse ? "not_" : "") + std::string(kind);
  out.argument = std::move(argument);
  return out;
}

bool ignores_case(const Assertion& assertion) {
  return assertion.type.starts_with("icontains");
}

// --- texts -------------------------------------------------------------------------------------------------

Made make_equals(const Assertion& assertion, Reading&) {
  // promptfoo compares lists and objects as JSON, everything else as text.
  const bool tree = assertion.value.is_structured();
  return draft(assertion, "equals", tree ? assertion.value : text(text_or_json(assertion.value)));
}

Made make_contains(const Assertion& assertion, Reading& reading) {
  if (assertion.value.is_null() || assertion.value.is_structured())
    return left_out(assertion, "its value is not a text", reading);
  MetricDraft out = draft(assertion, assertion.type == "starts-with" ? "starts_with" : "contains",
                          text(text_or_json(assertion.value)));
  if (ignores_case(assertion)) out.options["ignore_case"] = true;
  return out;
}

Made make_contains_several(const Assertion& assertion, Reading& reading) {
  const std::string_view kind = assertion.type.ends_with("-any") ? "contains_any" : "contains_all";
  JsonArray list;
  if (const auto plain = as_text(assertion.value)) {
    if (plain->find("{{") != std::string_view::npos) {
      MetricDraft out = draft(assertion, kind, assertion.value);
      if (ignores_case(assertion)) out.options["ignore_case"] = true;
      out.comma_list = true;
      return out;
    }
    for (const std::string& one : comma_separated(*plain)) list.push_back(text(one));
  } else if (const JsonArray* values = assertion.value.if_array()) {
    for (const Json& one : *values) list.push_back(text(text_or_json(one)));
  }
  if (list.empty()) return left_out(assertion, "it has no values", reading);
  MetricDraft out = draft(assertion, kind, std::move(list));
  if (ignores_case(assertion)) out.options["ignore_case"] = true;
  return out;
}

Made make_regex(const Assertion& assertion, Reading& reading) {
  const auto pattern = as_text(assertion.value);
  if (!pattern) return left_out(assertion, "its value is not a text", reading);
  for (const std::string_view beyond : {"(?=", "(?!", "(?<=", "(?<!", "\\1", "\\k<"}) {
    if (pattern->find(beyond) != std::string_view::npos)
      return left_out(assertion,
                      fmt::format("“{}” is not in RE2, which searches in linear time; two metrics, one with "
                                  "not_regex, often say the same",
                                  beyond),
                      reading);
  }
  return draft(assertion, "regex", assertion.value);
}

// --- JSON --------------------------------------------------------------------------------------------------

Made make_json(const Assertion& assertion, Reading& reading) {
  const bool inside = assertion.type == "contains-json";
  if (inside)
    reading.note(assertion.at, "contains-json",
                 "the last JSON in the output is looked at; promptfoo tries each");
  Json schema = assertion.value;
  if (const auto plain = as_text(schema)) {
    const std::string path = file_of(*plain);
    const auto content = path.empty() ? Result<std::string>(std::string(*plain)) : reading.files.read(path);
    if (!content) return left_out(assertion, content.error().text(), reading);
    const auto document = read_document(path.empty() ? "value" : path, *content);
    if (!document) return left_out(assertion, document.error().text(), reading);
    schema = document->value();
  }
  MetricDraft out = draft(assertion, schema.is_object() ? "json_schema" : "json", true);
  if (JsonObject* object = schema.if_object()) {
    // Named drafts would be looked up; what suites use of the older ones means the same in ours.
    if (object->contains("$schema")) object->erase("$schema");
    out.argument = schema;
    out.options["formats"] = true;
  }
  if (inside) out.options["lenient"] = true;
  out.fillable = schema.is_object();
  return out;
}

// --- limits ------------------------------------------------------------------------------------------------

Made make_latency(const Assertion& assertion, Reading& reading) {
  if (!assertion.threshold) return left_out(assertion, "it has no threshold", reading);
  MetricDraft out = draft(assertion, "latency", JsonObject{{"max", number_of(*assertion.threshold) + "ms"}});
  out.fillable = false;
  return out;
}

Made make_cost(const Assertion& assertion, Reading& reading) {
  if (!assertion.threshold) return left_out(assertion, "it has no threshold", reading);
  MetricDraft out = draft(assertion, "cost", JsonObject{{"max", *assertion.threshold}});
  out.fillable = false;
  return out;
}

Made make_words(const Assertion& assertion, Reading& reading) {
  const auto number = as_number(assertion.value);
  if (!number && !assertion.value.is_object())
    return left_out(assertion, "its value is neither a number nor {min, max}", reading);
  MetricDraft out = draft(assertion, "words", assertion.value);
  out.fillable = false;
  return out;
}

Made make_finish(const Assertion& assertion, Reading&) {
  return draft(assertion, "finish", assertion.value);
}

// --- judged ------------------------------------------------------------------------------------------------

Made judged(const Assertion& assertion, std::string_view kind, Json argument, Reading& reading) {
  if (assertion.inverse)
    return left_out(assertion, "a judge is asked for what should be; turn the sentence round", reading);
  if (assertion.provider.present())
    reading.leave_out(assertion.provider, "grading provider of an assertion",
                      "the run's judge is asked; a metric may be given a `model` of its own");
  MetricDraft out = draft(assertion, kind, std::move(argument));
  out.plain = false;
  out.judged = true;
  return out;
}

Made make_rubric(const Assertion& assertion, Reading& reading) {
  const auto rubric = as_text(assertion.value);
  if (!rubric || !file_of(*rubric).empty())
    return left_out(assertion, "its rubric is not a text; write one sentence, or `criteria`, a list of them",
                    reading);
  auto out = judged(assertion, "rubric", assertion.value, reading);
  if (!out) return out;
  if (assertion.threshold && *assertion.threshold > 0 && *assertion.threshold < 1)
    reading.note(assertion.at, "threshold of llm-rubric",
                 "the judge says yes or no, without a score between");
  out->options["shows"] = JsonArray{"output"};
  return out;
}

Made make_closed_question(const Assertion& assertion, Reading& reading) {
  auto out = judged(assertion, "rubric", assertion.value, reading);
  if (out) out->shows_prompt = true;
  return out;
}

Made make_factuality(const Assertion& assertion, Reading& reading) {
  reading.note(assertion.at, "factuality",
               "asked as a rubric, in other words than promptfoo's: a judge may decide otherwise");
  auto out = judged(
      assertion, "rubric",
      text(fmt::format("The output agrees in its facts with this answer of an expert, whatever its style; "
                       "it may say less or more, but contradicts none of it: {}",
                       text_or_json(assertion.value))),
      reading);
  if (out) out->shows_prompt = true;
  return out;
}

Made make_g_eval(const Assertion& assertion, Reading& reading) {
  reading.note(assertion.at, "g-eval",
               "asked as `criteria`, of which the share counts, not as steps of thought with marks");
  JsonArray criteria;
  if (const JsonArray* list = assertion.value.if_array()) {
    criteria = *list;
  } else {
    criteria.push_back(assertion.value);
  }
  auto out = judged(assertion, "criteria", std::move(criteria), reading);
  if (!out) return out;
  out->shows_prompt = true;
  out->options["passes"] = ">= " + number_of(assertion.threshold.value_or(0.7));
  return out;
}

// The provider of an embedding is no judge: "openai:embedding:NAME".
Made make_similar(const Assertion& assertion, Reading& reading) {
  if (assertion.inverse)
    return left_out(assertion, "a text is held against what it should be near to", reading);
  std::string model = "openai/text-embedding-3-large";  // promptfoo's own choice
  if (assertion.provider.present()) {
    constexpr std::string_view kEmbedding = "openai:embedding:";
    const std::string named =
        assertion.provider.is_text() ? assertion.provider.text() : assertion.provider.text_of("id");
    if (!named.starts_with(kEmbedding))
      return left_out(assertion, fmt::format("{} is no provider of embeddings that is known here", named),
                      reading);
    model = "openai/" + named.substr(kEmbedding.size());
  }
  MetricDraft out = draft(assertion, "similar", assertion.value);
  out.options["model"] = model;
  out.options["passes"] = ">= " + number_of(assertion.threshold.value_or(0.75));
  out.plain = false;
  return out;
}

Made make_rag(const Assertion& assertion, Reading& reading) {
  const std::string_view metric = assertion.type == "answer-relevance"    ? "relevance"
                                  : assertion.type == "context-relevance" ? "context_relevancy"
                                                                          : "faithfulness";
  reading.note(
      assertion.at, assertion.type,
      fmt::format("measured as `rag: {}` of rag_answers: another method, so look at its threshold{}", metric,
                  metric == "relevance"
                      ? "; the question is `query`, or without it what the prompts are filled with"
                      : ""));
  auto out = judged(assertion, "rag", text(metric), reading);
  if (!out) return out;
  out->fillable = false;
  out->asks_of_prompt = metric == "relevance";
  if (metric != "relevance") {
    out->options["question"] = "{{query}}";
    out->options["contexts"] = "{{context}}";
  }
  out->options["passes"] =
      ">= " + number_of(assertion.threshold.value_or(metric == "context_relevancy" ? 0 : 0.75));
  return out;
}

// --- programs ----------------------------------------------------------------------------------------------

Made make_program(const Assertion& assertion, Reading& reading) {
  const auto value = as_text(assertion.value);
  if (!value) return left_out(assertion, "its value is not a text", reading);
  ScorerDraft scorer;
  scorer.language =
      assertion.type == "python" ? ScorerDraft::Language::python : ScorerDraft::Language::javascript;
  scorer.threshold = assertion.threshold;
  scorer.inverse = assertion.inverse;
  scorer.parsed = assertion.parsed;
  if (assertion.config.present()) scorer.config = assertion.config.value();
  scorer.file = file_of(*value);
  if (!scorer.file.empty()) {
    const std::size_t colon = scorer.file.find(':');
    if (colon != std::string::npos) {
      scorer.function = scorer.file.substr(colon + 1);
      scorer.file.resize(colon);
    }
    if (extension_of(scorer.file) == ".ts")
      return left_out(assertion, "TypeScript is not run; compile it to .mjs", reading);
    const auto code = reading.files.read(scorer.file);
    if (!code) return left_out(assertion, code.error().text(), reading);
    scorer.code = *code;
    reading.note(assertion.at, scorer.file, "the scorer was copied; files that it reads or imports were not");
  } else {
    if (value->find("{{") != std::string_view::npos || value->find("{%") != std::string_view::npos)
      return left_out(assertion, "a template inside code is not filled; read the variable from context.vars",
                      reading);
    scorer.inline_code = true;
    scorer.code = *value;
  }
  MetricDraft out = draft(Assertion{}, "program", nullptr);
  out.options["passes"] = "said";  // by the adapter, which reads results as promptfoo does
  out.fillable = false;
  out.plain = false;
  out.scorer = std::move(scorer);
  return out;
}

// The distance in edits is no share of a length; a small program of the import counts them as promptfoo does.
Made make_levenshtein(const Assertion& assertion, Reading&) {
  ScorerDraft scorer;
  scorer.inverse = assertion.inverse;
  scorer.config = JsonObject{{"edits", assertion.threshold.value_or(5)}};
  for (const EmbeddedText& adapter : embedded_adapters()) {
    if (adapter.name == "levenshtein.py") scorer.code = adapter.text;
  }
  MetricDraft out = draft(Assertion{}, "program", text(text_or_json(assertion.value)));
  out.options["passes"] = "said";
  out.plain = false;
  out.scorer = std::move(scorer);
  return out;
}

// --- the table ---------------------------------------------------------------------------------------------

struct AssertionKind {
  std::string_view type;
  Made (*make)(const Assertion& assertion, Reading& reading);  // null: left out
  std::string_view why = {};
};

constexpr std::string_view kNoMeasure = "this measure is not here; rouge_l, token_f1 and levenshtein are";
constexpr std::string_view kNoEmbedding = "embeddings are compared by their cosine only";
constexpr std::string_view kNoTools =
    "promptfoo checks calls against the provider's tools; here `tool_called`, `tool_order` and "
    "`tool_arguments` look at the trace";
constexpr std::string_view kNoTrace =
    "it looks at promptfoo's own traces; `assay import otel` makes cases of yours";
constexpr std::string_view kWriteProgram = "it has no counterpart; a `program` can check it";
constexpr std::string_view kService =
    "it asks a service of promptfoo's or a classifier; a `judge` or `http` metric can";

constexpr auto kKinds = std::to_array<AssertionKind>({
    {"equals", make_equals},
    {"contains", make_contains},
    {"icontains", make_contains},
    {"starts-with", make_contains},
    {"contains-any", make_contains_several},
    {"contains-all", make_contains_several},
    {"icontains-any", make_contains_several},
    {"icontains-all", make_contains_several},
    {"regex", make_regex},
    {"is-json", make_json},
    {"contains-json", make_json},
    {"latency", make_latency},
    {"cost", make_cost},
    {"word-count", make_words},
    {"finish-reason", make_finish},
    {"levenshtein", make_levenshtein},
    {"llm-rubric", make_rubric},
    {"model-graded-closedqa", make_closed_question},
    {"factuality", make_factuality},
    {"model-graded-factuality", make_factuality},
    {"g-eval", make_g_eval},
    {"similar", make_similar},
    {"similar:cosine", make_similar},
    {"answer-relevance", make_rag},
    {"context-faithfulness", make_rag},
    {"context-relevance", make_rag},
    {"python", make_program},
    {"javascript", make_program},
    {"context-recall", nullptr, "none of the rag metrics holds a context against an expected answer"},
    {"similar:dot", nullptr, kNoEmbedding},
    {"similar:euclidean", nullptr, kNoEmbedding},
    {"rouge-n", nullptr, kNoMeasure},
    {"bleu", nullptr, kNoMeasure},
    {"gleu", nullptr, kNoMeasure},
    {"meteor", nullptr, kNoMeasure},
    {"perplexity", nullptr, "log probabilities are not asked for"},
    {"perplexity-score", nullptr, "log probabilities are not asked for"},
    {"select-best", nullptr, "a `pairwise` metric holds each variant against the baseline, blind"},
    {"max-score", nullptr, "`gates` and the comparison say which variant is best"},
    {"is-valid-openai-tools-call", nullptr, kNoTools},
    {"is-valid-openai-function-call", nullptr, kNoTools},
    {"is-valid-function-call", nullptr, kNoTools},
    {"tool-call-f1", nullptr, kNoTools},
    {"is-refusal", nullptr, "phrases of refusal are not listed here; a `rubric` asks for it"},
    {"is-html", nullptr, kWriteProgram},
    {"contains-html", nullptr, kWriteProgram},
    {"is-xml", nullptr, kWriteProgram},
    {"contains-xml", nullptr, kWriteProgram},
    {"is-sql", nullptr, kWriteProgram},
    {"contains-sql", nullptr, kWriteProgram},
    {"ruby", nullptr, "Ruby is not run; write the scorer as a `program`, in any language"},
    {"webhook", nullptr, "its requests have another form; an `http` metric is near"},
    {"moderation", nullptr, kService},
    {"classifier", nullptr, kService},
    {"guardrails", nullptr, kService},
    {"pi", nullptr, kService},
    {"search-rubric", nullptr, kService},
    {"agent-rubric", nullptr, kService},
    {"conversation-relevance", nullptr, "cases are single answers; `guidelines` judges conversations"},
    {"skill-used", nullptr, kNoTrace},
    {"trace-span-count", nullptr, kNoTrace},
    {"trace-span-duration", nullptr, kNoTrace},
    {"trace-error-spans", nullptr, kNoTrace},
    {"trajectory:tool-used", nullptr, kNoTrace},
    {"trajectory:tool-args-match", nullptr, kNoTrace},
    {"trajectory:tool-sequence", nullptr, kNoTrace},
    {"trajectory:step-count", nullptr, kNoTrace},
    {"trajectory:goal-success", nullptr, kNoTrace},
});

}  // namespace

bool is_assertion_type(std::string_view type) {
  return std::ranges::find(kKinds, type, &AssertionKind::type) != kKinds.end();
}

std::optional<MetricDraft> translate(const Assertion& assertion, Reading& reading) {
  const auto kind = std::ranges::find(kKinds, assertion.type, &AssertionKind::type);
  if (kind == kKinds.end()) return left_out(assertion, "there is no such kind here", reading);
  if (kind->make == nullptr) return left_out(assertion, std::string(kind->why), reading);
  auto out = kind->make(assertion, reading);
  if (!out) return out;
  const bool beside_output =
      assertion.type == "latency" || assertion.type == "cost" || assertion.type == "finish-reason";
  if (!assertion.of.empty() && !beside_output) out->options["of"] = assertion.of;
  if (assertion.weight != 1) out->options["weight"] = assertion.weight;
  return out;
}

}  // namespace promptfoo
}  // namespace assay
