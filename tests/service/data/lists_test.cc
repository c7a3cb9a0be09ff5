#include "service/data/lists.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace assay {
namespace {

// An exchange that nobody waits for.
Exchange asked(const std::string& query, const std::string& accept = "") {
  ServerRequest request;
  request.method = "GET";
  request.query = query;
  if (!accept.empty()) request.headers.add("Accept", accept);
  return {std::move(request), nullptr};
}

TEST(Lists, TheFormatIsSaidOrAccepted) {
  for (const auto& [query, accept, format] :
       {std::tuple("", "", ListFormat::json), std::tuple("", "*/*", ListFormat::json),
        std::tuple("", "text/html, Text/CSV;q=0.9", ListFormat::csv),
        std::tuple("", "application/x-ndjson", ListFormat::ndjson),
        std::tuple("", "application/json, text/csv", ListFormat::json),
        std::tuple("format=ndjson", "text/csv", ListFormat::ndjson),
        std::tuple("format=json&count=5", "text/csv", ListFormat::json)}) {
    Exchange exchange = asked(query, accept);
    EXPECT_EQ(list_format(exchange), format) << query << " " << accept;
    EXPECT_FALSE(exchange.has_errors());
  }
  for (const char* wrong : {"format=xml", "format=csv&page=2", "format=csv&count=7"}) {
    Exchange exchange = asked(wrong);
    (void)list_format(exchange);
    EXPECT_TRUE(exchange.has_errors()) << wrong;
  }
}

TEST(Lists, EntriesBecomeLinesThatNoSpreadsheetComputes) {
  constexpr ListColumn columns[] = {
      {"id", "/id"}, {"says", "/a/says"}, {"tags", "/tags"}, {"absent", "/absent"}, {"none", "/none"}};
  const JsonArray entries{JsonObject{{"id", 7},
                                     {"a", JsonObject{{"says", "=1+1, \"so\"\nit is"}}},
                                     {"tags", JsonArray{"x"}},
                                     {"none", nullptr}}};
  EXPECT_EQ(csv_head(columns), "id,says,tags,absent,none\r\n");
  EXPECT_EQ(list_lines(ListFormat::csv, columns, entries),
            "7,\"'=1+1, \"\"so\"\"\nit is\",\"[\"\"x\"\"]\",,\r\n");
  const std::string line = list_lines(ListFormat::ndjson, columns, entries);
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  EXPECT_EQ(parse_json(line).value(), entries.front());
}

TEST(Lists, ATimeIsIsoOrMilliseconds) {
  Exchange exchange = asked("since=1970-01-01T00:00:01Z&until=2500&wrong=yesterday");
  const TimeSpan span = recorded_filter(exchange);
  EXPECT_EQ(span.since_ms, 1000);
  EXPECT_EQ(span.until_ms, 2500);
  EXPECT_FALSE(exchange.has_errors());
  EXPECT_FALSE(time_filter(exchange, "wrong"));
  EXPECT_TRUE(exchange.has_errors());
}

TEST(Lists, ACursorOfAnotherListIsRefused) {
  Exchange good = asked("cursor=v3720");  // "7 "
  EXPECT_EQ(number_cursor(good, 'v'), 7);
  for (const char* wrong : {"cursor=f3720", "cursor=v37", "cursor=v3720&page=2", "cursor=7"}) {
    Exchange exchange = asked(wrong);
    (void)number_cursor(exchange, 'v');
    EXPECT_TRUE(exchange.has_errors()) << wrong;
  }
}

}  // namespace
}  // namespace assay
