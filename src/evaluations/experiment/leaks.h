// Words that tell a judge which condition wrote a text: looked for in every blinded answer before it is
// judged, and told. The answer itself is left as it is: it is what is judged. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::experiment {

struct TellingWord {
  std::string word;
  std::string_view what;  // "the condition name", "the role", "the file name"
};

// Those that stand in the text as words of their own, whatever their case. A name that is one plain word
// ("control", "expert") may be prose: it counts only where its neighbours say what it is ("the control
// condition", "as an expert"). Something that looks like a role mark of a kind that is not known counts too.
std::vector<TellingWord> telling_words(std::string_view text, const std::vector<TellingWord>& words);

}  // namespace assay::experiment
