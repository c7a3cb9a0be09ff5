#include "models/embeddings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/base64.h"

namespace assay {
namespace {

static_assert(std::endian::native == std::endian::little, "vectors are kept as this machine has them");

constexpr std::size_t kLongestVector = 65'536;

std::unexpected<Error> wrong(std::string message) {
  return fail(ErrorKind::parse, std::move(message));
}

std::optional<std::vector<float>> unpacked(std::string_view text) {
  const auto bytes = from_base64(text);
  if (!bytes || bytes->size() % sizeof(float) != 0) return std::nullopt;
  std::vector<float> vector(bytes->size() / sizeof(float));
  if (!bytes->empty()) std::memcpy(vector.data(), bytes->data(), bytes->size());
  return vector;
}

// A list of numbers, or the same as base64.
Result<std::vector<float>> read_vector(const Json& value, std::size_t place) {
  std::vector<float> vector;
  if (const auto text = as_text(value)) {
    auto read = unpacked(*text);
    if (!read) return wrong(fmt::format("embedding {} is a text that is no base64 of float32s", place));
    vector = std::move(*read);
  } else if (value.is_array()) {
    vector.reserve(value.get_array().size());
    for (const Json& number : value.get_array()) {
      const auto read = as_number(number);
      if (!read) return wrong(fmt::format("embedding {} holds {}, expected numbers", place, excerpt(number)));
      vector.push_back(static_cast<float>(*read));
    }
  } else {
    return wrong(fmt::format("embedding {} is {}, expected a list of numbers", place, excerpt(value)));
  }
  if (vector.empty() || vector.size() > kLongestVector)
    return wrong(
        fmt::format("embedding {} has {} numbers, expected 1 to {}", place, vector.size(), kLongestVector));
  if (!std::ranges::all_of(vector, [](float number) { return std::isfinite(number); }))
    return wrong(fmt::format("embedding {} holds a number that is not finite", place));
  return vector;
}

Status check_lengths(const Vectors& vectors) {
  for (const auto& vector : vectors) {
    if (vector.size() != vectors.front().size())
      return wrong(fmt::format("embeddings of {} and of {} numbers stand in one reply",
                               vectors.front().size(), vector.size()));
  }
  return {};
}

// Of OpenAI's form: its elements say which text each belongs to; servers that leave it out mean their order.
Result<Vectors> read_data(const JsonArray& data, std::size_t count) {
  Vectors vectors(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Json* given = find_member(data[i], "index");
    const auto index = given != nullptr ? as_integer(*given) : static_cast<std::int64_t>(i);
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= count ||
        !vectors[static_cast<std::size_t>(*index)].empty())
      return wrong(
          fmt::format("data: the index of element {} names no text, or one that was named before", i));
    const Json* embedding = find_member(data[i], "embedding");
    if (embedding == nullptr) return wrong(fmt::format("data: element {} has no embedding", i));
    auto vector = read_vector(*embedding, i);
    if (!vector) return fail(std::move(vector.error()));
    vectors[static_cast<std::size_t>(*index)] = std::move(*vector);
  }
  return vectors;
}

Result<Vectors> read_list(const JsonArray& list) {
  Vectors vectors;
  for (const Json& element : list) {
    // Gemini's have the numbers one level below, Vertex's two.
    const Json* values = find_pointer(element, "/embeddings/values");
    if (values == nullptr) values = find_member(element, "values");
    auto vector = read_vector(values != nullptr ? *values : element, vectors.size());
    if (!vector) return fail(std::move(vector.error()));
    vectors.push_back(std::move(*vector));
  }
  return vectors;
}

std::int64_t count_at(const Json& reply, std::string_view pointer) {
  const Json* value = find_pointer(reply, pointer);
  const auto count = value != nullptr ? as_integer(*value) : std::nullopt;
  return std::max<std::int64_t>(0, count.value_or(0));
}

}  // namespace

std::string packed_vector(const std::vector<float>& vector) {
  std::string bytes(vector.size() * sizeof(float), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), vector.data(), bytes.size());
  return base64(bytes);
}

Error no_embeddings(std::string_view who) {
  return {ErrorKind::config,
          fmt::format("{} has no embeddings; name a model of a server that has them, such as "
                      "openai/text-embedding-3-small",
                      who),
          {}};
}

Json embedding_body(std::string_view model, const std::vector<std::string>& texts) {
  JsonArray input;
  for (const std::string& text : texts) input.emplace_back(text);
  return JsonObject{{"model", model}, {"input", std::move(input)}};
}

Result<EmbeddingReply> read_embeddings(const Json& reply, std::size_t count) {
  const Json* data = find_member(reply, "data");
  const Json* list = find_member(reply, "embeddings");
  const bool openai = data != nullptr && data->is_array();
  if (list == nullptr) list = find_member(reply, "predictions");
  if (!openai && (list == nullptr || !list->is_array()))
    return wrong("there is neither a list `data` nor a list `embeddings` or `predictions` in it");
  const JsonArray& elements = openai ? data->get_array() : list->get_array();
  if (elements.size() != count)
    return wrong(fmt::format("it has {} embeddings, and {} were asked for", elements.size(), count));
  auto vectors = openai ? read_data(elements, count) : read_list(elements);
  if (!vectors) return fail(std::move(vectors.error()));
  if (auto same = check_lengths(*vectors); !same) return fail(std::move(same.error()));
  EmbeddingReply read{.vectors = std::move(*vectors), .model = text_at(reply, "model")};
  read.usage.prompt_tokens =
      openai ? count_at(reply, "/usage/prompt_tokens") : count_at(reply, "/prompt_eval_count");
  for (const Json& prediction : list_at(reply, "predictions"))
    read.usage.prompt_tokens += count_at(prediction, "/embeddings/statistics/token_count");
  return read;
}

std::string to_text(const EmbeddingReply& reply) {
  JsonArray vectors;
  for (const auto& vector : reply.vectors) vectors.emplace_back(packed_vector(vector));
  return to_text(Json(JsonObject{{"model", reply.model}, {"embeddings", std::move(vectors)}}));
}

Result<EmbeddingReply> embeddings_from_text(std::string_view text) {
  auto json = parse_json(text);
  if (!json) return fail(std::move(json.error()));
  return read_embeddings(*json, list_at(*json, "embeddings").size());
}

}  // namespace assay
