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

}  // namespace

std::expected<EmbeddingsAnswer, WireError> answer_embeddings(const Json& body, EmbeddingForm form,
                                                             std::uint64_t seed) {
  const auto asked = read(body);
  if (!asked) return std::unexpected(asked.error());
  EmbeddingsAnswer answer;
  JsonArray list;
  for (std::size_t i = 0; i < asked->texts.size(); ++i) {
    answer.usage.prompt_tokens += estimate_tokens(asked->texts[i]);
    const auto vector = text_vector(asked->texts[i], seed, asked->dimensions);
    Json shown = asked->packed ? Json(boost::json::string(packed_vector(vector))) : numbers(vector);
    if (form == EmbeddingForm::ollama) {
      list.push_back(std::move(shown));
    } else {
      list.push_back(JsonObject{{"object", "embedding"}, {"index", i}, {"embedding", std::move(shown)}});
    }
  }
  const std::int64_t tokens = answer.usage.prompt_tokens;
  answer.body =
      form == EmbeddingForm::ollama
          ? to_text(JsonObject{{"model", "sim/" + asked->model},
                               {"embeddings", std::move(list)},
                               {"prompt_eval_count", tokens}})
          : to_text(JsonObject{{"object", "list"},
                               {"data", std::move(list)},
                               {"model", "sim/" + asked->model},
                               {"usage", JsonObject{{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
  return answer;
}

}  // namespace assay::sim
