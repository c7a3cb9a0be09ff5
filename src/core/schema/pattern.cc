#include "core/schema/pattern.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "core/schema/charset.h"
#include "core/text.h"

namespace assay::schema {
namespace {

constexpr std::size_t kMostRepetitions = 1000;
constexpr std::size_t kLongestPattern = 65'536;

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// One thing inside [...] or one escape: a character, or the inside of an RE2 class.
struct Atom {
  std::optional<char32_t> character;
  std::string set;
};

class Translator {
 public:
  explicit Translator(std::string_view pattern) : text_(pattern) {}

  Result<TranslatedPattern> run() {
    if (text_.size() > kLongestPattern) return fail(ErrorKind::schema, "the pattern is too long");
    if (!valid_utf8(text_)) return fail(ErrorKind::schema, "the pattern is not UTF-8");
    while (at_ < text_.size() && invalid_.empty()) step();
    if (!invalid_.empty()) return fail(ErrorKind::schema, invalid_);
    return TranslatedPattern{std::move(out_), std::move(unsupported_)};
  }

 private:
  void step() {
    const char c = text_[at_];
    switch (c) {
      case '\\':
        escape();
        return;
      case '[':
        character_class();
        return;
      case '(':
        group();
        return;
      case '{':
        brace();
        return;
      case '.':
        ++at_;
        out_ += R"([^\n\r\x{2028}\x{2029}])";
        return;
      case '}':
      case ']':
        ++at_;
        out_.append(1, '\\').push_back(c);
        return;
      default: {
        const auto size = first_code_point(text_.substr(at_)).size;
        out_ += text_.substr(at_, size);
        at_ += size;
      }
    }
  }

  void escape() {
    const auto next = peek(1);
    if (next == 'b' || next == 'B') {
      out_ += text_.substr(at_, 2);
      at_ += 2;
      return;
    }
    if ((next >= '1' && next <= '9') || next == 'k') {
      refuse("a back reference");
      out_ += "(?:)";
      at_ += 2;
      return;
    }
    const auto atom = read_escape();
    if (!atom) return;
    if (atom->character) {
      out_ += character_set(*atom->character);
    } else {
      out_.append("[").append(atom->set).append("]");
    }
  }

  // The escape at `at_`, inside or outside of a class.
  std::optional<Atom> read_escape() {
    if (at_ + 1 >= text_.size()) return bad("ends with a lone backslash");
    const char c = text_[at_ + 1];
    const auto begin = at_;
    at_ += 2;
    switch (c) {
      case 't':
        return character('\t');
      case 'n':
        return character('\n');
      case 'v':
        return character('\v');
      case 'f':
        return character('\f');
      case 'r':
        return character('\r');
      case 'd':
      case 'D':
      case 'w':
      case 'W':
        return Atom{{}, std::string(text_.substr(begin, 2))};
      case 's':
        return Atom{{}, space_set(Members::of_set)};
      case 'S':
        return Atom{{}, space_set(Members::outside_set)};
      case 'c':
        return read_control();
      case 'x':
        return read_hex(2);
      case 'u':
        return read_unicode();
      case 'p':
      case 'P':
        return read_property(c == 'P');
      case '0':
        if (is_digit(peek(0))) return bad("has an octal escape, which is not allowed");
        return character(0);
      default:
        break;
    }
    if (is_letter(c) || is_digit(c)) return bad(fmt::format("has the unknown escape \\{}", c));
    at_ = begin + 1;
    return read_character();
  }

  std::optional<Atom> read_control() {
    const char letter = peek(0);
    if (!is_letter(letter)) return bad("has \\c without a letter");
    ++at_;
    return character(static_cast<char32_t>(letter) % 32);
  }

