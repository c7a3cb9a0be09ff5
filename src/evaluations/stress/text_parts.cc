#include "evaluations/stress/text_parts.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/text.h"

namespace assay::stress {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
// Bytes of other scripts count as letters.
bool is_letter(char c) {
  return is_ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80;
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// How many bytes at the start of a line are the mark of an item or a heading: "- ", "* ", "2. ", "## ".
std::size_t mark_size(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  std::size_t end = at;
  if (line.substr(at).starts_with("•")) {
    end = at + std::string_view("•").size();
  } else if (at < line.size() && (line[at] == '-' || line[at] == '*' || line[at] == '+')) {
    end = at + 1;
  } else if (at < line.size() && line[at] == '#') {
    while (end < line.size() && line[end] == '#') ++end;
  } else {
    while (end < line.size() && is_digit(line[end])) ++end;
    if (end == at || end == line.size() || (line[end] != '.' && line[end] != ')')) return 0;
    ++end;
  }
  return end > at && end < line.size() && line[end] == ' ' ? end + 1 : 0;
}

bool is_heading(std::string_view line) {
  return mark_size(line) > 0 && trim(line).starts_with('#');
}

// "e.g.", "No. 3", "J. Smith": a full stop that ends no sentence.
bool ends_abbreviation(std::string_view line, std::size_t stop) {
  static constexpr std::array<std::string_view, 14> kShort = {
      "e.g", "i.e", "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "vs", "approx", "fig", "cf"};
  std::size_t begin = stop;
  while (begin > 0 && !is_space(line[begin - 1]) && line[begin - 1] != '(') --begin;
  const std::string word = lower_ascii(line.substr(begin, stop - begin));
  return (word.size() == 1 && is_letter(word[0])) || std::ranges::find(kShort, word) != kShort.end();
}

void add_sentences(std::string_view line, std::vector<std::string_view>& sentences) {
  const auto add = [&](std::string_view sentence) {
    sentence = trim(sentence);
    if (!sentence.empty() && std::ranges::any_of(sentence, is_letter)) sentences.push_back(sentence);
  };
  std::size_t start = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '.' && line[i] != '!' && line[i] != '?') continue;
    std::size_t end = i + 1;
    while (end < line.size() && std::string_view(".!?\"')").find(line[end]) != std::string_view::npos) ++end;
    const bool at_space = end == line.size() || is_space(line[end]);
    if (!at_space || (line[i] == '.' && ends_abbreviation(line, i))) continue;
    add(line.substr(start, end - start));
    start = end;
    i = end - 1;
  }
  if (start < line.size()) add(line.substr(start));
}

}  // namespace

std::vector<std::string_view> sentences_of(std::string_view text) {
  std::vector<std::string_view> sentences;
  for (const std::string_view line : split_lines(text)) {
    if (is_heading(line) || trim(line).ends_with(':')) continue;
    add_sentences(line.substr(mark_size(line)), sentences);
  }
  return sentences;
}

bool has_layout(std::string_view text) {
  const auto lines = split_lines(text);
  return std::ranges::any_of(lines, [](std::string_view line) { return mark_size(line) > 0; });
}

std::vector<std::string_view> figures_of(std::string_view text) {
  std::vector<std::string_view> figures;
  for (const std::string_view line : split_lines(text)) {
    std::size_t at = mark_size(line);
    while (at < line.size()) {
      if (!is_digit(line[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < line.size() && (is_digit(line[end]) || ((line[end] == '.' || line[end] == ',') &&
                                                           end + 1 < line.size() && is_digit(line[end + 1]))))
        ++end;
      // A unit may follow at once ("28kg"); a sign of money before it is no letter.
      const bool in_word =
          at > 0 && (is_ascii_letter(line[at - 1]) || line[at - 1] == '_' ||
                     (line[at - 1] == '-' && at > 1 && (is_letter(line[at - 2]) || is_digit(line[at - 2]))));
      if (!in_word) figures.push_back(line.substr(at, end - at));
      at = end;
    }
  }
  return figures;
}

std::string plain_words(std::string_view text) {
  std::string small = lower_ascii(text);
  for (const std::string_view apostrophe : {"’", "'"}) {
    const std::string ending = "n" + std::string(apostrophe) + "t";
    for (std::size_t at = small.find(ending); at != std::string::npos; at = small.find(ending, at)) {
      const bool can = at >= 2 && small.compare(at - 2, 2, "ca") == 0;
      small.replace(at, ending.size(), can ? "n not" : " not");
    }
  }
  std::string plain = " ";
  for (const char c : small) {
    if (is_letter(c) || is_digit(c)) {
      plain += c;
    } else if (plain.back() != ' ') {
      plain += ' ';
    }
  }
  if (plain.back() != ' ') plain += ' ';
  return plain;
}

bool speaks_of(std::string_view plain, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) {
    for (std::size_t at = plain.find(part); at != std::string_view::npos; at = plain.find(part, at + 1)) {
      if (at > 0 && plain[at - 1] == ' ') return true;
    }
    return false;
  });
}

std::set<std::string> telling_words(std::string_view text) {
  std::set<std::string> words;
  for (const std::string_view figure : figures_of(text)) words.emplace(figure);
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end - at >= 4) words.insert(lower_ascii(text.substr(at, end - at)));
    at = std::max(end, at + 1);
  }
  return words;
}

double share_told(std::string_view part, const std::set<std::string>& whole) {
  const auto words = telling_words(part);
  if (words.empty()) return 0;
  const auto told =
      std::ranges::count_if(words, [&](const std::string& word) { return whole.contains(word); });
  return static_cast<double>(told) / static_cast<double>(words.size());
}

}  // namespace assay::stress
