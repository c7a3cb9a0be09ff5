// Changes that must matter: a fault is planted where what the judge is shown speaks of the matter, so that it
// can be noticed. Of several such places those that both the reference and the contexts speak of come first,
// and one of them is drawn.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/stress/changes.h"
#include "evaluations/stress/code_text.h"
#include "evaluations/stress/text_parts.h"
#include "evaluations/stress/told_figures.h"

namespace assay::stress {
namespace {

constexpr double kBornOut = 0.5;  // share of a sentence's words that the grounds have

struct Spot {
  std::string_view text;  // in the answer
  std::string other;      // what comes in its place
  Grounds grounds;
};

std::optional<Spot> drawn(std::vector<Spot> spots, Random& random) {
  const auto weight = [](const Spot& spot) {
    return (spot.grounds.reference ? 1 : 0) + (spot.grounds.contexts ? 1 : 0);
  };
  int most = 0;
  for (const Spot& spot : spots) most = std::max(most, weight(spot));
  std::erase_if(spots, [&](const Spot& spot) { return most == 0 || weight(spot) < most; });
  if (spots.empty()) return std::nullopt;
  return std::move(spots[random.below(spots.size())]);
}

ChangedTexts in_place(const JudgedTexts& texts, const Spot& spot) {
  std::string answer = texts.answer;
  const auto at = static_cast<std::size_t>(spot.text.data() - texts.answer.data());
  answer.replace(at, spot.text.size(), spot.other);
  return {std::move(answer), texts.contexts, spot.grounds};
}

bool has_figure(std::string_view text, std::string_view figure) {
  const auto figures = figures_of(text);
  return std::ranges::find(figures, figure) != figures.end();
}

// A year stays near, of any other figure the leading digit changes: "2024" → "2017", "1,200" → "4,200".
std::string other_figure(std::string_view figure, int step) {
  std::string other(figure);
  const bool year = figure.size() == 4 && figure.find_first_of(".,") == std::string_view::npos &&
                    (figure.starts_with("19") || figure.starts_with("20"));
  std::size_t at = other.find_first_of("123456789");
  if (at == std::string::npos) at = 0;
  if (year) at = 2;
  const int digit = other[at] - '0';
  const int changed = year ? (digit + step) % 10 : 1 + ((digit == 0 ? 0 : digit - 1) + step) % 9;
  other[at] = static_cast<char>('0' + changed);
  return other;
}

// Everywhere in the answer, lest it contradict itself.
std::string with_figure(const std::string& answer, std::string_view figure, const std::string& other) {
  std::string changed;
  std::size_t from = 0;
  for (const std::string_view one : figures_of(answer)) {
    if (one != figure) continue;
    const auto at = static_cast<std::size_t>(one.data() - answer.data());
    changed += answer.substr(from, at - from) + other;
    from = at + one.size();
  }
  return changed + answer.substr(from);
}

struct GroundWords {
  std::set<std::string> reference;
  std::set<std::string> contexts;

