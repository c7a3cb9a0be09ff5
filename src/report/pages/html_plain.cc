// A report as plain markup: what a reader without scripts finds, and all there is if the program was built
// without them. Everything in it is drawn better by the script of web/src/report.tsx.

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "report/conclusions.h"
#include "report/pages/html_parts.h"
#include "report/report_json.h"
#include "report/words.h"

namespace assay::html {
namespace {

constexpr std::size_t kMostProblems = 300;
constexpr std::size_t kMostRows = 500;  // of a plot's data
constexpr std::size_t kFewRows = 30;    // the same beside a script
constexpr std::size_t kFewCases = 20;

std::string verdict(const Summary& summary) {
  const std::string sentence = gates_sentence(summary);
  if (summary.cases.open > 0) {
    return fmt::format("<p class=\"verdict none\">Not finished{}{}</p>", sentence.empty() ? "" : ". ",
                       sentence);
  }
  if (sentence.empty()) return "<p class=\"verdict none\">No gates were set</p>";
  const bool failed = std::ranges::any_of(summary.gates, [](const GateResult& gate) { return !gate.passed; });
  return fmt::format("<p class=\"verdict {}\"><span aria-hidden=\"true\">{}</span> {}</p>",
                     failed ? "fail" : "pass", failed ? "✗" : "✓", sentence);
}

std::string page_header(const Summary& summary) {
  std::string out =
      fmt::format("<header class=\"top\"><div><p class=\"brand\">Assay evaluation report</p><h1>{}</h1>",
                  text(title_words(summary.evaluation)));
  if (!summary.what.empty())
    out += fmt::format("<p class=\"what\" dir=\"auto\">{}</p>", text(summary.what, 1'000));
  const auto fact = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
  };
  if (!summary.about.empty()) {
    out += "<dl class=\"facts about\">";
    for (const auto& [what, words] : summary.about)
      fact(text(title_words(what), 100), fmt::format("<bdi>{}</bdi>", text(words, 500)));
    out += "</dl>";
  }
  out += "<dl class=\"facts\">";
  fact("Run", text(summary.run_id, 200));
  fact("Started", fmt::format("<time datetime=\"{}\">{}</time>", attribute(summary.started),
                              text(time_words(summary.started), 100)));
  fact("Took", elapsed_words(summary));
  fact("Assay", text(summary.assay, 100));
  out += "</dl></div>" + verdict(summary) + "</header>\n";
  if (const std::string simulated = simulated_sentence(summary.simulated); !simulated.empty())
    out += fmt::format("<p class=\"banner\" role=\"note\">{}</p>\n", text(simulated, 2'000));
  return out;
}

std::string conclusions(const Summary& summary) {
  std::string out = "<ul class=\"conclusions\">\n";
  for (const std::string& sentence : summary.conclusions)
    out += fmt::format("<li dir=\"auto\">{}</li>\n", text(sentence, 2'000));
  return out + "</ul>\n";
}

std::string section(std::string_view id, std::string_view title, const std::string& content) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
      id, title, content);
}

// The headline figures as one table: the others follow under All metrics.
std::string figures(const Summary& summary) {
  Summary headline = summary;
  std::erase_if(headline.metrics, [](const Metric& metric) { return !metric.headline; });
  if (headline.metrics.empty() && !summary.metrics.empty())
    headline.metrics.push_back(summary.metrics.front());
  std::string out = metrics_section(headline, "Headline figures");
  for (const std::string& sentence : rests_on(summary))
    out += fmt::format("<p class=\"cases\">{}</p>\n", text(sentence, 5'000));
  return out;
}

std::string gates(const Summary& summary) {
  const bool open = summary.cases.open > 0;
  std::string out = "<ul class=\"gates\">\n";
  for (const GateResult& gate : summary.gates) {
    out += fmt::format(
        "<li class=\"{0}\"><span class=\"state\">{1}{2}</span>"
        "<code><bdi>{3}</bdi></code><span class=\"found\">value {4}</span>{5}</li>\n",
        open          ? "open"
        : gate.passed ? "pass"
                      : "fail",
        open ? "" : fmt::format("<span aria-hidden=\"true\">{}</span> ", gate.passed ? "✓" : "✗"),
        gate_state_words(gate, summary), text(gate.gate, 500), gate_value_words(gate, summary),
        gate.note.empty() ? "" : fmt::format("<span class=\"note\">{}</span>", text(gate.note, 1'000)));
  }
  return out + "</ul>\n";
}

std::string tables(const Summary& summary) {
  std::string out;
  for (const Table& table : summary.tables)
    out += fmt::format("<div class=\"block\">{}</div>\n", table_section(table));
  return out;
}

// The rows that a plot was drawn from; what is made only for drawing is left out.
std::string plot_section(const Plot& plot, std::size_t most_rows) {
  const Json* values = find_pointer(plot.spec, "/data/values");
  if (values == nullptr || !values->is_array()) return "";
  const JsonArray& rows = values->get_array();
  Table table;
  table.title = plot.title;
  for (const Json& row : rows) {
    if (!row.is_object()) continue;
    for (const auto& [key, value] : row.get_object()) {
      const std::string name(key);
      if (name != "line" && name != "written" && name != "bar" &&
          std::ranges::find(table.columns, name) == table.columns.end())
        table.columns.push_back(name);
    }
  }
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    std::vector<Json>& cells = table.rows.emplace_back();
    for (const std::string& column : table.columns) {
      const Json* value = find_member(rows[i], column);
      cells.push_back(value == nullptr ? Json("") : *value);
    }
  }
  std::string out = fmt::format("<div class=\"block\">{}<p class=\"note\">{}</p>\n", table_section(table),
                                text(plot.caption, 3'000));
  if (rows.size() > most_rows) {
    out += fmt::format("<p class=\"note\">{} more rows are in plots/{}.vl.json.</p>\n",
                       count_words(static_cast<std::int64_t>(rows.size() - most_rows)), attribute(plot.name));
  }
  return out + "</div>\n";
}

std::string plots(const std::vector<Plot>& plots, Beside beside) {
  std::string out = fmt::format(
      "<p class=\"note\">{} Each plot is a Vega-Lite spec in plots/ that any Vega-Lite editor draws.</p>\n",
      beside == Beside::script
          ? "Plots are drawn by a script; without it, these are their data."
          : "This program was built without the script that draws plots, so these are their data.");
  for (const Plot& plot : plots) out += plot_section(plot, beside == Beside::script ? kFewRows : kMostRows);
  return out;
}

std::string notable_cases(const std::vector<NotableCase>& cases, Beside beside) {
  const std::size_t shown = beside == Beside::script ? std::min(cases.size(), kFewCases) : cases.size();
  std::string out = fmt::format(
      "<p class=\"note\">{} worth a look, the most telling first{}. Everything is in results.jsonl.</p>\n",
      counted_words(static_cast<std::int64_t>(cases.size()), "case", "cases"),
      shown < cases.size()
          ? fmt::format("; these are {} of them", count_words(static_cast<std::int64_t>(shown)))
          : "");
  for (std::size_t i = 0; i < shown; ++i) out += case_card(cases[i]);
  return out;
}

std::string cases_beside(const ShownCases& cases) {
  return fmt::format("<p>{} with everything about each: <a href=\"{}\">all cases</a>.{}</p>\n",
                     counted_words(cases.count, "case", "cases"), attribute(cases.page),
                     cases.all ? "" : " The others are in results.jsonl.");
}

std::string problems(const ReportInput& input) {
  const std::size_t shown = std::min(input.problems.size(), kMostProblems);
  const std::int64_t all = std::max(input.problem_count, static_cast<std::int64_t>(input.problems.size()));
  std::string out;
  if (static_cast<std::int64_t>(shown) < all) {
    out += fmt::format("<p class=\"note\">The first {} of {}; all are in problems.log.</p>\n",
                       count_words(static_cast<std::int64_t>(shown)), count_words(all));
  }
  if (shown == 0) return out;
  out += "<ul class=\"problems\">\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const Problem& problem = input.problems[i];
    const bool error = problem.severity == "error";
    out += fmt::format(
        "<li><span class=\"severity {}\">{}</span>{}<span class=\"what\"><bdi>{}</bdi></span></li>\n",
        error ? "error" : "warning", text(problem.severity, 40),
        problem.where.empty() ? "" : fmt::format("<code><bdi>{}</bdi></code>", text(problem.where, 300)),
        text(problem.text, 2'000));
  }
  return out + "</ul>\n";
}

std::string usage(const Summary& summary) {
  const UsageTotals& totals = summary.usage;
  std::string out = "<dl class=\"tiles\">";
  const auto tile = [&](std::string_view name, const std::string& value, std::string_view note = "") {
    out += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>", name, value,
                       note.empty() ? "" : fmt::format("<span class=\"note\">{}</span>", note));
  };
  tile("Requests", count_words(totals.requests),
       totals.retries > 0 ? fmt::format("{} of them retries", count_words(totals.retries)) : "");
  if (totals.repairs > 0) tile("Asked again", count_words(totals.repairs), "answers that could not be used");
  tile("Tokens in", count_words(totals.prompt_tokens),
       totals.cached_tokens > 0 ? fmt::format("{} cached by the provider", count_words(totals.cached_tokens))
                                : "");
  tile("Tokens out", count_words(totals.completion_tokens),
       totals.reasoning_tokens > 0 ? fmt::format("{} for reasoning", count_words(totals.reasoning_tokens))
                                   : "");
  tile("Cost", cost_words(totals.cost_usd),
       totals.cost_usd
           ? (summary.cases.evaluated > 0 && *totals.cost_usd > 0
                  ? fmt::format("{} a case",
                                cost_words(*totals.cost_usd / static_cast<double>(summary.cases.evaluated)))
                  : "")
           : "the price of a model is not known");
  if (totals.cached > 0) tile("Reused", count_words(totals.cached), "answers of an earlier run");
  return out + "</dl>\n";
}

std::string reproduce(const ReportInput& input) {
  std::string out;
  if (!input.command.empty()) {
    out += fmt::format("<div class=\"command\"><pre tabindex=\"0\"><code>{}</code></pre></div>\n",
                       text(input.command, 10'000));
  }
  if (!input.config_yaml.empty()) {
    out += fmt::format(
        "<details class=\"more\"><summary>The resolved configuration (config.yaml)</summary>"
        "<pre tabindex=\"0\"><code>{}</code></pre></details>\n",
        text(input.config_yaml, 200'000));
  }
  return out;
}

}  // namespace

std::string plain_report(const ReportInput& input, Beside beside) {
  const Summary& summary = input.summary;
  struct Part {
    std::string_view id;
    std::string_view title;
    std::string content;
  };
  std::vector<Part> parts;
  if (!summary.conclusions.empty()) parts.push_back({"conclusions", "Conclusions", conclusions(summary)});
  parts.push_back({"figures", "Figures", figures(summary)});
  if (!summary.gates.empty()) parts.push_back({"gates", "Gates", gates(summary)});
  if (!input.cases.page.empty()) parts.push_back({"cases", "Cases", cases_beside(input.cases)});
  if (!input.notable.empty())
    parts.push_back({"notable", "Cases worth a look", notable_cases(input.notable, beside)});
  if (!summary.plots.empty()) parts.push_back({"plots", "Plots", plots(summary.plots, beside)});
  if (!summary.metrics.empty()) parts.push_back({"metrics", "All metrics", metrics_section(summary)});
  if (!summary.tables.empty()) parts.push_back({"tables", "Tables", tables(summary)});
  if (input.problem_count > 0 || !input.problems.empty())
    parts.push_back({"problems", "Problems", problems(input)});
  parts.push_back({"usage", "Usage and cost", usage(summary)});
  if (!input.command.empty() || !input.config_yaml.empty())
    parts.push_back({"repeat", "How to repeat", reproduce(input)});

  std::string page = "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n" + page_header(summary);
  page += "<nav aria-label=\"Sections\"><ul>";
  for (const Part& part : parts) page += fmt::format("<li><a href=\"#{}\">{}</a></li>", part.id, part.title);
  // Their names are ours: "transcripts.html" is "Transcripts".
  for (const std::string& name : input.pages)
    page += fmt::format("<li><a href=\"{}\">{} ↗</a></li>", attribute(name),
                        text(title_words(name.substr(0, name.rfind('.')))));
  page += "</ul></nav>\n<main id=\"main\">\n";
  for (const Part& part : parts) page += section(part.id, part.title, part.content);
  return page + fmt::format(
                    "</main>\n<footer><p>n/a means undefined, which is not zero. Intervals say how far a "
                    "figure may lie from the truth by chance alone: they assume that the cases are a fair "
                    "sample. Made by Assay {}.</p></footer>\n",
                    text(summary.assay, 100));
}

}  // namespace assay::html
