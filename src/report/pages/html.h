// A run as one self-contained page: no network, no script needed to read it (one sorts and filters tables,
// one draws the plots, whose data stand there as tables too, one shows any case). Figures come large and with
// their interval drawn, then gates, plots, all metrics, tables, cases worth a look, all cases, problems,
// usage and how to repeat the run. Whatever comes from data or models is text, never markup; a content
// security policy in the page allows nothing but its own style and script.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay {

// Scripts that are compiled in, each in a page only if it has something to show; empty if the program was
// built without them.
struct ReportScripts {
  std::string_view plots;  // draws them; without it they are tables
  std::string_view cases;  // shows all cases; without it they are in results.jsonl
};
ReportScripts report_scripts();

std::string html_report(const ReportInput& input, const ReportScripts& scripts);
inline std::string html_report(const ReportInput& input) {
  return html_report(input, report_scripts());
}

// The frame of every page: head, policy, style and scripts around `body`.
std::string html_page(std::string_view title, std::string_view body,
                      std::initializer_list<std::string_view> scripts = {});

// The same in two halves, for a page whose body is written as it comes.
struct HtmlFrame {
  std::string before;
  std::string behind;
};
HtmlFrame html_frame(std::string_view title, std::initializer_list<std::string_view> scripts = {});

// A line of results.jsonl as the data of a page.
std::string case_data(std::string_view line);
// Such lines are written between these, and shown by the script for cases.
struct CasesFrame {
  std::string_view before;
  std::string_view behind;
};
CasesFrame cases_frame();

}  // namespace assay
