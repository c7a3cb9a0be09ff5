#include "report/markdown.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "report/conclusions.h"
#include "report/words.h"

namespace assay {
namespace {

constexpr std::size_t kMostCharacters = 60'000;
constexpr std::size_t kMostFigures = 200;
constexpr std::size_t kMostProblems = 10;
constexpr std::size_t kMostCases = 10;
constexpr std::size_t kMostFields = 8;  // of a case
constexpr std::size_t kMostPlots = 50;
constexpr std::size_t kMostRows = 40;
constexpr std::size_t kMostColumns = 20;
constexpr std::size_t kCellBytes = 300;

// A value of a table, safe between its bars.
std::string cell(const Json& value) {
  if (value.is_null()) return std::string(kNotAvailable);
  if (const auto number = as_number(value)) {
    const bool whole = value.is_int64() || value.is_uint64();
    return figure_words(*number, whole ? Metric::Form::count : Metric::Form::number);
  }
  return code_span(shorten(text_or_json(value), kCellBytes));
}

std::string figure_row(const Metric& metric) {
  const Estimate& estimate = metric.estimate;
  std::string notes = estimate.ci ? prose(method_words(estimate.method)) : std::string();
  const auto note = [&](const std::string& text) { notes += (notes.empty() ? "" : "; ") + text; };
  if (!estimate.undefined.empty()) note(prose(estimate.undefined));
  if (const std::string missing = missing_words(estimate); !missing.empty())
    note("missing: " + prose(missing));
  if (estimate.bounds) note("bounds " + range_words(*estimate.bounds, metric.form));
  return fmt::format("| {} | {} | {} | {} | {} |\n", code_span(metric.name),
                     metric.headline ? fmt::format("**{}**", value_words(metric)) : value_words(metric),
                     interval_words(metric), count_words(estimate.n), notes);
}

void append_conclusions(const Summary& summary, std::string& out) {
  if (const std::string simulated = simulated_sentence(summary.simulated); !simulated.empty())
    out += fmt::format("> ⚠️ **{}**\n\n", prose(simulated));
  for (const std::string& conclusion : summary.conclusions) out += fmt::format("- {}\n", prose(conclusion));
  if (!summary.conclusions.empty()) out += '\n';
  if (summary.about.empty()) return;
  std::string_view separator;
  for (const auto& [what, words] : summary.about) {
    out +=
        fmt::format("{}{}: {}", separator, prose(title_words(what)), code_span(shorten(words, kCellBytes)));
    separator = " · ";
  }
  out += "\n\n";
}

constexpr std::string_view kFigureHead =
    "| figure | value | 95% interval | n | how |\n| --- | ---: | :---: | ---: | --- |\n";

void append_figures(const Summary& summary, std::string& out) {
  std::vector<const Metric*> headline;
  std::vector<const Metric*> others;
  for (const Metric& metric : summary.metrics) (metric.headline ? headline : others).push_back(&metric);
  if (headline.empty()) headline.swap(others);
  if (headline.empty()) return;
  out += kFigureHead;
  for (const Metric* metric : headline) out += figure_row(*metric);
  out += '\n';
  if (others.empty()) return;
  out += fmt::format("<details><summary>{}</summary>\n\n{}",
                     counted_words(static_cast<std::int64_t>(others.size()), "more figure", "more figures"),
                     kFigureHead);
  for (std::size_t i = 0; i < std::min(others.size(), kMostFigures); ++i) out += figure_row(*others[i]);
  if (others.size() > kMostFigures) {
    out += fmt::format("\n{} more in `summary.json`.\n",
                       count_words(static_cast<std::int64_t>(others.size() - kMostFigures)));
  }
  out += "\n</details>\n\n";
}

void append_gates(const Summary& summary, std::string& out) {
  if (summary.gates.empty()) return;
  out += "| gate | | value |\n| --- | --- | ---: |\n";
  for (const GateResult& gate : summary.gates) {
    const std::string state = summary.cases.open > 0 ? fmt::format("⏳ {}", gate_state_words(gate, summary))
                              : gate.passed          ? "✅ passed"
                                                     : "❌ **failed**";
    out += fmt::format("| {} | {} | {}{} |\n", code_span(gate.gate), state, gate_value_words(gate, summary),
                       gate.note.empty() ? "" : " (" + prose(gate.note) + ")");
  }
  out += '\n';
}

void append_problems(const ReportInput& input, std::string& out) {
  const std::int64_t all = std::max(input.problem_count, static_cast<std::int64_t>(input.problems.size()));
  if (all == 0) return;
  out += fmt::format("<details><summary>{}</summary>\n\n", counted_words(all, "problem", "problems"));
  for (std::size_t i = 0; i < std::min(input.problems.size(), kMostProblems); ++i) {
    const Problem& problem = input.problems[i];
    out += fmt::format("- {}{}: {}\n", problem.severity == "error" ? "error" : "warning",
                       problem.where.empty() ? "" : " at " + code_span(shorten(problem.where, 100)),
                       code_span(shorten(problem.text, kCellBytes)));
  }
  const auto shown = static_cast<std::int64_t>(std::min(input.problems.size(), kMostProblems));
  if (all > shown) out += fmt::format("- {} more in `problems.log`\n", count_words(all - shown));
  out += "\n</details>\n\n";
}

void append_cases(const ReportInput& input, std::string& out) {
  if (input.notable.empty()) return;
  const std::size_t shown = std::min(input.notable.size(), kMostCases);
  out += fmt::format("<details><summary>{} worth a look</summary>\n\n",
                     counted_words(static_cast<std::int64_t>(shown), "case", "cases"));
  for (std::size_t i = 0; i < shown; ++i) {
    const NotableCase& notable = input.notable[i];
    out += fmt::format("- {}: {}\n", code_span(shorten(notable.id, 100)),
                       code_span(shorten(notable.why, kCellBytes)));
    for (std::size_t f = 0; f < std::min(notable.fields.size(), kMostFields); ++f) {
      const auto& [name, text] = notable.fields[f];
      out += fmt::format("  - {}: {}\n", prose(name), code_span(shorten(text, kCellBytes)));
    }
  }
  if (input.notable.size() > shown) {
    out += fmt::format("- {} more in `report.html`\n",
                       count_words(static_cast<std::int64_t>(input.notable.size() - shown)));
  }
  out += "\n</details>\n\n";
}

// Tables that a comment can hold: the first rows of each.
void append_tables(const Summary& summary, std::string& out) {
  std::string tables;
  std::int64_t count = 0;
  for (const Table& table : summary.tables) {
    if (table.rows.empty() || table.columns.size() > kMostColumns) continue;
    ++count;
    tables += fmt::format("{}\n\n|", prose(table.title.empty() ? title_words(table.name) : table.title));
    if (table.matrix)
      tables += fmt::format(" {} ↓ {} → |", prose(table.row_title), prose(table.column_title));
    for (const std::string& column : table.columns)
      tables +=
          fmt::format(" {} |", table.matrix ? code_span(shorten(column, 60)) : prose(plain_words(column)));
    tables += "\n|";
    for (std::size_t i = 0; i < table.columns.size() + (table.matrix ? 1 : 0); ++i) tables += " --- |";
    tables += '\n';
    for (std::size_t row = 0; row < std::min(table.rows.size(), kMostRows); ++row) {
      tables += '|';
      if (table.matrix && row < table.columns.size())
        tables += fmt::format(" {} |", code_span(shorten(table.columns[row], 60)));
      for (const Json& value : table.rows[row]) tables += fmt::format(" {} |", cell(value));
      tables += '\n';
    }
    if (table.rows.size() > kMostRows) {
      tables += fmt::format("\n{} more rows in `summary.json`.\n",
                            count_words(static_cast<std::int64_t>(table.rows.size() - kMostRows)));
    }
    tables += '\n';
  }
  if (count > 0) {
    out += fmt::format("<details><summary>{}</summary>\n\n{}</details>\n\n",
                       counted_words(count, "table", "tables"), tables);
  }
}

void append_plots(const Summary& summary, std::string& out) {
  if (summary.plots.empty()) return;
  out += fmt::format("<details><summary>{}, drawn in report.html</summary>\n\n",
                     counted_words(static_cast<std::int64_t>(summary.plots.size()), "plot", "plots"));
  for (std::size_t i = 0; i < std::min(summary.plots.size(), kMostPlots); ++i)
    out += fmt::format("- {}\n", code_span(fmt::format("plots/{}.vl.json", summary.plots[i].name)));
  out += "\n</details>\n\n";
}

}  // namespace

std::string prose(std::string_view text) {
  std::string out;
  for (const char c : shorten(repair_utf8(text), 500)) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
    } else if (c == '@') {
      out += "@<!-- -->";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (std::string_view("\\`*_[]|>#~").find(c) != std::string_view::npos) {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    }
  }
  return out;
}

