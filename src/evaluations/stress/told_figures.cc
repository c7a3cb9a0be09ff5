#include "evaluations/stress/told_figures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "evaluations/stress/text_parts.h"

namespace assay::stress {
namespace {

constexpr auto kOpen = std::to_array<std::string_view>(
    {"for example ", "for instance ", "e g ",     "eg ",        "such as ",   "like ",
     "about ",       "around ",       "rough",    "approx",     "circa ",     "ca ",
     "nearly ",      "almost ",       "some ",    "up to ",     "at least ",  "at most ",
     "or so ",       "or more ",      "or less ", "more than ", "less than ", "fewer than ",
     "over ",        "under ",        "between ", "estimat",    "usually ",   "typically "});
constexpr std::array<std::string_view, 20> kSmall = {
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> kTens = {"",      "",      "twenty",  "thirty", "forty",
                                                    "fifty", "sixty", "seventy", "eighty", "ninety"};

std::string without_commas(std::string_view figure) {
  std::string digits(figure);
  std::erase(digits, ',');
  return digits;
}

std::string in_words(int number) {
  const auto then = [](const std::string& words, int rest) {
    return rest == 0 ? words : words + " " + in_words(rest);
  };
  if (number >= 1000) return then(in_words(number / 1000) + " thousand", number % 1000);
  if (number >= 100) return then(in_words(number / 100) + " hundred", number % 100);
  if (number >= 20) return then(std::string(kTens[static_cast<std::size_t>(number) / 10]), number % 10);
  return std::string(kSmall[static_cast<std::size_t>(number)]);
}

// "a hundred and five" is the same as "one hundred five".
std::string without_joints(std::string words) {
  for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{" and ", " "},
                                 {" a hundred", " one hundred"},
                                 {" a thousand", " one thousand"}}) {
    for (std::size_t at = words.find(from); at != std::string::npos; at = words.find(from, at + 1))
      words.replace(at, from.size(), to);
  }
  return words;
}

}  // namespace

bool leaves_figures_open(std::string_view text) {
  const std::string words = plain_words(text);
  if (speaks_of(words, kOpen)) return true;
  // "of the 3 permits" counts what there is.
  constexpr std::string_view kOfThe = " of the ";
  for (std::size_t at = words.find(kOfThe); at != std::string::npos; at = words.find(kOfThe, at + 1)) {
    const char next = at + kOfThe.size() < words.size() ? words[at + kOfThe.size()] : ' ';
    if (next >= '0' && next <= '9') return true;
  }
  return false;
}

bool tells_in_words(std::string_view text, std::string_view figure) {
  const std::string digits = without_commas(figure);
  int number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || number >= 1'000'000)
    return false;
  return without_joints(plain_words(text)).find(" " + in_words(number) + " ") != std::string::npos;
}

bool tells_figure(std::string_view text, std::string_view figure) {
  const auto figures = figures_of(text);
  const std::string wanted = without_commas(figure);
  return std::ranges::any_of(figures, [&](std::string_view one) { return without_commas(one) == wanted; }) ||
         tells_in_words(text, figure);
}

}  // namespace assay::stress