  std::optional<char32_t> take_hex(std::size_t digits) {
    if (at_ + digits > text_.size()) return std::nullopt;
    char32_t value = 0;
    for (const char c : text_.substr(at_, digits)) {
      const auto lower = static_cast<char>(is_letter(c) ? (c | 0x20) : c);
      if (!is_digit(c) && (lower < 'a' || lower > 'f')) return std::nullopt;
      value = value * 16 + static_cast<char32_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    at_ += digits;
    return value;
  }

  std::optional<Atom> read_hex(std::size_t digits) {
    const auto value = take_hex(digits);
    if (!value) return bad(fmt::format("has an escape that needs {} hexadecimal digits", digits));
    return character(*value);
  }

  std::optional<Atom> read_unicode() {
    if (peek(0) == '{') {
      const auto end = text_.find('}', at_);
      const auto digits = end == std::string_view::npos ? 0 : end - at_ - 1;
      ++at_;
      const auto value = digits >= 1 && digits <= 8 ? take_hex(digits) : std::nullopt;
      if (!value || *value > kLastCodePoint) return bad("has a malformed \\u{…}");
      ++at_;
      return character(*value);
    }
    auto high = take_hex(4);
    if (!high) return bad("has \\u without four hexadecimal digits");
    if (*high >= 0xD800 && *high <= 0xDBFF && text_.substr(at_).starts_with("\\u")) {
      const auto before = at_;
      at_ += 2;
      const auto low = take_hex(4);
      if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
        return character(0x10000 + ((*high - 0xD800) << 10U) + (*low - 0xDC00));
      }
      at_ = before;
    }
    // Half a pair never occurs in UTF-8.
    if (*high >= 0xD800 && *high <= 0xDFFF) {
      refuse("half of a surrogate pair");
      return character(0xFFFD);
    }
    return character(*high);
  }

  std::optional<Atom> read_property(bool negated) {
    const auto end = text_.find('}', at_);
    if (peek(0) != '{' || end == std::string_view::npos) return bad("has \\p without {…}");
    const auto name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    const auto word = [](char c) { return is_letter(c) || c == '_' || c == '='; };
    if (name.empty() || !std::ranges::all_of(name, word)) return bad("has a malformed \\p{…}");
    auto set = property_set(name, negated ? Members::outside_set : Members::of_set);
    if (!set) refuse(fmt::format("the property \\p{{{}}}", name));
    return Atom{{}, set ? std::move(*set) : character_set(0)};
  }

  void character_class() {
    ++at_;
    const bool negated = peek(0) == '^';
    if (negated) ++at_;
    std::string inside;
    while (at_ < text_.size() && text_[at_] != ']') {
      auto first = read_class_atom();
      if (!first) return;
      const bool range = peek(0) == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']';
      if (!range) {
        append(inside, *first);
        continue;
      }
      ++at_;
      const auto last = read_class_atom();
      if (!last) return;
      if (first->character && last->character) {
        if (*first->character > *last->character) {
          bad("has a range in [...] that runs backwards");
          return;
        }
        inside += range_set(*first->character, *last->character);
      } else {
        append(inside, *first);
        inside += character_set('-');
        append(inside, *last);
      }
    }
    if (at_ >= text_.size()) {
      bad("has a [ without its ]");
      return;
    }
    ++at_;
    if (inside.empty()) {
      // [] matches nothing and [^] anything; RE2 has no such spelling.
      out_ += fmt::format("[{}{}]", negated ? "" : "^", range_set(0, kLastCodePoint));
    } else {
      out_.append(negated ? "[^" : "[").append(inside).push_back(']');
    }
  }

  std::optional<Atom> read_class_atom() {
    if (text_[at_] != '\\') return read_character();
    if (peek(1) == 'b') {
      at_ += 2;
      return character('\b');
    }
    return read_escape();
  }

  static void append(std::string& inside, const Atom& atom) {
    inside += atom.character ? character_set(*atom.character) : atom.set;
  }

