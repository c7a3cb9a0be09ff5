// 10,000 BCa draws of the mean of 10,000 rows, and of 1,000,000, in clusters of five and one by one, on one
// core; bench/bootstrap_speed.R does the first with R's boot. Both print the time and the interval, which
// agree to Monte Carlo error.
#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stats/intervals/bootstrap.h"

int main() {
  for (const int rows : {10'000, 1'000'000}) {
    std::vector<double> values;
    std::vector<std::string> clusters;
    for (int i = 0; i < rows; ++i) {
      const long long mixed = (i * 7919LL + (i / 5) * 104729LL) % 10007;
      values.push_back(static_cast<double>(mixed * mixed % 10007) / 10007);
      clusters.push_back(std::to_string(i / 5));
    }
    for (const bool by_cluster : {true, false}) {
      const auto names = by_cluster ? std::span<const std::string>(clusters) : std::span<const std::string>();
      double best = 1e9;
      assay::Estimate estimate;
      for (int run = 0; run < (rows > 10'000 ? 2 : 5); ++run) {
        const auto start = std::chrono::steady_clock::now();
        estimate = assay::bootstrap_mean(values, names, {.threads = 1});
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        best = std::min(best, taken.count());
      }
      fmt::print("assay, {} rows{}: {:.3f} s, mean {:.6f}, BCa {:.6f} to {:.6f}\n", rows,
                 by_cluster ? " in clusters of five" : "", best, *estimate.value, estimate.ci->low,
                 estimate.ci->high);
    }
  }
}
