#include "stats/ranking/positive_definite.h"

#include <cmath>

namespace assay {

Cholesky::Cholesky(std::span<const double> matrix, std::size_t size)
    : size_(size), lower_(matrix.begin(), matrix.end()) {
  for (std::size_t j = 0; j < size_; ++j) {
    double pivot = lower_[j * size_ + j];
    const double diagonal = pivot;
    for (std::size_t k = 0; k < j; ++k) pivot -= lower_[j * size_ + k] * lower_[j * size_ + k];
    if (!(pivot > 1e-11 * diagonal) || !std::isfinite(pivot)) {
      dependent_ = j;
      return;
    }
    const double root = std::sqrt(pivot);
    lower_[j * size_ + j] = root;
    for (std::size_t i = j + 1; i < size_; ++i) {
      double sum = lower_[i * size_ + j];
      for (std::size_t k = 0; k < j; ++k) sum -= lower_[i * size_ + k] * lower_[j * size_ + k];
      lower_[i * size_ + j] = sum / root;
    }
  }
}

std::vector<double> Cholesky::solve(std::span<const double> right) const {
  std::vector<double> x(right.begin(), right.end());
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower_[i * size_ + k] * x[k];
    x[i] /= lower_[i * size_ + i];
  }
  for (std::size_t i = size_; i-- > 0;) {
    for (std::size_t k = i + 1; k < size_; ++k) x[i] -= lower_[k * size_ + i] * x[k];
    x[i] /= lower_[i * size_ + i];
  }
  return x;
}

std::vector<double> Cholesky::inverse() const {
  std::vector<double> inverse(size_ * size_);
  for (std::size_t column = 0; column < size_; ++column) {
    std::vector<double> unit(size_);
    unit[column] = 1;
    const std::vector<double> x = solve(unit);
    for (std::size_t row = 0; row < size_; ++row) inverse[row * size_ + column] = x[row];
  }
  return inverse;
}

}  // namespace assay
