#include "core/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

// A fused multiply-add rounds once where two operations round twice; numbers must not depend on the machine's
// liking for it.
#pragma STDC FP_CONTRACT OFF

namespace assay {
namespace {

constexpr double kLn2 = 0.69314718055994530942;
// Walking up the distribution takes n·p steps; rejection has a fixed price, but refuses more when n·p is
// small.
constexpr double kInversionLimit = 18;

std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}
std::uint64_t joined(std::uint32_t low_half, std::uint32_t high_half) {
  return low_half | (static_cast<std::uint64_t>(high_half) << 32);
}

// ln((1+s)/(1-s)) = 2·(s + s³/3 + s⁵/5 + …), summed until nothing changes; |s| <= 1/3.
constexpr double log_ratio_series(double s) {
  double sum = 0;
  double power = s;
  for (int k = 1; k < 80; k += 2) {
    sum += power / k;
    power *= s * s;
  }
  return 2 * sum;
}

// The same for |s| <= 1/256, where four terms are enough.
double short_log_ratio_series(double s) {
  const double square = s * s;
  return 2 * s * (1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7))));
}

// ln(1 + i/64).
constexpr auto kLogs = [] {
  std::array<double, 65> logs{};
  for (std::size_t i = 0; i < 64; ++i) {
    const double above_one = static_cast<double>(i) / 64;
    logs[i] = log_ratio_series(above_one / (2 + above_one));
  }
  logs[64] = kLn2;
  return logs;
}();

// Natural logarithm of a positive normal number; the C library's differs in the last bit between versions.
// x = 2^e·m; m is compared with the nearest 1 + i/64. Near 1 the parts cancel exactly, so the relative error
// stays small there.
double log_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  const std::uint64_t fraction = bits & 0x000FFFFFFFFFFFFFULL;
  const double m = std::bit_cast<double>(fraction | 0x3FF0000000000000ULL);
  const std::size_t i = ((fraction >> 45) + 1) / 2;
  const double near = 1 + static_cast<double>(i) / 64;
  return (exponent * kLn2 + kLogs[i]) + short_log_ratio_series((m - near) / (m + near));
}

constexpr auto kInverseFactorials = [] {
  std::array<double, 16> inverses{1};
  for (std::size_t k = 1; k < inverses.size(); ++k) inverses[k] = inverses[k - 1] / static_cast<double>(k);
  return inverses;
}();

// e^x for -700 <= x <= 0.
double exp_of(double x) {
  const int halvings = static_cast<int>(0.5 - x / kLn2);
  const double rest = x + halvings * kLn2;  // |rest| <= 0.35
  double sum = 0;
  for (std::size_t k = kInverseFactorials.size(); k-- > 0;) sum = sum * rest + kInverseFactorials[k];
  return std::ldexp(sum, -halvings);
}

// (1-p)^n for p <= 0.5 and n·p < kInversionLimit. Squaring loses about n ulps, so large n go through the
// logarithm.
double no_success(std::int64_t n, double p) {
  if (n >= 65536) return exp_of(-static_cast<double>(n) * short_log_ratio_series(p / (2 - p)));
  double power = 1;
  double base = 1 - p;
  for (std::int64_t left = n; left > 0; left >>= 1) {
    if ((left & 1) != 0) power *= base;
    base *= base;
  }
  return power;
}

// ln k! minus its Stirling formula in k+1.
double stirling_rest(double k) {
  static constexpr double kSmall[] = {0.08106146679532725822, 0.04134069595540929409, 0.02767792568499833915,
                                      0.02079067210376509311, 0.01664469118982119216, 0.01387612882307074800,
                                      0.01189670994589177010, 0.01041126526197209650, 0.00925546218271273292,
                                      0.00833056343336287126};
  if (k < 10) return kSmall[static_cast<int>(k)];
  const double inverse = 1 / (k + 1);
  const double square = inverse * inverse;
  return (1.0 / 12 - (1.0 / 360 - square / 1260) * square) * inverse;
}

// n·p < kInversionLimit: walk up the distribution function.
std::int64_t binomial_by_inversion(Random& random, std::int64_t n, double p) {
  const double odds = p / (1 - p);
  const double scale = (static_cast<double>(n) + 1) * odds;
  const double none = no_success(n, p);
  while (true) {
    double u = random.uniform();
    double probability = none;
    std::int64_t k = 0;
    while (u >= probability) {
      u -= probability;
      if (++k > n) break;  // rounding left a sliver above the last probability
      probability *= scale / static_cast<double>(k) - odds;
    }
    if (k <= n) return k;
  }
}

