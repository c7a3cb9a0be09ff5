#include "report/pages/html.h"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/base64.h"
#include "core/embedded.h"
#include "core/sha256.h"
#include "core/text.h"
#include "report/pages/html_parts.h"
#include "report/report_json.h"
#include "report/words.h"

namespace assay {

// report.css and tables.js, compiled in by assay_embed.
std::span<const EmbeddedText> report_texts();
// report.js and cases.js, made from web/ while building; empty if they could not be made.
std::span<const EmbeddedText> web_scripts();

namespace {

using html::attribute;

std::string_view embedded(std::span<const EmbeddedText> texts, std::string_view name) {
  for (const EmbeddedText& one : texts) {
    if (one.name == name) return one.text;
  }
  return "";
}

std::string base64_of(const Digest& digest) {
  return base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// Which of many open tabs it is: the evaluation and what was evaluated.
std::string page_title(const Summary& summary) {
  const std::string evaluation = title_words(summary.evaluation);
  return summary.what.empty() ? evaluation : fmt::format("{}: {}", evaluation, shorten(summary.what, 120));
}

}  // namespace

ReportScripts report_scripts() {
  return {embedded(web_scripts(), "report.js"), embedded(web_scripts(), "cases.js")};
}

// Inside a script element nothing but its end, and what looks like a comment, is read as markup.
std::string script_data(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0;;) {
    const std::size_t next = json.find('<', at);
    out += json.substr(at, next - at);
    if (next == std::string_view::npos) return out;
    out += "\\u003c";  // in JSON it stands in texts only
    at = next + 1;
  }
}

CasesFrame cases_frame() {
  return {"<script type=\"application/x-ndjson\" id=\"case-lines\">\n", "</script>\n"};
}

std::string html_report(const ReportInput& input, const ReportScripts& scripts) {
  const bool drawn = !scripts.report.empty();
  std::string page =
      fmt::format("<div id=\"plain\">\n{}</div>\n",
                  html::plain_report(input, drawn ? html::Beside::script : html::Beside::nothing));
  if (!drawn) return html_page(page_title(input.summary), page);
  JsonObject data = report_json(input);
  data["cases"] =
      JsonObject{{"count", input.cases.count}, {"page", input.cases.page}, {"all", input.cases.all}};
  page += fmt::format("<script type=\"application/json\" id=\"report-data\">{}</script>\n",
                      script_data(to_text(data)));
  if (input.cases.count > 0 && input.cases.page.empty()) {
    const CasesFrame frame = cases_frame();
    page += fmt::format("{}{}{}", frame.before, input.cases.lines, frame.behind);
  }
  return html_page(page_title(input.summary), page, {scripts.report});
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
  for (const std::string_view script : scripts) add(script);
  if (elements.empty()) add(embedded(report_texts(), "tables.js"));
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
