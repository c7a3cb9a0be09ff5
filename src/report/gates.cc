#include "report/gates.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

struct Operator {
  std::string_view text;
  GateOperator comparison;
};
constexpr Operator kOperators[] = {{">=", GateOperator::at_least}, {"<=", GateOperator::at_most},
                                   {"==", GateOperator::equal},    {"!=", GateOperator::not_equal},
                                   {">", GateOperator::above},     {"<", GateOperator::below}};

// Figures beside the metrics, by the name that a gate may use.
struct RunFigure {
  std::string_view name;
  std::optional<double> (*value)(const Summary& summary);
};
double real(std::int64_t count) {
  return static_cast<double>(count);
}
constexpr RunFigure kRunFigures[] = {
    {"cases.total", [](const Summary& s) -> std::optional<double> { return real(s.cases.total); }},
    {"cases.evaluated", [](const Summary& s) -> std::optional<double> { return real(s.cases.evaluated); }},
    {"cases.errored", [](const Summary& s) -> std::optional<double> { return real(s.cases.errored); }},
    {"cases.invalid", [](const Summary& s) -> std::optional<double> { return real(s.cases.invalid); }},
    {"usage.requests", [](const Summary& s) -> std::optional<double> { return real(s.usage.requests); }},
    {"usage.prompt_tokens",
     [](const Summary& s) -> std::optional<double> { return real(s.usage.prompt_tokens); }},
    {"usage.completion_tokens",
     [](const Summary& s) -> std::optional<double> { return real(s.usage.completion_tokens); }},
    {"usage.cached_tokens",
     [](const Summary& s) -> std::optional<double> { return real(s.usage.cached_tokens); }},
    {"usage.reasoning_tokens",
     [](const Summary& s) -> std::optional<double> { return real(s.usage.reasoning_tokens); }},
    {"usage.cost_usd", [](const Summary& s) { return s.usage.cost_usd; }},
    {"usage.cached", [](const Summary& s) -> std::optional<double> { return real(s.usage.cached); }},
};

const RunFigure* find_run_figure(std::string_view name) {
  for (const RunFigure& figure : kRunFigures) {
    if (figure.name == name || (figure.name.starts_with("cases.") && figure.name.substr(6) == name))
      return &figure;
  }
  return nullptr;
}

const Metric* find_metric(std::string_view name, const Summary& summary) {
  const auto found = std::ranges::find(summary.metrics, name, &Metric::name);
  return found == summary.metrics.end() ? nullptr : &*found;
}

// The end of an interval that a name asks for, where no metric has that very name.
struct IntervalEnd {
  std::string_view metric;
  double Interval::* end = nullptr;
};
std::optional<IntervalEnd> interval_end(std::string_view name) {
  for (const auto& [word, end] : {std::pair{std::string_view(".low"), &Interval::low},
                                  std::pair{std::string_view(".high"), &Interval::high}}) {
    if (name.size() > word.size() && name.ends_with(word))
      return IntervalEnd{name.substr(0, name.size() - word.size()), end};
  }
  return std::nullopt;
}

// Where the operator stands: the last one, since a label in a name may hold any character and a number none.
std::optional<std::pair<std::size_t, Operator>> find_operator(std::string_view text) {
  for (std::size_t at = text.size(); at-- > 0;) {
    for (const Operator& one : kOperators) {
      if (one.text.size() == 2 && at > 0 && text.substr(at - 1, 2) == one.text) return {{at - 1, one}};
      if (one.text.size() == 1 && text.substr(at, 1) == one.text) return {{at, one}};
    }
  }
  return std::nullopt;
}

std::unexpected<Error> not_a_gate(std::string_view text, std::string_view why) {
  return fail(ErrorKind::config,
              fmt::format("\"{}\" is not a gate: {}; a gate reads like \"precision >= 0.8\"",
                          shorten(text, 120), why));
}

Error unknown_name(std::string_view name, std::vector<std::string> known) {
  const std::string wanted = lower_ascii(name);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (std::string& candidate : known) {
    // A part that matches ("mean" in "coherence.mean") is near, however long the rest is.
    const std::size_t distance =
        candidate.find(wanted) != std::string::npos ? 0 : edit_distance(wanted, candidate);
    ranked.emplace_back(distance, std::move(candidate));
  }
  std::ranges::sort(ranked);
  std::string nearest;
  for (std::size_t i = 0; i < std::min<std::size_t>(ranked.size(), 4); ++i) {
    nearest += (i == 0 ? "" : ", ") + ranked[i].second;
  }
  return Error{ErrorKind::config,
               nearest.empty() ? fmt::format("there is no metric \"{}\"", shorten(name, 120))
                               : fmt::format("there is no metric \"{}\"; the nearest are {}",
                                             shorten(name, 120), nearest),
               {}};
}

bool declared(std::string_view wanted, std::span<const std::string> metric_names) {
  return std::ranges::any_of(metric_names, [&](std::string_view name) {
    return name.ends_with('.') ? wanted.size() > name.size() && wanted.starts_with(name) : wanted == name;
  });
}

void add_run_figures(std::vector<std::string>& names) {
  for (const RunFigure& figure : kRunFigures) names.emplace_back(figure.name);
}

