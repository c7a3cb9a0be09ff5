#include "evaluations/stress/demands.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "core/text.h"
#include "evaluations/stress/text_parts.h"
#include "evaluations/stress/told_figures.h"

namespace assay::stress {
namespace {

constexpr std::size_t kFewest = 3;    // words of a demand, lest it hang on one
constexpr double kCarried = 0.6;      // share of a demand's words in its sentence
constexpr double kHardlyTold = 0.25;  // and in everything else
constexpr double kSpeaksOfIt = 0.5;   // share of another sentence's words in demand and sentence

// The words below are looked for at the start of a word; one that ends in a space ends a word, too.
//
// Met by another choice, another figure or by silence, too.
constexpr auto kMetOtherwise = std::to_array<std::string_view>(
    {"or ",    "not ",   "never ", "no ",   "avoid ",   "without ", "refrain ", "cannot ",
     "least ", "most ",  "up ",    "more ", "less ",    "fewer ",   "minimum ", "maximum ",
     "above ", "below ", "under ", "over ", "between ", "if ",      "unless "});
// A part that concerns manner may be missing: the action counts as carried out (guidelines), or partly so.
constexpr auto kManner = std::to_array<std::string_view>({"sorry", "apolog", "sympath", "understand", "thank",
                                                          "greet", "welcom", "goodbye", "farewell", "wish",
                                                          "reassur", "encourag", "friendl", "polite"});
// Of four letters or more, and in sentences about anything.
constexpr auto kEverywhere = std::to_array<std::string_view>(
    {"that",   "this",  "these", "those", "there", "then", "than",  "what", "which", "when",  "where",
     "with",   "from",  "your",  "yours", "have",  "they", "their", "them", "will",  "would", "must",
     "should", "about", "into",  "been",  "were",  "does", "also",  "here", "still", "only",  "other"});

// What is asked for in words like these is carried out or broken by some changes, whoever judges.
using Words = std::span<const std::string_view>;
// The form, the extent, the language or the ends of an answer, or that it holds one thing alone: nothing may
// be added to it, nor may its layout change.
constexpr auto kForm = std::to_array<std::string_view>(
    {"paragraph", "sentence",    "line ",        "lines ",      "word ",      "words ",   "length",
     "short",     "brief",       "concis",       "succinct",    "terse",      "compact",  "character",
     "letters ",  "symbol",      "punctuat",     "emoji",       "bullet",     "numbered", "a list",
     "heading",   "headline",    "title",        "bold",        "markdown",   "html",     "plain text",
     "prose",     "layout",      "format",       "table ",      "json",       "xml",      "yaml",
     "csv",       "sql",         "code ",        "program ",    "script ",    "syntax",   "compil",
     "execut",    "valid ",      "parse",        "runs ",       "function ",  "begin",    "start ",
     "starts ",   "starting ",   "open with ",   "opens with ", "first ",     "end ",     "ends ",
     "ending ",   "close with ", "closes with ", "conclude",    "finish",     "last ",    "sign ",
     "signed ",   "signature",   "before ",      "language",    "german",     "english",  "french",
     "spanish",   "italian",     "dutch",        "polish",      "portuguese", "turkish",  "russian",
     "chinese",   "japanese",    "arabic",       "only ",       "nothing ",   "verbatim", "literal"});
// What must not be said, or how much may be: an added sentence can be too much, its layout cannot.
constexpr auto kLimits = std::to_array<std::string_view>(
    {"no ",       "not ",     "never ",      "none ",     "nobody ",      "nor ",     "neither ",
     "cannot ",   "avoid",    "without ",    "refrain",   "omit",         "exclud",   "at most ",
     "up to ",    "maximum ", "max ",        "fewer ",    "less ",        "limit",    "exact",
     "just ",     "merely",   "solely",      "exclusiv",  "stick to ",    "keep to ", "restrict",
     "confin",    "unnecess", "superfluous", "irrelevan", "redundan",     "relevan",  "to the point ",
     "on topic ", "focus",    "prohibit",    "forbid",    "rather than ", "instead "});
constexpr auto kLayout =
    std::to_array<std::string_view>({"list", "structur", "step", "readab", "clear", "easy to "});
constexpr auto kManners = std::to_array<std::string_view>(
    {"thank", "greet", "welcom", "polite", "friendl", "courte", "help", "assist", "question", "farewell",
     "goodbye", "invit", "anything else ", "tone ", "formal", "profession"});
constexpr auto kSelf = std::to_array<std::string_view>(
    {"introduce", "who you are ", "yourself", "human", "source", "modest", "humble"});
constexpr auto kExperts = std::to_array<std::string_view>(
    {"experience", "expert", "specialist", "qualif", "certif", "credential", "verif", "reassur"});
constexpr auto kModels =
    std::to_array<std::string_view>({"model", "artificial", "automated", "chatbot", "machine"});
constexpr auto kOrders =
    std::to_array<std::string_view>({"evaluat", "verif", "rating", "instruction", "comment"});

struct Touched {
  std::string_view change;
  std::array<Words, 4> words;
};
constexpr std::array<Touched, 6> kTouched = {{
    {"padding", {kForm, kLimits, kManners}},
    {"bullets", {kForm, kLayout}},
    {"format", {kForm, kLimits, kLayout}},
    {"authority", {kForm, kLimits, kSelf, kExperts}},
    {"model_names", {kForm, kLimits, kSelf, kModels}},
    {"order_in_answer", {kForm, kLimits, kOrders}},
}};

// That everything said is true, or agrees with something.
constexpr auto kTruth = std::to_array<std::string_view>(
    {"accura",    "correct",  "true ",      "truth",      "right ",       "fact ",     "facts ",
     "factual",   "faithful", "inaccura",   "incorrect",  "untrue",       "false",     "wrong",
     "mistake",   "error",    "hallucinat", "supported ", "unsupported ", "grounded ", "contradict",
     "consisten", "invent",   "made up ",   "agree",      "match ",       "matches ",  "expected "});

// Whether the demand leaves nothing open but its one sentence.
bool is_plain(std::string_view demand) {
  const std::string words = plain_words(demand);
  return !speaks_of(words, kManner) && !speaks_of(words, kMetOtherwise);
}

std::set<std::string> own_words(std::string_view text) {
  std::set<std::string> words = telling_words(text);
  for (const std::string_view word : kEverywhere) words.erase(std::string(word));
  return words;
}

double share_of(const std::set<std::string>& part, const std::set<std::string>& whole) {
  if (part.empty()) return 0;
  const auto there =
      std::ranges::count_if(part, [&](const std::string& word) { return whole.contains(word); });
  return static_cast<double>(there) / static_cast<double>(part.size());
}

// How many of the demand's figures a text has.
std::size_t figures_shared(std::string_view demand, std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      figures_of(demand), [&](std::string_view figure) { return tells_figure(text, figure); }));
}

