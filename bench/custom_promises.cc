// How often does a comparison of variants claim a difference where there is none, and how often does a 95 %
// interval hold the true one? The tables of docs/custom_statistics.md:
//
//   cmake build -DASSAY_BENCH=ON && ninja -C build custom_promises && build/bench/custom_promises 1000
#include <cstdio>
#include <cstdlib>

#include "tests/evaluations/custom/figures/promises.h"

namespace {

using namespace assay::custom;

double per_cent(int count, int of) {
  return 100.0 * count / of;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 200;
  std::printf("Runs of %d that claim any difference, without an effect (3 variants, 3 metrics, Holm):\n\n",
              runs);
  std::printf("| cases | repeats | clusters declared | clusters not declared |\n| --- | --- | --- | --- |\n");
  for (const int repeats : {1, 3}) {
    for (const int clusters : {5, 8, 10, 20, 60}) {
      SimulatedRun run;
      run.clusters = clusters;
      run.repeats = repeats;
      const Promises declared = promises(run, runs);
      run.declared = false;
      std::printf("| %d in %d clusters | %d | %.1f %% | %.1f %% |\n", 3 * clusters, clusters, repeats,
                  per_cent(declared.claims, runs), per_cent(promises(run, runs).claims, runs));
    }
  }
  std::printf("\nIntervals of 95 %% that hold an effect of 10 points (rare: 5 points, rating: 0.4):\n\n");
  std::printf("| cases | repeats | even rate | high rate | rating |\n| --- | --- | --- | --- | --- |\n");
  for (const bool vary : {false, true}) {
    for (const int repeats : {1, 3}) {
      for (const int clusters : {5, 10, 20, 60}) {
        SimulatedRun run;
        run.clusters = clusters;
        run.repeats = repeats;
        run.effect = 0.1;
        run.sizes_vary = vary;
        const Promises kept = promises(run, runs, 100'000);
        std::printf("| %d clusters of %s | %d | %.1f %% | %.1f %% | %.1f %% |\n", clusters,
                    vary ? "1 to 5" : "3", repeats, per_cent(kept.even_held, runs),
                    per_cent(kept.rare_held, runs), per_cent(kept.tone_held, runs));
      }
    }
  }
  return 0;
}
