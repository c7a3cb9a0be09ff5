#include "report/terminal.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "report/conclusions.h"
#include "report/words.h"

namespace assay {
namespace {

bool changes_direction(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F ||
         c == 0x61C;
}

struct Row {
  std::string name;
  std::string value;
  std::string interval;
  std::string n;
  std::string note;
  bool headline = false;
};

Row row_of(const Metric& metric) {
  Row row{terminal_text(metric.name),
          value_words(metric),
          interval_words(metric),
          metric.form == Metric::Form::count ? "" : count_words(metric.estimate.n),
          "",
          metric.headline};
  // The reason for a missing value is worth a line; for a missing interval the report has it.
  if (!metric.estimate.value) row.note = terminal_text(metric.estimate.undefined);
  if (const std::string missing = missing_words(metric.estimate); !missing.empty()) {
    row.note += (row.note.empty() ? "missing: " : "; missing: ") + terminal_text(missing);
  }
  return row;
}

// The headline figures, then as many others as fit.
std::vector<Row> chosen_rows(const Summary& summary, std::size_t most, std::size_t* left_out) {
  std::vector<Row> rows;
  std::vector<Row> others;
  for (const Metric& metric : summary.metrics) {
    if (!metric.headline && others.size() >= most) {
      ++*left_out;
    } else {
      (metric.headline ? rows : others).push_back(row_of(metric));
    }
  }
  rows.insert(rows.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return rows;
}

void append_figures(const Summary& summary, const TerminalStyle& style, const Paint& paint,
                    std::string& out) {
  std::size_t left_out = 0;
  std::vector<Row> rows = chosen_rows(summary, style.most_figures, &left_out);
  if (rows.empty()) return;
  const Row head{"figure", "value", "95% interval", "n", "", false};
  std::size_t name = display_width(head.name);
  std::size_t value = display_width(head.value);
  std::size_t interval = display_width(head.interval);
  std::size_t n = display_width(head.n);
  for (const Row& row : rows) {
    name = std::max(name, display_width(row.name));
    value = std::max(value, display_width(row.value));
    interval = std::max(interval, display_width(row.interval));
    n = std::max(n, display_width(row.n));
  }
  const std::size_t rest = value + interval + n + 8;  // two spaces before each column, two at the edge
  name = std::min(name, std::max<std::size_t>(style.width > rest ? style.width - rest : 0, 12));
  const auto line = [&](const Row& row) {
    const std::string text =
        fmt::format("  {}  {}  {}  {}", padded(cut_to_width(row.name, name), name, Align::left),
                    padded(row.value, value, Align::right), padded(row.interval, interval, Align::right),
                    padded(row.n, n, Align::right));
    return text.substr(0, text.find_last_not_of(' ') + 1);
  };
  out += paint.faint(line(head)) + "\n";
  for (const Row& row : rows) {
    out += (row.headline ? paint.bold(line(row)) : line(row)) + "\n";
    if (!row.note.empty()) {
      out += paint.faint("    " + cut_to_width(row.note, style.width > 4 ? style.width - 4 : 0)) + "\n";
    }
  }
  if (left_out > 0) {
    out +=
        paint.faint(fmt::format("  … {} in summary.json", counted_words(static_cast<std::int64_t>(left_out),
                                                                        "more figure", "more figures"))) +
        "\n";
  }
  out += "\n";
}

// Words that do not fit go to the next line, below the first word.
template <class Painted>
void append_wrapped(std::string_view text, std::string_view bullet, std::size_t width, const Painted& painted,
                    std::string& out) {
  const std::string clean = terminal_text(text);
  const std::size_t indent = display_width(bullet);
  std::string line(bullet);
  bool begun = false;
  for (const std::string_view word : split(clean, ' ')) {
    if (begun && display_width(line) + 1 + display_width(word) > width) {
      out += painted(line) + "\n";
      line.assign(indent, ' ');
      begun = false;
    }
    if (begun) line += ' ';
    line += word;
    begun = true;
  }
  out += painted(line) + "\n";
}

void append_about(const Summary& summary, const TerminalStyle& style, const Paint& paint, std::string& out) {
  std::string words;
  for (const auto& [what, text] : summary.about)
    words += fmt::format("{}{}: {}", words.empty() ? "" : " · ", what, text);
  if (!words.empty())
    append_wrapped(words, "", style.width, [&](const std::string& line) { return paint.faint(line); }, out);
}

void append_gates(const Summary& summary, const Paint& paint, std::string& out) {
  for (const GateResult& gate : summary.gates) {
    const std::string mark = gate.passed ? paint.good("✓ passed") : paint.bad("✗ failed");
    out += fmt::format("  {}  {}  {}", mark, terminal_text(gate.gate),
                       paint.faint("value " + gate_value_words(gate, summary)));
    if (!gate.note.empty()) out += paint.faint(" (" + terminal_text(gate.note) + ")");
    out += "\n";
  }
  if (!summary.gates.empty()) out += "\n";
}

}  // namespace

std::string terminal_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.value == '\n' || c.value == '\r' || c.value == '\t') {
      out += ' ';
    } else if (!c.valid || c.value < 0x20 || (c.value >= 0x7F && c.value <= 0x9F) ||
               changes_direction(c.value)) {
      out += "\xEF\xBF\xBD";
    } else {
      out.append(text.substr(0, c.size));
    }
    text.remove_prefix(c.size);
  }
  return out;
}

std::string terminal_summary(const Summary& summary, const TerminalStyle& style) {
  const Paint paint(style.colour);
  std::string out = paint.bold(terminal_text(title_words(summary.evaluation)));
  if (!summary.what.empty())
    out += "  " + paint.faint(cut_to_width(terminal_text(summary.what), style.width / 2));
  out += "\n";
  append_about(summary, style, paint, out);
  if (const std::string simulated = simulated_sentence(summary.simulated); !simulated.empty())
    append_wrapped(
        simulated, "! ", style.width, [&](const std::string& line) { return paint.bad(line); }, out);
  for (const std::string& conclusion : summary.conclusions)
    append_wrapped(
        conclusion, "• ", style.width, [&](const std::string& line) { return paint.bold(line); }, out);
  out += cases_sentence(summary) + "\n";
  if (summary.stopping) out += stopping_sentence(summary) + "\n";
  out += "\n";
  append_figures(summary, style, paint, out);
  append_gates(summary, paint, out);
  std::string end = usage_sentence(summary.usage);
  if (const std::string elapsed = elapsed_words(summary); !elapsed.empty()) end += ", " + elapsed;
  out += paint.faint(end) + "\n";
  return out;
}

std::string terminal_findings(const std::vector<RunFinding>& findings, const TerminalStyle& style) {
  const Paint paint(style.colour);
  std::size_t widest = 0;
  for (const RunFinding& finding : findings) widest = std::max(widest, display_width(finding.name));
  std::string out;
  for (const RunFinding& finding : findings) {
    const auto headline = std::ranges::find_if(finding.summary.metrics, &Metric::headline);
    std::string line = padded(terminal_text(finding.name), widest, Align::left);
    if (headline != finding.summary.metrics.end()) {
      line += fmt::format("  {} {}{}", terminal_text(headline->name), value_words(*headline),
                          headline->estimate.ci ? fmt::format(" ({})", interval_words(*headline)) : "");
    }
    out += paint.bold(line) + "\n";
    if (!finding.summary.conclusions.empty())
      append_wrapped(
          finding.summary.conclusions.front(), "  ", style.width,
          [](const std::string& text) { return text; }, out);
    out += paint.faint("  " + terminal_text(finding.report)) + "\n";
  }
  return out;
}

}  // namespace assay
