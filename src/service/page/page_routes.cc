#include "service/page/page_routes.h"

#include <utility>

#include <boost/json/object.hpp>

#include "service/http/route_parts.h"

namespace assay {
namespace {

void send(const PageFiles& files, std::string_view name, const Exchange& exchange) {
  auto answer = files.answer(name, exchange.request().headers);
  if (!answer) return exchange.send_error(404, "the page has no such file");
  exchange.send_bytes(answer->status, std::move(answer->headers), std::move(answer->body));
}

// Every one of them shows the same page, which looks at the address by itself.
constexpr const char* kScreens[] = {"/",      "/runs",  "/runs/{rest…}", "/compare", "/sheets/{rest…}",
                                    "/audit", "/drift", "/new",          "/store",   "/store/{rest…}"};

}  // namespace

std::vector<Route> page_routes(const PageFiles& files) {
  const Json text = JsonObject{{"type", "string"}};
  std::vector<Route> routes = {{.method = "GET",
                                .path = "/assets/{name}",
                                .role = TokenRole::none,
                                .summary = "A file that the page loads.",
                                .answer = text,
                                .media = "application/octet-stream",
                                .statuses = {200, 404},
                                .handle = [&files](const ExchangePointer& exchange, const Json&) {
                                  const std::string name = exchange->parameter("name");
                                  send(files, name == "index.html" ? "" : name, *exchange);
                                }}};
  for (const char* path : kScreens) {
    routes.push_back({.method = "GET",
                      .path = path,
                      .role = TokenRole::none,
                      .summary = "The page.",
                      .answer = text,
                      .media = "text/html",
                      .statuses = {200},
                      .hidden = std::string_view(path) != "/",
                      .handle = [&files](const ExchangePointer& exchange, const Json&) {
                        send(files, "index.html", *exchange);
                      }});
  }
  return routes;
}

std::vector<Route> nowhere_routes(const PageFiles& files) {
  return {{.method = "GET",
           .path = "/{name}",
           .role = TokenRole::none,
           .summary = "The page, which says that nothing is here.",
           .answer = JsonObject{{"type", "string"}},
           .media = "text/html",
           .statuses = {404},
           .hidden = true,
           .handle = [&files](const ExchangePointer& exchange, const Json&) {
             const Headers& headers = exchange->request().headers;
             const std::string* wanted = headers.find("Accept");
             const bool is_person = wanted != nullptr && wanted->find("text/html") != std::string::npos;
             auto answer = is_person ? files.answer("index.html", headers) : std::nullopt;
             if (!answer || answer->status != 200) return exchange->send_error(404, "there is nothing here");
             exchange->send_bytes(404, std::move(answer->headers), std::move(answer->body));
           }}};
}

}  // namespace assay
