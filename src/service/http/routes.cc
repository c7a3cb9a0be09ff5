#include "service/http/routes.h"

#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "service/http/openapi.h"

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

Routes::Routes(std::vector<Route> routes, Tokens tokens, Access access)
    : routes_(std::move(routes)), tokens_(std::move(tokens)), access_(std::move(access)) {
  routes_.push_back({.method = "GET",
                     .path = kOpenapiPath,
                     .summary = "This description.",
                     .answer = JsonObject{{"type", "object"}},
                     .statuses = {200},
                     .handle = [this](const std::shared_ptr<Exchange>& exchange, const Json&) {
                       exchange->send(200, openapi_);
                     }});
  openapi_ = describe_routes(routes_, tokens_.empty() ? TokensNeeded::no : TokensNeeded::yes);
}

// The client whose token the request brings; empty if none.
std::string Routes::client_of(const Headers& headers) const {
  if (const std::string* bearer = headers.find("Authorization"); bearer != nullptr) {
    const std::string_view value = trim(*bearer);
    if (value.size() <= 7 || !equal_ignoring_ascii_case(value.substr(0, 7), "Bearer ")) return {};
    return tokens_.client_of(trim(value.substr(7)));
  }
  const std::string* token = headers.find("x-client-token");
  const std::string* id = headers.find("x-client-id");
  return token != nullptr && id != nullptr ? tokens_.client_of(*token, *id) : std::string();
}

Routes::Found Routes::find(const ServerRequest& request) const {
  const std::string path = without_trailing_slash(request.path);
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  Found found;
  for (const Route& route : routes_) {
    auto parameters = match(route.path, path);
    if (!parameters) continue;
    found.allowed.insert(route.method);
    if (found.route != nullptr || route.method != method) continue;
    found.route = &route;
    found.parameters = std::move(*parameters);
  }
  return found;
}

std::optional<Refusal> Routes::admit(ServerRequest& head) const {
  const auto refusal = [](int status, std::string message) {
    return Refusal{status,
                   {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
                   error_text(std::move(message))};
  };
  if (auto objection = access_.objection(head))
    return refusal(objection->first, std::move(objection->second));
  if (!tokens_.empty()) {
    head.client = client_of(head.headers);
    if (head.client.empty()) {
      Refusal unknown =
          refusal(401, "a token is needed: x-client-id and x-client-token, or Authorization: Bearer");
      unknown.headers.add("WWW-Authenticate", "Bearer realm=\"assay\"");
      return unknown;
    }
  }
  const Found found = find(head);
  if (found.allowed.empty())
    return refusal(404, fmt::format("there is nothing at {}", repair_utf8(shorten(head.path, 200))));
  if (found.route == nullptr) {
    const std::string allowed = fmt::format("{}", fmt::join(found.allowed, ", "));
    Refusal wrong = refusal(405, fmt::format("{} takes {}", head.path, allowed));
    wrong.headers.add("Allow", allowed);
    return wrong;
  }
  if (!found.route->body.is_null() && !is_json(head.headers))
    return refusal(415, "expected a body of Content-Type application/json");
  return std::nullopt;
}

void Routes::answer(ServerRequest request, const std::shared_ptr<Responder>& responder) const {
  Found found = find(request);
  auto exchange = std::make_shared<Exchange>(std::move(request), responder);
  if (found.route == nullptr) return exchange->send_error(404, "there is nothing here");
  exchange->set_parameters(std::move(found.parameters));
  std::vector<std::string> names;
  names.reserve(found.route->query.size());
  for (const QueryParameter& parameter : found.route->query) names.push_back(parameter.name);
  exchange->expect_only(names);
  if (found.route->body.is_null()) {
    found.route->handle(exchange, Json());
    return;
  }
  auto body = parse_json(exchange->request().body);
  exchange->drop_body();
  if (!body) {
    exchange->add_error("", "not JSON: " + body.error().text());
    (void)exchange->refused();
    return;
  }
  found.route->handle(exchange, *body);
}

}  // namespace assay
