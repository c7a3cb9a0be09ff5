// Figures as they are told: which ones leave it open what the figure is, and where one stands in other
// signs. A figure that is changed must be plainly wrong, and the right one must be gone with it. Pure.
#pragma once

#include <string_view>

namespace assay::stress {

// "for example 30 pounds", "about 14 days", "which of the 3 permits": another figure would do as well.
bool leaves_figures_open(std::string_view text);

// "twenty-eight", of 28; whole numbers below a million.
bool tells_in_words(std::string_view text, std::string_view figure);
// Whether the text has the figure, in digits with or without commas, or in words.
bool tells_figure(std::string_view text, std::string_view figure);

}  // namespace assay::stress
