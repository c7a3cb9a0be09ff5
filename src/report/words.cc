#include "report/words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "core/time.h"
#include "report/gates.h"

namespace assay {
namespace {

std::string with_separators(std::string digits) {
  const std::size_t first = digits.find_first_of("0123456789");
  const std::size_t end = std::min(digits.find('.'), digits.size());
  for (std::size_t at = end; first != std::string::npos && at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

// Of an evaluation whose metrics count their cases each (NAME.n beside NAME.mean), where some cases ended in
// error and still have some of them: "coherence on 10, faithfulness on 7".
std::string partly_evaluated(const Summary& summary) {
  constexpr std::size_t kMost = 8;
  std::string words;
  std::size_t told = 0;
  bool some = false;
  for (const Metric& metric : summary.metrics) {
    if (metric.form != Metric::Form::count || !metric.name.ends_with(".n")) continue;
    const auto scored = static_cast<std::int64_t>(metric.estimate.value.value_or(0));
    some = some || scored > summary.cases.evaluated;
    if (told++ < kMost)
      words +=
          fmt::format("{}{} on {}", words.empty() ? "" : ", ", metric.name.substr(0, metric.name.size() - 2),
                      with_separators(std::to_string(scored)));
  }
  return some && summary.cases.errored > 0 ? words : "";
}

}  // namespace

std::string count_words(std::int64_t count) {
  return with_separators(fmt::format("{}", count));
}

std::string bytes_words(std::int64_t bytes) {
  if (bytes < 1000) return counted_words(bytes, "byte", "bytes");
  double amount = static_cast<double>(bytes);
  std::string_view unit;
  for (const std::string_view next : {"kB", "MB", "GB", "TB"}) {
    // 999.95 kB would show as 1000.0 kB.
    if (!unit.empty() && amount < 999.95) break;
    amount /= 1000;
    unit = next;
  }
  return fmt::format("{:.1f} {}", amount, unit);
}

std::string share_words(double share) {
  if (!std::isfinite(share)) return std::string(kNotAvailable);
  const double percent = share * 100;
  int decimals = 1;
  // 99.96 would round to 100.0, which only a perfect share may show.
  for (; decimals < 6; ++decimals) {
    const std::string text = fmt::format("{:.{}f}", percent, decimals);
    const double shown = std::strtod(text.c_str(), nullptr);
    if ((shown != 0 || percent == 0) && (shown != 100 || percent == 100)) break;
  }
  const std::string text = fmt::format("{:.{}f}%", percent, decimals);
  return text.starts_with("-0.0%") ? "0.0%" : text;
}

std::string number_words(double number) {
  if (!std::isfinite(number)) return std::string(kNotAvailable);
  const double size = std::fabs(number);
  if (size >= 1e15) return fmt::format("{:.3g}", number);
  if (size >= 1000) return with_separators(fmt::format("{:.1f}", number));
  if (size == 0) return "0.000";
  if (size >= 0.001) return fmt::format("{:.3f}", number);
  return fmt::format("{:.3g}", number);
}

std::string cost_words(std::optional<double> dollars) {
  if (!dollars || !std::isfinite(*dollars)) return "unknown";
  if (*dollars == 0) return "$0";
  if (std::fabs(*dollars) < 0.01) return fmt::format("${:.2g}", *dollars);
  return "$" + with_separators(fmt::format("{:.2f}", *dollars));
}

std::string figure_words(double value, Metric::Form form) {
  switch (form) {
    case Metric::Form::share:
      return share_words(value);
    case Metric::Form::count:
      if (std::isfinite(value) && value == std::floor(value) && std::fabs(value) < 1e15) {
        return count_words(static_cast<std::int64_t>(value));
      }
      return number_words(value);
    default:
      return number_words(value);
  }
}

std::string value_words(const Metric& metric) {
  return metric.estimate.value ? figure_words(*metric.estimate.value, metric.form)
                               : std::string(kNotAvailable);
}

std::string range_words(const Interval& interval, Metric::Form form) {
  return fmt::format("{} – {}", figure_words(interval.low, form), figure_words(interval.high, form));
}

std::string interval_words(const Metric& metric) {
  if (metric.estimate.ci) return range_words(*metric.estimate.ci, metric.form);
  return metric.estimate.undefined.empty() ? std::string() : std::string(kNotAvailable);
}

std::string number_or_none(std::optional<double> value) {
  return value ? number_words(*value) : std::string(kNotAvailable);
}

std::string interval_or_none(const Estimate& estimate) {
  return estimate.ci ? range_words(*estimate.ci, Metric::Form::number) : std::string(kNotAvailable);
}

std::string p_words(std::optional<double> p) {
  if (!p) return std::string(kNotAvailable);
  return *p < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", *p);
}

std::string missing_words(const Estimate& estimate) {
  std::string words;
  for (const auto& [reason, count] : estimate.missing) {
    if (!words.empty()) words += ", ";
    words += fmt::format("{} {}", plain_words(reason), count_words(count));
  }
  return words;
}

std::string method_words(std::string_view method) {
  static constexpr std::pair<std::string_view, std::string_view> kMethods[] = {
      {"wilson", "Wilson"},
      {"clopper_pearson", "Clopper–Pearson"},
      {"jeffreys", "Jeffreys"},
      {"t", "t"},
      {"t_clustered", "t, clustered"},
      {"all_equal", "bound, as no case differs"},
      {"all_equal_clustered", "bound, as no case differs, clustered"},
      {"wilson_clustered", "Wilson, clustered"},
      {"wilson_shares", "Wilson, cases' shares"},
      {"wilson_shares_clustered", "Wilson, cases' shares, clustered"},
      {"paired_t", "paired t"},
      {"paired_t_clustered", "paired t, clustered"},
      {"paired_t_plus_one", "paired t, one more pair without difference"},
      {"paired_t_clustered_plus_one", "paired t, clustered, one more cluster without difference"},
      {"woodruff_clustered", "Woodruff, clustered"},
      {"order_statistics", "order statistics"},
      {"bootstrap_percentile", "bootstrap"},
      {"bootstrap_clusters", "bootstrap over clusters"},
      {"betting", "betting sequence"},
      {"betting_clustered", "betting sequence over clusters"},
      {"bootstrap_bca", "bootstrap, BCa"},
      {"pooled_sd", "pooled deviation"},
      {"ppi_plus_plus_weighted", "PPI++, weighted"},
      {"mean_weighted", "mean, weighted"},
      {"rogan_gladen", "Rogan–Gladen"},
      {"newcombe", "Newcombe"},
      {"t_linearised", "t, linearised"},
      {"t_over_queries", "t over queries"},
  };
  const auto* known =
      std::ranges::find(kMethods, method, &std::pair<std::string_view, std::string_view>::first);
  return std::string(known == std::end(kMethods) ? method : known->second);
}

std::string level_words(double level) {
  return fmt::format("{:g}%", level * 100);
}

std::string metric_words(std::string_view name) {
  std::string words = title_words(name);
  for (std::size_t at = words.find('.'); at != std::string::npos; at = words.find('.', at))
    words.replace(at, 1, " · ");
  return words;
}

std::string plain_words(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string title_words(std::string_view name) {
  std::string words = plain_words(name);
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z')
    words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

std::string counted_words(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count_words(count), count == 1 ? one : many);
}

std::string cases_sentence(const Summary& summary) {
  const CaseCounts& cases = summary.cases;
  const std::string partly = partly_evaluated(summary);
  std::string words =
      cases.evaluated == cases.total && cases.errored == 0
          ? (cases.total == 1 ? "The one case was evaluated."
                              : fmt::format("All {} cases were evaluated.", count_words(cases.total)))
          : fmt::format("{} of {} {} evaluated{}.", count_words(cases.evaluated),
                        counted_words(cases.total, "case", "cases"),
                        cases.evaluated == 1 || cases.total == 1 ? "was" : "were",
                        partly.empty() ? "" : " completely, others in part: " + partly);
  if (cases.total == 0) words = "There were no cases.";
  if (cases.errored > 0)
    words += fmt::format(" {} ended in error.", counted_words(cases.errored, "case", "cases"));
  if (cases.invalid > 0) {
    words += fmt::format(" {} not valid and {} left out.",
                         counted_words(cases.invalid, "input line was", "input lines were"),
                         cases.invalid == 1 ? "was" : "were");
  }
  if (cases.skipped > 0)
    words += fmt::format(" {} not needed.", counted_words(cases.skipped, "case was", "cases were"));
  if (cases.open > 0)
    words += fmt::format(" {} no outcome yet.", counted_words(cases.open, "case has", "cases have"));
  if (cases.errored == 0 && cases.invalid == 0 && cases.total > 0 && cases.evaluated == cases.total) {
    words += " Nothing was left out.";
  }
  return words;
}

std::string stopping_sentence(const Summary& summary) {
  if (!summary.stopping) return "";
  const StoppingReport& report = *summary.stopping;
  std::string words =
      report.stopped
          ? fmt::format("Stopped early, after {} of {} in random order, since every condition was settled: ",
                        count_words(report.taken), counted_words(report.of, "case", "cases"))
          : std::string("The run was allowed to stop early and did not: ");
  std::string_view separator;
  for (const StopVerdict& verdict : report.conditions) {
    words += separator;
    separator = "; ";
    if (verdict.answer == StopVerdict::Answer::open) {
      words += fmt::format("“{}” stayed open", verdict.condition);
    } else {
      words += fmt::format("“{}” {} after {}", verdict.condition,
                           verdict.answer == StopVerdict::Answer::yes ? "was reached" : "was refuted",
                           counted_words(verdict.after, "case", "cases"));
    }
  }
  words += ".";
  if (report.stopped) {
    words += fmt::format(
        " That saved about {}{}.", counted_words(std::llround(report.saved_requests), "request", "requests"),
        report.saved_usd && *report.saved_usd > 0 ? fmt::format(" ({})", cost_words(report.saved_usd))
                                                  : std::string());
  }
  return words + " Intervals of means hold however often one looks (betting).";
}

std::string usage_sentence(const UsageTotals& usage) {
  std::string words = counted_words(usage.requests, "request", "requests");
  if (usage.retries > 0)
    words += fmt::format(" ({} of them {})", count_words(usage.retries),
                         usage.retries == 1 ? "a retry" : "retries");
  if (usage.repairs > 0)
    words += fmt::format(", {} asked again", counted_words(usage.repairs, "answer", "answers"));
  if (usage.cached > 0)
    words += fmt::format(", {} from an earlier run", counted_words(usage.cached, "answer", "answers"));
  return words +
         fmt::format(", {} in, {} out, cost {}", counted_words(usage.prompt_tokens, "token", "tokens"),
                     counted_words(usage.completion_tokens, "token", "tokens"), cost_words(usage.cost_usd));
}

std::string gates_sentence(const Summary& summary) {
  const std::vector<GateResult>& gates = summary.gates;
  if (gates.empty()) return "";
  const auto failed = std::ranges::count(gates, false, &GateResult::passed);
  if (summary.cases.open > 0) {
    if (gates.size() == 1) return fmt::format("The gate {}", gate_state_words(gates.front(), summary));
    if (failed == 0) return fmt::format("All {} gates hold so far", gates.size());
    return fmt::format("{} of {} gates {} not hold so far", failed, gates.size(),
                       failed == 1 ? "does" : "do");
  }
  if (failed == 0) {
    return gates.size() == 1 ? "The gate passed" : fmt::format("All {} gates passed", gates.size());
  }
  if (gates.size() == 1) return "The gate failed";
  return fmt::format("{} of {} gates failed", failed, gates.size());
}

std::string_view gate_state_words(const GateResult& gate, const Summary& summary) {
  if (summary.cases.open > 0) return gate.passed ? "holds so far" : "does not hold so far";
  return gate.passed ? "passed" : "failed";
}

std::string first_of(const std::vector<std::string>& texts, std::size_t most) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(texts.size(), most));
  std::string words = join(std::vector<std::string>(texts.begin(), texts.begin() + count), ", ");
  if (texts.size() > most) words += fmt::format(", … and {} more", texts.size() - most);
  return words;
}

std::string time_words(std::string_view iso) {
  const auto time = parse_iso_time(iso);
  if (!time) return std::string(iso);
  const std::string text = iso_time(*time);
  return fmt::format("{} {} UTC", text.substr(0, 10), text.substr(11, 8));
}

std::string elapsed_words(const Summary& summary) {
  if (summary.worked_seconds)
    return duration_text(std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(*summary.worked_seconds)));
  const auto started = parse_iso_time(summary.started);
  const auto finished = parse_iso_time(summary.finished);
  if (!started || !finished || *finished < *started) return "";
  return duration_text(std::chrono::duration_cast<std::chrono::nanoseconds>(*finished - *started));
}

std::string gate_value_words(const GateResult& result, const Summary& summary) {
  if (!result.value) return std::string(kNotAvailable);
  const auto gate = parse_gate(result.gate);
  if (!gate) return number_words(*result.value);
  if (gate->name == "usage.cost_usd") return cost_words(result.value);
  return figure_words(*result.value, gate_form(*gate, summary));
}

}  // namespace assay
