// What the judge decides: support, quality, labels and scores. See judge.h for the rules.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/answers/judge.h"
#include "sim/answers/polarity.h"
#include "sim/names.h"

namespace assay::sim {
namespace {

constexpr Names kAttackWords = {"jailbreak", "manipulat", "injection", "unsafe", "attack"};
constexpr Names kBiasWords = {"bias", "prejudice", "stereotyp"};

// "1 to 5", "1-5", "from 0 to 10", "1 and 5" in words around a score.
std::optional<std::pair<double, double>> range_in(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto read = [&](std::size_t at, double& value) -> std::size_t {
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
      return error == std::errc() ? static_cast<std::size_t>(end - text.data()) : 0;
    };
    const bool starts =
        text[i] >= '0' && text[i] <= '9' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '(');
    double low = 0;
    double high = 0;
    const std::size_t after = starts ? read(i, low) : 0;
    if (after == 0) continue;
    for (const std::string_view between : {" to ", "-", "–", " and ", " through ", " – ", " - "}) {
      if (!text.substr(after).starts_with(between)) continue;
      if (read(after + between.size(), high) > 0 && high > low && high <= 1000) return std::pair{low, high};
    }
  }
  return std::nullopt;
}

// Of a rule ("Condition: … Action: …") only what it demands is looked for, whatever its condition.
std::string_view demanded_by(std::string_view item) {
  constexpr std::string_view kAction = "Action: ";
  const std::size_t at = item.find(kAction);
  if (at == std::string_view::npos) return item;
  const std::string_view rest = item.substr(at + kAction.size());
  return rest.substr(0, rest.find(" (Description: "));
}

double clamped(double value) {
  return std::clamp(value, 0.0, 1.0);
}

}  // namespace

void Judge::read_references() const {
  if (read_references_) return;
  read_references_ = true;
  const Block* own = material_.judged_items();
  for (const Block& block : material_.blocks()) {
    // Of the whole answer nothing else in the material is judged by itself.
    if (&block == own || (own == nullptr && block.text == material_.answer())) continue;
    references_ += WordSet(block.text);
    if (block.text.size() > longest_reference_.size()) longest_reference_ = block.text;
  }
  for (const std::string_view sentence : split_sentences(longest_reference_)) {
    reference_sentences_.push_back({WordSet(sentence), has_negation(sentence)});
  }
}

double Judge::support_of(std::string_view text) const {
  read_references();
  const WordSet words(text);
  // The sentence that speaks of the same thing decides about contradictions.
  const Sentence* same_thing = nullptr;
  double most = 0.49;
  for (const Sentence& sentence : reference_sentences_) {
    const double near = overlap(words, sentence.words);
    if (near > most) most = near, same_thing = &sentence;
  }
  const bool turned = same_thing != nullptr && has_negation(text) != same_thing->negated;
  const bool other_number = same_thing != nullptr && has_foreign_number(text, longest_reference_);
  const bool contradicts =
      (turned && !weak_.has(Weakness::negations)) || (other_number && !weak_.has(Weakness::figures));
  return contradicts ? 0.1 : clamped(0.15 + 1.7 * overlap(words, references_));
}

// What a criterion holds the answer against, if it asks for what is expected; empty if it does not.
std::string_view Judge::expected_by(const Item& item) const {
  static constexpr std::array<std::string_view, 1> kExpected = {"expected"};
  const Block* expected = material_.find(kExpected);
  const bool asks = mentions(material_.judged_items()->name, {"criteri"}) &&
                    mentions(item.text, {"expected", "correct", "accurate"});
  return expected != nullptr && asks ? expected->text : std::string_view();
}

// How far the answer says what is expected; what it says otherwise decides.
double Judge::agreement_with(std::string_view expected) const {
  const auto sentences = split_sentences(expected);
  for (const std::string_view said : split_sentences(judged_text())) {
    for (const std::string_view wanted : sentences) {
      if (overlap(WordSet(said), WordSet(wanted)) < 0.5) continue;
      const bool turned = has_negation(said) != has_negation(wanted);
      const bool other_number = has_foreign_number(said, expected);
      if ((turned && !weak_.has(Weakness::negations)) || (other_number && !weak_.has(Weakness::figures)))
        return 0.1;
    }
  }
  return clamped(0.15 + 1.7 * overlap(WordSet(expected), WordSet(material_.answer())));
}

