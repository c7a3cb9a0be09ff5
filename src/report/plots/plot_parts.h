// What the builders of plots share: colours, axes, the frame of a spec, labels that are safe to draw.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "report/plots/plot.h"

namespace assay::plots {

// Okabe and Ito, "Color universal design" (2008), without black and yellow, which vanish on a dark and on a
// light page.
inline constexpr std::string_view kBlue = "#0072B2";
inline constexpr std::string_view kSky = "#56B4E9";
inline constexpr std::string_view kVermilion = "#D55E00";
inline constexpr std::string_view kOrange = "#E69F00";
inline constexpr std::string_view kGreen = "#009E73";
inline constexpr std::string_view kPurple = "#CC79A7";

inline constexpr int kLineHeight = 38;  // holds a label of two lines

Json text(std::string_view words);
// Foreign text for an axis or a caption: repaired, invisible and direction-turning characters replaced, one
// line, at most `characters` long.
std::string label(std::string_view foreign, std::size_t characters = 60);
// The labels as drawn, each different from all others.
std::vector<std::string> labels(const std::vector<std::string>& foreign);
// A second line below a label; the axis that shows it is made with two_lines().
std::string with_second_line(const std::string& label, std::string_view second);

// {"field": …, "type": …, "title": …}
JsonObject field(std::string_view name, std::string_view type, std::string_view title);
// A quantitative field on an axis of its own form; `domain` of shares is 0–1.
JsonObject measured(std::string_view name, std::string_view title, AxisForm form,
                    const std::optional<Interval>& domain);
// The member "line" of the values as the lines of a horizontal plot, in their order; one on which nothing can
// be drawn stays.
JsonObject lines(const JsonArray& values);
// A field in a tooltip.
JsonObject told(std::string_view name, std::string_view title, std::string_view format = "");

// {"type": type, …}
JsonObject mark(std::string_view type, JsonObject options);
JsonObject layer(JsonObject mark, JsonObject encoding);

// Pixels for all lines: a number, since Vega-Lite takes no step beside a width that follows the page.
Json height_of(const JsonObject& lines, int step);
// The whole plot around its layers.
Plot framed(PlotWords words, JsonArray values, Json height, JsonArray layers, JsonObject more = {});

Json finite_or_null(double value);
// What a caption says where a line has no bar, for it rests on so few.
std::string no_bar_words();
Json or_null(std::optional<double> value);
// How the value is read in a label: "84.2%", "3.41", "n/a".
std::string read_as(std::optional<double> value, AxisForm form);

}  // namespace assay::plots
