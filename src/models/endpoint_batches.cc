// The batches of a model behind HTTP: requests that somebody else carries, and the exchanges with the batch
// API at the model's own address.
#include <chrono>
#include <utility>

#include "models/endpoint.h"

namespace assay {
namespace {

// Files of hundreds of megabytes go both ways.
constexpr std::size_t kLongestFile = std::size_t{4} << 30;
constexpr std::chrono::minutes kLongestTransfer{60};

}  // namespace

Task<std::expected<ChatReply, ModelFailure>> HttpModel::complete_by(const ChatRequest& request,
                                                                    const Carry& carry) {
  return negotiate(request, nullptr, &carry);
}

Task<std::expected<HttpResponse, ModelFailure>> HttpModel::run(Errand errand) {
  if (Status status = has_key(); !status)
    co_return std::unexpected(ModelFailure{std::move(status).error(), std::nullopt});
  const bool transfers = !errand.body.empty() || errand.on_data;
  auto response = co_await send_keyed([this, &errand, transfers](std::string_view key) {
    // It may have to be sent again only where another key can be had.
    std::string body = command_ ? errand.body : std::move(errand.body);
    HttpRequest http = request_for(url_beside(errand.path), std::move(body), WirePlan{}, key);
    http.method = errand.method;
    Headers headers;
    for (const auto& [name, value] : http.headers) {
      if (!same_without_case(name, "Content-Type")) headers.add(name, value);
    }
    if (!http.body.empty()) headers.add("Content-Type", errand.content_type);
    http.headers = std::move(headers);
    if (transfers) {
      http.total_timeout = std::max<Duration>(http.total_timeout, kLongestTransfer);
      http.max_body = kLongestFile;
    }
    http.on_data = errand.on_data;
    return http;
  });
  if (!response) co_return std::unexpected(in_context({std::move(response.error()), std::nullopt}));
  if (response->status < 200 || response->status > 299)
    co_return std::unexpected(in_context(failure_of_status(
        response->status, response->headers, response->body, asked(), std::chrono::system_clock::now())));
  co_return std::move(*response);
}

// Where the chat's endpoint stands, with the same query.
std::string HttpModel::url_beside(std::string_view path) const {
  std::string url = address_.url;
  const std::size_t at = url.rfind(wire_.endpoint);
  std::string rest = url.substr(at + wire_.endpoint.size());
  url.resize(at);
  url += path;
  if (rest.starts_with('?') && path.contains('?')) rest[0] = '&';
  return url + rest;
}

}  // namespace assay
