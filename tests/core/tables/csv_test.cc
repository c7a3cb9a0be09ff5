#include "core/tables/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CsvTable table(std::string_view text) {
  auto parsed = parse_csv(text);
  EXPECT_TRUE(parsed) << parsed.error().text();
  return parsed ? std::move(*parsed) : CsvTable{};
}

std::string problem(std::string_view text) {
  const auto parsed = parse_csv(text);
  EXPECT_FALSE(parsed);
  return parsed ? "" : parsed.error().message;
}

TEST(Csv, ReadsCellsAndNumbersRowsByTheirLine) {
  const CsvTable read = table(
      "\xEF\xBB\xBF"
      "a,b\r\n1,2\r\n\r\n3,\n");
  EXPECT_THAT(read.columns, ElementsAre("a", "b"));
  ASSERT_EQ(read.rows.size(), 2U);
  EXPECT_THAT(read.rows[0].cells, ElementsAre("1", "2"));
  EXPECT_EQ(read.rows[1].line, 4U);
  EXPECT_THAT(read.rows[1].cells, ElementsAre("3", ""));
}

TEST(Csv, QuotedCellsHoldCommasLineBreaksAndQuotes) {
  const CsvTable read = table("a,b\n\"x,\"\"y\"\"\r\nz\",2\n\"\",last");
  EXPECT_THAT(read.rows[0].cells, ElementsAre("x,\"y\"\r\nz", "2"));
  EXPECT_EQ(read.rows[1].line, 4U);
  EXPECT_THAT(read.rows[1].cells, ElementsAre("", "last"));
}

TEST(Csv, AnApostropheAgainstFormulasIsTakenAway) {
  const auto table = parse_csv("id,text\r\n'-x,\"'=a,b\"\r\n'quoted',''@x\r\n'-5,'\r\n").value();
  EXPECT_EQ(table.rows[0].cells, (std::vector<std::string>{"-x", "=a,b"}));
  EXPECT_EQ(table.rows[1].cells, (std::vector<std::string>{"'quoted'", "'@x"}));
  EXPECT_EQ(table.rows[2].cells, (std::vector<std::string>{"'-5", "'"}))
      << "nobody wrote it against a formula";
}

TEST(Csv, TellsEveryProblemWithItsLine) {
  EXPECT_EQ(problem("a,b\n1\n1,2,3\n"),
            "line 2: found 1 cells, expected 2 as in the first row\nline 3: found 3 cells, expected 2 as in "
            "the first row");
  EXPECT_THAT(problem("a,a,\n"),
              AllOf(HasSubstr("column a is there twice"), HasSubstr("column 3 has no name")));
  EXPECT_THAT(problem("a\n\"x\ny"), HasSubstr("line 2: a quote that opens a cell is never closed"));
  EXPECT_THAT(problem("a,b\n\"x\"y,1\n"), HasSubstr("line 2: text stands behind a closing quote"));
  EXPECT_THAT(problem("a\n\xff\n"), HasSubstr("line 2: the text is not valid UTF-8"));
  EXPECT_THAT(problem(""), HasSubstr("empty"));
}

TEST(Csv, ACellIsANumberOnlyAsAWhole) {
  EXPECT_EQ(cell_number(" 1.5 "), 1.5);
  EXPECT_EQ(cell_number("-2e3"), -2000);
  EXPECT_EQ(cell_number("true"), 1);
  EXPECT_EQ(cell_number("false"), 0);
  for (const char* other : {"", "x", "1.5 m", "1,5", "nan", "inf", "1e999", "True"})
    EXPECT_FALSE(cell_number(other)) << other;
}

TEST(Csv, ManyProblemsAreCountedAndNotAllShown) {
  std::string text = "a,b\n";
  for (int i = 0; i < 50; ++i) text += "1\n";
  EXPECT_THAT(problem(text), HasSubstr("… and 30 more"));
}

}  // namespace
}  // namespace assay
