// The embeddings of a model behind HTTP: nothing to be negotiated, and one request and reply wherever the
// model takes all texts at once.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

#include "models/endpoint.h"

namespace assay {

Task<std::expected<EmbeddingReply, ModelFailure>> HttpModel::embed(const std::vector<std::string>& texts) {
  if (wire_.embeddings == nullptr)
    co_return std::unexpected(in_context({no_embeddings(spec_.provider), std::nullopt}));
  if (Status status = has_key(); !status)
    co_return std::unexpected(ModelFailure{std::move(status).error(), std::nullopt});
  const auto most_texts = wire_.embeddings->most_texts;
  const std::size_t most = most_texts != nullptr ? most_texts(spec_.name) : texts.size();
  if (texts.size() <= most) co_return co_await embed_together(texts);
  EmbeddingReply whole;
  for (auto from = texts.begin(); from != texts.end();) {
    const auto to = from + std::min(static_cast<std::ptrdiff_t>(most), texts.end() - from);
    auto part = co_await embed_together({from, to});
    if (!part) co_return part;
    std::ranges::move(part->vectors, std::back_inserter(whole.vectors));
    whole.usage += part->usage;
    whole.model = std::move(part->model);
    from = to;
  }
  co_return whole;
}

Task<std::expected<EmbeddingReply, ModelFailure>> HttpModel::embed_together(std::vector<std::string> texts) {
  const auto failed = [this](ModelFailure failure) {
    return std::unexpected(in_context(std::move(failure)));
  };
  const bool ollama = address_.embeddings_url.ends_with(kOllamaEmbeddings);
  const std::string body =
      to_text(ollama ? embedding_body(spec_.name, texts) : wire_.embeddings->body(spec_.name, texts));
  auto response = co_await send_keyed([this, &body](std::string_view key) {
    return request_for(address_.embeddings_url, body, WirePlan{}, key);
  });
  if (!response) co_return failed({std::move(response.error()), std::nullopt});
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
