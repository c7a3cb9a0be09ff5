#include "report/plots/plot.h"

#include <limits>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/pages/html.h"
#include "report/plots/summary_plots.h"
#include "stats/intervals/proportion.h"
#include "tests/report/plot_samples.h"
#include "tests/report/sample.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

const JsonArray& values_of(const Plot& plot) {
  return find_pointer(plot.spec, "/data/values")->get_array();
}

const Json& at(const Json& tree, std::string_view pointer) {
  const Json* found = find_pointer(tree, pointer);
  EXPECT_NE(found, nullptr) << pointer << " in " << to_text(tree);
  static const Json kNothing;
  return found == nullptr ? kNothing : *found;
}

double number_at(const Json& tree, std::string_view pointer) {
  return as_number(at(tree, pointer)).value_or(std::numeric_limits<double>::quiet_NaN());
}

// Every mark type of the plot's layers.
std::vector<std::string> marks_of(const Plot& plot) {
  std::vector<std::string> marks;
  for (const Json& layer : at(plot.spec, "/layer").get_array())
    marks.emplace_back(as_text(at(layer, "/mark/type")).value());
  return marks;
}

std::vector<std::string> names_of(const std::vector<Plot>& plots) {
  std::vector<std::string> names;
  for (const Plot& plot : plots) names.push_back(plot.name);
  return names;
}

TEST(IntervalPlot, BarsOfSharesStartAtZeroAndEndAtOneWithTheirIntervals) {
  // Wilson's interval of 3 of 5: 0.2307 to 0.8824 (R: binom::binom.wilson(3, 5)).
  const Plot plot = interval_plot({"f", "Figures", ""}, {"", AxisForm::share}, {{"accuracy", wilson(3, 5)}});
  EXPECT_EQ(to_text(at(plot.spec, "/layer/0/encoding/x/scale/domain")), "[0,1]");
  EXPECT_EQ(marks_of(plot), (std::vector<std::string>{"bar", "rule", "tick", "tick", "point"}));
  const Json& row = values_of(plot).at(0);
  EXPECT_DOUBLE_EQ(number_at(row, "/value"), 0.6);
  EXPECT_NEAR(number_at(row, "/low"), 0.2307, 1e-4);
  EXPECT_NEAR(number_at(row, "/high"), 0.8824, 1e-4);
  EXPECT_EQ(as_text(at(row, "/line")), "accuracy\n60.0%, n = 5");
}

TEST(IntervalPlot, FiguresOnAScaleThatDoesNotBeginAtZeroArePoints) {
  Estimate mean = plain_figure(3.4, 12);
  mean.ci = Interval{3.1, 3.7};
  const Plot plot =
      interval_plot({"f", "Rating", ""}, {"rating", AxisForm::number, Interval{1, 5}}, {{"all", mean}});
  EXPECT_EQ(marks_of(plot).front(), "point");
  EXPECT_EQ(to_text(at(plot.spec, "/layer/0/encoding/x/scale/domain")), "[1,5]");
}

TEST(IntervalPlot, WhatLiesOnBothSidesOfZeroIsDrawnAroundItAsPoints) {
  Estimate kappa = plain_figure(-0.02, 12);
  kappa.ci = Interval{-0.05, 0.01};
  const Plot plot = interval_plot({"f", "Kappa", ""}, {"", AxisForm::number}, {{"kappa", kappa}});
  EXPECT_EQ(marks_of(plot).front(), "point");
  EXPECT_EQ(to_text(at(plot.spec, "/layer/0/encoding/x/scale/domain")), "[-0.05,0.05]");
  const Json& line = at(plot.spec, "/layer").get_array().back();
  EXPECT_EQ(as_text(at(line, "/mark/style")), "reference");
  EXPECT_EQ(number_at(line, "/encoding/x/datum"), 0);
}

TEST(IntervalPlot, AReferenceIsALineAcrossTheBars) {
  const Plot plot = interval_plot({"f", "Wins", ""}, {"", AxisForm::share, {}, 0.5},
                                  {{"a", wilson(3, 5)}, {"b", wilson(1, 5)}});
  EXPECT_EQ(marks_of(plot).front(), "bar");
  EXPECT_EQ(number_at(at(plot.spec, "/layer").get_array().back(), "/encoding/x/datum"), 0.5);
}

TEST(IntervalPlot, LabelsThatDifferAtTheirEndAreCutInTheMiddle) {
  const std::string same(70, 'x');
  const Plot plot = interval_plot({"f", "Figures", ""}, {},
                                  {{same + " before", wilson(3, 5)}, {same + " after", wilson(3, 5)}});
  EXPECT_THAT(std::string(as_text(at(values_of(plot).at(0), "/figure")).value()),
              testing::EndsWith("before"));
  EXPECT_THAT(std::string(as_text(at(values_of(plot).at(1), "/figure")).value()), testing::EndsWith("after"));
}

