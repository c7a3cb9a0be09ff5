#include "report/pages/label_sheet.h"

#include <cmath>
#include <span>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/embedded.h"
#include "core/json/json.h"
#include "report/pages/html.h"
#include "report/pages/html_parts.h"
#include "report/words.h"

namespace assay {

std::span<const EmbeddedText> report_texts();

namespace {

std::string_view script() {
  for (const EmbeddedText& one : report_texts()) {
    if (one.name == "label_sheet.js") return one.text;
  }
  return "";
}

constexpr std::size_t kSteps = 5;  // of a scale that says no steps of its own
constexpr std::size_t kMostSteps = 9;

// A key for each is needed.
bool has_levels(const LabelSheet& sheet) {
  return !sheet.yes_no && sheet.levels.size() > 1 && sheet.levels.size() <= kMostSteps;
}

Json choice(double value, const std::string& words, const std::string& press) {
  return JsonObject{{"value", value}, {"words", words}, {"press", press}};
}

double on_range(const Interval& range, std::size_t step, std::size_t steps) {
  return range.low + (range.high - range.low) * static_cast<double>(step) / static_cast<double>(steps - 1);
}

// Yes or no; the levels that have names; each whole number of a range such as 1 to 5; else five places on the
// range.
JsonArray choices(const LabelSheet& sheet) {
  JsonArray list;
  if (sheet.yes_no) {
    list.push_back(choice(1, "yes", "y"));
    list.push_back(choice(0, "no", "n"));
    return list;
  }
  if (has_levels(sheet)) {
    for (std::size_t step = 0; step < sheet.levels.size(); ++step)
      list.push_back(choice(on_range(sheet.range, step, sheet.levels.size()), sheet.levels[step],
                            fmt::format("{}", step + 1)));
    return list;
  }
  const double width = sheet.range.high - sheet.range.low;
  const bool whole = sheet.range.low == std::floor(sheet.range.low) && width == std::floor(width) &&
                     width >= 2 && width < kMostSteps;
  const std::size_t steps = whole ? static_cast<std::size_t>(width) + 1 : kSteps;
  for (std::size_t step = 0; step < steps; ++step) {
    const double value = on_range(sheet.range, step, steps);
    std::string words = whole ? fmt::format("{:.0f}", value) : number_words(value);
    if (step == 0) words += " (least)";
    if (step == steps - 1) words += " (most)";
    list.push_back(choice(value, words, fmt::format("{}", step + 1)));
  }
  return list;
}

constexpr std::string_view kStyle = R"(<style>
#asked { white-space: pre-line; max-width: 60rem; }
#rules { margin: 0 0 1rem; max-width: 60rem; }
#material pre, #rules pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 0; }
#material h2 { font-size: .85rem; margin: 1.2rem 0 .3rem; color: var(--soft); }
#choices button[aria-pressed="true"] { outline: 3px solid var(--accent); }
.sheet-bar { position: sticky; bottom: 0; background: var(--paper); padding: .8rem 0; border-top: 1px solid var(--line); }
.sheet-bar button, .sheet-bar input { font: inherit; padding: .45rem .8rem; margin: .2rem .3rem .2rem 0; }
.sheet-bar kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 .3rem; margin-right: .3rem; }
.sheet-bar progress { width: 100%; }
</style>
)";

}  // namespace

std::string asked_in_words(const LabelSheet& sheet, const LabelSheet::Task& task) {
  std::string words = task.asked.empty() ? sheet.question : task.asked;
  if (!has_levels(sheet)) return words;
  std::string levels;
  for (std::size_t step = 0; step < sheet.levels.size(); ++step) {
    levels += fmt::format("{}{} = {}", levels.empty() ? "" : "; ",
                          number_text(on_range(sheet.range, step, sheet.levels.size())), sheet.levels[step]);
  }
  return words.empty() ? levels : words + "\n" + levels;
}

std::string label_sheet_page(const LabelSheet& sheet) {
  JsonArray tasks;
  for (const LabelSheet::Task& task : sheet.tasks) {
    JsonArray material;
    for (const auto& [name, text] : task.material) material.push_back(JsonArray{name, text});
    JsonObject shown{{"id", task.id}, {"probability", task.probability}, {"material", std::move(material)}};
    if (!task.asked.empty()) shown.emplace("asked", task.asked);
    tasks.push_back(std::move(shown));
  }
  const std::string asked = sheet.question.empty()
                                ? fmt::format("What would you give each case for {}?", sheet.title)
                                : sheet.question;
  const JsonObject data{{"file", sheet.file},        {"asked", asked},
                        {"mark", sheet.mark},        {"drawn", sheet.drawn},
                        {"choices", choices(sheet)}, {"tasks", std::move(tasks)}};
  const std::string rules = sheet.rules.empty() ? std::string()
                                                : fmt::format(
                                                      "<details id=\"rules\"><summary>How the judge was told "
                                                      "to decide</summary><pre>{}</pre></details>\n",
                                                      html::text(sheet.rules));
  const std::string body = fmt::format(
      "{}<header class=\"top\"><div><h1>{}</h1><p id=\"asked\">{}</p></div></header>\n<main id=\"main\">\n{}"
      "<p id=\"where\" role=\"status\"></p>\n<div id=\"material\"></div>\n"
      "<div class=\"sheet-bar\"><progress id=\"bar\" aria-label=\"labelled\"></progress>\n"
      "<div id=\"choices\" role=\"group\" aria-label=\"your label\"></div>\n"
      "<button type=\"button\" id=\"back\"><kbd>&larr;</kbd> back</button>"
      "<button type=\"button\" id=\"on\"><kbd>&rarr;</kbd> on</button>"
      "<button type=\"button\" id=\"undo\"><kbd>Backspace</kbd> no label</button>"
      "<label>Your name <input id=\"person\" maxlength=\"60\" autocomplete=\"off\"></label> "
      "<button type=\"button\" id=\"save\"><kbd>s</kbd> save the labels</button>"
      "<p id=\"kept\"></p></div>\n</main>\n"
      "<noscript><p>This page needs scripts; the same cases are in the CSV file beside it.</p></noscript>\n"
      "<script type=\"application/json\" id=\"sheet-data\">{}</script>\n",
      kStyle, html::text(sheet.title), html::text(asked), rules, script_data(to_text(data)));
  return html_page("Labels: " + sheet.title, body, {script()});
}

}  // namespace assay
