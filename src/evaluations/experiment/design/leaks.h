// Words that tell a judge which condition wrote a text: looked for in every blinded answer before it is
// judged, and told. The answer itself is left as it is: it is what is judged. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evaluations/experiment/design/blind_answers.h"
#include "evaluations/experiment/design/design.h"

namespace assay::experiment {

struct TellingWord {
  std::string word;
  std::string_view what;  // "the condition name", "the role", "the file name"
};

// Those that stand in the text as words of their own, whatever their case. A name that is one plain word
// ("control", "expert") may be prose: it counts only where its neighbours say what it is ("the control
// condition", "as an expert"). Something that looks like a role mark of a kind that is not known counts too,
// and so does a line that reads like a statement of a role ("Role: X", "My role is …", "As a chemist, I …").
// White space may be of any kind, and zero-width characters do not hide a word.
std::vector<TellingWord> telling_words(std::string_view text, const std::vector<TellingWord>& words);

// What gives a condition away in the answers to a query, a sentence each. `run_roles` are the roles of other
// queries: a role that leaks need not be the one of its query. Words that the query itself has tell nothing.
std::vector<std::string> leak_sentences(const Design& design, const Query& query, const BlindAnswers& answers,
                                        const std::vector<std::string>& run_roles = {});

}  // namespace assay::experiment
