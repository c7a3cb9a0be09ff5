// What came of one case: every answer of every variant, and what each metric said of it. This is what
// figures, files, pages and sentences are made from.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/outcome.h"
#include "evaluations/result_line.h"

namespace assay::custom {

// What one metric says of one answer.
struct Mark {
  enum class State {
    given,
    not_applicable,  // `when` does not hold, or the case lacks what the metric needs: no failure
    failed,          // `error` says why; `outcome` whom it is charged to
    no_answer,       // there is no output to look at
  } state = State::not_applicable;
  double score = 0;  // if given: in the metric's scale; yes or no as 1 or 0
  std::optional<bool> passed = {};
  std::string label = {};     // of a `label` metric: the class that was found
  std::string expected = {};  // and the one that was expected; "": none is known
  // Each judgement of several (`votes`), or of a pair the score with the variant first and with it second.
  std::vector<double> votes = {};
  std::vector<std::pair<std::string, double>> parts = {};  // several numbers by name
  std::string reason = {};
  OutcomeKind outcome = OutcomeKind::scored;
  std::string error = {};

  bool given() const { return state == State::given; }
};

// One answer of one variant.
struct AnswerMarks {
  bool answered = false;
  OutcomeKind outcome = OutcomeKind::scored;  // why it is not
  std::string error = {};
  std::optional<double> latency_ms = {};
  std::optional<double> cost_usd = {};
  std::vector<Mark> marks = {};        // by metric
  std::vector<Mark> case_checks = {};  // of the checks that the case alone has
};

// By variant, then by repeat.
struct CaseMarks : CaseFacts {
  std::vector<std::vector<AnswerMarks>> answers;
  std::vector<std::string> slices;  // the case's value of each slice field; "": none
};

}  // namespace assay::custom
