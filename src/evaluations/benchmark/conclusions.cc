#include "evaluations/benchmark/conclusions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/words.h"

namespace assay::benchmark {
namespace {

constexpr double kLevel = 0.05;
constexpr std::size_t kMostUndecided = 3;  // pairs with a sentence of their own

std::string interval_of(const Estimate& estimate) {
  if (estimate.ci)
    return fmt::format("{} interval {}", level_words(estimate.level),
                       range_words(*estimate.ci, Metric::Form::number));
  // Some reasons say it themselves.
  constexpr std::string_view kNone = "no interval";
  if (estimate.undefined.empty()) return std::string(kNone);
  return estimate.undefined.starts_with(kNone) ? estimate.undefined
                                               : fmt::format("{}: {}", kNone, estimate.undefined);
}

std::string extent(const Pair& pair) {
  return fmt::format("{} of {}", counted_words(pair.contrast.difference.n, "variation", "variations"),
                     counted_words(static_cast<std::int64_t>(pair.tasks), "task", "tasks"));
}

bool decided(const Pair& pair) {
  return pair.contrast.difference.value && pair.adjusted_p && *pair.adjusted_p < kLevel;
}

// The pair as seen from the one that is ahead.
struct Lead {
  std::string ahead;
  std::string behind;
  Estimate by;
};
Lead lead_of(const Pair& pair) {
  const Estimate& difference = pair.contrast.difference;
  if (*difference.value >= 0) return {pair.first, pair.second, difference};
  Lead lead{pair.second, pair.first, difference};
  lead.by.value = -*difference.value;
  if (difference.ci) lead.by.ci = {-difference.ci->high, -difference.ci->low};
  return lead;
}

std::string decided_sentence(const Pair& pair) {
  const Lead lead = lead_of(pair);
  return fmt::format("{} did better than {}: mean score higher by {} on the same {} ({}, p {} after Holm).",
                     lead.ahead, lead.behind, number_words(*lead.by.value), extent(pair),
                     interval_of(lead.by), p_words(pair.adjusted_p));
}

std::string undecided_sentence(const Pair& pair) {
  if (!pair.contrast.difference.value)
    return fmt::format("{} and {} have no variation with a score of both.", pair.first, pair.second);
  const Lead lead = lead_of(pair);
  const std::string by = *lead.by.value == 0
                             ? "their mean scores are equal"
                             : fmt::format("{} is ahead by {}", lead.ahead, number_words(*lead.by.value));
  return fmt::format("Undecided between {} and {}: {} on the same {} ({}{}).", pair.first, pair.second, by,
                     extent(pair), interval_of(lead.by),
                     pair.adjusted_p ? fmt::format(", p {} after Holm", p_words(pair.adjusted_p)) : "");
}

std::string score_words(const ContenderResult& contender) {
  if (!contender.score.value) return fmt::format("{} n/a", contender.name);
  return fmt::format("{} {} (n = {})", contender.name, number_words(*contender.score.value),
                     contender.score.n);
}

void add_comparisons(const ContestResult& result, std::vector<std::string>& sentences) {
  for (const Pair& pair : result.pairs) {
    if (decided(pair)) sentences.push_back(decided_sentence(pair));
  }
  std::size_t undecided = 0;
  for (const Pair& pair : result.pairs) {
    if (!decided(pair) && ++undecided <= kMostUndecided) sentences.push_back(undecided_sentence(pair));
  }
  if (undecided > kMostUndecided) {
    sentences.push_back(
        fmt::format("{} more pairs are undecided; see the table of pairs.", undecided - kMostUndecided));
  }
}

std::string spread_sentence(const RepeatSpread& repeats, std::size_t contenders) {
  const VoteSpread& spread = repeats.spread;
  const double between = *spread.of_case.value;
  const double within = *spread.of_answer.value;
  const auto runs = static_cast<std::int64_t>(std::llround(spread.answers));
  const std::string shares = fmt::format(
      "Spread of {}{}: {} of the variance of a run's score lies between variations, {} between runs of one",
      repeats.contender, contenders > 1 ? ", which is the least sure of them" : "",
      share_words(between / (between + within)), share_words(within / (between + within)));
  if (!repeats.score.ci) return shares + ".";
  // The interval of the score as it stands, and narrower by as much as the variance of a variation's mean is.
  const double reached =
      std::max(repeats.score.ci->high - *repeats.score.value, *repeats.score.value - repeats.score.ci->low);
  const double narrower = std::sqrt((between + within / static_cast<double>(2 * runs)) /
                                    (between + within / static_cast<double>(runs)));
  return shares + fmt::format("; {} of each of {} reach ±{}, {} would bring ±{}.",
                              counted_words(runs, "run", "runs"),
                              counted_words(spread.cases, "variation", "variations"), number_words(reached),
                              counted_words(2 * runs, "run", "runs"), number_words(reached * narrower));
}

}  // namespace

std::vector<std::string> conclusions_of(const ContestResult& result) {
  std::vector<std::string> sentences;
  if (result.contenders.size() == 1 && result.contenders.front().score.value) {
    const ContenderResult& only = result.contenders.front();
    sentences.push_back(
        fmt::format("{} has a mean score of {} over {} ({}).", only.name, number_words(*only.score.value),
                    counted_words(only.score.n, "scored run", "scored runs"), interval_of(only.score)));
  }
  add_comparisons(result, sentences);
  if (result.contenders.size() > 1) {
    std::vector<const ContenderResult*> order;
    order.reserve(result.contenders.size());
    for (const ContenderResult& contender : result.contenders) order.push_back(&contender);
    std::ranges::sort(order, [](const ContenderResult* a, const ContenderResult* b) {
      const double one = a->score.value.value_or(-1);
      const double other = b->score.value.value_or(-1);
      return one != other ? one > other : a < b;  // equal ones as they come
    });
    std::vector<std::string> scores;
    scores.reserve(order.size());
    for (const ContenderResult* contender : order) scores.push_back(score_words(*contender));
    sentences.push_back(fmt::format("Mean scores: {}.", fmt::join(scores, ", ")));
  }
  for (const ContenderResult& contender : result.contenders) {
    if (contender.failed == 0) continue;
    sentences.push_back(
        fmt::format("{} of {} of {} ended without an answer (error, refusal or limit); they count 0.",
                    contender.failed, counted_words(contender.runs, "run", "runs"), contender.name));
  }
  for (const ContenderResult& contender : result.contenders) {
    const std::string missing = missing_words(contender.score);
    if (missing.empty() || !contender.score.bounds) continue;
    sentences.push_back(
        fmt::format("Runs of {} without a score: {}; with them its mean would lie between {}.",
                    contender.name, missing, range_words(*contender.score.bounds, Metric::Form::number)));
  }
  if (result.least_sure) sentences.push_back(spread_sentence(*result.least_sure, result.contenders.size()));
  if (result.kept > 0) {
    sentences.push_back(fmt::format("{} scored although something else is asked now, as keep_changed says.",
                                    counted_words(result.kept, "answer is", "answers are")));
  }
  if (result.replaced > 0) {
    sentences.push_back(
        fmt::format("{} done afresh, since something else is asked than when the file was written; "
                    "what was there is kept beside it.",
                    counted_words(result.replaced, "run was", "runs were")));
  }
  return sentences;
}

}  // namespace assay::benchmark
