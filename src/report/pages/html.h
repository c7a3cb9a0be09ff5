// A run as one self-contained page that needs no network. It holds its data as JSON, which its script draws
// with the components of `assay serve`; and it holds the sentences, figures and tables as plain markup, which
// is there for readers without scripts, and stays if nothing can be drawn. Whatever comes from data or models
// is text, never markup; a content security policy in the page allows nothing but its own style and script.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay {

// Scripts that are compiled in; empty if the program was built without them.
struct ReportScripts {
  std::string_view report;  // draws a report; without it the report is plain
  std::string_view cases;   // draws a page of cases beside one
};
ReportScripts report_scripts();

std::string html_report(const ReportInput& input, const ReportScripts& scripts);
inline std::string html_report(const ReportInput& input) {
  return html_report(input, report_scripts());
}

// The frame of every page: head, policy, style and scripts around `body`; without any, the one that sorts and
// filters plain tables.
std::string html_page(std::string_view title, std::string_view body,
                      std::initializer_list<std::string_view> scripts = {});

// The same in two halves, for a page whose body is written as it comes.
struct HtmlFrame {
  std::string before;
  std::string behind;
};
HtmlFrame html_frame(std::string_view title, std::initializer_list<std::string_view> scripts = {});

// JSON as the data of a page: nothing in it can end the element that holds it.
std::string script_data(std::string_view json);
// Lines of results.jsonl, each such data, are written between these.
struct CasesFrame {
  std::string_view before;
  std::string_view behind;
};
CasesFrame cases_frame();

}  // namespace assay
