#include "evaluations/experiment/leaks.h"

#include <algorithm>
#include <array>

#include <re2/re2.h>

#include "core/text.h"

namespace assay::experiment {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_plain(std::string_view word) {
  return std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

// The word before `at`, or behind it.
std::string_view neighbour(std::string_view text, std::size_t at, bool before) {
  if (before) {
    std::size_t end = at;
    while (end > 0 && !is_word(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    return text.substr(begin, end - begin);
  }
  std::size_t begin = at;
  while (begin < text.size() && !is_word(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// Whether what stands around a plain word says that it is a name.
bool named_by_neighbours(std::string_view text, std::size_t begin, std::size_t end) {
  static constexpr std::array<std::string_view, 8> kBehind = {"condition", "group", "prompt",  "variant",
                                                              "role",      "arm",   "persona", "mode"};
  static constexpr std::array<std::string_view, 5> kBefore = {"condition", "variant", "persona", "role",
                                                              "arm"};
  const std::string_view last = neighbour(text, begin, true);
  const std::string_view next = neighbour(text, end, false);
  if (std::ranges::find(kBehind, next) != kBehind.end()) return true;
  if (std::ranges::find(kBefore, last) != kBefore.end()) return true;
  if (last != "a" && last != "an" && last != "the" && last != "your") return false;
  const std::string_view verb = neighbour(text, static_cast<std::size_t>(last.data() - text.data()), true);
  return verb == "as" || verb == "am" || verb == "m";  // "as an expert", "I am an expert", "I'm an expert"
}

bool stands_in(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole && (!is_plain(word) || named_by_neighbours(text, at, end))) return true;
  }
  return false;
}

}  // namespace

std::vector<TellingWord> telling_words(std::string_view text, const std::vector<TellingWord>& words) {
  static const RE2 kMark(R"(((?i)[\[［【(（{<]\s*\w{0,12}\s?(?:role|persona)\b[^\n\])］】）}>]{0,60}[\])］】）}>]))");
  const std::string lower = lower_ascii(text);
  std::vector<TellingWord> found;
  for (const TellingWord& one : words) {
    const std::string word = lower_ascii(trim(one.word));
    if (word.empty() || !stands_in(lower, word)) continue;
    const bool known = std::ranges::any_of(found, [&](const TellingWord& other) {
      return equal_ignoring_ascii_case(other.word, one.word);
    });
    if (!known) found.push_back(one);
  }
  re2::StringPiece mark;
  if (RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), kMark, &mark))
    found.push_back({std::string(mark.data(), mark.size()), "what looks like a role mark"});
  return found;
}

}  // namespace assay::experiment
