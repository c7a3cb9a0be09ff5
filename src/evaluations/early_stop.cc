#include "evaluations/early_stop.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "core/tables/csv.h"
#include "core/text.h"

namespace assay {

Key stop_when_key() {
  return {
      .name = "stop_when",
      .type = KeyType::text_list,
      .help =
          "End the run as soon as all of these are settled: `FIGURE width W` (its interval is not wider), "
          "`FIGURE > x` or `FIGURE < x` (its interval excludes x, on either side). Cases are then taken "
          "in random order.",
      .example = "[\"faithfulness.mean width 0.1\", \"coherence.mean > 0.8\"]",
      .decides = Decides::cases};
}

Result<StopCondition> parse_stop_condition(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!trim(word).empty()) words.emplace_back(trim(word));
  }
  const auto number = words.size() == 3 ? cell_number(words[2]) : std::nullopt;
  static const std::map<std::string, StopCondition::Kind> kinds = {{"width", StopCondition::Kind::width},
                                                                   {">", StopCondition::Kind::above},
                                                                   {"<", StopCondition::Kind::below}};
  const auto kind = words.size() == 3 ? kinds.find(words[1]) : kinds.end();
  if (!number || kind == kinds.end()) {
    return fail(ErrorKind::config,
                fmt::format("found \"{}\", expected FIGURE width NUMBER, FIGURE > NUMBER or FIGURE < NUMBER, "
                            "with spaces between",
                            text));
  }
  if (kind->second == StopCondition::Kind::width && !(*number > 0))
    return fail(ErrorKind::config, fmt::format("found the width {}, expected one above 0", words[2]));
  return StopCondition{std::string(text), words[0], kind->second, *number};
}

std::vector<StopCondition> read_stop_conditions(const Config& config, const Evaluation& evaluation,
                                                std::vector<ConfigProblem>& problems) {
  std::vector<StopCondition> conditions;
  const std::vector<MeanFigure> figures = evaluation.mean_figures();
  for (const std::string& text : config.texts("stop_when")) {
    auto condition = parse_stop_condition(text);
    if (!condition) {
      problems.push_back({"config", "stop_when", condition.error().message});
      continue;
    }
    auto figure = find_mean_figure(condition->figure, figures);
    if (!figure) {
      problems.push_back({"config", "stop_when", figure.error().message});
      continue;
    }
    const bool inside = condition->bound > figure->range.low && condition->bound < figure->range.high;
    if (condition->kind != StopCondition::Kind::width && !inside) {
      problems.push_back(
          {"config", "stop_when",
           fmt::format("found {}, expected a number between {} and {}, where {} can lie", condition->bound,
                       figure->range.low, figure->range.high, figure->name)});
      continue;
    }
    conditions.push_back(std::move(*condition));
  }
  if (!conditions.empty() && !evaluation.asks_outside()) {
    problems.push_back({"config", "stop_when",
                        "nothing is asked of the outside in this run, so there is nothing to save by "
                        "stopping early; leave it out"});
  }
  return conditions;
}

EarlyStop::EarlyStop(const Evaluation& evaluation, std::vector<StopCondition> conditions)
    : evaluation_(evaluation) {
  for (StopCondition& condition : conditions) {
    StopVerdict verdict;
    verdict.condition = condition.text;
    conditions_.push_back({std::move(condition), std::move(verdict)});
  }
  for (MeanFigure& figure : evaluation.mean_figures()) {
    BettingPlan plan;
    plan.range = figure.range;
    figures_.push_back({std::move(figure), BettingSequence(plan)});
  }
}

Result<std::unique_ptr<EarlyStop>> EarlyStop::make(const Evaluation& evaluation,
                                                   std::vector<StopCondition> conditions,
                                                   std::uint64_t seed) {
  std::unique_ptr<EarlyStop> made(new EarlyStop(evaluation, std::move(conditions)));
  auto source = evaluation.chosen_cases();
  if (!source) return fail(std::move(source.error()));
  std::vector<CasePlace> places;
  std::vector<std::uint32_t> clusters;  // of each place
  std::unordered_map<std::string, std::uint32_t> known;
  std::vector<std::size_t> sizes;
  for (;;) {
    auto more = (*source)->next();
    (*source)->take_problems();  // told when the data were looked at first
    if (!more) return fail(std::move(more.error()));
    if (!*more) break;
    const std::string_view cluster = (*source)->current().cluster;
    std::uint32_t number = static_cast<std::uint32_t>(sizes.size());
    if (!cluster.empty()) {
      made->clustered_ = true;
      number = known.try_emplace(std::string(cluster), number).first->second;
    }
    if (number == sizes.size()) sizes.push_back(0);
    ++sizes[number];
    clusters.push_back(number);
    places.push_back((*source)->place());
  }
  // Clusters in random order, the cases of each in input order.
  std::vector<std::uint32_t> rank(sizes.size());
  std::iota(rank.begin(), rank.end(), 0U);
  Random random = Random::keyed(seed, "stop_when", "order");
  for (std::size_t i = rank.size(); i > 1; --i) std::swap(rank[i - 1], rank[random.below(i)]);
  std::vector<std::size_t> begins(sizes.size() + 1, 0);
  for (std::size_t number = 0; number < sizes.size(); ++number) begins[rank[number] + 1] = sizes[number];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  made->order_.resize(places.size());
  made->group_.resize(places.size());
  made->group_begun_.resize(sizes.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t position = begins[rank[clusters[i]]]++;
    made->order_[position] = places[i];
    made->group_[position] = clusters[i];
    const auto index = static_cast<std::size_t>(places[i].index);
    if (made->position_.size() <= index) made->position_.resize(index + 1, places.size());
    made->position_[index] = position;
  }
  for (const std::size_t size : sizes) made->largest_group_ = std::max(made->largest_group_, size);
  return made;
}

