#include "core/schema/words.h"

#include <array>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace schema {
namespace {

constexpr std::size_t kMostListed = 12;         // choices and names in one message
constexpr std::size_t kMostAlternatives = 5;    // explained in one message
constexpr std::size_t kMostPerAlternative = 2;  // defects of each
constexpr std::size_t kLongestSummary = 800;

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const auto near = nearest(word, known);
  return near ? fmt::format(" (did you mean \"{}\"?)", *near) : std::string();
}

}  // namespace

std::string found_expected(const Json& found, std::string_view expected) {
  return fmt::format("found {}, expected {}", excerpt(found), expected);
}

std::string type_words(std::uint8_t types) {
  std::vector<std::string_view> words;
  if ((types & kString) != 0) words.emplace_back("text");
  if ((types & kNumber) != 0) {
    words.emplace_back("a number");
  } else if ((types & kInteger) != 0) {
    words.emplace_back("a whole number");
  }
  if ((types & kBoolean) != 0) words.emplace_back("true or false");
  if ((types & kArray) != 0) words.emplace_back("a list");
  if ((types & kObject) != 0) words.emplace_back("an object");
  if ((types & kNull) != 0) words.emplace_back("null");
  if (words.size() < 2) return join(words, "");
  const auto last = words.back();
  words.pop_back();
  return fmt::format("{} or {}", join(words, ", "), last);
}

std::string choice_words(const JsonArray& choices, const Json& found) {
  if (choices.empty()) return "nothing at all: the list of choices is empty";
  std::string words = choices.size() == 1 ? "" : "one of ";
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (const auto text = as_text(choices[i])) texts.push_back(*text);
    if (i == kMostListed) words += fmt::format(" … ({} in all)", choices.size());
    if (i >= kMostListed) continue;
    if (i > 0) words += ", ";
    words += excerpt(choices[i], 40);
  }
  if (const auto text = as_text(found)) words += did_you_mean(*text, texts);
  return words;
}

std::string unexpected_member(std::string_view name, const ObjectRules& rules) {
  std::vector<std::string_view> known;
  for (const auto& [property, node] : rules.properties.list()) {
    if (!node->never) known.push_back(property);
  }
  if (known.empty()) return "unexpected, not allowed here";
  auto hint = did_you_mean(name, known);
  const auto all = known.size();
  if (all > kMostListed) known.resize(kMostListed);
  auto list = join(known, ", ");
  if (all > kMostListed) list += fmt::format(" … ({} in all)", all);
  return fmt::format("unexpected, expected only {}{}", list, hint);
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string no_alternative(std::span<const std::vector<SchemaDefect>> defects, std::string_view base) {
  auto out = fmt::format("fits none of the {} alternatives:", defects.size());
  for (std::size_t i = 0; i < defects.size(); ++i) {
    if (i == kMostAlternatives) {
      out += fmt::format("; and {} more", defects.size() - i);
      break;
    }
    out += fmt::format("{} ({})", i == 0 ? "" : ";", i + 1);
    const auto& reasons = defects[i];
    for (std::size_t k = 0; k < reasons.size() && k < kMostPerAlternative; ++k) {
      std::string_view pointer = reasons[k].instance_pointer;
      if (pointer.starts_with(base)) pointer.remove_prefix(base.size());
      out += fmt::format("{} {}{}{}", k == 0 ? "" : ",", pointer, pointer.empty() ? "" : ": ",
                         reasons[k].message);
    }
  }
  return shorten(out, kLongestSummary);
}

}  // namespace schema

std::string describe(const std::vector<SchemaDefect>& defects) {
  constexpr std::size_t kMostDescribed = 20;
  std::string out;
  for (std::size_t i = 0; i < defects.size(); ++i) {
    if (i > 0) out += "; ";
    if (i == kMostDescribed) {
      out += fmt::format("and {} more", defects.size() - i);
      break;
    }
    if (!defects[i].instance_pointer.empty()) out.append(defects[i].instance_pointer).append(": ");
    out += defects[i].message;
  }
  return out;
}

}  // namespace assay
