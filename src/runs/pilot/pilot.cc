#include "runs/pilot/pilot.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "engine/case.h"
#include "net/event_loop.h"
#include "runs/labels/run_kinds.h"
#include "runs/pilot/pilot_votes.h"
#include "stats/intervals/mean.h"
#include "store/run_store.h"

namespace assay {
namespace {

constexpr std::size_t kPage = 512;

double mean_of(const VotedCase& one) {
  Moments answers;
  for (const std::vector<double>& votes : one.answers) {
    Moments all;
    for (const double vote : votes) all.add(vote);
    answers.add(*all.mean());
  }
  return *answers.mean();
}

struct Costs {
  std::int64_t answer_picousd = 0;
  std::int64_t vote_picousd = 0;
  std::int64_t answer_requests = 0;
  std::int64_t vote_requests = 0;
  bool known = true;
};

// Whether what this case took counts. The index of a benchmark's run is a digest, and nothing is beside it.
bool counts(const OutcomeRow& row, std::string_view evaluation, const std::set<std::string>& runs) {
  return evaluation == labels::kBenchmark ? runs.contains(row.case_id) : !is_beside(row.case_index);
}

// All outlive the task.
Task<Result<Costs>> costs_of(RunStore& store, const std::string& evaluation, const PilotFigure& figure,
                             const std::set<std::string>& runs) {
  Costs costs;
  for (std::int64_t first = 0;;) {
    auto page = co_await store.outcomes(first, kPage);
    if (!page) co_return fail(std::move(page.error()));
    for (const OutcomeRow& row : *page) {
      if (!counts(row, evaluation, runs)) continue;
      auto effects = co_await store.effects_of(row.case_index, Requests::left_out);
      if (!effects) co_return fail(std::move(effects.error()));
      for (const EffectRow& effect : *effects) {
        const PilotShare share = pilot_share(evaluation, effect.key.step, figure);
        if (share == PilotShare::nothing) continue;
        // What an earlier run had paid for cost nothing here, and would cost something in another run.
        costs.known = costs.known && effect.cost_picousd && !effect.reused;
        const bool vote = share == PilotShare::vote;
        (vote ? costs.vote_picousd : costs.answer_picousd) += effect.cost_picousd.value_or(0);
        (vote ? costs.vote_requests : costs.answer_requests) += effect.tries;
      }
    }
    if (page->size() < kPage) co_return costs;
    first = page->back().case_index + 1;
  }
}

double answers_in(const std::vector<VotedCase>& cases) {
  double answers = 0;
  for (const VotedCase& one : cases) answers += static_cast<double>(one.answers.size());
  return answers;
}

void add_costs(const Costs& costs, double votes, Pilot& pilot) {
  const double answers = answers_in(pilot.cases);
  if (answers == 0) return;
  pilot.answer_requests = static_cast<double>(costs.answer_requests) / answers;
  pilot.vote_requests = static_cast<double>(costs.vote_requests) / votes;
  if (!costs.known) return;
  pilot.answer_usd = static_cast<double>(costs.answer_picousd) / 1e12 / answers;
  pilot.vote_usd = static_cast<double>(costs.vote_picousd) / 1e12 / votes;
}

// The same figure of another system, which shows how much the difference of two varies.
const PilotFigure* other_of(const std::vector<PilotFigure>& figures, const PilotFigure& chosen) {
  if (chosen.system.empty() || !chosen.against.empty()) return nullptr;
  const std::size_t at = chosen.name.rfind(chosen.system);
  for (const PilotFigure& one : figures) {
    std::string name = chosen.name;
    if (at == std::string::npos || one.system.empty() || one.system == chosen.system) continue;
    if (one.name == name.replace(at, chosen.system.size(), one.system)) return &one;
  }
  return nullptr;
}

Result<PilotFigure> chosen_figure(const std::vector<PilotFigure>& figures, const std::string& wanted) {
  if (wanted.empty()) return figures.front();
  const auto at = std::ranges::find(figures, wanted, &PilotFigure::name);
  if (at != figures.end()) return *at;
  std::vector<std::string> names;
  std::ranges::transform(figures, std::back_inserter(names), &PilotFigure::name);
  const auto guess = nearest(wanted, names);
  return fail(ErrorKind::usage,
              guess ? fmt::format("no plan can be made for {}; did you mean {}?", wanted, *guess)
                    : fmt::format("no plan can be made for {}, but for {}", wanted, join(names, ", ")));
}

}  // namespace

Result<Pilot> read_pilot(const std::string& directory, const std::string& figure) {
  auto run = labels::read_judged_run(directory);
  if (!run) return fail(std::move(run.error()));
  const auto figures = pilot_figures(*run);
  if (!figures) return fail(figures.error());
  const auto chosen = chosen_figure(*figures, figure);
  if (!chosen) return fail(chosen.error());
  if (!RunStore::holds_run(directory)) {
    return fail(Error{ErrorKind::data,
                      "no plan: the journal of the run is gone, which tells what answers and votes take",
                      {{"directory", directory}}});
  }
  auto store = RunStore::open(directory, nullptr);
  if (!store) return fail(std::move(store.error()));
  EventLoop loop;
  auto read = pilot_cases(*run, *chosen, loop, **store);
  if (!read) return fail(std::move(read.error()));
  Pilot pilot;
  pilot.evaluation = run->evaluation;
  pilot.figure = chosen->name;
  for (const PilotFigure& one : *figures) pilot.figures.push_back(one.name);
  pilot.compares = !chosen->against.empty();
  pilot.simulated = run->scores.summary.simulated;
  const auto& metrics = run->scores.summary.metrics;
  if (const auto metric = std::ranges::find(metrics, pilot.figure, &Metric::name); metric != metrics.end())
    pilot.form = metric->form;
  if (const PilotFigure* other = other_of(*figures, *chosen)) {
    const auto others = pilot_cases(*run, *other, loop, **store);
    if (!others) return fail(others.error());
    pilot.other_figure = other->name;
    std::map<std::string_view, double> means;
    for (const auto& [id, one] : others->cases) means.emplace(id, mean_of(one.scores));
    Moments differences;
    for (const auto& [id, one] : read->cases) {
      if (const auto same = means.find(id); same != means.end())
        differences.add(mean_of(one.scores) - same->second);
    }
    if (const auto deviation = differences.sample_deviation())
      pilot.difference_variance = *deviation * *deviation;
  }
  double votes = 0;
  for (auto& [id, one] : read->cases) {
    votes += one.votes;
    pilot.cases.push_back(std::move(one.scores));
  }
  const double answers = answers_in(pilot.cases);
  if (chosen->by_majority && votes > answers) pilot.verdict_votes = votes / answers;
  const auto costs = loop.run_until_done(costs_of(**store, run->evaluation, *chosen, read->runs));
  if (!costs) return fail(costs.error());
  add_costs(*costs, votes, pilot);
  return pilot;
}

JudgingPilot judging_pilot(const Pilot& pilot, std::int64_t available) {
  return {.figure = pilot.figure,
          .spread = pilot.verdict_votes ? verdict_spread(pilot.cases, *pilot.verdict_votes)
                                        : vote_spread(pilot.cases),
          .costs = {pilot.answer_usd, pilot.vote_usd, pilot.answer_requests, pilot.vote_requests},
          .difference_variance = pilot.difference_variance,
          .compares = pilot.compares,
          // A benchmark's cases are runs: several are answers to one.
          .available = pilot.evaluation == labels::kBenchmark ? 0 : available,
          .simulated = pilot.simulated};
}

}  // namespace assay
