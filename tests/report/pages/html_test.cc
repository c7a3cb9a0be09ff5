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
  const std::string page = html_report(sample_report(), {.report = "draw()", .cases = ""});
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

// What a reader without scripts has.
std::string plain(const ReportInput& input) {
  return html_report(input, {});
}

Json data_of(const std::string& page) {
  constexpr std::string_view kBegin = "id=\"report-data\">";
  const std::size_t begin = page.find(kBegin);
  if (begin == std::string::npos) return nullptr;
  const std::string_view rest = std::string_view(page).substr(begin + kBegin.size());
  return parse_json(rest.substr(0, rest.find("</script>"))).value();
}

TEST(HtmlReport, ShowsFiguresWithTheirUncertaintyWithoutAnyScript) {
  const std::string page = plain(sample_report());
  EXPECT_NE(
      page.find("<bdi>60.0%</bdi></td><td class=\"text short\"><bdi>23.1% – 88.2%</bdi></td>"
                "<td class=\"number\" data-sort=\"5\">5</td><td class=\"text short\"><bdi>Wilson</bdi>"),
      std::string::npos)
      << page.substr(page.find("id=\"figures\""), 2'000);
  EXPECT_NE(page.find("2 of 3 gates failed"), std::string::npos);
  EXPECT_NE(page.find("<bdi>no case was classified as positive</bdi>"), std::string::npos);
}

TEST(HtmlReport, HoldsWhatItsScriptDrawsAndThePlainTextBesideIt) {
  ReportInput input = sample_report();
  input.summary.stopping = StoppingReport{true, 8, 600, 0, std::nullopt, {}};
  const std::string page = html_report(input, {.report = "draw()", .cases = ""});
  EXPECT_NE(page.find("<script>draw()</script>"), std::string::npos);
  const Json data = data_of(page);
  EXPECT_EQ(text_at(*find_pointer(data, "/summary"), "run_id"), input.summary.run_id);
  EXPECT_EQ(to_text(*find_pointer(data, "/summary/metrics/accuracy")),
            to_text(to_json(input.summary.metrics[0].estimate)));
  EXPECT_EQ(text_at(*find_pointer(data, "/notable/0"), "id"), "q-17");
  const std::string rests = to_text(*find_pointer(data, "/rests_on"));
  EXPECT_NE(rests.find("2 cases ended in error"), std::string::npos) << rests;
  EXPECT_NE(rests.find("Stopped early, after 8 of 600 cases"), std::string::npos) << rests;
  for (const char* part : {"<div id=\"plain\">", "The router confuses visa with tax.", "23.1% – 88.2%"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
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
  const std::string page = plain(sample_report());
  EXPECT_NE(page.find("2 cases ended in error. 1 input line was not valid and was left out."),
            std::string::npos);
  EXPECT_NE(page.find("<bdi>judge failed 2</bdi></td><td class=\"text short\"><bdi>42.9% – 71.4%</bdi>"),
            std::string::npos);
  EXPECT_NE(page.find("The first 3 of 40; all are in problems.log."), std::string::npos);
  EXPECT_NE(page.find("<dt>Answer</dt><dd dir=\"auto\"><span class=\"note\">empty</span></dd>"),
            std::string::npos);
  EXPECT_NE(page.find("n/a means undefined, which is not zero"), std::string::npos);
}

TEST(HtmlReport, OfAnEmptyRunIsStillAPage) {
  const std::string page = html_report(ReportInput());
  EXPECT_TRUE(PageReader(page).faults.empty());
  EXPECT_NE(page.find("There were no cases."), std::string::npos);
  EXPECT_NE(page.find("The run reported no figures."), std::string::npos);
  EXPECT_NE(page.find("No gates were set"), std::string::npos);
}

TEST(HtmlReport, NeverTurnsTextIntoMarkup) {
  const std::string page = plain(hostile_report());
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

TEST(HtmlReport, HoldsHostileTextsAsDataThatEndNoScript) {
  const std::string page = html_report(hostile_report(), {.report = "draw()", .cases = ""});
  const PageReader reader(page);
  EXPECT_TRUE(reader.faults.empty());
  EXPECT_TRUE(valid_utf8(page));
  EXPECT_EQ(reader.elements.count("script"), 2U) << "the data, and what draws them";
  EXPECT_EQ(text_at(*find_pointer(data_of(page), "/summary"), "evaluation"),
            repair_utf8(hostile_report().summary.evaluation));
}

TEST(HtmlReport, HoldsAllCasesAsDataThatEndNoScript) {
  ReportInput input = sample_report();
  const std::string hostile = R"({"id":"a","question":"</script><!--<script>alert(1)</script>"})";
  input.cases.lines = script_data(hostile + "\n");
  input.cases.count = 1;
  const std::string page = html_report(input, {.report = "show()", .cases = ""});
  const PageReader reader(page);
  EXPECT_TRUE(reader.faults.empty());
  EXPECT_EQ(reader.elements.count("script"), 3U) << "the script, and data of two kinds";
  const std::size_t begin = page.find(cases_frame().before) + cases_frame().before.size();
  const auto back = parse_json(page.substr(begin, page.find('\n', begin) - begin));
  ASSERT_TRUE(back);
  EXPECT_EQ(text_at(*back, "question"), "</script><!--<script>alert(1)</script>");
  EXPECT_EQ(plain(input).find("case-lines"), std::string::npos) << "without its script";
}

TEST(HtmlReport, LinksToThePageOfCasesWhereTheyAreMany) {
  ReportInput input = sample_report();
  input.cases = {.lines = "", .count = 20'000, .page = "all_cases.html", .all = false};
  const std::string page = html_report(input, {.report = "show()", .cases = ""});
  EXPECT_NE(page.find("<a href=\"all_cases.html\">all cases</a>. The others are in results.jsonl."),
            std::string::npos);
  EXPECT_EQ(to_text(*find_pointer(data_of(page), "/cases")),
            R"({"count":20000,"page":"all_cases.html","all":false})");
}

TEST(HtmlReport, StaysReadableWithVeryMuchText) {
  ReportInput input = sample_report();
  input.notable.front().fields.emplace_back("answer", std::string(5'000'000, 'a'));
  Table wide{"wide", "", {}, {}, true, "", ""};
  for (int i = 0; i < 100; ++i) wide.columns.push_back("l" + std::to_string(i));
  wide.rows.assign(100, std::vector<Json>(100, Json(1)));
  input.summary.tables.push_back(wide);
  Table tall{"tall", "", {"n"}, {}, false, "", ""};
  tall.rows.assign(5'000, {Json("a row")});
  input.summary.tables.push_back(tall);
  for (const std::string_view script : {"", "draw()"}) {
    const std::string page = html_report(input, {.report = script, .cases = ""});
    EXPECT_LT(page.size(), 200'000U);
    EXPECT_NE(page.find("4,980,000 more bytes"), std::string::npos);
    EXPECT_NE(page.find("100 labels are too many to draw"), std::string::npos);
    EXPECT_NE(page.find("4,000 more rows are in summary.json"), std::string::npos);
    EXPECT_TRUE(PageReader(page).faults.empty());
  }
  const Json tables =
      *find_pointer(data_of(html_report(input, {.report = "draw()", .cases = ""})), "/summary/tables");
  EXPECT_EQ(to_text(*find_pointer(tables, "/wide/rows")), "[]");
  EXPECT_EQ(to_text(*find_pointer(tables, "/tall/more_rows")), "4000");
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
}

}  // namespace
}  // namespace assay
