// What do the designs of `assay label-sample` bring, and do the corrected figures' intervals hold with few
// labels? Cases with a judge that is calibrated, too kind, or says only yes or no; some of 2,000 are labelled
// and the figure is corrected. The tables of docs/human_labels.md:
//
//   cmake build -DASSAY_BENCH=ON && ninja -C build label_designs && build/bench/label_designs 2000
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "stats/agreement/human_labels.h"

namespace {

using namespace assay;

struct Kind {
  std::string_view name;
  double kindness = 0;  // added to the chance of a pass by the judge's score
  double sure = 1;      // how near 0 and 1 most scores are
  double yes_no = 0;    // above 0: it says only yes or no, and is right in this share
};
constexpr Kind kKinds[] = {{"calibrated, mostly sure", 0, 3, 0},
                           {"calibrated, often unsure", 0, 1, 0},
                           {"too kind by 0.1, mostly sure", -0.1, 3, 0},
                           {"yes or no only, right in 85 %", 0, 1, 0.85},
                           {"yes or no only, right in 95 %", 0, 1, 0.95}};

struct Population {
  std::vector<double> judge;
  std::vector<double> human;
  std::vector<std::string> names;
  double truth = 0;
};

Population drawn(const Kind& kind, Random& random) {
  Population all;
  for (int i = 0; i < 2'000; ++i) {
    double chance = 1 / (1 + std::exp(-(0.5 + kind.sure * 1.5 * random.normal())));
    double score = chance;
    if (kind.yes_no > 0) {
      score = random.uniform() < 0.7 ? 1 : 0;
      chance = score == 1 ? kind.yes_no : 1 - kind.yes_no;
    }
    const double label = random.uniform() < std::clamp(chance + kind.kindness, 0.0, 1.0) ? 1 : 0;
    all.judge.push_back(score);
    all.human.push_back(label);
    all.names.push_back(std::to_string(i));
    all.truth += label / 2'000;
  }
  return all;
}

// How often intervals hold the truth, how wide they are, and how often there is none.
struct Tally {
  int given = 0;
  int held = 0;
  double width = 0;
  void add(const Estimate& estimate, double truth) {
    if (!estimate.value || !estimate.ci) return;
    ++given;
    held += estimate.ci->low <= truth && truth <= estimate.ci->high ? 1 : 0;
    width += (estimate.ci->high - estimate.ci->low) / 2;
  }
  void print(int of) const {
    if (given == 0) {
      std::printf(" | | 100.0 %% |");
      return;
    }
    std::printf(" %.1f %% | %.3f | %.1f %% |", 100.0 * held / given, width / given,
                100.0 * (of - given) / of);
  }
};

// The first rows are labelled: rows are drawn by chance. Intervals as a run makes them.
void few_labels(const Kind& kind, std::size_t labels, int repeats) {
  Tally corrected;
  Tally people;
  Tally rates;
  for (int run = 0; run < repeats; ++run) {
    Random random = Random::keyed("few", kind.name, run);
    const Population all = drawn(kind, random);
    const std::span<const double> human(all.human.data(), labels);
    const std::span<const double> judge(all.judge.data(), labels);
    const auto others = std::span<const double>(all.judge).subspan(labels);
    const HumanLabelFigures figures =
        with_human_labels(human, judge, others,
                          {.interval = labels < 50 ? LabelInterval::student : LabelInterval::normal,
                           .one_of_each = kind.yes_no > 0});
    corrected.add(figures.ppi_plus_plus, all.truth);
    people.add(figures.human_only, all.truth);
    if (kind.yes_no == 0) continue;
    JudgeErrors errors;
    for (std::size_t i = 0; i < all.judge.size(); ++i) {
      ++errors.judged;
      errors.judged_pass += all.judge[i] == 1 ? 1 : 0;
      if (i >= labels) continue;
      const bool passes = all.human[i] == 1;
      ++(passes ? errors.human_pass : errors.human_fail);
      errors.human_pass_pass += passes && all.judge[i] == 1 ? 1 : 0;
      errors.human_fail_fail += !passes && all.judge[i] == 0 ? 1 : 0;
    }
    rates.add(rogan_gladen(errors), all.truth);
  }
  std::printf("| %s | %zu |", kind.name.data(), labels);
  corrected.print(repeats);
  people.print(repeats);
  if (kind.yes_no > 0) {
    rates.print(repeats);
  } else {
    std::printf(" | | |");
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 200;
  std::printf(
      "| judge | labels | corrected holds it | ± | none given | people alone hold it | ± | none given | "
      "Rogan-Gladen holds it | ± | none given |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Kind& kind : kKinds) {
    for (const std::size_t labels : {10UZ, 20UZ, 30UZ, 50UZ, 100UZ}) few_labels(kind, labels, repeats);
  }
  std::printf("\n");
  std::printf(
      "| judge | design | mean error | 95 %% intervals that hold it | mean ± | labels of uniform for the "
      "same ± | people alone: mean error | intervals that hold it |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Kind& kind : std::span(kKinds).first(4)) {
    double uniform_square = 0;
    for (const auto& [design, words] : {std::pair(LabelPlan::Design::uniform, "uniform"),
                                        std::pair(LabelPlan::Design::stratified, "stratified"),
                                        std::pair(LabelPlan::Design::informative, "informative")}) {
      double error = 0;
      double width = 0;
      double square = 0;
      int held = 0;
      double people_error = 0;
      Tally people;
      for (int run = 0; run < repeats; ++run) {
        Random random = Random::keyed("designs", kind.name, run);
        const Population all = drawn(kind, random);
        LabelPlan plan;
        plan.seed = static_cast<std::uint64_t>(run);
        plan.design = design;
        const LabelChoice choice = choose_rows_to_label(all.judge, all.names, 100, plan);
        std::vector<JudgedRow> rows;
        for (std::size_t i = 0; i < all.judge.size(); ++i) rows.push_back({.judge = all.judge[i]});
        for (const std::size_t row : choice.rows) {
          rows[row].human = all.human[row];
          rows[row].probability = choice.probabilities[row];
        }
        const Estimate alone = people_of_weighted_labels(rows);
        people_error += alone.value.value_or(0) - all.truth;
        people.add(alone, all.truth);
        const Estimate found = with_weighted_labels(rows, {.one_of_each = kind.yes_no > 0}).estimate;
        if (!found.value || !found.ci) continue;
        error += *found.value - all.truth;
        held += found.ci->low <= all.truth && all.truth <= found.ci->high ? 1 : 0;
        const double half = (found.ci->high - found.ci->low) / 2;
        width += half;
        square += half * half;
      }
      if (design == LabelPlan::Design::uniform) uniform_square = square;
      std::printf("| %s | %s | %+.4f | %.1f %% | %.4f | %.0f | %+.4f | %.1f %% |\n", kind.name.data(), words,
                  error / repeats, 100.0 * held / repeats, width / repeats, 100 * uniform_square / square,
                  people_error / repeats, 100.0 * people.held / std::max(people.given, 1));
      std::fflush(stdout);
    }
  }
  return 0;
}
