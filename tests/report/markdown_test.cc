#include "report/markdown.h"

#include <gtest/gtest.h>

#include "core/text.h"
#include "tests/report/sample.h"

namespace assay {
namespace {

TEST(Markdown, SaysTheVerdictFirst) {
  const std::string text = markdown_report(sample_report());
  EXPECT_TRUE(text.starts_with(
      "### ❌ Assay: Question router: 2 of 3 gates failed\n\nSeptember prompt\n\n"
      "> ⚠️ **Simulated: answers of sim/judge, sim/router come from the built-in simulator. The figures show "
      "what a "
      "report looks like; they say nothing about a real model.**\n\n"
      "- The router confuses visa with tax.\n- All else is well.\n\n"
      "Target: `python3 route.py` · Data: `questions.jsonl (8 cases)`\n\n5 of 8 cases"))
      << text;
  EXPECT_NE(
      text.find(
          "| `accuracy` | **60.0%** | 23.1% – 88.2% | 5 | Wilson; missing: judge failed 2; bounds 42.9% – "
          "71.4% |"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("| `precision` | n/a | n/a | 0 | no case was classified as positive |"),
            std::string::npos);
  EXPECT_NE(text.find("| `accuracy >= 0.5` | ✅ passed | 60.0% |"), std::string::npos);
  EXPECT_NE(text.find("| `errored == 0` | ❌ **failed** | 2 |"), std::string::npos);
  EXPECT_NE(text.find("<summary>40 problems</summary>"), std::string::npos);
  EXPECT_NE(text.find("- 37 more in `problems.log`"), std::string::npos);
  EXPECT_NE(text.find("10 requests (3 of them retries), 1 answer asked again, 12,345 tokens in, 678 tokens "
                      "out, cost $0.04, 2m 10s."),
            std::string::npos);
  EXPECT_NE(text.find("To repeat it: `assay run router.yaml`"), std::string::npos);
}

TEST(Markdown, ShowsTablesAndTheCasesWorthALook) {
  const std::string text = markdown_report(sample_report());
  EXPECT_NE(text.find("| expected ↓ actual → | `tax` | `visa` |\n| --- | --- | --- |\n| `tax` | 3 | 0 |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| label | precision |\n| --- | --- |\n| `tax` | 0.500 |\n| `visa` | n/a |\n"),
            std::string::npos);
  EXPECT_NE(text.find("- `q-17`: `visa instead of tax`\n  - question: `Where do I pay?`\n"),
            std::string::npos);
}

TEST(Markdown, ARunThatIsNotFinishedHasPassedAndFailedNothingYet) {
  ReportInput input = sample_report();
  input.summary.cases.open = 40;
  const std::string text = markdown_report(input);
  EXPECT_TRUE(
      text.starts_with("### ⏳ Assay: Question router: not finished; 2 of 3 gates do not hold so far\n"))
      << text;
  EXPECT_NE(text.find("| `accuracy >= 0.5` | ⏳ holds so far | 60.0% |"), std::string::npos);
  EXPECT_EQ(text.find("✅"), std::string::npos);
  EXPECT_EQ(text.find("❌"), std::string::npos);
  input.summary.gates.clear();
  EXPECT_TRUE(markdown_report(input).starts_with("### ⏳ Assay: Question router: not finished\n"));
}

TEST(Markdown, ShowsNoVerdictWithoutGates) {
  ReportInput input = sample_report();
  input.summary.gates.clear();
  EXPECT_TRUE(markdown_report(input).starts_with("### Assay: Question router\n"));
}

TEST(Markdown, FitsAComment) {
  ReportInput input = sample_report();
  const std::string long_name(400, 'x');
  for (int i = 0; i < 2'000; ++i)
    input.summary.metrics.push_back(metric(long_name + std::to_string(i), wilson(1, 2)));
  for (int i = 0; i < 300; ++i) input.problems.push_back({"error", "q", std::string(10'000, 'y')});
  for (int i = 0; i < 50; ++i) input.notable.push_back({"q", "bad", {{"answer", std::string(100'000, 'z')}}});
  const std::string text = markdown_report(input);
  EXPECT_LT(count_code_points(text), 65'536U);
  EXPECT_NE(text.find("2 of 3 gates failed"), std::string::npos);
  EXPECT_NE(text.find("left out here for length"), std::string::npos);

  input.summary.gates.assign(3'000, {std::string(100, 'g'), false, 0.5, ""});
  EXPECT_LT(count_code_points(markdown_report(input)), 65'536U);
}

// What is outside code spans and HTML comments must hold no markup of the hostile text.
TEST(Markdown, KeepsHostileTextInert) {
  const std::string text = markdown_report(hostile_report());
  EXPECT_TRUE(valid_utf8(text));
  std::string outside;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\\') {
      i += 2;
    } else if (text[i] == '`') {
      const std::size_t run = text.find_first_not_of('`', i) - i;
      const std::size_t close = text.find(std::string(run, '`'), i + run);
      ASSERT_NE(close, std::string::npos) << "a code span does not end";
      EXPECT_EQ(text.substr(i, close - i).find('\n'), std::string::npos) << "a code span has a line break";
      i = close + run;
    } else {
      outside += text[i++];
    }
  }
  EXPECT_EQ(outside.find("<script"), std::string::npos);
  EXPECT_EQ(outside.find("<img"), std::string::npos);
  EXPECT_EQ(outside.find("@octocat"), std::string::npos) << "a mention would notify a person";
  EXPECT_EQ(outside.find("](javascript"), std::string::npos);
  EXPECT_EQ(outside.find('\x1b'), std::string::npos);
  // Every table row still has the columns of its head.
  std::size_t columns = 0;
  for (const std::string_view line : split_lines(text)) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    if (!line.starts_with("| ")) {
      columns = 0;
    } else if (columns == 0) {
      columns = bars;
    } else {
      EXPECT_EQ(bars, columns) << line;
    }
  }
}

TEST(CodeSpan, HoldsAnyText) {
  EXPECT_EQ(code_span("plain"), "`plain`");
  EXPECT_EQ(code_span("a`b"), "``a`b``");
  EXPECT_EQ(code_span("`a"), "`` `a ``");
  EXPECT_EQ(code_span("a|b"), "`a\\|b`");
  EXPECT_EQ(code_span("two\nlines"), "`two lines`");
  EXPECT_EQ(code_span(""), "(empty)");
  EXPECT_EQ(code_span(" \n"), "(blank)");
}

}  // namespace
}  // namespace assay
