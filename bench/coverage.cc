// Do 95 % intervals hold the truth in 95 % of studies, on data such as evaluations give? Simulates studies
// whose truth is known and prints Markdown tables: coverage and width of fixed-size intervals, and how often
// a sequence that is looked at after every observation from 10 to 1000 ever excludes the truth. A minute or
// so on one core; the same figures on every machine. Build: link with the rooms stats and core and with fmt.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "stats/intervals/bootstrap.h"
#include "stats/intervals/mean.h"
#include "stats/intervals/proportion.h"
#include "stats/sequential/sequential.h"

namespace {

using namespace assay;

constexpr int kStudies = 4'000;
constexpr int kStreams = 2'000;
constexpr std::int64_t kDraws = 2'000;

// Ratings 1…5 as judges give them: mostly good, a tail of bad ones. Mean 4.15.
constexpr std::array<double, 5> kRatings = {0.05, 0.05, 0.10, 0.30, 0.50};
constexpr double kMeanRating = 4.15;
constexpr double kPassRate = 0.9;
constexpr double kCorrelation = 0.3;  // within a query

double rating(Random& random) {
  double u = random.uniform();
  for (std::size_t i = 0; i < kRatings.size(); ++i) {
    if (u < kRatings[i]) return static_cast<double>(i + 1);
    u -= kRatings[i];
  }
  return 5;
}

double verdict(Random& random) {
  return random.uniform() < kPassRate ? 1 : 0;
}

struct Study {
  std::vector<double> scores;
  std::vector<std::string> queries;
};

// `size` answers to each query. An answer repeats the query's own score with probability sqrt(ρ), so two
// answers to one query correlate by ρ and each has the distribution of `score`.
Study clustered(Random& random, int queries, int size, double (*score)(Random&),
                double correlation = kCorrelation) {
  Study study;
  for (int query = 0; query < queries; ++query) {
    const double own = score(random);
    for (int i = 0; i < size; ++i) {
      const bool repeats = random.uniform() < std::sqrt(correlation);
      const double fresh = score(random);
      study.scores.push_back(repeats ? own : fresh);
      study.queries.push_back(fmt::format("q{}", query));
    }
  }
  return study;
}

Study independent(Random& random, int n, double (*score)(Random&)) {
  Study study;
  for (int i = 0; i < n; ++i) study.scores.push_back(score(random));
  return study;
}

struct Method {
  const char* name;
  std::function<Estimate(const Study&)> interval;
};

Estimate wilson_of(const Study& study) {
  std::int64_t passed = 0;
  for (const double score : study.scores) passed += score > 0 ? 1 : 0;
  return wilson(passed, static_cast<std::int64_t>(study.scores.size()));
}

Estimate wilson_clustered_of(const Study& study) {
  ClusteredMoments decisions;
  for (std::size_t i = 0; i < study.scores.size(); ++i) decisions.add(study.queries[i], study.scores[i]);
  return wilson_clustered(decisions);
}

void print_coverage(const std::string& data, double truth, const std::function<Study(Random&)>& draw,
                    const std::vector<Method>& methods) {
  struct Tally {
    int covered = 0;
    int none = 0;
    double width = 0;
  };
  std::vector<Tally> tallies(methods.size());
  for (int i = 0; i < kStudies; ++i) {
    Random random = Random::keyed("coverage", data).at(static_cast<std::uint64_t>(i));
    const Study study = draw(random);
    for (std::size_t m = 0; m < methods.size(); ++m) {
      const Estimate estimate = methods[m].interval(study);
      if (!estimate.ci) {
        ++tallies[m].none;
        continue;
      }
      tallies[m].covered += estimate.ci->low <= truth && truth <= estimate.ci->high ? 1 : 0;
      tallies[m].width += estimate.ci->high - estimate.ci->low;
    }
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const Tally& tally = tallies[m];
    const double given = std::max(1, kStudies - tally.none);
    fmt::print("| {} | {} | {:.1f} % | {:.3f} | {:.1f} % |\n", data, methods[m].name,
               100 * tally.covered / given, tally.width / given, 100.0 * tally.none / kStudies);
  }
}

// One way to look at a stream: takes a score and says what it knows.
struct Looker {
  const char* name;
  std::function<std::function<Estimate(double)>()> start;
};

template <class Sequence, class Plan>
std::function<std::function<Estimate(double)>()> sequence_of(Plan plan) {
  return [plan] {
    auto sequence = std::make_shared<Sequence>(plan);
    return [sequence](double score) {
      sequence->add(score);
      return sequence->now();
    };
  };
}

void print_false_alarms(const std::string& data, double truth, const std::function<double(Random&)>& score,
                        const std::vector<Looker>& lookers) {
  for (const Looker& looker : lookers) {
    int alarms = 0;
    double width = 0;
    for (int i = 0; i < kStreams; ++i) {
      Random random = Random::keyed("looking", data).at(static_cast<std::uint64_t>(i));
      const auto look = looker.start();
      bool alarm = false;
      for (int n = 1; n <= 1000; ++n) {
        const Estimate estimate = look(score(random));
        if (n < 10) continue;
        if (estimate.ci && (truth < estimate.ci->low || truth > estimate.ci->high)) alarm = true;
        if (n == 1000 && estimate.ci) width += estimate.ci->high - estimate.ci->low;
      }
      alarms += alarm ? 1 : 0;
    }
    fmt::print("| {} | {} | {:.1f} % | {:.3f} |\n", data, looker.name, 100.0 * alarms / kStreams,
               width / kStreams);
  }
}

}  // namespace

