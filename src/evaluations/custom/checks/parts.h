// What the kinds of checks are put together from: options, texts that are compared, JSON that an answer
// holds, and bounds. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "evaluations/custom/checks/check.h"

namespace assay::custom {

// --- making a check ----------------------------------------------------------------------------------------

// A check is a function of the answer; whatever it needs of its argument it has captured.
template <class Look>
class CheckOf final : public Check {
 public:
  explicit CheckOf(Look look) : look_(std::move(look)) {}
  Checked look(const Subject& subject) const override { return look_(subject); }

 private:
  Look look_;
};
template <class Look>
std::unique_ptr<const Check> check_of(Look look) {
  return std::make_unique<const CheckOf<Look>>(std::move(look));
}

// The options, checked and with their defaults. A text stands for the number or truth value that it spells: a
// `{field}` of a CSV file is a text.
Result<Config> read_options(const Keys& keys, const JsonObject& options);

// What a row of the table has as `make`: reads the options, then makes the check.
template <auto Make, Keys (*Options)()>
CheckMade made(const Json& argument, const JsonObject& options) {
  auto config = read_options(Options(), options);
  if (!config) return fail(std::move(config.error()));
  return Make(argument, *config);
}
Keys no_options();

// "found 3, expected a list of texts"
std::unexpected<Error> unexpected_argument(const Json& found, std::string_view expected);

// --- what is said of an answer -----------------------------------------------------------------------------

Checked yes_or_no(bool yes, std::string reason);
// There is nothing to be looked at.
Checked nothing(std::string reason);
// A text in quotes, short enough for one line.
std::string in_quotes(std::string_view text);
// "a", "b", …: all of them, unless there are very many.
std::string quoted_list(const std::vector<std::string>& texts);
std::string count_of(std::size_t count, std::string_view one, std::string_view many);

// --- texts -------------------------------------------------------------------------------------------------

// What is not looked at when texts are compared. Always: how characters are put together (form C).
struct TextRule {
  bool ignore_case = false;
  bool ignore_space = false;
  bool ignore_punctuation = false;
};
Keys text_rule_keys();
TextRule read_text_rule(const Config& options);
// Two texts are the same by the rule if these are.
std::string comparable(std::string_view text, const TextRule& rule);

// A text as it is, null as no text, anything else as JSON.
std::string text_of(const Json& value);
// A list of texts (numbers and truth values are taken as they are written); one alone is a list of one.
Result<std::vector<std::string>> texts_in(const Json& argument);

// --- JSON --------------------------------------------------------------------------------------------------

Key lenient_key();
// What an answer holds: a text is read as JSON, anything else is JSON already. The error says where it
// breaks.
Result<Json> json_in(const Json& value, bool lenient);
// By value: 1 = 1.0, keys in any order, texts by the rule.
bool same_json(const Json& a, const Json& b, const TextRule& rule);

// --- bounds ------------------------------------------------------------------------------------------------

struct Bounds {
  std::optional<double> min;
  std::optional<double> max;

  bool hold(double value) const { return (!min || value >= *min) && (!max || value <= *max); }
};
// {min, max}, at least one of them; what a number alone means is for the caller to say.
enum class Alone { is_exact, is_max };
// `read` turns what stands there into a number: as_count, or a duration.
Result<Bounds> read_bounds(const Json& argument, Alone alone, std::optional<double> (*read)(const Json&),
                           std::string_view expected);
// A number, also written as text; not below 0.
std::optional<double> as_amount(const Json& value);

}  // namespace assay::custom
