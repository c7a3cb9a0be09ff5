#include "sim/routes.h"

#include <algorithm>

namespace assay::sim {
namespace {

struct Fixed {
  std::string_view path;
  std::string_view name;
  Protocol protocol;
};
constexpr Fixed kFixed[] = {
    {"/v1/chat/completions", "POST /v1/chat/completions", Protocol::openai},
    {"/chat/completions", "POST /v1/chat/completions", Protocol::openai},
    {"/v1/responses", kResponses, Protocol::openai},
    {"/responses", kResponses, Protocol::openai},
    {"/v1/messages", "POST /v1/messages", Protocol::anthropic},
    {"/messages", "POST /v1/messages", Protocol::anthropic},
    {"/v1/embeddings", kEmbeddings, Protocol::openai},
    {"/embeddings", kEmbeddings, Protocol::openai},
    {"/api/embed", kOllamaEmbeddings, Protocol::openai},
    {"/query", "POST /query", Protocol::promptql},
    {"/api/query", "POST /query", Protocol::promptql},
};

struct Method {
  std::string_view name;  // behind the model: models/NAME:generateContent
  std::string_view route;
};
constexpr Method kGoogleMethods[] = {{"generateContent", kGemini},
                                     {"streamGenerateContent", kGeminiStream},
                                     {"batchEmbedContents", kGeminiEmbeddings},
                                     {"embedContent", kGeminiEmbeddings},
                                     {"predict", kVertexEmbeddings}};

// Azure's deployments, and the paths of services that speak OpenAI's protocol below one of their own.
std::string_view without_service(std::string_view path) {
  constexpr std::string_view deployments = "/openai/deployments/";
  if (path.starts_with(deployments)) {
    const std::size_t end = path.find('/', deployments.size());
    return end == std::string_view::npos ? path : path.substr(end);
  }
  for (const std::string_view service : {"/openai", "/api"}) {
    if (path.starts_with(service) && path.substr(service.size()).starts_with("/v1/"))
      return path.substr(service.size());
  }
  return path;
}

std::optional<Route> google_route(std::string_view path) {
  constexpr std::string_view models = "/models/";
  const std::size_t at = path.rfind(models);
  const std::size_t colon = path.rfind(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon < at) return std::nullopt;
  const auto* method = std::ranges::find(kGoogleMethods, path.substr(colon + 1), &Method::name);
  if (method == std::end(kGoogleMethods)) return std::nullopt;
  const std::size_t from = at + models.size();
  return Route{method->route, Protocol::gemini, std::string(path.substr(from, colon - from))};
}

std::optional<Route> bedrock_route(std::string_view path) {
  constexpr std::string_view before = "/model/";
  if (!path.starts_with(before)) return std::nullopt;
  path.remove_prefix(before.size());
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  const std::string_view method = path.substr(slash + 1);
  if (method != "converse" && method != "converse-stream") return std::nullopt;
  return Route{method == "converse" ? kConverse : kConverseStream, Protocol::bedrock,
               std::string(path.substr(0, slash))};
}

}  // namespace

std::optional<Route> find_route(std::string_view path) {
  if (auto route = google_route(path)) return route;
  if (auto route = bedrock_route(path)) return route;
  for (const std::string_view known : {path, without_service(path)}) {
    const auto* fixed = std::ranges::find(kFixed, known, &Fixed::path);
    if (fixed != std::end(kFixed)) return Route{fixed->name, fixed->protocol};
  }
  return std::nullopt;
}

}  // namespace assay::sim
