#include "evaluations/experiment/design/leaks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

#include "core/text.h"
#include "evaluations/experiment/design/roomy_pattern.h"

namespace assay::experiment {
namespace {

constexpr std::string_view kRoleWord = "the role";

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

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

// Lower case, without unseen characters, white space as single spaces.
std::string plain(std::string_view text) {
  static const RE2 kSpace(R"([\s\x{00A0}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{3000}]+)");
  std::string words = lower_ascii(without_unseen(trim(text)));
  RE2::GlobalReplace(&words, kSpace, " ");
  return words;
}

std::optional<std::string> first_mark(const std::string& text) {
  static const RoomyPattern kMark(
      R"((?i)((?:[\[［【(（{<]|&#0*91;|&#x0*5b;|&l(?:brack|sqb);)\s*(?:\w{0,12}\s?(?:roles?|personas?)\b|)"
      R"((?:acting|speaking|answering|responding) as\b)[^\n\])］】）}>]{0,60}\s*)"
      R"((?:[\])］】）}>]|&#0*93;|&#x0*5d;|&r(?:brack|sqb);)))");
  std::string mark;
  return RE2::PartialMatch(text, kMark, &mark) ? std::optional(mark) : std::nullopt;
}

bool states_a_role(std::string_view line) {
  // "Role: X", "**Personas:** X, Y", {"role": "X", …: decorated, with a word or two around "role".
  static const RoomyPattern kLine(
      R"((?i)^[^\p{L}\p{N}|]*(?:[a-z]{1,14} ){0,2}(?:roles?|personas?)(?: (?:[a-z]{1,12}|#?\d{1,3}))?)"
      R"(["'“”\])]?\s*[*_~`]{0,4}\s*(?:[:：=–—→]| -)\s*[^\n]{1,100}$)");
  static const RoomyPattern kStatement(
      R"((?i)(?:\b(?:my|our) (?:\w+ )?(?:role|persona)(?: here| today)? (?:is|will be|as)\b)"
      R"(|\bin (?:my|the) (?:role|persona|capacity) (?:as|of) (?:an?|your|the) [^.\n]{1,60}, I\b)"
      R"(|\bI(?:['’]m| am| will be|['’]ll be) (?:now )?(?:acting|speaking|answering|responding|writing) as\b)"
      R"(|\bI(?:['’]ll| will| have|['’]ve)? (?:adopt(?:ed)?|assumed?|take on|took on|taken on) the )"
      R"((?:role|persona)\b)"
      R"(|^[^\p{L}\p{N}]*(?:(?:acting|speaking|answering|responding|writing) )?as an? )"
      R"([^\n.,;:]{2,60}, I\b))");
  // What every model says of itself.
  static const RE2 kModel(R"((?i)\bas an? (?:AI|(?:large )?language model|assistant|virtual assistant)\b)");
  const re2::StringPiece read = piece(line);
  return RE2::PartialMatch(read, kLine) ||
         (RE2::PartialMatch(read, kStatement) && !RE2::PartialMatch(read, kModel));
}

// The first line that states a role. Code in the middle of an answer is data; code that opens it may be where
// a model puts its role.
std::optional<std::string> first_statement(const std::string& text) {
  static const RE2 kTechnical(
      R"((?i)\brole["']?\s*:\s*["']?(?:user|assistant|system|tool|function|developer|admin)\b)");
  bool code = false;
  bool opening = true;
  for (const std::string_view whole : split_lines(text)) {
    const std::string_view line = trim(whole);
    if (line.empty()) continue;
    const bool fence = line.starts_with("```") || line.starts_with("~~~");
    if (fence) {
      code = !code;
      if (!code) opening = false;
      continue;
    }
    if (!code) opening = false;
    if (code && (!opening || RE2::PartialMatch(piece(line), kTechnical))) continue;
    if (states_a_role(line)) return std::string(line);
  }
  return std::nullopt;
}

}  // namespace

std::vector<TellingWord> telling_words(std::string_view text, const std::vector<TellingWord>& words) {
  constexpr std::size_t kMostShown = 120;
  const std::string lower = plain(text);
  std::vector<TellingWord> found;
  bool role = false;
  for (const TellingWord& one : words) {
    const std::string word = plain(one.word);
    if (word.empty() || !stands_in(lower, word)) continue;
    const bool known = std::ranges::any_of(
        found, [&](const TellingWord& other) { return equal_ignoring_ascii_case(other.word, one.word); });
    if (!known) found.push_back(one);
    role = role || one.what == kRoleWord;
  }
  const std::string seen = without_unseen(text);
  if (auto mark = first_mark(seen)) {
    found.push_back({std::move(*mark), "what looks like a role mark"});
  } else if (!role) {
    // A statement is told by its role where that is known.
    if (const auto line = first_statement(seen))
      found.push_back({shorten(*line, kMostShown), "what reads like a statement of a role"});
  }
  return found;
}

std::vector<std::string> leak_sentences(const Design& design, const Query& query, const BlindAnswers& answers,
                                        const std::vector<std::string>& run_roles) {
  std::vector<TellingWord> words;
  for (const Condition& condition : design.conditions) {
    words.push_back({condition.name, "the condition name"});
    for (int run = 1; run <= design.runs; ++run)
      words.push_back({response_file(condition.name, run, design.runs), "the file name"});
  }
  if (!query.role.empty()) words.push_back({query.role, kRoleWord});
  for (const auto& answer : answers) {
    if (!answer) continue;
    for (const std::string& role : answer->roles) words.push_back({role, kRoleWord});
  }
  for (const std::string& role : run_roles) words.push_back({role, kRoleWord});
  const std::string question = plain(query.text);
  const auto asked = [&](const TellingWord& one) {
    return question.find(plain(one.word)) != std::string::npos;
  };
  std::erase_if(words, asked);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) continue;
    const auto [condition, run] = design.answer_at(i);
    std::vector<TellingWord> found = telling_words(answers[i]->text, words);
    std::erase_if(found, asked);
    for (const TellingWord& one : found)
      sentences.push_back(fmt::format("{}, run {}, query {}: {} \"{}\" is left in the blinded text",
                                      design.conditions[condition].name, run, query.id, one.what, one.word));
  }
  return sentences;
}

}  // namespace assay::experiment
