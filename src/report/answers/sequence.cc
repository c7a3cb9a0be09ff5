#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/answers/columns.h"
#include "report/answers/mode.h"
#include "report/answers/words.h"
#include "report/figure_json.h"
#include "report/words.h"
#include "stats/sequential/bernstein.h"
#include "stats/sequential/quantiles.h"
#include "stats/sequential/sequential.h"

namespace assay::answers {
namespace {

struct SequenceQuestion {
  std::string value;
  std::optional<Interval> range;
  std::string bound;
  double tuned_for = 100;
  std::int64_t first_look = 100;
  std::vector<double> quantiles;
};

Result<SequenceQuestion> question_of(const Config& config) {
  SequenceQuestion question;
  question.value = config.text("value");
  question.tuned_for = config.number("tuned_for").value_or(question.tuned_for);
  question.first_look = config.integer("first_look").value_or(question.first_look);
  question.bound = config.text("bound");
  const auto low = config.number("low");
  const auto high = config.number("high");
  if (low.has_value() != high.has_value() || (low && !(*low < *high)))
    return fail(ErrorKind::usage, "--low N and --high N belong together, the first below the second");
  if (low) question.range = Interval{*low, *high};
  if (!question.bound.empty() && !question.range)
    return fail(ErrorKind::usage, fmt::format("--bound {} needs --low N and --high N", question.bound));
  auto quantiles = listed_numbers(config, "quantiles", 0, 1);
  if (!quantiles) return fail(quantiles.error());
  question.quantiles = std::move(*quantiles);
  return question;
}

using MeanSequence = std::variant<BettingSequence, BernsteinSequence, NormalMixtureSequence>;

MeanSequence mean_sequence(const SequenceQuestion& question) {
  if (!question.range) {
    return NormalMixtureSequence({.tuned_for = question.tuned_for, .first_look = question.first_look});
  }
  if (question.bound == "mixture" || question.bound == "stitched") {
    return BernsteinSequence(
        {.range = *question.range,
         .bound = question.bound == "mixture" ? BernsteinBound::mixture : BernsteinBound::stitched,
         .tuned_for = question.tuned_for});
  }
  return BettingSequence({.range = *question.range});
}

Result<Columns::Numbers> read_values(const DataTable& table, const SequenceQuestion& question) {
  Columns columns(table);
  auto values = columns.numbers(question.value);
  for (std::size_t row = 0; question.range && row < values.size(); ++row) {
    const auto& value = values[row];
    if (value && (*value < question.range->low || *value > question.range->high)) {
      columns.wrong(row, fmt::format("column {}: found {}, expected a number from {} to {}", question.value,
                                     *value, question.range->low, question.range->high));
    }
  }
  if (auto good = columns.status(); !good) return fail(std::move(good.error()));
  return values;
}

// 1, 2, 5, 10, 20, 50, …: enough to see the interval close, however long the stream is.
bool is_look(std::size_t n) {
  std::size_t power = 1;
  while (power <= n / 10) power *= 10;
  return n == power || n == 2 * power || n == 5 * power;
}

struct Look {
  JsonObject json;
  Row row;
};

Look look_at(const SequenceQuestion& question, const MeanSequence& means, std::vector<double> seen) {
  const Estimate mean = std::visit([](const auto& sequence) { return sequence.now(); }, means);
  std::ranges::sort(seen);
  Look look;
  look.json = JsonObject{{"n", seen.size()}, {"mean", figure_json(mean)}};
  look.row = {std::to_string(seen.size()), number_or_none(mean.value), interval_or_none(mean)};
  std::string why = mean.undefined;
  JsonObject quantiles;
  for (const double share : question.quantiles) {
    const Estimate quantile =
        quantile_sequence(seen, share, {.first_look = question.first_look, .range = question.range});
    quantiles[fmt::format("{}", share)] = figure_json(quantile);
    look.row.push_back(number_or_none(quantile.value));
    look.row.push_back(interval_or_none(quantile));
    if (why.empty()) why = quantile.undefined;
  }
  if (!question.quantiles.empty()) look.json["quantiles"] = std::move(quantiles);
  look.row.push_back(why);
  return look;
}

Result<Answer> follow(const DataTable& table, const Config& config) {
  const auto question = question_of(config);
  if (!question) return fail(question.error());
  const auto values = read_values(table, *question);
  if (!values) return fail(values.error());

  Row head{"n", "mean", "95% at any time"};
  for (const double share : question->quantiles) {
    head.push_back(fmt::format("quantile {}", share));
    head.emplace_back("95% at any time");
  }
  head.emplace_back("");
  std::vector<Row> rows{std::move(head)};
  JsonArray looks;
  const auto keep = [&](Look look) {
    rows.push_back(std::move(look.row));
    looks.emplace_back(std::move(look.json));
  };
  MeanSequence means = mean_sequence(*question);
  std::vector<double> seen;
  std::int64_t missing = 0;
  for (const auto& value : *values) {
    // A missing one is told to the sequence too, which knows what it may take for granted.
    const double score = value.value_or(std::numeric_limits<double>::quiet_NaN());
    std::visit([&](auto& sequence) { sequence.add(score); }, means);
    if (!value) {
      ++missing;
      continue;
    }
    seen.push_back(score);
    if (is_look(seen.size())) keep(look_at(*question, means, seen));
  }
  Look last = look_at(*question, means, seen);
  JsonObject json = last.json;
  json["missing"] = missing;
  if (!is_look(seen.size())) keep(std::move(last));
  json["looks"] = std::move(looks);
  std::string text = text_table(rows);
  if (missing > 0)
    text +=
        fmt::format("left out: {}\n", counted_words(missing, "row without a value", "rows without a value"));
  return Answer{std::move(json), std::move(text)};
}

}  // namespace

Mode sequence_mode() {
  return {
      .name = "sequence",
      .title = "what may be said of a stream at any time, however often one looks (confidence sequences)",
      .needed = "--value COLUMN",
      .asked_by = {},
      .keys =
          {
              {.name = "value",
               .help = "Column of the values, in the order in which they came, which must be a random one.",
               .required = true},
              {.name = "low",
               .type = KeyType::number,
               .help = "The least value that is possible. With both limits the interval of the mean is "
                       "guaranteed from the first value on; without them it holds for many values."},
              {.name = "high", .type = KeyType::number, .help = "The largest value that is possible."},
              {.name = "bound",
               .help = "How the mean of values with limits is bounded. Betting, which is taken without this "
                       "flag, is narrowest for the first thousand values or two; the empirical Bernstein "
                       "boundaries, mixture and stitched, are narrower in longer streams.",
               .choices = {"betting", "mixture", "stitched"}},
              {.name = "quantiles",
               .type = KeyType::text_list,
               .help = "Quantiles to follow as well: 0.5,0.95,…"},
              {.name = "tuned_for",
               .type = KeyType::number,
               .help = "How many values make the interval of the mean tightest; betting needs none.",
               .default_value = 100,
               .minimum = 1},
              {.name = "first_look",
               .type = KeyType::integer,
               .help = "No interval of a quantile, or of the mean without limits, before so many values.",
               .default_value = 100,
               .minimum = 2},
          },
      .answer = follow};
}

}  // namespace assay::answers
