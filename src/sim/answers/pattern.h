// Text that matches a regular expression, for the `pattern` keyword. Knows the regular core of ECMA-262
// (alternatives, groups, classes, escapes, quantifiers, anchors at the ends); look-around and word boundaries
// are read but not obeyed, so the caller verifies what comes out. Never runs a regular expression backwards
// without bound: a made text has at most kMostCharacters characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/chance.h"

namespace assay::sim {

class TextPattern {
 public:
  static constexpr std::size_t kMostCharacters = 8192;

  // Nothing if the expression is malformed or holds what cannot be made (a back reference, an unknown
  // property).
  static std::optional<TextPattern> parse(std::string_view expression);

  // `stretch`: how many repetitions beyond the least an open quantifier (*, +, {2,}) may take.
  std::string make(Chance& chance, std::size_t stretch) const;
  // Whether text may be put before or after a match without spoiling it.
  bool open_start() const { return open_start_; }
  bool open_end() const { return open_end_; }

  struct Range {
    char32_t first;
    char32_t last;
  };
  struct Piece {
    enum class Kind { characters, group, position };
    Kind kind = Kind::characters;
    std::vector<Range> ranges;
    bool negated = false;
    std::vector<std::vector<Piece>> alternatives;
    std::size_t least = 1;
    std::size_t most = 1;  // kMostCharacters + 1 stands for no end
  };

 private:
  std::vector<std::vector<Piece>> alternatives_;
  bool open_start_ = true;
  bool open_end_ = true;
};

}  // namespace assay::sim
