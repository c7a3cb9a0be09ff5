#include "sim/answers/pattern.h"

#include <algorithm>
#include <array>

#include "core/text.h"

namespace assay::sim {
namespace {

using Piece = TextPattern::Piece;
using Range = TextPattern::Range;
using Alternatives = std::vector<std::vector<Piece>>;

constexpr std::size_t kNoEnd = TextPattern::kMostCharacters + 1;
constexpr int kDeepest = 64;
constexpr char32_t kLast = 0x10FFFF;

struct Property {
  std::string_view name;
  std::array<Range, 3> ranges;
  std::size_t count;
};
// A few members of each Unicode property are enough to make text that has it.
constexpr Property kProperties[] = {
    {"L", {{{'a', 'z'}, {'A', 'Z'}, {0xE0, 0xF6}}}, 3},
    {"Letter", {{{'a', 'z'}, {'A', 'Z'}, {0xE0, 0xF6}}}, 3},
    {"Alphabetic", {{{'a', 'z'}, {'A', 'Z'}, {0xE0, 0xF6}}}, 3},
    {"Lu", {{{'A', 'Z'}}}, 1},
    {"Uppercase_Letter", {{{'A', 'Z'}}}, 1},
    {"Ll", {{{'a', 'z'}}}, 1},
    {"Lowercase_Letter", {{{'a', 'z'}}}, 1},
    {"N", {{{'0', '9'}}}, 1},
    {"Nd", {{{'0', '9'}}}, 1},
    {"digit", {{{'0', '9'}}}, 1},
    {"P", {{{',', '.'}, {'!', '!'}, {'?', '?'}}}, 3},
    {"Punctuation", {{{',', '.'}, {'!', '!'}, {'?', '?'}}}, 3},
    {"S", {{{'+', '+'}, {'$', '$'}, {0x20AC, 0x20AC}}}, 3},
    {"Z", {{{' ', ' '}}}, 1},
    {"Zs", {{{' ', ' '}}}, 1},
    {"Greek", {{{0x3B1, 0x3C9}}}, 1},
    {"Cyrillic", {{{0x430, 0x44F}}}, 1},
    {"Latin", {{{'a', 'z'}, {'A', 'Z'}}}, 2},
};

void add_range(std::vector<Range>& ranges, char32_t first, char32_t last) {
  ranges.push_back({first, last});
}

// The complement of sorted or unsorted ranges.
std::vector<Range> complement(std::vector<Range> ranges) {
  std::ranges::sort(ranges, {}, &Range::first);
  std::vector<Range> out;
  char32_t next = 0;
  for (const Range& range : ranges) {
    if (range.first > next) out.push_back({next, range.first - 1});
    if (range.last >= next) next = range.last + 1;
  }
  if (next <= kLast) out.push_back({next, kLast});
  return out;
}

bool contains(const std::vector<Range>& ranges, char32_t character) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return character >= range.first && character <= range.last; });
}

