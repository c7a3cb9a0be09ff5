#include "report/layout.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "core/visible.h"

namespace assay {
namespace {

using Range = std::pair<char32_t, char32_t>;

bool in_ranges(char32_t c, const Range* begin, const Range* end) {
  const Range* after =
      std::upper_bound(begin, end, c, [](char32_t value, const Range& range) { return value < range.first; });
  return after != begin && c <= (after - 1)->second;
}

// Combining marks and invisible characters of common scripts.
constexpr Range kZeroWidth[] = {{0x300, 0x36F},   {0x483, 0x489},     {0x591, 0x5BD},    {0x610, 0x61A},
                                {0x64B, 0x65F},   {0x6D6, 0x6DC},     {0x900, 0x902},    {0x93C, 0x93C},
                                {0x941, 0x948},   {0x94D, 0x94D},     {0xE31, 0xE31},    {0xE34, 0xE3A},
                                {0xE47, 0xE4E},   {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},  {0x200B, 0x200F},
                                {0x20D0, 0x20FF}, {0x2060, 0x2064},   {0xFE00, 0xFE0F},  {0xFE20, 0xFE2F},
                                {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};
// East Asian wide and fullwidth blocks, and emoji that terminals draw wide.
constexpr Range kWide[] = {
    {0x1100, 0x115F}, {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653}, {0x2705, 0x2705},   {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},
    {0x2E80, 0x303E}, {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

std::size_t width_of(char32_t c) {
  if (c < 0x20 || c == 0x7F) return 0;
  if (in_ranges(c, std::begin(kZeroWidth), std::end(kZeroWidth))) return 0;
  return in_ranges(c, std::begin(kWide), std::end(kWide)) ? 2 : 1;
}

// The longest part at the front that is at most so wide; at least one character.
std::string_view fitting(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint c = first_code_point(text.substr(bytes));
    if (bytes > 0 && used + width_of(c.value) > width) break;
    used += width_of(c.value);
    bytes += c.size;
  }
  return text.substr(0, bytes);
}

// One line of a text, broken at spaces; what it is indented by stays before each part.
void append_broken(std::string_view line, std::size_t width, std::vector<std::string>& out) {
  const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
  const std::string indent(std::min(spaces, width / 2), ' ');
  std::string_view rest = line.substr(spaces);
  const std::size_t room = width - indent.size();
  for (;;) {
    std::string_view part = fitting(rest, room);
    if (part.size() == rest.size()) break;
    const bool at_end = rest[part.size()] == ' ';
    if (const std::size_t space = part.rfind(' '); !at_end && space != std::string_view::npos && space > 0)
      part = part.substr(0, space);
    out.push_back(indent + std::string(part));
    rest.remove_prefix(part.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  if (!rest.empty() || spaces == line.size()) out.push_back(rest.empty() ? "" : indent + std::string(rest));
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    width += width_of(c.value);
    text.remove_prefix(c.size);
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (used + width_of(c.value) + 1 > width) break;
    used += width_of(c.value);
    out.append(text.substr(0, c.size));
    text.remove_prefix(c.size);
  }
  return width == 0 ? "" : out + "…";
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::right ? space + text : text + space;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::string clean;
  for (const char c : visible(text, LineBreaks::kept))
    clean += c == '\t' ? std::string("    ") : std::string(1, c);
  std::vector<std::string> out;
  for (const std::string_view line : split_lines(clean))
    append_broken(line, std::max<std::size_t>(width, 8), out);
  return out;
}

std::string Paint::with(const char* code, const std::string& text) const {
  return on_ && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

}  // namespace assay
