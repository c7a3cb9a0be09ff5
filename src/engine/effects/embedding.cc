#include "engine/effects/embedding.h"

#include <limits>
#include <memory>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "models/tokens.h"

namespace assay {

Result<Terms> EmbeddingEffect::terms(Outside& outside) const {
  auto asked = outside.models.asked(model_);
  if (!asked) return fail(std::move(asked.error()));
  JsonArray texts;
  Usage expected;
  for (const std::string& text : texts_) {
    texts.emplace_back(text);
    expected.prompt_tokens += estimate_tokens(text);
  }
  constexpr int kAny = std::numeric_limits<int>::max();
  return Terms{
      .request = canonical_text(JsonObject{{"model", (*asked)->who}, {"embed", std::move(texts)}}),
      .lane = (*asked)->lane,
      .whom = fmt::format("{}, embeddings", (*asked)->who),
      .price_name = model_,
      .expected_tokens = static_cast<double>(expected.prompt_tokens),
      .expected_cost = outside.cost(expected, model_, Tariff::usual).value_or(0),
      .most_at_once = (*asked)->concurrency.value_or(kAny),
      .tries = outside.tries,
  };
}

Task<TryResult> EmbeddingEffect::send(Outside& outside) {
  auto asked = outside.models.asked(model_);
  if (!asked) co_return std::unexpected(TryFailure{std::move(asked.error())});
  EmbeddingModel* model = (*asked)->model.embedding();
  if (model == nullptr) co_return std::unexpected(TryFailure{no_embeddings(model_)});
  auto reply = co_await model->embed(texts_);
  if (!reply)
    co_return std::unexpected(TryFailure{std::move(reply.error().error), reply.error().retry_after});
  reply->model = outside.secrets.hide(reply->model);
  co_return Try{to_text(*reply), reply->usage, reply->model};
}

Task<Result<Vectors>> embed(CaseContext& context, std::string step, std::string model,
                            std::vector<std::string> texts) {
  if (texts.empty()) co_return Vectors();
  auto text = co_await context.perform(std::move(step), 1,
                                       std::make_shared<EmbeddingEffect>(std::move(model), std::move(texts)));
  if (!text) co_return fail(std::move(text.error()));
  auto reply = embeddings_from_text(*text);
  if (!reply) co_return fail(std::move(reply.error()));
  co_return std::move(reply->vectors);
}

}  // namespace assay
