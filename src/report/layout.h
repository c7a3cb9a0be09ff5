// Text in the columns of a terminal: how wide it is, cut, padded, broken into lines, painted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Columns that a terminal gives the text: 2 for East Asian wide characters and emoji, 0 for combining marks.
std::size_t display_width(std::string_view text);
// The text itself if it fits, else as much as does, and "…".
std::string cut_to_width(std::string_view text, std::size_t width);
enum class Align { left, right };
std::string padded(const std::string& text, std::size_t width, Align align);
// Foreign text in lines of at most this width, broken at spaces where there are some. Line breaks stay; what
// would act on a terminal is made visible (core/visible.h).
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

enum class Colour { none, ansi };

class Paint {
 public:
  explicit Paint(Colour colour) : on_(colour == Colour::ansi) {}
  std::string bold(const std::string& text) const { return with("1", text); }
  std::string faint(const std::string& text) const { return with("2", text); }
  std::string good(const std::string& text) const { return with("32", text); }
  std::string bad(const std::string& text) const { return with("31", text); }

 private:
  std::string with(const char* code, const std::string& text) const;
  bool on_;
};

}  // namespace assay
