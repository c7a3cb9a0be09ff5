#include "tools/http_call.h"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/json/depth.h"
#include "core/secrets/secrets.h"
#include "core/text.h"
#include "net/http/retry_after.h"
#include "net/http/status.h"
#include "net/http/url.h"
#include "tools/hidden.h"

namespace assay {

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
  Secrets secrets(kHiddenMark);
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
  if (response->status < 200 || response->status > 299) {
    // To forbid is an answer: a guard that says no to an attack does what it is there for.
    const ErrorKind kind =
        response->status == 403 ? ErrorKind::target : kind_of_status(response->status, ErrorKind::target);
    Error error{kind,
                fmt::format("HTTP {}: {}", response->status, quoted_start(response->body, 300, secrets)),
                {{"target", host}}};
    co_return failed(std::move(error),
                     retry_after(response->status, response->headers, std::chrono::system_clock::now()));
  }
  auto value = parse_json(response->body);
  if (is_text_reply(call.text_reply, response->body, value))
    co_return Json(boost::json::string(repair_utf8(secrets.hide(response->body))));
  if (!value) {
    co_return failed(Error{ErrorKind::target,
                           trim(response->body).empty()
                               ? std::string("the reply is empty")
                               : fmt::format("the reply is not JSON ({}): {}", value.error().message,
                                             quoted_start(response->body, 200, secrets)),
                           {{"target", host}}});
  }
  if (!within_depth(*value)) {
    co_return failed(Error{ErrorKind::target,
                           fmt::format("the reply is nested more than {} levels deep", kDeepestForeign),
                           {{"target", host}}});
  }
  co_return secrets.hide_in(*value);
}

}  // namespace assay
