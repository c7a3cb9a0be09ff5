#include "tools/http_call.h"

#include <cstdlib>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/secrets.h"
#include "core/text.h"

namespace assay {
namespace {

ErrorKind kind_of_status(int status) {
  if (status == 429) return ErrorKind::rate_limited;
  if (status == 408 || status == 409 || status == 425 || status >= 500) return ErrorKind::overloaded;
  if (status == 401 || status == 403) return ErrorKind::auth;
  return ErrorKind::target;
}

std::optional<std::chrono::milliseconds> retry_after(const Headers& headers) {
  const std::string* value = headers.find("retry-after");
  if (value == nullptr) return std::nullopt;
  char* end = nullptr;
  const double seconds = std::strtod(value->c_str(), &end);
  if (end == value->c_str() || seconds < 0 || seconds > 86400) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::string host_of(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t from = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = url.find_first_of("/?#", from);
  std::string host = url.substr(from, end == std::string::npos ? end : end - from);
  const std::size_t at = host.rfind('@');
  return at == std::string::npos ? host : host.substr(at + 1);
}

}  // namespace

Json to_json(const HttpCall& call) {
  JsonObject headers;
  for (const auto& [name, value] : call.headers) headers.emplace(name, value);
  return JsonObject{
      {"method", call.method}, {"url", call.url}, {"headers", std::move(headers)}, {"body", call.body}};
}

Task<std::expected<Json, HttpCallFailure>> call_http(HttpClient& client, HttpCall call,
                                                     Environment environment) {
  const auto failed = [](Error error, std::optional<std::chrono::milliseconds> pause = std::nullopt) {
    return std::unexpected(HttpCallFailure{std::move(error), pause});
  };
  HttpRequest request;
  request.method = call.method;
  request.url = call.url;
  request.body = call.body;
  request.total_timeout = call.timeout;
  Secrets secrets("[hidden]");
  const Environment noting = secrets.noting(std::move(environment));
  for (const auto& [name, value] : call.headers) {
    auto filled = fill_environment(value, noting);
    if (!filled) co_return failed(std::move(filled.error()).with("header", name));
    request.headers.add(name, std::move(*filled));
  }
  auto response = co_await client.send(std::move(request));
  const std::string host = host_of(call.url);
  if (!response) co_return failed(std::move(response.error()));
  // A service may repeat what it was sent, most likely in an error.
  response->body = secrets.hide(response->body);
  if (response->status < 200 || response->status > 299) {
    Error error{kind_of_status(response->status),
                fmt::format("HTTP {}: {}", response->status, shorten(repair_utf8(trim(response->body)), 300)),
                {{"target", host}}};
    co_return failed(std::move(error), retry_after(response->headers));
  }
  auto value = parse_json(response->body);
  if (!value && call.text_reply) co_return Json(boost::json::string(repair_utf8(response->body)));
  if (!value) {
    co_return failed(Error{ErrorKind::target,
                           fmt::format("the reply is not JSON ({}): {}", value.error().message,
                                       shorten(repair_utf8(trim(response->body)), 200)),
                           {{"target", host}}});
  }
  co_return std::move(*value);
}

}  // namespace assay
