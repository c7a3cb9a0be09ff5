#include "service/http/routes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "service/http/openapi.h"

namespace assay {
namespace {

constexpr const char* kOpenapiPaths[] = {"/openapi.json", "/data/eval/openapi.json"};
constexpr std::string_view kRest = "…}";

// The open parts of the pattern, if the path fits.
std::optional<std::vector<std::pair<std::string, std::string>>> match(std::string_view pattern,
                                                                      std::string_view path) {
  const auto wanted = split(pattern, '/');
  const auto given = split(path, '/');
  const bool open_end = wanted.back().ends_with(kRest);
  if (open_end ? given.size() < wanted.size() : given.size() != wanted.size()) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> parameters;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (open_end && i + 1 == wanted.size()) {
      const std::string_view name = wanted[i].substr(1, wanted[i].size() - 1 - kRest.size());
      parameters.emplace_back(name, path.substr(static_cast<std::size_t>(given[i].begin() - path.begin())));
    } else if (wanted[i].starts_with('{')) {
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

Refusal refusal(int status, std::string message) {
  return {status,
          {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          error_text(std::move(message))};
}

// As it is counted: a peer must not be able to make up names without end.
std::string_view known_method(std::string_view method) {
  for (const char* known : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    if (method == known) return known;
  }
  return "other";
}

// That what must be there is, and says what it may say.
void check_parameters(const std::vector<QueryParameter>& parameters, Exchange& exchange) {
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const QueryParameter& one : parameters) {
    names.push_back(one.name);
    if (!one.required && one.choices.empty()) continue;
    const auto given = exchange.text(one.name);
    if (!given && one.required) exchange.add_error(one.name, fmt::format("missing: {}", one.help));
    if (given && !one.choices.empty() && std::ranges::find(one.choices, *given) == one.choices.end())
      exchange.add_error(one.name, fmt::format("found \"{}\", expected one of {}", shorten(*given, 200),
                                               fmt::join(one.choices, ", ")));
  }
  exchange.expect_only(names);
}

std::string without_trailing_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

std::vector<Route> joined(std::vector<std::vector<Route>> tables) {
  std::vector<Route> all;
  for (std::vector<Route>& table : tables) std::ranges::move(table, std::back_inserter(all));
  return all;
}

Routes::Routes(std::vector<Route> routes, std::unique_ptr<TokenFile> tokens, Access access)
    : routes_(std::move(routes)), tokens_(std::move(tokens)), access_(std::move(access)) {
  std::vector<Route> own;
  for (const char* path : kOpenapiPaths) {
    own.push_back({.method = "GET",
                   .path = path,
                   .role = TokenRole::none,
                   .summary = "This description.",
                   .answer = JsonObject{{"type", "object"}},
                   .statuses = {200},
                   .handle = [this](const std::shared_ptr<Exchange>& exchange, const Json&) {
                     exchange->send(200, openapi_);
                   }});
  }
  routes_ = joined({std::move(own), std::move(routes_)});
  openapi_ = describe_routes(routes_, tokens_->needed() ? TokensNeeded::yes : TokensNeeded::no);
}

// Whose token the request brings; nothing if nobody's.
std::optional<TokenHolder> Routes::holder_of(const Headers& headers) const {
  const auto tokens = tokens_->now();
  if (const std::string* bearer = headers.find("Authorization"); bearer != nullptr) {
    const std::string_view value = trim(*bearer);
    if (value.size() <= 7 || !equal_ignoring_ascii_case(value.substr(0, 7), "Bearer ")) return std::nullopt;
    return tokens->holder_of(trim(value.substr(7)));
  }
  const std::string* token = headers.find("x-client-token");
  const std::string* id = headers.find("x-client-id");
  return token != nullptr && id != nullptr ? tokens->holder_of(*token, *id) : std::nullopt;
}

bool Routes::still_good(const Headers& headers, TokenRole role) const {
  if (!tokens_->needed() || role == TokenRole::none) return true;
  const auto holder = holder_of(headers);
  return holder && holder->roles.allow(role);
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

Headers Routes::for_origin(const ServerRequest& request) const {
  const std::string origin = access_.named_origin(request);
  if (origin.empty()) return {};
  return {{"Access-Control-Allow-Origin", origin}, {"Vary", "Origin"}};
}

// What the browser asks before it lets a page of another origin ask.
Refusal Routes::preflight(const Found& found) const {
  return {204,
          {{"Access-Control-Allow-Methods", fmt::format("{}", fmt::join(found.allowed, ", "))},
           {"Access-Control-Allow-Headers", "authorization, content-type, x-client-id, x-client-token"},
           {"Access-Control-Max-Age", "600"}},
          ""};
}

std::optional<Refusal> Routes::admit(ServerRequest& head) const {
  const Found found = find(head);
  auto refused = objection(head, found);
  if (!refused) return refused;
  for (const auto& [name, value] : for_origin(head)) refused->headers.add(name, value);
  const std::string route = found.route != nullptr  ? found.route->path
                            : found.allowed.empty() ? "none"
                                                    : "another method";
  counts_.add(fmt::format("{} {}", known_method(head.method), route), refused->status);
  return refused;
}

std::optional<Refusal> Routes::objection(ServerRequest& head, const Found& found) const {
  if (auto objection = access_.objection(head))
    return refusal(objection->first, std::move(objection->second));
  const bool asks_first =
      head.method == "OPTIONS" && head.headers.find("Access-Control-Request-Method") != nullptr;
  if (asks_first && !found.allowed.empty() && !access_.named_origin(head).empty()) return preflight(found);
  TokenRoles roles = TokenRoles::all();
  if (tokens_->needed()) {
    const auto holder = holder_of(head.headers);
    const bool open = found.route != nullptr && found.route->role == TokenRole::none;
    if (!holder && !open) {
      Refusal unknown =
          refusal(401, "a token is needed: x-client-id and x-client-token, or Authorization: Bearer");
      unknown.headers.add("WWW-Authenticate", "Bearer realm=\"assay\"");
      return unknown;
    }
    roles = holder ? holder->roles : TokenRoles();
    if (holder) head.client = holder->client;
  }
  head.rights = roles.bits();
  if (found.allowed.empty())
    return refusal(404, fmt::format("there is nothing at {}", repair_utf8(shorten(head.path, 200))));
  if (found.route == nullptr) {
    const std::string allowed = fmt::format("{}", fmt::join(found.allowed, ", "));
    Refusal wrong = refusal(405, fmt::format("{} takes {}", repair_utf8(shorten(head.path, 200)), allowed));
    wrong.headers.add("Allow", allowed);
    return wrong;
  }
  if (!roles.allow(found.route->role)) {
    return refusal(403, fmt::format("this needs a token of the role {}; yours has {}",
                                    to_string(found.route->role), roles.text()));
  }
  if (!found.route->body.is_null() && !is_json(head.headers))
    return refusal(415, "expected a body of Content-Type application/json");
  return std::nullopt;
}

void Routes::answer(ServerRequest request, const std::shared_ptr<Responder>& responder) const {
  Found found = find(request);
  const std::string route =
      fmt::format("{} {}", known_method(request.method), found.route == nullptr ? "none" : found.route->path);
  Headers for_page = for_origin(request);
  auto exchange = std::make_shared<Exchange>(
      std::move(request),
      counted(responder, std::move(for_page), [this, route](int status) { counts_.add(route, status); }));
  if (found.route == nullptr) return exchange->send_error(404, "there is nothing here");
  exchange->set_parameters(std::move(found.parameters));
  exchange->set_admission(
      [this, role = found.route->role](const Headers& headers) { return still_good(headers, role); });
  check_parameters(found.route->query, *exchange);
  if (found.route->body.is_null()) {
    // Who takes parameters says himself all that is wrong with them; a page may be opened with any.
    const bool for_people = found.route->role == TokenRole::none;
    if (found.route->query.empty() && !for_people && exchange->refused()) return;
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
