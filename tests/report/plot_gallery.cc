// plot_gallery DIRECTORY writes every kind of plot, plain and with hostile labels, as DIRECTORY/NAME.vl.json
// and as DIRECTORY/gallery.html: what the tests with the real Vega-Lite and a real browser look at.
#include <cstdio>

#include "core/file.h"
#include "report/pages/html.h"
#include "report/plots/summary_plots.h"
#include "tests/report/plot_samples.h"

int main(int count, char** words) {
  using namespace assay;
  if (count != 2) return 2;
  const std::string directory = words[1];
  ReportInput input;
  input.summary.evaluation = "gallery";
  input.summary.plots = plots_of_labels({"tax", "visa", "passport renewal", "driving licence"}, "");
  for (Plot& plot : plots_of_labels(hostile_labels(), "hostile_"))
    input.summary.plots.push_back(std::move(plot));
  give_own_names(input.summary.plots);
  for (const Plot& plot : input.summary.plots) {
    if (!write_file(directory + "/" + plot.name + ".vl.json", pretty_text(plot.spec))) return 1;
  }
  if (!write_file(directory + "/gallery.html", html_report(input))) return 1;
  std::printf("%zu\n", input.summary.plots.size());
  return 0;
}