// P(k)/P(mode), as exactly as is needed to compare it with `height`: near the mode by the recursion, further
// out by a quadratic bound where that decides (Kachitvichyanukul and Schmeiser 1988), else by Stirling's
// formula.
double relative_height(std::int64_t trials, double p, std::int64_t mode, std::int64_t k, double height) {
  const double odds = p / (1 - p);
  const double n = static_cast<double>(trials);
  const std::int64_t distance = k < mode ? mode - k : k - mode;
  if (distance <= 20) {
    double ratio = 1;
    const double scale = (n + 1) * odds;
    for (std::int64_t i = std::min(k, mode) + 1; i <= std::max(k, mode); ++i) {
      ratio *= scale / static_cast<double>(i) - odds;
    }
    return k < mode ? 1 / ratio : ratio;
  }
  const double log_height = log_of(height);
  const double off = static_cast<double>(distance);
  const double variance = n * p * (1 - p);
  constexpr double kAccept = std::numeric_limits<double>::infinity();
  if (off < variance / 2 - 1) {
    const double margin = off / variance * ((off * (off / 3 + 0.625) + 1.0 / 6) / variance + 0.5);
    const double normal = -off * off / (2 * variance);
    if (log_height <= normal - margin) return kAccept;
    if (log_height > normal + margin) return 0;
  }
  const double m = static_cast<double>(mode);
  const double x = static_cast<double>(k);
  const double log_ratio = (m + 0.5) * log_of((m + 1) / (odds * (n - m + 1))) +
                           (n + 1) * log_of((n - m + 1) / (n - x + 1)) +
                           (x + 0.5) * log_of(odds * (n - x + 1) / (x + 1)) + stirling_rest(m) +
                           stirling_rest(n - m) - stirling_rest(x) - stirling_rest(n - x);
  return log_height <= log_ratio ? kAccept : 0;
}

// Otherwise (it needs n·p >= 10): transformed rejection with squeeze. W. Hörmann, "The generation of binomial
// random variates", J. Statist. Comput. Simul. 46 (1993), algorithm BTRS.
std::int64_t binomial_by_rejection(Random& random, std::int64_t trials, double p) {
  const double n = static_cast<double>(trials);
  const double deviation = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double centre = n * p + 0.5;
  const double squeeze = 0.92 - 4.2 / b;
  while (true) {
    const double u = random.uniform() - 0.5;
    const double v = random.uniform();
    const double edge = 0.5 - std::fabs(u);
    const double x = (2 * a / edge + b) * u + centre;
    if (!(x >= 0 && x < n + 1)) continue;  // also when edge is 0
    const auto successes = static_cast<std::int64_t>(x);
    if (edge >= 0.07 && v <= squeeze) return successes;

    const double alpha = (2.83 + 5.1 / b) * deviation;
    const double height = v * alpha / (a / (edge * edge) + b);
    const auto mode = static_cast<std::int64_t>((n + 1) * p);
    if (height <= 0 || height <= relative_height(trials, p, mode, successes, height)) return successes;
  }
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = 0xD2511F53ULL * counter[0];
    const std::uint64_t second = 0xCD9E8D57ULL * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

// Davies–Meyer over Philox: the part is the key, the state the block, and the old state is added so that the
// step cannot be undone.
void Random::absorb_word(std::uint64_t word) {
  const auto mixed = philox4x32({low(key_), high(key_), low(base_), high(base_)}, {low(word), high(word)});
  key_ ^= joined(mixed[0], mixed[1]);
  base_ ^= joined(mixed[2], mixed[3]);
  stream_ = base_;
}

// The first word tells numbers and names of the same bits apart.
void Random::absorb(std::uint64_t number) {
  absorb_word(0);
  absorb_word(number);
}

void Random::absorb(std::string_view name) {
  absorb_word(1);
  absorb_word(name.size());
  while (!name.empty()) {
    std::uint64_t word = 0;
    const std::string_view piece = name.substr(0, 8);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(piece[i])) << (8 * i);
    }
    absorb_word(word);
    name.remove_prefix(piece.size());
  }
}

Random Random::at(std::uint64_t index) const {
  Random other;
  other.key_ = key_;
  other.base_ = base_;
  other.stream_ = base_ + index;
  return other;
}

void Random::refill() {
  ready_ = philox4x32({low(block_), high(block_), low(stream_), high(stream_)}, {low(key_), high(key_)});
  ++block_;
  used_ = 0;
}

std::uint64_t Random::below(std::uint64_t n) {
  if (n == 0) return 0;
  if (n > 0xFFFFFFFFULL) {
    const int shift = std::countl_zero(n - 1);
    while (true) {
      const std::uint64_t candidate = bits64() >> shift;
      if (candidate < n) return candidate;
    }
  }
  // Multiply and shift; the few low products that would favour some values are drawn again (Lemire 2019).
  std::uint64_t product = bits32() * n;
  if (low(product) < n) {
    const std::uint32_t refused = (0U - low(n)) % low(n);
    while (low(product) < refused) product = bits32() * n;
  }
  return product >> 32;
}

double Random::normal() {
  while (true) {  // Marsaglia's polar method
    const double x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * log_of(square) / square);
  }
}

std::int64_t Random::binomial(std::int64_t n, double p) {
  if (n <= 0 || !(p > 0)) return 0;
  if (p >= 1) return n;
  if (p > 0.5) return n - binomial(n, 1 - p);
  return static_cast<double>(n) * p < kInversionLimit ? binomial_by_inversion(*this, n, p)
                                                      : binomial_by_rejection(*this, n, p);
}

}  // namespace assay
