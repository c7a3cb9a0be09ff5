#include "sim/answers/table_definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"

namespace assay::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> read(std::string_view text) {
  std::vector<std::string> found;
  for (const TableDefinition& table : definitions_in(text))
    found.push_back(table.name + ": " + join(table.columns, " "));
  return found;
}

TEST(TableDefinitions, AreReadInTheFormsThatPeopleWrite) {
  EXPECT_THAT(read("CREATE TABLE support_ticket (\n  ticket_id integer PRIMARY KEY,\n  \"status\" text,\n"
                   "  cost numeric(10, 2) DEFAULT 0,\n  FOREIGN KEY (user_id) REFERENCES users(id, org)\n);\n"
                   "create table if not exists public.plans (id uuid)"),
              ElementsAre("support_ticket: ticket_id status cost", "public.plans: id", "users: id org"));
  EXPECT_THAT(read("Query tickets. Tables: tickets(id, status, created_at), users (id integer, plan text)."),
              ElementsAre("tickets: id status created_at", "users: id plan"));
  EXPECT_THAT(
      read("Schema:\n- tickets: id, status, title.\n* `users`: id (integer), name (text)\n"
           "Table plans: plan_id, price\nTable: invoice\nColumns: a, b"),
      ElementsAre("tickets: id status title", "users: id name", "plans: plan_id price", "invoice: a b"));
}

TEST(TableDefinitions, AreNotSeenInProse) {
  EXPECT_THAT(read("Use the tools (if you must, that is) and answer: yes, of course, or no."), IsEmpty());
  EXPECT_THAT(read("Prioritize last 20 open tickets for me. Give `ticket_id` and a score."), IsEmpty());
  EXPECT_THAT(read("CREATE TABLE broken (a, b"), IsEmpty());
  EXPECT_THAT(read("((((((((((("), IsEmpty());
  EXPECT_THAT(read(""), IsEmpty());
}

}  // namespace
}  // namespace assay::sim
