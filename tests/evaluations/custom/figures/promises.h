// Do comparisons of variants keep their promises over many simulated runs? The figures of 1,000 of them stand
// in docs/custom_statistics.md; tests run fewer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "evaluations/custom/figures/differences.h"
#include "tests/evaluations/custom/figures/marked.h"

namespace assay::custom {

struct SimulatedRun {
  int clusters = 20;
  int cases_each = 3;  // at most that many, if sizes vary
  bool sizes_vary = false;
  bool declared = true;  // the clusters are
  int repeats = 3;
  int variants = 3;
  double effect = 0;  // of every variant but the first: on rates, and on the score's scale divided by 4
};

// Two yes/no metrics, one rare failure and one even, and a rating of 1 to 5. Cases of a cluster are alike,
// and so is what a variant makes of them: without that the cluster would not matter to a difference.
inline std::vector<Marked> simulated_cases(const SimulatedRun& run, std::uint64_t seed) {
  std::vector<Marked> cases;
  Random random = Random::keyed("custom promises", seed);
  for (int c = 0; c < run.clusters; ++c) {
    const double hardness = random.uniform();
    std::vector<double> suits;
    suits.reserve(static_cast<std::size_t>(run.variants));
    for (int v = 0; v < run.variants; ++v) suits.push_back(random.uniform() - 0.5);
    const int size =
        run.sizes_vary ? 1 + static_cast<int>(random.below(2 * run.cases_each - 1)) : run.cases_each;
    for (int i = 0; i < size; ++i) {
      const double own = random.uniform() - 0.5;
      Marked one;
      one.cluster = run.declared ? std::to_string(c) : "";
      for (int v = 0; v < run.variants; ++v) {
        const double gain = v == 0 ? 0 : run.effect;
        const double fit = suits[static_cast<std::size_t>(v)];
        const double case_fit = random.uniform() - 0.5;
        one.answers.emplace_back();
        for (int r = 0; r < run.repeats; ++r) {
          // All within 0 … 1, so that the expected difference is the effect itself.
          const double even = 0.4 + 0.2 * hardness + 0.2 * own + 0.2 * fit + 0.1 * case_fit + gain;
          const double rare = 0.8 + 0.05 * hardness + 0.05 * own + 0.05 * fit + gain / 2;
          const double tone =
              3 + hardness + 0.6 * own + 0.8 * fit + 0.4 * case_fit + 0.4 * random.normal() + 4 * gain;
          one.answers.back().push_back(answered(
              {given(random.uniform() < even ? 1 : 0), given(random.uniform() < rare ? 1 : 0), given(tone)}));
        }
      }
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

inline Design simulated_design(const SimulatedRun& run) {
  Design design;
  for (int v = 0; v < run.variants; ++v) design.variants.push_back(v == 0 ? "base" : "v" + std::to_string(v));
  design.baseline = 0;
  design.repeats = run.repeats;
  design.metrics = {yes_no("even"), yes_no("rare"), rating("tone")};
  return design;
}

struct Promises {
  int runs = 0;
  int claims = 0;  // runs in which any difference is claimed after Holm
  // Intervals of the differences of the first variant, by metric: how many there are and hold the effect.
  int even_held = 0;
  int rare_held = 0;
  int tone_held = 0;
  int claimed_even = 0;  // of the first variant
};

inline Promises promises(const SimulatedRun& run, int runs, std::uint64_t first_seed = 1) {
  const Measures measures(simulated_design(run));
  Promises kept;
  kept.runs = runs;
  for (int i = 0; i < runs; ++i) {
    CaseTable table(measures);
    Case input;
    for (Marked& one : simulated_cases(run, first_seed + static_cast<std::uint64_t>(i))) {
      CaseMarks marks;
      marks.answers = std::move(one.answers);
      input.cluster = one.cluster;
      table.add(input, marks, OutcomeKind::infra_failed);
    }
    bool claimed = false;
    for (const Comparison& comparison : compare_variants(table, table.rows())) {
      const auto verdict = comparison.verdict();
      const bool found = verdict == Comparison::Verdict::better || verdict == Comparison::Verdict::worse;
      claimed = claimed || found;
      if (comparison.variant != "v1") continue;
      const auto held = [&](double effect) {
        const auto& ci = comparison.difference.ci;
        return ci && ci->low <= effect && effect <= ci->high ? 1 : 0;
      };
      if (comparison.metric == "even") {
        kept.even_held += held(run.effect);
        kept.claimed_even += found ? 1 : 0;
      }
      if (comparison.metric == "rare") kept.rare_held += held(run.effect / 2);
      if (comparison.metric == "tone") kept.tone_held += held(4 * run.effect);
    }
    kept.claims += claimed ? 1 : 0;
  }
  return kept;
}

}  // namespace assay::custom
