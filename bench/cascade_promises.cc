// How often does selective judging break its promise, and what does it decide? The tables of
// docs/selective_judging.md:
//
//   cmake build -DASSAY_BENCH=ON && ninja -C build cascade_promises && build/bench/cascade_promises 1000
//
// A population is of kinds of cases, each with the chances that a vote of the cheap and of the strong judge
// says what people say; votes are independent within a case. So what is true of every threshold can be
// computed, and a data set breaks the promise if the thresholds that its labels gave are true of less than 90
// %.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "stats/agreement/cascade.h"

namespace {

using namespace assay;

constexpr int kVotes = 5;
constexpr double kAgreement = 0.9;
constexpr double kError = 0.05;

struct Kind {
  double share;  // of all cases
  double cheap;  // that a vote says what people say
  double strong;
};
using Population = std::vector<Kind>;

double exactly(int count, double p) {
  double chance = 1;
  for (int i = 0; i < count; ++i) chance *= p * (kVotes - i) / (i + 1);
  for (int i = count; i < kVotes; ++i) chance *= 1 - p;
  return chance;
}
double at_least(int count, double p) {
  double chance = 0;
  for (int i = count; i <= kVotes; ++i) chance += exactly(i, p);
  return chance;
}
// That a judge whose votes are right with chance p decides at this threshold.
double decides(int needed, double p) {
  return at_least(needed, p) + at_least(needed, 1 - p);
}

struct Truth {
  double decided = 0;  // share of all cases
  double agreed = 0;   // of all cases
  double rate() const { return decided > 0 ? agreed / decided : 1; }
};

Truth of_cheap(const Population& population, int needed) {
  Truth truth;
  for (const Kind& kind : population) {
    truth.decided += kind.share * decides(needed, kind.cheap);
    truth.agreed += kind.share * at_least(needed, kind.cheap);
  }
  return truth;
}
// Of what the cheap judge leaves; `cheap` nothing: it decides nothing.
Truth of_strong(const Population& population, std::optional<int> cheap, int needed) {
  Truth truth;
  for (const Kind& kind : population) {
    const double left = kind.share * (cheap ? 1 - decides(*cheap, kind.cheap) : 1);
    truth.decided += left * decides(needed, kind.strong);
    truth.agreed += left * at_least(needed, kind.strong);
  }
  return truth;
}

// Where `rate` falls with `x`: the x at which it is the promised one, or a hair below.
double just_below(const std::function<double(double)>& rate, double low, double high) {
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (rate(middle) >= kAgreement ? low : high) = middle;
  }
  return high;
}

struct Drawn {
  VotedLabel cheap;
  VotedLabel strong;
};
VotedLabel voted(double p, Random& random) {
  const int right = static_cast<int>(random.binomial(kVotes, p));
  return {std::max(right, kVotes - right), right > kVotes - right};
}
std::vector<Drawn> drawn(const Population& population, int labels, Random& random) {
  std::vector<Drawn> all;
  for (int i = 0; i < labels; ++i) {
    double at = random.uniform();
    const Kind* kind = &population.back();
    for (const Kind& one : population) {
      if (at < one.share) {
        kind = &one;
        break;
      }
      at -= one.share;
    }
    all.push_back({voted(kind->cheap, random), voted(kind->strong, random)});
  }
  return all;
}

std::optional<int> chosen(std::span<const VotedLabel> labels, double error) {
  const auto test = find_threshold(labels, kVotes, {kAgreement, error}).chosen();
  return test ? std::optional(test->votes) : std::nullopt;
}

// What is often done: the loosest threshold at which nine of ten labelled cases agree.
std::optional<int> as_it_looks(std::span<const VotedLabel> labels) {
  std::optional<int> loosest;
  for (int needed = kVotes; 2 * needed > kVotes; --needed) {
    int decided = 0;
    int agreed = 0;
    for (const VotedLabel& one : labels) {
      if (one.votes < needed) continue;
      ++decided;
      agreed += one.agrees ? 1 : 0;
    }
    if (decided > 0 && agreed >= kAgreement * decided) loosest = needed;
  }
  return loosest;
}

struct Tally {
  int cheap_broken = 0;
  int any_broken = 0;
  int looks_broken = 0;
  int refused = 0;
  double cheap_decides = 0;
  double strong_decides = 0;
};

