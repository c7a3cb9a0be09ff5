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

using Range = std::pair<char32_t, char32_t>;

bool in_ranges(char32_t c, const Range* begin, const Range* end) {
  const Range* after =
      std::upper_bound(begin, end, c, [](char32_t value, const Range& range) { return value < range.first; });
  return after != begin && c <= (after - 1)->second;
}

// Combining marks and invisible characters of common scripts.
constexpr Range kZeroWidth[] = {{0x300, 0x36F},   {0x483, 0x489},     {0x591, 0x5BD},    {0x610, 0x61A},
                                {0x64B, 0x65F},   {0x6D6, 0x6DC},     {0x900, 0x902},    {0x93C, 0x93C},
                                {0x941, 0x948},   {0x94D, 0x94D},     {0xE31, 0xE31},    {0xE34, 0xE3A},
                                {0xE47, 0xE4E},   {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},  {0x200B, 0x200F},
                                {0x20D0, 0x20FF}, {0x2060, 0x2064},   {0xFE00, 0xFE0F},  {0xFE20, 0xFE2F},
                                {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};
// East Asian wide and fullwidth blocks, and emoji that terminals draw wide.
constexpr Range kWide[] = {
    {0x1100, 0x115F}, {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653}, {0x2705, 0x2705},   {0x274C, 0x274C},   {0x2753, 0x2755},   {0x2795, 0x2797},
    {0x2E80, 0x303E}, {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
    {0xA960, 0xA97F}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

std::size_t width_of(char32_t c) {
  if (c < 0x20 || c == 0x7F) return 0;
  if (in_ranges(c, std::begin(kZeroWidth), std::end(kZeroWidth))) return 0;
  return in_ranges(c, std::begin(kWide), std::end(kWide)) ? 2 : 1;
}

bool changes_direction(char32_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F ||
         c == 0x61C;
}

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (used + width_of(c.value) + 1 > width) break;
    used += width_of(c.value);
    out.append(text.substr(0, c.size));
    text.remove_prefix(c.size);
  }
  return width == 0 ? "" : out + "…";
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return right ? space + text : text + space;
}

class Paint {
 public:
  explicit Paint(Colour colour) : on_(colour == Colour::ansi) {}
  std::string bold(const std::string& text) const { return with("1", text); }
  std::string faint(const std::string& text) const { return with("2", text); }
  std::string good(const std::string& text) const { return with("32", text); }
  std::string bad(const std::string& text) const { return with("31", text); }

 private:
  std::string with(const char* code, const std::string& text) const {
    return on_ && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  bool on_;
};

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
    const std::string text = fmt::format(
        "  {}  {}  {}  {}", padded(cut_to_width(row.name, name), name, false), padded(row.value, value, true),
        padded(row.interval, interval, true), padded(row.n, n, true));
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

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    width += width_of(c.value);
    text.remove_prefix(c.size);
  }
  return width;
}

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
    std::string line = padded(terminal_text(finding.name), widest, false);
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
