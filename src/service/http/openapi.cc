#include "service/http/openapi.h"

#include <cstdint>
#include <optional>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/text.h"

namespace assay {
namespace {

Json as_content(Json schema, const std::string& media = "application/json") {
  return JsonObject{{media, JsonObject{{"schema", std::move(schema)}}}};
}

Json error_schema() {
  const Json text = JsonObject{{"type", "string"}};
  JsonObject place{{"type", "object"},
                   {"properties", JsonObject{{"pointer", text}, {"message", text}}},
                   {"required", JsonArray{"pointer", "message"}}};
  return JsonObject{
      {"type", "object"},
      {"description", "What is wrong, and each defect with its place: a JSON pointer or a parameter."},
      {"properties",
       JsonObject{{"message", text}, {"errors", JsonObject{{"type", "array"}, {"items", std::move(place)}}}}},
      {"required", JsonArray{"message", "errors"}}};
}

Json schema_of(const QueryParameter& one) {
  JsonObject schema{{"type", one.type}};
  if (!one.choices.empty()) {
    JsonArray choices;
    for (const std::string& choice : one.choices) choices.emplace_back(choice);
    schema["enum"] = std::move(choices);
  }
  const auto bound = [&](const char* name, const std::optional<double>& value) {
    if (!value) return;
    schema[name] = one.type == "integer" ? Json(static_cast<std::int64_t>(*value)) : Json(*value);
  };
  bound("minimum", one.least);
  bound("maximum", one.most);
  return schema;
}

// "getApiRunsRunCases": method and path, which no other operation has.
std::string operation_id(const Route& route) {
  std::string id = lower_ascii(route.method);
  bool begins = true;
  for (const char c : route.path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter) id += begins ? upper_ascii(std::string_view(&c, 1)) : std::string(1, c);
    begins = !letter;
  }
  return id;
}

Json parameters_of(const Route& route) {
  JsonArray parameters;
  for (const std::string_view part : split(route.path, '/')) {
    if (!part.starts_with('{')) continue;
    std::string_view name = part.substr(1, part.size() - 2);
    if (name.ends_with("…")) name.remove_suffix(std::string_view("…").size());
    parameters.push_back(JsonObject{
        {"name", name}, {"in", "path"}, {"required", true}, {"schema", JsonObject{{"type", "string"}}}});
  }
  for (const QueryParameter& one : route.query) {
    parameters.push_back(JsonObject{{"name", one.name},
                                    {"in", "query"},
                                    {"required", one.required},
                                    {"description", one.help},
                                    {"schema", schema_of(one)}});
  }
  return parameters;
}

Json responses_of(const Route& route, TokensNeeded tokens) {
  const Json error = as_content(JsonObject{{"$ref", "#/components/schemas/Error"}});
  JsonObject responses;
  Json answers = as_content(route.answer, route.media);
  for (const std::string& media : route.also)
    answers.get_object()[media] = JsonObject{{"schema", JsonObject{{"type", "string"}}}};
  for (const int status : route.statuses) {
    responses[std::to_string(status)] =
        JsonObject{{"description", reason_phrase(status)}, {"content", status < 300 ? answers : error}};
  }
  if (tokens == TokensNeeded::yes && route.role != TokenRole::none) {
    const Json text = JsonObject{{"schema", JsonObject{{"type", "string"}}}};
    responses["401"] = JsonObject{{"description", "No good token was sent."},
                                  {"headers", JsonObject{{"WWW-Authenticate", text}}},
                                  {"content", error}};
  }
  // For another host (421) or from another origin (403), while stopping or with too much at once (503), …
  responses["default"] = JsonObject{{"description", "The request was not carried out."}, {"content", error}};
  return responses;
}

Json security_schemes() {
  const auto header = [](const char* name) {
    return JsonObject{{"type", "apiKey"}, {"in", "header"}, {"name", name}};
  };
  return JsonObject{{"bearer", JsonObject{{"type", "http"}, {"scheme", "bearer"}}},
                    {"clientId", header("x-client-id")},
                    {"clientToken", header("x-client-token")}};
}

}  // namespace

Json describe_routes(const std::vector<Route>& routes, TokensNeeded tokens) {
  JsonObject paths;
  for (const Route& route : routes) {
    if (route.hidden) continue;
    JsonObject operation{{"operationId", operation_id(route)},
                         {"summary", route.summary},
                         {"parameters", parameters_of(route)},
                         {"responses", responses_of(route, tokens)},
                         {"x-role", to_string(route.role)}};
    if (tokens == TokensNeeded::yes && route.role == TokenRole::none) operation["security"] = JsonArray{};
    if (!route.body.is_null())
      operation["requestBody"] = JsonObject{{"required", true}, {"content", as_content(route.body)}};
    std::string written = route.path;
    if (const std::size_t rest = written.find("…"); rest != std::string::npos)
      written.erase(rest, std::string_view("…").size());
    Json& path = paths[written];
    if (!path.is_object()) path = JsonObject{};
    path.get_object()[lower_ascii(route.method)] = std::move(operation);
  }
  JsonObject document{{"openapi", "3.1.0"},
                      {"info", JsonObject{{"title", "Assay"}, {"version", "1"}}},
                      {"components", JsonObject{{"schemas", JsonObject{{"Error", error_schema()}}},
                                                {"securitySchemes", security_schemes()}}},
                      {"paths", std::move(paths)}};
  // Either the one, or the other two together.
  if (tokens == TokensNeeded::yes) {
    document["security"] = JsonArray{JsonObject{{"bearer", JsonArray{}}},
                                     JsonObject{{"clientId", JsonArray{}}, {"clientToken", JsonArray{}}}};
  }
  return document;
}

}  // namespace assay
