// How often is a judge that has not changed said to have, and how soon is one found that has? The tables of
// docs/drift.md:
//
//   cmake build -DASSAY_BENCH=ON && ninja -C build drift_promises && build/bench/drift_promises 1000
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "stats/sequential/drift.h"

namespace {

using namespace assay;

// A judge of anchors: pass or fail with a chance of each anchor's own, or levels 0, 0.25, … 1 with noise.
struct Judge {
  std::string_view name;
  bool levels = false;
  double noise = 0;  // of pass or fail: how far the chances are from 0 and 1; of levels: standard deviation
};

struct Anchor {
  double level = 0;  // chance of a pass, or the level without noise
  double label = 0;
};

std::vector<Anchor> anchors_of(const Judge& judge, int count, Random& random) {
  std::vector<Anchor> anchors;
  for (int i = 0; i < count; ++i) {
    const bool good = random.uniform() < 0.6;
    if (judge.levels) {
      const double level = std::clamp(0.6 + 0.3 * random.normal(), 0.0, 1.0);
      anchors.push_back({level, std::round(level * 4) / 4});
    } else {
      const double away = judge.noise * random.uniform();
      anchors.push_back({good ? 1 - away : away, good ? 1.0 : 0.0});
    }
  }
  return anchors;
}

enum class Change { none, kinder, noisier };

double score(const Judge& judge, const Anchor& anchor, Change change, double size, Random& random) {
  if (judge.levels) {
    const double moved = anchor.level + (change == Change::kinder ? size : 0) +
                         (judge.noise + (change == Change::noisier ? size : 0)) * random.normal();
    return std::clamp(std::round(moved * 4) / 4, 0.0, 1.0);
  }
  double chance = anchor.level;
  // So many of the answers come to pass, or are given at random.
  if (change == Change::kinder) chance += (1 - chance) * size;
  if (change == Change::noisier) chance = chance * (1 - size) + 0.5 * size;
  return random.uniform() < chance ? 1 : 0;
}

DriftCourse watched(const Judge& judge, int anchors, int runs, int changed, Change change, double size,
                    Random& random) {
  const std::vector<Anchor> all = anchors_of(judge, anchors, random);
  std::vector<std::vector<double>> scores;
  std::vector<double> labels;
  for (const Anchor& one : all) labels.push_back(one.label);
  for (int t = 0; t < runs; ++t) {
    std::vector<double>& run = scores.emplace_back();
    for (const Anchor& one : all)
      run.push_back(score(judge, one, t >= changed ? change : Change::none, size, random));
  }
  return watch_drift(scores, labels);
}

constexpr Judge kJudges[] = {{"pass or fail, always the same", false, 0},
                             {"pass or fail, 1 in 20 by chance", false, 0.1},
                             {"pass or fail, 1 in 5 by chance", false, 0.4},
                             {"five levels, noise 0.1", true, 0.1},
                             {"five levels, noise 0.25", true, 0.25}};

// Of the mean score, where it follows from the chances alone.
double true_shift(const Judge& judge, double size) {
  const double passes = 0.6 * (1 - judge.noise / 2) + 0.4 * judge.noise / 2;
  return (1 - passes) * size;
}

}  // namespace

int main(int argc, char** argv) {
  const int sequences = argc > 1 ? std::max(1, std::atoi(argv[1])) : 100;
  std::printf("False alarms in %d sequences of 1,001 runs (1,000 looks) without any change:\n\n", sequences);
  std::printf("| judge | 30 anchors | 100 anchors |\n| --- | --- | --- |\n");
  for (const Judge& judge : kJudges) {
    std::printf("| %s |", judge.name.data());
    for (const int anchors : {30, 100}) {
      int alarms = 0;
      for (int i = 0; i < sequences; ++i) {
        Random random = Random::keyed("quiet", judge.name, anchors * 100'000 + i);
        alarms += watched(judge, anchors, 1001, 1001, Change::none, 0, random).drifts.empty() ? 0 : 1;
      }
      std::printf(" %.1f %% |", 100.0 * alarms / sequences);
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  std::printf("\nA change after 10 runs, 50 anchors, %d sequences of 40 runs:\n\n", sequences);
  std::printf(
      "| judge | change | found after 1 run | within 5 | within 20 | too early | run named ±1 | "
      "a second one | interval holds it |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  struct Size {
    Change change;
    double size;
    const char* words;
  };
  for (const Judge& judge : kJudges) {
    for (const Size& size :
         {Size{Change::kinder, 0.1, "kinder by 0.1"}, Size{Change::kinder, 0.2, "kinder by 0.2"},
          Size{Change::kinder, 0.4, "kinder by 0.4"}, Size{Change::noisier, 0.2, "noisier by 0.2"}}) {
      int first = 0;
      int five = 0;
      int twenty = 0;
      int early = 0;
      int near = 0;
      int again = 0;
      int held = 0;
      int after = 0;
      constexpr int kChanged = 10;
      for (int i = 0; i < sequences; ++i) {
        Random random =
            Random::keyed("changed", judge.name, static_cast<int>(size.size * 1000) * 100'000 + i);
        const auto course = watched(judge, 50, 40, kChanged, size.change, size.size, random);
        if (course.drifts.empty()) continue;
        const Drift& drift = course.drifts.front();
        const int found = static_cast<int>(drift.found);
        if (found < kChanged) {
          ++early;
          continue;
        }
        first += found == kChanged ? 1 : 0;
        five += found < kChanged + 5 ? 1 : 0;
        twenty += found < kChanged + 20 ? 1 : 0;
        near += std::abs(static_cast<int>(drift.changed) - kChanged) <= 1 ? 1 : 0;
        again += course.drifts.size() > 1 ? 1 : 0;
        const double truth = true_shift(judge, size.size);
        ++after;
        held += drift.shift.ci && drift.shift.ci->low <= truth && truth <= drift.shift.ci->high ? 1 : 0;
      }
      const auto percent = [&](int count) { return 100.0 * count / sequences; };
      std::printf("| %s | %s | %.0f %% | %.0f %% | %.0f %% | %.1f %% | %.0f %% | %.1f %% |",
                  judge.name.data(), size.words, percent(first), percent(five), percent(twenty),
                  percent(early), percent(near), percent(again));
      if (judge.levels || size.change != Change::kinder || after == 0) {
        std::printf(" |\n");
      } else {
        std::printf(" %.1f %% |\n", 100.0 * held / after);
      }
      std::fflush(stdout);
    }
  }
  return 0;
}
