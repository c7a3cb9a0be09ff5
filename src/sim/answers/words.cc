#include "sim/answers/words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/text.h"
#include "sim/chance.h"

namespace assay::sim {
namespace {

// Sorted, for binary search.
constexpr auto kStopWords = std::to_array<std::string_view>(
    {"a",    "about", "all",   "also", "am",    "an",    "and",    "any",  "are",   "as",    "at",   "be",
     "been", "but",   "by",    "can",  "could", "did",   "do",     "does", "for",   "from",  "had",  "has",
     "have", "he",    "her",   "here", "him",   "his",   "how",    "i",    "if",    "in",    "into", "is",
     "it",   "its",   "just",  "may",  "me",    "might", "more",   "most", "must",  "my",    "of",   "on",
     "or",   "our",   "out",   "s",    "shall", "she",   "should", "so",   "some",  "such",  "t",    "than",
     "that", "the",   "their", "them", "then",  "there", "these",  "they", "this",  "those", "to",   "too",
     "up",   "us",    "very",  "was",  "we",    "were",  "what",   "when", "where", "which", "who",  "why",
     "will", "with",  "would", "you",  "your"});

constexpr auto kNegations = std::to_array<std::string_view>(
    {"not", "no", "never", "cannot", "without", "none", "neither", "nothing", "nobody"});

constexpr auto kManipulations = std::to_array<std::string_view>({"ignore previous",
                                                                 "ignore all previous",
                                                                 "ignore the previous",
                                                                 "ignore your",
                                                                 "ignore the above",
                                                                 "ignore any previous",
                                                                 "ignore all prior",
                                                                 "disregard",
                                                                 "forget your",
                                                                 "forget all",
                                                                 "forget the",
                                                                 "pretend you",
                                                                 "pretend to be",
                                                                 "pretend that",
                                                                 "act as if",
                                                                 "act as an unrestricted",
                                                                 "roleplay",
                                                                 "role play",
                                                                 "role-play",
                                                                 "system prompt",
                                                                 "your instructions",
                                                                 "your initial instructions",
                                                                 "developer mode",
                                                                 "jailbreak",
                                                                 "do anything now",
                                                                 "no restrictions",
                                                                 "without restrictions",
                                                                 "unrestricted",
                                                                 "unfiltered",
                                                                 "without any filter",
                                                                 "bypass",
                                                                 "override",
                                                                 "hypothetically",
                                                                 "from now on you",
                                                                 "you are now",
                                                                 "you must obey",
                                                                 "reveal your",
                                                                 "repeat the words above",
                                                                 "print your prompt",
                                                                 "as an evil",
                                                                 "no longer bound",
                                                                 "simulate a",
                                                                 "new persona",
                                                                 "base64",
                                                                 "in the voice of",
                                                                 "write a poem",
                                                                 "stay in character"});

constexpr auto kBiases = std::to_array<std::string_view>({"all women",
                                                          "all men",
                                                          "women are",
                                                          "men are",
                                                          "always",
                                                          "never",
                                                          "those people",
                                                          "these people",
                                                          "inferior",
                                                          "superior",
                                                          "lazy",
                                                          "stupid",
                                                          "obviously",
                                                          "naturally better",
                                                          "too old",
                                                          "immigrants",
                                                          "foreigners",
                                                          "typical",
                                                          "only men",
                                                          "only women",
                                                          "should not be allowed",
                                                          "disgusting",
                                                          "worthless",
                                                          "everyone knows"});

constexpr auto kAbbreviations =
    std::to_array<std::string_view>({"e.g.", "i.e.", "mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "vs.",
                                     "etc.", "no.", "fig.", "approx.", "u.s.", "u.k.", "inc.", "ltd."});

bool word_character(unsigned char c) {
  return std::isalnum(c) != 0 || c >= 0x80;
}

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Calls `take` with each word; apostrophes and hyphens inside a word belong to it.
template <class Take>
void for_each_word(std::string_view text, Take take) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (!word_character(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < text.size()) {
      const auto c = static_cast<unsigned char>(text[at]);
      const bool joins = (c == '\'' || c == '-') && at + 1 < text.size() &&
                         word_character(static_cast<unsigned char>(text[at + 1]));
      if (!word_character(c) && !joins) break;
      ++at;
    }
    take(text.substr(start, at - start));
  }
}

// Cuts the commonest endings; only has to be the same for the forms of a word, not to be right.
std::string_view without_ending(std::string_view word) {
  constexpr std::array<std::string_view, 8> kEndings = {"ations", "ation", "ings", "ing",
                                                        "ies",    "ed",    "es",   "s"};
  for (const std::string_view ending : kEndings) {
    if (word.size() >= ending.size() + 3 && word.ends_with(ending)) {
      word.remove_suffix(ending.size());
      break;
    }
  }
  if (word.size() > 4 && (word.back() == 'e' || word.back() == 'y')) word.remove_suffix(1);
  return word;
}

std::size_t count_phrases(std::string_view text, std::span<const std::string_view> phrases) {
  const std::string lowered = lower_ascii(text);
  return static_cast<std::size_t>(std::ranges::count_if(
      phrases, [&](std::string_view phrase) { return lowered.find(phrase) != std::string::npos; }));
}

// "1. ", "2) ", "- ", "* ", "• ", "# " at the start of a line.
std::string_view without_mark(std::string_view line) {
  line = trim(line);
  std::size_t digits = 0;
  while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits])) != 0) ++digits;
  if (digits > 0 && digits + 1 < line.size() && (line[digits] == '.' || line[digits] == ')') &&
      is_space(line[digits + 1])) {
    return trim(line.substr(digits + 1));
  }
  for (const std::string_view mark : {"- ", "* ", "• ", "– ", "### ", "## ", "# ", "> "}) {
    if (line.starts_with(mark)) return trim(line.substr(mark.size()));
  }
  return line;
}

