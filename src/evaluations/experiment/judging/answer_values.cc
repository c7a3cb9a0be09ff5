#include "evaluations/experiment/judging/answer_values.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <re2/re2.h>

#include "core/text.h"

namespace assay::experiment {
namespace {

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

// What may stand before a value.
const std::string kLead = R"((?i)^(?:[\s\[\]("'*_~:=>|\x{60}“”-]|–|—|→)*)";

// Whether the text goes on with a further word of the same sentence.
bool goes_on(std::string_view rest) {
  const std::string_view shorter = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (shorter.size() == rest.size() || shorter.empty()) return false;
  static constexpr std::array<std::string_view, 4> kDashes = {"–", "—", "→", "‒"};
  for (const std::string_view dash : kDashes) {
    if (shorter.starts_with(dash)) return false;
  }
  const auto first = static_cast<unsigned char>(shorter.front());
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first >= 0x80;
}

// "[A/B/Tie]" is the form that was asked for, not an answer; "A and B" names no one.
bool offers_more(std::string_view rest) {
  static const RE2 kMore(
      R"((?i)^\s*(?:(?:/|\||,)\s*(?:response\s*)?(?:a|b|tie|both|neither)(?:\W|$)|(?:or|and|&|vs\.?|as well as|as good as)\s+(?:response\s*)?(?:a|b|tie)(?:\W|$)|(?:=+|<+=?|≤|‹)\s*(?:response\s*)?[ab](?:\W|$)))");
  return RE2::PartialMatch(piece(rest), kMore);
}

// "A is clearer" says A; "A clearer structure helps B" does not.
bool speaks_of_it(std::string_view rest) {
  static const RE2 kVerb(
      R"((?i)^\s+(?:is|was|wins?|has|does|because|since|gives|provides|offers|addresses|explains)(?:\W|$))");
  return RE2::PartialMatch(piece(rest), kVerb);
}

// "A is worse than B" begins with A and means B; better to ask again than to guess.
bool speaks_against_it(std::string_view rest) {
  static const RE2 kAgainst(
      R"((?i)^[^.;!?]*\b(?:worse|weaker|poorer|inferior|less|fewer|lacks?|loses?|lost|misses|fails?|outclassed|beaten|not|n't|never|so b|so a)\b)");
  return goes_on(rest) && RE2::PartialMatch(piece(rest), kAgainst);
}

// Whether a bare "A" may be the article: not behind "Yes, ".
enum class Article { possible, impossible };

std::optional<ReadWord> read_letter(std::string_view text, Article article) {
  static const RE2 kLetter(
      kLead + R"(((?:the\s+)?(?:response|answer|option|reply|text)[\s_:"'*\[-]*)?([ab])((?:\W.*)?)$)");
  std::string flat(text);
  std::ranges::replace(flat, '\n', ' ');
  re2::StringPiece label;
  re2::StringPiece letter;
  re2::StringPiece behind;
  if (!RE2::PartialMatch(piece(flat), kLetter, &label, &letter, &behind)) return std::nullopt;
  const std::string_view rest(behind.data(), behind.size());
  if (offers_more(rest) || speaks_against_it(rest)) return std::nullopt;
  const bool doubtful = label.empty() && (letter[0] == 'a' || letter[0] == 'A') && goes_on(rest);
  const bool name = letter[0] == 'A' && (article == Article::impossible || speaks_of_it(rest));
  if (doubtful && !name) return std::nullopt;
  return ReadWord{letter[0] == 'a' || letter[0] == 'A' ? "A" : "B", std::string(bare(rest))};
}

// One of some words, alone or before a separator.
std::optional<ReadWord> read_word(std::string_view text, const RE2& pattern, const char* value) {
  std::string flat(text);
  std::ranges::replace(flat, '\n', ' ');
  re2::StringPiece behind;
  if (!RE2::PartialMatch(piece(flat), pattern, &behind)) return std::nullopt;
  const std::string_view rest(behind.data(), behind.size());
  if (offers_more(rest)) return std::nullopt;
  return ReadWord{value, std::string(bare(rest))};
}

}  // namespace

std::string_view bare(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kMarks = {"–", "—", "→", "“", "”"};
  bool opened = false;
  for (bool shorter = true; shorter && !text.empty();) {
    shorter = false;
    text = trim(text);
    if (!text.empty() && std::string_view("[](*_~`:=|-,;>/").find(text.front()) != std::string_view::npos) {
      opened = opened || text.front() == '[' || text.front() == '(';
      text.remove_prefix(1);
      shorter = true;
    }
    if (!opened && text.starts_with(")")) {
      text.remove_prefix(1);
      shorter = true;
    }
    for (const std::string_view mark : kMarks) {
      if (!text.starts_with(mark)) continue;
      text.remove_prefix(mark.size());
      shorter = true;
    }
  }
  while (!text.empty() && std::string_view(" \t\r\n|*_`").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  if (opened && (text.ends_with("]") || text.ends_with(")"))) text.remove_suffix(1);
  return text;
}

std::optional<ReadWord> read_choice(std::string_view text) {
  static const RE2 kTie(
      kLead + R"((?:it(?:'s| is) )?(?:a )?(?:tie|tied|draw|no difference|no preference)((?:\W.*)?)$)");
  static const RE2 kEqual(
      kLead +
      R"((?:equal|equally good|same|both|both equally|neither|none)((?:\s*(?:[\])*_:;.,|"\x{60}-]|–|—).*)?)\s*$)");
  if (auto letter = read_letter(text, Article::possible)) return letter;
  if (auto tie = read_word(text, kTie, "Tie")) return tie;
  return read_word(text, kEqual, "Tie");
}

