// Does a comparison name a winner because scores are missing? Simulates pairs of runs of equally good systems
// that lose scores in different ways (absence.h), and prints as Markdown how often the score is called better
// or worse: by the means of what each run has, by the pairs alone, and by `assay compare`; and how often
// failed.rate is called worse. Then the same for a system that really is worse. A minute on one core,
// the same figures on every machine.
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "absence.h"
#include "report/compare/compare.h"
#include "stats/comparisons/pairs.h"
#include "stats/comparisons/two_groups.h"

namespace {

using namespace assay;
using namespace assay::absence;

constexpr int kStudies = 2'000;
constexpr int kCases = 300;

bool told_apart(const Estimate& difference) {
  return difference.ci && (difference.ci->low > 0 || difference.ci->high < 0);
}

struct Tally {
  int means = 0;
  int pairs = 0;
  int compared = 0;
  int failures = 0;
};

Tally count(const Scenario& scenario, double gain) {
  Tally tally;
  for (int i = 0; i < kStudies; ++i) {
    const Study study = simulated(scenario, static_cast<std::uint64_t>(i), kCases, gain);
    std::vector<double> base;
    std::vector<double> fresh;
    std::vector<double> from;
    std::vector<double> to;
    for (std::size_t c = 0; c < study.base.cases.size(); ++c) {
      const auto& before = study.base.cases[c].scores[0];
      const auto& after = study.fresh.cases[c].scores[0];
      if (before) base.push_back(*before);
      if (after) fresh.push_back(*after);
      if (before && after) {
        from.push_back(*before);
        to.push_back(*after);
      }
    }
    tally.means += told_apart(welch_t(fresh, base).difference) ? 1 : 0;
    tally.pairs += told_apart(paired_t(to, from).difference) ? 1 : 0;
    const auto comparison = compare_runs(study.base, study.fresh, {});
    for (const FigureChange& change : comparison->figures) {
      const bool called = change.change == Change::better || change.change == Change::worse;
      if (change.figure == kFailedRate) {
        tally.failures += change.regression ? 1 : 0;
      } else {
        tally.compared += called ? 1 : 0;
      }
    }
  }
  return tally;
}

void print_table(const char* title, double gain) {
  fmt::print("{}, {} pairs of runs of {} cases\n\n", title, kStudies, kCases);
  fmt::print(
      "| what is missing | by the means | by the pairs alone | `assay compare` | failed.rate worse |\n"
      "| --- | --- | --- | --- | --- |\n");
  for (const Scenario& scenario : scenarios()) {
    const Tally tally = count(scenario, gain);
    const auto share = [](int times) { return fmt::format("{:.1f} %", 100.0 * times / kStudies); };
    fmt::print("| {} | {} | {} | {} | {} |\n", scenario.name, share(tally.means), share(tally.pairs),
               share(tally.compared), share(tally.failures));
  }
  fmt::print("\n");
}

}  // namespace

int main() {
  print_table("Equally good: how often the score is called better or worse", 0);
  print_table("Really worse, by 15 points: how often that is found", -0.15);
}
