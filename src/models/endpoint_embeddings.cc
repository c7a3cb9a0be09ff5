// The embeddings of a model behind HTTP: one request, one reply, nothing to be negotiated.
#include <chrono>
#include <utility>

#include "models/endpoint.h"

namespace assay {
Task<std::expected<EmbeddingReply, ModelFailure>> HttpModel::embed(const std::vector<std::string>& texts) {
  const auto failed = [this](ModelFailure failure) {
    return std::unexpected(in_context(std::move(failure)));
  };
  if (wire_.embeddings == nullptr) {
    co_return failed({no_embeddings(spec_.provider), std::nullopt});
  }
  if (Status status = has_key(); !status)
    co_return std::unexpected(ModelFailure{std::move(status).error(), std::nullopt});
  const bool ollama = address_.embeddings_url.ends_with(kOllamaEmbeddings);
  const Json body = ollama ? embedding_body(spec_.name, texts) : wire_.embeddings->body(spec_.name, texts);
  auto key = co_await credential();
  if (!key) co_return failed({std::move(key.error()), std::nullopt});
  Result<HttpResponse> response =
      co_await client_.send(request_for(address_.embeddings_url, to_text(body), WirePlan{}, *key));
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
