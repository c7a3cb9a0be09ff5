#include "stats/agreement/kendall_w.h"

#include <utility>

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

Result<Answer> compare_orders(const DataTable& table, const Config& config) {
  const auto raters = at_least_two_raters(config);
  if (!raters) return fail(raters.error());
  Columns columns(table);
  const Ratings ratings = ratings_of(rating_rows(columns, *raters, RatingKind::numbers), raters->size());
  if (auto good = columns.status(); !good) return fail(std::move(good.error()));

  const KendallW result = kendall_w(ratings);
  Answer answer;
  answer.json = JsonObject{{"units", ratings.units()},
                           {"raters", raters->size()},
                           {"kendall_w", figure_json(result.w)},
                           {"test", test_json(result.test, "chi_squared")}};
  answer.text =
      text_table({{"figure", "value", "95% interval", "units", ""}, figure_row("kendall_w", result.w)});
  answer.text +=
      fmt::format("against no common order: χ² {}, df {}, p {}\n", number_or_none(result.test.statistic),
                  result.test.df ? fmt::format("{:g}", *result.test.df) : std::string(kNotAvailable),
                  p_words(result.test.p));
  return answer;
}

}  // namespace

Mode kendall_w_mode() {
  return {
      .name = "kendall-w",
      .title = "do raters put the units into the same order (Kendall's W)",
      .needed = "--raters COLUMN,COLUMN",
      .asked_by = {},
      .keys =
          {
              {.name = "raters",
               .type = KeyType::text_list,
               .help = "Columns of the raters' ranks or numbers, one unit a row: first,second,… Units that "
                       "not all have rated are left out.",
               .required = true},
          },
      .answer = compare_orders};
}

}  // namespace assay::answers
