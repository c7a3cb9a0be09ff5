// A run's summary for the terminal: cases, figures with intervals, gates, usage. Fits the given width where
// the names allow it; text from data cannot move the cursor or change colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/layout.h"
#include "report/summary.h"

namespace assay {

struct TerminalStyle {
  Colour colour = Colour::none;
  std::size_t width = 80;
  std::size_t most_figures = 40;  // headline figures are always shown
};

std::string terminal_summary(const Summary& summary, const TerminalStyle& style = {});

// What several runs found, one below the other: the headline figure with its interval, the first deciding
// sentence, and where the report is.
struct RunFinding {
  std::string name;
  Summary summary;
  std::string report;
};
std::string terminal_findings(const std::vector<RunFinding>& findings, const TerminalStyle& style = {});

// On one line, without control characters (they become U+FFFD, line breaks and tabs a space) and bidi
// overrides.
std::string terminal_text(std::string_view text);

}  // namespace assay
