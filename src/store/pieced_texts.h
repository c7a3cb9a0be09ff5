// Long texts that repeat themselves and one another (records with the prompts in them, several times over)
// are kept as parts: pieces that came in an earlier text too stand in a table, each once; the others stand in
// the text's own bytes, also once. Pieces end where the bytes before the place say so, and not after so many
// of them: a passage has the same pieces wherever it stands, whatever was said before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "store/text_memory.h"

namespace assay {

// About 200 bytes each; all of them together are the text. A text in UTF-8 is cut between characters.
std::vector<std::string_view> pieces_of(std::string_view text);

class PiecedTexts {
 public:
  explicit PiecedTexts(bool nothing_there) : memory_(nothing_there) {}

  // Pieces of the table that follow one another.
  struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;
  };
  struct Parts {
    std::string own;
    // JSON: in the order of the text, [0, FIRST, COUNT] characters of `own` and [1, FIRST, COUNT] pieces of
    // the table. Empty: `own` is the whole text.
    std::string list;
    std::vector<Range> shared{};  // of the list
  };
  Result<Parts> split(std::string_view text, SharedTextTable& table);
  // Of a list as it was kept; what is not such a list has none.
  static std::vector<Range> shared_ranges(std::string_view list);
  // After what the last splits have kept was taken back.
  void forget_numbers() { memory_.forget_numbers(); }

 private:
  TextMemory memory_;
};

}  // namespace assay
