// How right is a number, a list of records, an order? The scorers of benchmark.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/custom/checks/kinds.h"
#include "evaluations/custom/checks/numbers_in_text.h"
#include "evaluations/custom/checks/parts.h"
#include "evaluations/scoring/number.h"
#include "evaluations/scoring/ranking.h"
#include "evaluations/scoring/records.h"
#include "evaluations/scoring/rows.h"

namespace assay::custom {
namespace {

Key strict_types_key() {
  return {.name = "strict_types",
          .type = KeyType::boolean,
          .help = "123 and \"123\" are different.",
          .default_value = false};
}

// --- number ------------------------------------------------------------------------------------------------

Keys number_options() {
  return {{.name = "tolerance",
           .type = KeyType::number,
           .help = "A difference up to this scores 1.",
           .default_value = 0,
           .minimum = 0,
           .maximum = 1e300},
          {.name = "cutoff",
           .type = KeyType::number,
           .help = "From this difference on the score is 0; between, it falls on a straight line.",
           .minimum = 0,
           .maximum = 1e300},
          {.name = "relative",
           .type = KeyType::boolean,
           .help = "Tolerance and cutoff are shares of the expected number.",
           .default_value = false},
          {.name = "in_text",
           .help = "Take the first or the last number of a text; else the whole answer must be one.",
           .choices = {"first", "last"}},
          {.name = "decimal",
           .help = "The decimal mark in such a text; the other one separates thousands.",
           .default_value = "point",
           .choices = {"point", "comma"}},
          {.name = "key", .help = "The field that holds the number, if the answer is an object."},
          strict_types_key(),
          lenient_key()};
}

struct NumberRule {
  scoring::RowRule rows;
  std::string in_text;  // "": nowhere
  DecimalMark mark = DecimalMark::point;
  bool lenient = false;
};

std::optional<double> number_found(const Subject& subject, const NumberRule& rule) {
  const Json& value = subject.value;
  const auto text = as_text(value);
  if (text && !rule.in_text.empty()) {
    const auto numbers = numbers_in(*text, rule.mark);
    if (numbers.empty()) return std::nullopt;
    return rule.in_text == "first" ? numbers.front() : numbers.back();
  }
  if (auto number = scoring::number_in(value, rule.rows)) return number;
  // A text inside JSON was meant as a text; the output as a whole is always one.
  if (rule.rows.strict_types && subject.inside_json) return std::nullopt;
  const auto read = json_in(value, rule.lenient);
  return text && read ? scoring::number_in(*read, rule.rows) : std::nullopt;
}

CheckMade make_number(const Json& argument, const Config& options) {
  const auto expected = scoring::number_in(argument, {});
  if (!expected) return unexpected_argument(argument, "a number");
  scoring::Nearness nearness{options.number("tolerance").value_or(0), options.number("cutoff")};
  if (nearness.cutoff && *nearness.cutoff < nearness.tolerance)
    return fail(ErrorKind::config,
                fmt::format("cutoff: found {}, expected at least the tolerance, {}",
                            number_text(*nearness.cutoff), number_text(nearness.tolerance)));
  if (options.boolean("relative")) {
    nearness.tolerance *= std::fabs(*expected);
    if (nearness.cutoff) *nearness.cutoff *= std::fabs(*expected);
  }
  NumberRule rule{{options.text("key"), options.boolean("strict_types")},
                  options.text("in_text"),
                  options.text("decimal") == "comma" ? DecimalMark::comma : DecimalMark::point,
                  options.boolean("lenient")};
  return check_of(
      [expected = *expected, nearness, rule = std::move(rule)](const Subject& subject) -> Checked {
        const auto found = number_found(subject, rule);
        if (!found)
          return {0, fmt::format("found {}, expected {}", in_quotes(text_of(subject.value)),
                                 rule.in_text.empty() ? "a number and nothing else" : "a number in it")};
        return {scoring::number_score(expected, *found, nearness),
                fmt::format("found {}, expected {}, difference {}", number_text(*found),
                            number_text(expected), number_text(std::fabs(*found - expected)))};
      });
}

// --- records and ranking -----------------------------------------------------------------------------------

Key row_key() {
  return {.name = "key",
          .help = "The field that is a row's id; default: the first field of the first expected row."};
}
Keys ranking_options() {
  return {row_key(), strict_types_key(), lenient_key()};
}
Keys records_options() {
  return {row_key(),
          {.name = "fields",
           .type = KeyType::any,
           .help = "Tolerances of numeric fields; all others must be equal.",
           .example = "{price: 0.01}"},
          strict_types_key(),
          lenient_key()};
}

Result<scoring::Tolerances> read_tolerances(const Config& options) {
  scoring::Tolerances tolerances;
  const Json* fields = options.find("fields");
  if (fields == nullptr) return tolerances;
  const auto wrong = [&] {
    return fail(ErrorKind::config,
                fmt::format("fields: found {}, expected names with tolerances, as in {{price: 0.01}}",
                            excerpt(*fields)));
  };
  if (!fields->is_object()) return wrong();
  for (const auto& [name, value] : fields->get_object()) {
    const auto tolerance = as_amount(value);
    if (!tolerance) return wrong();
    tolerances[name] = *tolerance;
  }
  return tolerances;
}

std::string missing_and_extra(std::int64_t missing, std::int64_t extra) {
  return fmt::format("{} missing, {} too many", missing, extra);
}

// The expected rows point into the argument, which is kept with them.
struct ExpectedRows {
  std::unique_ptr<const Json> argument;
  scoring::Rows rows;
  scoring::RowRule rule;
};

Result<ExpectedRows> expected_rows(const Json& argument, const Config& options) {
  auto json = json_in(argument, false);
  ExpectedRows expected;
  if (!json) json = argument;
  expected.argument = std::make_unique<const Json>(std::move(*json));
  expected.rule = {options.text("key"), options.boolean("strict_types")};
  auto rows = scoring::read_rows(*expected.argument, expected.rule);
  if (!rows) return unexpected_argument(argument, "a list of rows");
  expected.rows = std::move(*rows);
  return expected;
}

// `compare(rows of the answer)` gives the score.
template <class Compare>
CheckMade check_rows(const Json& argument, const Config& options, Compare compare) {
  auto expected = expected_rows(argument, options);
  if (!expected) return fail(std::move(expected.error()));
  return check_of([expected = std::move(*expected), lenient = options.boolean("lenient"),
                   compare = std::move(compare)](const Subject& subject) -> Checked {
    const auto answer = json_in(subject.value, lenient);
    if (!answer) return {0, "not JSON: " + answer.error().text()};
    const auto rows = scoring::read_rows(*answer, expected.rule, expected.rows);
    if (!rows) return {0, fmt::format("found {}, expected a list", excerpt(*answer))};
    Checked checked = compare(expected.rows, *rows);
    if (!rows->note.empty()) checked.reason += "; " + rows->note;
    return checked;
  });
}

CheckMade make_records(const Json& argument, const Config& options) {
  auto tolerances = read_tolerances(options);
  if (!tolerances) return fail(std::move(tolerances.error()));
  return check_rows(argument, options,
                    [tolerances = std::move(*tolerances), strict = options.boolean("strict_types")](
                        const scoring::Rows& expected, const scoring::Rows& answer) -> Checked {
                      const scoring::Records found =
                          scoring::compare_records(expected, answer, tolerances, strict);
                      std::string words = fmt::format(
                          "{} matched, {}", count_of(static_cast<std::size_t>(found.matched), "row", "rows"),
                          missing_and_extra(found.missing, found.extra));
                      for (const auto& [name, field] : found.fields) {
                        if (field.right < field.compared)
                          words += fmt::format("; {} right in {} of {}", name, field.right, field.compared);
                      }
                      return {found.score, std::move(words)};
                    });
}

CheckMade make_ranking(const Json& argument, const Config& options) {
  return check_rows(
      argument, options, [](const scoring::Rows& expected, const scoring::Rows& answer) -> Checked {
        const scoring::Ranking found = scoring::compare_rankings(expected, answer);
        std::string words =
            fmt::format("{} in common, {}", found.common, missing_and_extra(found.missing, found.extra));
        if (found.tau) words += fmt::format("; Kendall's tau {:.3g}", *found.tau);
        return {found.score, std::move(words)};
      });
}

}  // namespace

std::span<const CheckKind> number_kinds() {
  using enum CheckKind::Value;
  static const std::array kinds = {
      CheckKind{.name = "number",
                .value = share,
                .argument = "a number",
                .help = "How near the answer's number is: 1 within the tolerance, else 0, or on a line down "
                        "to the cutoff.",
                .example = "{name: right_sum, number: \"{amount}\", of: /refund/amount, tolerance: 0.01}",
                .options = number_options,
                .make = made<make_number, number_options>},
      CheckKind{.name = "records",
                .value = share,
                .argument = "a list of rows",
                .help = "F1 of the rows, matched by id in any order, each counting as far as its expected "
                        "fields are right.",
                .example = "{name: rows, records: \"{expected_rows}\", key: id, fields: {price: 0.01}}",
                .options = records_options,
                .make = made<make_records, records_options>},
      CheckKind{.name = "ranking",
                .value = share,
                .argument = "a list of ids, or of rows with ids",
                .help = "Kendall's tau-b of the common ids, less 0.2 for each that is missing or too many, "
                        "not below 0.",
                .example = "{name: order, ranking: [b, a, c]}",
                .options = ranking_options,
                .make = made<make_ranking, ranking_options>},
  };
  return kinds;
}

}  // namespace assay::custom
