// Regular expressions of JSON Schema: written for ECMA-262 with Unicode, run by RE2 in linear time. What RE2
// spells differently is translated; what it cannot do (look-around, back references, repetition above 1000)
// is refused with its name. Two differences stay: \p{C} leaves out unassigned code points, and of the binary
// properties only Any, ASCII, ASCII_Hex_Digit and White_Space are known.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/error.h"

namespace re2 {
class RE2;
}

namespace assay::schema {

struct TranslatedPattern {
  std::string re2;
  std::string unsupported;  // the first thing that RE2 cannot do, in plain words; empty if none
};
// Fails if `ecma` is not a regular expression of ECMA-262.
Result<TranslatedPattern> translate_pattern(std::string_view ecma);

// Whether `ecma` is well formed, be it supported or not: the format "regex".
bool is_regular_expression(std::string_view ecma);

// Thread-safe once compiled.
class Pattern {
 public:
  static Result<Pattern> compile(std::string_view ecma);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  // Anywhere in the text, as JSON Schema asks; anchors are the pattern's own business.
  bool found_in(std::string_view text) const;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> regex);
  std::unique_ptr<re2::RE2> regex_;
};

}  // namespace assay::schema
