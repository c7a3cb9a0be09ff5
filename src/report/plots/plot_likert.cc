// Diverging bars: disagreement to the left of 0, agreement to the right, the middle answer across it.
#include <algorithm>

#include <fmt/format.h>

#include "report/plots/few.h"
#include "report/plots/plot_parts.h"
#include "report/words.h"

namespace assay {
namespace {

using namespace plots;

// From vermilion over grey to blue; with an even number of levels there is no grey.
std::vector<std::string_view> colours_of(std::size_t levels) {
  static constexpr std::string_view kLeft[] = {"#D55E00", "#E8985C", "#F3C9A9"};
  static constexpr std::string_view kRight[] = {"#B5D6EA", "#5AA5D2", "#0072B2"};
  const std::size_t side = levels / 2;
  std::vector<std::string_view> colours;
  colours.reserve(levels);
  for (std::size_t i = 0; i < side; ++i) colours.push_back(kLeft[std::min<std::size_t>(i, 2)]);
  if (levels % 2 == 1) colours.push_back("#B9BDC4");
  const std::size_t pale = 3 - std::min<std::size_t>(side, 3);  // left out where there are few
  for (std::size_t i = 0; i < side; ++i) colours.push_back(kRight[std::min<std::size_t>(i + pale, 2)]);
  return colours;
}

}  // namespace

Plot likert_plot(PlotWords words, const std::vector<std::string>& levels,
                 const std::vector<LikertRow>& rows) {
  const std::vector<std::string> level_names = labels(levels);
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const LikertRow& row : rows) names.push_back(row.label);
  names = labels(names);

  JsonArray values;
  std::int64_t all = 0;
  bool few = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<std::int64_t>& counts = rows[i].counts;
    std::int64_t n = 0;
    for (std::size_t k = 0; k < std::min(counts.size(), levels.size()); ++k) n += counts[k];
    all += n;
    const std::string line = with_second_line(names[i], fmt::format("n = {}", count_words(n)));
    const auto share = [&](std::size_t level) {
      return n > 0 && level < counts.size() ? static_cast<double>(counts[level]) / static_cast<double>(n) : 0;
    };
    const bool drawn = n >= kFewestForABar;
    few |= !drawn;
    double at = 0;
    for (std::size_t k = 0; k < levels.size() / 2; ++k) at -= share(k);
    if (levels.size() % 2 == 1) at -= share(levels.size() / 2) / 2;
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const double to = at + share(k);
      values.push_back(JsonObject{{"line", text(line)},
                                  {"group", text(names[i])},
                                  {"answer", text(level_names[k])},
                                  {"count", k < counts.size() ? counts[k] : 0},
                                  {"share", share(k)},
                                  {"from", drawn ? Json(at) : Json(nullptr)},
                                  {"to", drawn ? Json(to) : Json(nullptr)},
                                  {"n", n}});
      at = to;
    }
  }

  JsonArray domain;
  JsonArray range;
  const std::vector<std::string_view> colours = colours_of(levels.size());
  for (std::size_t k = 0; k < levels.size(); ++k) {
    domain.push_back(text(level_names[k]));
    range.push_back(text(colours[k]));
  }
  JsonObject x = field("from", "quantitative", "share of answers");
  x["scale"] = JsonObject{{"domain", JsonArray{-1, 1}}};
  x["axis"] = JsonObject{{"labelExpr", "format(abs(datum.value), '.0%')"}, {"tickCount", 5}};
  JsonObject colour = field("answer", "nominal", "");
  colour["scale"] = JsonObject{{"domain", std::move(domain)}, {"range", std::move(range)}};
  colour["legend"] = JsonObject{{"orient", "bottom"}, {"symbolType", "square"}};
  colour["sort"] = nullptr;
  JsonArray layers;
  layers.push_back(
      layer(mark("bar", {{"height", JsonObject{{"band", 0.6}}}}),
            {{"x", std::move(x)},
             {"x2", JsonObject{{"field", "to"}}},
             {"color", std::move(colour)},
             {"tooltip", JsonArray{told("group", "group"), told("answer", "answer"), told("count", "count"),
                                   told("share", "share", ".1%"), told("n", "n")}}}));
  JsonObject zero = layer(mark("rule", {{"style", "reference"}}), {{"x", JsonObject{{"datum", 0}}}});
  zero["encoding"].get_object()["y"] = nullptr;
  layers.push_back(std::move(zero));
  words.caption += fmt::format("{}n = {}.", words.caption.empty() ? "" : " ", count_words(all));
  if (few) words.caption += no_bar_words();
  JsonObject y = lines(values);
  const Json height = height_of(y, kLineHeight);
  JsonObject encoding{{"y", std::move(y)}};
  return framed(std::move(words), std::move(values), height, std::move(layers),
                {{"encoding", std::move(encoding)}});
}

}  // namespace assay
