#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/stats/stats_modes.h"
#include "report/figure_json.h"
#include "report/words.h"
#include "stats/agreement/agreement.h"
#include "stats/agreement/cohen_kappa.h"
#include "stats/agreement/krippendorff.h"

namespace assay {
namespace {

Result<Scale> scale_of(const std::string& level) {
  if (level == "ordinal") return Scale::ordinal;
  if (level == "interval") return Scale::interval;
  if (level == "ratio") return Scale::ratio;
  return Scale::nominal;
}

// Ratings as numbers: as they stand if the scale needs it, else labels by their order.
Result<Ratings> read_ratings(const DataTable& table, const std::vector<std::string>& raters, Scale scale) {
  std::vector<std::size_t> columns;
  for (const std::string& rater : raters) {
    const auto column = table.column(rater);
    if (!column) return fail(column.error());
    columns.push_back(*column);
  }
  std::vector<std::vector<double>> cells(table.rows(), std::vector<double>(raters.size(), Ratings::kAbsent));
  if (scale == Scale::nominal) {
    std::set<std::string> labels;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      for (const std::size_t column : columns) {
        if (const auto label = table.text(row, column)) labels.insert(*label);
      }
    }
    for (std::size_t row = 0; row < table.rows(); ++row) {
      for (std::size_t r = 0; r < columns.size(); ++r) {
        const auto label = table.text(row, columns[r]);
        if (label) cells[row][r] = static_cast<double>(std::distance(labels.begin(), labels.find(*label)));
      }
    }
  } else {
    for (std::size_t r = 0; r < columns.size(); ++r) {
      const auto values = table.numbers(columns[r]);
      if (!values) return fail(values.error());
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if ((*values)[row]) cells[row][r] = *(*values)[row];
      }
    }
  }
  Ratings ratings(raters.size());
  for (const auto& row : cells) ratings.add_unit(row);
  return ratings;
}

}  // namespace

Result<StatsAnswer> rate_agreement(const DataTable& table, const std::vector<std::string>& raters,
                                   const std::string& level) {
  if (raters.size() < 2)
    return fail(ErrorKind::usage, "agreement needs at least two raters: --raters first,second");
  const auto scale = scale_of(level);
  if (!scale) return fail(scale.error());
  const auto ratings = read_ratings(table, raters, *scale);
  if (!ratings) return fail(ratings.error());

  std::vector<std::pair<std::string, Estimate>> figures;
  figures.emplace_back("krippendorff_alpha", krippendorff_alpha(*ratings, *scale));
  figures.emplace_back("percent_agreement", raw_agreement(*ratings));
  figures.emplace_back("fleiss_kappa", fleiss_kappa(*ratings).figure.resampled);
  figures.emplace_back("gwet_ac1", gwet_ac1(*ratings).resampled);
  if (raters.size() == 2) {
    const KappaWeights weights =
        *scale == Scale::nominal ? KappaWeights::unweighted : KappaWeights::quadratic;
    figures.emplace_back("cohen_kappa", cohen_kappa(*ratings).figure.analytic);
    if (weights != KappaWeights::unweighted)
      figures.emplace_back("cohen_kappa_quadratic", cohen_kappa(*ratings, weights).figure.analytic);
  }
  JsonObject json{{"level", level}, {"units", ratings->units()}, {"raters", raters.size()}};
  std::vector<std::vector<std::string>> rows{{"figure", "value", "95% interval", "units", ""}};
  for (const auto& [name, estimate] : figures) {
    json[name] = figure_json(estimate);
    rows.push_back({name, number_or_none(estimate.value), interval_or_none(estimate),
                    std::to_string(estimate.n), estimate.undefined});
  }
  return StatsAnswer{std::move(json), text_table(rows)};
}

}  // namespace assay
