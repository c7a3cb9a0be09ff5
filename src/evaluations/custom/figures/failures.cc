#include "evaluations/custom/figures/failures.h"

#include <algorithm>

#include "core/text.h"
#include "core/visible.h"
#include "evaluations/custom/figures/measures.h"

namespace assay::custom {

void FailureCount::add(OutcomeKind outcome, const std::string& error) {
  constexpr std::size_t kLongest = 160;
  ++count;
  ++reasons[std::string(to_string(outcome))];
  if (first.empty()) first = shorten(visible(error), kLongest);
}

Failures::Failures(const Design& design)
    : answers(design.variants.size()),
      asked(design.variants.size()),
      marks(design.variants.size(), std::vector<FailureCount>(design.metrics.size())) {}

void Failures::add(const Design& design, const CaseMarks& all) {
  for (std::size_t v = 0; v < std::min(answers.size(), all.answers.size()); ++v) {
    for (const AnswerMarks& answer : all.answers[v]) {
      if (!answer.answered) {
        if (answer.outcome == OutcomeKind::skipped) continue;
        ++asked[v];
        answers[v].add(answer.outcome == OutcomeKind::scored ? OutcomeKind::target_failed : answer.outcome,
                       answer.error);
        continue;
      }
      ++asked[v];
      for (std::size_t m = 0; m < std::min(answer.marks.size(), design.metrics.size()); ++m) {
        const Mark& mark = answer.marks[m];
        if (mark.state != Mark::State::failed) continue;
        marks[v][m].add(why_missing(&design.metrics[m], &mark, answer, OutcomeKind::infra_failed),
                        mark.error);
      }
    }
  }
}

}  // namespace assay::custom
