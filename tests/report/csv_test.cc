#include "report/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/tables/csv.h"
#include "tests/report/sample.h"

namespace assay {
namespace {

// An RFC 4180 reader of its own, for the round trip.
std::vector<std::vector<std::string>> read_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::string cell;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else if (c == '"') {
        quoted = false;
      } else {
        cell += c;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.push_back(std::exchange(cell, ""));
    } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      row.push_back(std::exchange(cell, ""));
      rows.push_back(std::exchange(row, {}));
    } else {
      cell += c;
    }
  }
  return rows;
}

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  std::string out;
  append_csv_row(out, {"plain", "a,b", "say \"hi\"", "two\nlines", "", " spaces ", "\r"});
  EXPECT_EQ(out, "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",, spaces ,\"'\r\"\r\n");
}

TEST(Csv, WhatASpreadsheetWouldRunGetsAnApostrophe) {
  std::string out;
  append_csv_row(out, {"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "=a,b", "'=1"});
  EXPECT_EQ(out, "'=1+1,'+cmd|' /C calc'!A0,'-2+3,'@SUM(A1),'\tx,\"'=a,b\",''=1\r\n");
  out.clear();
  append_csv_row(out, {"-1", "+1.5", "-1.5e-7", "-.5", "a=b", "", "'quoted'", "1-2"});
  EXPECT_EQ(out, "-1,+1.5,-1.5e-7,-.5,a=b,,'quoted',1-2\r\n") << "numbers and other texts stay";
}

TEST(Csv, QuotesForOneByteWhereverItStands) {
  for (std::size_t length = 1; length <= 20; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(length, 'x');
        text[at] = static_cast<char>(byte);
        std::string out;
        append_csv_cell(out, text);
        const bool special = byte == ',' || byte == '"' || byte == '\r' || byte == '\n';
        ASSERT_EQ(out.starts_with('"'), special) << "byte " << byte << " at " << at << " of " << length;
      }
    }
  }
}

TEST(Csv, KeepsARowOfOneEmptyCell) {
  std::string out;
  append_csv_row(out, {""});
  EXPECT_EQ(out, "\"\"\r\n");
}

TEST(Csv, AppendsToWhatIsThere) {
  std::string out = "a\r\n";
  append_csv_row(out, std::vector<std::string>{"b", "c"});
  EXPECT_EQ(out, "a\r\nb,c\r\n");
}

RC_GTEST_PROP(Csv, ReadsBackAsTheSameCells, (const std::vector<std::string>& cells)) {
  RC_PRE(!cells.empty());
  std::string out;
  append_csv_row(out, cells);
  auto rows = read_csv(out);
  RC_ASSERT(rows.size() == 1U);
  for (std::string& cell : rows[0]) {
    if (cell.starts_with('\'') && needs_apostrophe(cell)) cell.erase(0, 1);
  }
  RC_ASSERT(rows[0] == cells);
}

TEST(SummaryCsv, ListsEachPropertyWithItsUncertainty) {
  const auto rows = read_csv(summary_csv(sample_report().summary));
  const std::vector<std::vector<std::string>> expected = {
      {"property", "value"},
      {"cases.total", "8"},
      {"cases.evaluated", "5"},
      {"cases.errored", "2"},
      {"cases.invalid", "1"},
      {"accuracy", "0.6"},
      {"accuracy.count", "3"},
      {"accuracy.n", "5"},
      {"accuracy.ci_low", number_text(wilson(3, 5).ci->low)},
      {"accuracy.ci_high", number_text(wilson(3, 5).ci->high)},
      {"precision", ""},
      {"precision.n", "0"},
      {"precision.tax", "0.5"},
      {"precision.tax.count", "1"},
      {"precision.tax.n", "2"},
  };
  ASSERT_GE(rows.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(rows[i].at(0), expected[i][0]);
    EXPECT_EQ(rows[i].at(1), expected[i][1]);
  }
  EXPECT_EQ(rows.back(), (std::vector<std::string>{"miscategorised", "2"}));
}

TEST(SummaryCsv, SurvivesHostileNames) {
  for (const auto& row : read_csv(summary_csv(hostile_report().summary))) EXPECT_EQ(row.size(), 2U);
}

}  // namespace
}  // namespace assay
