#include "stats/agreement/alt_test.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/answers/columns.h"
#include "report/answers/mode.h"
#include "report/answers/rating_columns.h"
#include "report/answers/words.h"
#include "report/figure_json.h"
#include "report/words.h"

namespace assay::answers {
namespace {

AltTestOptions options_of(const Config& config) {
  AltTestOptions options;
  options.alignment = config.text("alignment") == "rmse" ? Alignment::rmse : Alignment::accuracy;
  options.epsilon = config.number("epsilon").value_or(options.epsilon);
  options.rate = config.number("rate").value_or(options.rate);
  options.fewest_units = config.integer("fewest_units").value_or(options.fewest_units);
  return options;
}

JsonObject human_json(const std::string& name, const AltTest::Human& human) {
  JsonObject json{{"name", name},
                  {"n", human.advantage.n},
                  {"difference", number_json(human.difference)},
                  {"test", test_json(human.test, "t")},
                  {"p_adjusted", number_json(human.p_adjusted)},
                  {"advantage", figure_json(human.advantage)}};
  // A human who was not tested is neither won nor lost.
  json["won"] = human.test.p ? Json(human.won) : Json(nullptr);
  return json;
}

std::string verdict(const AltTest& result, const std::string& judge, const AltTestOptions& options) {
  const Estimate& rate = result.winning_rate;
  if (!result.passed) {
    return fmt::format("No verdict on {}: {}.\n", judge,
                       rate.undefined.empty()
                           ? "two humans show only which of them it is nearer to; the test asks for three"
                           : rate.undefined);
  }
  return fmt::format("{} {}: it wins against {} of {} (ε {:g}, q {:g}), and half of them are needed.\n",
                     judge, *result.passed ? "may replace the humans" : "may not replace the humans",
                     share_words(*rate.value), counted_words(rate.n, "human", "humans"), options.epsilon,
                     options.rate);
}

Result<Answer> test_judge(const DataTable& table, const Config& config) {
  const auto humans = at_least_two_raters(config, "humans");
  if (!humans) return fail(humans.error());
  const std::string judge = config.text("judge");
  const AltTestOptions options = options_of(config);

  // Humans and judge are read as one table, so that a label is the same number for all of them.
  std::vector<std::string> everyone = *humans;
  everyone.push_back(judge);
  Columns columns(table);
  auto rows = rating_rows(columns, everyone,
                          options.alignment == Alignment::rmse ? RatingKind::numbers : RatingKind::labels);
  std::vector<std::string> clusters;
  if (const std::string column = config.text("cluster"); !column.empty()) {
    const auto cells = columns.texts(column);
    for (std::size_t row = 0; row < cells.size(); ++row) {
      if (!cells[row]) columns.empty(row, column, "a cluster");
      clusters.push_back(cells[row].value_or(""));
    }
  }
  if (auto good = columns.status(); !good) return fail(std::move(good.error()));
  std::vector<double> candidate;
  for (auto& row : rows) {
    candidate.push_back(row.back());
    row.pop_back();
  }

  const AltTest result = alt_test(ratings_of(rows, humans->size()), candidate, options, clusters);
  JsonArray list;
  std::vector<Row> lines{
      {"human", "units", "difference", "p", "p (adjusted)", "advantage", "95% interval", ""}};
  for (const AltTest::Human& human : result.humans) {
    const std::string& name = (*humans)[human.rater];
    list.push_back(human_json(name, human));
    lines.push_back({name, std::to_string(human.advantage.n), number_or_none(human.difference),
                     p_words(human.test.p), p_words(human.p_adjusted), number_or_none(human.advantage.value),
                     interval_or_none(human.advantage),
                     !human.test.p ? human.test.undefined
                     : human.won   ? "won by the judge"
                                   : "not won"});
  }
  Answer answer;
  answer.json = JsonObject{{"judge", judge},
                           {"units", rows.size()},
                           {"alignment", config.text("alignment")},
                           {"epsilon", options.epsilon},
                           {"rate", options.rate},
                           {"passed", result.passed ? Json(*result.passed) : Json(nullptr)},
                           {"winning_rate", figure_json(result.winning_rate)},
                           {"advantage", figure_json(result.advantage)},
                           {"humans", std::move(list)}};
  answer.text = verdict(result, judge, options) + "\n" +
                text_table({{"figure", "value", "95% interval", "n", ""},
                            figure_row("winning_rate", result.winning_rate),
                            figure_row("advantage", result.advantage)}) +
                "\n" + text_table(lines);
  return answer;
}

}  // namespace

Mode alt_test_mode() {
  return {
      .name = "alt-test",
      .title = "may a judge replace the human annotators (alternative annotator test)",
      .needed = "--humans COLUMN,COLUMN,COLUMN --judge COLUMN",
      .asked_by = {},
      .keys =
          {
              {.name = "humans",
               .type = KeyType::text_list,
               .help = "Columns of the humans, one unit a row: first,second,third,… Three are asked for; two "
                       "show only to whom the judge is nearer.",
               .required = true},
              {.name = "judge", .help = "Column of the judge that is to replace them.", .required = true},
              {.name = "alignment",
               .help = "How near two ratings are: the share that is equal (labels), or the root mean square "
                       "distance (numbers).",
               .default_value = "accuracy",
               .choices = {"accuracy", "rmse"}},
              {.name = "epsilon",
               .type = KeyType::number,
               .help = "What the judge may be worse for being cheaper: 0.2 beside experts, 0.15 beside "
                       "skilled people, 0.1 beside crowd workers.",
               .default_value = 0.2,
               .minimum = 0,
               .maximum = 0.99},
              {.name = "rate",
               .type = KeyType::number,
               .help = "False discovery rate over the humans' tests (Benjamini and Yekutieli).",
               .default_value = 0.05,
               .minimum = 0.000001,
               .maximum = 0.5},
              {.name = "fewest_units",
               .type = KeyType::integer,
               .help = "A human with fewer units is not tested.",
               .default_value = 30,
               .minimum = 2},
              {.name = "cluster",
               .help = "Column that says which units belong together; tests and intervals honour it."},
          },
      .answer = test_judge};
}

}  // namespace assay::answers
