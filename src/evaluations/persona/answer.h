// Is it an answer? The arguments of the judge's tool call count only as a whole: exactly one verdict for each
// item × classification × perspective that was asked. Everything that is wrong is named, in words that the
// judge can act on. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "evaluations/persona/request.h"

namespace assay::persona {

struct Verdict {
  std::string item_id;
  std::string classification_id;
  std::string perspective_id;
  std::optional<std::string> selection;  // the judged value, as the judge repeats it
  int likert = 0;                        // 1 to 5; 0 in mode 3
  bool agrees = false;                   // mode 3
  std::string text;
};

struct CheckedAnswer {
  std::vector<Verdict> verdicts;      // in the order of the questions; none if there are defects
  std::vector<std::string> defects;   // why it does not count
  std::vector<std::string> warnings;  // it counts, but the judge repeated another value than was sent
};

// A bare list becomes the list that was asked for.
Json as_result_items(Json arguments);
CheckedAnswer check_answer(Mode mode, const std::vector<Question>& questions, const Json& arguments);

// From which Likert value on somebody agrees.
inline constexpr int kAgreesFrom = 4;
// Whether the persona agrees, whichever way the mode asks.
inline bool agrees(const Verdict& verdict, Mode mode) {
  return mode == Mode::mode3 ? verdict.agrees : verdict.likert >= kAgreesFrom;
}

// "Strongly Disagree" … "Strongly Agree".
std::string_view likert_label(int value);

// As it is journaled and given out.
Json to_json(const Verdict& verdict, Mode mode);
Verdict verdict_from(const Json& json);

}  // namespace assay::persona
