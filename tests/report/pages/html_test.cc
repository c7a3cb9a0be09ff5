#include "report/pages/html.h"

#include <set>

#include <gtest/gtest.h>

#include "core/text.h"
#include "report/pages/html_parts.h"
#include "tests/report/sample.h"

namespace assay {
namespace {

// The tags of a page as a strict reader sees them: every element closed in order, every attribute quoted.
class PageReader {
 public:
  explicit PageReader(std::string_view page) { read(page); }

  std::multiset<std::string> elements;
  std::set<std::string> attributes;
  std::vector<std::string> faults;

 private:
  void read(std::string_view page) {
    static const std::set<std::string> kVoid = {"meta", "link", "input",  "wbr", "line",
                                                "rect", "path", "circle", "br",  "!doctype"};
    std::vector<std::string> open;
    std::size_t at = 0;
    while ((at = page.find('<', at)) != std::string_view::npos) {
      if (!open.empty() && (open.back() == "script" || open.back() == "style")) {
        const std::size_t end = page.find("</" + open.back() + ">", at);
        if (end == std::string_view::npos) return fault("unclosed " + open.back());
        at = end;
      }
      const std::size_t end = page.find('>', at);
      if (end == std::string_view::npos) return fault("unclosed tag");
      std::string_view tag = page.substr(at + 1, end - at - 1);
      at = end + 1;
      if (tag.starts_with('/')) {
        if (open.empty() || open.back() != tag.substr(1)) return fault("wrong end of " + std::string(tag));
        open.pop_back();
        continue;
      }
      if (tag.ends_with('/')) tag.remove_suffix(1);
      const std::size_t name_end = std::min(tag.find(' '), tag.size());
      const std::string name = lower_ascii(tag.substr(0, name_end));
      elements.insert(name);
      read_attributes(tag.substr(name_end));
      if (!kVoid.contains(name)) open.push_back(name);
    }
    if (!open.empty()) fault("never closed: " + open.back());
  }

  void read_attributes(std::string_view rest) {
    while (!(rest = trim(rest)).empty()) {
      const std::size_t end = rest.find_first_of(" =");
      attributes.insert(std::string(rest.substr(0, end)));
      if (end == std::string_view::npos) return;
      if (rest[end] == ' ') {
        rest.remove_prefix(end);
        continue;
      }
      rest.remove_prefix(end + 1);
      if (!rest.starts_with('"')) return fault("an attribute without quotes");
      const std::size_t close = rest.find('"', 1);
      if (close == std::string_view::npos) return fault("an attribute does not end");
      rest.remove_prefix(close + 1);
    }
  }

