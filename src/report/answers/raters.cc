#include <utility>

#include <boost/json/object.hpp>

#include "report/answers/columns.h"
#include "report/answers/mode.h"
#include "report/answers/rating_columns.h"
#include "report/answers/words.h"
#include "report/figure_json.h"
#include "report/words.h"
#include "stats/agreement/agreement.h"
#include "stats/agreement/cohen_kappa.h"
#include "stats/agreement/krippendorff.h"

namespace assay::answers {
namespace {

Scale scale_of(std::string_view level) {
  if (level == "ordinal") return Scale::ordinal;
  if (level == "interval") return Scale::interval;
  if (level == "ratio") return Scale::ratio;
  return Scale::nominal;
}

Result<Answer> rate_agreement(const DataTable& table, const Config& config) {
  const auto raters = at_least_two_raters(config);
  if (!raters) return fail(raters.error());
  const std::string level = config.text("level");
  const Scale scale = scale_of(level);
  Columns columns(table);
  const Ratings ratings = ratings_of(
      rating_rows(columns, *raters, scale == Scale::nominal ? RatingKind::labels : RatingKind::numbers),
      raters->size());
  if (auto good = columns.status(); !good) return fail(std::move(good.error()));

  std::vector<std::pair<std::string, Estimate>> figures;
  figures.emplace_back("krippendorff_alpha", krippendorff_alpha(ratings, scale));
  figures.emplace_back("percent_agreement", raw_agreement(ratings));
  figures.emplace_back("fleiss_kappa", fleiss_kappa(ratings).figure.resampled);
  figures.emplace_back("gwet_ac1", gwet_ac1(ratings).resampled);
  if (raters->size() == 2) {
    figures.emplace_back("cohen_kappa", cohen_kappa(ratings).figure.analytic);
    if (scale != Scale::nominal) {
      figures.emplace_back("cohen_kappa_quadratic",
                           cohen_kappa(ratings, KappaWeights::quadratic).figure.analytic);
    }
  }
  JsonObject json{{"level", level}, {"units", ratings.units()}, {"raters", raters->size()}};
  std::vector<Row> rows{{"figure", "value", "95% interval", "units", ""}};
  for (const auto& [name, estimate] : figures) {
    json[name] = figure_json(estimate);
    rows.push_back({name, number_or_none(estimate.value), interval_or_none(estimate),
                    std::to_string(estimate.n), estimate.undefined});
  }
  return Answer{std::move(json), text_table(rows)};
}

}  // namespace

Mode raters_mode() {
  return {.name = "raters",
          .title = "do raters agree",
          .needed = "--raters COLUMN,COLUMN",
          .asked_by = {"raters"},
          .keys =
              {
                  {.name = "raters",
                   .type = KeyType::text_list,
                   .help = "Columns of the raters, one unit a row: first,second,…"},
                  {.name = "level",
                   .help = "What the ratings are.",
                   .default_value = "nominal",
                   .choices = {"nominal", "ordinal", "interval", "ratio"}},
              },
          .answer = rate_agreement};
}

}  // namespace assay::answers
