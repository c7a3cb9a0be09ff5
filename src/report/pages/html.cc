#include "report/pages/html.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base64.h"
#include "core/embedded.h"
#include "core/sha256.h"
#include "core/text.h"
#include "report/conclusions.h"
#include "report/pages/html_parts.h"
#include "report/words.h"

namespace assay {

// report.css and report.js, compiled in by assay_embed.
std::span<const EmbeddedText> report_texts();
// plots.js and cases.js, made from web/ while building; empty if they could not be made.
std::span<const EmbeddedText> web_scripts();

namespace {

using html::attribute;
using html::text;

constexpr std::size_t kMostProblems = 300;

std::string_view embedded(std::span<const EmbeddedText> texts, std::string_view name) {
  for (const EmbeddedText& one : texts) {
    if (one.name == name) return one.text;
  }
  return "";
}

std::string base64_of(const Digest& digest) {
  return base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::vector<const Metric*> headline_metrics(const Summary& summary) {
  std::vector<const Metric*> headline;
  for (const Metric& metric : summary.metrics) {
    if (metric.headline) headline.push_back(&metric);
  }
  if (headline.empty() && !summary.metrics.empty()) headline.push_back(&summary.metrics.front());
  return headline;
}

// Which of many open tabs it is: the evaluation and what was evaluated.
std::string page_title(const Summary& summary) {
  const std::string evaluation = title_words(summary.evaluation);
  return summary.what.empty() ? evaluation : fmt::format("{}: {}", evaluation, shorten(summary.what, 120));
}

std::string verdict(const Summary& summary) {
  const std::string sentence = gates_sentence(summary.gates);
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

std::string cases_bar(const CaseCounts& cases) {
  const std::int64_t all = cases.evaluated + cases.errored + cases.invalid;
  if (all <= 0 || cases.evaluated == all) return "";
  std::string svg = fmt::format(
      "<svg class=\"cases-bar\" viewBox=\"0 0 100 3\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"evaluated {}, errored {}, invalid {}\">",
      cases.evaluated, cases.errored, cases.invalid);
  double x = 0;
  for (const auto& [count, name] :
       {std::pair{cases.evaluated, "evaluated"}, std::pair{cases.errored, "errored"},
        std::pair{cases.invalid, "invalid"}}) {
    const double width = 100.0 * static_cast<double>(count) / static_cast<double>(all);
    if (count > 0)
      svg += fmt::format("<rect class=\"{}\" x=\"{:.3f}\" y=\"0\" width=\"{:.3f}\" height=\"3\"/>", name, x,
                         width);
    x += width;
  }
  return svg + "</svg>";
}

std::string figures(const Summary& summary) {
  std::string out;
  if (summary.metrics.empty()) {
    out += "<p class=\"note\">The run reported no figures.</p>\n";
  } else {
    out += "<div class=\"figures\">\n";
    for (const Metric* metric : headline_metrics(summary))
      out += html::headline_card(*metric, summary.gates) + "\n";
    out += "</div>\n";
  }
  out += fmt::format("<div class=\"cases\">{}<p>{}", cases_bar(summary.cases), cases_sentence(summary));
  if (summary.cases.errored > 0) {
    out += " Each figure rests on the cases that its n counts.";
  }
  if (const std::string stopping = stopping_sentence(summary); !stopping.empty())
    out += "</p><p>" + text(stopping, 5'000);
  return out + "</p></div>\n";
}

std::string gates(const Summary& summary) {
  std::string out = "<ul class=\"gates\">\n";
  for (const GateResult& gate : summary.gates) {
    out += fmt::format(
        "<li class=\"{0}\"><span class=\"state\"><span aria-hidden=\"true\">{1}</span> {2}</span>"
        "<code><bdi>{3}</bdi></code><span class=\"found\">value {4}</span>{5}</li>\n",
        gate.passed ? "pass" : "fail", gate.passed ? "✓" : "✗", gate.passed ? "passed" : "failed",
        text(gate.gate, 500), gate_value_words(gate, summary),
        gate.note.empty() ? "" : fmt::format("<span class=\"note\">{}</span>", text(gate.note, 1'000)));
  }
  return out + "</ul>\n";
}

std::string tables(const Summary& summary) {
  std::string out;
  for (const Table& table : summary.tables) {
    out += "<div class=\"block\">" +
           (table.matrix ? html::matrix_section(table) : html::table_section(table)) + "</div>\n";
  }
  return out;
}

std::string notable_cases(const ReportInput& input) {
  std::string out = fmt::format(
      "<p class=\"note\">{} worth a look, the most telling first. Everything is in results.jsonl. "
      "<button type=\"button\" class=\"plain\" data-open-all hidden>Open all</button></p>\n",
      counted_words(static_cast<std::int64_t>(input.notable.size()), "case", "cases"));
  for (const NotableCase& notable : input.notable) out += html::case_card(notable);
  return out;
}

std::string all_cases(const ShownCases& cases) {
  const std::string rest = cases.all ? "" : " The others are in results.jsonl.";
  if (!cases.page.empty()) {
    return fmt::format("<p>{} with everything about each: <a href=\"{}\">all cases</a>.{}</p>\n",
                       counted_words(cases.count, "case", "cases"), attribute(cases.page), rest);
  }
  const CasesFrame frame = cases_frame();
  return fmt::format("<p class=\"note\">{}, each with everything about it.{}</p>\n{}{}{}",
                     counted_words(cases.count, "case", "cases"), rest, frame.before, cases.lines,
                     frame.behind);
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
    out += fmt::format(
        "<div class=\"command\"><pre tabindex=\"0\"><code>{}</code></pre>"
        "<button type=\"button\" data-copy hidden>Copy</button></div>\n",
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

ReportScripts report_scripts() {
  return {embedded(web_scripts(), "plots.js"), embedded(web_scripts(), "cases.js")};
}

// Inside a script element nothing but its end, and what looks like a comment, is read as markup.
std::string case_data(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (const char c : line) {
    if (c == '<') {
      out += "\\u003c";  // in JSON it stands in texts only
    } else {
      out += c;
    }
  }
  return out;
}

CasesFrame cases_frame() {
  return {"<div id=\"case-table\"></div>\n<script type=\"application/x-ndjson\" id=\"case-lines\">\n",
          "</script>\n"};
}

std::string html_report(const ReportInput& input, const ReportScripts& scripts) {
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
  if (!summary.plots.empty()) {
    const html::Drawing drawing = scripts.plots.empty() ? html::Drawing::none : html::Drawing::script;
    parts.push_back({"plots", "Plots", html::plots_section(summary.plots, drawing)});
  }
  if (!summary.metrics.empty()) parts.push_back({"metrics", "All metrics", html::metrics_section(summary)});
  if (!summary.tables.empty()) parts.push_back({"tables", "Tables", tables(summary)});
  if (!input.notable.empty()) parts.push_back({"cases", "Cases worth a look", notable_cases(input)});
  const bool shows_cases = input.cases.count > 0 && !scripts.cases.empty();
  if (shows_cases) parts.push_back({"all-cases", "All cases", all_cases(input.cases)});
  if (input.problem_count > 0 || !input.problems.empty())
    parts.push_back({"problems", "Problems", problems(input)});
  parts.push_back({"usage", "Usage and cost", usage(summary)});
  if (!input.command.empty() || !input.config_yaml.empty()) {
    parts.push_back({"reproduce", "How to reproduce", reproduce(input)});
  }

  std::string page = "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n" + page_header(summary);
  page += "<nav aria-label=\"Sections\"><ul>";
  for (const Part& part : parts) page += fmt::format("<li><a href=\"#{}\">{}</a></li>", part.id, part.title);
  // Their names are ours: "transcripts.html" is "Transcripts".
  for (const std::string& name : input.pages)
    page += fmt::format("<li><a href=\"{}\">{} ↗</a></li>", attribute(name),
                        text(title_words(name.substr(0, name.rfind('.')))));
  page += "</ul></nav>\n<main id=\"main\">\n";
  for (const Part& part : parts) page += section(part.id, part.title, part.content);
  page += fmt::format(
      "</main>\n<footer><p>n/a means undefined, which is not zero. Intervals say how far a figure may lie "
      "from the truth "
      "by chance alone: they assume that the cases are a fair sample. Made by Assay {}.</p></footer>\n",
      text(summary.assay, 100));
  return html_page(page_title(summary), page,
                   {summary.plots.empty() ? std::string_view() : scripts.plots,
                    shows_cases && input.cases.page.empty() ? scripts.cases : std::string_view()});
}

std::string html_page(std::string_view title, std::string_view body,
                      std::initializer_list<std::string_view> scripts) {
  std::string hashes;
  std::string elements;
  const auto add = [&](std::string_view script) {
    if (script.empty()) return;
    hashes += fmt::format("{}'sha256-{}'", hashes.empty() ? "" : " ", base64_of(sha256(script)));
    elements += fmt::format("<script>{}</script>\n", script);
  };
  add(embedded(report_texts(), "report.js"));
  for (const std::string_view script : scripts) add(script);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src {}; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{} · "
      "Assay</title>\n<style>\n{}</style>\n</head>\n<body>\n{}{}</body>\n</html>\n",
      hashes, attribute(title), embedded(report_texts(), "report.css"), body, elements);
}

HtmlFrame html_frame(std::string_view title, std::initializer_list<std::string_view> scripts) {
  constexpr char kBody = '\x01';  // stands for the body; neither titles nor scripts of ours hold it
  const std::string page = html_page(title, std::string(1, kBody), scripts);
  const std::size_t place = page.find(kBody);
  return {page.substr(0, place), page.substr(place + 1)};
}

}  // namespace assay
