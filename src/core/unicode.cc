#include "core/unicode.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <utf8proc.h>

#include "core/text.h"

namespace assay {
namespace {

// The longest that one code point becomes, decomposed and folded, is 4 (Unicode promises 18 at most).
constexpr std::size_t kLongestMapping = 32;

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t c) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return range.first <= c && c <= range.last; });
}

// Code points that form C leaves as they are, whatever stands beside them, as long as that is one of these,
// too: most texts of most languages, which are then not taken apart.
constexpr std::array<Range, 9> kUnchanging = {{{0, 0x2FF},
                                               {0x388, 0x482},
                                               {0x2010, 0x20CF},
                                               {0x3001, 0x3029},
                                               {0x3030, 0x3098},
                                               {0x309B, 0x9FFF},
                                               {0xAC00, 0xD7A3},
                                               {0xFF00, 0xFF9D},
                                               {0x1F000, 0x1FFFF}}};
// Han, Hiragana, Katakana.
constexpr std::array<Range, 7> kWrittenWithoutSpaces = {{{0x3005, 0x3007},
                                                         {0x3041, 0x30FF},
                                                         {0x31F0, 0x31FF},
                                                         {0x3400, 0x4DBF},
                                                         {0x4E00, 0x9FFF},
                                                         {0xF900, 0xFAFF},
                                                         {0x20000, 0x3FFFF}}};

template <class Take>
void each_code_point(std::string_view text, Take take) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = first_code_point(text.substr(at));
    take(next.value, at, next.size);
    at += next.size;
  }
}

bool is_unchanging(std::string_view text) {
  bool all = true;
  each_code_point(text, [&](char32_t c, std::size_t, std::size_t) { all = all && is_in(kUnchanging, c); });
  return all;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

using Points = std::vector<utf8proc_int32_t>;

void append_mapped(Points& out, utf8proc_int32_t c, int options) {
  std::array<utf8proc_int32_t, kLongestMapping> mapped{};
  int ignored = 0;
  const auto count = utf8proc_decompose_char(c, mapped.data(), mapped.size(),
                                             static_cast<utf8proc_option_t>(options), &ignored);
  if (count < 0 || static_cast<std::size_t>(count) > mapped.size()) {
    out.push_back(c);
  } else {
    out.insert(out.end(), mapped.begin(), mapped.begin() + count);
  }
}

int combining_class(utf8proc_int32_t c) {
  return utf8proc_get_property(c)->combining_class;
}

// Marks of lower class first, those of one class as they stood. utf8proc's own way needs quadratic time for a
// million accents on one letter.
void order_marks(Points& points) {
  struct Mark {
    int combining;
    std::size_t place;
    utf8proc_int32_t c;
  };
  std::vector<Mark> run;
  for (std::size_t begin = 0, end = 0; begin < points.size(); begin = end + 1) {
    run.clear();
    for (end = begin; end < points.size() && combining_class(points[end]) != 0; ++end)
      run.push_back({combining_class(points[end]), end, points[end]});
    std::ranges::sort(run, {}, [](const Mark& mark) { return std::pair(mark.combining, mark.place); });
    for (const Mark& mark : run) points[begin++] = mark.c;
  }
}

// Form D.
Points decomposed(std::string_view text) {
  Points points;
  points.reserve(text.size());
  each_code_point(text, [&](char32_t c, std::size_t, std::size_t) {
    append_mapped(points, static_cast<utf8proc_int32_t>(c), UTF8PROC_DECOMPOSE);
  });
  order_marks(points);
  return points;
}

std::string composed(Points points) {
  order_marks(points);
  const auto count =
      utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()),
                               static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  std::string out;
  for (const utf8proc_int32_t c :
       std::span(points).first(static_cast<std::size_t>(std::max<utf8proc_ssize_t>(count, 0))))
    append_utf8(out, static_cast<char32_t>(c));
  return out;
}

}  // namespace

std::string nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  if (is_unchanging(text)) return repair_utf8(text);
  return composed(decomposed(text));
}

std::string casefold(std::string_view text) {
  if (is_ascii(text)) return lower_ascii(text);
  // Decomposed first: the iota below a Greek vowel folds to a letter, and must not wander among the accents.
  Points folded;
  folded.reserve(text.size());
  for (const utf8proc_int32_t c : decomposed(text))
    append_mapped(folded, c, UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD);
  return composed(std::move(folded));
}

bool is_white_space(char32_t c) {
  return (c >= 0x9 && c <= 0xD) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

bool is_punctuation(char32_t c) {
  if (c < 0x80)
    return c > ' ' && c < 0x7F && !(c >= '0' && c <= '9') && !((c | 0x20U) >= 'a' && (c | 0x20U) <= 'z');
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool is_word_character(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

std::string collapse_white_space(std::string_view text) {
  std::string out;
  for (const std::string_view part : split_white_space(text)) {
    if (!out.empty()) out += ' ';
    out += part;
  }
  return out;
}

std::string without_punctuation(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  each_code_point(text, [&](char32_t c, std::size_t at, std::size_t size) {
    if (!is_punctuation(c)) out += text.substr(at, size);
  });
  return out;
}

std::string_view trim_white_space(std::string_view text) {
  std::size_t begin = text.size();
  std::size_t end = text.size();
  each_code_point(text, [&](char32_t c, std::size_t at, std::size_t size) {
    if (is_white_space(c)) return;
    begin = std::min(begin, at);
    end = at + size;
  });
  return text.substr(begin, end - begin);
}

std::vector<std::string_view> split_white_space(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  const auto end_at = [&](std::size_t end) {
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
  };
  each_code_point(text, [&](char32_t c, std::size_t at, std::size_t size) {
    if (!is_white_space(c)) return;
    end_at(at);
    begin = at + size;
  });
  end_at(text.size());
  return parts;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  const auto end_at = [&](std::size_t end) {
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end;
  };
  each_code_point(text, [&](char32_t c, std::size_t at, std::size_t size) {
    if (is_in(kWrittenWithoutSpaces, c) && is_word_character(c)) {
      end_at(at);
      end_at(at + size);
    } else if (!is_word_character(c)) {
      end_at(at);
      begin = at + size;
    }
  });
  end_at(text.size());
  return words;
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  each_code_point(text, [&](char32_t c, std::size_t, std::size_t) { points.push_back(c); });
  return points;
}

}  // namespace assay
