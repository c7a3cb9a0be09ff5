#include "evaluations/experiment/leaks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

#include "core/text.h"

namespace assay::experiment {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
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
  static const RE2 kMark(
      R"(((?i)[\[［【(（{<]\s*\w{0,12}\s?(?:role|persona)\b[^\n\])］】）}>]{0,60}[\])］】）}>]))");
  const std::string lower = lower_ascii(text);
  std::vector<TellingWord> found;
  for (const TellingWord& one : words) {
    const std::string word = lower_ascii(trim(one.word));
    if (word.empty() || !stands_in(lower, word)) continue;
    const bool known = std::ranges::any_of(
        found, [&](const TellingWord& other) { return equal_ignoring_ascii_case(other.word, one.word); });
    if (!known) found.push_back(one);
  }
  re2::StringPiece mark;
  if (RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), kMark, &mark))
    found.push_back({std::string(mark.data(), mark.size()), "what looks like a role mark"});
  return found;
}

BlindAnswers blinded(const std::vector<std::optional<std::string>>& responses) {
  BlindAnswers answers;
  answers.reserve(responses.size());
  for (const auto& response : responses)
    answers.push_back(response ? std::optional(take_out_roles(*response)) : std::nullopt);
  return answers;
}

std::vector<std::string> leak_sentences(const Design& design, const Query& query,
                                        const BlindAnswers& answers) {
  std::vector<TellingWord> words;
  for (const Condition& condition : design.conditions) {
    words.push_back({condition.name, "the condition name"});
    for (int run = 1; run <= design.runs; ++run)
      words.push_back({response_file(condition.name, run, design.runs), "the file name"});
  }
  if (!query.role.empty()) words.push_back({query.role, "the role"});
  for (const auto& answer : answers) {
    if (!answer) continue;
    for (const std::string& role : answer->roles) words.push_back({role, "the role"});
  }
  const std::string question = lower_ascii(query.text);
  std::erase_if(words, [&](const TellingWord& one) {
    return question.find(lower_ascii(trim(one.word))) != std::string::npos;
  });
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) continue;
    const std::size_t condition = i / static_cast<std::size_t>(design.runs);
    const std::size_t run = i % static_cast<std::size_t>(design.runs) + 1;
    for (const TellingWord& one : telling_words(answers[i]->text, words))
      sentences.push_back(fmt::format("{}, run {}, query {}: {} \"{}\" is left in the blinded text",
                                      design.conditions[condition].name, run, query.id, one.what, one.word));
  }
  return sentences;
}

}  // namespace assay::experiment
