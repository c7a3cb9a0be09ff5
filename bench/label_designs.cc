// What do the designs of `assay label-sample` bring, and do the corrected figures' intervals hold with few
// labels? Cases with a judge that is calibrated, too kind, says only yes or no, or gives one of a few scores
// that people give, too; some of 2,000 are labelled and the figure is corrected. The tables of
// docs/human_labels.md:
//
//   cmake build -DASSAY_BENCH=ON && ninja -C build label_designs && build/bench/label_designs 2000
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.h"
#include "stats/agreement/drawn_pairs.h"
#include "stats/agreement/human_labels.h"
#include "stats/intervals/proportion.h"

namespace {

using namespace assay;

struct Kind {
  std::string_view name;
  double kindness = 0;  // added to the chance of a pass by the judge's score
  double sure = 1;      // how near 0 and 1 most scores are
  double yes_no = 0;    // above 0: it says only yes or no, and is right in this share
  // People give one of a few scores, and so does the judge, which errs in `wrong` of the cases.
  enum class Scores { any, a_level_up, any_level, best_share } scores = Scores::any;
  double wrong = 0;
};
constexpr Kind kKinds[] = {{"calibrated, mostly sure", 0, 3, 0},
                           {"calibrated, often unsure", 0, 1, 0},
                           {"too kind by 0.1, mostly sure", -0.1, 3, 0},
                           {"yes or no only, right in 85 %", 0, 1, 0.85},
                           {"yes or no only, right in 95 %", 0, 1, 0.95},
                           {"1 to 5, a level too high in 5 %", 0, 1, 0, Kind::Scores::a_level_up, 0.05},
                           {"1 to 5, a level too high in 15 %", 0, 1, 0, Kind::Scores::a_level_up, 0.15},
                           {"1 to 5, any level in 15 %", 0, 1, 0, Kind::Scores::any_level, 0.15},
                           {"sixths, full marks in 15 %", 0, 1, 0, Kind::Scores::best_share, 0.15}};

// The first whose shares up to it reach `place`.
std::size_t drawn_from(std::span<const double> shares, double place) {
  std::size_t at = 0;
  while (at + 1 < shares.size() && place >= shares[at]) place -= shares[at++];
  return at;
}

// What people and judge say of a case.
std::pair<double, double> scored(const Kind& kind, Random& random) {
  constexpr double kLevels[] = {0.05, 0.1, 0.2, 0.35, 0.3};
  constexpr double kSixths[] = {0.03, 0.02, 0.05, 0.08, 0.1, 0.12, 0.6};
  const bool wrong = random.uniform() < kind.wrong;
  if (kind.scores == Kind::Scores::best_share) {
    const double share = static_cast<double>(drawn_from(kSixths, random.uniform())) / 6;
    return {share, wrong ? 1 : share};
  }
  const double level = 1 + static_cast<double>(drawn_from(kLevels, random.uniform()));
  if (!wrong) return {level, level};
  const bool up = kind.scores == Kind::Scores::a_level_up;
  return {level, up ? std::min(5.0, level + 1) : 1 + static_cast<double>(random.below(5))};
}

LabelOptions options_of(const Kind& kind, LabelInterval interval = LabelInterval::normal) {
  return {.interval = interval,
          .unseen = kind.yes_no > 0 ? UnseenErrors::one_of_each : UnseenErrors::unrelated};
}

struct Population {
  std::vector<double> judge;
  std::vector<double> human;
  std::vector<std::string> names;
  double truth = 0;
};

Population drawn(const Kind& kind, Random& random) {
  Population all;
  for (int i = 0; i < 2'000; ++i) {
    all.names.push_back(std::to_string(i));
    if (kind.scores != Kind::Scores::any) {
      const auto [label, score] = scored(kind, random);
      all.human.push_back(label);
      all.judge.push_back(score);
      all.truth += label / 2'000;
      continue;
    }
    double chance = 1 / (1 + std::exp(-(0.5 + kind.sure * 1.5 * random.normal())));
    double score = chance;
    if (kind.yes_no > 0) {
      score = random.uniform() < 0.7 ? 1 : 0;
      chance = score == 1 ? kind.yes_no : 1 - kind.yes_no;
    }
    const double label = random.uniform() < std::clamp(chance + kind.kindness, 0.0, 1.0) ? 1 : 0;
    all.judge.push_back(score);
    all.human.push_back(label);
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
  Tally without;  // what the labelled rows may not have shown
  Tally people;
  Tally rates;
  for (int run = 0; run < repeats; ++run) {
    Random random = Random::keyed("few", kind.name, run);
    const Population all = drawn(kind, random);
    const std::span<const double> human(all.human.data(), labels);
    const std::span<const double> judge(all.judge.data(), labels);
    const auto others = std::span<const double>(all.judge).subspan(labels);
    LabelOptions options = options_of(kind, labels < 50 ? LabelInterval::student : LabelInterval::normal);
    const HumanLabelFigures figures = with_human_labels(human, judge, others, options);
    corrected.add(figures.ppi_plus_plus, all.truth);
    options.unseen = UnseenErrors::none;
    without.add(with_human_labels(human, judge, others, options).ppi_plus_plus, all.truth);
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
  std::printf(" %.1f %% |", 100.0 * without.held / std::max(without.given, 1));
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
      "| judge | labels | without the four rows | corrected holds it | ± | none given | people alone hold it "
      "| ± | none given | "
      "Rogan-Gladen holds it | ± | none given |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Kind& kind : kKinds) {
    for (const std::size_t labels : {10UZ, 20UZ, 30UZ, 50UZ, 100UZ}) few_labels(kind, labels, repeats);
  }
  std::printf("\n");
  std::printf(
      "| judge | design | mean error | 95 %% intervals that hold it | mean ± | labels of uniform for the "
      "same ± | people alone: mean error | intervals that hold it | same side as people: mean error | "
      "intervals that hold it | counted as drawn: mean error | intervals that hold it |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
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
      double same_error = 0;
      Tally same;
      double as_drawn_error = 0;
      Tally as_drawn;
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
        const auto agrees = [&](std::size_t row) { return (all.judge[row] >= 0.5) == (all.human[row] == 1); };
        double agreement = 0;
        for (std::size_t i = 0; i < all.judge.size(); ++i) agreement += agrees(i) ? 1.0 / 2'000 : 0;
        std::vector<DrawnPair> pairs;
        std::int64_t equal = 0;
        for (const std::size_t row : choice.rows) {
          equal += agrees(row) ? 1 : 0;
          pairs.push_back({all.human[row], all.judge[row], agrees(row), choice.probabilities[row]});
        }
        const Estimate share = weighted_share(pairs);
        same_error += *share.value - agreement;
        same.add(share, agreement);
        const Estimate counted = wilson(equal, static_cast<std::int64_t>(pairs.size()));
        as_drawn_error += *counted.value - agreement;
        as_drawn.add(counted, agreement);
        const Estimate alone = people_of_weighted_labels(rows);
        people_error += alone.value.value_or(0) - all.truth;
        people.add(alone, all.truth);
        const Estimate found = with_weighted_labels(rows, options_of(kind)).estimate;
        if (!found.value || !found.ci) continue;
        error += *found.value - all.truth;
        held += found.ci->low <= all.truth && all.truth <= found.ci->high ? 1 : 0;
        const double half = (found.ci->high - found.ci->low) / 2;
        width += half;
        square += half * half;
      }
      if (design == LabelPlan::Design::uniform) uniform_square = square;
      const auto held_of = [](const Tally& tally) { return 100.0 * tally.held / std::max(tally.given, 1); };
      std::printf(
          "| %s | %s | %+.4f | %.1f %% | %.4f | %.0f | %+.4f | %.1f %% | %+.4f | %.1f %% | %+.4f | %.1f %% "
          "|\n",
          kind.name.data(), words, error / repeats, 100.0 * held / repeats, width / repeats,
          100 * uniform_square / square, people_error / repeats, held_of(people), same_error / repeats,
          held_of(same), as_drawn_error / repeats, held_of(as_drawn));
      std::fflush(stdout);
    }
  }
  return 0;
}
