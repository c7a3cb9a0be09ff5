#include "report/conclusions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kMostFigures = 3;
constexpr std::size_t kMostGates = 5;

std::string failed_gates(const Summary& summary) {
  std::vector<std::string> failed;
  for (const GateResult& gate : summary.gates) {
    if (!gate.passed)
      failed.push_back(fmt::format("{} (value {})", gate.gate, gate_value_words(gate, summary)));
  }
  if (failed.size() > kMostGates) {
    const std::size_t more = failed.size() - kMostGates;
    failed.resize(kMostGates);
    failed.push_back(fmt::format("and {} more", more));
  }
  return fmt::format("{}: {}.", gates_sentence(summary), join(failed, ", "));
}

std::vector<std::string> headline_sentences(const Summary& summary) {
  std::vector<std::string> sentences;
  for (const Metric& metric : summary.metrics) {
    if (metric.headline && sentences.size() < kMostFigures) sentences.push_back(figure_sentence(metric));
  }
  if (sentences.empty() && !summary.metrics.empty())
    sentences.push_back(figure_sentence(summary.metrics.front()));
  return sentences;
}

}  // namespace

std::string figure_with_interval(const Metric& metric) {
  const Estimate& estimate = metric.estimate;
  if (!estimate.value) {
    return estimate.undefined.empty() ? std::string(kNotAvailable)
                                      : fmt::format("{} ({})", kNotAvailable, estimate.undefined);
  }
  if (metric.form == Metric::Form::count) return value_words(metric);
  const std::string interval =
      estimate.ci ? fmt::format("{} interval {}, ", level_words(estimate.level), interval_words(metric)) : "";
  return fmt::format("{} ({}n = {})", value_words(metric), interval, count_words(estimate.n));
}

std::string figure_sentence(const Metric& metric) {
  return fmt::format("{} is {}.", metric_words(metric.name), figure_with_interval(metric));
}

std::string simulated_sentence(const std::vector<std::string>& simulated) {
  if (simulated.empty()) return "";
  return fmt::format(
      "Simulated: answers of {} come from the built-in simulator. The figures show what a report looks like; "
      "they say nothing about a real model.",
      join(simulated, ", "));
}

void conclude(Summary& summary) {
  std::vector<std::string> own = std::exchange(summary.conclusions, {});
  if (own.empty()) own = headline_sentences(summary);
  const bool failed = std::ranges::any_of(summary.gates, [](const GateResult& gate) { return !gate.passed; });
  auto& all = summary.conclusions;
  if (failed) all.push_back(failed_gates(summary));
  if (summary.cases.errored > 0) {
    all.push_back(fmt::format("{} of {} ended in error; each figure rests on the cases that its n counts.",
                              count_words(summary.cases.errored),
                              counted_words(summary.cases.total, "case", "cases")));
  }
  std::ranges::move(own, std::back_inserter(all));
  if (!failed && !summary.gates.empty()) all.push_back(gates_sentence(summary) + ".");
}

}  // namespace assay
