#include "sim/weaknesses.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "sim/answers/words.h"

namespace assay {
namespace {

using sim::contains_text;

constexpr std::array<std::string_view, 10> kNames = {"orders",    "authority", "names", "lists",
                                                     "headings",  "length",    "first", "figures",
                                                     "negations", "sources"};

template <std::size_t N>
bool has_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words, [text](std::string_view word) { return contains_text(text, word); });
}

bool has_line(std::string_view text, std::initializer_list<std::string_view> marks) {
  const auto lines = split_lines(text);
  return std::ranges::any_of(lines, [&](std::string_view line) {
    return std::ranges::any_of(marks, [&](std::string_view mark) { return trim(line).starts_with(mark); });
  });
}

}  // namespace

Result<Weaknesses> Weaknesses::parse(std::string_view names) {
  Weaknesses weaknesses;
  if (trim(names).empty()) return weaknesses;
  for (const std::string_view given : split(names, ',')) {
    const std::string_view name = trim(given);
    if (name == "all") {
      weaknesses.bits_ = (1U << kNames.size()) - 1;
      continue;
    }
    const auto* found = std::ranges::find(kNames, name);
    if (found == kNames.end()) {
      return fail(ErrorKind::config,
                  fmt::format("unknown weakness \"{}\" of a simulated judge; known are {}, all", name,
                              fmt::join(kNames, ", ")));
    }
    weaknesses.bits_ |= 1U << static_cast<unsigned>(found - kNames.begin());
  }
  return weaknesses;
}

bool Weaknesses::moved_by(std::string_view judged) const {
  static constexpr auto kAuthority = std::to_array<std::string_view>(
      {"specialist", "expert", "professor", "certified", "years of experience"});
  static constexpr auto kModels =
      std::to_array<std::string_view>({"gpt-", "chatgpt", "claude", "gemini", "llama", "mistral"});
  return (has(Weakness::authority) && has_any(judged, kAuthority)) ||
         (has(Weakness::names) && has_any(judged, kModels)) ||
         (has(Weakness::lists) && has_line(judged, {"- ", "* ", "• "})) ||
         (has(Weakness::headings) && has_line(judged, {"# ", "## ", "### "}));
}

bool Weaknesses::ordered_by(std::string_view text) const {
  return has(Weakness::orders) && sim::count_manipulations(text) > 0;
}

bool Weaknesses::believes(std::string_view claim) const {
  static constexpr auto kSources =
      std::to_array<std::string_view>({"review by", "study by", "report by", "according to", "journal of"});
  return has(Weakness::sources) && has_any(claim, kSources);
}

}  // namespace assay
