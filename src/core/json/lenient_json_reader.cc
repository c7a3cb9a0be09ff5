#include "core/json/lenient_json_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kMaxDepth = 128;

constexpr std::array<std::string_view, 12> kNoteWords = {
    "code fence",
    "text around the JSON",
    "byte order mark",
    "comment",
    "trailing comma",
    "single quotes",
    "key without quotes",
    "Python's True, False or None",
    "raw line break or control character in a text",
    "unknown escape in a text",
    "half of a surrogate pair in a text",
    "unfinished end",
};
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '-';
}

}  // namespace

std::string_view note_words(Note note) {
  return kNoteWords.at(static_cast<std::size_t>(note));
}

std::vector<std::string> Notes::words() const {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < kNoteWords.size(); ++i) {
    if (set_.test(i)) words.emplace_back(kNoteWords.at(i));
  }
  return words;
}

void LenientReader::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (c == '#' || text_.substr(at_, 2) == "//") {
      notes_.add(Note::comment);
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      notes_.add(Note::comment);
      const auto end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      return;
    }
  }
}

LenientReader::Read LenientReader::read_value(Json& value) {
  skip_space();
  if (at_end()) return ended();
  switch (text_[at_]) {
    case '{':
    case '[':
      return read_nested(value);
    case '"':
    case '\'': {
      std::string string;
      const auto read = read_string(string);
      if (read == Read::ok) value = string;
      return read;
    }
    default:
      return is_digit(text_[at_]) || text_[at_] == '-' ? read_number(value) : read_word(value);
  }
}

LenientReader::Read LenientReader::read_nested(Json& value) {
  if (depth_ == kMaxDepth) {
    too_deep_ = true;
    return Read::bad;
  }
  const bool object = text_[at_] == '{';
  ++at_;
  ++depth_;
  const auto read = object ? read_object(value) : read_list(value);
  if (read == Read::ok) --depth_;
  return read;
}

LenientReader::Read LenientReader::ended() {
  if (unfinished_ == Unfinished::reject) return Read::bad;
  notes_.add(Note::unfinished);
  return Read::nothing;
}

LenientReader::Read LenientReader::read_list(Json& value) {
  JsonArray list;
  Read result = Read::bad;
  for (bool after_comma = false;; after_comma = true) {
    skip_space();
    if (take(']')) {
      if (after_comma) notes_.add(Note::trailing_comma);
      result = Read::ok;
      break;
    }
    Json item;
    const auto read = read_value(item);
    if (read == Read::bad) return Read::bad;
    if (read == Read::ok) list.push_back(std::move(item));
    skip_space();
    if (take(',')) continue;
    if (take(']') || closes_here()) result = Read::ok;
    break;
  }
  value = std::move(list);
  return result;
}

LenientReader::Read LenientReader::read_object(Json& value) {
  JsonObject object;
  Read result = Read::bad;
  for (bool after_comma = false;; after_comma = true) {
    skip_space();
    if (take('}')) {
      if (after_comma) notes_.add(Note::trailing_comma);
      result = Read::ok;
      break;
    }
    if (const auto read = read_member(object); read == Read::bad) return read;
    skip_space();
    if (take(',')) continue;
    if (take('}') || closes_here()) result = Read::ok;
    break;
  }
  value = std::move(object);
  return result;
}

LenientReader::Read LenientReader::read_member(JsonObject& object) {
  if (at_end()) return ended();
  std::string key;
  const auto read = read_key(key);
  if (read != Read::ok) return read;
  skip_space();
  if (at_end()) return ended();
  if (!take(':')) return Read::bad;
  committed_ = true;
  Json member;
  const auto read_member_value = read_value(member);
  if (read_member_value == Read::ok) object[key] = std::move(member);
  return read_member_value;
}

