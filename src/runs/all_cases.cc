#include "runs/all_cases.h"

#include <utility>

#include <fmt/format.h>

#include "report/pages/html.h"

namespace assay {

constexpr const char* kTitle = "All cases";

void AllCases::move_beside() {
  files_.write(kCasesPage, html_frame(kTitle, {script_}).before);
  files_.write(kCasesPage,
               "<header class=\"top\"><div><h1>All cases</h1></div></header>\n"
               "<nav aria-label=\"Sections\"><ul><li><a href=\"report.html\">Report</a></li></ul></nav>\n"
               "<main id=\"main\">\n");
  files_.write(kCasesPage, cases_frame().before);
  files_.write(kCasesPage, std::exchange(shown_.lines, {}));
  shown_.page = kCasesPage;
}

void AllCases::add(std::string_view line) {
  if (!fits(has_files() ? kBeside : kInside) || script_.empty()) {
    shown_.all = false;
    return;
  }
  if (shown_.page.empty() && !fits(kInside)) move_beside();
  const std::string data = case_data(line);
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