  explicit GroundWords(const JudgedTexts& texts)
      : reference(telling_words(texts.reference)), contexts(telling_words(texts.sources)) {}
  Grounds of(std::string_view sentence) const {
    return {share_told(sentence, reference) >= kBornOut, share_told(sentence, contexts) >= kBornOut};
  }
};

// What such a sentence says may hold along with its denial ("may rain", "some are taken", "checks whether it
// is complete"), or its first verb is not the one that it is about.
constexpr auto kUnsettled = std::to_array<std::string_view>(
    {"whether ",  "if ",      "may ",    "might ",     "can ",    "cannot ",   "could ",
     "would ",    "should ",  "unless ", "perhaps ",   "maybe ",  "possibly ", "likely ",
     "probably ", "usually ", "often ",  "sometimes ", "some ",   "either ",   "or ",
     "only ",     "no ",      "never ",  "nothing ",   "nobody ", "none ",     "neither ",
     "nor ",      "hardly ",  "who ",    "which ",     "that ",   "what ",     "when ",
     "where ",    "how ",     "why ",    "because ",   "while ",  "until "});

// The opposite of a sentence, by an auxiliary verb; nothing if it has none, leaves it open, or asks
// something.
std::optional<std::string> opposite(std::string_view sentence) {
  struct Turn {
    std::string_view from;
    std::string_view to;
  };
  // A negation is taken away before one is put in.
  static constexpr std::array<Turn, 19> kTurns = {{
      {" won't ", " will "},
      {" isn't ", " is "},
      {" aren't ", " are "},
      {" don't ", " do "},
      {" doesn't ", " does "},
      {" does not ", " does "},
      {" do not ", " do "},
      {" is not ", " is "},
      {" are not ", " are "},
      {" must not ", " must "},
      {" will not ", " will "},
      {" is ", " is not "},
      {" are ", " are not "},
      {" was ", " was not "},
      {" were ", " were not "},
      {" will ", " will not "},
      {" must ", " must not "},
      {" has to ", " does not have to "},
      {" have to ", " do not have to "},
  }};
  if (sentence.find('?') != std::string_view::npos || speaks_of(plain_words(sentence), kUnsettled))
    return std::nullopt;
  for (const Turn& turn : kTurns) {
    const auto at = sentence.find(turn.from);
    if (at == std::string_view::npos) continue;
    std::string turned(sentence);
    turned.replace(at, turn.from.size(), turn.to);
    return turned;
  }
  return std::nullopt;
}

// Whether the answer would still say the right figure, or never said it for sure, were it another one here.
bool is_told_otherwise(const JudgedTexts& texts, std::string_view figure) {
  if (tells_in_words(texts.answer, figure) || tells_figure(texts.elsewhere, figure)) return true;
  const auto holds = [&](std::string_view sentence) {
    return sentence.data() <= figure.data() && figure.data() < sentence.data() + sentence.size();
  };
  const auto sentences = sentences_of(texts.answer);
  const auto around = std::ranges::find_if(sentences, holds);
  return around != sentences.end() && leaves_figures_open(*around);
}

// Without the sentence; of a list its whole line goes.
std::string without(const std::string& answer, std::string_view sentence) {
  auto begin = static_cast<std::size_t>(sentence.data() - answer.data());
  std::size_t end = begin + sentence.size();
  const auto before = answer.rfind('\n', begin == 0 ? 0 : begin - 1);
  const std::size_t line = before == std::string::npos || begin == 0 ? 0 : before + 1;
  const bool only_mark =
      std::string_view(answer).substr(line, begin - line).find_first_not_of("0123456789.)-*+# \t") ==
      std::string_view::npos;
  const bool to_the_end = end == answer.size() || answer[end] == '\n';
  if (only_mark && to_the_end) {
    begin = line;
    if (end < answer.size()) ++end;
  } else {
    while (end < answer.size() && answer[end] == ' ') ++end;
  }
  return std::string(trim(answer.substr(0, begin) + answer.substr(end)));
}

}  // namespace

std::optional<ChangedTexts> with_wrong_figure(const JudgedTexts& texts, Random random) {
  std::vector<Spot> spots;
  for (const std::string_view figure : figures_of(texts.answer)) {
    const Grounds grounds{has_figure(texts.reference, figure), has_figure(texts.sources, figure)};
    if (!grounds.any() || is_told_otherwise(texts, figure)) continue;
    // Not one that would be right after all.
    const int first = 1 + static_cast<int>(random.below(8));
    for (int i = 0; i < 8; ++i) {
      std::string other = other_figure(figure, 1 + (first + i - 1) % 8);
      if (other == figure || has_figure(texts.reference, other) || has_figure(texts.sources, other) ||
          has_figure(texts.answer, other))
        continue;
      spots.push_back({figure, std::move(other), grounds});
      break;
    }
  }
  const auto spot = drawn(std::move(spots), random);
  if (!spot) return std::nullopt;
  return ChangedTexts{with_figure(texts.answer, spot->text, spot->other), texts.contexts, spot->grounds};
}

std::optional<ChangedTexts> with_negation(const JudgedTexts& texts, Random random) {
  if (looks_like_code(texts.answer)) return std::nullopt;
  const GroundWords words(texts);
  std::vector<Spot> spots;
  for (const std::string_view sentence : sentences_of(texts.answer)) {
    const Grounds grounds = words.of(sentence);
    auto turned = grounds.any() ? opposite(sentence) : std::nullopt;
    if (turned) spots.push_back({sentence, std::move(*turned), grounds});
  }
  const auto spot = drawn(std::move(spots), random);
  if (!spot) return std::nullopt;
  return in_place(texts, *spot);
}

std::optional<ChangedTexts> with_invented_source(const JudgedTexts& texts, Random /*random*/) {
  const Grounds grounds{!texts.reference.empty(), !texts.sources.empty()};
  if (!grounds.any()) return std::nullopt;
  return ChangedTexts{
      fmt::format("{} A review by Hartwell and Osei (Journal of Applied Practice, 2021) found "
                  "that nine in ten people are refused at the first attempt.",
                  texts.answer),
      texts.contexts, grounds};
}

std::optional<ChangedTexts> with_sentence_left_out(const JudgedTexts& texts, Random random) {
  const auto sentences = sentences_of(texts.answer);
  if (sentences.size() < 2 || looks_like_code(texts.answer)) return std::nullopt;
  const auto reference = telling_words(texts.reference);
  double most = kBornOut;
  std::vector<Spot> spots;
  for (const std::string_view sentence : sentences) {
    const double share = share_told(sentence, reference);
    if (share < most) continue;
    if (share > most) spots.clear();
    most = share;
    spots.push_back({sentence, "", {.reference = true}});
  }
  const auto spot = drawn(std::move(spots), random);
  if (!spot) return std::nullopt;
  return ChangedTexts{without(texts.answer, spot->text), texts.contexts, spot->grounds};
}

}  // namespace assay::stress
