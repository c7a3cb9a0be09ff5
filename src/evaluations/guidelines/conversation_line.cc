#include "evaluations/guidelines/conversation_line.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "stats/intervals/mean.h"

namespace assay::guidelines {
namespace {

constexpr double kUndetermined = -1;  // a failure among the notable cases
constexpr double kWrong = 0;

// Nothing if nothing is expected.
std::optional<bool> expected_of(const Conversation& conversation, const Verdict& verdict) {
  const auto expected = conversation.expected.find(verdict.guideline);
  return expected == conversation.expected.end() ? std::nullopt : std::optional(expected->second);
}

// A case that never came to its verdicts lacks all of them.
std::vector<Verdict> no_verdicts(const Conversation& conversation, const SkipRules& skip,
                                 const std::string& why) {
  std::vector<Verdict> verdicts;
  for (const Guideline& guideline : conversation.guidelines) {
    Verdict verdict;
    verdict.guideline = guideline.id;
    verdict.skipped = skipped_because(guideline, skip);
    verdict.undetermined = why;
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

ExactSet exact_set(const Conversation& conversation, const std::vector<Verdict>& verdicts) {
  bool any = false;
  bool open = false;
  for (const Verdict& verdict : verdicts) {
    const auto expected = expected_of(conversation, verdict);
    if (!expected || !verdict.skipped.empty()) continue;
    any = true;
    open = open || !verdict.applied;
    if (verdict.applied && *verdict.applied != *expected) return ExactSet::no;
  }
  return !any ? ExactSet::none_expected : open ? ExactSet::open : ExactSet::yes;
}

std::string_view truth_word(const std::optional<bool>& value) {
  return !value ? "" : *value ? "true" : "false";
}

void add_row(const std::string& id, const std::optional<bool>& expected, const Verdict& verdict,
             ResultLine& line) {
  std::string rationale;
  for (const Segment& segment : verdict.segments)
    rationale += fmt::format("{}{}: {}", rationale.empty() ? "" : " | ", segment.text, segment.rationale);
  const std::string confidence = verdict.applied ? fmt::format("{:.4g}", verdict.confidence) : "";
  line.row({id, verdict.guideline, verdict.skipped, truth_word(verdict.applied), truth_word(expected),
            confidence, verdict.degree, verdict.missing, verdict.undetermined, rationale});
}

std::string action_of(const Conversation& conversation, const std::string& id) {
  const auto found = std::ranges::find(conversation.guidelines, id, &Guideline::id);
  return found == conversation.guidelines.end() ? id : fmt::format("{}: {}", id, found->action);
}

NotableCase undetermined_case(const std::string& id, const Conversation& conversation,
                              const Verdict& verdict) {
  return {id,
          fmt::format("{}: undetermined", verdict.guideline),
          {{"guideline", action_of(conversation, verdict.guideline)}, {"why", verdict.undetermined}}};
}

NotableCase wrong_case(const std::string& id, const Conversation& conversation, const Verdict& verdict) {
  const bool applied = *verdict.applied;
  NotableCase wrong{id,
                    fmt::format("{}: {} instead of {}", verdict.guideline,
                                applied ? "applied" : "not applied", applied ? "not applied" : "applied"),
                    {{"guideline", action_of(conversation, verdict.guideline)}, {"degree", verdict.degree}}};
  for (const Segment& segment : verdict.segments) {
    wrong.fields.emplace_back(
        segment.message_index ? fmt::format("message {}", *segment.message_index) : "nowhere",
        fmt::format("{}: {}", segment.text, segment.rationale));
  }
  return wrong;
}

void note(const std::string& id, const Conversation& conversation, const std::optional<bool>& expected,
          const Verdict& verdict, ResultLine& line) {
  if (!verdict.skipped.empty()) return;
  if (!verdict.applied) {
    line.notable(kUndetermined, [&] { return undetermined_case(id, conversation, verdict); });
  } else if (expected && *expected != *verdict.applied) {
    line.notable(kWrong, [&] { return wrong_case(id, conversation, verdict); });
  }
}

}  // namespace

std::vector<std::string> conversation_columns() {
  return {"conversation", "guideline", "skipped", "applied",      "expected",
          "confidence",   "degree",    "missing", "undetermined", "rationale"};
}

void conversation_line(const Case& input, const Outcome& outcome, Conversation conversation,
                       const SkipRules& skip, ResultLine& line) {
  std::vector<Verdict> verdicts = verdicts_of(outcome);
  if (verdicts.empty()) verdicts = no_verdicts(conversation, skip, outcome.error);
  JsonArray list;
  Moments applied;
  Moments right;
  for (const Verdict& verdict : verdicts) {
    const auto expected = expected_of(conversation, verdict);
    Json json = to_json(verdict);
    if (expected) json.get_object()["expected"] = *expected;
    list.push_back(std::move(json));
    if (verdict.applied) applied.add(*verdict.applied ? 1 : 0);
    if (verdict.applied && expected) right.add(*verdict.applied == *expected ? 1 : 0);
    add_row(input.id, expected, verdict, line);
    note(input.id, conversation, expected, verdict, line);
  }
  line.json("verdicts", list);
  auto& facts = line.facts<ConversationFacts>();
  facts.exact = exact_set(conversation, verdicts);
  facts.applied = applied.mean();
  facts.right = right.mean();
  std::optional<double> exact;
  if (facts.exact == ExactSet::yes || facts.exact == ExactSet::no)
    exact = facts.exact == ExactSet::yes ? 1 : 0;
  const Score scores[] = {{"applied_rate_per_conversation", facts.applied},
                          {"accuracy_per_conversation", facts.right},
                          {"exact_set_rate", exact}};
  line.scores(scores);
  facts.conversation = std::move(conversation);
  facts.verdicts = std::move(verdicts);
}

}  // namespace assay::guidelines