std::string code_span(std::string_view text) {
  std::string line;
  std::size_t run = 0;
  std::size_t longest = 0;
  for (const char c : repair_utf8(text)) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|') line += '\\';  // ends a table cell even inside a code span
    line += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  if (line.find_first_not_of(' ') == std::string::npos) return line.empty() ? "(empty)" : "(blank)";
  const std::string fence(longest + 1, '`');
  const bool padded =
      line.front() == '`' || line.back() == '`' || (line.front() == ' ' && line.back() == ' ');
  return fmt::format("{0}{1}{2}{1}{0}", fence, padded ? " " : "", line);
}

std::string markdown_report(const ReportInput& input) {
  const Summary& summary = input.summary;
  const bool failed = std::ranges::any_of(summary.gates, [](const GateResult& gate) { return !gate.passed; });
  const bool open = summary.cases.open > 0;
  std::string verdict = gates_sentence(summary);
  if (open) verdict = verdict.empty() ? "not finished" : fmt::format("not finished; {}", verdict);
  const std::string_view mark = open ? "⏳ " : verdict.empty() ? "" : failed ? "❌ " : "✅ ";
  std::string out = fmt::format("### {}Assay: {}{}\n\n", mark, prose(title_words(summary.evaluation)),
                                verdict.empty() ? "" : ": " + verdict);
  if (!summary.what.empty()) out += prose(summary.what) + "\n\n";
  append_conclusions(summary, out);
  out += cases_sentence(summary) + "\n\n";
  if (summary.stopping) out += prose(stopping_sentence(summary)) + "\n\n";
  append_figures(summary, out);
  append_gates(summary, out);
  std::string rest;
  append_tables(summary, rest);
  append_cases(input, rest);
  append_problems(input, rest);
  append_plots(summary, rest);
  std::string end = usage_sentence(summary.usage);
  if (const std::string elapsed = elapsed_words(summary); !elapsed.empty()) end += ", " + elapsed;
  end += fmt::format(". Run {}, assay {}.\n", code_span(summary.run_id), prose(summary.assay));
  if (!input.command.empty()) end += fmt::format("\nTo repeat it: {}\n", code_span(input.command));

  // What does not fit is left out whole, the least needed first.
  if (count_code_points(out) + count_code_points(rest) + count_code_points(end) > kMostCharacters) {
    rest = "Tables, cases and problems are left out here for length; they are in `report.html`.\n\n";
  }
  if (count_code_points(out) + count_code_points(end) > kMostCharacters) {
    out = fmt::format(
        "### Assay: {}: {}\n\n{}\n\nThe figures are left out here for length; they are in "
        "`summary.json`.\n\n",
        prose(shorten(title_words(summary.evaluation), 100)), verdict, cases_sentence(summary));
  }
  return out + rest + std::string(shorten(end, 4'000));
}

}  // namespace assay
