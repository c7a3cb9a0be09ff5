// The server's side of embeddings: OpenAI's (POST /v1/embeddings; numbers, or base64 as its client asks for)
// and Ollama's (POST /api/embed). Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

enum class EmbeddingForm { openai, ollama };

struct EmbeddingsAnswer {
  std::string body;
  Usage usage;
};

// Refuses what the services refuse: no model, no input, an empty text or more than 2,048 of them, dimensions
// out of range. Inputs are texts; lists of tokens are refused, since nothing here can read them.
std::expected<EmbeddingsAnswer, WireError> answer_embeddings(const Json& body, EmbeddingForm form,
                                                             std::uint64_t seed);

}  // namespace assay::sim
