#include "evaluations/guidelines/chunk_answer.h"

#include <algorithm>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace assay::guidelines {
namespace {

// The list of checks in an answer: under `checks`, bare, or a single one. Null if there is none.
const Json* checks_in(const Json& answer) {
  const Json* checks = answer.is_array() ? &answer : find_member(answer, "checks");
  if (checks != nullptr && (checks->is_array() || checks->is_object())) return checks;
  return find_member(answer, "guideline_id") != nullptr ? &answer : nullptr;
}

// Whatever their spaces, line breaks and capitals.
bool same_words(std::string_view one, std::string_view other) {
  const auto letters = [](std::string_view text) {
    std::string kept = lower_ascii(text);
    std::erase_if(kept, [](unsigned char c) { return c <= ' '; });
    return kept;
  };
  return letters(one) == letters(other);
}

}  // namespace

ChunkAnswer::ChunkAnswer(std::span<const Guideline> chunk, std::span<const Json> events)
    : chunk_(chunk), events_(events), places_(chunk.size()) {}

Json ChunkAnswer::take(Json answer) {
  const Json* checks = checks_in(answer);
  if (checks == nullptr) return answer;
  const JsonArray list = checks->is_array() ? checks->get_array() : JsonArray{*checks};

  strangers_.clear();
  std::map<std::size_t, std::vector<const Json*>> given;  // by place
  for (const Json& check : list) {
    if (const auto place = place_of(check)) {
      given[*place].push_back(&check);
    } else {
      const Json* id = find_member(check, "guideline_id");
      strangers_.push_back(id == nullptr ? "nothing" : excerpt(*id));
    }
  }
  for (const std::size_t place : open()) {
    auto& [kept, defects] = places_[place];
    defects.clear();
    const auto own = given.find(place);
    if (own == given.end()) {
      defects.emplace_back("it has no check");
      continue;
    }
    if (own->second.size() > 1) {
      defects.emplace_back("it has more than one check");
      continue;
    }
    const Json& json = *own->second.front();
    // A judge that counts from 0, or anew, puts its checks under other guidelines' numbers.
    const std::string action = text_at(json, "action");
    const bool own_action = same_words(action, chunk_[place].action);
    const bool others_action = !own_action && std::ranges::any_of(chunk_, [&](const Guideline& one) {
      return same_words(action, one.action);
    });
    if (others_action || (!strangers_.empty() && !own_action)) {
      defects.emplace_back(
          "its check cannot be told from that of another guideline: number and action do not go together");
      continue;
    }
    CheckReading reading = read_check(json, events_);
    if (reading.defects.empty()) {
      kept = std::move(reading.check);
    } else {
      defects = std::move(reading.defects);
    }
  }
  JsonArray sound;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].check)
      sound.push_back(to_json(*places_[i].check, std::to_string(i + 1), chunk_[i].action));
  }
  return JsonObject{{"checks", std::move(sound)}};
}

// By its number. A judge that is asked for some checks again may count them anew: a number that is not open
// is then set right by the action, if just one open guideline has it.
std::optional<std::size_t> ChunkAnswer::place_of(const Json& check) const {
  const auto number = number_of(check);
  const bool known = number && *number >= 1 && *number <= static_cast<std::int64_t>(chunk_.size());
  const std::size_t numbered = known ? static_cast<std::size_t>(*number - 1) : 0;
  if (known && !places_[numbered].check) return numbered;
  std::vector<std::size_t> meant = open();
  std::erase_if(
      meant, [&](std::size_t place) { return !same_words(text_at(check, "action"), chunk_[place].action); });
  if (meant.size() == 1) return meant.front();
  return known ? std::optional(numbered) : std::nullopt;
}

std::vector<std::string> ChunkAnswer::defects() const {
  std::vector<std::string> words;
  const std::vector<std::size_t> left = open();
  if (left.empty()) return words;
  for (const std::string& stranger : strangers_)
    words.push_back(
        fmt::format("guideline_id is {}, which is none of the numbers 1 to {}", stranger, chunk_.size()));
  for (const std::size_t place : left) {
    for (const std::string& defect : places_[place].defects)
      words.push_back(fmt::format("guideline {}: {}", place + 1, defect));
  }
  return words;
}

std::string ChunkAnswer::asked_again() const {
  std::vector<std::size_t> numbers;
  for (const std::size_t place : open()) numbers.push_back(place + 1);
  if (numbers.size() == chunk_.size())
    return "Give the whole answer again with all of this put right, as JSON and nothing else.";
  return fmt::format(
      "The other checks are kept. Give the same JSON object again with the checks of guideline{} {} only, "
      "under the same number{} as before, with all of this put right, and nothing else.",
      numbers.size() == 1 ? "" : "s", fmt::join(numbers, ", "), numbers.size() == 1 ? "" : "s");
}

std::vector<Vote> ChunkAnswer::votes(const std::optional<Error>& error) const {
  std::vector<Vote> votes;
  for (const auto& [check, defects] : places_) {
    std::string why;
    if (!check) {
      for (const std::string& defect : defects) why += (why.empty() ? "" : "; ") + defect;
      // The judge's own failure says the same in the chunk's numbers.
      const bool told = !why.empty() && error && error->kind == ErrorKind::judge;
      if (error && !told) why += (why.empty() ? "" : "; when it was asked for again: ") + error->text();
    }
    votes.push_back({check, std::move(why)});
  }
  return votes;
}

std::vector<std::size_t> ChunkAnswer::open() const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!places_[i].check) places.push_back(i);
  }
  return places;
}

}  // namespace assay::guidelines
