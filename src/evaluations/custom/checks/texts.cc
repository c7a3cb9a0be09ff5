// Is a text the expected one, or is something in it?
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"
#include "core/unicode.h"
#include "evaluations/custom/checks/kinds.h"
#include "evaluations/custom/checks/parts.h"
#include "evaluations/scoring/rows.h"

namespace assay::custom {
namespace {

constexpr std::size_t kLongestEnd = 80;  // bytes, of an answer that is shown for its end

// Something to look for, as it was written and as it is compared.
struct Wanted {
  std::vector<std::string> written;
  std::vector<std::string> compared;
};

Result<Wanted> wanted_in(const Json& argument, const TextRule& rule) {
  auto texts = texts_in(argument);
  if (!texts) return fail(std::move(texts.error()));
  Wanted wanted{std::move(*texts), {}};
  for (const std::string& text : wanted.written) wanted.compared.push_back(comparable(text, rule));
  return wanted;
}

// The texts that `is_there` finds in an answer, and those that it does not.
struct Parted {
  std::vector<std::string> found;
  std::vector<std::string> missing;

  std::string words() const {
    std::string out;
    if (!missing.empty()) out = "missing: " + quoted_list(missing);
    if (!found.empty()) out += (out.empty() ? "found: " : "; found: ") + quoted_list(found);
    return out;
  }
};

// --- contains, contains_any, contains_all ------------------------------------------------------------------

enum class Needed { all, any };

CheckMade contains_texts(const Json& argument, const Config& options, Needed needed) {
  const TextRule rule = read_text_rule(options);
  auto wanted = wanted_in(argument, rule);
  if (!wanted) return fail(std::move(wanted.error()));
  return check_of([wanted = std::move(*wanted), rule, needed](const Subject& subject) {
    if (std::ranges::all_of(wanted.compared, &std::string::empty))
      return nothing("there is nothing to look for");
    const std::string text = comparable(text_of(subject.value), rule);
    Parted parted;
    for (std::size_t i = 0; i < wanted.compared.size(); ++i)
      (text.contains(wanted.compared[i]) ? parted.found : parted.missing).push_back(wanted.written[i]);
    const bool yes = needed == Needed::all ? parted.missing.empty() : !parted.found.empty();
    return yes_or_no(yes, parted.words());
  });
}

CheckMade make_contains(const Json& argument, const Config& options) {
  if (argument.is_array())
    return unexpected_argument(argument, "a text; for several there are contains_any and contains_all");
  return contains_texts(argument, options, Needed::all);
}
CheckMade make_contains_any(const Json& argument, const Config& options) {
  return contains_texts(argument, options, Needed::any);
}
CheckMade make_contains_all(const Json& argument, const Config& options) {
  return contains_texts(argument, options, Needed::all);
}

// --- starts_with, ends_with, one_of ------------------------------------------------------------------------

// Where in the answer one of the texts must be.
enum class At { start, end, whole };

bool is_there(std::string_view answer, std::string_view text, At at) {
  if (at == At::start) return answer.starts_with(text);
  if (at == At::end) return answer.ends_with(text);
  return trim_white_space(answer) == text;
}

// That part of the answer, for a reader.
std::string part_of(std::string_view answer, At at) {
  if (at != At::end || answer.size() <= kLongestEnd) return in_quotes(answer);
  std::size_t begin = answer.size() - kLongestEnd;
  while (begin < answer.size() && !first_code_point(answer.substr(begin)).valid)
    ++begin;  // inside a character
  return "… " + in_quotes(answer.substr(begin));
}

CheckMade any_at(const Json& argument, const Config& options, At at) {
  const TextRule rule = read_text_rule(options);
  auto wanted = wanted_in(argument, rule);
  if (!wanted) return fail(std::move(wanted.error()));
  return check_of([wanted = std::move(*wanted), rule, at](const Subject& subject) {
    if (wanted.compared.empty()) return nothing("there is nothing to compare with");
    const std::string whole = text_of(subject.value);
    const std::string text = comparable(whole, rule);
    for (std::size_t i = 0; i < wanted.compared.size(); ++i) {
      if (is_there(text, wanted.compared[i], at))
        return yes_or_no(true, "found: " + in_quotes(wanted.written[i]));
    }
    return yes_or_no(false,
                     fmt::format("found {}, expected {}{}", part_of(whole, at),
                                 wanted.written.size() == 1 ? "" : "one of ", quoted_list(wanted.written)));
  });
}

CheckMade make_starts_with(const Json& argument, const Config& options) {
  return any_at(argument, options, At::start);
}
CheckMade make_ends_with(const Json& argument, const Config& options) {
  return any_at(argument, options, At::end);
}
CheckMade make_one_of(const Json& argument, const Config& options) {
  return any_at(argument, options, At::whole);
}

// --- equals ------------------------------------------------------------------------------------------------

Keys equals_options() {
  Keys keys = text_rule_keys();
  keys.push_back({.name = "as",
                  .help = "How both are read; default: json if the argument is not a text.",
                  .choices = {"text", "json"}});
  keys.push_back(lenient_key());
  return keys;
}

Checked equal_texts(const std::string& expected, const TextRule& rule, const Json& value) {
  const auto number = as_number(value);
  const auto spelled = number ? scoring::number_of(Json(boost::json::string(expected)), false) : std::nullopt;
  const bool same = (number && spelled) ? *number == *spelled
                                        : comparable(text_of(value), rule) == comparable(expected, rule);
  if (same) return yes_or_no(true, "equal to " + in_quotes(expected));
  return yes_or_no(false,
                   fmt::format("found {}, expected {}{}", in_quotes(text_of(value)), in_quotes(expected),
                               value.is_structured() ? "; `as: json` compares them as JSON" : ""));
}

Checked equal_json(const Json& expected, const TextRule& rule, bool lenient, const Json& value) {
  const auto found = json_in(value, lenient);
  if (!found)
    return yes_or_no(false, fmt::format("found {}, which is not JSON, expected {}", in_quotes(text_of(value)),
                                        excerpt(expected, 200)));
  if (same_json(*found, expected, rule)) return yes_or_no(true, "equal to " + excerpt(expected, 200));
  return yes_or_no(false, fmt::format("found {}, expected {}", excerpt(*found, 200), excerpt(expected, 200)));
}

CheckMade make_equals(const Json& argument, const Config& options) {
  const TextRule rule = read_text_rule(options);
  const std::string as = options.text("as");
  if (as == "text" || (as.empty() && argument.is_string())) {
    return check_of([expected = text_of(argument), rule](const Subject& subject) {
      return equal_texts(expected, rule, subject.value);
    });
  }
  auto expected = json_in(argument, false);
  if (!expected) return fail(std::move(expected.error()).with("argument", "as json"));
  return check_of([expected = std::move(*expected), rule, lenient = options.boolean("lenient")](
                      const Subject& subject) { return equal_json(expected, rule, lenient, subject.value); });
}

}  // namespace

std::span<const CheckKind> text_kinds() {
  using enum CheckKind::Value;
  static const std::array kinds = {
      CheckKind{.name = "equals",
                .value = yes_no,
                .has_not = true,
                .argument = "a text, or any JSON value",
                .help =
                    "The whole answer is this. A number is equal to a text that spells it; other values are "
                    "compared as JSON: 1 = 1.0, keys in any order.",
                .example = "{name: exact, equals: \"{reference}\", ignore_case: true}",
                .options = equals_options,
                .make = made<make_equals, equals_options>},
      CheckKind{.name = "contains",
                .value = yes_no,
                .has_not = true,
                .argument = "a text",
                .help = "This is somewhere in the answer.",
                .example = "{name: polite, contains: thank you, ignore_case: true}",
                .options = text_rule_keys,
                .make = made<make_contains, text_rule_keys>},
      CheckKind{.name = "contains_any",
                .value = yes_no,
                .has_not = true,
                .argument = "a list of texts",
                .help = "At least one of these is in the answer; `not_`: none is.",
                .example = "{name: no_promise, not_contains_any: [guarantee, promise]}",
                .options = text_rule_keys,
                .make = made<make_contains_any, text_rule_keys>},
      CheckKind{.name = "contains_all",
                .value = yes_no,
                .has_not = true,
                .argument = "a list of texts",
                .help = "All of these are in the answer; `not_`: at least one is missing.",
                .example = "{name: says_it, contains_all: \"{must_say}\", ignore_case: true}",
                .options = text_rule_keys,
                .make = made<make_contains_all, text_rule_keys>},
      CheckKind{.name = "starts_with",
                .value = yes_no,
                .has_not = true,
                .argument = "a text, or a list of which one suffices",
                .help = "The answer begins with this.",
                .example = "{name: greets, starts_with: [Hello, Dear]}",
                .options = text_rule_keys,
                .make = made<make_starts_with, text_rule_keys>},
      CheckKind{.name = "ends_with",
                .value = yes_no,
                .has_not = true,
                .argument = "a text, or a list of which one suffices",
                .help = "The answer ends with this.",
                .example = "{name: signed, ends_with: Your support team, ignore_space: true}",
                .options = text_rule_keys,
                .make = made<make_ends_with, text_rule_keys>},
      CheckKind{.name = "one_of",
                .value = yes_no,
                .has_not = true,
                .argument = "a list of texts",
                .help = "The whole answer, without white space at its ends, is one of these.",
                .example = "{name: a_class, one_of: [refund, delivery, other], ignore_case: true}",
                .options = text_rule_keys,
                .make = made<make_one_of, text_rule_keys>},
  };
  return kinds;
}

}  // namespace assay::custom