// Reasons may open with the same words themselves.
std::string_view without_opening(std::string_view reason) {
  constexpr std::string_view kOpening = "no interval: ";
  return reason.starts_with(kOpening) ? reason.substr(kOpening.size()) : reason;
}

bool holds(double value, GateOperator comparison, double threshold) {
  const double tolerance = 1e-9 * std::max({1.0, std::fabs(value), std::fabs(threshold)});
  const bool equal = value == threshold || std::fabs(value - threshold) <= tolerance;
  switch (comparison) {
    case GateOperator::at_least:
      return equal || value > threshold;
    case GateOperator::above:
      return !equal && value > threshold;
    case GateOperator::at_most:
      return equal || value < threshold;
    case GateOperator::below:
      return !equal && value < threshold;
    case GateOperator::equal:
      return equal;
    default:
      return !equal;
  }
}

}  // namespace

Result<Gate> parse_gate(std::string_view text) {
  const std::string_view whole = trim(text);
  const auto found = find_operator(whole);
  if (!found) {
    if (whole.find('=') != std::string_view::npos) return not_a_gate(whole, "use == to compare");
    return not_a_gate(whole, "it has none of >= > <= < == !=");
  }
  const auto [at, comparison] = *found;
  const std::string_view name = trim(whole.substr(0, at));
  const std::string_view number = trim(whole.substr(at + comparison.text.size()));
  if (name.empty()) return not_a_gate(whole, "it names no metric");
  if (std::string_view("=<>!~").find(name.back()) != std::string_view::npos) {
    return not_a_gate(whole, "its operator is none of >= > <= < == !=");
  }
  if (number.empty()) return not_a_gate(whole, "it has no number to compare with");

  Gate gate{std::string(whole), std::string(name), comparison.comparison, 0};
  const std::string_view digits = number.starts_with('+') ? number.substr(1) : number;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), gate.threshold);
  const bool is_number =
      problem == std::errc() && end == digits.data() + digits.size() && std::isfinite(gate.threshold);
  if (is_number) return gate;
  if (problem == std::errc() && std::string_view(end, digits.data() + digits.size()) == "%") {
    return not_a_gate(whole, fmt::format("write the share {} as {}", number, gate.threshold / 100));
  }
  return not_a_gate(whole, fmt::format("\"{}\" is not a number", shorten(number, 40)));
}

Status check_gate(const Gate& gate, std::span<const std::string> metric_names) {
  if (find_run_figure(gate.name) != nullptr) return {};
  if (declared(gate.name, metric_names)) return {};
  if (const auto end = interval_end(gate.name); end && declared(end->metric, metric_names)) return {};
  std::vector<std::string> known(metric_names.begin(), metric_names.end());
  for (std::string& name : known) {
    if (name.ends_with('.')) name += "…";
  }
  add_run_figures(known);
  return fail(unknown_name(gate.name, std::move(known)).with("gate", gate.text));
}

Result<GateResult> evaluate_gate(const Gate& gate, const Summary& summary) {
  GateResult result;
  result.gate = gate.text;
  if (const Metric* metric = find_metric(gate.name, summary)) {
    result.value = metric->estimate.value;
    if (!result.value) {
      result.note = metric->estimate.undefined.empty()
                        ? "undefined"
                        : fmt::format("undefined: {}", metric->estimate.undefined);
    }
  } else if (const auto end = interval_end(gate.name);
             const Metric* bounded = end ? find_metric(end->metric, summary) : nullptr) {
    const Estimate& estimate = bounded->estimate;
    if (estimate.ci) {
      result.value = (*estimate.ci).*end->end;
    } else {
      result.note =
          fmt::format("no interval: {}", estimate.undefined.empty() ? "none is made for this figure"
                                                                    : without_opening(estimate.undefined));
    }
  } else if (const RunFigure* figure = find_run_figure(gate.name)) {
    result.value = figure->value(summary);
    if (!result.value) result.note = "undefined: the price of some answers is not known";
  } else {
    std::vector<std::string> known;
    known.reserve(summary.metrics.size());
    for (const Metric& one : summary.metrics) known.push_back(one.name);
    add_run_figures(known);
    return fail(unknown_name(gate.name, std::move(known)).with("gate", gate.text));
  }
  if (result.value && !std::isfinite(*result.value)) {
    result.value.reset();
    result.note = "undefined: not a finite number";
  }
  result.passed = result.value && holds(*result.value, gate.comparison, gate.threshold);
  return result;
}

std::vector<GateResult> evaluate_gates(std::span<const Gate> gates, const Summary& summary) {
  std::vector<GateResult> results;
  for (const Gate& gate : gates) {
    auto result = evaluate_gate(gate, summary);
    if (result) {
      results.push_back(std::move(*result));
    } else {
      results.push_back({gate.text, false, std::nullopt, result.error().message});
    }
  }
  return results;
}

Metric::Form gate_form(const Gate& gate, const Summary& summary) {
  if (const Metric* metric = find_metric(gate.name, summary)) return metric->form;
  if (const auto end = interval_end(gate.name)) {
    if (const Metric* metric = find_metric(end->metric, summary)) return metric->form;
  }
  return gate.name == "usage.cost_usd" ? Metric::Form::number : Metric::Form::count;
}

}  // namespace assay