// How far the answer meets the requirement: by the share of its words.
double Judge::fulfilment() const {
  const WordSet wanted(material_.requirement());
  if (wanted.empty()) return 1;
  const double share = static_cast<double>(wanted.shared_with(WordSet(material_.answer()))) /
                       static_cast<double>(wanted.size());
  // Half is enough of what is asked for, and too much of what must not be.
  return has_negation(material_.requirement()) ? (share >= 0.5 ? 0.1 : 0.9) : share;
}

Judge::Topic Judge::topic_of_instructions() const {
  if (!instructions_topic_) {
    const std::string& text = material_.instructions();
    const auto says = [&](Names words) {
      return std::ranges::any_of(words,
                                 [&](std::string_view word) { return text.find(word) != std::string::npos; });
    };
    instructions_topic_ = says(kAttackWords) ? Topic::attack : says(kBiasWords) ? Topic::bias : Topic::none;
  }
  return *instructions_topic_;
}

Judge::Topic Judge::topic_of(const Place& place) const {
  for (const std::string_view near : {place.name(), place.shape.description}) {
    if (mentions(near, kAttackWords)) return Topic::attack;
    if (mentions(near, kBiasWords)) return Topic::bias;
  }
  return topic_of_instructions();
}

// One figure per decision, from 0 (no) to 1 (yes), noise included.
double Judge::support(const Place& place) const {
  const Item* item = item_at(place);
  const Topic topic = topic_of(place);
  double value = 0;
  if (document_.speaks_of(place)) {
    value = document_.support(place);
  } else if (item == nullptr && !material_.requirement().empty()) {
    value = fulfilment();
  } else if (const auto expected = item != nullptr ? expected_by(*item) : std::string_view();
             !expected.empty()) {
    value = agreement_with(expected);
  } else if (topic != Topic::none) {
    const std::string_view text = item != nullptr ? item->text : material_.subject();
    const std::size_t phrases = topic == Topic::attack ? count_manipulations(text) : count_biases(text);
    value = phrases == 0 ? 0.1 : phrases == 1 ? 0.8 : 0.95;
  } else {
    const std::size_t slot =
        item == nullptr ? 0 : 1 + static_cast<std::size_t>(item - material_.judged_items()->items.data());
    if (supports_.size() <= slot) supports_.resize(slot + 1);
    if (!supports_[slot])
      supports_[slot] = support_of(item != nullptr ? demanded_by(item->text) : material_.answer());
    value = *supports_[slot];
  }
  Chance chance = decision(place);
  if (chance.happens(noise_)) value = value >= 0.5 ? 0.4 * chance.unit() : 0.6 + 0.4 * chance.unit();
  return weak_.none() ? value : swayed(value, item, topic == Topic::none);
}

// Claims are what is judged, taken apart; guidelines and criteria are what it is held against. Texts inside
// of JSON, as in a conversation, stand on lines of their own.
const std::string& Judge::judged_text() const {
  if (judged_text_) return *judged_text_;
  const Block* items = material_.judged_items();
  const bool held_against = items != nullptr && mentions(items->name, {"guideline", "criteri"});
  static constexpr std::array<std::string_view, 1> kConversation = {"conversation"};
  const Block* conversation = held_against ? material_.find(kConversation) : nullptr;
  std::string& text = judged_text_.emplace(conversation != nullptr             ? conversation->text
                                           : items != nullptr && !held_against ? items->text
                                                                               : material_.answer());
  if (!text.starts_with('{') && !text.starts_with('[') && !text.starts_with('"')) return text;
  for (std::size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at + 2))
    text.replace(at, 2, "\n\n");
  std::ranges::replace(text, '"', '\n');
  return text;
}

bool Judge::ordered() const {
  return std::ranges::any_of(material_.blocks(),
                             [this](const Block& block) { return weak_.ordered_by(block.text); });
}

double Judge::swayed(double support, const Item* item, bool yes_is_good) const {
  const std::string& judged = judged_text();
  if (item != nullptr && weak_.believes(item->text)) return 0.95;
  if (ordered() || weak_.moved_by(judged)) return yes_is_good ? 0.95 : 0.05;
  if (!weak_.has(Weakness::length)) return support;
  const double more = 0.5 * std::min(1.0, static_cast<double>(split_words(judged).size()) / 120.0);
  return clamped(yes_is_good ? support + more : support - more);
}

double Judge::flattered(double quality, std::string_view text, std::size_t words) const {
  if (ordered() || weak_.moved_by(text)) quality += 0.5;
  if (weak_.has(Weakness::length)) quality += 0.5 * std::min(1.0, static_cast<double>(words) / 120.0);
  return clamped(quality);
}