bool ends_abbreviation(std::string_view text, std::size_t dot) {
  std::size_t start = dot;
  while (start > 0 && !is_space(text[start - 1])) --start;
  const std::string word = lower_ascii(text.substr(start, dot + 1 - start));
  return std::ranges::find(kAbbreviations, word) != kAbbreviations.end();
}

}  // namespace

bool is_stop_word(std::string_view word) {
  if (word.size() > 6) return false;
  std::array<char, 8> buffer{};
  std::ranges::transform(word, buffer.begin(), lower);
  return std::ranges::binary_search(kStopWords, std::string_view(buffer.data(), word.size()));
}

std::uint64_t stem_of(std::string_view word) {
  std::array<char, 48> buffer{};
  word = word.substr(0, buffer.size());
  std::ranges::transform(word, buffer.begin(), lower);
  return hash_bytes(without_ending(std::string_view(buffer.data(), word.size())));
}

WordSet::WordSet(std::string_view text) {
  for_each_word(text, [&](std::string_view word) {
    if (!is_stop_word(word)) stems_.push_back(stem_of(word));
  });
  std::ranges::sort(stems_);
  const auto repeated = std::ranges::unique(stems_);
  stems_.erase(repeated.begin(), repeated.end());
}

bool WordSet::contains(std::uint64_t stem) const {
  return std::ranges::binary_search(stems_, stem);
}

std::size_t WordSet::shared_with(const WordSet& other) const {
  std::size_t shared = 0;
  auto a = stems_.begin();
  auto b = other.stems_.begin();
  while (a != stems_.end() && b != other.stems_.end()) {
    if (*a == *b) {
      ++shared, ++a, ++b;
    } else {
      *a < *b ? ++a : ++b;
    }
  }
  return shared;
}

WordSet& WordSet::operator+=(const WordSet& other) {
  std::vector<std::uint64_t> joined;
  joined.reserve(stems_.size() + other.stems_.size());
  std::ranges::set_union(stems_, other.stems_, std::back_inserter(joined));
  stems_ = std::move(joined);
  return *this;
}

double overlap(const WordSet& part, const WordSet& whole) {
  const std::size_t smaller = std::min(part.size(), whole.size());
  if (smaller == 0) return 0;
  return static_cast<double>(part.shared_with(whole)) / static_cast<double>(smaller);
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for_each_word(text, [&](std::string_view word) { words.push_back(word); });
  return words;
}

std::vector<std::string_view> split_sentences(std::string_view text, std::size_t most) {
  std::vector<std::string_view> sentences;
  const auto add = [&](std::string_view sentence) {
    sentence = without_mark(sentence);
    const bool heading = sentence.ends_with(':');
    if (!sentence.empty() && !heading && sentences.size() < most &&
        std::ranges::any_of(sentence, [](unsigned char c) { return word_character(c); })) {
      sentences.push_back(sentence);
    }
  };
  for (const std::string_view raw : split_lines(text)) {
    const std::string_view line = without_mark(raw);
    std::size_t start = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '.' && line[i] != '!' && line[i] != '?') continue;
      std::size_t end = i + 1;
      while (end < line.size() && std::string_view(".!?\"')”").find(line[end]) != std::string_view::npos)
        ++end;
      const bool at_space = end == line.size() || is_space(line[end]);
      if (!at_space || (line[i] == '.' && ends_abbreviation(line, i))) continue;
      add(line.substr(start, end - start));
      start = i = end;
    }
    if (start < line.size()) add(line.substr(start));
  }
  return sentences;
}

bool has_negation(std::string_view text) {
  bool found = false;
  for_each_word(text, [&](std::string_view word) {
    if (found || word.size() > 9) return;
    std::array<char, 9> buffer{};
    std::ranges::transform(word, buffer.begin(), lower);
    const std::string_view small(buffer.data(), word.size());
    found = small.ends_with("n't") || std::ranges::find(kNegations, small) != kNegations.end();
  });
  return found;
}

bool has_foreign_number(std::string_view text, std::string_view reference) {
  for (std::size_t i = 0; i < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0 ||
                                 ((text[end] == '.' || text[end] == ',') && end + 1 < text.size() &&
                                  std::isdigit(static_cast<unsigned char>(text[end + 1])) != 0))) {
      ++end;
    }
    if (reference.find(text.substr(i, end - i)) == std::string_view::npos) return true;
    i = end;
  }
  return false;
}

std::size_t count_manipulations(std::string_view text) {
  return count_phrases(text, kManipulations);
}
std::size_t count_biases(std::string_view text) {
  return count_phrases(text, kBiases);
}

bool contains_text(std::string_view text, std::string_view part) {
  if (part.empty()) return true;
  const char first = lower(part.front());
  for (std::size_t at = 0; at + part.size() <= text.size(); ++at) {
    if (lower(text[at]) == first && equal_ignoring_ascii_case(text.substr(at, part.size()), part))
      return true;
  }
  return false;
}

}  // namespace assay::sim
