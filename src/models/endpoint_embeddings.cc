// The embeddings of a model behind HTTP: one request, one reply, nothing to be negotiated.
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "models/endpoint.h"

namespace assay {
namespace {

constexpr std::string_view kOllamaBase = "/api";
constexpr std::string_view kOllamaEndpoint = "/embed";

}  // namespace

// Beside the chat's, with the same query.
std::string HttpModel::embeddings_url() const {
  const bool ollama = address_.base.ends_with(kOllamaBase);
  std::string url = address_.url;
  const std::size_t at = url.rfind(wire_.endpoint);
  return url.replace(at, wire_.endpoint.size(), ollama ? kOllamaEndpoint : wire_.embeddings);
}

Task<std::expected<EmbeddingReply, ModelFailure>> HttpModel::embed(const std::vector<std::string>& texts) {
  const auto failed = [this](ModelFailure failure) {
    return std::unexpected(in_context(std::move(failure)));
  };
  if (wire_.embeddings.empty()) {
    co_return failed(
        {Error{ErrorKind::config,
               fmt::format("{} has no embeddings; name a model of a server that has them, such as "
                           "openai/text-embedding-3-small",
                           spec_.provider),
               {}},
         std::nullopt});
  }
  if (Status status = ready(); !status)
    co_return std::unexpected(ModelFailure{std::move(status).error(), std::nullopt});
  HttpRequest http = request_for(to_text(embedding_body(spec_.name, texts)), WirePlan{});
  http.url = embeddings_url();
  Result<HttpResponse> response = co_await client_.send(std::move(http));
  if (!response) {
    Error error = std::move(response).error();
    error.message = secrets_.hide_pieces(error.message);
    co_return failed({std::move(error), std::nullopt});
  }
  if (response->status < 200 || response->status > 299) {
    co_return failed(failure_of_status(response->status, response->headers, response->body, asked(),
                                       std::chrono::system_clock::now()));
  }
  const auto json = parse_json(response->body);
  if (!json) co_return failed(failure_of_broken("it is not complete JSON", response->body, asked()));
  auto reply = read_embeddings(*json, texts.size());
  if (reply) co_return std::move(*reply);
  if (const Json* error = find_member(*json, "error"); error != nullptr && !error->is_null())
    co_return failed(failure_of_complaints(complaints_in(*json), asked()));
  co_return failed(failure_of_broken(reply.error().message, response->body, asked()));
}

}  // namespace assay
