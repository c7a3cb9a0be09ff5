#include "sim/protocols/embeddings_wire.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "models/embeddings.h"
#include "models/tokens.h"
#include "sim/text_vector.h"

namespace assay::sim {
namespace {

constexpr std::size_t kMostTexts = 2048;
constexpr std::int64_t kMostDimensions = 4096;

std::unexpected<WireError> refused(std::string message, std::string param) {
  return std::unexpected(WireError{400, std::move(message), "", std::move(param), ""});
}

struct Asked {
  std::string model;
  std::vector<std::string> texts;
  std::size_t dimensions = kUsualDimensions;
  bool packed = false;
};

std::expected<std::vector<std::string>, WireError> read_input(const Json& body) {
  const Json* input = find_member(body, "input");
  if (input == nullptr) return refused("you must provide an input", "input");
  const JsonArray one{*input};
  const JsonArray& list = input->is_array() ? input->get_array() : one;
  if (list.empty() || list.size() > kMostTexts)
    return refused(fmt::format("'input' has {} elements, expected 1 to {}", list.size(), kMostTexts),
                   "input");
  std::vector<std::string> texts;
  for (const Json& element : list) {
    const auto text = as_text(element);
    if (!text || text->empty())
      return refused(fmt::format("'input' holds {}, expected texts that are not empty", excerpt(element)),
                     "input");
    texts.emplace_back(*text);
  }
  return texts;
}

std::expected<Asked, WireError> read(const Json& body) {
  Asked asked{.model = text_at(body, "model"), .texts = {}};
  if (asked.model.empty()) return refused("you must provide a model parameter", "model");
  auto texts = read_input(body);
  if (!texts) return std::unexpected(std::move(texts.error()));
  asked.texts = std::move(*texts);
  if (const Json* given = find_member(body, "dimensions"); given != nullptr && !given->is_null()) {
    const auto dimensions = as_integer(*given);
    if (!dimensions || *dimensions < 1 || *dimensions > kMostDimensions)
      return refused(fmt::format("'dimensions' is {}, expected 1 to {}", excerpt(*given), kMostDimensions),
                     "dimensions");
    asked.dimensions = static_cast<std::size_t>(*dimensions);
  }
  if (const Json* given = find_member(body, "encoding_format"); given != nullptr && !given->is_null()) {
    const std::string_view format = as_text(*given).value_or("");
    if (format != "float" && format != "base64")
      return refused(fmt::format("'encoding_format' is {}, expected float or base64", excerpt(*given)),
                     "encoding_format");
    asked.packed = format == "base64";
  }
  return asked;
}

Json numbers(const std::vector<float>& vector) {
  JsonArray list;
  for (const float number : vector) list.emplace_back(static_cast<double>(number));
  return list;
}

// Gemini's requests and Vertex's instances, each with one text.
std::expected<Asked, WireError> read_google(const Json& body, EmbeddingWire form, std::string_view model) {
  const bool gemini = form == EmbeddingWire::gemini;
  const std::string list_name = gemini ? "requests" : "instances";
  Asked asked{.model = std::string(model), .texts = {}};
  const JsonArray& list = list_at(body, list_name);
  if (list.empty() || list.size() > kMostTexts)
    return refused(fmt::format("{}: expected 1 to {} of them", list_name, kMostTexts), list_name);
  for (const Json& element : list) {
    const Json* text = find_pointer(element, gemini ? "/content/parts/0/text" : "/content");
    if (gemini && text_at(element, "model") != fmt::format("models/{}", model))
      return refused("requests: the model of each must be the one of the path", list_name);
    if (text == nullptr || as_text(*text).value_or("").empty())
      return refused(fmt::format("{}: expected texts that are not empty", list_name), list_name);
    asked.texts.emplace_back(*as_text(*text));
  }
  return asked;
}

Json shown(const std::vector<float>& vector, std::int64_t tokens, const Asked& asked, EmbeddingWire form,
           std::size_t index) {
  Json values = asked.packed ? Json(boost::json::string(packed_vector(vector))) : numbers(vector);
  switch (form) {
    case EmbeddingWire::ollama:
      return values;
    case EmbeddingWire::gemini:
      return JsonObject{{"values", std::move(values)}};
    case EmbeddingWire::vertex: {
      JsonObject statistics{{"token_count", tokens}, {"truncated", false}};
      return JsonObject{
          {"embeddings", JsonObject{{"values", std::move(values)}, {"statistics", std::move(statistics)}}}};
    }
    case EmbeddingWire::openai:
      break;
  }
  return JsonObject{{"object", "embedding"}, {"index", index}, {"embedding", std::move(values)}};
}

Json whole(JsonArray list, std::int64_t tokens, const Asked& asked, EmbeddingWire form) {
  const std::string model = "sim/" + asked.model;
  switch (form) {
    case EmbeddingWire::ollama:
      return JsonObject{{"model", model}, {"embeddings", std::move(list)}, {"prompt_eval_count", tokens}};
    case EmbeddingWire::gemini:
      return JsonObject{{"embeddings", std::move(list)}};
    case EmbeddingWire::vertex:
      return JsonObject{{"predictions", std::move(list)}};
    case EmbeddingWire::openai:
      break;
  }
  return JsonObject{{"object", "list"},
                    {"data", std::move(list)},
                    {"model", model},
                    {"usage", JsonObject{{"prompt_tokens", tokens}, {"total_tokens", tokens}}}};
}

}  // namespace

std::expected<EmbeddingsAnswer, WireError> answer_embeddings(const Json& body, EmbeddingWire form,
                                                             std::uint64_t seed, std::string_view model) {
  const bool google = form == EmbeddingWire::gemini || form == EmbeddingWire::vertex;
  const auto asked = google ? read_google(body, form, model) : read(body);
  if (!asked) return std::unexpected(asked.error());
  EmbeddingsAnswer answer;
  JsonArray list;
  for (std::size_t i = 0; i < asked->texts.size(); ++i) {
    const std::int64_t tokens = estimate_tokens(asked->texts[i]);
    answer.usage.prompt_tokens += tokens;
    list.push_back(shown(text_vector(asked->texts[i], seed, asked->dimensions), tokens, *asked, form, i));
  }
  answer.body = to_text(whole(std::move(list), answer.usage.prompt_tokens, *asked, form));
  return answer;
}

}  // namespace assay::sim
