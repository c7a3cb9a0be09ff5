#include "service/http/route_parts.h"

#include <algorithm>
#include <chrono>
#include <exception>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay {
namespace {

constexpr double kMostHours = 1e6;                          // a century
constexpr std::size_t kLargeBody = std::size_t{256} << 10;  // takes milliseconds to be checked

Json parsed(std::string_view text) {
  return parse_json(text).value();
}

}  // namespace

std::vector<QueryParameter> with_paging(std::vector<QueryParameter> parameters) {
  parameters.push_back(from_to({"page", "integer", "Page, from 1."}, 1, kMostPages));
  parameters.push_back(
      from_to({"count", "integer", "Entries of a page; 20 by default, at most 10000, which 0 stands for."}, 0,
              kMostPerPage));
  return parameters;
}

std::optional<std::int64_t> since(Exchange& exchange) {
  const auto hours = exchange.number("lastNHours", 0, kMostHours);
  if (!hours) return std::nullopt;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() -
         static_cast<std::int64_t>(*hours * 3'600'000);
}

QueryParameter mode_parameter(const char* help) {
  return one_of({"mode", "string", help}, {"mode1", "mode2", "mode3"});
}

QueryParameter hours_parameter() {
  return from_to({"lastNHours", "number", "Items published in the last hours only."}, 0, kMostHours);
}

void add_all(Exchange& exchange, const std::vector<FieldError>& errors) {
  for (const FieldError& error : errors) exchange.add_error(error.pointer, error.message);
}

BodySchema::BodySchema(const char* text) : json_(parsed(text)), schema_(Schema::compile(json_).value()) {}

bool BodySchema::fits(Exchange& exchange, const Json& body) const {
  for (const SchemaDefect& defect : schema_.validate(body))
    exchange.add_error(defect.instance_pointer, defect.message);
  return !exchange.refused();
}

Json object_schema(const std::vector<std::pair<std::string, std::string>>& members) {
  JsonObject properties;
  JsonArray required;
  for (const auto& [name, schema] : members) {
    properties[name] = parsed(schema);
    required.emplace_back(name);
  }
  return JsonObject{
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

Json page_schema(const std::string& list, const std::string& entry,
                 std::vector<std::pair<std::string, std::string>> more) {
  more.insert(more.begin(), {list, fmt::format(R"({{"type": "array", "items": {}}})", entry)});
  more.emplace_back("remaining", R"({"type": "integer", "description": "Entries behind this page."})");
  more.emplace_back("total", R"({"type": "integer", "description": "Entries that match."})");
  return object_schema(more);
}

void work_on(Readers& threads, const ExchangePointer& exchange, std::function<void()> work) {
  // What was sent to be done is done, whoever still waits for the answer.
  const std::string& method = exchange->request().method;
  const bool only_asks = method == "GET" || method == "HEAD";
  const bool taken = threads.post([exchange, only_asks, work = std::move(work)] {
    if (only_asks && !exchange->responder()->open()) return;  // an impatient client has gone
    try {
      work();
    } catch (const std::exception&) {
      exchange->send_error(500, "internal error");
    }
  });
  if (!taken) exchange->send_error(503, "too much is being asked at once; try again");
}

std::vector<Route> reading_on(Readers& threads, std::vector<Route> routes) {
  for (Route& route : routes) {
    const bool always = route.method == "GET" || route.reads_first;
    if (std::ranges::find(route.statuses, 503) == route.statuses.end()) route.statuses.push_back(503);
    route.handle = [&threads, always, handle = std::move(route.handle)](const ExchangePointer& exchange,
                                                                        const Json& body) {
      if (!always && exchange->body_bytes() < kLargeBody) return handle(exchange, body);
      exchange->go_on_with(threads);
      work_on(threads, exchange, [exchange, handle, body] { handle(exchange, body); });
    };
  }
  return routes;
}

}  // namespace assay
