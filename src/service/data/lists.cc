#include "service/data/lists.h"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <fmt/format.h>

#include "core/text.h"
#include "core/time.h"
#include "report/csv.h"
#include "service/data/cursor.h"

namespace assay {
namespace {

constexpr std::pair<const char*, ListFormat> kFormats[] = {
    {"json", ListFormat::json}, {"csv", ListFormat::csv}, {"ndjson", ListFormat::ndjson}};
constexpr std::pair<const char*, ListFormat> kMedia[] = {{"application/json", ListFormat::json},
                                                         {"text/csv", ListFormat::csv},
                                                         {"application/x-ndjson", ListFormat::ndjson},
                                                         {"application/ndjson", ListFormat::ndjson}};

// The first kind that the client names and we have; JSON if there is none.
ListFormat accepted(const Headers& headers) {
  const std::string* accept = headers.find("Accept");
  if (accept == nullptr) return ListFormat::json;
  for (const std::string_view one : split(*accept, ',')) {
    const std::string media = lower_ascii(trim(one.substr(0, one.find(';'))));
    for (const auto& [name, format] : kMedia) {
      if (media == name) return format;
    }
  }
  return ListFormat::json;
}

std::string cell(const Json& entry, const char* pointer) {
  const Json* value = find_pointer(entry, pointer);
  return value == nullptr || value->is_null() ? std::string() : text_or_json(*value);
}

}  // namespace

ListFormat list_format(Exchange& exchange) {
  ListFormat format = accepted(exchange.request().headers);
  if (const auto given = exchange.text("format")) {
    const auto* known =
        std::ranges::find(kFormats, *given, [](const auto& one) -> std::string_view { return one.first; });
    if (known == std::end(kFormats)) {
      exchange.add_error("format", fmt::format("found \"{}\", expected json, csv or ndjson", *given));
      return format;
    }
    format = known->second;
  }
  if (format != ListFormat::json) {
    for (const char* name : {"page", "count"}) {
      if (exchange.text(name))
        exchange.add_error(name, "a stream of CSV or NDJSON has no pages: it gives all that match");
    }
  }
  return format;
}

std::string csv_head(std::span<const ListColumn> columns) {
  std::vector<std::string> names;
  for (const ListColumn& column : columns) names.emplace_back(column.name);
  std::string head;
  append_csv_row(head, names);
  return head;
}

std::string list_lines(ListFormat format, std::span<const ListColumn> columns, const JsonArray& entries) {
  std::string lines;
  for (const Json& entry : entries) {
    if (format == ListFormat::ndjson) {
      append_json(lines, entry);
      lines += '\n';
      continue;
    }
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    for (const ListColumn& column : columns) cells.push_back(cell(entry, column.pointer));
    append_csv_row(lines, cells);
  }
  return lines;
}

std::vector<QueryParameter> with_cursor(std::vector<QueryParameter> parameters, Streamed streamed) {
  parameters = with_paging(std::move(parameters));
  parameters.push_back({"cursor", "string", "`next` of the answer before: goes on behind its last entry."});
  if (streamed == Streamed::yes)
    parameters.push_back(one_of(
        {"format", "string",
         "json (a page, the default), csv or ndjson (all that match, as a stream); the header Accept says "
         "it as well."},
        {"json", "csv", "ndjson"}));
  return parameters;
}

std::vector<std::string> streamed_media() {
  return {"text/csv", "application/x-ndjson"};
}

Json list_schema(const std::string& name, const std::string& entry,
                 std::vector<std::pair<std::string, std::string>> more) {
  more.emplace_back("next", R"({"type": ["string", "null"],
    "description": "The cursor of what follows; null at the end."})");
  return page_schema(name, entry, std::move(more));
}

std::optional<std::int64_t> number_cursor(Exchange& exchange, char list) {
  const auto given = exchange.text("cursor");
  if (!given) return std::nullopt;
  if (exchange.text("page")) exchange.add_error("page", "a cursor says where the page begins");
  const auto cursor = read_cursor(list, 1, *given);
  if (!cursor || !cursor->text.empty()) {
    exchange.add_error("cursor", "expected `next` of an answer to the same query");
    return std::nullopt;
  }
  return cursor->numbers.front();
}

std::optional<std::int64_t> number_parameter(const Exchange& exchange, std::string_view name) {
  const std::string text = exchange.parameter(name);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

std::optional<std::int64_t> time_filter(Exchange& exchange, std::string_view name) {
  const auto given = exchange.text(name);
  if (!given) return std::nullopt;
  std::int64_t ms = 0;
  const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), ms);
  if (error == std::errc() && end == given->data() + given->size()) return ms;
  const auto time = parse_iso_ms(*given);
  if (time) return *time;
  exchange.add_error(
      std::string(name),
      fmt::format("found \"{}\", expected a time as 2026-11-18T08:30:00Z, or milliseconds since 1970",
                  *given));
  return std::nullopt;
}

TimeSpan recorded_filter(Exchange& exchange) {
  const auto since = time_filter(exchange, "since");
  return {since, time_filter(exchange, "until")};
}

std::int64_t list_time_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Json short_list_schema(const std::string& name, const std::string& entry) {
  return object_schema({{name, list_of(entry)}, {"next", kTextOrNull}});
}

std::vector<QueryParameter> short_list_parameters() {
  return {from_to({"count", "integer", "Entries of a page; 1000 by default."}, 1, kMostPerPage),
          {"cursor", "string", "`next` of the answer before: goes on behind its last entry."}};
}

NameQuery name_query(Exchange& exchange, char list) {
  NameQuery query;
  query.count = exchange.whole("count", 1, kMostPerPage).value_or(1000);
  query.after = number_cursor(exchange, list).value_or(0);
  return query;
}

Json next_name(const std::optional<std::int64_t>& next, char list) {
  return next ? Json(boost::json::string(cursor_text(list, {*next}))) : Json(nullptr);
}

QueryParameter id_parameter() {
  return needed({"id", "string", "Its id."});
}

std::string needed_id(Exchange& exchange) {
  return exchange.text("id").value_or("");
}

std::string list_of(const std::string& entry) {
  return fmt::format(R"({{"type": "array", "items": {}}})", entry);
}

void send_page(const Exchange& exchange, const char* name, ListedPage page, JsonObject more) {
  JsonObject answer{{name, std::move(page.entries)}};
  for (auto& [key, value] : more) answer[key] = std::move(value);
  answer["remaining"] = page.remaining;
  answer["total"] = page.total;
  answer["next"] = page.next.empty() ? Json(nullptr) : Json(boost::json::string(page.next));
  exchange.send(200, answer);
}

}  // namespace assay
