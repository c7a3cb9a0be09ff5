// Which address of the simulated endpoint a request is for: each protocol has its own, and services put a
// path of theirs before a protocol's, or the model into it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/protocols/delivery.h"

namespace assay::sim {

inline constexpr std::string_view kEmbeddings = "POST /v1/embeddings";
inline constexpr std::string_view kOllamaEmbeddings = "POST /api/embed";
inline constexpr std::string_view kResponses = "POST /v1/responses";
inline constexpr std::string_view kGemini = "POST generateContent";
inline constexpr std::string_view kGeminiStream = "POST streamGenerateContent";
inline constexpr std::string_view kGeminiEmbeddings = "POST batchEmbedContents";
inline constexpr std::string_view kVertexEmbeddings = "POST predict";
inline constexpr std::string_view kConverse = "POST converse";
inline constexpr std::string_view kConverseStream = "POST converse-stream";

struct Route {
  std::string_view name;  // in the statistics
  Protocol protocol = Protocol::openai;
  std::string model = {};  // if the path names it
};

// `path` is decoded.
std::optional<Route> find_route(std::string_view path);

}  // namespace assay::sim
