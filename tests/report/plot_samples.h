// One plot of every kind, plain and with hostile labels.
#pragma once

#include <string>
#include <vector>

#include "report/plots/plot.h"
#include "stats/intervals/proportion.h"

namespace assay {

inline std::vector<std::string> hostile_labels() {
  return {"</script><script>document.title='broken'</script>",
          "<img src=x onerror=\"document.title='broken'\">",
          "\u202Egnp.exe\u202C turned around",
          std::string(10'000, 'w'),
          "line\nbreak\tand \x01 control",
          "'\"`${} \\ & &amp; datum['x'] ]]>",
          "\xFF\xFE not UTF-8",
          "",
          "عربى 中文 🎉"};
}

// Every kind of plot over these labels.
inline std::vector<Plot> plots_of_labels(const std::vector<std::string>& names, const std::string& prefix) {
  std::vector<Plot> plots;
  const std::string& first = names.front();
  const auto count = [&](std::size_t i) { return static_cast<std::int64_t>(i * 7 % 11 + 1); };

  std::vector<IntervalRow> rows;
  std::vector<IntervalRow> means;
  for (std::size_t i = 0; i < names.size(); ++i) {
    rows.push_back({names[i], wilson(count(i), 12)});
    Estimate mean = plain_figure(1 + static_cast<double>(count(i)) / 3, 12);
    mean.ci = Interval{*mean.value - 0.4, *mean.value + 0.3};
    means.push_back({names[i], mean});
  }
  rows.push_back({"undefined", undefined_figure("no cases")});
  plots.push_back(
      interval_plot({prefix + "intervals", first + " shares", "By label."}, {first, AxisForm::share}, rows));
  plots.push_back(interval_plot({prefix + "means", "Mean rating", "By label."},
                                {"mean rating, 1 to 5", AxisForm::number, Interval{1, 5}}, means));

  HeatMap map{first, "actual", names, names, {}, HeatMap::Shade::share_of_row};
  for (std::size_t i = 0; i < names.size(); ++i) {
    map.cells.emplace_back();
    for (std::size_t j = 0; j < names.size(); ++j)
      map.cells[i].emplace_back(i == j ? 12 : static_cast<double>((i * 3 + j * 5) % 7));
  }
  plots.push_back(heat_map({prefix + "confusion", "Expected against actual", "n = 240."}, map));
  map.shade = HeatMap::Shade::number;
  map.cells[0].back().reset();
  plots.push_back(heat_map({prefix + "heat", "Any numbers", ""}, map));

  std::vector<ScatterPoint> points;
  for (std::size_t i = 0; i < 40; ++i) {
    const double x = static_cast<double>(i * 37 % 40) / 40;
    const double y = std::min(1.0, x * 0.8 + static_cast<double>(i * 13 % 9) / 40);
    points.push_back({names[i % names.size()], x, y,
                      i % 4 == 0 ? std::optional(Interval{y - 0.1, y + 0.1}) : std::nullopt});
  }
  plots.push_back(scatter_plot({prefix + "scatter", "Judge against people", first},
                               {"people", first, AxisForm::share}, points));

  std::vector<CalibrationBin> bins;
  for (int i = 0; i < 9; ++i) bins.push_back({0.05 + i * 0.11, wilson(std::min(i * 2 + 1, 20), 20 + i)});
  plots.push_back(
      calibration_plot({prefix + "calibration", "Confidence against share correct", first}, bins));

  std::vector<LikertRow> likert;
  for (std::size_t i = 0; i < names.size(); ++i)
    likert.push_back({names[i], {count(i), count(i + 1), count(i + 2), count(i + 3), count(i + 4)}});
  plots.push_back(likert_plot({prefix + "likert", "Ratings", first},
                              {"Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"},
                              likert));

  std::vector<HistogramBin> histogram;
  for (int i = 0; i < 20; ++i) histogram.push_back({i / 20.0, (i + 1) / 20.0, i * i % 17});
  Estimate mean = plain_figure(0.62, 160);
  mean.ci = Interval{0.58, 0.66};
  plots.push_back(
      histogram_plot({prefix + "histogram", "Coherence", ""}, "coherence of a case", histogram, mean));

  std::vector<Box> boxes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<double> values;
    for (std::size_t k = 0; k < 40; ++k) values.push_back(static_cast<double>((k * (i + 3)) % 29) / 40);
    values.push_back(1);
    Box box = box_of(names[i], values).value();
    box.mean = mean;
    boxes.push_back(box);
  }
  plots.push_back(
      box_plot({prefix + "boxes", "Scores", ""}, {"score", AxisForm::number, Interval{0, 1}}, boxes));

  std::vector<CostRow> costs;
  for (std::size_t i = 0; i < names.size(); ++i)
    costs.push_back({names[i], 0.01 * static_cast<double>(count(i)), count(i)});
  plots.push_back(cost_plot({prefix + "cost", "Cost by model", ""}, costs));

  std::vector<CumulativeSeries> series;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 3); ++i) {
    CumulativeSeries one{names[i], 50, {}};
    for (int k = 1; k <= 50; ++k) one.points.push_back({static_cast<double>(i + 1) * 10 * k * k, k / 50.0});
    series.push_back(one);
  }
  plots.push_back(cumulative_plot({prefix + "latency", "Latency", ""}, "milliseconds", series));
  return plots;
}

}  // namespace assay
