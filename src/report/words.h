// Figures as people read them, the same in every report: "60.0%", "1,234", "n/a". A share that is not exactly
// 0 or 1 never shows as 0% or 100%.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay {

inline constexpr std::string_view kNotAvailable = "n/a";

std::string count_words(std::int64_t count);            // "1,234,567"
std::string share_words(double share);                  // "60.0%"
std::string number_words(double number);                // "0.612", "1,234.5", "0.000123"
std::string bytes_words(std::int64_t bytes);            // "512 bytes", "1.4 MB"
std::string cost_words(std::optional<double> dollars);  // "$1.23", "$0.00042", "unknown"
std::string figure_words(double value, Metric::Form form);
std::string value_words(const Metric& metric);  // "n/a" if undefined
// "23.1% – 88.2%"; "n/a" without an interval, and empty where none is meant (a count).
std::string interval_words(const Metric& metric);
std::string range_words(const Interval& interval, Metric::Form form);
// For figures without a form of their own; "n/a" where there is none.
std::string number_or_none(std::optional<double> value);
std::string interval_or_none(const Estimate& estimate);
std::string p_words(std::optional<double> p);  // "0.0123", "< 0.0001"
// "judge failed 3, refused 1"; empty if nothing is missing.
std::string missing_words(const Estimate& estimate);
// "wilson" as "Wilson", "bootstrap_percentile" as "bootstrap"; an unknown method as it is
// written.
std::string method_words(std::string_view method);
// "95%"
std::string level_words(double level);
// "question_router" as "Question router".
std::string title_words(std::string_view name);
// "coherence.mean" as "Coherence · mean".
std::string metric_words(std::string_view name);
// "judge_failed" as "judge failed".
std::string plain_words(std::string_view name);
// "1 case", "2 cases".
std::string counted_words(std::int64_t count, std::string_view one, std::string_view many);
// How many cases the figures rest on and what was left out, in one or two sentences. Where a case may fail in
// part (one metric of several), those that did are told apart from those that gave nothing, with the figures
// that rest on more cases than were evaluated completely.
std::string cases_sentence(const Summary& summary);
// Whether, when and why the run stopped early, and what that saved; "" if it was not allowed to.
std::string stopping_sentence(const Summary& summary);
// What was sent, paid and asked again: "12 requests (2 of them retries), 3 answers asked again, 1,000 tokens
// in, …".
std::string usage_sentence(const UsageTotals& usage);
// "2 of 3 gates failed", "All 3 gates passed"; of a run that is not finished, which may end otherwise, "All 3
// gates hold so far"; empty without gates.
std::string gates_sentence(const Summary& summary);
// "passed" or "failed"; of a run that is not finished "holds so far" or "does not hold so far".
std::string_view gate_state_words(const GateResult& gate, const Summary& summary);
// "a, b, … and 3 more"
std::string first_of(const std::vector<std::string>& texts, std::size_t most);
// "2026-09-01 08:30:00 UTC"; what is no time stays as it is.
std::string time_words(std::string_view iso);
// The time of work, "2m 10s": without pauses between sittings where that is known, else from start to end;
// empty if unknown.
std::string elapsed_words(const Summary& summary);
// The gate's value in the form of its metric; "n/a" if undefined.
std::string gate_value_words(const GateResult& gate, const Summary& summary);

}  // namespace assay