TEST(IntervalPlot, AnUndefinedFigureKeepsItsLine) {
  const Plot plot = interval_plot({"f", "Figures", ""}, {"", AxisForm::share},
                                  {{"accuracy", wilson(3, 5)}, {"precision", undefined_figure("none")}});
  EXPECT_TRUE(at(values_of(plot).at(1), "/value").is_null());
  EXPECT_EQ(as_text(at(plot.spec, "/encoding/y/scale/domain/1")), "precision\nn/a, n = 0");
}

TEST(HeatMap, ShadesCountsByTheirShareOfTheRowAndLeavesAbsentCellsEmpty) {
  const Plot plot = heat_map({"m", "Matrix", ""}, {"expected",
                                                   "actual",
                                                   {"a", "b"},
                                                   {"a", "b"},
                                                   {{3, 1}, {std::nullopt, 2}},
                                                   HeatMap::Shade::share_of_row});
  ASSERT_EQ(values_of(plot).size(), 4U);
  EXPECT_DOUBLE_EQ(number_at(values_of(plot).at(0), "/shade"), 0.75);
  EXPECT_TRUE(at(values_of(plot).at(2), "/shade").is_null());
  EXPECT_EQ(as_text(at(values_of(plot).at(2), "/written")), "");
  EXPECT_EQ(to_text(at(plot.spec, "/encoding/x/scale/domain")), R"(["a","b"])");
}

TEST(ScatterPlot, HasTheSameAxesOnBothSidesOfItsDiagonalAndCountsWhatItLeavesOut) {
  const Plot plot =
      scatter_plot({"s", "Scatter", ""}, {"x", "y"},
                   {{"a", 1, 4}, {"b", 2, 3}, {"c", std::numeric_limits<double>::infinity(), 1}});
  EXPECT_EQ(values_of(plot).size(), 2U);
  EXPECT_THAT(plot.caption, HasSubstr("n = 2."));
  EXPECT_THAT(plot.caption, HasSubstr("1 point without both values left out"));
  EXPECT_EQ(to_text(at(plot.spec, "/layer/1/encoding/x/scale/domain")), "[1,4]");
  EXPECT_EQ(to_text(at(plot.spec, "/layer/1/encoding/y/scale/domain")), "[1,4]");
}

TEST(CalibrationPlot, DrawsEveryBinWithItsInterval) {
  const Plot plot = calibration_plot({"c", "Calibration", ""}, {{0.25, wilson(1, 4)}, {0.9, wilson(9, 10)}});
  EXPECT_THAT(plot.caption, HasSubstr("n = 14."));
  EXPECT_EQ(marks_of(plot), (std::vector<std::string>{"line", "rule", "point"}));
  EXPECT_FALSE(at(values_of(plot).at(0), "/low").is_null());
}

TEST(LikertPlot, CentresTheMiddleAnswerOnZero) {
  const Plot plot = likert_plot({"l", "Ratings", ""}, {"1", "2", "3", "4", "5"}, {{"all", {1, 2, 4, 2, 1}}});
  // Shares .1 .2 .4 .2 .1: half of the middle lies on each side, so the bars reach from -.5 to .5.
  EXPECT_DOUBLE_EQ(number_at(values_of(plot).at(0), "/from"), -0.5);
  EXPECT_NEAR(number_at(values_of(plot).at(2), "/from"), -0.2, 1e-12);
  EXPECT_NEAR(number_at(values_of(plot).at(2), "/to"), 0.2, 1e-12);
  EXPECT_NEAR(number_at(values_of(plot).at(4), "/to"), 0.5, 1e-12);
  EXPECT_EQ(as_text(at(values_of(plot).at(0), "/line")), "all\nn = 10");
}

TEST(LikertPlot, OfNoAnswersHasNoLength) {
  const Plot plot = likert_plot({"l", "Ratings", ""}, {"no", "yes"}, {{"none", {0, 0}}});
  EXPECT_TRUE(at(values_of(plot).at(1), "/to").is_null());
}

