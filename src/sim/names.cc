#include "sim/names.h"

#include <algorithm>

#include "core/text.h"
#include "sim/answers/words.h"

namespace assay::sim {

bool is_one_of(std::string_view name, Names names) {
  return std::ranges::any_of(names,
                             [&](std::string_view other) { return equal_ignoring_ascii_case(name, other); });
}

bool mentions(std::string_view text, Names words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return contains_text(text, word); });
}

bool is_id(std::string_view name) {
  return is_one_of(name, {"id", "index", "number", "idx", "nr"}) || name.ends_with("_id") ||
         name.ends_with("Id");
}

bool is_reason(std::string_view name) {
  return mentions(name,
                  {"reason", "rational", "explanation", "justification", "comment", "evaluationtext", "why"});
}

bool is_confidence(std::string_view name) {
  return mentions(name, {"confidence", "probability", "certainty"});
}

bool is_list_of_verdicts(std::string_view name) {
  return is_one_of(name, {"verdicts", "checks", "results", "resultItems", "judgements", "judgments",
                          "evaluations", "ratings", "decisions"});
}

std::string spaced(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-') {
      out += ' ';
    } else {
      if (c >= 'A' && c <= 'Z' && !out.empty() && out.back() >= 'a' && out.back() <= 'z') out += ' ';
      out += c;
    }
  }
  return out;
}

}  // namespace assay::sim
