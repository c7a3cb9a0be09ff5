#include "core/tables/list_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Finds the end of an element; goes on where it stopped when there is more of the text.
class ElementEnd {
 public:
  // How long the element is, nothing if the text ends inside it. `whole`: nothing comes behind the text.
  std::optional<std::size_t> find(std::string_view text, bool whole) {
    for (; at_ < text.size(); ++at_) {
      const char c = text[at_];
      if (inside_text_) {
        if (escaped_) {
          escaped_ = false;
        } else if (c == '\\') {
          escaped_ = true;
        } else if (c == '"') {
          inside_text_ = false;
          if (depth_ == 0) return at_ + 1;
        }
        continue;
      }
      switch (c) {
        case '"':
          inside_text_ = true;
          break;
        case '{':
        case '[':
          ++depth_;
          break;
        case '}':
        case ']':
          if (depth_ == 0) return at_;
          if (--depth_ == 0) return at_ + 1;
          break;
        case ',':
          if (depth_ == 0) return at_;
          break;
        default:
          if (depth_ == 0 && kSpace.contains(c)) return at_;
      }
    }
    if (whole && depth_ == 0 && !inside_text_) return text.size();
    return std::nullopt;
  }
  bool inside_text() const { return inside_text_; }

 private:
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool inside_text_ = false;
  bool escaped_ = false;
};

}  // namespace

Result<std::optional<Line>> ListReader::next() {
  for (;;) {
    auto found = look();
    if (!found) return fail(std::move(found.error()));
    if (!*found) {
      if (expects_ == Expects::nothing) return std::nullopt;
      return fail(wrong(expects_ == Expects::opening
                            ? "the file is empty, expected a JSON list of objects"
                            : "the list is not closed with ]; is the file cut off?"));
    }
    const char c = **found;
    switch (expects_) {
      case Expects::opening:
        if (c != '[') return fail(wrong("expected a JSON list of objects: [ {…}, {…} ]"));
        pass(1);
        expects_ = Expects::first;
        continue;
      case Expects::comma:
        if (c != ',' && c != ']') return fail(wrong("expected a comma or ] behind an element of the list"));
        pass(1);
        expects_ = c == ',' ? Expects::element : Expects::nothing;
        continue;
      case Expects::nothing:
        return fail(wrong("something stands behind the list, expected the end of the file"));
      case Expects::first:
        if (c == ']') {
          pass(1);
          expects_ = Expects::nothing;
          continue;
        }
        break;
      case Expects::element:
        break;
    }
    if (c == ',' || c == ']' || c == '}')
      return fail(wrong("an element is missing here; is there a comma too many?"));
    auto size = element_size();
    if (!size) return fail(std::move(size.error()));
    expects_ = Expects::comma;
    begins_ = window_.offset();
    begins_line_ = line_;
    const Line element{
        .text = window_.unread().substr(0, *size), .number = line_, .column = column_, .entry = ++entry_};
    pass(*size);
    return element;
  }
}

Status ListReader::go_to(const LinePlace& place) {
  expects_ = Expects::element;
  line_ = place.number;
  column_ = 1;  // not known; the element was good when the place was noted
  entry_ = place.entry - 1;
  return window_.go_to(place.offset);
}

Result<std::optional<char>> ListReader::look() {
  for (;;) {
    const std::string_view unread = window_.unread();
    const std::size_t space = std::min(unread.find_first_not_of(kSpace), unread.size());
    if (space < unread.size()) {
      pass(space);
      return window_.unread().front();
    }
    pass(space);
    if (window_.at_end()) return std::nullopt;
    if (auto read = window_.read_more(); !read) return fail(std::move(read.error()));
  }
}

Result<std::size_t> ListReader::element_size() {
  ElementEnd end;
  for (;;) {
    const std::string_view unread = window_.unread();
    if (const auto size = end.find(unread, window_.at_end())) return *size;
    if (window_.at_end())
      return fail(wrong(end.inside_text() ? "the file ends inside a text of the element that begins here"
                                          : "the file ends inside the element that begins here"));
    if (unread.size() > max_element_)
      return fail(wrong(
          fmt::format("the element that begins here is longer than {} bytes; is a quote or bracket missing?",
                      max_element_)));
    if (auto read = window_.read_more(); !read) return fail(std::move(read.error()));
  }
}

void ListReader::pass(std::size_t bytes) {
  const std::string_view passed = window_.unread().substr(0, bytes);
  const auto breaks = static_cast<std::uint64_t>(std::count(passed.begin(), passed.end(), '\n'));
  if (breaks == 0) {
    column_ += count_code_points(passed);
  } else {
    line_ += breaks;
    column_ = 1 + count_code_points(passed.substr(passed.rfind('\n') + 1));
  }
  window_.give_up(bytes);
}

Error ListReader::wrong(std::string message) const {
  return {ErrorKind::data,
          std::move(message),
          {{"file", window_.path()}, {"line", std::to_string(line_)}, {"column", std::to_string(column_)}}};
}

}  // namespace assay
