// Small symmetric positive definite matrices (information, covariance), as fits of a few dozen parameters
// need them: Cholesky, without pivoting. Matrices are square, row by row.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace assay {

class Cholesky {
 public:
  // The first row that depends on those before it (its pivot is below 1e-11 of its diagonal), if any; solve()
  // and inverse() may only be asked if there is none.
  Cholesky(std::span<const double> matrix, std::size_t size);
  std::optional<std::size_t> dependent_row() const { return dependent_; }

  std::vector<double> solve(std::span<const double> right) const;
  std::vector<double> inverse() const;

 private:
  std::size_t size_;
  std::vector<double> lower_;
  std::optional<std::size_t> dependent_;
};

}  // namespace assay
