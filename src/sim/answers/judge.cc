#include "sim/answers/judge.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/answers/scalars.h"
#include "sim/names.h"

namespace assay::sim {
namespace {

constexpr std::size_t kMostTexts = 12;

const JsonObject* properties_of_entry(const Shape& list) {
  for (const Json* schema : list.item_schemas(0)) {
    if (const Json* properties = find_member(*schema, "properties")) return properties->if_object();
  }
  return nullptr;
}

}  // namespace

Judge::Judge(const Material& material, const Document& document, const Chance& chance, double noise,
             Weaknesses weak)
    : material_(material), document_(document), chance_(chance), noise_(noise), weak_(weak) {}

const WordSet& Judge::subject_words() const {
  if (!subject_words_) subject_words_.emplace(material_.subject());
  return *subject_words_;
}

const Item* Judge::item_at(const Place& place) const {
  const Block* block = material_.judged_items();
  if (block == nullptr) return nullptr;
  for (const Step& step : place.path) {
    if (step.key.empty()) return step.index < block->items.size() ? &block->items[step.index] : nullptr;
  }
  return nullptr;
}

std::optional<std::vector<std::string_view>> Judge::texts_of_part(const Place& list) const {
  const Block* block = material_.judged_items();
  if (block == nullptr || !block->parted || !mentions(list.name(), {"truth", "fact", "statement", "claim"}))
    return std::nullopt;
  const Item* part = item_at(list);
  if (part == nullptr) return std::nullopt;
  return split_sentences(part->text, kMostTexts);
}

Chance Judge::decision(const Place& place) const {
  Chance chance = chance_.fork("decision");
  const bool nested = document_.speaks_of(place);  // each inner entry has its own
  std::size_t entries_left =
      nested ? static_cast<std::size_t>(std::ranges::count(place.path, std::string_view(), &Step::key)) : 1;
  for (const Step& step : place.path) {
    chance = step.key.empty() ? chance.fork(step.index) : chance.fork(step.key);
    if (step.key.empty() && --entries_left == 0) break;
  }
  return chance;
}

std::vector<std::string_view> Judge::classified_facts(char kind) const {
  static constexpr std::array<std::string_view, 4> kIdeal = {"ideal_answer", "expected_answer", "reference",
                                                             "ideal"};
  const Block* ideal = material_.find(kIdeal);
  const std::string_view ideal_text = ideal == nullptr ? std::string_view() : ideal->text;
  const std::string_view from = kind == 'N' ? ideal_text : material_.answer();
  const WordSet other(kind == 'N' ? material_.answer() : ideal_text);
  std::vector<std::string_view> out;
  for (const std::string_view sentence : split_sentences(from, kMostTexts)) {
    const bool shared = overlap(WordSet(sentence), other) >= 0.5;
    if (shared == (kind == 'T')) out.push_back(sentence);
  }
  return out;
}

std::optional<std::vector<std::string_view>> Judge::texts_named(std::string_view name) const {
  if (is_one_of(name, {"tp", "true_positives"})) return classified_facts('T');
  if (is_one_of(name, {"fp", "false_positives"})) return classified_facts('P');
  if (is_one_of(name, {"fn", "false_negatives"})) return classified_facts('N');
  static constexpr std::array<std::string_view, 9> kTruthful = {"ideal_answer", "context",   "contexts",
                                                                "document",     "documents", "reference",
                                                                "source",       "chunk",     "passage"};
  std::optional<std::string_view> source;
  if (mentions(name, {"claim", "statement", "opinion", "sentence"})) {
    source = material_.answer();
  } else if (mentions(name, {"truth", "fact"})) {
    const Block* block = material_.find(kTruthful);
    source = block == nullptr ? material_.answer() : block->text;
  } else if (mentions(name, {"needs", "sub_questions", "subquestions"})) {
    source = material_.subject();
  } else {
    for (const Block& block : material_.blocks()) {
      if (equal_ignoring_ascii_case(block.name, name)) source = block.text;
    }
  }
  if (!source) return std::nullopt;
  std::vector<std::string_view> sentences;
  const auto whole = std::ranges::find(material_.blocks(), *source, &Block::text);
  if (whole != material_.blocks().end() && whole->parted) {
    for (const Item& part : whole->items) {
      const auto own = split_sentences(part.text, kMostTexts);
      sentences.insert(sentences.end(), own.begin(), own.end());
    }
  } else {
    sentences = split_sentences(*source, kMostTexts);
  }
  if (mentions(name, {"opinion"})) {  // what states a view rather than a fact
    std::erase_if(sentences, [](std::string_view sentence) {
      return !mentions(sentence,
                       {"think", "believe", "should", "best", "better", "worst", "feel", "opinion"}) &&
             count_biases(sentence) == 0;
    });
  }
  return sentences;
}

std::optional<std::size_t> Judge::length(const Place& list) const {
  if (const auto repeated = document_.length(list)) return repeated;
  const std::string_view name = list.name();
  const bool inner = std::ranges::any_of(list.path, [](const Step& step) { return step.key.empty(); });
  const JsonObject* properties = properties_of_entry(list.shape);
  const Block* judged = material_.judged_items();
  const bool has_id = properties != nullptr && std::ranges::any_of(*properties, [](const auto& member) {
                        return is_id(member.key());
                      });
  if (judged != nullptr && !inner && (has_id || is_list_of_verdicts(name))) return judged->items.size();
  if (properties == nullptr) {
    if (const auto texts = inner ? texts_of_part(list) : std::nullopt) return texts->size();
    if (const auto texts = texts_named(name)) return texts->size();
  }
  // Findings inside an entry: at least one of them is expected to be there.
  if (inner && properties != nullptr &&
      std::ranges::any_of(*properties, [](const auto& member) { return is_reason(member.key()); }))
    return std::max<std::size_t>(1, list.shape.min_items);
  if (const auto entries = list.shape.item_schemas(0); entries.size() == 1) {
    const Json* values = find_member(*entries[0], "enum");
    if (values == nullptr || !values->is_array()) return std::nullopt;
    std::size_t shared = 0;  // one entry per label that the subject speaks of
    for (const Json& value : values->get_array()) {
      if (value.is_string() && subject_words().shared_with(WordSet(spaced(value.get_string()))) > 0) ++shared;
    }
    return std::max<std::size_t>(shared, list.shape.min_items);
  }
  return std::nullopt;
}

std::optional<Json> Judge::value(const Place& place) const {
  if (place.path.empty()) return std::nullopt;
  if (auto repeated = document_.repeated(place)) return repeated;
  const Shape& shape = place.shape;
  const bool entry = place.path.back().key.empty();
  if (shape.allowed && shape.allowed->size() > 1) return choose(place);
  if (shape.allowed || (shape.types & (kObject | kArray)) == shape.types) return std::nullopt;
  if (entry && (shape.types & kString) != 0) {
    const std::size_t index = place.path.back().index;
    const bool inner =
        std::ranges::count_if(place.path, [](const Step& step) { return step.key.empty(); }) > 1;
    auto texts = inner ? texts_of_part(place) : std::nullopt;
    if (!texts) texts = texts_named(place.name());
    if (texts && index < texts->size()) return Json(boost::json::string((*texts)[index]));
    return std::nullopt;
  }
  const bool typed = shape.typed || shape.suggested != 0;
  if (!typed) return std::nullopt;
  if ((shape.types & kString) != 0 && shape.patterns.empty() && shape.formats.empty()) return text(place);
  if ((shape.types & kNumber) != 0 && (shape.types & (kObject | kArray)) == 0) return number(place);
  if ((shape.types & kBoolean) != 0) return boolean(place);
  return std::nullopt;
}

std::string Judge::reason(const Place& place) const {
  const Item* item = item_at(place);
  const std::string_view text = item != nullptr              ? item->text
                                : document_.speaks_of(place) ? document_.longest_text(place)
                                                             : material_.subject();
  std::string_view topic;
  for (const std::string_view word : split_words(text)) {
    if (!is_stop_word(word) && word.size() > topic.size() && word.size() < 30) topic = word;
  }
  if (topic.empty()) topic = "it";
  const double figure = support(place);
  Chance chance = decision(place).fork("reason");
  static constexpr std::array<std::string_view, 3> kFor = {"The material speaks of {} and bears this out.",
                                                           "What is said about {} is there in the text.",
                                                           "This fits what was given on {}."};
  static constexpr std::array<std::string_view, 3> kAgainst = {"Nothing in the material bears out {}.",
                                                               "The text says something else about {}.",
                                                               "This goes beyond what was given on {}."};
  static constexpr std::array<std::string_view, 2> kUnsure = {
      "The material touches {} without deciding it.", "It is not clear from the text what holds for {}."};
  const std::string_view form = figure >= 0.66  ? chance.pick(kFor)
                                : figure < 0.33 ? chance.pick(kAgainst)
                                                : chance.pick(kUnsure);
  return fmt::format(fmt::runtime(form), topic);
}

std::optional<Json> Judge::text(const Place& place) const {
  const std::string_view name = place.name();
  const Item* item = item_at(place);
  std::string made;
  if (is_reason(name)) {
    made = reason(place);
  } else if (item != nullptr && is_id(name)) {
    made = item->id;
  } else if (item != nullptr &&
             mentions(name, {"text", "statement", "claim", "action", "opinion", "fact", "segment"})) {
    made = item->text;
  } else if (item != nullptr && mentions(name, {"scope"})) {
    made = item->text.substr(0, item->text.find('\n'));
  } else if (is_one_of(name,
                       {"answer", "response", "reply", "output", "message", "summary", "text", "content"})) {
    made = prose();
  } else {
    return std::nullopt;
  }
  if (count_code_points(made) > place.shape.max_length || count_code_points(made) < place.shape.min_length) {
    return std::nullopt;
  }
  return Json(boost::json::string(made));
}

std::string Judge::prose() const {
  static constexpr std::array<std::string_view, 5> kSources = {"context", "contexts", "document", "documents",
                                                               "source"};
  Chance chance = chance_.fork("prose");
  std::string out;
  if (const Block* block = material_.find(kSources)) {
    std::vector<std::pair<double, std::string_view>> sentences;
    for (const std::string_view sentence : split_sentences(block->text)) {
      sentences.emplace_back(overlap(WordSet(sentence), subject_words()), sentence);
    }
    std::ranges::sort(sentences, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second.data() < b.second.data();
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(sentences.size(), 2); ++i) {
      if (!out.empty()) out += ' ';
      out += sentences[i].second;
    }
    if (!out.empty()) return out;
  }
  const auto words = material_.words();
  if (words.empty()) return make_sentence(words, 6, chance);
  static constexpr std::array<std::string_view, 4> kOpenings = {
      "On {}: it depends on {} and {}.", "The short answer on {} is that {} matters more than {}.",
      "For {}, start with {} and then look at {}.", "There are two sides to {}: {} and {}."};
  out = fmt::format(fmt::runtime(chance.pick(kOpenings)), words[0], chance.pick(words), chance.pick(words));
  const std::size_t more = chance.below(3);
  for (std::size_t i = 0; i < more; ++i) out += " " + make_sentence(words, chance.between(5, 9), chance);
  return out;
}

}  // namespace assay::sim
