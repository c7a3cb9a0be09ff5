#include "report/hangs_on_missing.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kMostFigures = 3;

const Metric* find_metric(const Summary& summary, std::string_view name) {
  const auto found = std::ranges::find(summary.metrics, name, &Metric::name);
  return found == summary.metrics.end() ? nullptr : &*found;
}

// What the gate would say of this value.
bool would_pass(const Gate& gate, double value) {
  Summary one;
  one.metrics.push_back({gate.name, plain_figure(value, 1)});
  const auto result = evaluate_gate(gate, one);
  return result && result->passed;
}

std::string gate_sentence(const Gate& gate, const GateResult& result, const Metric& metric) {
  const Estimate& estimate = metric.estimate;
  for (const double end : {estimate.bounds->low, estimate.bounds->high}) {
    if (would_pass(gate, end) == result.passed) continue;
    return fmt::format(
        "The gate “{}” {} with {}, and what is missing could change that ({}): with all of it at its {} the "
        "figure would be {}, and the gate would {}.",
        gate.text, result.passed ? "passed" : "failed", value_words(metric), missing_words(estimate),
        (end == estimate.bounds->low) == (metric.better != Metric::Better::lower) ? "worst" : "best",
        figure_words(end, metric.form), result.passed ? "fail" : "pass");
  }
  return "";
}

// The missing cases could move the figure further than chance does.
bool outweighs_chance(const Estimate& estimate) {
  if (!estimate.bounds || estimate.missing.empty()) return false;
  return !estimate.ci || estimate.bounds->low < estimate.ci->low || estimate.bounds->high > estimate.ci->high;
}

}  // namespace

std::vector<std::string> missing_conclusions(std::span<const Gate> gates, const Summary& summary) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < std::min(gates.size(), summary.gates.size()); ++i) {
    const Metric* metric = find_metric(summary, gates[i].name);
    if (metric == nullptr || !metric->estimate.bounds) continue;
    std::string sentence = gate_sentence(gates[i], summary.gates[i], *metric);
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  std::string figures;
  std::size_t told = 0;
  for (const Metric& metric : summary.metrics) {
    if (!metric.headline || !outweighs_chance(metric.estimate) || told == kMostFigures) continue;
    ++told;
    figures += fmt::format("{}{} between {} (missing: {})", figures.empty() ? "" : "; ", metric.name,
                           range_words(*metric.estimate.bounds, metric.form), missing_words(metric.estimate));
  }
  if (!figures.empty()) {
    sentences.push_back(fmt::format(
        "What is missing weighs more than chance: with all of it at its worst or its best, {}.", figures));
  }
  return sentences;
}

}  // namespace assay
