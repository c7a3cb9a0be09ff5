#include "evaluations/guidelines/conversation_line.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "stats/intervals/mean.h"

namespace assay::guidelines {
namespace {

// How good a case is that is worth a look: a failure first, then what the judge sees otherwise than people,
// then what the agent left out, by how much depends on it and by how much is missing.
constexpr double kUndetermined = -1;
constexpr double kWrong = 0;
double goodness_of_missed(const Guideline* guideline, const Verdict& verdict) {
  const Criticality criticality = guideline == nullptr ? Criticality::medium : guideline->criticality;
  const double rank = criticality == Criticality::high ? 1 : criticality == Criticality::medium ? 2 : 3;
  return rank + (verdict.degree == "partially" ? 0.5 : 0);
}

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

// Of each guideline that was judged.
std::vector<PartScore> part_scores(const std::vector<Verdict>& verdicts) {
  std::vector<PartScore> parts;
  for (const Verdict& verdict : verdicts) {
    if (!verdict.skipped.empty()) continue;
    std::optional<double> applied;
    if (verdict.applied) applied = *verdict.applied ? 1 : 0;
    parts.push_back({verdict.guideline, applied, "undetermined"});
  }
  return parts;
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

const Guideline* find_guideline(const Conversation& conversation, const std::string& id) {
  const auto found = std::ranges::find(conversation.guidelines, id, &Guideline::id);
  return found == conversation.guidelines.end() ? nullptr : &*found;
}

// What was said in that event, in short.
std::string event_words(const Json& event) {
  constexpr std::size_t kLongest = 300;
  const Json& data = *find_member(event, "data");
  const std::string who = text_at(event, "event_source");
  if (text_at(event, "event_kind") == "message")
    return fmt::format("{}: {}", who, shorten(text_at(data, "message"), kLongest));
  return fmt::format("{} called: {}", who, shorten(to_text(data), kLongest));
}

// Everything that the verdict rests on.
NotableCase case_of(const std::string& id, const Conversation& conversation, const Verdict& verdict,
                    std::string why) {
  NotableCase shown{id, std::move(why), {}};
  const Guideline* guideline = find_guideline(conversation, verdict.guideline);
  shown.fields.emplace_back("guideline", guideline == nullptr
                                             ? verdict.guideline
                                             : fmt::format("{}: {}", guideline->id, guideline->action));
  if (guideline != nullptr && !guideline->condition.empty())
    shown.fields.emplace_back("condition", guideline->condition);
  if (!verdict.applied) {
    shown.fields.emplace_back("why", verdict.undetermined);
    return shown;
  }
  shown.fields.emplace_back("degree", verdict.degree);
  if (!verdict.missing.empty())
    shown.fields.emplace_back("missing part",
                              fmt::format("{}: {}", verdict.missing, verdict.missing_rationale));
  for (const Segment& segment : verdict.segments) {
    const std::string finding = fmt::format("{}: {}", segment.text, segment.rationale);
    const auto index = segment.message_index;
    if (index && *index >= 0 && *index < static_cast<std::int64_t>(conversation.events.size())) {
      shown.fields.emplace_back(
          fmt::format("message {}", *index),
          fmt::format("{}\n{}", finding, event_words(conversation.events[static_cast<std::size_t>(*index)])));
    } else {
      shown.fields.emplace_back("nowhere", finding);
    }
  }
  return shown;
}

void note(const std::string& id, const Conversation& conversation, const std::optional<bool>& expected,
          const Verdict& verdict, ResultLine& line) {
  if (!verdict.skipped.empty()) return;
  const auto show = [&](double goodness, std::string_view what) {
    line.notable(goodness, [&] {
      return case_of(id, conversation, verdict, fmt::format("{}: {}", verdict.guideline, what));
    });
  };
  if (!verdict.applied) return show(kUndetermined, "undetermined");
  const bool applied = *verdict.applied;
  if (expected && *expected != applied)
    return show(kWrong, applied ? "applied instead of not applied" : "not applied instead of applied");
  if (!applied)
    show(goodness_of_missed(find_guideline(conversation, verdict.guideline), verdict), "not applied");
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
  line.parts("applied_rate", part_scores(verdicts));
  facts.conversation = std::move(conversation);
  facts.verdicts = std::move(verdicts);
}

}  // namespace assay::guidelines
