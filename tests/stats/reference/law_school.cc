// The exact bootstrap distribution of the correlation in Efron's law-school data (n = 15), by walking through
// all C(29,15) = 77,558,760 different resamples with their multinomial weights. Prints law_school.json:
// 4,001 quantiles at equal steps of probability from the least to the greatest value, mean and standard
// deviation, and the probability below some published points. Not part of the build; takes some seconds:
//   clang++-19 -std=c++20 -O2 law_school.cc -o law_school && ./law_school > law_school.json
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int kSize = 15;
constexpr double kLsat[] = {576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594};
constexpr double kGpa[] = {3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43,
                           3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96};
constexpr int kBins = 1 << 24;  // on [-1, 1]

double inverse_factorial[kSize + 1];
std::vector<double> histogram(kBins + 1);
double weighted_sum = 0;
double weighted_squares = 0;

struct Sums {
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  double yy = 0;
};

void walk(int point, int left, const Sums& sums, double weight) {
  const double x = (kLsat[point] - 600) / 40;
  const double y = (kGpa[point] - 3.1) / 0.25;
  for (int count = point + 1 == kSize ? left : 0; count <= left; ++count) {
    const Sums next{sums.x + count * x, sums.y + count * y, sums.xx + count * x * x, sums.xy + count * x * y,
                    sums.yy + count * y * y};
    const double share = weight * inverse_factorial[count];
    if (point + 1 < kSize) {
      walk(point + 1, left - count, next, share);
      continue;
    }
    const double n = kSize;
    const double varies_x = next.xx - next.x * next.x / n;
    const double varies_y = next.yy - next.y * next.y / n;
    if (varies_x <= 1e-9 || varies_y <= 1e-9) continue;  // one point fifteen times: no correlation
    const double r = (next.xy - next.x * next.y / n) / std::sqrt(varies_x * varies_y);
    histogram[static_cast<int>((r + 1) / 2 * kBins)] += share;
    weighted_sum += share * r;
    weighted_squares += share * r * r;
  }
}

}  // namespace

int main() {
  inverse_factorial[0] = 1;
  for (int k = 1; k <= kSize; ++k) inverse_factorial[k] = inverse_factorial[k - 1] / k;
  walk(0, kSize, {}, std::tgamma(kSize + 1.0) / std::pow(kSize, kSize));
  double total = 0;
  for (const double share : histogram) total += share;
  const auto value = [](int bin) { return 2 * (bin + 0.5) / kBins - 1; };
  const auto below = [&](double point) {
    double sum = 0;
    for (int bin = 0; value(bin) < point; ++bin) sum += histogram[bin];
    return sum / total;
  };
  std::printf("{\"below\":[");
  const double points[] = {0.429105, 0.926860, 0.332638, 0.941715, 0.776374491};
  for (int i = 0; i < 5; ++i) std::printf("%s[%.9g,%.7f]", i == 0 ? "" : ",", points[i], below(points[i]));
  const double mean = weighted_sum / total;
  std::printf("],\"mean\":%.9f,\"deviation\":%.9f", mean, std::sqrt(weighted_squares / total - mean * mean));
  std::printf(",\"quantiles\":[");
  constexpr int kSteps = 4000;
  int bin = 0;
  double sum = histogram[0];
  for (int i = 0; i <= kSteps; ++i) {
    while ((sum < total * i / kSteps * (1 - 1e-13) || sum == 0) && bin < kBins) sum += histogram[++bin];
    std::printf("%s%.6f", i == 0 ? "" : ",", value(bin));
  }
  std::printf("]}\n");
}
