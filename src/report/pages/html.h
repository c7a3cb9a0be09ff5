// A run as one self-contained page: no network, no script needed to read it (one sorts and filters tables,
// one draws the plots, whose data stand there as tables too). Figures come large and with their interval
// drawn, then gates, plots, all metrics, tables, cases worth a look, problems, usage and how to repeat the
// run. Whatever comes from data or models is text, never markup;
// a content security policy in the page allows nothing but its own style and script.
#pragma once

#include <string>
#include <string_view>

#include "report/summary.h"

namespace assay {

// The script that draws plots, compiled in; empty if the program was built without it.
std::string_view plot_script();

// Without `plot_script` the plots are tables; with it, it is in the page only if there is a plot.
std::string html_report(const ReportInput& input, std::string_view plot_script);
inline std::string html_report(const ReportInput& input) {
  return html_report(input, plot_script());
}

// The frame of every page: head, policy, style and scripts around `body`.
std::string html_page(std::string_view title, std::string_view body, std::string_view plot_script = "");

// The same in two halves, for a page whose body is written as it comes.
struct HtmlFrame {
  std::string before;
  std::string behind;
};
HtmlFrame html_frame(std::string_view title);

}  // namespace assay
