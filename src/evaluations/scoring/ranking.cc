#include "evaluations/scoring/ranking.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/json/object.hpp>

#include "stats/classification/retrieval.h"
#include "stats/comparisons/association.h"

namespace assay::scoring {
namespace {

constexpr double kPenalty = 0.2;  // for each missing or extra id

using Places = std::unordered_map<std::string_view, std::size_t>;

Places places_of(const Rows& rows) {
  Places places;
  for (const Row& row : rows.rows) {
    if (row.id) places.try_emplace(*row.id, places.size());
  }
  return places;
}

double share_of_prefix(const Places& expected, const Rows& answer) {
  std::size_t right = 0;
  for (const Row& row : answer.rows) {
    const auto found = row.id ? expected.find(*row.id) : expected.end();
    if (found == expected.end() || found->second != right) break;
    ++right;
  }
  if (expected.empty()) return answer.rows.empty() ? 1 : 0;
  return static_cast<double>(right) / static_cast<double>(expected.size());
}

}  // namespace

Ranking compare_rankings(const Rows& expected, const Rows& answer) {
  Ranking ranking;
  const Places places = places_of(expected);
  std::vector<double> wanted(places.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<double>(wanted.size() - i);

  std::vector<double> gains;
  std::vector<double> expected_places;
  std::vector<double> answer_places;
  std::vector<bool> seen(places.size());
  for (const Row& row : answer.rows) {
    const auto found = row.id ? places.find(*row.id) : places.end();
    gains.push_back(0);
    if (found == places.end() || seen[found->second]) {
      ++ranking.extra;
      continue;
    }
    seen[found->second] = true;
    gains.back() = wanted[found->second];
    expected_places.push_back(static_cast<double>(found->second));
    answer_places.push_back(static_cast<double>(answer_places.size()));
  }
  ranking.common = static_cast<std::int64_t>(expected_places.size());
  ranking.missing = static_cast<std::int64_t>(places.size()) - ranking.common;

  if (ranking.common > 1) {
    ranking.tau = kendall_tau_b(expected_places, answer_places).coefficient.value;
    ranking.spearman = spearman(expected_places, answer_places).coefficient.value;
  }
  ranking.ndcg = ndcg_at(gains, wanted, wanted.size());
  ranking.exact_prefix = share_of_prefix(places, answer);
  ranking.top1 = ranking.exact_prefix > 0 ? 1 : 0;

  const bool anything_common = ranking.common > 0 || (places.empty() && answer.rows.empty());
  const double order = anything_common ? ranking.tau.value_or(1) : 0;
  const double penalty = kPenalty * static_cast<double>(ranking.missing + ranking.extra);
  ranking.score = std::clamp(order - penalty, 0.0, 1.0);
  return ranking;
}

JsonObject to_json(const Ranking& ranking) {
  const auto or_nothing = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"tau", or_nothing(ranking.tau)},       {"spearman", or_nothing(ranking.spearman)},
          {"ndcg", or_nothing(ranking.ndcg)},     {"top1", ranking.top1},
          {"exact_prefix", ranking.exact_prefix}, {"common", ranking.common},
          {"missing", ranking.missing},           {"extra", ranking.extra}};
}

}  // namespace assay::scoring
