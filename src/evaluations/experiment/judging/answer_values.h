// The single values of a judge's answer as models write them: "[A] - because …", "**Response B**", "tie",
// "4/5", "Yes, clearly". What could be read in two ways is not read. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::experiment {

// A value, and what stands behind it without the separator between: usually the reason.
struct ReadWord {
  std::string value;
  std::string rest;
};
struct ReadNumber {
  double value = 0;
  std::string rest;
};

// "A", "B" or "Tie".
std::optional<ReadWord> read_choice(std::string_view text);
// "A", "B", "Both" or "Neither".
std::optional<ReadWord> read_which(std::string_view text);
// "yes" or "no".
std::optional<ReadWord> read_yes_no(std::string_view text);
// On a scale to five: "4", "[4]", "4/5", "four". A range ("1-5") and another scale ("7/10") are none;
// what lies beyond the scale ("7") is read, for the schema to complain of.
std::optional<ReadNumber> read_score(std::string_view text);
// "A: 4, B: 3": that of the one that `which` ('a' or 'b') names.
std::optional<double> read_score_of(char which, std::string_view text);
// "Librarian, Advisor or Coach"; "none" is an empty list.
std::vector<std::string> read_list(std::string_view text);

// Without brackets, stress, quotes and separators around it.
std::string_view bare(std::string_view text);

}  // namespace assay::experiment
