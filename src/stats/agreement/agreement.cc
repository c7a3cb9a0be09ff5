#include "stats/agreement/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <boost/math/distributions/students_t.hpp>

#include "stats/intervals/proportion.h"
#include "stats/quiet.h"

namespace assay {
namespace {

using StudentsT = boost::math::students_t_distribution<double, Quiet>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostCategories = 200;
constexpr const char* kTooMany = "more than 200 different values: those are measurements, not labels";

// What the ratings of one unit look like, whoever gave them.
struct Profile {
  struct Share {
    std::size_t category = 0;
    double share = 0;  // of the unit's ratings
    double split = 0;  // share of its pairs of ratings with this category on one side only, halved
  };
  double agreement = 0;  // share of its pairs that are equal
  std::vector<Share> shares;
};

std::vector<Profile> profiles_of(const RatedUnits& units, std::span<const double> categories) {
  std::vector<Profile> profiles;
  profiles.reserve(units.rows.size());
  for (const std::vector<double>& row : units.rows) {
    Profile& profile = profiles.emplace_back();
    const auto m = static_cast<double>(row.size());
    for (std::size_t i = 0; i < row.size();) {
      std::size_t end = i;
      while (end < row.size() && row[end] == row[i]) ++end;
      const auto times = static_cast<double>(end - i);
      const auto at = std::ranges::lower_bound(categories, row[i]) - categories.begin();
      profile.agreement += times * (times - 1) / (m * (m - 1));
      profile.shares.push_back(
          {static_cast<std::size_t>(at), times / m, times * (m - times) / (m * (m - 1))});
      i = end;
    }
    if (profile.shares.size() == 1) profile.agreement = 1;
  }
  return profiles;
}

// Sums over units, for any number of copies of each.
struct Totals {
  double agreement = 0;
  std::vector<double> share;  // π_k
  std::vector<double> split;