// A recursive descent over the expression. Any failure makes the whole parse fail.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<Alternatives> whole() {
    auto result = alternatives(0);
    if (!result || at_ != text_.size()) return std::nullopt;
    return result;
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  bool peek(char character) const { return !done() && text_[at_] == character; }
  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  char32_t character() {
    const auto lead = static_cast<unsigned char>(text_[at_++]);
    if (lead < 0x80) return lead;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    char32_t value = lead & (0x3FU >> more);
    for (int i = 0; i < more && !done(); ++i) {
      value = (value << 6) | (static_cast<unsigned char>(text_[at_++]) & 0x3FU);
    }
    return value;
  }

  std::optional<Alternatives> alternatives(int depth) {
    if (depth > kDeepest) return std::nullopt;
    Alternatives result(1);
    while (!done() && !peek(')')) {
      if (take("|")) {
        result.emplace_back();
        continue;
      }
      auto next = piece(depth);
      if (!next || !quantifier(*next)) return std::nullopt;
      result.back().push_back(std::move(*next));
    }
    return result;
  }

  std::optional<Piece> piece(int depth) {
    Piece result;
    if (take("^") || take("$") || take("\\b") || take("\\B")) {
      result.kind = Piece::Kind::position;
      return result;
    }
    if (take("(")) return group(depth);
    if (take("[")) return bracket();
    if (take(".")) {
      result.negated = true;
      add_range(result.ranges, '\n', '\n');
      add_range(result.ranges, '\r', '\r');
      add_range(result.ranges, 0x2028, 0x2029);
      return result;
    }
    if (take("\\")) {
      if (!escape(result.ranges)) return std::nullopt;
      return result;
    }
    if (peek('*') || peek('+') || peek('?')) return std::nullopt;
    const char32_t literal = character();
    add_range(result.ranges, literal, literal);
    return result;
  }

  std::optional<Piece> group(int depth) {
    Piece result;
    result.kind = Piece::Kind::group;
    bool looks_around = false;
    if (take("?=") || take("?!") || take("?<=") || take("?<!")) {
      looks_around = true;
    } else if (!take("?:") && take("?<")) {
      while (!done() && !peek('>')) ++at_;
      if (!take(">")) return std::nullopt;
    }
    auto inner = alternatives(depth + 1);
    if (!inner || !take(")")) return std::nullopt;
    if (looks_around) {
      result.kind = Piece::Kind::position;
      return result;
    }
    result.alternatives = std::move(*inner);
    return result;
  }

  std::optional<Piece> bracket() {
    Piece result;
    result.negated = take("^");
    while (!done() && !peek(']')) {
      std::vector<Range> first;
      if (!class_member(first)) return std::nullopt;
      const bool single = first.size() == 1 && first[0].first == first[0].last;
      if (single && peek('-') && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        ++at_;
        std::vector<Range> last;
        if (!class_member(last)) return std::nullopt;
        if (last.size() != 1 || last[0].first != last[0].last || last[0].first < first[0].first)
          return std::nullopt;
        add_range(result.ranges, first[0].first, last[0].last);
      } else {
        result.ranges.insert(result.ranges.end(), first.begin(), first.end());
      }
    }
    if (!take("]")) return std::nullopt;
    return result;
  }

  bool class_member(std::vector<Range>& ranges) {
    if (take("\\")) {
      if (take("b")) {
        add_range(ranges, 8, 8);
        return true;
      }
      return escape(ranges);
    }
    const char32_t literal = character();
    add_range(ranges, literal, literal);
    return true;
  }

  std::optional<char32_t> hexadecimal(std::size_t least, std::size_t most) {
    char32_t value = 0;
    std::size_t digits = 0;
    for (; digits < most && !done(); ++digits, ++at_) {
      const char c = text_[at_];
      if (c >= '0' && c <= '9') {
        value = value * 16 + static_cast<char32_t>(c - '0');
      } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
        value = value * 16 + static_cast<char32_t>((c | 0x20) - 'a' + 10);
      } else {
        break;
      }
    }
    if (digits < least || value > kLast) return std::nullopt;
    return value;
  }

  bool property(std::vector<Range>& ranges, bool inverted) {
    if (!take("{")) return false;
    const auto end = text_.find('}', at_);
    if (end == std::string_view::npos) return false;
    std::string_view name = text_.substr(at_, end - at_);
    at_ = end + 1;
    if (const auto equals = name.find('='); equals != std::string_view::npos) name.remove_prefix(equals + 1);
    const auto* found = std::ranges::find(kProperties, name, &Property::name);
    if (found == std::end(kProperties)) return false;
    std::vector<Range> members(found->ranges.begin(),
                               found->ranges.begin() + static_cast<long>(found->count));
    if (inverted) members = complement(members);
    ranges.insert(ranges.end(), members.begin(), members.end());
    return true;
  }

  bool escape(std::vector<Range>& ranges) {
    if (done()) return false;
    const char32_t name = character();
    std::vector<Range> found;
    switch (name) {
      case 'd':
      case 'D':
        found = {{'0', '9'}};
        break;
      case 'w':
      case 'W':
        found = {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}};
        break;
      case 's':
        found = {{' ', ' '}};  // of all white space the one that every engine agrees on
        break;
      case 'S':
        found = {{' ', ' '},       {'\t', '\r'},     {0x85, 0x85},     {0xA0, 0xA0},
                 {0x1680, 0x1680}, {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F},
                 {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
        break;
      case 'p':
        return property(ranges, false);
      case 'P':
        return property(ranges, true);
      case 't':
        found = {{'\t', '\t'}};
        break;
      case 'n':
        found = {{'\n', '\n'}};
        break;
      case 'r':
        found = {{'\r', '\r'}};
        break;
      case 'f':
        found = {{'\f', '\f'}};
        break;
      case 'v':
        found = {{'\v', '\v'}};
        break;
      case '0':
        found = {{0, 0}};
        break;
      case 'c': {
        if (done()) return false;
        const char32_t control = character() % 32;
        found = {{control, control}};
        break;
      }
      case 'x':
      case 'u': {
        std::optional<char32_t> code;
        if (name == 'u' && take("{")) {
          code = hexadecimal(1, 6);
          if (!take("}")) return false;
        } else {
          const std::size_t digits = name == 'x' ? 2 : 4;
          code = hexadecimal(digits, digits);
        }
        if (!code) return false;
        found = {{*code, *code}};
        break;
      }
      default:
        if ((name >= '1' && name <= '9') || name == 'k') return false;  // back references
        found = {{name, name}};
    }
    if (name == 'D' || name == 'W' || name == 'S') found = complement(found);
    ranges.insert(ranges.end(), found.begin(), found.end());
    return true;
  }

  std::optional<std::size_t> number() {
    std::size_t value = 0;
    std::size_t digits = 0;
    for (; !done() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_, ++digits) {
      value = std::min(value * 10 + static_cast<std::size_t>(text_[at_] - '0'), kNoEnd);
    }
    if (digits == 0) return std::nullopt;
    return value;
  }

  bool quantifier(Piece& piece) {
    if (take("*")) {
      piece.least = 0;
      piece.most = kNoEnd;
    } else if (take("+")) {
      piece.most = kNoEnd;
    } else if (take("?")) {
      piece.least = 0;
    } else if (peek('{')) {
      const std::size_t start = at_++;
      const auto least = number();
      if (!least) {  // a lone brace is itself, as lenient engines read it
        at_ = start;
        return true;
      }
      piece.least = piece.most = *least;
      if (take(",")) piece.most = number().value_or(kNoEnd);
      if (!take("}") || piece.most < piece.least) return false;
    } else {
      return true;
    }
    take("?");
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Characters that people like to read, in the order in which a class is asked for them.
constexpr std::string_view kFriendly =
    "aeinorstlcdupmhgbfywkvxzjqAEINORSTLCDUPMHGBFYWKVXZJQ0123456789 -_.,!@#";

char32_t make_character(const Piece& piece, Chance& chance) {
  const std::vector<Range> allowed = piece.negated ? complement(piece.ranges) : piece.ranges;
  if (allowed.empty()) return 'a';  // [^\s\S] matches nothing; the verification will say so
  const bool wide =
      std::ranges::any_of(allowed, [](const Range& range) { return range.last - range.first > 512; });
  if (wide) {  // an inverted class: prefer what can be read
    for (int i = 0; i < 16; ++i) {
      const auto friendly = static_cast<char32_t>(chance.pick(kFriendly));
      if (contains(allowed, friendly)) return friendly;
    }
    for (const char friendly : kFriendly) {
      if (contains(allowed, static_cast<char32_t>(friendly))) return static_cast<char32_t>(friendly);
    }
  }
  const Range& range = chance.pick(allowed);
  return range.first + static_cast<char32_t>(chance.below(range.last - range.first + 1));
}

// Half of a surrogate pair is no character.
char32_t whole_character(char32_t made) {
  return made >= 0xD800 && made <= 0xDFFF ? U'a' : made;
}

struct Making {
  Chance& chance;
  std::size_t stretch;
  // Nested groups that make nothing, (((){9}){9}){9}, multiply without ever filling the text.
  std::size_t steps_left;
  std::string out;
};

void emit(const Alternatives& alternatives, Making& making) {
  for (const Piece& piece : making.chance.pick(alternatives)) {
    if (piece.kind == Piece::Kind::position) continue;
    const std::size_t most = std::min(piece.most, piece.least + std::max<std::size_t>(making.stretch, 1));
    const std::size_t count = making.chance.between(piece.least, most);
    for (std::size_t i = 0; i < count && making.steps_left > 0; ++i) {
      if (making.out.size() >= TextPattern::kMostCharacters) return;
      --making.steps_left;
      if (piece.kind == Piece::Kind::group) {
        emit(piece.alternatives, making);
      } else {
        append_utf8(making.out, whole_character(make_character(piece, making.chance)));
      }
    }
  }
}

}  // namespace

std::optional<TextPattern> TextPattern::parse(std::string_view expression) {
  auto alternatives = Reader(expression).whole();
  if (!alternatives) return std::nullopt;
  TextPattern pattern;
  pattern.alternatives_ = std::move(*alternatives);
  pattern.open_start_ = expression.find('^') == std::string_view::npos;
  pattern.open_end_ = expression.find('$') == std::string_view::npos;
  return pattern;
}

std::string TextPattern::make(Chance& chance, std::size_t stretch) const {
  Making making{chance, stretch, 100'000, {}};
  emit(alternatives_, making);
  return std::move(making.out);
}

}  // namespace assay::sim
