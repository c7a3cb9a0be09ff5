#include "evaluations/custom/figures/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "core/random.h"
#include "evaluations/custom/figures/measures.h"
#include "evaluations/figures.h"
#include "report/judging_plan.h"
#include "report/words.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/resample.h"

namespace assay::custom {
namespace {

constexpr std::int64_t kDraws = 2000;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

enum class Counted { votes, verdicts };

Spread::Sums sums_of(const MetricShape& shape, std::size_t metric, const std::vector<AnswerMarks>& answers,
                     Counted counted) {
  Spread::Sums sums;
  Moments means;
  for (const AnswerMarks& answer : answers) {
    if (metric >= answer.marks.size() || !answer.marks[metric].given()) continue;
    const Mark& mark = answer.marks[metric];
    Moments votes;
    if (shape.votes > 1 && counted == Counted::votes) {
      for (const double vote : mark.votes) votes.add(vote);
    }
    if (votes.n() == 0) votes.add(mark.score);
    if (votes.n() == 0) continue;
    const double deviation = votes.population_deviation().value_or(0);
    const auto n = static_cast<double>(votes.n());
    sums.vote_squares += deviation * deviation * n;
    sums.vote_freedom += n - 1;
    sums.one_over_votes += 1 / n;
    means.add(*votes.mean());
  }
  if (means.n() == 0) return {};
  const double mean = *means.mean() - shape.scale.low;  // small numbers keep their digits
  const double deviation = means.population_deviation().value_or(0);
  const auto n = static_cast<double>(means.n());
  sums.cases = 1;
  sums.mean = mean;
  sums.square = mean * mean;
  sums.answers = n;
  sums.one_over_answers = 1 / n;
  sums.answer_squares = deviation * deviation * n;
  sums.answer_freedom = n - 1;
  return sums;
}

double share_of(double part, const Spread::Components& all) {
  const double whole = all.of_case + all.of_answer + all.of_judge;
  return whole > 0 ? part / whole : kNone;
}

}  // namespace

void Spread::Sums::add(const Sums& other) {
  cases += other.cases;
  mean += other.mean;
  square += other.square;
  one_over_answers += other.one_over_answers;
  answer_squares += other.answer_squares;
  answer_freedom += other.answer_freedom;
  answers += other.answers;
  one_over_votes += other.one_over_votes;
  vote_squares += other.vote_squares;
  vote_freedom += other.vote_freedom;
}

Spread::Components Spread::components(const Sums& sums, bool votes) {
  if (sums.cases < 2 || sums.answer_freedom <= 0 || (votes && sums.vote_freedom <= 0))
    return {kNone, kNone, kNone};
  const double between = std::max(0.0, sums.square - sums.mean * sums.mean / sums.cases) / (sums.cases - 1);
  const double within = sums.answer_squares / sums.answer_freedom;
  const double judge = votes ? sums.vote_squares / sums.vote_freedom : 0;
  return {std::max(0.0, between - within * sums.one_over_answers / sums.cases),
          std::max(0.0, within - judge * sums.one_over_votes / sums.answers), judge};
}

Spread::Spread(const Design& design) : design_(design) {
  for (std::size_t m = 0; m < design_.metrics.size(); ++m) {
    if (!has_spread(design_, design_.metrics[m])) continue;
    const MetricShape& shape = design_.metrics[m];
    OfMetric one{m, {}, {}};
    one.groups.resize(design_.variants.size());
    if (shape.votes > 1 && shape.value == MetricShape::Value::yes_no)
      one.verdicts.resize(design_.variants.size());
    metrics_.push_back(std::move(one));
  }
}

void Spread::add(std::uint32_t cluster, const CaseMarks& marks) {
  const std::size_t group = cluster % kGroups;
  seen_ = std::max(seen_, group + 1);
  for (OfMetric& one : metrics_) {
    const MetricShape& shape = design_.metrics[one.metric];
    for (std::size_t v = 0; v < std::min(one.groups.size(), marks.answers.size()); ++v) {
      one.groups[v][group].add(sums_of(shape, one.metric, marks.answers[v], Counted::votes));
      if (!one.verdicts.empty())
        one.verdicts[v][group].add(sums_of(shape, one.metric, marks.answers[v], Counted::verdicts));
    }
  }
}

Spread::Components Spread::pooled(const Groups& groups, bool votes, const std::vector<std::size_t>& drawn) {
  Components mean;
  double variants = 0;
  for (const auto& of_variant : groups) {
    Sums sums;
    for (const std::size_t group : drawn) sums.add(of_variant[group]);
    if (sums.cases == 0) continue;
    const Components one = components(sums, votes);
    mean.of_case += one.of_case;
    mean.of_answer += one.of_answer;
    mean.of_judge += one.of_judge;
    ++variants;
  }
  if (variants == 0) return {kNone, kNone, kNone};
  return {mean.of_case / variants, mean.of_answer / variants, mean.of_judge / variants};
}

std::string Spread::apply(bool clustered, Summary& summary) const {
  if (metrics_.empty()) return "";
  Table table{"spread",
              "Where the spread of scores comes from",
              {"metric", "source", "variance", "share", "low", "high"},
              {},
              false,
              "",
              ""};
  std::vector<std::size_t> all(seen_);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::optional<VoteSpread> least_sure;
  std::string least_sure_metric;
  for (const OfMetric& one : metrics_) {
    const MetricShape& shape = design_.metrics[one.metric];
    std::int64_t cases = 0;
    for (const Sums& sums : one.groups.front()) cases += std::llround(sums.cases);
    const Components found = pooled(one.groups, shape.votes > 1, all);
    if (shape.votes > 1 && std::isfinite(found.of_case) && cases > 1) {
      VoteSpread spread;
      spread.verdicts = !one.verdicts.empty();
      const Components scored = spread.verdicts ? pooled(one.verdicts, false, all) : found;
      spread.of_case.value = scored.of_case;
      spread.of_answer.value = scored.of_answer;
      if (!spread.verdicts) spread.of_vote.value = scored.of_judge;
      spread.cases = cases;
      spread.answers = design_.repeats;
      spread.votes = shape.votes;
      const auto width = [](const VoteSpread& votes) { return expected_half_width(votes, design_of(votes)); };
      if (!least_sure || width(spread) > width(*least_sure)) {
        least_sure = std::move(spread);
        least_sure_metric = shape.name;
      }
    }
    std::array<std::vector<double>, 3> draws;
    const Random random = Random::keyed("spread", shape.name);
    std::vector<std::size_t> drawn(seen_);
    for (std::int64_t draw = 0; draw < kDraws && seen_ >= kFewestClusters; ++draw) {
      Random chance = random.at(static_cast<std::uint64_t>(draw));
      for (std::size_t& group : drawn) group = chance.below(seen_);
      const Components again = pooled(one.groups, shape.votes > 1, drawn);
      draws[0].push_back(share_of(again.of_case, again));
      draws[1].push_back(share_of(again.of_answer, again));
      draws[2].push_back(share_of(again.of_judge, again));
    }
    const std::array<std::pair<const char*, double>, 3> parts = {
        {{"case", found.of_case}, {"answer", found.of_answer}, {"judge", found.of_judge}}};
    for (std::size_t i = 0; i < (shape.votes > 1 ? 3U : 2U); ++i) {
      const double share = share_of(parts[i].second, found);
      Estimate estimate = undefined_figure("no spread, or too few cases with several answers", cases);
      if (std::isfinite(share)) {
        estimate = plain_figure(share, cases);
        if (seen_ < kFewestClusters) {
          estimate.undefined = "no interval: fewer than ten cases or clusters";
        } else {
          attach(
              estimate,
              percentile_interval(draws[i], expanded_level(estimate.level, static_cast<std::int64_t>(seen_))),
              estimate.level, clustered ? Drawn::clusters : Drawn::cases);
        }
      }
      const auto or_null = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
      table.rows.push_back({boost::json::string(shape.name), boost::json::string(parts[i].first),
                            or_null(parts[i].second), or_null(share),
                            estimate.ci ? Json(estimate.ci->low) : Json(nullptr),
                            estimate.ci ? Json(estimate.ci->high) : Json(nullptr)});
      summary.metrics.push_back(
          figures::share(shape.name + ".spread." + parts[i].first, std::move(estimate)));
      summary.metrics.back().better = Metric::Better::neither;
    }
  }
  summary.tables.push_back(std::move(table));
  if (!least_sure) return "";
  return fmt::format("Noise of {}: {}", plain_words(least_sure_metric),
                     reached_sentence(*least_sure, summary.usage.cost_usd));
}

}  // namespace assay::custom