Tally tally(const std::string& name, const Population& population, int labels, int data_sets) {
  const std::array<int, 2> votes{kVotes, kVotes};
  const std::vector<double> errors = shared_errors(kError, votes);
  Tally tally;
  for (int set = 0; set < data_sets; ++set) {
    Random random = Random::keyed("cascade", name, labels, set);
    const std::vector<Drawn> cases = drawn(population, labels, random);
    std::vector<VotedLabel> of_first;
    for (const Drawn& one : cases) of_first.push_back(one.cheap);
    const auto cheap = chosen(of_first, errors[0]);
    std::vector<VotedLabel> of_second;
    for (const Drawn& one : cases) {
      if (!cheap || one.cheap.votes < *cheap) of_second.push_back(one.strong);
    }
    const auto strong = chosen(of_second, errors[1]);
    const Truth first = cheap ? of_cheap(population, *cheap) : Truth{};
    const Truth second = strong ? of_strong(population, cheap, *strong) : Truth{};
    const bool cheap_broken = cheap && first.rate() < kAgreement;
    tally.cheap_broken += cheap_broken ? 1 : 0;
    tally.any_broken += cheap_broken || (strong && second.rate() < kAgreement) ? 1 : 0;
    tally.refused += !cheap && !strong ? 1 : 0;
    tally.cheap_decides += first.decided / data_sets;
    tally.strong_decides += second.decided / data_sets;
    const auto looks = as_it_looks(of_first);
    tally.looks_broken += looks && of_cheap(population, *looks).rate() < kAgreement ? 1 : 0;
  }
  return tally;
}

}  // namespace

int main(int argc, char** argv) {
  const int data_sets = argc > 1 ? std::max(1, std::atoi(argv[1])) : 100;
  const auto mixed = [](double hard, double cheap, double strong) {
    return Population{{1 - hard, 0.98, 0.99}, {hard, cheap, strong}};
  };
  // Each is made so that one promise is true of a hair less than 90 %, where a promise is broken most easily.
  const double strictest =
      just_below([&](double hard) { return of_cheap(mixed(hard, 0.3, 0.9), kVotes).rate(); }, 0, 0.9);
  const double second =
      just_below([&](double hard) { return of_cheap(mixed(hard, 0.45, 0.9), kVotes - 1).rate(); }, 0, 0.9);
  // On some of the cases that the cheap judge is torn about the strong one is sure, and wrong.
  const auto deceived = [](double wrong) {
    return Population{{0.7, 0.98, 0.99}, {0.3 - wrong, 0.6, 0.98}, {wrong, 0.6, 0.1}};
  };
  const double strong =
      just_below([&](double wrong) { return of_strong(deceived(wrong), kVotes - 1, kVotes).rate(); }, 0, 0.3);
  const std::vector<std::pair<std::string, Population>> populations{
      {"a good cheap judge", mixed(0.2, 0.75, 0.97)},
      {"a middling one", mixed(0.4, 0.65, 0.95)},
      {"5 of 5 votes just not good enough", mixed(strictest, 0.3, 0.9)},
      {"4 of 5 votes just not good enough", mixed(second, 0.45, 0.9)},
      {"the strong judge just not good enough", deceived(strong)},
  };
  std::printf(
      "%d data sets each, two judges of %d votes, agreement %.2f with %.0f %% confidence:\n\n"
      "| population | labels | a promise broken | the cheap judge's | if one goes by how it looks | nothing "
      "can be promised | cheap decides | strong decides |\n| --- | --- | --- | --- | --- | --- | --- | --- "
      "|\n",
      data_sets, kVotes, kAgreement, 100 * (1 - kError));
  for (const auto& [name, population] : populations) {
    for (const int labels : {50, 100, 200, 500, 2000}) {
      const Tally found = tally(name, population, labels, data_sets);
      const auto percent = [&](int count) { return 100.0 * count / data_sets; };
      std::printf("| %s | %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.0f %% | %.0f %% |\n", name.c_str(),
                  labels, percent(found.any_broken), percent(found.cheap_broken), percent(found.looks_broken),
                  percent(found.refused), 100 * found.cheap_decides, 100 * found.strong_decides);
    }
  }
  return 0;
}
