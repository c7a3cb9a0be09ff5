#include "stats/classification/retrieval.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace assay {
namespace {

double ratio(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::size_t hits_among_first(const RankedHits& ranked, std::size_t k) {
  const auto end = ranked.hits.begin() + static_cast<std::ptrdiff_t>(std::min(k, ranked.hits.size()));
  return static_cast<std::size_t>(std::count(ranked.hits.begin(), end, true));
}

double gain_at(std::size_t rank) {
  return 1 / std::log2(static_cast<double>(rank) + 1);
}

}  // namespace

std::optional<double> precision_at(const RankedHits& ranked, std::size_t k) {
  if (ranked.expected == 0 || k == 0) return std::nullopt;
  return ratio(hits_among_first(ranked, k), k);
}

std::optional<double> recall_at(const RankedHits& ranked, std::size_t k) {
  if (ranked.expected == 0) return std::nullopt;
  return ratio(hits_among_first(ranked, k), ranked.expected);
}

std::optional<double> reciprocal_rank(const RankedHits& ranked) {
  if (ranked.expected == 0) return std::nullopt;
  const auto first = std::find(ranked.hits.begin(), ranked.hits.end(), true);
  if (first == ranked.hits.end()) return 0;
  return 1 / static_cast<double>(first - ranked.hits.begin() + 1);
}

std::optional<double> average_precision(const RankedHits& ranked) {
  if (ranked.expected == 0) return std::nullopt;
  double sum = 0;
  std::size_t found = 0;
  for (std::size_t rank = 1; rank <= ranked.hits.size(); ++rank) {
    if (ranked.hits[rank - 1]) sum += ratio(++found, rank);
  }
  return sum / static_cast<double>(ranked.expected);
}

std::optional<double> ndcg_at(const RankedHits& ranked, std::size_t k) {
  if (ranked.expected == 0 || k == 0) return std::nullopt;
  double gained = 0;
  for (std::size_t rank = 1; rank <= std::min(k, ranked.hits.size()); ++rank) {
    if (ranked.hits[rank - 1]) gained += gain_at(rank);
  }
  double ideal = 0;
  for (std::size_t rank = 1; rank <= std::min(k, ranked.expected); ++rank) ideal += gain_at(rank);
  return gained / ideal;
}

std::optional<double> ndcg_at(std::span<const double> gains, std::span<const double> wanted, std::size_t k) {
  const auto is_gain = [](double gain) { return gain >= 0 && std::isfinite(gain); };
  if (!std::ranges::all_of(gains, is_gain) || !std::ranges::all_of(wanted, is_gain)) return std::nullopt;
  const auto discounted = [k](std::span<const double> ranked) {
    double sum = 0;
    for (std::size_t rank = 1; rank <= std::min(k, ranked.size()); ++rank) {
      sum += ranked[rank - 1] * gain_at(rank);
    }
    return sum;
  };
  std::vector<double> best(wanted.begin(), wanted.end());
  std::ranges::sort(best, std::greater<>());
  const double ideal = discounted(best);
  if (!(ideal > 0)) return std::nullopt;
  return discounted(gains) / ideal;
}

}  // namespace assay