LenientReader::Read LenientReader::read_key(std::string& key) {
  if (text_[at_] == '"' || text_[at_] == '\'') return read_string(key);
  if (!is_word(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '-') return Read::bad;
  key = take_word();
  notes_.add(Note::bare_key);
  return Read::ok;
}

LenientReader::Read LenientReader::read_string(std::string& out) {
  const char quote = text_[at_++];
  if (quote == '\'') notes_.add(Note::single_quotes);
  while (!at_end()) {
    const char c = text_[at_];
    if (c == quote) {
      ++at_;
      return Read::ok;
    }
    if (c == '\\') {
      if (at_ + 1 == text_.size()) {
        ++at_;
        break;
      }
      read_escape(out);
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) notes_.add(Note::raw_control);
    out.push_back(c);
    ++at_;
  }
  return ended() == Read::bad ? Read::bad : Read::ok;
}

void LenientReader::read_escape(std::string& out) {
  const char c = text_[at_ + 1];
  at_ += 2;
  switch (c) {
    case '"':
    case '\\':
    case '/':
      out.push_back(c);
      return;
    case 'b':
      out.push_back('\b');
      return;
    case 'f':
      out.push_back('\f');
      return;
    case 'n':
      out.push_back('\n');
      return;
    case 'r':
      out.push_back('\r');
      return;
    case 't':
      out.push_back('\t');
      return;
    case '\'':
      notes_.add(Note::unknown_escape);
      out.push_back('\'');
      return;
    case 'u':
      read_unicode_escape(out);
      return;
    default:
      // Most often a backslash that was meant, as in a formula or a path.
      notes_.add(Note::unknown_escape);
      out.push_back('\\');
      --at_;
  }
}

void LenientReader::read_unicode_escape(std::string& out) {
  const auto first = take_hex();
  if (!first) {
    notes_.add(Note::unknown_escape);
    out += "\\u";
    return;
  }
  const bool high = *first >= 0xD800 && *first <= 0xDBFF;
  if (high && text_.substr(at_, 2) == "\\u") {
    const auto before = at_;
    at_ += 2;
    const auto second = take_hex();
    if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
      append_utf8(out, 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00));
      return;
    }
    at_ = before;
  }
  if (*first >= 0xD800 && *first <= 0xDFFF) notes_.add(Note::lone_surrogate);
  append_utf8(out, *first);
}

std::optional<char32_t> LenientReader::take_hex() {
  const auto digits = text_.substr(at_, 4);
  char32_t value = 0;
  for (const char c : digits) {
    const char32_t digit = is_digit(c)              ? static_cast<char32_t>(c - '0')
                           : (c >= 'a' && c <= 'f') ? static_cast<char32_t>(c - 'a' + 10)
                           : (c >= 'A' && c <= 'F') ? static_cast<char32_t>(c - 'A' + 10)
                                                    : 16;
    if (digit == 16) return std::nullopt;
    value = value * 16 + digit;
  }
  if (digits.size() < 4) return std::nullopt;
  at_ += 4;
  return value;
}

LenientReader::Read LenientReader::read_number(Json& value) {
  const auto begin = at_;
  const auto is_part = [](char c) {
    return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
  };
  while (!at_end() && is_part(text_[at_])) ++at_;
  auto number = parse_json(text_.substr(begin, at_ - begin));
  if (number) {
    value = std::move(*number);
    return Read::ok;
  }
  if (at_end()) return ended();
  at_ = begin;
  return Read::bad;
}

LenientReader::Read LenientReader::read_word(Json& value) {
  const auto begin = at_;
  const auto word = take_word();
  constexpr std::array<std::string_view, 6> kWords = {"true", "false", "null", "True", "False", "None"};
  const auto* found = std::ranges::find(kWords, word);
  if (found == kWords.end()) {
    const bool cut_off = at_end() && std::ranges::any_of(kWords, [&](auto w) { return w.starts_with(word); });
    if (cut_off) return ended();
    at_ = begin;
    return Read::bad;
  }
  const auto index = found - kWords.begin();
  if (index >= 3) notes_.add(Note::python_word);
  value = nullptr;
  if (index % 3 != 2) value = index % 3 == 0;
  return Read::ok;
}

std::string_view LenientReader::take_word() {
  const auto begin = at_;
  while (!at_end() && is_word(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

bool LenientReader::take(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

}  // namespace assay
