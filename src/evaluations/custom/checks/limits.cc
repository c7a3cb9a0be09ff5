// Is the answer within its limits: length, time, cost, how it ended?
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"
#include "core/time.h"
#include "core/unicode.h"
#include "evaluations/custom/checks/kinds.h"
#include "evaluations/custom/checks/parts.h"

namespace assay::custom {
namespace {

// "at least 3 and at most 120", each bound as `words` puts it.
template <class Words>
std::string bounds_words(const Bounds& bounds, Words words) {
  if (bounds.min && bounds.max && *bounds.min == *bounds.max) return "exactly " + words(*bounds.min);
  std::string out;
  if (bounds.min) out = "at least " + words(*bounds.min);
  if (bounds.max) out += (out.empty() ? "at most " : " and at most ") + words(*bounds.max);
  return out;
}

// --- words -------------------------------------------------------------------------------------------------

Keys words_options() {
  return {{.name = "unit",
           .help = "What is counted: what stands between white space, code points, or lines.",
           .default_value = "words",
           .choices = {"words", "characters", "lines"}}};
}

std::size_t units_in(const std::string& text, std::string_view unit) {
  if (unit == "characters") return count_code_points(nfc(text));
  if (unit == "lines") return split_lines(text).size();
  return split_white_space(text).size();
}

CheckMade make_words(const Json& argument, const Config& options) {
  const auto bounds = read_bounds(argument, Alone::is_exact, as_amount, "{min, max}, or how many exactly");
  if (!bounds) return fail(bounds.error());
  return check_of([bounds = *bounds, unit = options.text("unit")](const Subject& subject) {
    const std::size_t count = units_in(text_of(subject.value), unit);
    const std::string found = count_of(count, std::string_view(unit).substr(0, unit.size() - 1), unit);
    return yes_or_no(bounds.hold(static_cast<double>(count)),
                     fmt::format("{}; allowed: {}", found, bounds_words(bounds, number_text)));
  });
}

// --- latency and cost --------------------------------------------------------------------------------------

// Twelve digits: what dividing adds behind them is not shown.
std::string seconds_words(double seconds) {
  return fmt::format("{:.12g} s", seconds);
}
std::string dollars_words(double dollars) {
  return fmt::format("${}", number_text(dollars));
}

std::optional<double> as_seconds(const Json& value) {
  if (const auto number = as_number(value)) return *number >= 0 ? number : std::nullopt;
  const auto text = as_text(value);
  const auto duration =
      text ? parse_duration(*text) : Result<std::chrono::nanoseconds>(fail(ErrorKind::parse, ""));
  if (!duration) return std::nullopt;
  return std::chrono::duration<double>(*duration).count();
}

std::optional<double> meta_number(const Subject& subject, std::string_view name) {
  const Json* value = find_member(subject.meta, name);
  return value != nullptr ? as_number(*value) : std::nullopt;
}

CheckMade make_latency(const Json& argument, const Config&) {
  const auto bounds =
      read_bounds(argument, Alone::is_max, as_seconds, "{max: 3s}, with min or max as durations");
  if (!bounds) return fail(bounds.error());
  return check_of([bounds = *bounds](const Subject& subject) {
    const auto milliseconds = meta_number(subject, "latency_ms");
    if (!milliseconds) return nothing("how long this answer took is not known");
    const double seconds = *milliseconds / 1000;
    return yes_or_no(bounds.hold(seconds), fmt::format("{}; allowed: {}", seconds_words(seconds),
                                                       bounds_words(bounds, seconds_words)));
  });
}

CheckMade make_cost(const Json& argument, const Config&) {
  const auto bounds =
      read_bounds(argument, Alone::is_max, as_amount, "{max: 0.01}, with min or max in US dollars");
  if (!bounds) return fail(bounds.error());
  return check_of([bounds = *bounds](const Subject& subject) {
    const auto dollars = meta_number(subject, "cost_usd");
    if (!dollars) return nothing("what this answer cost is not known");
    return yes_or_no(bounds.hold(*dollars), fmt::format("{}; allowed: {}", dollars_words(*dollars),
                                                        bounds_words(bounds, dollars_words)));
  });
}

// --- finish ------------------------------------------------------------------------------------------------

CheckMade make_finish(const Json& argument, const Config&) {
  auto wanted = texts_in(argument);
  if (!wanted) return fail(std::move(wanted.error()));
  return check_of([wanted = std::move(*wanted)](const Subject& subject) {
    const auto reason = find_text(subject.meta, "finish_reason");
    if (!reason) return nothing("how this answer ended is not known");
    return yes_or_no(std::ranges::find(wanted, *reason) != wanted.end(),
                     fmt::format("ended with {}; allowed: {}", in_quotes(*reason), quoted_list(wanted)));
  });
}

}  // namespace

std::span<const CheckKind> limit_kinds() {
  using enum CheckKind::Value;
  static const std::array kinds = {
      CheckKind{.name = "words",
                .value = yes_no,
                .has_not = true,
                .argument = "{min, max}, or a number: exactly so many",
                .help = "The answer is as long as this.",
                .example = "{name: short, words: {max: 120}}",
                .options = words_options,
                .make = made<make_words, words_options>},
      CheckKind{.name = "latency",
                .value = yes_no,
                .has_not = true,
                .argument = "{min, max} as durations, or a duration: at most this",
                .help = "The answer took as long as this (/meta/latency_ms).",
                .example = "{name: quick, latency: {max: 3s}}",
                .make = made<make_latency, no_options>},
      CheckKind{.name = "cost",
                .value = yes_no,
                .has_not = true,
                .argument = "{min, max} in US dollars, or a number: at most this",
                .help = "The answer cost as much as this (/meta/cost_usd).",
                .example = "{name: cheap, cost: {max: 0.01}}",
                .make = made<make_cost, no_options>},
      CheckKind{.name = "finish",
                .value = yes_no,
                .has_not = true,
                .argument = "a text, or a list of which one suffices",
                .help = "The model ended the answer like this (/meta/finish_reason).",
                .example = "{name: whole, finish: stop}",
                .make = made<make_finish, no_options>},
  };
  return kinds;
}

}  // namespace assay::custom
