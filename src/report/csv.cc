#include "report/csv.h"

#include <cmath>

#include "core/tables/csv.h"

namespace assay {
namespace {

// Copied while it is looked at, without a branch: the compiler turns this into a few instructions for every
// sixteen bytes. False: some byte asks for quotes around the cell.
bool copy_unquoted(char* __restrict to, const char* __restrict from, std::size_t size) {
  bool plain = true;
  for (std::size_t i = 0; i < size; ++i) {
    const char c = from[i];
    to[i] = c;
    plain &= (c != ',') & (c != '"') & (c != '\r') & (c != '\n');
  }
  return plain;
}

void append_quoted(std::string& out, std::string_view text, bool disarm) {
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

}  // namespace

void append_csv_cell(std::string& out, std::string_view text) {
  if (text.empty()) return;
  const bool disarm = needs_apostrophe(text);
  const std::size_t before = out.size();
  bool plain = false;
  const std::size_t size = before + (disarm ? 1 : 0) + text.size();
  out.resize_and_overwrite(size, [&](char* begin, std::size_t /*room*/) {
    begin[before] = '\'';  // written over if it is not wanted
    plain = copy_unquoted(begin + size - text.size(), text.data(), text.size());
    return plain ? size : before;
  });
  if (!plain) append_quoted(out, text, disarm);
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
