// The plots that follow from any summary: headline figures with their intervals, figures by label, and
// matrices as heat maps.
#pragma once

#include <vector>

#include "report/plots/plot.h"
#include "report/summary.h"

namespace assay {

std::vector<Plot> summary_plots(const Summary& summary);

// A table whose first column names its rows and whose others hold numbers, as a heat map; names and titles of
// both sides in `sides`.
struct TableSides {
  std::string rows;
  std::string columns;
};
Plot table_heat_map(const Table& table, const TableSides& sides, HeatMap::Shade shade, std::string caption);

// Makes names different from each other, since each becomes a file.
void give_own_names(std::vector<Plot>& plots);

}  // namespace assay
