// What one conversation came to: its line, a row of results.csv for each guideline, and what is worth a look:
// guidelines without a verdict, verdicts other than expected, and what the agent left out. Pure.
#pragma once

#include <optional>
#include <vector>

#include "evaluations/guidelines/conversation.h"
#include "evaluations/guidelines/verdict.h"
#include "evaluations/result_line.h"

namespace assay::guidelines {

// Whether every expected verdict was met; open if only an undetermined one could still decide it.
enum class ExactSet { none_expected, open, no, yes };

// What the figures over all conversations need of one.
struct ConversationFacts final : CaseFacts {
  Conversation conversation;
  std::vector<Verdict> verdicts;  // one for each guideline, in its order
  ExactSet exact = ExactSet::none_expected;
  std::optional<double> applied;  // share of the verdicts
  std::optional<double> right;    // of those where one is expected
};

std::vector<std::string> conversation_columns();
void conversation_line(const Case& input, const Outcome& outcome, Conversation conversation,
                       const SkipRules& skip, ResultLine& line);

}  // namespace assay::guidelines
