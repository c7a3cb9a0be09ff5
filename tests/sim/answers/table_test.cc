#include "sim/answers/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Table tickets() {
  return *table_in("tickets", json(R"([
    {"id": 1, "status": "open", "created_at": "2025-01-03", "age_hours": 12, "price": "7.50"},
    {"id": 2, "status": "closed", "created_at": "2025-01-04", "age_hours": 30, "price": "1.25"},
    {"id": 3, "status": "open", "created_at": "2025-01-01", "age_hours": 50, "price": null},
    {"id": 4, "status": "open", "created_at": "2025-01-02", "age_hours": 40, "price": "3.00", "note": "x"}])"));
}

std::vector<std::int64_t> ids(const JsonArray& rows) {
  std::vector<std::int64_t> found;
  for (const Json& row : rows) found.push_back(row.at("id").as_int64());
  return found;
}

TEST(SimTable, IsFoundInWhateverHoldsRows) {
  EXPECT_THAT(tickets().columns, ElementsAre("id", "status", "created_at", "age_hours", "price", "note"));
  EXPECT_EQ(table_in("", json(R"({"columns": ["a"], "rows": [{"a": 1}]})"))->rows.size(), 1U);
  EXPECT_EQ(table_in("", json(R"({"stdout": "[{\"a\": 1}, {\"a\": 2}]\n", "stderr": "", "exitCode": 0})"))
                ->rows.size(),
            2U);
  EXPECT_EQ(table_in_text("", " [{\"a\": 1}]\n")->rows.size(), 1U);
  for (const char* none : {"[]", "[1, 2]", "{}", "null", R"({"error": "no such table"})", R"("[{")"}) {
    EXPECT_FALSE(table_in("", json(none))) << none;
  }
  EXPECT_FALSE(table_in_text("", "Twelve degrees."));
}

TEST(SimTable, KnowsWhatCanBeCounted) {
  EXPECT_TRUE(is_measure(tickets(), "age_hours"));
  EXPECT_TRUE(is_measure(tickets(), "price")) << "decimals come as text";
  EXPECT_FALSE(is_measure(tickets(), "id"));
  EXPECT_FALSE(is_measure(tickets(), "status"));
  EXPECT_FALSE(is_measure(tickets(), "note"));
}

TEST(SimTable, ReadsWishesFromPlainWords) {
  EXPECT_EQ(wish_of("prioritize last 20 open tickets for me").limit, 20U);
  EXPECT_TRUE(wish_of("the Latest 5").newest);
  EXPECT_EQ(wish_of("Top 3 customers").limit, 3U);
  EXPECT_FALSE(wish_of("Top 3 customers").newest);
  EXPECT_FALSE(wish_of("prioritize all open tickets since 2025").limit);
  EXPECT_EQ(wish_of("What is the average age?").figure, Wish::Figure::mean);
  EXPECT_EQ(wish_of("How many are open?").figure, Wish::Figure::count);
  EXPECT_EQ(wish_of("accounts that mean_time").figure, Wish::Figure::mean);
  EXPECT_EQ(wish_of("list the accounts").figure, Wish::Figure::none);
}

TEST(SimTable, TakesWhatTheTextIsAbout) {
  Table table = tickets();
  keep_kinds(table, "last 2 open tickets");
  EXPECT_THAT(ids(table.rows), ElementsAre(1, 3, 4));
  take(table, wish_of("last 2 open tickets"));
  EXPECT_THAT(ids(table.rows), ElementsAre(1, 4)) << "the newest by date";
  sort_by(table.rows, "age_hours");
  EXPECT_THAT(ids(table.rows), ElementsAre(4, 1));
  EXPECT_THAT(named_columns(table, "show id and age hours"), ElementsAre("id", "age_hours"));
  EXPECT_EQ(order_column(table, "sort by price", Chance(1)), "price");
  EXPECT_EQ(order_column(table, "which age counts", Chance(1)), "age_hours");
  table = tickets();
  keep_kinds(table, "all tickets");
  EXPECT_EQ(table.rows.size(), 4U);
  EXPECT_DOUBLE_EQ(figure_of(table, Wish::Figure::mean, "average age_hours", Chance(1)), 33.0);
  EXPECT_DOUBLE_EQ(figure_of(table, Wish::Figure::count, "how many", Chance(1)), 4.0);
}

TEST(SimTable, IsDisturbedAsMuchAsTheNoiseSays) {
  JsonArray rows = tickets().rows;
  disturb(rows, 0, Chance(3));
  EXPECT_THAT(ids(rows), ElementsAre(1, 2, 3, 4));
  bool dropped = false;
  bool swapped = false;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    JsonArray noisy = tickets().rows;
    disturb(noisy, 0.3, Chance(seed));
    dropped = dropped || noisy.size() < 4;
    swapped = swapped || (noisy.size() == 4 && ids(noisy) != std::vector<std::int64_t>{1, 2, 3, 4});
  }
  EXPECT_TRUE(dropped && swapped);
  JsonArray none = tickets().rows;
  disturb(none, 1, Chance(1));
  EXPECT_LT(none.size(), 4U);
  JsonArray empty;
  disturb(empty, 0.5, Chance(1));
  EXPECT_THAT(empty, IsEmpty());
}

}  // namespace
}  // namespace assay::sim