TEST(Plots, DrawNoBarForFewerThanFiveAndSaySo) {
  const Plot few = interval_plot({"f", "Figures", ""}, {"", AxisForm::share},
                                 {{"four", wilson(3, 4)}, {"five", wilson(3, 5)}});
  EXPECT_EQ(as_text(at(few.spec, "/layer/0/encoding/x/field")), "bar");
  EXPECT_TRUE(at(values_of(few).at(0), "/bar").is_null());
  EXPECT_DOUBLE_EQ(number_at(values_of(few).at(0), "/value"), 0.75);
  EXPECT_DOUBLE_EQ(number_at(values_of(few).at(1), "/bar"), 0.6);
  EXPECT_THAT(few.caption, HasSubstr("No bar where n is below 5."));
  const Plot enough = interval_plot({"f", "Figures", ""}, {"", AxisForm::share}, {{"five", wilson(3, 5)}});
  EXPECT_THAT(enough.caption, Not(HasSubstr("No bar")));

  const Plot ratings = likert_plot({"l", "Ratings", ""}, {"no", "yes"}, {{"few", {2, 2}}, {"more", {2, 3}}});
  EXPECT_TRUE(at(values_of(ratings).at(0), "/from").is_null());
  EXPECT_DOUBLE_EQ(number_at(values_of(ratings).at(2), "/from"), -0.4);
  EXPECT_THAT(ratings.caption, HasSubstr("No bar where n is below 5."));

  const Plot boxes =
      box_plot({"b", "Boxes", ""}, {}, {*box_of("few", {1, 2, 3}), *box_of("more", {1, 2, 3, 4, 5})});
  EXPECT_TRUE(at(values_of(boxes).at(0), "/lower_quartile").is_null());
  EXPECT_DOUBLE_EQ(number_at(values_of(boxes).at(1), "/lower_quartile"), 2);
}

TEST(Box, IsWhatRSays) {
  // R: boxplot.stats uses hinges; quantile(c(1,2,3,4,5,6,7,30), c(.25,.5,.75)) gives 2.75, 4.5, 6.25.
  const Box box = box_of("b", {30, 1, 2, 3, 4, 5, 6, 7, std::numeric_limits<double>::quiet_NaN()}).value();
  EXPECT_EQ(box.n, 8);
  EXPECT_DOUBLE_EQ(box.lower_quartile, 2.75);
  EXPECT_DOUBLE_EQ(box.median, 4.5);
  EXPECT_DOUBLE_EQ(box.upper_quartile, 6.25);
  EXPECT_DOUBLE_EQ(box.low, 1);
  EXPECT_DOUBLE_EQ(box.high, 7);
  EXPECT_EQ(box.outliers, std::vector<double>{30});
  EXPECT_FALSE(box_of("none", {}).has_value());
}

