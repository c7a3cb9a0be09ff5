// What is kept of every case until the last has come: its cells, its cluster and its slices, as numbers in
// columns. A cell takes 16 bytes, so 100,000 cases of two variants and five metrics take some 20 MB; no text
// of a case is kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/case.h"
#include "evaluations/custom/figures/measures.h"
#include "stats/estimate.h"
#include "stats/intervals/cluster_numbers.h"

namespace assay::custom {

using Rows = std::span<const std::uint32_t>;

// The values that one slice field has in the data, by number; 0 is for cases without one. After many
// different ones, new values are not told apart any more.
class SliceValues {
 public:
  static constexpr std::size_t kMost = 10'000;
  std::uint32_t of(const std::string& value);
  const std::string& name(std::uint32_t number) const { return names_[number]; }
  std::size_t count() const { return names_.size(); }
  std::int64_t beyond() const { return beyond_; }  // cases whose value came after that

 private:
  std::vector<std::string> names_ = {""};
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::int64_t beyond_ = 0;
};

class CaseTable {
 public:
  // `measures` must outlive it.
  explicit CaseTable(const Measures& measures);

  void add(const Case& input, const CaseMarks& marks, OutcomeKind otherwise);

  const Measures& measures() const { return measures_; }
  std::size_t size() const { return clusters_.size(); }
  bool clustered() const { return clustered_; }
  Rows rows() const { return rows_; }  // all of them
  std::span<const Cell> column(std::size_t measure) const { return columns_[measure]; }
  // The number of the row's cluster; a case that belongs with no other has its own.
  std::uint32_t cluster(std::size_t row) const { return clusters_[row]; }
  std::span<const std::uint32_t> slice(std::size_t field) const { return slices_[field]; }
  const SliceValues& values(std::size_t field) const { return values_[field]; }
  // Of the answers of one variant that have one; with several answers a case, or clusters, each with the
  // number of what it belongs to, else none.
  struct Latencies {
    std::vector<double> milliseconds;
    std::vector<std::uint32_t> clusters;
  };
  Latencies latencies(std::size_t variant) const;

 private:
  const Measures& measures_;
  std::vector<std::vector<Cell>> columns_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> clusters_;
  std::vector<std::vector<std::uint32_t>> slices_;
  std::vector<SliceValues> values_;
  struct Latency {
    float milliseconds;
    std::uint32_t row;
  };
  std::vector<std::vector<Latency>> latencies_;  // by variant
  ClusterNumbers numbers_;
  bool clustered_ = false;
  std::vector<Cell> cells_;  // of the case at hand
};

// The figure of these rows, with its interval, what is missing and its bounds.
Estimate estimate_measure(const CaseTable& table, std::size_t measure, Rows rows);
// The middle of the cases' means.
Estimate estimate_case_median(const CaseTable& table, std::size_t measure, Rows rows);

}  // namespace assay::custom