  // Groups capture nothing here, since there are no back references; names are dropped.
  void group() {
    const auto rest = text_.substr(at_);
    const auto begins = [&](std::string_view with) {
      if (!rest.starts_with(with)) return false;
      at_ += with.size();
      return true;
    };
    if (begins("(?:")) {
      out_ += "(?:";
    } else if (begins("(?=") || begins("(?!")) {
      refuse("look-ahead");
      out_ += "(?:";
    } else if (begins("(?<=") || begins("(?<!")) {
      refuse("look-behind");
      out_ += "(?:";
    } else if (begins("(?i:")) {
      out_ += "(?i:";
    } else if (begins("(?-i:")) {
      out_ += "(?-i:";
    } else if (begins("(?<")) {
      const auto end = text_.find('>', at_);
      const auto name = text_.substr(at_, end == std::string_view::npos ? 0 : end - at_);
      const auto word = [](char c) {
        return is_letter(c) || is_digit(c) || c == '_' || c == '$' || (c & 0x80) != 0;
      };
      if (name.empty() || is_digit(name.front()) || !std::ranges::all_of(name, word)) {
        bad("has a malformed group name");
        return;
      }
      at_ = end + 1;
      out_ += "(?:";
    } else if (rest.starts_with("(?")) {
      bad(fmt::format("has the unknown group {}", rest.substr(0, 3)));
    } else {
      ++at_;
      out_ += "(?:";
    }
  }

  // A repetition {n}, {n,} or {n,m}; any other brace is itself.
  void brace() {
    auto end = at_ + 1;
    std::array<std::size_t, 2> counts{};
    std::size_t commas = 0;
    std::size_t digits = 0;
    for (; end < text_.size() && (is_digit(text_[end]) || text_[end] == ','); ++end) {
      if (text_[end] == ',') {
        if (digits == 0 || ++commas > 1) break;
        continue;
      }
      ++digits;
      auto& count = counts.at(commas);
      count = std::min<std::size_t>(count * 10 + static_cast<std::size_t>(text_[end] - '0'), 1U << 30U);
    }
    if (end >= text_.size() || text_[end] != '}' || digits == 0) {
      ++at_;
      out_ += "\\{";
      return;
    }
    if (std::max(counts[0], counts[1]) > kMostRepetitions) {
      refuse(fmt::format("more than {} repetitions", kMostRepetitions));
      out_ += "*";
    } else {
      out_ += text_.substr(at_, end + 1 - at_);
    }
    at_ = end + 1;
  }

  std::optional<Atom> read_character() {
    const auto next = first_code_point(text_.substr(at_));
    at_ += next.size;
    return character(next.value);
  }
  static std::optional<Atom> character(char32_t code_point) { return Atom{code_point, {}}; }

  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  std::nullopt_t bad(std::string_view why) {
    if (invalid_.empty()) invalid_ = fmt::format("the pattern {}", why);
    return std::nullopt;
  }
  void refuse(std::string_view what) {
    if (unsupported_.empty()) unsupported_ = what;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
  std::string invalid_;
  std::string unsupported_;
};

std::unique_ptr<re2::RE2> make_regex(const std::string& translated) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  return std::make_unique<re2::RE2>(translated, options);
}

}  // namespace

Result<TranslatedPattern> translate_pattern(std::string_view ecma) {
  return Translator(ecma).run();
}

bool is_regular_expression(std::string_view ecma) {
  const auto translated = translate_pattern(ecma);
  return translated && make_regex(translated->re2)->ok();
}

Pattern::Pattern(std::unique_ptr<re2::RE2> regex) : regex_(std::move(regex)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view ecma) {
  const auto translated = translate_pattern(ecma);
  if (!translated) return fail(translated.error());
  if (!translated->unsupported.empty()) {
    return fail(ErrorKind::schema,
                fmt::format("the pattern uses {}, which is not supported", translated->unsupported));
  }
  auto regex = make_regex(translated->re2);
  if (!regex->ok())
    return fail(ErrorKind::schema, fmt::format("the pattern is malformed: {}", regex->error()));
  return Pattern(std::move(regex));
}

bool Pattern::found_in(std::string_view text) const {
  return regex_->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED,
                       nullptr, 0);
}

}  // namespace assay::schema