  void sum(std::span<const Profile> profiles, std::span<const std::int64_t> counts, std::size_t categories) {
    agreement = 0;
    share.assign(categories, 0);
    split.assign(categories, 0);
    double n = 0;
    for (std::size_t u = 0; u < profiles.size(); ++u) {
      if (counts[u] == 0) continue;
      const auto copies = static_cast<double>(counts[u]);
      n += copies;
      agreement += copies * profiles[u].agreement;
      for (const Profile::Share& part : profiles[u].shares) {
        share[part.category] += copies * part.share;
        split[part.category] += copies * part.split;
      }
    }
    agreement /= n;
    for (double& value : share) value /= n;
    for (double& value : split) value /= n;
  }
};

double squares(std::span<const double> shares) {
  double sum = 0;
  for (const double share : shares) sum += share * share;
  return sum;
}

double corrected(double observed, double expected) {
  return expected < 1 - 1e-12 ? (observed - expected) / (1 - expected) : kNaN;
}

double ac1_expected(std::span<const double> shares, std::size_t categories) {
  double sum = 0;
  for (const double share : shares) sum += share * (1 - share);
  return sum / static_cast<double>(categories - 1);
}

double category_kappa(double share, double split) {
  const double chance = share * (1 - share);
  return chance > 1e-12 ? 1 - split / chance : kNaN;
}

// value ± t·error, where `deviations` are the units' influences on the value (their mean is the value).
void linearise(AgreementFigure& figure, std::span<const double> influences,
               std::span<const std::int64_t> counts, double level) {
  Estimate& estimate = figure.analytic;
  const double value = *estimate.value;
  estimate.method = "t_linearised";
  estimate.level = level;
  const auto n = static_cast<double>(estimate.n);
  if (!(level > 0 && level < 1)) {
    estimate.undefined = "an interval's level must lie between 0 and 1";
    return;
  }
  if (estimate.n < 2) {
    estimate.undefined = "no interval: one unit has no spread";
    return;
  }
  double sum = 0;
  for (std::size_t u = 0; u < influences.size(); ++u) {
    sum += static_cast<double>(counts[u]) * (influences[u] - value) * (influences[u] - value);
  }
  const double error = std::sqrt(sum / (n * (n - 1)));
  if (!(error > 1e-12)) {
    estimate.undefined = "no interval: all units agree alike, which says nothing about the error";
    return;
  }
  figure.standard_error = error;
  const double half = boost::math::quantile(StudentsT(n - 1), 0.5 + level / 2) * error;
  estimate.ci = Interval{value - half, std::min(value + half, 1.0)};
}

void say_undefined(AgreementFigure& figure, const std::string& reason) {
  figure.analytic.undefined = figure.resampled.undefined = reason;
}

// Fleiss' errors under chance; absent unless every unit has `m` ratings.
std::optional<double> equal_ratings(const RatedUnits& units) {
  const std::size_t m = units.rows.front().size();
  for (const std::vector<double>& row : units.rows) {
    if (row.size() != m) return std::nullopt;
  }
  return static_cast<double>(m);
}

void test_against_chance(FleissKappa& result, const RatedUnits& units, const Totals& totals, double kappa) {
  const auto m = equal_ratings(units);
  if (!m) {
    result.chance.test.undefined = "the error under chance is known for equally many ratings a unit only";
    for (FleissKappa::Category& category : result.categories)
      category.chance.test.undefined = result.chance.test.undefined;
    return;
  }
  const double pairs = static_cast<double>(units.total) * *m * (*m - 1);
  double spread = 0;
  double skew = 0;
  for (const double share : totals.share) {
    spread += share * (1 - share);
    skew += share * (1 - share) * (1 - 2 * share);
  }
  const double rest = std::max(spread * spread - skew, 0.0);
  result.chance = chance_test(kappa, std::sqrt(2 * rest / pairs) / spread);
  for (FleissKappa::Category& category : result.categories) {
    if (!category.kappa.value) {
      category.chance.test.undefined = category.kappa.undefined;
    } else {
      category.chance = chance_test(*category.kappa.value, std::sqrt(2 / pairs));
    }
  }
}

}  // namespace

ChanceTest chance_test(double value, double error) {
  ChanceTest chance;
  if (!(error > 0)) {
    chance.test = no_result("chance would leave no spread to test against", "normal");
    return chance;
  }
  chance.standard_error = error;
  chance.test = z_result(value / error, Alternative::two_sided, "normal");
  return chance;
}

Estimate raw_agreement(const Ratings& ratings, const Resampling& resampling) {
  const RatedUnits units = pairable_units(ratings);
  Estimate estimate;
  if (units.undefined.empty() && equal_ratings(units) == 2.0 && units.clusters.empty()) {
    std::int64_t equal = 0;
    for (std::size_t u = 0; u < units.rows.size(); ++u) {
      if (units.rows[u][0] == units.rows[u][1]) equal += units.counts[u];
    }
    estimate = wilson(equal, units.total, resampling.level);
    describe_units(estimate, ratings, units);
    return estimate;
  }
  describe_units(estimate, ratings, units);
  estimate.undefined = units.undefined;
  if (!estimate.undefined.empty()) return estimate;

  const std::vector<double> values = distinct_values(units);
  const std::vector<Profile> profiles = profiles_of(units, values);
  const auto mean = [&](std::span<const std::int64_t> counts) {
    double sum = 0;
    double n = 0;
    for (std::size_t u = 0; u < profiles.size(); ++u) {
      sum += static_cast<double>(counts[u]) * profiles[u].agreement;
      n += static_cast<double>(counts[u]);
    }
    return sum / n;
  };
  estimate.value = mean(units.counts);
  const auto intervals = resample_cells(
      units.counts, 1,
      [&](std::span<const std::int64_t> counts, std::span<double> figures) { figures[0] = mean(counts); },
      resampling, units.clusters);
  attach(estimate, intervals[0], resampling.level, units.drawn());
  return estimate;
}

FleissKappa fleiss_kappa(const Ratings& ratings, const Resampling& resampling) {
  const RatedUnits units = pairable_units(ratings);
  FleissKappa result;
  AgreementFigure& figure = result.figure;
  describe_units(figure.analytic, ratings, units);
  std::string reason = units.undefined;
  const std::vector<double> categories = distinct_values(units);
  if (reason.empty() && categories.size() > kMostCategories) reason = kTooMany;
  if (reason.empty() && categories.size() == 1) reason = "one category is used throughout, as chance would";
  if (!reason.empty()) {
    figure.resampled = figure.analytic;
    say_undefined(figure, reason);
    result.chance.test.undefined = reason;
    return result;
  }

  const std::vector<Profile> profiles = profiles_of(units, categories);
  Totals totals;
  totals.sum(profiles, units.counts, categories.size());
  figure.observed = totals.agreement;
  figure.expected = squares(totals.share);
  const double kappa = corrected(*figure.observed, *figure.expected);
  figure.analytic.value = kappa;
  figure.resampled = figure.analytic;

  std::vector<double> influences;
  for (const Profile& profile : profiles) {
    double expected = 0;
    for (const Profile::Share& part : profile.shares) expected += totals.share[part.category] * part.share;
    const double own = corrected(profile.agreement, *figure.expected);
    influences.push_back(own - 2 * (1 - kappa) * (expected - *figure.expected) / (1 - *figure.expected));
  }
  linearise(figure, influences, units.counts, resampling.level);

  Totals drawn;
  const auto intervals = resample_cells(
      units.counts, categories.size() + 1,
      [&](std::span<const std::int64_t> counts, std::span<double> figures) {
        drawn.sum(profiles, counts, categories.size());
        figures[0] = corrected(drawn.agreement, squares(drawn.share));
        for (std::size_t k = 0; k < categories.size(); ++k) {
          figures[k + 1] = category_kappa(drawn.share[k], drawn.split[k]);
        }
      },
      resampling, units.clusters);
  attach(figure.resampled, intervals[0], resampling.level, units.drawn());
  for (std::size_t k = 0; k < categories.size(); ++k) {
    FleissKappa::Category category;
    category.value = categories[k];
    category.share = totals.share[k];
    describe_units(category.kappa, ratings, units);
    category.kappa.value = category_kappa(totals.share[k], totals.split[k]);
    attach(category.kappa, intervals[k + 1], resampling.level, units.drawn());
    result.categories.push_back(std::move(category));
  }
  test_against_chance(result, units, totals, kappa);
  return result;
}

AgreementFigure gwet_ac1(const Ratings& ratings, std::optional<std::size_t> categories,
                         const Resampling& resampling) {
  const RatedUnits units = pairable_units(ratings);
  AgreementFigure figure;
  describe_units(figure.analytic, ratings, units);
  std::string reason = units.undefined;
  const std::vector<double> used = distinct_values(units);
  const std::size_t known = std::max(categories.value_or(0), used.size());
  if (reason.empty() && used.size() > kMostCategories) reason = kTooMany;
  if (reason.empty() && known < 2) reason = "one category is used throughout, and no other is known";
  if (!reason.empty()) {
    figure.resampled = figure.analytic;
    say_undefined(figure, reason);
    return figure;
  }

  const std::vector<Profile> profiles = profiles_of(units, used);
  Totals totals;
  totals.sum(profiles, units.counts, used.size());
  figure.observed = totals.agreement;
  figure.expected = ac1_expected(totals.share, known);
  const double value = corrected(*figure.observed, *figure.expected);
  figure.analytic.value = value;
  figure.resampled = figure.analytic;

  std::vector<double> influences;
  for (const Profile& profile : profiles) {
    double expected = 1;
    for (const Profile::Share& part : profile.shares) expected -= totals.share[part.category] * part.share;
    expected /= static_cast<double>(known - 1);
    const double own = corrected(profile.agreement, *figure.expected);
    influences.push_back(own - 2 * (1 - value) * (expected - *figure.expected) / (1 - *figure.expected));
  }
  linearise(figure, influences, units.counts, resampling.level);

  Totals drawn;
  const auto intervals = resample_cells(
      units.counts, 1,
      [&](std::span<const std::int64_t> counts, std::span<double> figures) {
        drawn.sum(profiles, counts, used.size());
        figures[0] = corrected(drawn.agreement, ac1_expected(drawn.share, known));
      },
      resampling, units.clusters);
  attach(figure.resampled, intervals[0], resampling.level, units.drawn());
  return figure;
}

}  // namespace assay
