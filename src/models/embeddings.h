// Texts as vectors: what is asked of an embedding model, and what it answers. Two forms are spoken: OpenAI's
// (POST BASE/embeddings), which most servers have, and Ollama's own (POST …/api/embed), for a base URL that
// ends in /api.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "core/task.h"
#include "models/chat.h"
#include "models/model.h"

namespace assay {

using Vectors = std::vector<std::vector<float>>;

struct EmbeddingReply {
  Vectors vectors;         // one for each text, in their order; all of one length, every number finite
  Usage usage = {};        // prompt tokens
  std::string model = {};  // as the server says; may be empty
};

// A model that gives vectors. Implementations: endpoint.h, sim/model.h.
class EmbeddingModel {
 public:
  virtual ~EmbeddingModel() = default;
  // One try of one request; kind config (no_embeddings) if whoever is asked has none. `texts` must outlive
  // the task.
  virtual Task<std::expected<EmbeddingReply, ModelFailure>> embed(const std::vector<std::string>& texts) = 0;
};

// "anthropic has no embeddings; name a model of …".
Error no_embeddings(std::string_view who);

// Of both forms: {"model": …, "input": […]}.
Json embedding_body(std::string_view model, const std::vector<std::string>& texts);
// Either form, told by its members. Kind parse: it is neither, or not one vector for each of `count` texts,
// or the vectors differ in length, are empty or have more than 65,536 numbers.
Result<EmbeddingReply> read_embeddings(const Json& reply, std::size_t count);

// A vector as base64 of its float32s, little-endian, as OpenAI's client asks for it.
std::string packed_vector(const std::vector<float>& vector);

// As the journal keeps it: each vector packed.
std::string to_text(const EmbeddingReply& reply);
Result<EmbeddingReply> embeddings_from_text(std::string_view text);

}  // namespace assay
