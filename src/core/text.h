// Text as bytes that are UTF-8: checks, counts and cuts never split a character, and never read past the
// view. All functions are pure; a returned view points into the argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Well-formed UTF-8 by Unicode's table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF.
bool valid_utf8(std::string_view text);
// Offset of the first byte that does not begin a well-formed character; none if the text is valid.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);
// `text` with each malformed byte replaced by U+FFFD: for foreign bytes that must be shown or written as
// JSON.
std::string repair_utf8(std::string_view text);

// One character at the start of `text`: its code point and its bytes. Malformed: {U+FFFD, 1}; empty: {0, 0}.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;
  bool valid = false;
};
CodePoint first_code_point(std::string_view text);
void append_utf8(std::string& out, char32_t code_point);

// Characters (code points), which is what JSON Schema's minLength and a reader's "length" mean.
std::size_t count_code_points(std::string_view text);
// The longest prefix of at most `bytes` bytes that does not end inside a character.
std::string_view cut(std::string_view text, std::size_t bytes);
// The text itself if it fits, else a prefix and "…", together at most `bytes` bytes.
std::string shorten(std::string_view text, std::size_t bytes);

// Without ASCII white space (space, tab, CR, LF, VT, FF) at both ends.
std::string_view trim(std::string_view text);
// At every separator; n separators give n + 1 parts, so an empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
// At LF or CRLF; a final line end opens no further line, and an empty text has no lines.
std::vector<std::string_view> split_lines(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);
// A-Z become a-z, all other bytes stay.
std::string lower_ascii(std::string_view text);
std::string upper_ascii(std::string_view text);
bool equal_ignoring_ascii_case(std::string_view a, std::string_view b);

// Edits (insert, delete, replace, swap of neighbours) that turn one into the other, counted in bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);
// The candidate that `word` was probably meant to be, or none if nothing is near (more than a third differs).
// The first of equals.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string> candidates);

// Safe anywhere in a URL: all but letters, digits and -_.~ as %XX.
std::string percent_encoded(std::string_view text);
// Safe as HTML text and inside a quoted attribute: & < > " '.
std::string html_escape(std::string_view text);

}  // namespace assay
