#include "evaluations/stress/figures.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/json/json.h"
#include "report/csv.h"
#include "stats/comparisons/adjust.h"
#include "stats/comparisons/pairs.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/proportion.h"

namespace assay::stress {
namespace {

std::optional<double> score_of(const StressedCase& one, std::string_view change, std::string_view figure) {
  const auto judged = one.judged.find(change);
  if (judged == one.judged.end()) return std::nullopt;
  const auto score = judged->second.scores.find(figure);
  return score == judged->second.scores.end() ? std::nullopt : std::optional(score->second);
}

std::optional<double> seat_of(const StressedCase& one, std::string_view change, std::string_view figure) {
  const auto judged = one.judged.find(change);
  if (judged == one.judged.end()) return std::nullopt;
  const auto worth = judged->second.seats.find(figure);
  return worth == judged->second.seats.end() ? std::nullopt : std::optional(worth->second);
}

bool can_be_noticed(const JudgedFigure& figure, const Grounds& grounds) {
  return figure.against == JudgedFigure::Against::contexts ? grounds.contexts : grounds.reference;
}

// A case with all three judgements.
struct Paired {
  const StressedCase* from;
  JudgedThrice scores;
};

std::vector<Paired> paired(const StressedCases& cases, const JudgedFigure& figure, const Change& change) {
  std::vector<Paired> pairs;
  for (const StressedCase& one : cases.list()) {
    const auto judged = one.judged.find(change.name);
    if (judged == one.judged.end()) continue;  // it could not be made in this case
    if (change.matter == Matter::must && !can_be_noticed(figure, judged->second.grounds)) continue;
    const auto changed = score_of(one, change.name, figure.name);
    const auto first = score_of(one, kUnchanged, figure.name);
    const auto again = score_of(one, kAgain, figure.name);
    if (changed && first && again) pairs.push_back({&one, {*changed, *first, *again, one.cluster}});
  }
  return pairs;
}

std::vector<JudgedThrice> scores_of(const std::vector<Paired>& pairs) {
  std::vector<JudgedThrice> scores;
  scores.reserve(pairs.size());
  for (const Paired& pair : pairs) scores.push_back(pair.scores);
  return scores;
}

MovedCase moved_case(const Paired& pair, const Change& change, const JudgedFigure& figure) {
  return {pair.from->id,     std::string(change.name), figure.metric,
          pair.scores.first, pair.scores.again,        pair.scores.changed};
}

// What the seat was worth, of judgements that saw both orders: nothing needs to be judged for it.
std::optional<SwayRow> seats_of(const StressedCases& cases, const JudgedFigure& figure) {
  SwayRow row;
  row.change = SwayRow::kSeats;
  row.figure = &figure;
  std::vector<double> worth;
  std::vector<double> nothing;
  std::vector<std::string> clusters;
  std::int64_t count = 0;
  ClusteredMoments turned;
  for (const StressedCase& one : cases.list()) {
    const auto first = seat_of(one, kUnchanged, figure.name);
    const auto again = seat_of(one, kAgain, figure.name);
    if (!first || !again) continue;
    worth.push_back((*first + *again) / 2);
    nothing.push_back(0);
    if (!one.cluster.empty()) clusters.push_back(one.cluster);
    turned.add(one.cluster, *first != 0 ? 1 : 0);
    count += *first != 0 ? 1 : 0;
  }
  if (worth.empty()) return std::nullopt;
  if (clusters.size() != worth.size()) clusters.clear();
  row.sway.n = static_cast<std::int64_t>(worth.size());
  row.sway.shift = paired_difference(worth, nothing, clusters).difference;
  if (clusters.empty()) {
    row.sway.moved = wilson(count, row.sway.n);
  } else {
    row.sway.moved = wilson_clustered(turned);
    row.sway.moved.count = count;
  }
  row.sway.shifted = clusters.empty() ? sign_flip(worth, nothing) : sign_flip(worth, nothing, clusters);
  row.sway.p = row.sway.shifted.p;
  return row;
}

double relative_shift(const SwayRow& row) {
  const double width = row.figure->range.high - row.figure->range.low;
  return std::fabs(row.sway.shift.value.value_or(0)) / (width > 0 ? width : 1);
}

void adjust(std::vector<SwayRow>& rows) {
  std::vector<std::optional<double>> p;
  p.reserve(rows.size());
  for (const SwayRow& row : rows) p.push_back(row.sway.p);
  const auto adjusted = holm(p);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].p = adjusted[i];
  std::ranges::sort(rows, [](const SwayRow& a, const SwayRow& b) {
    const auto order = [](const SwayRow& row) {
      return std::tuple(!row.swayed(), -relative_shift(row), std::string_view(row.change),
                        std::string_view(row.figure->metric));
    };
    return order(a) < order(b);
  });
}

Estimate own_moves(const StressedCases& cases, const JudgedFigure& figure, double moved) {
  ClusteredMoments moments;
  std::int64_t count = 0;
  std::int64_t n = 0;
  bool clustered = false;
  for (const StressedCase& one : cases.list()) {
    const auto first = score_of(one, kUnchanged, figure.name);
    const auto again = score_of(one, kAgain, figure.name);
    if (!first || !again) continue;
    const double far = moved * (figure.range.high - figure.range.low) + 1e-12;
    const bool apart = std::fabs(*first - *again) > far;
    clustered = clustered || !one.cluster.empty();
    moments.add(one.cluster, apart ? 1 : 0);
    count += apart ? 1 : 0;
    ++n;
  }
  Estimate share = clustered ? wilson_clustered(moments) : wilson(count, n);
  share.count = count;
  return share;
}

}  // namespace

