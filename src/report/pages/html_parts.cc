#include "report/pages/html_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "report/words.h"

namespace assay::html {
namespace {

constexpr std::size_t kShortText = 32;  // characters that fit a cell on any screen

bool shown_as_code(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
         (c >= 0xE0000 && c <= 0xE007F);
}

// A name may be broken after its dots and underscores, and nowhere else.
std::string breakable(std::string_view escaped) {
  std::string out;
  for (const char c : escaped) {
    out += c;
    if (c == '.' || c == '_') out += "<wbr>";
  }
  return out;
}

std::string sort_key(std::optional<double> value) {
  return value ? number_text(*value) : std::string();
}

}  // namespace

std::string text(std::string_view foreign, std::size_t limit) {
  std::string out;
  const std::string_view all = foreign;
  foreign = cut(foreign, limit);
  out.reserve(foreign.size() + foreign.size() / 8);
  std::string_view rest = foreign;
  while (!rest.empty()) {
    const CodePoint c = first_code_point(rest);
    if (!c.valid) {
      out += "\xEF\xBF\xBD";
    } else if (c.value == '\r' && rest.size() > 1 && rest[1] == '\n') {
      // the line feed follows
    } else if (shown_as_code(c.value)) {
      out += fmt::format("<span class=\"code-point\">U+{:04X}</span>", static_cast<unsigned>(c.value));
    } else if (c.size == 1) {
      out += html_escape(rest.substr(0, 1));
    } else {
      out.append(rest.substr(0, c.size));
    }
    rest.remove_prefix(c.size);
  }
  if (foreign.size() < all.size()) {
    out += fmt::format("<span class=\"note\"> … {} more bytes</span>",
                       count_words(static_cast<std::int64_t>(all.size() - foreign.size())));
  }
  return out;
}

std::string attribute(std::string_view foreign) {
  std::string clean;
  while (!foreign.empty()) {
    const CodePoint c = first_code_point(foreign);
    if (!c.valid || shown_as_code(c.value)) {
      clean += "\xEF\xBF\xBD";
    } else {
      clean.append(foreign.substr(0, c.size));
    }
    foreign.remove_prefix(c.size);
  }
  return html_escape(clean);
}

std::string name(std::string_view foreign) {
  return breakable(text(foreign, 300));
}

std::string case_card(const NotableCase& notable) {
  const std::string_view first = notable.fields.empty() ? std::string_view() : notable.fields.front().second;
  std::string card = fmt::format(
      "<details class=\"case\"><summary><span class=\"id\"><bdi>{}</bdi></span><span "
      "class=\"reason\"><bdi>{}</bdi></span>"
      "<span class=\"peek\"><bdi>{}</bdi></span></summary><dl>",
      text(notable.id, 200), text(notable.why, 400), text(cut(first, 160)));
  for (const auto& [name, content] : notable.fields) {
    card += fmt::format("<dt>{}</dt><dd dir=\"auto\">{}</dd>", text(title_words(name), 200),
                        content.empty() ? "<span class=\"note\">empty</span>" : text(content));
  }
  return card + "</dl></details>\n";
}

std::string cell(const Json& value) {
  if (value.is_null()) return "<td class=\"number note\" data-sort=\"\">n/a</td>";
  if (const auto number = as_number(value)) {
    const bool whole = value.is_int64() || value.is_uint64();
    return fmt::format("<td class=\"number\" data-sort=\"{}\">{}</td>", sort_key(number),
                       figure_words(*number, whole ? Metric::Form::count : Metric::Form::number));
  }
  if (const auto words = as_text(value)) {
    // A short name stays on its line, a long one may be broken between its parts; prose is broken between
    // words.
    const bool is_short = count_code_points(*words) <= kShortText;
    const bool prose = words->find(' ') != std::string_view::npos;
    const std::string shown = text(*words, 2'000);
    return fmt::format("<td class=\"text{}\"><bdi>{}</bdi></td>", is_short ? " short" : "",
                       is_short || prose ? shown : breakable(shown));
  }
  return fmt::format("<td><bdi>{}</bdi></td>", text(to_text(value), 2'000));
}

}  // namespace assay::html
