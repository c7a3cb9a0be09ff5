#include "report/csv.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/csv.h"

namespace assay {
namespace {

// Eight bytes at a time: not 0 if one of them is `wanted` (Hacker's Delight, 6-1, on the difference).
constexpr std::uint64_t any_byte_is(std::uint64_t bytes, char wanted) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const std::uint64_t different = bytes ^ (kOnes * static_cast<unsigned char>(wanted));
  return (different - kOnes) & ~different & (kOnes << 7);
}

bool needs_quotes(std::string_view text) {
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), sizeof bytes);
    if ((any_byte_is(bytes, ',') | any_byte_is(bytes, '"') | any_byte_is(bytes, '\r') |
         any_byte_is(bytes, '\n')) != 0)
      return true;
    text.remove_prefix(sizeof bytes);
  }
  bool found = false;
  for (const char c : text) found |= (c == ',') | (c == '"') | (c == '\r') | (c == '\n');
  return found;
}

}  // namespace

void append_csv_cell(std::string& out, std::string_view text) {
  const bool disarm = needs_apostrophe(text);
  if (!needs_quotes(text)) {
    if (disarm) out += '\'';
    out.append(text);
    return;
  }
  out += '"';
  if (disarm) out += '\'';
  for (;;) {
    const std::size_t quote = text.find('"');
    out.append(text.substr(0, quote));
    if (quote == std::string_view::npos) break;
    out += "\"\"";
    text.remove_prefix(quote + 1);
  }
  out += '"';
}

void append_csv_row(std::string& out, std::span<const std::string_view> cells) {
  // A single empty cell would read back as an empty line, which many readers skip.
  if (cells.size() == 1 && cells[0].empty()) out += "\"\"";
  bool first = true;
  for (std::string_view cell : cells) {
    if (!first) out += ',';
    first = false;
    append_csv_cell(out, cell);
  }
  out += "\r\n";
}

void append_csv_row(std::string& out, const std::vector<std::string>& cells) {
  const std::vector<std::string_view> views(cells.begin(), cells.end());
  append_csv_row(out, std::span<const std::string_view>(views));
}

std::string summary_csv(const Summary& summary) {
  std::string out = "property,value\r\n";
  const auto row = [&](std::string_view property, const std::string& value) {
    append_csv_row(out, {property, value});
  };
  row("cases.total", std::to_string(summary.cases.total));
  row("cases.evaluated", std::to_string(summary.cases.evaluated));
  row("cases.errored", std::to_string(summary.cases.errored));
  row("cases.invalid", std::to_string(summary.cases.invalid));
  for (const Metric& metric : summary.metrics) {
    const Estimate& estimate = metric.estimate;
    const bool defined = estimate.value && std::isfinite(*estimate.value);
    row(metric.name, defined ? number_text(*estimate.value) : std::string());
    if (metric.form == Metric::Form::count) continue;
    if (estimate.count) row(metric.name + ".count", std::to_string(*estimate.count));
    row(metric.name + ".n", std::to_string(estimate.n));
    if (!estimate.ci) continue;
    row(metric.name + ".ci_low", number_text(estimate.ci->low));
    row(metric.name + ".ci_high", number_text(estimate.ci->high));
  }
  return out;
}

}  // namespace assay