bool SwayRow::as_it_must() const {
  if (!counted || !moves() || !sway.shift.ci) return false;
  return figure->lower_is_better ? sway.shift.ci->low > 0 : sway.shift.ci->high < 0;
}

StressedCase& StressedCases::of(const std::string& id, const std::string& cluster) {
  const auto [place, is_new] = places_.try_emplace(id, list_.size());
  if (is_new) list_.push_back({id, cluster});
  return list_[place->second];
}

bool StressResult::tried_any(Matter matter) const {
  return std::ranges::any_of(changes(), [&](const Change& change) {
    const auto found = tried.find(std::string(change.name));
    return change.matter == matter && found != tried.end() && found->second > 0;
  });
}

bool StressResult::all_failed() const {
  std::int64_t sum = 0;
  for (const auto& [outcome, count] : failed) sum += count;
  return sum == judgements;
}

bool is_about(const JudgedFigure& figure, const Change& change) {
  const bool seen = change.part == Part::answer ? figure.sees_answer : figure.sees_contexts;
  return seen && (change.matter == Matter::must_not ||
                  std::ranges::find(figure.faults, change.name) != figure.faults.end());
}

StressResult stress_result(const StressPlan& plan, const StressedCases& cases) {
  StressResult result;
  result.cases = static_cast<std::int64_t>(cases.list().size());
  for (const StressedCase& one : cases.list()) {
    for (const auto& [form, judged] : one.judged) {
      ++result.judgements;
      if (!judged.failed.empty() && judged.scores.empty()) ++result.failed[judged.failed];
    }
  }
  for (const Change& change : changes()) {
    result.tried[std::string(change.name)] = std::ranges::count_if(
        cases.list(), [&](const StressedCase& one) { return one.judged.contains(change.name); });
    for (const JudgedFigure& figure : plan.figures) {
      if (!is_about(figure, change)) continue;
      const auto pairs = paired(cases, figure, change);
      if (pairs.empty()) continue;
      const SwayOptions options{.range = figure.range,
                                .moved = plan.moved,
                                .random = Random::keyed("stress", plan.seed, change.name, figure.name)};
      const double far = plan.moved * (figure.range.high - figure.range.low) + 1e-12;
      if (change.matter == Matter::must_not) {
        SwayRow row{std::string(change.name), &figure, sway_of(scores_of(pairs), options), {}};
        row.could_rise = std::ranges::count_if(pairs, [&](const Paired& pair) {
          const double best = figure.lower_is_better ? figure.range.low : figure.range.high;
          return std::fabs(best - pair.scores.first) > far;
        });
        row.counted = change.adds_statements && figure.counts_statements;
        for (const Paired& pair : pairs) {
          const double move = pair.scores.changed - pair.scores.first;
          const bool fell = figure.lower_is_better ? move > 0 : move < 0;
          if (std::fabs(move) > far && !(row.counted && fell))
            result.moved.push_back(moved_case(pair, change, figure));
        }
        result.swayed.push_back(std::move(row));
        continue;
      }
      const auto better = figure.lower_is_better ? BetterScore::lower : BetterScore::higher;
      result.noticed.push_back(
          {std::string(change.name), &figure, notice_of(scores_of(pairs), better, options)});
      for (const Paired& pair : pairs) {
        // Those that count and did not fall.
        const Notice alone = notice_of(std::vector{pair.scores}, better, options);
        if (alone.n == 1 && alone.noticed.count == 0)
          result.missed.push_back(moved_case(pair, change, figure));
      }
    }
  }
  for (const JudgedFigure& figure : plan.figures) {
    if (figure.both_orders) {
      if (auto row = seats_of(cases, figure)) result.swayed.push_back(std::move(*row));
    }
    result.own.emplace_back(&figure, own_moves(cases, figure, plan.moved));
  }
  adjust(result.swayed);
  std::ranges::sort(result.moved, [](const MovedCase& a, const MovedCase& b) {
    const auto order = [](const MovedCase& one) {
      return std::tuple(-std::fabs(one.changed - (one.unchanged + one.again) / 2), std::string_view(one.id),
                        std::string_view(one.change), std::string_view(one.metric));
    };
    return order(a) < order(b);
  });
  return result;
}

std::string stress_csv(const StressPlan& plan, const StressedCases& cases) {
  std::string csv;
  append_csv_row(csv, {"case", "change", "metric", "unchanged", "again", "changed"});
  const auto cell = [](std::optional<double> score) { return score ? number_text(*score) : std::string(); };
  for (const StressedCase& one : cases.list()) {
    for (const JudgedFigure& figure : plan.figures) {
      for (const auto& [change, judged] : one.judged) {
        if (change == kUnchanged || change == kAgain) continue;
        append_csv_row(csv,
                       {one.id, change, figure.metric, cell(score_of(one, kUnchanged, figure.name)),
                        cell(score_of(one, kAgain, figure.name)), cell(score_of(one, change, figure.name))});
      }
    }
  }
  return csv;
}

}  // namespace assay::stress
