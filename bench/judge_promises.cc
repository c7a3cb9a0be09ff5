// How often do the intervals of variance components hold the truth, and how often does a run that was planned
// from a pilot reach the width that was wanted? The tables of docs/judge_noise.md:
//
//   cmake build -DASSAY_BENCH=ON && ninja -C build judge_promises && build/bench/judge_promises 400
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/random.h"
#include "stats/variance/nested_design.h"
#include "stats/variance/variance_components.h"
#include "stats/variance/vote_spread.h"

namespace {

using namespace assay;

struct Truth {
  double of_case = 0.04;
  double of_answer = 0.02;
  double of_vote = 0.02;
};

std::vector<VotedCase> drawn(const Truth& truth, std::int64_t cases, std::int64_t answers, std::int64_t votes,
                             Random& random) {
  std::vector<VotedCase> all;
  for (std::int64_t i = 0; i < cases; ++i) {
    VotedCase one;
    const double level = 0.6 + std::sqrt(truth.of_case) * random.normal();
    for (std::int64_t k = 0; k < answers; ++k) {
      const double answer = level + std::sqrt(truth.of_answer) * random.normal();
      std::vector<double>& given = one.answers.emplace_back();
      for (std::int64_t v = 0; v < votes; ++v)
        given.push_back(answer + std::sqrt(truth.of_vote) * random.normal());
    }
    all.push_back(std::move(one));
  }
  return all;
}

bool holds(const Estimate& estimate, double value) {
  return estimate.ci && estimate.ci->low <= value && value <= estimate.ci->high;
}

double share(int held, int runs) {
  return 100.0 * held / runs;
}

// The same with votes of yes or no: a case passes with a chance between 0 and 1, its answers with 0.15 more
// or less. Then the variance of a vote is the mean of p(1 − p), and so on.
constexpr double kMore = 0.15;
std::vector<VotedCase> drawn_yes_or_no(std::int64_t cases, Random& random) {
  std::vector<VotedCase> all(static_cast<std::size_t>(cases));
  for (VotedCase& one : all) {
    const double level = kMore + (1 - 2 * kMore) * random.uniform();
    for (int answer = 0; answer < 2; ++answer) {
      const double chance = level + (random.uniform() < 0.5 ? kMore : -kMore);
      one.answers.push_back({random.uniform() < chance ? 1.0 : 0.0, random.uniform() < chance ? 1.0 : 0.0});
    }
  }
  return all;
}
Truth truth_of_yes_or_no() {
  const double width = 1 - 2 * kMore;
  const double of_case = width * width / 12;
  const double of_answer = kMore * kMore;
  return {of_case, of_answer, 0.25 - of_case - of_answer};
}

void print_nested_votes(int runs, const Resampling& resampling) {
  std::printf("Components' 95 %% intervals that hold the truth, of %d pilots (2 answers of 2 votes):\n\n",
              runs);
  std::printf("| cases | case | answer | vote | yes or no: case | answer | vote |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const std::int64_t cases : {15, 30, 60, 120, 300}) {
    std::printf("| %lld |", static_cast<long long>(cases));
    for (const bool binary : {false, true}) {
      const Truth truth = binary ? truth_of_yes_or_no() : Truth{};
      int held[3] = {0, 0, 0};
      for (int run = 0; run < runs; ++run) {
        Random random = Random::keyed("components", cases, run);
        const VoteSpread spread = vote_spread(
            binary ? drawn_yes_or_no(cases, random) : drawn(truth, cases, 2, 2, random), resampling);
        held[0] += holds(spread.of_case, truth.of_case) ? 1 : 0;
        held[1] += holds(spread.of_answer, truth.of_answer) ? 1 : 0;
        held[2] += holds(spread.of_vote, truth.of_vote) ? 1 : 0;
      }
      for (const int held_of_one : held) std::printf(" %.1f %% |", share(held_of_one, runs));
    }
    std::printf("\n");
  }
}

// Every persona judges every item: item 0.04, persona 0.02, residual 0.03. The personas are those of the run;
// their component is held against the variance of those that were drawn.
void print_crossed(int runs, const Resampling& resampling) {
  std::printf("\nEvery persona judges every item:\n\n");
  std::printf("| items | personas | item | persona | residual | reliability of the panel |\n");
  std::printf("| --- | --- | --- | --- | --- | --- |\n");
  for (const int personas : {3, 8}) {
    for (const int items : {15, 30, 60, 120}) {
      int held[4] = {0, 0, 0, 0};
      for (int run = 0; run < runs; ++run) {
        Random random = Random::keyed("crossed", personas, items, run);
        std::vector<double> kind(static_cast<std::size_t>(personas));
        double mean = 0;
        for (double& one : kind) mean += (one = std::sqrt(0.02) * random.normal()) / personas;
        double spread_of_kind = 0;
        for (const double one : kind) spread_of_kind += std::pow(one - mean, 2) / (personas - 1);
        CrossedDesign design({"item", "persona"});
        for (int item = 0; item < items; ++item) {
          const double level = std::sqrt(0.04) * random.normal();
          for (int persona = 0; persona < personas; ++persona)
            design.add({std::to_string(item), std::to_string(persona)},
                       level + kind[static_cast<std::size_t>(persona)] + std::sqrt(0.03) * random.normal());
        }
        const GStudy study = g_study(design, resampling);
        held[0] += holds(study.components[0].variance, 0.04) ? 1 : 0;
        held[1] += holds(study.components[1].variance, spread_of_kind) ? 1 : 0;
        held[2] += holds(study.components[2].variance, 0.03) ? 1 : 0;
        const Panel panel{{static_cast<std::size_t>(personas)}, 1};
        held[3] += holds(d_study(design, panel, resampling).generalizability, 0.04 / (0.04 + 0.03 / personas))
                       ? 1
                       : 0;
      }
      std::printf("| %d | %d |", items, personas);
      for (const int held_of_one : held) std::printf(" %.1f %% |", share(held_of_one, runs));
      std::printf("\n");
    }
  }
}

// Three evaluators rate two runs of each query: query 0.04, run 0.02, query × evaluator 0.01, residual 0.02.
void print_evaluators(int runs, const Resampling& resampling) {
  std::printf("\nThe same three evaluators rate both answers to every query:\n\n");
  std::printf("| queries | query | run | query × evaluator | residual | reliability |\n");
  std::printf("| --- | --- | --- | --- | --- | --- |\n");
  for (const std::size_t queries : {15, 30, 60, 120}) {
    int held[5] = {0, 0, 0, 0, 0};
    for (int run = 0; run < runs; ++run) {
      Random random = Random::keyed("evaluators", queries, run);
      NestedScores scores;
      const double kind[3] = {0.1 * random.normal(), 0.1 * random.normal(), 0.1 * random.normal()};
      for (std::size_t query = 0; query < queries; ++query) {
        const double level = 0.2 * random.normal();
        const double tastes[3] = {0.1 * random.normal(), 0.1 * random.normal(), 0.1 * random.normal()};
        for (int answer = 0; answer < 2; ++answer) {
          const double of_run = std::sqrt(0.02) * random.normal();
          for (int by = 0; by < 3; ++by)
            scores[{query, answer, by}] =
                level + tastes[by] + of_run + kind[by] + std::sqrt(0.02) * random.normal();
        }
      }
      const NestedStudy study = nested_study(scores, resampling);
      for (const NestedComponent& component : study.components) {
        held[0] += component.name == "query" && holds(component.variance, 0.04) ? 1 : 0;
        held[1] += component.name == "run" && holds(component.variance, 0.02) ? 1 : 0;
        held[2] += component.name == "query×evaluator" && holds(component.variance, 0.01) ? 1 : 0;
        held[3] += component.name == "residual" && holds(component.variance, 0.02) ? 1 : 0;
      }
      held[4] += holds(study.reliability, 0.04 / (0.04 + 0.02 / 2 + 0.01 / 3 + 0.02 / 6)) ? 1 : 0;
    }
    std::printf("| %zu |", queries);
    for (const int held_of_one : held) std::printf(" %.1f %% |", share(held_of_one, runs));
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 100;
  const Truth truth;
  Resampling resampling;
  resampling.draws = 1'000;
  print_nested_votes(runs, resampling);
  print_crossed(runs, resampling);
  print_evaluators(runs, resampling);
  std::printf(
      "\nRuns planned for ±0.03 from a pilot (2 answers of 2 votes), then run with 1 answer of 2 votes:\n\n");
  std::printf(
      "| pilot | planned cases, middle 80 %% | reached ±: middle 80 %% | within ±0.033 |\n"
      "| --- | --- | --- | --- |\n");
  resampling.draws = 0;
  for (const std::int64_t cases : {15, 30, 60, 120}) {
    std::vector<double> planned;
    std::vector<double> reached;
    for (int run = 0; run < runs; ++run) {
      Random random = Random::keyed("planned", cases, run);
      const VoteSpread pilot = vote_spread(drawn(truth, cases, 2, 2, random), resampling);
      const auto size = cases_for_half_width(pilot, 0.03, 1, 2);
      if (!size) continue;
      const VoteSpread real =
          vote_spread(drawn(truth, std::max<std::int64_t>(*size, 3), 1, 2, random), resampling);
      planned.push_back(static_cast<double>(*size));
      reached.push_back(expected_half_width(real, {real.cases, 1, 2}));
    }
    std::ranges::sort(planned);
    std::ranges::sort(reached);
    const auto at = [](const std::vector<double>& list, double share) {
      return list[static_cast<std::size_t>(share * static_cast<double>(list.size() - 1))];
    };
    const auto within = std::ranges::count_if(reached, [](double width) { return width <= 0.033; });
    std::printf("| %lld cases | %.0f to %.0f | %.4f to %.4f | %.0f %% |\n", static_cast<long long>(cases),
                at(planned, 0.1), at(planned, 0.9), at(reached, 0.1), at(reached, 0.9),
                100.0 * static_cast<double>(within) / static_cast<double>(reached.size()));
  }
  return 0;
}