std::string reference_of(std::string_view demand, std::string_view sentence) {
  std::set<std::string> words = telling_words(sentence);
  for (const std::string_view figure : figures_of(sentence)) words.erase(std::string(figure));
  // Where another figure would do as well, none must cost anything.
  if (leaves_figures_open(demand)) {
    words.merge(telling_words(demand));
    for (const std::string_view figure : figures_of(demand)) words.erase(std::string(figure));
    demand = {};
  }
  std::string reference(demand);
  for (const std::string& word : words) reference += " " + word;
  return reference;
}

struct Sentence {
  std::string_view words;
  std::size_t text = 0;
};

// Whether everything but the sentence leaves the demand unmet, and none of it could be taken for the
// sentence.
bool is_alone(std::string_view demand, const std::string& reference, const Sentence& carrier,
              const std::vector<Sentence>& sentences, std::string_view done) {
  const auto wanted = telling_words(reference);
  std::set<std::string> rest = own_words(done);
  std::size_t figures = figures_shared(demand, done);
  for (const Sentence& other : sentences) {
    if (other.words.data() == carrier.words.data()) continue;
    if (share_told(other.words, wanted) >= kSpeaksOfIt) return false;
    rest.merge(own_words(other.words));
    figures += figures_shared(demand, other.words);
  }
  return figures == 0 && share_of(own_words(demand), rest) <= kHardlyTold;
}

}  // namespace

std::optional<Carried> carried_alone(std::span<const std::string> demands, std::span<const std::string> texts,
                                     std::string_view done) {
  std::vector<Sentence> sentences;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const std::string_view words : sentences_of(texts[i])) sentences.push_back({words, i});
  }
  std::optional<Carried> best;
  double most = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const auto wanted = own_words(demands[i]);
    if (wanted.size() < kFewest || !is_plain(demands[i])) continue;
    for (const Sentence& sentence : sentences) {
      const double share = share_of(wanted, own_words(sentence.words));
      if (share < kCarried || share <= most) continue;
      if (figures_shared(demands[i], sentence.words) < figures_of(demands[i]).size()) continue;
      std::string reference = reference_of(demands[i], sentence.words);
      if (!is_alone(demands[i], reference, sentence, sentences, done)) continue;
      most = share;
      best = Carried{i, sentence.text, std::move(reference)};
    }
  }
  return best;
}

bool is_demanded(const Change& change, std::span<const std::string> demands) {
  const auto* touched = std::ranges::find(kTouched, change.name, &Touched::change);
  return touched != kTouched.end() && std::ranges::any_of(demands, [&](const std::string& demand) {
           const std::string words = plain_words(demand);
           return std::ranges::any_of(touched->words, [&](Words about) { return speaks_of(words, about); });
         });
}

bool asks_for_truth(std::span<const std::string> demands) {
  return std::ranges::any_of(
      demands, [](const std::string& demand) { return speaks_of(plain_words(demand), kTruth); });
}

}  // namespace assay::stress