  void fault(std::string text) { faults.push_back(std::move(text)); }
};

TEST(HtmlReport, IsWellFormedAndSelfContained) {
  const std::string page = html_report(sample_report());
  const PageReader reader(page);
  EXPECT_TRUE(reader.faults.empty()) << reader.faults.front();
  EXPECT_EQ(reader.elements.count("h1"), 1U);
  EXPECT_EQ(reader.elements.count("main"), 1U);
  EXPECT_EQ(reader.elements.count("nav"), 1U);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  EXPECT_FALSE(reader.attributes.contains("src"));
  EXPECT_NE(page.find("Content-Security-Policy"), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(page.find("width=device-width"), std::string::npos);
}

TEST(HtmlReport, ShowsFiguresWithTheirUncertainty) {
  const std::string page = html_report(sample_report());
  EXPECT_NE(page.find("<p class=\"big\">60.0%</p>"), std::string::npos);
  EXPECT_NE(page.find("95% interval <strong>23.1% – 88.2%</strong>"), std::string::npos);
  EXPECT_NE(page.find("3 of 5 · Wilson"), std::string::npos);
  EXPECT_NE(page.find("aria-label=\"value 60.0%, 95% interval 23.1% – 88.2%\""), std::string::npos);
  EXPECT_NE(page.find("2 of 3 gates failed"), std::string::npos);
  EXPECT_NE(page.find("undefined: no case was classified as positive"), std::string::npos);
}

TEST(HtmlReport, ConclusionsComeBeforeFiguresAndPlotsAndTheTopSaysWhatWasEvaluated) {
  ReportInput input = sample_report();
  input.summary.plots.push_back(interval_plot({"f", "Figures", ""}, {}, {{"accuracy", wilson(3, 5)}}));
  const std::string page = html_report(input);
  EXPECT_NE(page.find("<title>Question router: September prompt · Assay</title>"), std::string::npos);
  const std::size_t target = page.find("<dt>Target</dt><dd><bdi>python3 route.py</bdi></dd>");
  const std::size_t banner = page.find("class=\"banner\"");
  const std::size_t conclusion = page.find("<li dir=\"auto\">The router confuses visa with tax.</li>");
  ASSERT_NE(conclusion, std::string::npos);
  EXPECT_LT(target, banner);
  EXPECT_LT(banner, conclusion);
  EXPECT_LT(conclusion, page.find("id=\"figures\""));
  EXPECT_LT(conclusion, page.find("id=\"plots\""));
  EXPECT_NE(page.find("3 of them retries"), std::string::npos);
  EXPECT_NE(page.find("<dt>Asked again</dt>"), std::string::npos);
}

TEST(HtmlReport, WithoutTheSimulatorThereIsNoBanner) {
  ReportInput input = sample_report();
  input.summary.simulated.clear();
  EXPECT_EQ(html_report(input).find("class=\"banner\""), std::string::npos);
}

TEST(HtmlReport, SaysWhatWasLeftOutAndWhy) {
  const std::string page = html_report(sample_report());
  EXPECT_NE(page.find("2 cases ended in error. 1 input line was not valid and was left out."),
            std::string::npos);
  EXPECT_NE(
      page.find("Missing: judge failed 2; with all of them worst or best the value would be 42.9% – 71.4%"),
      std::string::npos);
  EXPECT_NE(page.find("The first 3 of 40; all are in problems.log."), std::string::npos);
  EXPECT_NE(page.find("<dt>Answer</dt><dd dir=\"auto\"><span class=\"note\">empty</span></dd>"),
            std::string::npos);
  EXPECT_NE(page.find("n/a means undefined, which is not zero"), std::string::npos);
}

TEST(HtmlReport, FoldsThePartsOfAFigure) {
  const std::string page = html_report(sample_report());
  const std::size_t folded = page.find("1 more figure by label or part");
  ASSERT_NE(folded, std::string::npos);
  EXPECT_GT(page.find("precision.<wbr>tax"), folded);
}

TEST(HtmlReport, OfAnEmptyRunIsStillAPage) {
  const std::string page = html_report(ReportInput());
  EXPECT_TRUE(PageReader(page).faults.empty());
  EXPECT_NE(page.find("There were no cases."), std::string::npos);
  EXPECT_NE(page.find("The run reported no figures."), std::string::npos);
  EXPECT_NE(page.find("No gates were set"), std::string::npos);
}

TEST(HtmlReport, NeverTurnsTextIntoMarkup) {
  const PageReader plain(html_report(sample_report()));
  const std::string page = html_report(hostile_report());
  const PageReader hostile(page);
  EXPECT_TRUE(hostile.faults.empty()) << hostile.faults.front();
  EXPECT_TRUE(valid_utf8(page));
  EXPECT_EQ(hostile.elements.count("script"), 1U);
  EXPECT_EQ(hostile.elements.count("title"), 1U);
  EXPECT_EQ(hostile.elements.count("img"), 0U);
  EXPECT_EQ(hostile.elements.count("b"), 0U);
  for (const std::string& name : hostile.attributes) EXPECT_FALSE(name.starts_with("on")) << name;
  EXPECT_EQ(page.find("\xE2\x80\xAE"), std::string::npos) << "a direction override could swap what is read";
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_NE(page.find("<span class=\"code-point\">U+202E</span>"), std::string::npos);
}

TEST(HtmlReport, HoldsAllCasesAsDataThatEndNoScript) {
  ReportInput input = sample_report();
  const std::string hostile = R"({"id":"a","question":"</script><!--<script>alert(1)</script>"})";
  input.cases.lines = case_data(hostile + "\n");
  input.cases.count = 1;
  const std::string page = html_report(input, {.plots = "", .cases = "show()"});
  const PageReader reader(page);
  EXPECT_TRUE(reader.faults.empty());
  EXPECT_EQ(reader.elements.count("script"), 3U) << "the page's own two, and the data";
  const std::size_t begin = page.find(cases_frame().before) + cases_frame().before.size();
  const auto back = parse_json(page.substr(begin, page.find('\n', begin) - begin));
  ASSERT_TRUE(back);
  EXPECT_EQ(text_at(*back, "question"), "</script><!--<script>alert(1)</script>");
  EXPECT_EQ(html_report(input, {}).find("All cases"), std::string::npos) << "without its script";
}

TEST(HtmlReport, LinksToThePageOfCasesWhereTheyAreMany) {
  ReportInput input = sample_report();
  input.cases = {.lines = "", .count = 20'000, .page = "all_cases.html", .all = false};
  const std::string page = html_report(input, {.plots = "", .cases = "show()"});
  EXPECT_NE(page.find("<a href=\"all_cases.html\">all cases</a>. The others are in results.jsonl."),
            std::string::npos);
  EXPECT_EQ(page.find("show()"), std::string::npos);
}

TEST(HtmlReport, StaysReadableWithVeryMuchText) {
  ReportInput input = sample_report();
  input.notable.front().fields.emplace_back("answer", std::string(5'000'000, 'a'));
  Table wide{"wide", "", {}, {}, true, "", ""};
  for (int i = 0; i < 100; ++i) wide.columns.push_back("l" + std::to_string(i));
  input.summary.tables.push_back(wide);
  const std::string page = html_report(input);
  EXPECT_LT(page.size(), 200'000U);
  EXPECT_NE(page.find("4,980,000 more bytes"), std::string::npos);
  EXPECT_NE(page.find("100 labels are too many to draw"), std::string::npos);
  EXPECT_TRUE(PageReader(page).faults.empty());
}

TEST(HtmlText, MakesTheInvisibleVisible) {
  EXPECT_EQ(html::text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(html::text("x\r\ny\tz"), "x\ny\tz");
  EXPECT_EQ(html::text("\x07"), "<span class=\"code-point\">U+0007</span>");
  EXPECT_EQ(html::text("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(html::text("grüße"), "grüße");
  EXPECT_EQ(html::text("gr\xC3\xBC", 3), "gr<span class=\"note\"> … 2 more bytes</span>");
  EXPECT_EQ(html::attribute("\"\n\x01<"), "&quot;\n\xEF\xBF\xBD&lt;");
  EXPECT_EQ(html::name("macro.f_one"), "macro.<wbr>f_<wbr>one");
  EXPECT_EQ(html::metric_title("coherence.mean"), "Coherence · mean");
}

TEST(IntervalBar, DrawsValueAndIntervalOnTheSameAxis) {
  Estimate estimate = plain_figure(0.5, 10);
  estimate.ci = Interval{0.25, 1};
  const std::string bar = html::interval_bar(metric("a", estimate), {}, html::BarSize::small, {0, 1});
  // The axis runs from 6 to 194: 0.25 is at 53, 1 at 194, the middle at 100 less half the tick's width.
  EXPECT_NE(bar.find("<rect class=\"interval\" x=\"53.00\" y=\"4\" width=\"141.00\""), std::string::npos)
      << bar;
  EXPECT_NE(bar.find("<rect class=\"value\" x=\"98.00\""), std::string::npos) << bar;
}

Metric between(double low, double value, double high, Metric::Form form = Metric::Form::number) {
  Estimate estimate = plain_figure(value, 10);
  estimate.ci = Interval{low, high};
  return metric("a", estimate, form);
}

TEST(IntervalBar, StandsOnTheScaleOfItsFigureAndWidensToHoldEverything) {
  const auto ends = [](const Metric& one, std::vector<double> marks = {}) {
    const Interval axis = html::axis_of(one, marks);
    return std::pair(axis.low, axis.high);
  };
  EXPECT_EQ(ends(between(0.1, 0.2, 0.3)), std::pair(0.0, 1.0));
  EXPECT_EQ(ends(between(0, 0, 0)), std::pair(0.0, 1.0));
  EXPECT_EQ(ends(between(3.9, 4.2, 4.6)), std::pair(0.0, 5.0));
  EXPECT_EQ(ends(between(0.1, 0.2, 0.3), {12}), std::pair(0.0, 20.0));
  Metric rating = between(1.9, 2.2, 2.6);
  rating.range = Interval{1, 5};
  EXPECT_EQ(ends(rating), std::pair(1.0, 5.0));
  // As far to the one side of 0 as to the other.
  EXPECT_EQ(ends(between(-0.05, 0.01, 0.07)), std::pair(-0.1, 0.1));
  Metric difference = between(0.01, 0.03, 0.04, Metric::Form::share);
  difference.reference = 0;
  EXPECT_EQ(ends(difference), std::pair(-0.05, 0.05));
}

TEST(IntervalBar, ADifferenceHasALineAtZeroAndAWinRateWhereItIsRead) {
  const auto bar = [](const Metric& one) {
    return html::interval_bar(one, {}, html::BarSize::large, html::axis_of(one, {}));
  };
  EXPECT_NE(bar(between(-0.05, 0.01, 0.07)).find("<path class=\"reference\" d=\"M100.00 0v22\"/>"),
            std::string::npos);
  Metric wins = between(0.4, 0.6, 0.8, Metric::Form::share);
  EXPECT_EQ(bar(wins).find("reference"), std::string::npos);
  wins.reference = 0.5;
  EXPECT_NE(bar(wins).find("<span>0%</span><span>50%</span><span>100%</span>"), std::string::npos)
      << bar(wins);
}

TEST(SharedScales, FiguresOfAKindAreDrawnOnOneScale) {
  Metric rating = between(1.9, 2.2, 2.6);
  rating.range = Interval{1, 5};
  const std::vector<Metric> metrics{between(0.1, 0.2, 0.3, Metric::Form::share), between(-0.02, 0.01, 0.03),
                                    between(-0.3, 0.1, 0.4), rating, between(3, 7, 90)};
  std::vector<const Metric*> all;
  for (const Metric& one : metrics) all.push_back(&one);
  const html::SharedScales scales(all);
  EXPECT_EQ(scales.of(metrics[1])->high, 0.5) << "the scale of the larger difference";
  EXPECT_EQ(scales.of(metrics[2])->low, -0.5);
  EXPECT_EQ(scales.of(metrics[3])->low, 1);
  EXPECT_FALSE(scales.of(metrics[4])) << "nothing is known of its scale";
  EXPECT_EQ(scales.words(all), "Bars of the same kind share one scale: 0% to 100%, -0.5 to 0.5, 1 to 5.");
}

}  // namespace
}  // namespace assay