std::optional<ReadWord> read_which(std::string_view text) {
  static const RE2 kYes(kLead + R"(yes[\s,:;.(*_-]+(.+)$)");
  static const RE2 kBoth(kLead + R"((?:both|a and b|tie)((?:\W.*)?)$)");
  static const RE2 kNeither(kLead + R"((?:neither|none|no|not really|nothing|n/a|no one)((?:\W.*)?)$)");
  std::string flat(text);
  std::ranges::replace(flat, '\n', ' ');
  re2::StringPiece behind;
  const bool yes = RE2::PartialMatch(piece(flat), kYes, &behind);
  const std::string after = yes ? std::string(behind.data(), behind.size()) : flat;
  if (auto both = read_word(after, kBoth, "Both")) return both;
  if (auto letter = read_letter(after, yes ? Article::impossible : Article::possible)) return letter;
  return read_word(flat, kNeither, "Neither");
}

std::optional<ReadWord> read_yes_no(std::string_view text) {
  static const RE2 kYes(kLead + R"((?:yes|true|appropriate|apt)((?:\W.*)?)$)");
  static const RE2 kNo(kLead + R"((?:no|false|not appropriate|inappropriate|not apt)((?:\W.*)?)$)");
  static const RE2 kBothOffered(R"((?i)^\s*(?:/|\||or\s)\s*(?:yes|no|false|true)(?:\W|$))");
  for (const auto& [pattern, value] : {std::pair{&kYes, "yes"}, std::pair{&kNo, "no"}}) {
    std::string flat(text);
    std::ranges::replace(flat, '\n', ' ');
    re2::StringPiece behind;
    if (!RE2::PartialMatch(piece(flat), *pattern, &behind)) continue;
    if (RE2::PartialMatch(behind, kBothOffered)) return std::nullopt;
    return ReadWord{value, std::string(bare({behind.data(), behind.size()}))};
  }
  return std::nullopt;
}

std::optional<ReadNumber> read_score(std::string_view text) {
  static const RE2 kScore(
      kLead +
      R"((?:score|rating)?[\s:=]*((?:[0-9]{1,6}(?:\.[0-9]{1,6})?)|one|two|three|four|five)((?:\W.*)?)$)");
  static const RE2 kRange(
      R"((?i)^(?:(?:-|–|—|\.\.)|\s+(?:to|or)\s+|\s+(?:-|–)\s+(?:[0-9]\s*[\])])|\s*\|\s*)[0-9])");
  static const RE2 kRangeInBrackets(R"((?i)^\s*(?:-|–|—)\s*[0-9]\s*[\])])");
  static const RE2 kOfFive(R"((?i)^\s*(?:/|out of|of)\s*5(?:\.0)?((?:\W.*)?)$)");
  static const RE2 kOfOther(R"((?i)^\s*(?:/|out of|of)\s*[0-9])");
  std::string flat(text);
  std::ranges::replace(flat, '\n', ' ');
  re2::StringPiece number;
  re2::StringPiece behind;
  if (!RE2::PartialMatch(piece(flat), kScore, &number, &behind)) return std::nullopt;
  if (RE2::PartialMatch(behind, kRange) || RE2::PartialMatch(behind, kRangeInBrackets)) return std::nullopt;
  re2::StringPiece after;
  if (RE2::PartialMatch(behind, kOfFive, &after)) {
    behind = after;
  } else if (RE2::PartialMatch(behind, kOfOther)) {
    return std::nullopt;
  }
  static constexpr std::array<std::string_view, 5> kWords = {"one", "two", "three", "four", "five"};
  const std::string word = lower_ascii({number.data(), number.size()});
  const auto found = std::ranges::find(kWords, word);
  const double value = found != kWords.end() ? static_cast<double>(found - kWords.begin() + 1)
                                             : std::strtod(word.c_str(), nullptr);
  return ReadNumber{value, std::string(bare({behind.data(), behind.size()}))};
}

std::optional<double> read_score_of(char which, std::string_view text) {
  static const RE2 kA(R"((?i)(?:^|[^a-z])a[^0-9a-z]{0,8}([1-9])(?:\D|$))");
  static const RE2 kB(R"((?i)(?:^|[^a-z])b[^0-9a-z]{0,8}([1-9])(?:\D|$))");
  int value = 0;
  if (!RE2::PartialMatch(piece(text), which == 'a' ? kA : kB, &value)) return std::nullopt;
  return value;
}

std::vector<std::string> read_list(std::string_view text) {
  static const RE2 kBetween(R"((?i)\s*(?:[,;/\n]|\s+or\s+|\s+and\s+)\s*)");
  static const RE2 kNone(R"((?i)^(?:none|no|n/a|nothing|no others?)\.?$)");
  std::string flat(bare(text));
  RE2::GlobalReplace(&flat, kBetween, "\n");
  std::vector<std::string> list;
  for (const std::string_view part : split(flat, '\n')) {
    std::string_view one = bare(part);
    while (one.ends_with('.') || one.ends_with(']')) one.remove_suffix(1);
    if (one.empty() || RE2::FullMatch(piece(one), kNone)) continue;
    if (std::ranges::find(list, one) == list.end()) list.emplace_back(one);
  }
  return list;
}

}  // namespace assay::experiment
