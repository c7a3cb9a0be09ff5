#include <algorithm>
#include <array>
#include <optional>

#include "core/schema/formats.h"

namespace assay::schema {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Reads fixed parts of a text from left to right; once something is missing, everything after fails.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  int number(std::size_t digits) {
    if (rest_.size() < digits || !std::ranges::all_of(rest_.substr(0, digits), is_digit)) good_ = false;
    if (!good_) return 0;
    int value = 0;
    for (const char c : rest_.substr(0, digits)) value = value * 10 + (c - '0');
    rest_.remove_prefix(digits);
    return value;
  }
  // One of these characters, which is returned.
  char one_of(std::string_view characters) {
    if (!good_ || rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) {
      good_ = false;
      return '\0';
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool begins(char c) const { return good_ && rest_.starts_with(c); }
  void digits() {
    const auto end = std::ranges::find_if_not(rest_, is_digit);
    if (end == rest_.begin()) good_ = false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.begin()));
  }
  bool good() const { return good_; }
  bool done() const { return good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

bool read_date(Reader& reader) {
  const int year = reader.number(4);
  reader.one_of("-");
  const int month = reader.number(2);
  reader.one_of("-");
  const int day = reader.number(2);
  if (!reader.good() || month < 1 || month > 12 || day < 1) return false;
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays.at(static_cast<std::size_t>(month - 1)) + (leap && month == 2 ? 1 : 0);
}

bool read_time(Reader& reader) {
  const int hour = reader.number(2);
  reader.one_of(":");
  const int minute = reader.number(2);
  reader.one_of(":");
  const int second = reader.number(2);
  if (reader.begins('.')) {
    reader.one_of(".");
    reader.digits();
  }
  int offset = 0;
  const char zone = reader.one_of("Zz+-");
  if (zone == '+' || zone == '-') {
    const int hours = reader.number(2);
    reader.one_of(":");
    const int minutes = reader.number(2);
    if (hours > 23 || minutes > 59) return false;
    offset = (hours * 60 + minutes) * (zone == '+' ? 1 : -1);
  }
  if (!reader.good() || hour > 23 || minute > 59 || second > 60) return false;
  // A leap second is the last of a day in UTC.
  constexpr int kDay = 24 * 60;
  return second < 60 || (hour * 60 + minute - offset + 2 * kDay) % kDay == kDay - 1;
}

// Numbers with these units, in this order, without a gap between the first and the last. How many were there.
std::optional<std::size_t> take_parts(std::string_view& text, std::string_view units) {
  std::size_t count = 0;
  std::size_t next = 0;
  while (!text.empty() && is_digit(text.front())) {
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
    if (end == text.size()) return std::nullopt;
    const auto unit = units.find(text[end], next);
    if (unit == std::string_view::npos || (count > 0 && unit != next)) return std::nullopt;
    next = unit + 1;
    ++count;
    text.remove_prefix(end + 1);
  }
  return count;
}

}  // namespace

bool is_date(std::string_view text) {
  Reader reader(text);
  return read_date(reader) && reader.done();
}

bool is_time(std::string_view text) {
  Reader reader(text);
  return read_time(reader) && reader.done();
}

bool is_date_time(std::string_view text) {
  Reader reader(text);
  if (!read_date(reader)) return false;
  reader.one_of("Tt");
  return read_time(reader) && reader.done();
}

bool is_duration(std::string_view text) {
  if (!text.starts_with('P')) return false;
  text.remove_prefix(1);
  auto weeks = text;
  if (take_parts(weeks, "W") == 1 && weeks.empty()) return true;
  const auto days = take_parts(text, "YMD");
  if (!days) return false;
  if (text.empty()) return *days > 0;
  if (text.front() != 'T') return false;
  text.remove_prefix(1);
  const auto times = take_parts(text, "HMS");
  return times && *times > 0 && text.empty();
}

}  // namespace assay::schema