TEST(CumulativePlot, TakesALogarithmicAxisWhereValuesSpanMuch) {
  const auto scale = [](double last) {
    return to_text(at(cumulative_plot({"l", "Latency", ""}, "ms", {{"", 2, {{10, 0.5}, {last, 1}}}}).spec,
                      "/layer/0/encoding/x/scale"));
  };
  EXPECT_THAT(scale(10'000), HasSubstr("log"));
  EXPECT_THAT(scale(20), HasSubstr(R"("zero":true)"));
}

TEST(Plots, OfEveryKindSayNAndHaveUniqueSafeLabels) {
  for (const Plot& plot : plots_of_labels(hostile_labels(), "hostile_")) {
    const std::string text = to_text(plot.spec);
    EXPECT_THAT(text + plot.caption,
                testing::AnyOf(HasSubstr("n = "), HasSubstr("\"n\":"), HasSubstr("value")))
        << plot.name;
    EXPECT_LT(text.size(), 60'000U) << plot.name << " carries a label of 10,000 characters";
    for (const char* hidden : {"\u202E", "\u202C", "\\u0001", "\xFF"})
      EXPECT_THAT(text, Not(HasSubstr(hidden))) << plot.name;
  }
}

TEST(Plots, DoNotLetTwoLabelsThatLookTheSameBecomeOneLine) {
  const std::string long_label(200, 'x');
  const Plot plot = interval_plot({"f", "Figures", ""}, {"", AxisForm::share},
                                  {{long_label + "a", wilson(1, 2)}, {long_label + "b", wilson(1, 2)}});
  EXPECT_EQ(at(plot.spec, "/encoding/y/scale/domain").get_array().size(), 2U);
}

TEST(Plots, HaveNamesThatAreSafeAsFiles) {
  EXPECT_EQ(plot_file_name("../Precision.Tax/ü"), "___precision_tax___");
  EXPECT_EQ(plot_file_name(""), "plot");
  std::vector<Plot> plots(3);
  for (Plot& plot : plots) plot.name = "a";
  give_own_names(plots);
  EXPECT_EQ(names_of(plots), (std::vector<std::string>{"a", "a-2", "a-3"}));
}

TEST(SummaryPlots, DrawHeadlineFiguresMatricesAndFiguresByLabel) {
  Summary summary = sample_report().summary;
  summary.metrics.push_back(metric("precision.visa", wilson(5, 6)));
  summary.metrics.push_back(metric("precision.work", wilson(3, 7)));
  const std::vector<Plot> plots = summary_plots(summary);
  EXPECT_EQ(names_of(plots),
            (std::vector<std::string>{"headline_shares", "confusion_matrix", "precision_by_label"}));
  // The whole, then its parts.
  EXPECT_EQ(as_text(at(values_of(plots.back()).at(0), "/figure")), "overall");
  EXPECT_EQ(as_text(at(values_of(plots.back()).at(1), "/figure")), "visa");
  EXPECT_THAT(plots.back().caption, HasSubstr("1 label with n below 5 not drawn."));
  EXPECT_THAT(plots[1].caption, HasSubstr("n = 5."));
}

TEST(SummaryPlots, OfASummaryWithoutFiguresAreNone) {
  EXPECT_TRUE(summary_plots(Summary{}).empty());
}

TEST(SummaryPlots, SayHowManyLabelsTheyLeaveOut) {
  Summary summary;
  summary.metrics.push_back(metric("recall", wilson(3, 5)));
  for (int i = 0; i < 50; ++i) summary.metrics.push_back(metric("recall." + std::to_string(i), wilson(3, 5)));
  const std::vector<Plot> plots = summary_plots(summary);
  ASSERT_EQ(plots.size(), 1U);
  EXPECT_THAT(plots[0].caption, HasSubstr("The first 30 of 50"));
}

TEST(SummaryPlots, TheVarianceOfAFigureIsNoLabelOfIt) {
  Summary summary;
  summary.metrics.push_back(metric("coherence.mean", plain_figure(0.85, 50), Metric::Form::number));
  for (const char* name : {"coherence.mean.variance.case", "coherence.mean.variance.vote"}) {
    summary.metrics.push_back(metric(name, plain_figure(0.03, 50), Metric::Form::number));
    summary.metrics.back().better = Metric::Better::neither;
  }
  EXPECT_TRUE(summary_plots(summary).empty());
}

TEST(SummaryPlots, LabelsOfOneCaseEachAreNoPlot) {
  Summary summary;
  summary.metrics.push_back(metric("recall", wilson(30, 50)));
  for (int i = 0; i < 50; ++i) summary.metrics.push_back(metric("recall." + std::to_string(i), wilson(1, 1)));
  EXPECT_TRUE(summary_plots(summary).empty());
}

TEST(SummaryPlots, HeadlineFiguresOfDifferentScalesAreDrawnApart) {
  Summary summary;
  summary.metrics.push_back(metric("likert.mean", plain_figure(2.2, 9), Metric::Form::number, true));
  summary.metrics.back().range = Interval{1, 5};
  summary.metrics.push_back(metric("noise", plain_figure(0.1, 9), Metric::Form::number, true));
  const std::vector<Plot> plots = summary_plots(summary);
  ASSERT_EQ(plots.size(), 2U);
  EXPECT_EQ(plots[0].title, "Headline figures, 1 to 5");
  EXPECT_EQ(to_text(at(plots[0].spec, "/layer/0/encoding/x/scale/domain")), "[1,5]");
  EXPECT_EQ(to_text(at(plots[1].spec, "/layer/0/encoding/x/scale/domain")), "[0,1]");
}

ReportInput with_plots(std::vector<Plot> plots) {
  ReportInput input = sample_report();
  input.summary.plots = std::move(plots);
  return input;
}

TEST(HtmlPlots, AreSpecsThatNoLabelCanBreakOutOf) {
  const std::string page = html_report(with_plots(plots_of_labels(hostile_labels(), "")), {"draw()", ""});
  std::size_t scripts = 0;
  for (std::size_t from = page.find("<script"); from != std::string::npos;
       from = page.find("<script", from + 1))
    ++scripts;
  EXPECT_EQ(scripts, 2U) << "the data, and what draws them";
  EXPECT_THAT(page, HasSubstr("\\u003c/script>"));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("<script>draw()</script>"));
}

TEST(HtmlPlots, AreTablesWithASentenceWithoutTheScript) {
  const std::string page = html_report(with_plots(plots_of_labels({"tax", "visa"}, "")), {});
  EXPECT_THAT(page, HasSubstr("built without the script that draws plots"));
  EXPECT_THAT(page, Not(HasSubstr("application/json")));
  EXPECT_THAT(page, HasSubstr("<bdi>visa</bdi>"));
}

TEST(HtmlPlots, AllowTheScriptThatDrawsByItsHash) {
  // printf 'draw()' | openssl dgst -sha256 -binary | base64
  const std::string page = html_report(with_plots(plots_of_labels({"tax"}, "")), {"draw()", ""});
  EXPECT_THAT(page, HasSubstr("'sha256-jm3FkV4tNIdBUr8jRVVl5n9PUixlaxTWD0pdpFiSH5A='"));
}

}  // namespace
}  // namespace assay
