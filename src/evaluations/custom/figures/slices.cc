#include "evaluations/custom/figures/slices.h"

#include <algorithm>

#include <fmt/format.h>

#include "evaluations/custom/figures/differences.h"
#include "report/words.h"

namespace assay::custom {
namespace {

Json or_null(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> low_of(const Estimate& estimate) {
  return estimate.ci ? std::optional(estimate.ci->low) : std::nullopt;
}

std::optional<double> high_of(const Estimate& estimate) {
  return estimate.ci ? std::optional(estimate.ci->high) : std::nullopt;
}

// The numbers of the values to show: the most frequent, then by name.
std::vector<std::uint32_t> shown_values(const CaseTable& table, std::size_t field) {
  const SliceValues& values = table.values(field);
  std::vector<std::int64_t> counts(values.count());
  for (const std::uint32_t value : table.slice(field)) ++counts[value];
  std::vector<std::uint32_t> order;
  for (std::uint32_t value = 1; value < values.count(); ++value) order.push_back(value);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : values.name(a) < values.name(b);
  });
  if (order.size() > kMostSliceValues) order.resize(kMostSliceValues);
  return order;
}

void add_value(const CaseTable& table, const std::string& field, const std::string& value, Rows rows,
               Table& shown, Summary& summary) {
  const Design& design = table.measures().design();
  const std::vector<Comparison> comparisons = compare_variants(table, rows);
  for (std::size_t i = 0; i < table.measures().list().size(); ++i) {
    const Measure& measure = table.measures().list()[i];
    if (!measure.sliced) continue;
    Estimate estimate = estimate_measure(table, i, rows);
    if (estimate.n == 0 && estimate.missing.empty()) continue;
    const std::string variant = measure.variant ? design.variants[*measure.variant] : std::string();
    const auto comparison = std::ranges::find_if(comparisons, [&](const Comparison& one) {
      return !one.pairwise && measure.compared && one.metric == measure.stem && one.variant == variant;
    });
    std::vector<Json> row{boost::json::string(value), boost::json::string(measure.stem + "." + measure.word)};
    if (design.has_variants()) row.emplace_back(boost::json::string(variant));
    row.insert(row.end(), {or_null(estimate.value), or_null(low_of(estimate)), or_null(high_of(estimate)),
                           Json(estimate.n)});
    if (design.baseline) {
      const bool there = comparison != comparisons.end();
      row.push_back(there ? or_null(comparison->difference.value) : Json(nullptr));
      row.push_back(there ? or_null(low_of(comparison->difference)) : Json(nullptr));
      row.push_back(there ? or_null(high_of(comparison->difference)) : Json(nullptr));
    }
    shown.rows.push_back(std::move(row));
    Metric metric{fmt::format("{}.{}={}", measure.name, field, value), std::move(estimate), measure.form,
                  measure.better, false};
    if (measure.form == Metric::Form::number) metric.range = measure.range;
    metric.reference = measure.reference;
    summary.metrics.push_back(std::move(metric));
  }
}

}  // namespace

void add_slices(const CaseTable& table, Summary& summary) {
  const Design& design = table.measures().design();
  for (std::size_t field = 0; field < design.slices.size(); ++field) {
    const std::string& name = design.slices[field];
    const SliceValues& values = table.values(field);
    const std::vector<std::uint32_t> order = shown_values(table, field);
    const auto all = static_cast<std::int64_t>(values.count() - 1);
    Table shown{"by_" + name, "By " + name, {name, "figure"}, {}, false, "", ""};
    if (all > static_cast<std::int64_t>(order.size())) {
      shown.title += fmt::format(": the {} most frequent of {}{} values", order.size(),
                                 values.beyond() > 0 ? "more than " : "", count_words(all));
    }
    if (design.baseline)
      shown.title += "; differences from " + design.variants[*design.baseline] + " are exploratory";
    if (design.has_variants()) shown.columns.emplace_back("variant");
    shown.columns.insert(shown.columns.end(), {"value", "low", "high", "n"});
    if (design.baseline)
      shown.columns.insert(shown.columns.end(), {"difference", "difference_low", "difference_high"});
    std::vector<std::vector<std::uint32_t>> rows(values.count());
    for (std::uint32_t row = 0; row < table.size(); ++row) rows[table.slice(field)[row]].push_back(row);
    for (const std::uint32_t value : order)
      add_value(table, name, values.name(value), rows[value], shown, summary);
    summary.tables.push_back(std::move(shown));
  }
}

}  // namespace assay::custom
