#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "core/json/json.h"
#include "core/text.h"

namespace assay {
namespace {

namespace bj = boost::json;

enum class Layout { compact, canonical, pretty };

// Most trees are a message or a verdict; a first buffer of this size spares them the growing.
constexpr std::size_t kUsualSize = 512;

// Writes a tree; stops soon after `limit` bytes, so that an excerpt of a huge value stays cheap.
class Writer {
 public:
  Writer(Layout layout, std::size_t limit) : layout_(layout), limit_(limit) {
    out_.reserve(std::min(limit, kUsualSize));
  }

  void write(const Json& value) {
    if (out_.size() > limit_) return;
    switch (value.kind()) {
      case bj::kind::null:
        out_ += "null";
        return;
      case bj::kind::bool_:
        out_ += value.get_bool() ? "true" : "false";
        return;
      case bj::kind::int64:
        write_whole(value.get_int64());
        return;
      case bj::kind::uint64:
        write_whole(value.get_uint64());
        return;
      case bj::kind::double_:
        write_double(value.get_double());
        return;
      case bj::kind::string:
        write_string(value.get_string());
        return;
      case bj::kind::array:
        write_list(value.get_array());
        return;
      case bj::kind::object:
        write_object(value.get_object());
        return;
    }
  }

  void write_object(const JsonObject& object) {
    if (object.empty()) {
      out_ += "{}";
      return;
    }
    open('{');
    bool first = true;
    const auto write_member = [&](const bj::key_value_pair& member) {
      next(first);
      write_string(member.key());
      out_ += layout_ == Layout::pretty ? ": " : ":";
      write(member.value());
    };
    if (layout_ == Layout::canonical) {
      std::vector<const bj::key_value_pair*> members;
      members.reserve(object.size());
      for (const auto& member : object) members.push_back(&member);
      std::ranges::sort(members, {}, [](const auto* member) { return std::string_view(member->key()); });
      for (const auto* member : members) write_member(*member);
    } else {
      for (const auto& member : object) {
        if (out_.size() > limit_) return;
        write_member(member);
      }
    }
    close('}');
  }

  std::string take() && { return std::move(out_); }

 private:
  template <class Whole>
  void write_whole(Whole value) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out_.append(digits.data(), end);
  }

  void write_double(double value) {
    // A whole double and the same integer are equal values, so they must give equal canonical bytes.
    if (layout_ == Layout::canonical && std::trunc(value) == value) {
      if (std::fabs(value) < 0x1p63) {
        write_whole(static_cast<std::int64_t>(value));
        return;
      }
      if (value > 0 && value < 0x1p64) {
        write_whole(static_cast<std::uint64_t>(value));
        return;
      }
    }
    out_ += number_text(value);
  }

  void write_string(std::string_view text) { append_json_string(out_, cut(text, limit_)); }

  void write_list(const JsonArray& list) {
    if (list.empty()) {
      out_ += "[]";
      return;
    }
    open('[');
    bool first = true;
    for (const auto& item : list) {
      if (out_.size() > limit_) return;
      next(first);
      write(item);
    }
    close(']');
  }

  void open(char bracket) {
    out_.push_back(bracket);
    ++depth_;
  }
  void next(bool& first) {
    if (!first) out_.push_back(',');
    first = false;
    new_line();
  }
  void close(char bracket) {
    --depth_;
    new_line();
    out_.push_back(bracket);
  }
  void new_line() {
    if (layout_ == Layout::pretty) out_.append(1, '\n').append(2 * depth_, ' ');
  }

  Layout layout_;
  std::size_t limit_;
  std::size_t depth_ = 0;
  std::string out_;
};

std::string write(const Json& value, Layout layout) {
  Writer writer(layout, std::string::npos);
  writer.write(value);
  return std::move(writer).take();
}

// Bytes that stand for themselves inside a JSON string of valid UTF-8.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < plain.size(); ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// The same question for eight bytes at once: the top bit of the first byte that is not plain is set, and none
// below it. Bits of a word are compared in parallel, the first byte lowest.
static_assert(std::endian::native == std::endian::little);
std::uint64_t not_plain(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kTops = 0x8080808080808080ULL;
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof(word));
  const auto zero_bytes = [](std::uint64_t x) { return (x - kOnes) & ~x; };
  // A byte of 0x80 and above borrows nothing from its neighbours here, and is plain.
  const auto control = (word - kOnes * 0x20) & ~word;
  return (control | zero_bytes(word ^ (kOnes * '"')) | zero_bytes(word ^ (kOnes * '\\'))) & kTops;
}

