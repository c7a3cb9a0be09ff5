#include "service/routes.h"

#include <algorithm>
#include <optional>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr const char* kOpenapiPath = "/data/eval/openapi.json";

// The open parts of the pattern, if the path fits.
std::optional<std::vector<std::pair<std::string, std::string>>> match(std::string_view pattern,
                                                                      std::string_view path) {
  const auto wanted = split(pattern, '/');
  const auto given = split(path, '/');
  if (wanted.size() != given.size()) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> parameters;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].starts_with('{')) {
      if (given[i].empty()) return std::nullopt;
      parameters.emplace_back(wanted[i].substr(1, wanted[i].size() - 2), given[i]);
    } else if (wanted[i] != given[i]) {
      return std::nullopt;
    }
  }
  return parameters;
}

bool is_json(const Headers& headers) {
  const std::string* type = headers.find("Content-Type");
  if (type == nullptr) return false;
  const std::string media = lower_ascii(trim(std::string_view(*type).substr(0, type->find(';'))));
  return media == "application/json" || media.ends_with("+json");
}

std::string without_trailing_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Routes::Routes(std::vector<Route> routes, Tokens tokens)
    : routes_(std::move(routes)), tokens_(std::move(tokens)) {
  routes_.push_back({.method = "GET",
                     .path = kOpenapiPath,
                     .summary = "This description.",
                     .statuses = {200},
                     .handle = [this](const std::shared_ptr<Exchange>& exchange, const Json&) {
                       exchange->send(200, openapi_);
                     }});
  openapi_ = describe();
}

bool Routes::authorised(Exchange& exchange) const {
  if (tokens_.empty()) return true;
  const Headers& headers = exchange.request().headers;
  std::string client;
  if (const std::string* bearer = headers.find("Authorization"); bearer != nullptr) {
    const std::string_view value = trim(*bearer);
    if (value.size() > 7 && equal_ignoring_ascii_case(value.substr(0, 7), "Bearer "))
      client = tokens_.client_of(trim(value.substr(7)));
  } else if (const std::string* token = headers.find("x-client-token"); token != nullptr) {
    const std::string* id = headers.find("x-client-id");
    if (id != nullptr) client = tokens_.client_of(*token, *id);
  }
  exchange.set_client(client);
  return !client.empty();
}

void Routes::answer(ServerRequest request, const std::shared_ptr<Responder>& responder) const {
  const std::string path = without_trailing_slash(request.path);
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  auto exchange = std::make_shared<Exchange>(std::move(request), responder);
  if (!authorised(*exchange)) {
    return exchange->send_error(
        401, "a token is needed: x-client-id and x-client-token, or Authorization: Bearer");
  }
  std::set<std::string> allowed;
  for (const Route& route : routes_) {
    auto parameters = match(route.path, path);
    if (!parameters) continue;
    allowed.insert(route.method);
    if (route.method != method) continue;
    exchange->set_parameters(std::move(*parameters));
    std::vector<std::string> names;
    names.reserve(route.query.size());
    for (const QueryParameter& parameter : route.query) names.push_back(parameter.name);
    exchange->expect_only(names);
    if (route.body.is_null()) {
      route.handle(exchange, Json());
      return;
    }
    if (!is_json(exchange->request().headers))
      return exchange->send_error(415, "expected a body of Content-Type application/json");
    auto body = parse_json(exchange->request().body);
    if (!body) {
      exchange->add_error("", "not JSON: " + body.error().text());
      (void)exchange->refused();
      return;
    }
    route.handle(exchange, *body);
    return;
  }
  if (allowed.empty()) return exchange->send_error(404, fmt::format("there is nothing at {}", path));
  responder->send(
      405, {{"Content-Type", "application/json"}, {"Allow", fmt::format("{}", fmt::join(allowed, ", "))}},
      to_text(JsonObject{{"message", fmt::format("{} takes {}", path, fmt::join(allowed, ", "))},
                         {"errors", JsonArray{}}}) +
          "\n");
}

Json Routes::describe() const {
  JsonObject paths;
  for (const Route& route : routes_) {
    JsonArray parameters;
    for (const std::string_view part : split(route.path, '/')) {
      if (!part.starts_with('{')) continue;
      parameters.push_back(JsonObject{{"name", part.substr(1, part.size() - 2)},
                                      {"in", "path"},
                                      {"required", true},
                                      {"schema", JsonObject{{"type", "string"}}}});
    }
    for (const QueryParameter& one : route.query) {
      parameters.push_back(JsonObject{{"name", one.name},
                                      {"in", "query"},
                                      {"description", one.help},
                                      {"schema", JsonObject{{"type", one.type}}}});
    }
    JsonObject responses;
    for (const int status : route.statuses) {
      responses[std::to_string(status)] = JsonObject{{"description", reason_phrase(status)}};
    }
    if (!tokens_.empty()) responses["401"] = JsonObject{{"description", reason_phrase(401)}};
    JsonObject operation{{"summary", route.summary},
                         {"parameters", std::move(parameters)},
                         {"responses", std::move(responses)}};
    if (!route.body.is_null()) {
      operation["requestBody"] =
          JsonObject{{"required", true},
                     {"content", JsonObject{{"application/json", JsonObject{{"schema", route.body}}}}}};
    }
    Json& path = paths[route.path];
    if (!path.is_object()) path = JsonObject{};
    path.get_object()[lower_ascii(route.method)] = std::move(operation);
  }
  return JsonObject{
      {"openapi", "3.1.0"},
      {"info", JsonObject{{"title", "Assay data service"}, {"version", "1"}}},
      {"components", JsonObject{{"securitySchemes",
                                 JsonObject{{"bearer", JsonObject{{"type", "http"}, {"scheme", "bearer"}}},
                                            {"clientToken", JsonObject{{"type", "apiKey"},
                                                                       {"in", "header"},
                                                                       {"name", "x-client-token"}}}}}}},
      {"paths", std::move(paths)}};
}

}  // namespace assay
