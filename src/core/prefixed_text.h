// A text, and where in it prefixes end that other texts may begin with too: the system prompt of a request,
// the earlier messages of its conversation. Whoever keeps many of them can keep such a prefix once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay {

// Ascending, each at most the text's size and between two characters. Any of them may turn out to be shared
// by nobody.
using PrefixEnds = std::vector<std::size_t>;

struct PrefixedText {
  std::string text;
  PrefixEnds ends;
  bool operator==(const PrefixedText&) const = default;
};

}  // namespace assay
