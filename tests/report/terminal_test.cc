#include "report/terminal.h"

#include <gtest/gtest.h>

#include "core/text.h"
#include "tests/report/sample.h"

namespace assay {
namespace {

TEST(Terminal, ShowsTheSummaryAsATable) {
  EXPECT_EQ(
      terminal_summary(sample_report().summary),
      "Question router  September prompt\n"
      "target: python3 route.py · data: questions.jsonl (8 cases)\n"
      "! Simulated: answers of sim/judge, sim/router come from the built-in simulator.\n"
      "  The figures show what a report looks like; they say nothing about a real\n"
      "  model.\n"
      "• The router confuses visa with tax.\n"
      "• All else is well.\n"
      "5 of 8 cases were evaluated. 2 cases ended in error. 1 input line was not valid and was left out.\n"
      "\n"
      "  figure          value   95% interval  n\n"
      "  accuracy        60.0%  23.1% – 88.2%  5\n"
      "    missing: judge failed 2\n"
      "  precision         n/a            n/a  0\n"
      "    no case was classified as positive\n"
      "  precision.tax   50.0%   9.5% – 90.5%  2\n"
      "  miscategorised      2\n"
      "\n"
      "  ✓ passed  accuracy >= 0.5  value 60.0%\n"
      "  ✗ failed  precision >= 0.8  value n/a (undefined: no case was classified as positive)\n"
      "  ✗ failed  errored == 0  value 2\n"
      "\n"
      "10 requests (3 of them retries), 1 answer asked again, 12,345 tokens in, 678 tokens out, cost $0.04, "
      "2m 10s\n");
}

TEST(Terminal, ListsWhatSeveralRunsFound) {
  Summary other;
  other.evaluation = "retrieval";
  EXPECT_EQ(terminal_findings({{"router", sample_report().summary, "a/report.html"},
                               {"search index", other, "b/report.html"}}),
            "router        accuracy 60.0% (23.1% – 88.2%)\n"
            "  The router confuses visa with tax.\n"
            "  a/report.html\n"
            "search index\n"
            "  b/report.html\n");
}

TEST(Terminal, ColoursOnlyWhenAsked) {
  EXPECT_EQ(terminal_summary(sample_report().summary).find('\x1b'), std::string::npos);
  const std::string coloured = terminal_summary(sample_report().summary, {.colour = Colour::ansi});
  EXPECT_NE(coloured.find("\x1b[32m✓ passed\x1b[0m"), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[31m✗ failed\x1b[0m"), std::string::npos);
}

TEST(Terminal, KeepsFigureLinesWithinTheWidth) {
  Summary summary = sample_report().summary;
  summary.metrics[2].name = "precision.a_label_that_goes_on_and_on_and_on_and_on_and_on_and_on";
  summary.metrics[1].estimate.undefined = std::string(300, 'r');
  for (const std::size_t width : {60U, 80U, 120U}) {
    bool inside = false;
    for (const std::string_view line : split_lines(terminal_summary(summary, {.width = width}))) {
      inside = line.starts_with("  figure") || (inside && !line.empty());
      if (inside) {
        EXPECT_LE(display_width(line), width) << line;
      }
    }
  }
}

TEST(Terminal, LeavesOutTheTailOfManyFigures) {
  Summary summary = sample_report().summary;
  for (int i = 0; i < 100; ++i)
    summary.metrics.push_back(metric("recall.l" + std::to_string(i), wilson(1, 2)));
  summary.metrics.push_back(metric("important", wilson(1, 2), Metric::Form::share, true));
  const std::string text = terminal_summary(summary, {.most_figures = 10});
  EXPECT_NE(text.find("… 93 more figures in summary.json"), std::string::npos) << text;
  EXPECT_NE(text.find("important"), std::string::npos);
}

TEST(Terminal, CannotBeSteeredByText) {
  const std::string text = terminal_summary(hostile_report().summary);
  EXPECT_TRUE(valid_utf8(text));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\xE2\x80\xAE"), std::string::npos);
  for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
}

TEST(TerminalText, StaysOnOneLine) {
  EXPECT_EQ(terminal_text("a\tb\r\nc"), "a b  c");
  EXPECT_EQ(terminal_text("\x1b[2Jgone"), "\xEF\xBF\xBD[2Jgone");
  EXPECT_EQ(terminal_text("\xC2\x9B"
                          "31m"),
            "\xEF\xBF\xBD"
            "31m");  // the one-byte form of ESC [
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);  // e and a combining accent
  EXPECT_EQ(display_width("✓"), 1U);
  EXPECT_EQ(display_width("🌍"), 2U);
  EXPECT_EQ(display_width(""), 0U);
}

}  // namespace
}  // namespace assay
