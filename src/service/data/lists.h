// Lists of the data service: by the page as JSON, or all that match as a stream of CSV or NDJSON, from one
// reader of pages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/json/json.h"
#include "core/time.h"
#include "service/http/route_parts.h"
#include "service/http/streamed_answer.h"
#include "store/data/data_queries.h"

namespace assay {

enum class ListFormat { json, csv, ndjson };
// `format`, else what the client accepts; an error if it is none of these, or asks for a page of a stream.
ListFormat list_format(Exchange& exchange);

// A column of CSV: where its value stands in an entry, as a JSON pointer. Texts stand as they are, lists and
// objects as JSON, what is not there is empty.
struct ListColumn {
  const char* name;
  const char* pointer;
};
std::string csv_head(std::span<const ListColumn> columns);
// Entries as lines of the format.
std::string list_lines(ListFormat format, std::span<const ListColumn> columns, const JsonArray& entries);

struct ListedPage {
  JsonArray entries;
  std::int64_t total = 0;
  std::int64_t remaining = 0;
  std::string next;  // the cursor of what follows; empty at the end
};

// A list's parameters, with `page`, `count` and `cursor` behind them, and `format` where it can be streamed.
enum class Streamed { no, yes };
std::vector<QueryParameter> with_cursor(std::vector<QueryParameter> parameters, Streamed streamed);
// What a list that can be streamed answers beside JSON: Route::also.
std::vector<std::string> streamed_media();
// Its answer: a page of entries with `next`.
Json list_schema(const std::string& name, const std::string& entry,
                 std::vector<std::pair<std::string, std::string>> more = {});

// `cursor` of a list whose entries are numbered; an error if it is none, or comes with a page.
std::optional<std::int64_t> number_cursor(Exchange& exchange, char list);
// What a parameter of the path says if it is a whole number above 0.
std::optional<std::int64_t> number_parameter(const Exchange& exchange, std::string_view name);
// A time as ISO 8601 or as milliseconds since 1970.
std::optional<std::int64_t> time_filter(Exchange& exchange, std::string_view name);
// `since` and `until`: of recording.
TimeSpan recorded_filter(Exchange& exchange);

// Milliseconds since 1970.
std::int64_t list_time_ms();

// A list without totals: `count` and `cursor`, and its answer with `next`.
std::vector<QueryParameter> short_list_parameters();
Json short_list_schema(const std::string& name, const std::string& entry);
NameQuery name_query(Exchange& exchange, char list);
Json next_name(const std::optional<std::int64_t>& next, char list);

// The parameter `id` of a route about one thing, which is not asked without it.
QueryParameter id_parameter();
std::string needed_id(Exchange& exchange);

// JSON Schemas of what stands in answers.
constexpr const char* kWhole = R"({"type": "integer"})";
constexpr const char* kText = R"({"type": "string"})";
constexpr const char* kTextOrNull = R"({"type": ["string", "null"]})";
constexpr const char* kObject = R"({"type": "object"})";
std::string list_of(const std::string& entry);

void send_page(const Exchange& exchange, const char* name, ListedPage page, JsonObject more = {});

// `read(query)` gives the page and moves the query behind it. Streams are read in pieces of so many entries,
// up to what was recorded when they began.
template <class Query, class Read>
void send_list(const ExchangePointer& exchange, const char* name, std::span<const ListColumn> columns,
               std::int64_t piece, Query query, Read read) {
  const ListFormat format = list_format(*exchange);
  if (exchange->refused()) return;
  if (format == ListFormat::json) {
    auto page = read(query);
    if (!page) return exchange->send_failure(page.error());
    return send_page(*exchange, name, std::move(*page));
  }
  query.count = piece;
  query.offset = 0;
  query.totals = Totals::unknown;
  if constexpr (requires { query.recorded.until_ms; })
    query.recorded.until_ms = std::min(query.recorded.until_ms.value_or(kLastTimeMs), list_time_ms() + 1);
  const char* media = format == ListFormat::csv ? "text/csv; charset=utf-8" : "application/x-ndjson";
  stream_answer(exchange, media,
                [format, columns, query = std::move(query), read = std::move(read), first = true,
                 ended = false]() mutable -> Result<std::optional<std::string>> {
                  if (ended) return std::nullopt;
                  auto page = read(query);
                  if (!page) return fail(std::move(page.error()));
                  std::string text =
                      std::exchange(first, false) && format == ListFormat::csv ? csv_head(columns) : "";
                  text += list_lines(format, columns, page->entries);
                  ended = page->next.empty();
                  return text;
                });
}

}  // namespace assay
