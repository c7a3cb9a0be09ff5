#include "stats/agreement/intraclass.h"

#include <utility>

#include <boost/json/object.hpp>

#include "report/answers/columns.h"
#include "report/answers/mode.h"
#include "report/answers/rating_columns.h"
#include "report/answers/words.h"
#include "report/figure_json.h"
#include "report/words.h"

namespace assay::answers {
namespace {

// An ICC says nothing without its name, so each comes with what it takes for granted.
struct Form {
  const char* name;
  Intraclass IntraclassFigures::* figure;
  const char* meaning;
};
constexpr Form kForms[] = {
    {"icc_1_1", &IntraclassFigures::icc_1_1, "one rating, raters differ from unit to unit"},
    {"icc_2_1", &IntraclassFigures::icc_2_1, "one rating, raters are a sample of many; strictness counts"},
    {"icc_3_1", &IntraclassFigures::icc_3_1,
     "one rating, these raters only; constant strictness is forgiven"},
    {"icc_1_k", &IntraclassFigures::icc_1_k, "the mean of all raters, as icc_1_1"},
    {"icc_2_k", &IntraclassFigures::icc_2_k, "the mean of all raters, as icc_2_1"},
    {"icc_3_k", &IntraclassFigures::icc_3_k, "the mean of all raters, as icc_3_1"},
};

Json mean_squares_json(const std::optional<MeanSquares>& squares) {
  if (!squares) return nullptr;
  return JsonObject{{"between_units", squares->between_units},
                    {"within_units", squares->within_units},
                    {"between_raters", squares->between_raters},
                    {"residual", squares->residual}};
}

Result<Answer> correlate_raters(const DataTable& table, const Config& config) {
  const auto raters = at_least_two_raters(config);
  if (!raters) return fail(raters.error());
  Columns columns(table);
  const Ratings ratings = ratings_of(rating_rows(columns, *raters, RatingKind::numbers), raters->size());
  if (auto good = columns.status(); !good) return fail(std::move(good.error()));

  const IntraclassFigures figures = intraclass_figures(ratings);
  JsonObject json{{"units", ratings.units()},
                  {"raters", raters->size()},
                  {"mean_squares", mean_squares_json(figures.mean_squares)}};
  std::vector<Row> rows{{"figure", "value", "95% interval (F)", "95% interval (bootstrap)", "units", ""}};
  for (const Form& form : kForms) {
    const auto& [f, resampled] = figures.*form.figure;
    JsonObject figure = figure_json(f);
    JsonObject bootstrap{{"ci", interval_json(resampled.ci)}, {"method", resampled.method}};
    if (!resampled.undefined.empty()) bootstrap["undefined"] = resampled.undefined;
    figure["bootstrap"] = std::move(bootstrap);
    json[form.name] = std::move(figure);
    rows.push_back({form.name, number_or_none(f.value), interval_or_none(f), interval_or_none(resampled),
                    std::to_string(f.n), f.undefined.empty() ? form.meaning : f.undefined});
  }
  std::string text = text_table(rows);
  if (const std::string missing = missing_words(figures.icc_1_1.f); !missing.empty())
    text += "left out: " + missing + "\n";
  return Answer{std::move(json), std::move(text)};
}

}  // namespace

Mode intraclass_mode() {
  return {
      .name = "icc",
      .title = "how much of the spread of ratings is between units (intraclass correlation)",
      .needed = "--raters COLUMN,COLUMN",
      .asked_by = {},
      .keys =
          {
              {.name = "raters",
               .type = KeyType::text_list,
               .help = "Columns of the raters' numbers, one unit a row: first,second,… Units that not all "
                       "have rated are left out.",
               .required = true},
          },
      .answer = correlate_raters};
}

}  // namespace assay::answers
