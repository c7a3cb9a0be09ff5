#include "evaluations/custom/asked/kinds.h"

#include <algorithm>

#include "evaluations/components/rag_metrics.h"
#include "evaluations/components/target.h"
#include "evaluations/custom/asked/judgement.h"

namespace assay::custom {
namespace {

Key text_key(std::string name) {
  return {.name = std::move(name), .help = "See the table of metrics."};
}

Key rubric_key() {
  return text_key("rubric");
}

Key criteria_key() {
  return {.name = "criteria", .type = KeyType::text_list, .help = "See the table of metrics."};
}

Key judge_kind_key() {
  return {.name = "judge",
          .type = KeyType::object,
          .help = "See the table of metrics.",
          .keys = {{.name = "prompt",
                    .type = KeyType::file_or_value,
                    .help = "A file or the prompt itself, with `{output}` and fields.",
                    .required = true},
                   {.name = "schema",
                    .type = KeyType::file_or_value,
                    .help = "JSON schema of the judgement; by default a reason and a score on the scale."},
                   {.name = "score",
                    .help = "JSON pointer to a number, true or false, or an enum (its values from low to "
                            "high); by default /score."}}};
}

Key label_key() {
  return {.name = "label",
          .type = KeyType::object,
          .help = "See the table of metrics.",
          .keys = {{.name = "judge",
                    .type = KeyType::file_or_value,
                    .help = "The prompt of a judge that says the class; left out: the output is the class."},
                   {.name = "of", .type = KeyType::text_list, .help = "The classes."},
                   {.name = "expected", .help = "The right class, with `{field}`."}}};
}

Key rag_key() {
  Key key = text_key("rag");
  for (const components::RagMetricKind& kind : components::rag_metric_kinds())
    key.choices.emplace_back(kind.name);
  return key;
}

Key program_key() {
  return {.name = "program", .type = KeyType::command, .help = "See the table of metrics."};
}

Key http_key() {
  for (Key& key : components::target_key().keys) {
    if (key.name != "http") continue;
    std::erase_if(key.keys, [](const Key& inner) { return inner.name == "map"; });
    key.help = "See the table of metrics.";
    return key;
  }
  return text_key("http");
}

Key similar_key() {
  return {.name = "similar", .type = KeyType::any, .help = "See the table of metrics."};
}

Keys similar_options() {
  return {{.name = "model",
           .help = "A judge of its own in place of `judge`; similar: the model of the embeddings."}};
}

Key pairwise_key() {
  return {.name = "pairwise",
          .type = KeyType::object,
          .help = "See the table of metrics.",
          .keys = {{.name = "rubric",
                    .help = "The question that decides which answer is better.",
                    .required = true},
                   {.name = "swap",
                    .type = KeyType::boolean,
                    .help = "Whether both orders are judged; otherwise chance decides who is first.",
                    .default_value = true}},
          .shorthand = "rubric"};
}

Keys rag_options() {
  Keys keys = judged_options();
  keys.push_back({.name = "question", .help = "rag: the question, with `{field}`."});
  keys.push_back({.name = "reference", .help = "rag: the ideal answer, with `{field}`."});
  keys.push_back({.name = "contexts", .help = "rag: the contexts, with `{field}`; by default `{contexts}`."});
  return keys;
}

Keys program_options() {
  return {{.name = "processes",
           .type = KeyType::integer,
           .help = "program: how many of it run side by side.",
           .minimum = 1,
           .maximum = 256},
          {.name = "in_flight",
           .type = KeyType::integer,
           .help = "program: how many questions one process has at a time.",
           .minimum = 1,
           .maximum = 10000},
          {.name = "timeout",
           .type = KeyType::duration,
           .help = "program and http: longest time for one answer."},
          {.name = "env",
           .type = KeyType::any,
           .help = "program: further variables; `${NAME}` is filled from the environment and kept secret.",
           .fills = Fills::when_used},
          {.name = "cwd",
           .type = KeyType::path,
           .help = "program: the directory that it starts in; by default Assay's."}};
}

Keys http_options() {
  return {{.name = "timeout",
           .type = KeyType::duration,
           .help = "program and http: longest time for one answer."}};
}

constexpr std::string_view kScored = "`NAME.mean`, `NAME.median`; `NAME.rate` with `passes`";

constexpr AskedKind kKinds[] = {
    {.name = "rubric",
     .argument = "a sentence, with `{field}`",
     .help = "A judge says whether the output fulfils the sentence, with a reason.",
     .value = "yes or no",
     .figures = "`NAME.rate`; `NAME.judge_noise` with `votes`",
     .example = "{name: correct, rubric: \"Gives the same amount as the reference.\"}",
     .key = rubric_key,
     .options = judged_options,
     .make = make_rubric},
    {.name = "criteria",
     .argument = "a list of sentences, with `{field}`",
     .help = "A judge says of each sentence whether the output fulfils it; the score is the share that is "
             "fulfilled.",
     .value = "0 to 1",
     .figures = kScored,
     .example = "{name: complete, criteria: [\"Names the sum.\", \"Names the deadline.\"], passes: \">= 1\"}",
     .key = criteria_key,
     .options = judged_options,
     .make = make_criteria},
    {.name = "judge",
     .argument = "{prompt, schema, score}",
     .help = "A judge with a prompt and a schema of your own; `score` points to a number, true or false, or "
             "an enum in its answer.",
     .value = "a number in `scale`",
     .figures = kScored,
     .example =
         "{name: tone, judge: {prompt: prompts/tone.txt, score: /level}, scale: [1, 5], passes: \">= 4\"}",
     .key = judge_kind_key,
     .options = judged_options,
     .make = make_own_judge},
    {.name = "label",
     .argument = "{judge, of, expected}",
     .help = "Which class the output is, or belongs to by a judge's word, held against the expected one.",
     .value = "a class",
     .figures = "`NAME.accuracy`, `NAME.macro_f1`, `NAME.cohen_kappa`, `NAME.precision.LABEL` and so on, the "
                "confusion matrix",
     .example = "{name: topic, label: {judge: prompts/topic.txt, of: [refund, other], expected: \"{area}\"}}",
     .key = label_key,
     .options = judged_options,
     .make = make_label_judge},
    {.name = "rag",
     .argument = "a metric of rag_answers",
     .help = "One of the judged metrics of rag_answers on fields that you name.",
     .value = "0 to 1",
     .figures = kScored,
     .example = "{name: grounded, rag: faithfulness, contexts: \"{contexts}\"}",
     .key = rag_key,
     .options = rag_options,
     .make = make_rag},
    {.name = "program",
     .argument = "a program and its arguments",
     .help = "A program of yours scores the output, line by line.",
     .value = "a number in `scale`, or several by name",
     .figures = "`NAME.mean`, `NAME.PART.mean`; `NAME.rate` with `passes`",
     .example = "{name: style, program: [python3, score.py], passes: \">= 0.7\"}",
     .key = program_key,
     .options = program_options,
     .make = make_program},
    {.name = "http",
     .argument = "{url, method, headers, body}",
     .help = "A service of yours scores the output.",
     .value = "a number in `scale`, or several by name",
     .figures = "`NAME.mean`, `NAME.PART.mean`; `NAME.rate` with `passes`",
     .example = "{name: style, http: {url: \"http://127.0.0.1:9000/score\"}}",
     .key = http_key,
     .options = http_options,
     .make = make_http_scorer},
    {.name = "similar",
     .argument = "a text, or a list of which the nearest counts",
     .help =
         "How near the output's meaning is to a text, by the embeddings of `model` (cosine, not below 0).",
     .value = "0 to 1",
     .figures = kScored,
     .example = "{name: near, similar: \"{reference}\", model: openai/text-embedding-3-small, passes: \">= "
                "0.8\"}",
     .key = similar_key,
     .options = similar_options,
     .make = make_similar},
    {.name = "pairwise",
     .argument = "{rubric, swap}",
     .help = "A judge says, blind, whether the output or the baseline's is better.",
     .value = "win, tie or loss",
     .figures = "`NAME.win_rate.VARIANT`, `NAME.seat_effect`",
     .example = "{name: better, pairwise: {rubric: \"Which answer would a customer rather have?\"}}",
     .key = pairwise_key,
     .options = judged_options,
     .make = make_pairwise},
};

}  // namespace

std::span<const AskedKind> asked_kinds() {
  return kKinds;
}

const AskedKind* find_asked(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &AskedKind::name);
  return found == std::end(kKinds) ? nullptr : &*found;
}

}  // namespace assay::custom
