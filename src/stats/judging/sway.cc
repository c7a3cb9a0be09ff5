#include "stats/judging/sway.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "stats/comparisons/pairs.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/proportion.h"

namespace assay {
namespace {

constexpr double kGoodEnough = 0.75;  // of the range, to be able to fall
constexpr double kRounding = 1e-12;

double width(const Interval& range) {
  return range.high - range.low;
}

// Without names every case is a unit of its own.
bool clustered(std::span<const JudgedThrice> cases) {
  return std::ranges::any_of(cases, [](const JudgedThrice& one) { return !one.cluster.empty(); });
}

Estimate share_of(std::span<const JudgedThrice> cases, const std::vector<bool>& decisions) {
  if (!clustered(cases)) {
    return wilson(static_cast<std::int64_t>(std::ranges::count(decisions, true)),
                  static_cast<std::int64_t>(decisions.size()));
  }
  ClusteredMoments moments;
  for (std::size_t i = 0; i < decisions.size(); ++i) moments.add(cases[i].cluster, decisions[i] ? 1 : 0);
  Estimate share = wilson_clustered(moments);
  share.count = std::ranges::count(decisions, true);
  return share;
}

double unchanged_mean(const JudgedThrice& one) {
  return (one.first + one.again) / 2;
}
double unchanged_again(const JudgedThrice& one) {
  return one.again;
}

Estimate shift_of(std::span<const JudgedThrice> cases, const Interval& range,
                  double (*against)(const JudgedThrice&)) {
  std::vector<double> changed;
  std::vector<double> unchanged;
  std::vector<std::string> clusters;
  const bool in_clusters = clustered(cases);
  for (const JudgedThrice& one : cases) {
    changed.push_back(one.changed);
    unchanged.push_back(against(one));
    if (in_clusters) clusters.push_back(one.cluster);
  }
  Estimate shift =
      within_range(paired_difference(changed, unchanged, clusters).difference, {-width(range), width(range)});
  if (shift.ci || cases.empty()) return shift;
  const bool equal = std::ranges::all_of(
      cases, [&](const JudgedThrice& one) { return std::fabs(one.changed - against(one)) <= kRounding; });
  if (!equal) return shift;
  std::ranges::sort(clusters);
  const auto repeated = std::ranges::unique(clusters);
  clusters.erase(repeated.begin(), repeated.end());
  const auto units = static_cast<double>(in_clusters ? clusters.size() : cases.size());
  const double others = (1 - std::pow(1 - shift.level, 1 / units)) * width(range);
  shift.value = 0;
  shift.ci = Interval{-others, others};
  shift.method = in_clusters ? "all_equal_clustered" : "all_equal";
  shift.undefined.clear();
  return shift;
}

bool apart(double a, double b, const SwayOptions& options) {
  return std::fabs(a - b) > options.moved * width(options.range) + kRounding;
}

}  // namespace

TestResult exchange_test(std::span<const JudgedThrice> cases, const SwayOptions& options) {
  if (cases.empty()) return no_result("no cases", "exchange");
  // By which one is taken for the changed one: what it contributes to the sum.
  std::vector<std::array<double, 3>> choices;
  double seen = 0;
  for (const JudgedThrice& one : cases) {
    const std::array<double, 3> scores{one.changed, one.first, one.again};
    const double sum = one.changed + one.first + one.again;
    std::array<double, 3> choice{};
    for (std::size_t i = 0; i < 3; ++i) choice[i] = scores[i] - (sum - scores[i]) / 2;
    seen += choice[0];
    // Where all three are equal every way to choose is the same.
    if (std::ranges::any_of(choice, [](double value) { return std::fabs(value) > kRounding; }))
      choices.push_back(choice);
  }
  TestResult result;
  result.method = "exchange";
  result.statistic = seen / static_cast<double>(cases.size());
  if (choices.empty()) {
    result.p = 1;
    return result;
  }
  const double far = std::fabs(seen) - 1e-9 * (1 + std::fabs(seen));
  std::int64_t hits = 0;
  for (std::int64_t draw = 0; draw < options.draws; ++draw) {
    Random random = options.random.at(static_cast<std::uint64_t>(draw));
    double sum = 0;
    for (const auto& choice : choices) sum += choice[random.below(3)];
    hits += std::fabs(sum) >= far ? 1 : 0;
  }
  result.p = static_cast<double>(1 + hits) / static_cast<double>(1 + options.draws);
  return result;
}

Sway sway_of(std::span<const JudgedThrice> cases, const SwayOptions& options) {
  Sway sway;
  sway.n = static_cast<std::int64_t>(cases.size());
  std::vector<bool> moved;
  std::int64_t only_changed = 0;
  std::int64_t only_again = 0;
  for (const JudgedThrice& one : cases) {
    const bool by_change = apart(one.changed, one.first, options);
    const bool by_itself = apart(one.again, one.first, options);
    moved.push_back(by_change);
    sway.own += by_itself ? 1 : 0;
    only_changed += by_change && !by_itself ? 1 : 0;
    only_again += by_itself && !by_change ? 1 : 0;
  }
  sway.moved = share_of(cases, moved);
  sway.shift = shift_of(cases, options.range, unchanged_mean);
  sway.shifted = exchange_test(cases, options);
  sway.more_often = mcnemar(only_changed, only_again).exact;
  if (sway.shifted.p && sway.more_often.p)
    sway.p = std::min(1.0, 2 * std::min(*sway.shifted.p, *sway.more_often.p));
  return sway;
}

Notice notice_of(std::span<const JudgedThrice> cases, BetterScore better, const SwayOptions& options) {
  Notice notice;
  // Turned so that worse is lower.
  const double sign = better == BetterScore::higher ? 1 : -1;
  std::vector<JudgedThrice> counting;
  for (const JudgedThrice& one : cases) {
    const double good =
        better == BetterScore::higher ? one.first - options.range.low : options.range.high - one.first;
    if (good < kGoodEnough * width(options.range) - kRounding) {
      ++notice.left_out;
      continue;
    }
    counting.push_back({sign * one.changed, sign * one.first, sign * one.again, one.cluster});
  }
  notice.n = static_cast<std::int64_t>(counting.size());
  std::vector<bool> fell;
  std::int64_t only_fault = 0;
  std::int64_t only_again = 0;
  for (const JudgedThrice& one : counting) {
    const bool by_fault = one.changed < one.first && apart(one.changed, one.first, options);
    const bool by_itself = one.again < one.first && apart(one.again, one.first, options);
    fell.push_back(by_fault);
    notice.own += by_itself ? 1 : 0;
    only_fault += by_fault && !by_itself ? 1 : 0;
    only_again += by_itself && !by_fault ? 1 : 0;
  }
  notice.noticed = share_of(counting, fell);
  notice.shift = shift_of(counting, options.range, unchanged_again);
  notice.worse = mcnemar(only_fault, only_again).exact;
  if (notice.worse.p) notice.worse.p = only_fault > only_again ? *notice.worse.p / 2 : 1;
  if (!notice.noticed.ci) return notice;
  if (notice.noticed.ci->high < 0.5) {
    notice.verdict = Notice::Verdict::overlooked;
  } else if (*notice.noticed.value >= 0.5 && notice.worse.p && *notice.worse.p <= 0.05) {
    notice.verdict = Notice::Verdict::noticed;
  }
  return notice;
}

}  // namespace assay