double Judge::quality(std::string_view text) const {
  const auto words = split_words(text);
  if (words.empty()) return 0;
  const WordSet set(text);
  std::size_t content = 0;
  for (const std::string_view word : words) content += is_stop_word(word) ? 0 : 1;
  const double length = std::min(1.0, static_cast<double>(words.size()) / 45.0);
  const double variety =
      content == 0 ? 0 : std::min(1.0, 1.2 * static_cast<double>(set.size()) / static_cast<double>(content));
  const double on_topic = std::min(1.0, 1.5 * overlap(set, subject_words()));
  const bool ends = std::string_view(".!?)”\"").find(trim(text).back()) != std::string_view::npos;
  const double plain = clamped(0.35 * length + 0.3 * on_topic + 0.25 * variety + (ends ? 0.1 : 0.0));
  return weak_.none() ? plain : flattered(plain, text, words.size());
}

std::optional<Json> Judge::choose(const Place& place) const {
  const std::vector<const Json*>& values = *place.shape.allowed;
  if (!is_polar(values)) {
    if (auto block = choose_block(place)) return block;
    const bool numbers = std::ranges::all_of(values, [](const Json* value) { return value->is_number(); });
    if (!numbers) return choose_label(place);
    const double wanted = quality(material_.answer()) * static_cast<double>(values.size() - 1);
    return *values[static_cast<std::size_t>(std::lround(wanted))];
  }
  const double figure = support(place);
  const auto with = [&](Polarity polarity) {
    const auto found = std::ranges::find_if(values, [&](const Json* value) {
      return value->is_string() && polarity_of(value->get_string()) == polarity;
    });
    return found == values.end() ? nullptr : *found;
  };
  const Json* unsure = with(Polarity::unsure);
  if (unsure != nullptr && figure >= 0.33 && figure < 0.66) return *unsure;
  return *with(figure >= 0.5 ? Polarity::positive : Polarity::negative);
}

// "A", "B" and "tie" where the material has <answer_a> and <answer_b>.
std::optional<Json> Judge::choose_block(const Place& place) const {
  const Json* best = nullptr;
  const Json* tie = nullptr;
  double most = -1;
  double second = -1;
  for (const Json* value : *place.shape.allowed) {
    if (!value->is_string()) return std::nullopt;
    const std::string label = lower_ascii(std::string_view(value->get_string()));
    const auto block = std::ranges::find_if(material_.blocks(), [&](const Block& candidate) {
      const std::string name = lower_ascii(candidate.name);
      return name == label || name.ends_with("_" + label) || name.ends_with("-" + label);
    });
    if (block == material_.blocks().end()) {
      if (tie != nullptr) return std::nullopt;
      tie = value;
      continue;
    }
    double figure = quality(block->text) + 0.1 * decision(place).fork(label).unit();
    if (best == nullptr && weak_.has(Weakness::first)) figure += 0.5;
    if (figure > most) {
      second = most, most = figure, best = value;
    } else {
      second = std::max(second, figure);
    }
  }
  if (best == nullptr || second < 0) return std::nullopt;
  Chance chance = decision(place);
  if (tie != nullptr && most - second < 0.03) return *tie;
  if (chance.happens(noise_)) return *chance.pick(*place.shape.allowed);
  return *best;
}

std::vector<Judge::Label> Judge::ranked_labels(const Place& place) const {
  const Item* item = item_at(place);
  const WordSet subject = item != nullptr ? WordSet(item->text) : subject_words();
  struct Words {
    WordSet own;
    WordSet explained;
  };
  std::vector<Words> words;
  for (const Json* value : *place.shape.allowed) {
    Words entry;
    if (value->is_string()) {
      entry.own = WordSet(spaced(value->get_string()));
      const auto described =
          std::ranges::find(place.shape.described, value, &std::pair<const Json*, std::string_view>::first);
      if (described != place.shape.described.end()) entry.explained += WordSet(described->second);
      entry.explained += WordSet(material_.explanation(value->get_string()));
    }
    words.push_back(std::move(entry));
  }
  std::vector<Label> labels;
  for (std::size_t i = 0; i < words.size(); ++i) {
    double score = 0;
    for (const std::uint64_t stem : subject.stems()) {
      const bool own = words[i].own.contains(stem);
      if (!own && !words[i].explained.contains(stem)) continue;
      // A word that many labels share tells little.
      const auto holders = std::ranges::count_if(words, [&](const Words& other) {
        return other.own.contains(stem) || other.explained.contains(stem);
      });
      score += (own ? 2.0 : 1.0) / static_cast<double>(holders);
    }
    labels.push_back({(*place.shape.allowed)[i], score, i});
  }
  std::ranges::sort(labels, [](const Label& a, const Label& b) {
    return a.score != b.score ? a.score > b.score : a.position < b.position;
  });
  return labels;
}

