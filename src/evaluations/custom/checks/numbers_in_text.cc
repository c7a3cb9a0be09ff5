#include "evaluations/custom/checks/numbers_in_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "core/unicode.h"

namespace assay::custom {
namespace {

bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}
bool is_word(char32_t c) {
  return is_word_character(c) || c == '_';
}
bool is_minus(char32_t c) {
  return c == '-' || c == U'−';
}
bool is_currency(char32_t c) {
  return c == '$' || c == U'£' || c == U'¥' || (c >= 0x20A0 && c <= 0x20CF);
}

class Scanner {
 public:
  Scanner(std::u32string_view text, DecimalMark mark)
      : text_(text),
        decimal_(mark == DecimalMark::point ? U'.' : U','),
        group_(mark == DecimalMark::point ? U',' : U'.') {}

  std::vector<double> scan() {
    std::vector<double> numbers;
    while (at_ < text_.size()) {
      const bool begins = is_digit(text_[at_]) || (text_[at_] == decimal_ && is_digit(peek(1)));
      if (!begins) {
        ++at_;
      } else if (is_in_word(at_)) {
        pass_word();
      } else if (const auto number = read(is_negative(at_))) {
        numbers.push_back(*number);
      }
    }
    return numbers;
  }

 private:
  char32_t peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : U'\0'; }
  char32_t before(std::size_t place) const { return place > 0 ? text_[place - 1] : U'\0'; }

  // "Q3", "v1.2", "gpt-4": part of a word.
  bool is_in_word(std::size_t place) const {
    if (is_word(before(place))) return true;
    return before(place) == '-' && place > 1 && is_word(before(place - 1)) && !is_digit(before(place - 1));
  }

  void pass_word() {
    while (is_word(peek(0)) || (peek(0) == '.' && is_digit(peek(1)))) ++at_;
    if (peek(0) == decimal_) ++at_;
  }

  bool is_negative(std::size_t place) const {
    if (is_currency(before(place))) --place;
    if (!is_minus(before(place))) return false;
    --place;
    if (is_currency(before(place))) --place;
    return !is_word(before(place));
  }

  bool is_separator(char32_t c) const {
    return c == group_ || c == '\'' || c == U'’' || c == U'\u00A0' || c == U'\u202F' || c == U'\u2009';
  }

  // Three digits and no fourth behind a separator that is the same in the whole number.
  bool group_follows(char32_t separator) const {
    return peek(0) == separator && is_digit(peek(1)) && is_digit(peek(2)) && is_digit(peek(3)) &&
           !is_digit(peek(4));
  }

  void take_digits() {
    for (; is_digit(peek(0)); ++at_) digits_ += static_cast<char>(peek(0));
  }

  void take_whole() {
    take_digits();
    const char32_t separator = peek(0);
    if (!is_separator(separator) || digits_.empty() || digits_.size() > 3) return;
    while (group_follows(separator)) {
      ++at_;
      take_digits();
    }
  }

  void take_fraction() {
    if (peek(0) != decimal_ || !is_digit(peek(1))) return;
    digits_ += '.';
    ++at_;
    take_digits();
  }

  void take_exponent() {
    if (peek(0) != 'e' && peek(0) != 'E') return;
    const std::size_t sign = (peek(1) == '+' || is_minus(peek(1))) ? 1 : 0;
    if (!is_digit(peek(1 + sign))) return;
    digits_ += 'e';
    if (sign == 1 && peek(1) != '+') digits_ += '-';
    at_ += 1 + sign;
    take_digits();
  }

  // Nothing if it turns out to be a version, a date or the like; what was read is passed over either way.
  std::optional<double> read(bool negative) {
    digits_.clear();
    if (peek(0) != decimal_) take_whole();
    take_fraction();
    take_exponent();
    if (peek(0) == '.' && is_digit(peek(1))) {
      while (is_digit(peek(0)) || (peek(0) == '.' && is_digit(peek(1)))) ++at_;
      return std::nullopt;
    }
    double number = 0;
    const std::string digits = digits_.starts_with('.') ? "0" + digits_ : digits_;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (problem != std::errc() || !std::isfinite(number)) return std::nullopt;
    return negative ? -number : number;
  }

  std::u32string_view text_;
  char32_t decimal_;
  char32_t group_;
  std::size_t at_ = 0;
  std::string digits_;
};

}  // namespace

std::vector<double> numbers_in(std::string_view text, DecimalMark mark) {
  const std::u32string points = code_points(text);
  return Scanner(points, mark).scan();
}

}  // namespace assay::custom
