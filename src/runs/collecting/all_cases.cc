#include "runs/collecting/all_cases.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/json/json.h"
#include "report/pages/html.h"

namespace assay {

namespace {

constexpr const char* kTitle = "All cases";

// Whether the line has it, itself or among the fields that it holds (`fields`, `extra`).
bool repeats(const JsonObject& line, const Json& value) {
  return std::ranges::any_of(line, [&](const auto& member) {
    if (member.value() == value) return true;
    const JsonObject* fields = member.value().if_object();
    return fields != nullptr &&
           std::ranges::any_of(*fields, [&](const auto& field) { return field.value() == value; });
  });
}

std::string with_material(std::string_view line, const Json& material) {
  const JsonObject* fields = material.if_object();
  const auto result = fields != nullptr ? parse_json(line) : Result<Json>(Json());
  const JsonObject* said = result ? result->if_object() : nullptr;
  if (said == nullptr || std::ranges::all_of(*fields, [&](const auto& field) {
        return field.value().is_null() || repeats(*said, field.value());
      }))
    return std::string(line);
  while (line.ends_with('\n')) line.remove_suffix(1);
  return fmt::format("[{},{}]\n", line, to_text(material));
}

}  // namespace

void AllCases::move_beside() {
  files_.write(kCasesPage, html_frame(kTitle, {script_}).before);
  files_.write(kCasesPage,
               "<header class=\"top\"><div><h1>All cases</h1></div></header>\n"
               "<nav aria-label=\"Sections\"><ul><li><a href=\"report.html\">Report</a></li></ul></nav>\n"
               "<main id=\"main\">\n<div id=\"case-table\"></div>\n");
  files_.write(kCasesPage, cases_frame().before);
  files_.write(kCasesPage, std::exchange(shown_.lines, {}));
  shown_.page = kCasesPage;
}

void AllCases::add(std::string_view line, const std::function<Json()>& material) {
  if (!fits(has_files() ? kBeside : kInside) || script_.empty()) {
    shown_.all = false;
    return;
  }
  if (shown_.page.empty() && !fits(kInside)) move_beside();
  const std::string data = script_data(with_material(line, material()));
  ++shown_.count;
  bytes_ += data.size();
  if (shown_.page.empty()) {
    shown_.lines += data;
  } else {
    files_.write(kCasesPage, data);
  }
}

ShownCases AllCases::finish() {
  if (!shown_.page.empty()) {
    files_.write(kCasesPage, cases_frame().behind);
    files_.write(kCasesPage, "</main>\n");
    files_.write(kCasesPage, html_frame(kTitle, {script_}).behind);
  }
  return std::move(shown_);
}

}  // namespace assay