int main() {
  const auto t = [](const Study& study) { return estimate_mean(study.scores); };
  const auto t_clustered = [](const Study& study) { return estimate_mean(study.scores, study.queries); };
  const auto bca = [](const Study& study) {
    return bootstrap_mean(study.scores, study.queries, {.draws = kDraws, .threads = 1});
  };
  const auto bca_rows = [](const Study& study) {
    return bootstrap_mean(study.scores, {}, {.draws = kDraws, .threads = 1});
  };

  fmt::print("Coverage of 95 % intervals, {} studies each ({} bootstrap draws)\n\n", kStudies, kDraws);
  fmt::print(
      "| data | interval | of those given, cover | width | none given |\n| --- | --- | --- | --- | --- |\n");
  for (const int n : {20, 50, 200}) {
    print_coverage(fmt::format("ratings 1–5, {} independent", n), kMeanRating,
                   [n](Random& random) { return independent(random, n, rating); }, {{"t", t}, {"BCa", bca}});
  }
  for (const int n : {10, 30, 100}) {
    print_coverage(fmt::format("pass or fail at 0.9, {} cases", n), kPassRate,
                   [n](Random& random) { return independent(random, n, verdict); },
                   {{"t", t}, {"Wilson", wilson_of}, {"BCa", bca}});
  }
  for (const int queries : {10, 20, 50}) {
    print_coverage(fmt::format("ratings 1–5, {} queries × 5, ICC 0.3", queries), kMeanRating,
                   [queries](Random& random) { return clustered(random, queries, 5, rating); },
                   {{"t over rows", t},
                    {"BCa over rows", bca_rows},
                    {"t over queries", t_clustered},
                    {"BCa over queries", bca}});
  }

  for (const double correlation : {0.0, 0.3, 1.0}) {
    for (const int queries : {3, 5, 10}) {
      print_coverage(fmt::format("pass or fail at 0.9, {} queries × 8, ICC {}", queries, correlation),
                     kPassRate,
                     [=](Random& random) { return clustered(random, queries, 8, verdict, correlation); },
                     {{"Wilson over rows", wilson_of},
                      {"t over queries", t_clustered},
                      {"Wilson over queries", wilson_clustered_of}});
    }
  }

  fmt::print(
      "\nTruth ever excluded when looking after each of 10…1000 observations, {} streams (5 % allowed)\n\n",
      kStreams);
  fmt::print("| data | interval | false alarms | width at 1000 |\n| --- | --- | --- | --- |\n");
  const Looker t_looks{"t at 95 %, looked at each time", [] {
                         return [moments = Moments()](double score) mutable {
                           moments.add(score);
                           return estimate_mean(moments);
                         };
                       }};
  const auto lookers = [&](Interval range) {
    return std::vector<Looker>{
        t_looks,
        {"betting sequence", sequence_of<BettingSequence>(BettingPlan{.range = range, .cells = 500})},
        {"normal mixture, known range",
         sequence_of<NormalMixtureSequence>(NormalMixturePlan{.range = range, .tuned_for = 300})},
        {"normal mixture, estimated spread, from 100 on",
         sequence_of<NormalMixtureSequence>(NormalMixturePlan{.tuned_for = 300})}};
  };
  print_false_alarms("ratings 1–5", kMeanRating, rating, lookers({1, 5}));
  print_false_alarms("pass or fail at 0.9", kPassRate, verdict, lookers({0, 1}));
}
