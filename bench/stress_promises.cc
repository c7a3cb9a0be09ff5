// How often does a stress test accuse an immune judge, and how often does it find a weak one? The tables of
// docs/stress.md:
//
//   cmake build -DASSAY_BENCH=ON && ninja -C build stress_promises && build/bench/stress_promises 1000
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/random.h"
#include "stats/comparisons/adjust.h"
#include "stats/judging/sway.h"

namespace {

using namespace assay;

constexpr int kChanges = 8;  // that must not matter

enum class Scale { yes_no, levels, score };

struct Judge {
  Scale scale = Scale::yes_no;
  double noise = 0.1;  // yes or no: share of verdicts that are turned round; else the deviation of a score
  double sway = 0;     // share of cases whose score a weak judge lifts to the best
};

double clamped(double value) {
  return std::clamp(value, 0.0, 1.0);
}

double judged(double truth, const Judge& judge, Random& random) {
  switch (judge.scale) {
    case Scale::yes_no:
      return (truth >= 0.5) != (random.uniform() < judge.noise) ? 1 : 0;
    case Scale::levels:
      return std::round(clamped(truth + judge.noise * random.normal()) * 4) / 4;
    default:
      return clamped(truth + judge.noise * random.normal());
  }
}

std::vector<JudgedThrice> cases_of(int n, const Judge& judge, double sway, Random& random) {
  std::vector<JudgedThrice> cases;
  for (int i = 0; i < n; ++i) {
    // About half of the answers are bad, so that a weak judge has something to lift.
    const double truth = clamped(0.5 + 0.3 * random.normal());
    JudgedThrice one;
    one.changed = random.uniform() < sway ? 1 : judged(truth, judge, random);
    one.first = judged(truth, judge, random);
    one.again = judged(truth, judge, random);
    cases.push_back(one);
  }
  return cases;
}

struct Told {
  double accused = 0;  // runs that accuse the judge of something that it is not
  double found = 0;    // runs that find what it is
};

// One weak change (if any) among the others, for so many metrics of the judge.
Told tell(int runs, int n, int metrics, const Judge& judge) {
  Told told;
  for (int run = 0; run < runs; ++run) {
    Random random = Random::keyed("stress", run, n, metrics, static_cast<int>(judge.scale),
                                  static_cast<int>(1000 * judge.sway), static_cast<int>(1000 * judge.noise));
    std::vector<std::optional<double>> p;
    for (int metric = 0; metric < metrics; ++metric) {
      for (int change = 0; change < kChanges; ++change) {
        const double sway = change == 0 && metric == 0 ? judge.sway : 0;
        const auto cases = cases_of(n, judge, sway, random);
        const Sway one =
            sway_of(cases, {.draws = 4000, .random = Random::keyed("draws", run, metric, change)});
        p.push_back(one.p);
      }
    }
    const auto adjusted = holm(p);
    bool accused = false;
    for (std::size_t i = judge.sway > 0 ? 1 : 0; i < adjusted.size(); ++i)
      accused = accused || *adjusted[i] <= 0.05;
    told.accused += accused ? 1 : 0;
    told.found += judge.sway > 0 && *adjusted[0] <= 0.05 ? 1 : 0;
  }
  told.accused /= runs;
  told.found /= runs;
  return told;
}

void accusations(int runs) {
  std::printf(
      "| cases | yes or no, 10 %% noise | the same, 4 metrics | yes or no, 25 %% | levels 1 to 5 | scores |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  for (const int n : {10, 20, 40, 80}) {
    std::printf("| %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", n,
                100 * tell(runs, n, 1, {Scale::yes_no, 0.1}).accused,
                100 * tell(runs, n, 4, {Scale::yes_no, 0.1}).accused,
                100 * tell(runs, n, 1, {Scale::yes_no, 0.25}).accused,
                100 * tell(runs, n, 1, {Scale::levels, 0.15}).accused,
                100 * tell(runs, n, 1, {Scale::score, 0.1}).accused);
  }
}

void power(int runs) {
  std::printf("\n| a weak judge lifts | 10 cases | 20 | 40 | 80 |\n| --- | --- | --- | --- | --- |\n");
  for (const auto& [what, scale, noise] :
       {std::tuple{"yes or no", Scale::yes_no, 0.1}, {"levels", Scale::levels, 0.15}}) {
    for (const double sway : {0.2, 0.4, 0.6, 0.9}) {
      std::printf("| %.0f %% of cases, %s |", 100 * sway, what);
      for (const int n : {10, 20, 40, 80})
        std::printf(" %.0f %% |", 100 * tell(runs, n, 2, {scale, noise, sway}).found);
      std::printf("\n");
    }
  }
}

// A fault that the judge sees in this share of the cases: it then gives the worst score.
void faults(int runs) {
  std::printf(
      "\n| noticed in truth | cases | \"notices\" | \"overlooks\" | interval holds the truth |\n"
      "| --- | --- | --- | --- | --- |\n");
  for (const double sees : {0.0, 0.1, 0.5, 0.8, 0.95}) {
    for (const int n : {10, 20, 40}) {
      double noticed = 0;
      double overlooked = 0;
      double covered = 0;
      const Judge judge{Scale::yes_no, 0.05};
      for (int run = 0; run < runs; ++run) {
        Random random = Random::keyed("fault", run, n, static_cast<int>(100 * sees));
        std::vector<JudgedThrice> cases;
        for (int i = 0; i < n; ++i) {
          JudgedThrice one;
          one.changed = judged(random.uniform() < sees ? 0 : 1, judge, random);
          one.first = judged(1, judge, random);
          one.again = judged(1, judge, random);
          cases.push_back(one);
        }
        const Notice notice = notice_of(cases, BetterScore::higher, {});
        noticed += notice.verdict == Notice::Verdict::noticed ? 1 : 0;
        overlooked += notice.verdict == Notice::Verdict::overlooked ? 1 : 0;
        const double truth = sees * 0.95 + (1 - sees) * 0.05;
        covered +=
            notice.noticed.ci && notice.noticed.ci->low <= truth && truth <= notice.noticed.ci->high ? 1 : 0;
      }
      std::printf("| %.0f %% | %d | %.1f %% | %.1f %% | %.1f %% |\n", 100 * sees, n, 100 * noticed / runs,
                  100 * overlooked / runs, 100 * covered / runs);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1000;
  accusations(runs);
  power(runs);
  faults(runs);
}
