// How often do the tests of an experiment's analysis claim a winner where there is none, with everything
// there and with answers or judgements missing? The tables of docs/experiment_analysis.md:
//
//   cmake build -DASSAY_BENCH=ON && ninja -C build experiment_promises && build/bench/experiment_promises
//   1000
#include <cstdio>
#include <cstdlib>

#include "tests/evaluations/experiment/absence.h"
#include "tests/evaluations/experiment/promises.h"

namespace {

using namespace assay::experiment;

const char* words(Absence absence) {
  switch (absence) {
    case Absence::nothing:
      return "nothing";
    case Absence::at_random:
      return "one answer in seven of one condition, at random";
    case Absence::hard_queries:
      return "one condition's answers to the hardest quarter of queries";
    case Absence::judge_fails:
      return "every rating of one condition that would be 1 or 2";
  }
  return "";
}

double per_cent(int count, int of) {
  return 100.0 * count / of;
}

}  // namespace

int main(int argc, char** argv) {
  const int experiments = argc > 1 ? std::max(1, std::atoi(argv[1])) : 200;
  std::printf("False winners in %d experiments without any difference:\n\n", experiments);
  std::printf(
      "| what is missing | all against all | paired by query | declared |\n| --- | --- | --- | --- |\n");
  for (const Absence absence : kAbsences) {
    const FalseWinners found = false_winners(experiments, absence);
    std::printf("| %s | %.1f %% | %.1f %% | %.1f %% |\n", words(absence),
                per_cent(found.all_against_all, experiments), per_cent(found.paired, experiments),
                per_cent(found.declared, experiments));
  }
  std::printf("\nA true difference of 0.6 points, answers of one condition missing at random:\n\n");
  std::printf("| missing | declared | told, but not declared |\n| --- | --- | --- |\n");
  for (const int one_in : {0, 50, 20, 10, 5}) {
    const Found found = found_with_missing(experiments, one_in);
    std::printf("| %s%d | %.1f %% | %.1f %% |\n", one_in == 0 ? "" : "1 in ", one_in,
                per_cent(found.declared, experiments), per_cent(found.shaky, experiments));
  }
  const FalseAlarms alarms = false_alarms(experiments);
  std::printf(
      "\nNothing missing, conditions that suit some queries: ratings %d, Wilcoxon %d, Welch %d, "
      "Mann-Whitney %d, verdicts %d, sign test %d of %d\n",
      alarms.ratings, alarms.ratings_wilcoxon, alarms.ratings_welch, alarms.ratings_mann_whitney,
      alarms.verdicts, alarms.verdicts_sign, experiments);
  for (const auto& [name, held] : intervals_that_hold(experiments))
    std::printf("%s: %d of %d intervals hold\n", name.c_str(), held, experiments);
  return 0;
}
