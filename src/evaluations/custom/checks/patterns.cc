// Does a text have a certain form?
#include <array>
#include <memory>

#include <fmt/format.h>
#include <re2/re2.h>

#include "core/text.h"
#include "core/unicode.h"
#include "evaluations/custom/checks/kinds.h"
#include "evaluations/custom/checks/parts.h"

namespace assay::custom {
namespace {

constexpr std::int64_t kPatternMemory = std::int64_t{64}
                                        << 20;  // \p{L} repeated is too much for RE2's own 8 MiB

Keys regex_options() {
  return {{.name = "ignore_case",
           .type = KeyType::boolean,
           .help = "The same as (?i) at the beginning.",
           .default_value = false}};
}

CheckMade make_regex(const Json& argument, const Config& options) {
  const auto text = as_text(argument);
  if (!text) return unexpected_argument(argument, "a regular expression as text");
  RE2::Options re2;
  re2.set_log_errors(false);
  re2.set_max_mem(kPatternMemory);
  re2.set_case_sensitive(!options.boolean("ignore_case"));
  auto pattern = std::make_unique<const RE2>(nfc(*text), re2);
  if (!pattern->ok()) {
    // What other engines have and a search in linear time cannot have.
    const bool beyond = text->contains("(?=") || text->contains("(?!") || text->contains("(?<");
    return fail(
        ErrorKind::config,
        fmt::format("found {}, expected a regular expression of RE2: {}{}", in_quotes(*text),
                    repair_utf8(pattern->error()),
                    beyond ? "; look-ahead and look-behind are not there: two metrics, one with not_regex, "
                             "often say the same"
                           : ""));
  }
  return check_of([pattern = std::move(pattern)](const Subject& subject) {
    const std::string answer = nfc(text_of(subject.value));
    re2::StringPiece match;
    if (!pattern->Match(answer, 0, answer.size(), RE2::UNANCHORED, &match, 1))
      return yes_or_no(false, fmt::format("no match for {}", in_quotes(pattern->pattern())));
    const auto before =
        std::string_view(answer).substr(0, static_cast<std::size_t>(match.data() - answer.data()));
    return yes_or_no(true, fmt::format("{} at character {}", in_quotes({match.data(), match.size()}),
                                       count_code_points(before) + 1));
  });
}

}  // namespace

std::span<const CheckKind> pattern_kinds() {
  static const std::array kinds = {
      CheckKind{
          .name = "regex",
          .value = CheckKind::Value::yes_no,
          .has_not = true,
          .argument = "a regular expression (RE2)",
          .help = "It matches somewhere in the answer; ^ and $ bind it to the ends, flags stand in it: (?i), "
                  "(?s), (?m).",
          .example = R"({name: no_advice, not_regex: "(?i)you should sue"})",
          .options = regex_options,
          .make = made<make_regex, regex_options>},
  };
  return kinds;
}

}  // namespace assay::custom
