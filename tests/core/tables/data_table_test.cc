#include "core/tables/data_table.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string file(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST(DataTable, OfCsvTrimsCellsAndTakesEmptyOnesForMissing) {
  const auto table = DataTable::of_csv("id,score\n1, 0.5 \n2,\n", "here.csv");
  ASSERT_TRUE(table.has_value()) << table.error().text();
  EXPECT_EQ(table->rows(), 2U);
  EXPECT_EQ(table->line(1), 3U);
  const std::size_t score = table->column("score").value();
  EXPECT_EQ(table->text(0, score), "0.5");
  EXPECT_EQ(table->text(1, score), std::nullopt);
}

TEST(DataTable, NamesTheFileAndTheNearestColumn) {
  const auto table = DataTable::of_csv("id,score\n", "here.csv");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->column("scor").error().text(), "here.csv: there is no column scor; did you mean score?");
  EXPECT_EQ(table->column("winner").error().text(),
            "here.csv: there is no column winner; there are id, score");
  EXPECT_EQ(DataTable::of_csv("a,a\n", "here.csv").error().text().substr(0, 9), "here.csv:");
}

TEST(DataTable, ReadsFieldsOfJsonLinesByPathsWithDots) {
  const auto table = DataTable::read(file(
      "table.jsonl", "{\"id\": 1, \"m\": {\"x\": 0.5}}\n\n{\"id\": null, \"m\": {\"y\": [\"a\", \"b\"]}}\n"));
  ASSERT_TRUE(table.has_value()) << table.error().text();
  EXPECT_EQ(table->line(1), 3U);
  EXPECT_EQ(table->text(0, table->column("m.x").value()), "0.5");
  EXPECT_EQ(table->text(1, table->column("m.x").value()), std::nullopt);
  EXPECT_EQ(table->text(1, table->column("m.y").value()), R"(["a","b"])");
  EXPECT_EQ(table->text(1, table->column("id").value()), std::nullopt);
}

}  // namespace
}  // namespace assay
