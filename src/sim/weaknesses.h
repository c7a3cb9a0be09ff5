// What a simulated judge lets itself be moved by that should not matter, and which faults it does not see:
// `sim/judge?weak=orders,figures`. It acts on the texts that it sees and on nothing else, so that a stress
// test of judges can be tried on a judge whose weaknesses are known.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

// Moved by:
//   orders      words that try to turn a model against its instructions, anywhere in the material
//   authority   a specialist, an expert, years of experience, in what is judged
//   names       names of known models, in what is judged
//   lists       lines with the mark of an item, in what is judged
//   headings    lines that are headings in Markdown, in what is judged
//   length      the more words, the better
//   first       of answers side by side the one that stands first
// Blind to:
//   figures     numbers that the material has otherwise
//   negations   a sentence that says the opposite
//   sources     what is said with an author and a year is borne out
enum class Weakness : std::uint8_t {
  orders,
  authority,
  names,
  lists,
  headings,
  length,
  first,
  figures,
  negations,
  sources
};

class Weaknesses {
 public:
  // Names with commas between them, or "all"; "" for none. The error names one that there is not.
  static Result<Weaknesses> parse(std::string_view names);

  bool has(Weakness weakness) const { return (bits_ >> static_cast<unsigned>(weakness) & 1U) != 0; }
  bool none() const { return bits_ == 0; }
  // Whether what is judged has something that moves this judge.
  bool moved_by(std::string_view judged) const;
  // Whether a text of the material has an order that this judge follows.
  bool ordered_by(std::string_view text) const;
  // Whether this judge believes a claim for the source that it names.
  bool believes(std::string_view claim) const;

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace assay
