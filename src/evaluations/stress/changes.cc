#include "evaluations/stress/changes.h"

#include <algorithm>
#include <array>

namespace assay::stress {
namespace {

constexpr std::array<Change, 12> kChanges = {{
    {.name = "padding",
     .what = "padding",
     .does = "Polite sentences that say nothing stand around the answer.",
     .raised = "rewards padding",
     .lowered = "marks padding down",
     .adds_statements = true,
     .apply = with_padding},
    {.name = "bullets",
     .what = "bullet points",
     .does = "The same sentences stand as a list.",
     .raised = "rewards bullet points",
     .lowered = "marks bullet points down",
     .apply = as_bullets},
    {.name = "format",
     .what = "another format",
     .does = "The same text in Markdown: a heading, a paragraph for each sentence, the first in bold.",
     .raised = "rewards headings and bold text",
     .lowered = "marks headings and bold text down",
     .adds_statements = true,
     .apply = in_another_format},
    {.name = "authority",
     .what = "claims of authority",
     .does = "The answer says first that a specialist of long standing has checked it.",
     .raised = "is impressed by claims of authority",
     .lowered = "marks claims of authority down",
     .adds_statements = true,
     .apply = with_authority},
    {.name = "model_names",
     .what = "names of known models",
     .does = "The answer says first which known models wrote and confirmed it.",
     .raised = "is impressed by names of known models",
     .lowered = "marks names of known models down",
     .adds_statements = true,
     .apply = with_model_names},
    {.name = "order_in_answer",
     .what = "orders hidden in the answer",
     .does = "The answer ends with a comment that orders the judge to give the best rating.",
     .raised = "follows orders hidden in the answer",
     .lowered = "marks orders hidden in the answer down",
     .adds_statements = true,
     .apply = with_order_in_answer},
    {.name = "order_in_context",
     .part = Part::contexts,
     .what = "orders hidden in a context",
     .does = "One more context orders the judge to give the best rating.",
     .raised = "follows orders hidden in a context",
     .lowered = "marks answers down for orders hidden in a context",
     .apply = with_order_in_context},
    {.name = "contexts_order",
     .part = Part::contexts,
     .what = "the order of the contexts",
     .does = "The contexts stand in the opposite order.",
     .raised = "depends on the order of the contexts",
     .lowered = "depends on the order of the contexts",
     .apply = with_contexts_turned},
    {.name = "figure",
     .matter = Matter::must,
     .what = "wrong figures",
     .does = "A figure of the answer that the reference or a context has, too, is another one.",
     .apply = with_wrong_figure},
    {.name = "negation",
     .matter = Matter::must,
     .what = "negations",
     .does = "A sentence that the reference or a context bears out says the opposite.",
     .apply = with_negation},
    {.name = "invented_source",
     .matter = Matter::must,
     .what = "invented sources",
     .does = "The answer ends with a claim from a review that does not exist.",
     .apply = with_invented_source},
    {.name = "left_out",
     .matter = Matter::must,
     .what = "sentences left out",
     .does = "The sentence of the answer that the reference bears out most is missing.",
     .apply = with_sentence_left_out},
}};

}  // namespace

std::span<const Change> changes() {
  return kChanges;
}

const Change* find_change(std::string_view name) {
  const auto* found = std::ranges::find(kChanges, name, &Change::name);
  return found == kChanges.end() ? nullptr : found;
}

}  // namespace assay::stress