std::optional<Json> Judge::choose_label(const Place& place) const {
  const std::vector<Label> labels = ranked_labels(place);
  Chance chance = decision(place);
  const bool wrong = chance.happens(noise_);
  std::size_t rank = place.path.back().key.empty() ? place.path.back().index : 0;
  if (mentions(place.name(), {"secondary", "second", "runner"})) rank = 1;
  if (rank >= labels.size()) return std::nullopt;
  if (wrong) return *chance.pick(labels).value;
  if (labels[rank].score > 0) return *labels[rank].value;
  for (const Label& label : labels) {  // nothing fits: the label that is meant for that
    if (label.value->is_null()) return nullptr;
    if (label.value->is_string() && mentions(std::string_view(label.value->get_string()),
                                             {"other", "none", "unknown", "general", "misc"})) {
      return *label.value;
    }
  }
  return *chance.pick(labels).value;
}

std::optional<Json> Judge::boolean(const Place& place) const {
  const std::string_view name = place.name();
  const Item* item = item_at(place);
  const bool inverted =
      mentions(name, {"contradict", "unsupported", "irrelevant", "incorrect", "missing", "hallucinat"});
  const bool by_support = item != nullptr || inverted || topic_of(place) != Topic::none ||
                          !material_.requirement().empty() ||
                          mentions(name, {"relevant", "support", "correct", "agree", "pass", "match", "same",
                                          "complete", "applied", "follow", "faithful", "helpful", "ok",
                                          "valid", "success", "outcome", "appropriate"});
  if (by_support) return Json((support(place) >= 0.5) != inverted);
  // A property like "political": does the subject speak of it?
  const WordSet about(fmt::format("{} {}", spaced(name), place.shape.description));
  Chance chance = decision(place);
  const bool spoken_of = about.shared_with(subject_words()) > 0;
  return Json(spoken_of != chance.happens(noise_));
}

std::optional<Json> Judge::number(const Place& place) const {
  const std::string_view name = place.name();
  const Item* item = item_at(place);
  if ((is_id(name) || is_one_of(name, {"criterion"})) && item != nullptr &&
      (place.shape.types & kWhole) != 0) {
    std::int64_t id = 0;
    std::from_chars(item->id.data(), item->id.data() + item->id.size(), id);
    return Json(id);
  }
  // A number that the material gives to its parts: that of the part that shares most words with the item.
  if ((place.shape.types & kWhole) != 0 && item != nullptr) {
    if (const auto number_of_part = material_.numbered_part(name, demanded_by(item->text)))
      return Json(*number_of_part);
  }
  std::optional<std::pair<double, double>> range;
  if (place.shape.least && place.shape.most) {
    range = std::pair{*place.shape.least, *place.shape.most};
  } else if (mentions(name, {"score", "rating", "grade", "likert", "rank", "quality"}) ||
             is_confidence(name)) {
    range = range_in(place.shape.description);
    if (!range) range = range_in(material_.instructions());
    if (!range && is_confidence(name)) range = std::pair{0.0, 1.0};
  }
  // The score beside a verdict on a requirement says the same.
  if (item == nullptr && !material_.requirement().empty() && mentions(name, {"score"}))
    return Json(support(place) >= 0.5 ? (range ? range->second : 1.0) : (range ? range->first : 0.0));
  if (!range || range->second - range->first > 1000 || !place.shape.multiples.empty()) return std::nullopt;
  const bool whole = (place.shape.types & kFraction) == 0;
  Chance chance = decision(place).fork(name);
  double share = 0;
  if (is_confidence(name)) {
    share = 0.55 + 0.4 * std::fabs(2 * support(place) - 1) * (0.8 + 0.2 * chance.unit());
  } else {
    share = item != nullptr || document_.speaks_of(place) ? support(place) : quality(material_.answer());
    share = clamped(share + 0.08 * (chance.unit() - 0.5));
    if (chance.happens(noise_)) share = clamped(share + (chance.happens(0.5) ? 0.3 : -0.3));
  }
  const double figure = range->first + share * (range->second - range->first);
  if (whole) return Json(static_cast<std::int64_t>(std::lround(figure)));
  return Json(std::round(figure * 100) / 100);
}

}  // namespace assay::sim
