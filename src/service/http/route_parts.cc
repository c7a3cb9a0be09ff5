#include "service/http/route_parts.h"

#include <chrono>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/persona/request.h"

namespace assay {
namespace {

constexpr double kMostHours = 1e6;  // a century

Json parsed(std::string_view text) {
  return parse_json(text).value();
}

}  // namespace

std::vector<QueryParameter> with_paging(std::vector<QueryParameter> parameters) {
  parameters.push_back({"page", "integer", "Page, from 1."});
  parameters.push_back(
      {"count", "integer", "Entries of a page; 20 by default, at most 10000, which 0 stands for."});
  return parameters;
}

std::optional<std::int64_t> since(Exchange& exchange) {
  const auto hours = exchange.number("lastNHours", 0, kMostHours);
  if (!hours) return std::nullopt;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() -
         static_cast<std::int64_t>(*hours * 3'600'000);
}

std::string mode_filter(Exchange& exchange) {
  std::string mode = exchange.text("mode").value_or("");
  if (!mode.empty() && !persona::mode_of(mode))
    exchange.add_error("mode", fmt::format("found \"{}\", expected mode1, mode2 or mode3", mode));
  return mode;
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

}  // namespace assay
