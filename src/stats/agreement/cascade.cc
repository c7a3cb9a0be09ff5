#include "stats/agreement/cascade.h"

#include <algorithm>
#include <cmath>

#include <boost/math/special_functions/beta.hpp>

namespace assay {
namespace {

constexpr std::int64_t kMostLabels = 1'000'000;

// P(X >= count) of n trials, each with the chance p.
double upper_tail(std::int64_t count, std::int64_t n, double p) {
  if (count <= 0) return 1;
  return boost::math::ibeta(static_cast<double>(count), static_cast<double>(n - count + 1), p);
}

}  // namespace

std::optional<ThresholdTest> ThresholdSearch::chosen() const {
  std::optional<ThresholdTest> last;
  for (const ThresholdTest& test : tests) {
    if (test.holds) last = test;
  }
  return last;
}

int thresholds_of(int votes) {
  return votes - votes / 2;
}

ThresholdSearch find_threshold(std::span<const VotedLabel> labelled, int votes,
                               const AgreementPromise& promise) {
  ThresholdSearch search;
  for (int needed = votes; 2 * needed > votes; --needed) {
    ThresholdTest test{.votes = needed};
    for (const VotedLabel& one : labelled) {
      if (one.votes < needed) continue;
      ++test.cases;
      if (one.agrees) ++test.agreed;
    }
    test.lower = exact_lower_bound(test.agreed, test.cases, promise.error);
    test.holds = keeps_promise(test.agreed, test.cases, promise);
    search.tests.push_back(test);
    if (!test.holds) break;
  }
  return search;
}

double exact_lower_bound(std::int64_t count, std::int64_t n, double error) {
  if (count <= 0 || count > n || !(error > 0 && error < 1)) return 0;
  return boost::math::ibeta_inv(static_cast<double>(count), static_cast<double>(n - count + 1), error);
}

bool keeps_promise(std::int64_t agreed, std::int64_t cases, const AgreementPromise& promise) {
  return cases > 0 && upper_tail(agreed, cases, promise.agreement) <= promise.error;
}

std::int64_t fewest_labels(const AgreementPromise& promise) {
  // Rounding may put the logarithms' quotient on either side of a whole number; the test itself decides.
  const double about = std::log(promise.error) / std::log(promise.agreement);
  std::int64_t n = std::max<std::int64_t>(1, static_cast<std::int64_t>(about) - 1);
  while (n < kMostLabels && !keeps_promise(n, n, promise)) ++n;
  return n;
}

std::optional<std::int64_t> labels_at_rate(std::int64_t agreed, std::int64_t cases,
                                           const AgreementPromise& promise) {
  if (cases <= 0) return fewest_labels(promise);
  if (static_cast<double>(agreed) <= promise.agreement * static_cast<double>(cases)) return std::nullopt;
  const auto keeps = [&](std::int64_t n) { return keeps_promise(agreed * n / cases, n, promise); };
  // Doubling finds a number that does, and halving the first behind one that does not.
  std::int64_t low = cases;
  std::int64_t high = cases;
  while (!keeps(high)) {
    if (high >= kMostLabels) return std::nullopt;
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (keeps(middle) ? high : low) = middle;
  }
  return high;
}

std::vector<double> shared_errors(double error, std::span<const int> votes) {
  std::vector<double> errors;
  double ways = 1;
  for (const int own : votes) {
    errors.push_back(error / static_cast<double>(votes.size()) / ways);
    ways *= thresholds_of(own) + 1;
  }
  return errors;
}

}  // namespace assay