const EarlyStop::Watched* EarlyStop::watched(std::string_view figure) const {
  for (const Watched& one : figures_) {
    if (one.figure.name == figure) return &one;
  }
  return nullptr;
}

bool EarlyStop::last_of_group(std::size_t position) const {
  return position + 1 == order_.size() || group_[position + 1] != group_[position];
}

bool EarlyStop::wants(std::size_t position) const {
  // A cluster that was begun is finished, so that it can count as one observation.
  return !settled_ || group_begun_[group_[position]];
}

void EarlyStop::add(const Case& input, const Outcome& outcome) {
  const std::size_t position = position_[static_cast<std::size_t>(input.index)];
  group_begun_[group_[position]] = true;
  if (position < next_) return;
  ahead_.insert_or_assign(position, scores_of(input, outcome));
  while (!ahead_.empty() && ahead_.begin()->first == next_) {
    take(ahead_.begin()->second);
    ahead_.erase(ahead_.begin());
    if (last_of_group(next_)) end_group();
    ++next_;
    settle();
  }
}

EarlyStop::CaseScores EarlyStop::scores_of(const Case& input, const Outcome& outcome) {
  CaseScores values(figures_.size());
  const FinishedCase finished{outcome, JsonObject{}, 0};
  line_.begin(&finished, -std::numeric_limits<double>::infinity());
  evaluation_.line(input, &finished, line_);
  for (const Score& score : line_.scores()) {
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      if (figures_[i].figure.name == score.figure) values[i] = score.value;
    }
  }
  return values;
}

void EarlyStop::take(const CaseScores& scores) {
  for (std::size_t i = 0; i < figures_.size(); ++i) {
    if (!scores[i]) continue;
    figures_[i].sum += *scores[i];
    ++figures_[i].n;
  }
}

void EarlyStop::end_group() {
  for (Watched& watched : figures_) {
    if (watched.n == 0) continue;
    const double n = static_cast<double>(watched.n);
    watched.sequence.add(watched.sum / n, n / static_cast<double>(largest_group_));
    watched.sum = 0;
    watched.n = 0;
  }
}

void EarlyStop::settle() {
  if (settled_) return;
  bool all = true;
  for (auto& [condition, verdict] : conditions_) {
    if (verdict.answer == StopVerdict::Answer::open) {
      const Estimate now = watched(condition.figure)->sequence.now();
      if (now.ci) {
        const Interval& ci = *now.ci;
        using Answer = StopVerdict::Answer;
        Answer answer = Answer::open;
        if (condition.kind == StopCondition::Kind::width) {
          if (ci.high - ci.low <= condition.bound) answer = Answer::yes;
        } else if (ci.low > condition.bound) {
          answer = condition.kind == StopCondition::Kind::above ? Answer::yes : Answer::no;
        } else if (ci.high < condition.bound) {
          answer = condition.kind == StopCondition::Kind::below ? Answer::yes : Answer::no;
        }
        if (answer != Answer::open) {
          verdict.answer = answer;
          verdict.after = static_cast<std::int64_t>(next_);
        }
      }
    }
    all = all && verdict.answer != StopVerdict::Answer::open;
  }
  settled_ = all;
}

void EarlyStop::apply(Summary& summary, std::int64_t taken) const {
  const bool early = summary.cases.skipped > 0;
  for (Metric& metric : summary.metrics) {
    Estimate& estimate = metric.estimate;
    if (const Watched* mean = watched(metric.name)) {
      Estimate now = mean->sequence.now();
      estimate.ci = now.ci;
      estimate.method = clustered_ ? "betting_clustered" : now.method;
      estimate.undefined = std::move(now.undefined);
    } else if (early && estimate.ci) {
      estimate.ci.reset();
      estimate.method.clear();
      estimate.undefined =
          "no interval: the run stopped early, and the one for this figure takes the number of cases as "
          "fixed";
    }
  }
  StoppingReport report;
  for (const auto& [condition, verdict] : conditions_) report.conditions.push_back(verdict);
  report.stopped = early;
  report.taken = taken;
  report.of = static_cast<std::int64_t>(order_.size());
  if (taken > 0) {
    const double share = static_cast<double>(summary.cases.skipped) / static_cast<double>(taken);
    report.saved_requests = share * static_cast<double>(summary.usage.requests);
    if (summary.usage.cost_usd) report.saved_usd = share * *summary.usage.cost_usd;
  }
  summary.stopping = std::move(report);
}

}  // namespace assay