// A number below a hundred thousand with at most four decimals, as scores and confidences have them; else "".
// No two texts of so few digits are one number, so the one that gives this number is the shortest that does.
std::string few_decimals(double value) {
  constexpr double kScale = 10'000;
  if (!(value > 0 && value < 100'000)) return {};
  const auto scaled = static_cast<std::uint32_t>(std::lround(value * kScale));
  if (static_cast<double>(scaled) / kScale != value) return {};
  std::array<char, 16> digits{};
  char* end = std::to_chars(digits.data(), digits.data() + digits.size(), scaled / 10'000).ptr;
  if (std::uint32_t rest = scaled % 10'000; rest > 0) {
    *end++ = '.';
    for (std::uint32_t unit = 1000; rest > 0; rest %= unit, unit /= 10)
      *end++ = static_cast<char>('0' + rest / unit);
  }
  return {digits.data(), end};
}

// Most texts hold nothing to be escaped, so they are copied while they are looked at, without a branch: the
// compiler turns this into a few instructions for every sixteen bytes. False: they do, or are not ASCII.
bool copy_plain_ascii(char* __restrict to, const char* __restrict from, std::size_t size) {
  bool plain = true;
  for (std::size_t i = 0; i < size; ++i) {
    const auto c = static_cast<signed char>(from[i]);
    to[i] = from[i];
    plain &= (c >= 0x20) & (c != '"') & (c != '\\');
  }
  return plain;
}

// The same for a few bytes of valid UTF-8, ASCII or not.
constexpr std::ptrdiff_t kWide = 32;
bool copy_plain(char* __restrict to, const char* __restrict from) {
  bool plain = true;
  for (std::ptrdiff_t i = 0; i < kWide; ++i) {
    const auto c = static_cast<unsigned char>(from[i]);
    to[i] = from[i];
    plain &= (c >= 0x20) & (c != '"') & (c != '\\');
  }
  return plain;
}

// How many bytes are not plain. Without a branch, and counted in a byte as long as that cannot overflow, so
// that the compiler counts sixteen at once.
std::size_t specials_in(std::string_view text) {
  constexpr std::size_t kAtMost = 128;
  std::size_t sum = 0;
  while (!text.empty()) {
    std::uint8_t some = 0;
    const std::string_view part = text.substr(0, kAtMost);
    for (const char c : part) {
      const auto byte = static_cast<unsigned char>(c);
      some = static_cast<std::uint8_t>(some + ((byte < 0x20) | (byte == '"') | (byte == '\\')));
    }
    sum += some;
    text.remove_prefix(part.size());
  }
  return sum;
}

// Writes the escape of a character that is not plain, and gives its end.
char* write_escape(char* to, char c) {
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
  constexpr std::string_view kSecond = "\"\\bfnrt";
  constexpr std::string_view kHex = "0123456789abcdef";
  *to++ = '\\';
  if (const auto at = kShort.find(c); at != std::string_view::npos) {
    *to++ = kSecond[at];
    return to;
  }
  const auto code = static_cast<unsigned char>(c);
  for (const char digit : {'u', '0', '0', kHex[code >> 4U], kHex[code & 15U]}) *to++ = digit;
  return to;
}

// Writes `text` escaped, eight bytes at once: of eight that hold something to be escaped, those before it
// count. Up to eight bytes behind the end are written over.
char* write_escaped(char* to, std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (end - at >= 8) {
    if (end - at >= kWide && copy_plain(to, at)) {
      at += kWide;
      to += kWide;
      continue;
    }
    const std::uint64_t found = not_plain(at);
    std::memcpy(to, at, 8);
    const int plain = found == 0 ? 8 : std::countr_zero(found) / 8;
    at += plain;
    to += plain;
    if (found != 0) to = write_escape(to, *at++);
  }
  for (; at < end; ++at) {
    if (kPlain[static_cast<unsigned char>(*at)]) {
      *to++ = *at;
    } else {
      to = write_escape(to, *at);
    }
  }
  return to;
}

void append_escaped(std::string& out, std::string_view text) {
  if (!valid_utf8(text)) return append_escaped(out, repair_utf8(text));
  const std::size_t special = specials_in(text);
  const std::size_t before = out.size();
  const std::size_t room = before + text.size() + (std::size_t{5} * special) + 10;
  out.resize_and_overwrite(room, [&](char* begin, std::size_t /*room*/) {
    begin[before] = '"';
    char* end = write_escaped(begin + before + 1, text);
    *end++ = '"';
    return static_cast<std::size_t>(end - begin);
  });
}

}  // namespace

std::string to_text(const Json& value) {
  return write(value, Layout::compact);
}
std::string to_text(const JsonObject& object) {
  Writer writer(Layout::compact, std::string::npos);
  writer.write_object(object);
  return std::move(writer).take();
}
std::string canonical_text(const Json& value) {
  return write(value, Layout::canonical);
}
std::string pretty_text(const Json& value) {
  return write(value, Layout::pretty) += '\n';
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  // "-0" would be read back as the integer 0, which has no sign.
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";
  if (auto text = few_decimals(value); !text.empty()) return text;
  return fmt::format("{}", value);
}

void append_json(std::string& out, const Json& value) {
  if (value.is_string()) {
    append_json_string(out, value.get_string());
  } else {
    out += to_text(value);
  }
}

void append_json_number(std::string& out, std::int64_t value) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void append_json_string(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  bool plain = false;
  const std::size_t size = before + text.size() + 2;
  out.resize_and_overwrite(size, [&](char* begin, std::size_t /*room*/) {
    begin[before] = '"';
    plain = copy_plain_ascii(begin + before + 1, text.data(), text.size());
    begin[size - 1] = '"';
    return plain ? size : before;
  });
  if (!plain) append_escaped(out, text);
}

std::string excerpt(const Json& value, std::size_t limit) {
  Writer writer(Layout::compact, limit);
  writer.write(value);
  return shorten(std::move(writer).take(), limit);
}

std::string text_or_json(const Json& value) {
  return value.is_string() ? std::string(value.get_string()) : to_text(value);
}

}  // namespace assay
