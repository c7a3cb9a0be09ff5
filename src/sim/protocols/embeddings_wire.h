// The server's side of embeddings: OpenAI's (POST /v1/embeddings; numbers, or base64 as its client asks for)
// Ollama's (POST /api/embed), Gemini's (batchEmbedContents) and Vertex AI's (predict). Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

enum class EmbeddingWire { openai, ollama, gemini, vertex };

struct EmbeddingsAnswer {
  std::string body;
  Usage usage;
};

// Refuses what the services refuse: no model, no input, an empty text or more than 2,048 of them, dimensions
// out of range. Inputs are texts; lists of tokens are refused, since nothing here can read them.
// `model` is the one that the path names, with Google's.
std::expected<EmbeddingsAnswer, WireError> answer_embeddings(const Json& body, EmbeddingWire form,
                                                             std::uint64_t seed, std::string_view model = {});

}  // namespace assay::sim
