#include "engine/effects/model.h"

#include <functional>
#include <utility>

#include <fmt/format.h>

#include "models/tokens.h"

namespace assay {
namespace {

constexpr std::int64_t kExpectedCompletionTokens = 1000;  // where a request sets no limit

Sampling in_force(Sampling asked, const ModelIdentity& identity) {
  if (!asked.temperature) asked.temperature = identity.temperature;
  if (!asked.max_tokens) asked.max_tokens = identity.max_tokens;
  if (!asked.top_p) asked.top_p = identity.top_p;
  if (!asked.seed) asked.seed = identity.seed;
  if (asked.stop.empty()) asked.stop = identity.stop;
  return asked;
}

// The tokens of one reply while it comes: what the provider counts takes their place when it is there.
class Streamed {
 public:
  explicit Streamed(const Outside& outside) : outside_(outside) {}
  Streamed(const Streamed&) = delete;
  Streamed& operator=(const Streamed&) = delete;
  ~Streamed() { outside_.streaming(-tokens_); }
  void add(std::int64_t more) {
    tokens_ += more;
    outside_.streaming(more);
  }

 private:
  const Outside& outside_;
  std::int64_t tokens_ = 0;
};

}  // namespace

Result<Terms> ModelEffect::terms(Outside& outside) const {
  auto asked = outside.models.asked(request_.model);
  if (!asked) return fail(std::move(asked.error()));
  Terms terms;
  PrefixedText request =
      canonical_text(request_, (*asked)->who, in_force(request_.sampling, (*asked)->identity));
  terms.request = std::move(request.text);
  terms.request_prefixes = std::move(request.ends);
  terms.lane = (*asked)->lane;
  terms.whom = (*asked)->who;
  if ((*asked)->concurrency) terms.most_at_once = *(*asked)->concurrency;
  terms.price_name = request_.model;
  terms.tries = outside.tries;
  if (outside.batch && (*asked)->model.batched() != nullptr) {
    terms.tariff = Tariff::batch;
    terms.lane += ", batches";
  }
  const std::int64_t prompt = estimate_prompt_tokens(request_);
  const auto& asked_limit = request_.sampling.max_tokens;
  const std::int64_t usual = asked_limit ? *asked_limit : kExpectedCompletionTokens;
  terms.expected_tokens = static_cast<double>(prompt + usual);
  // What it may cost is bounded by the alias's limit as well.
  const auto limit = asked_limit ? asked_limit : (*asked)->max_tokens;
  const Usage dearest{.prompt_tokens = prompt, .completion_tokens = limit ? *limit : usual};
  terms.expected_cost = outside.cost(dearest, request_.model, terms.tariff).value_or(0);
  return terms;
}

Task<TryResult> ModelEffect::send(Outside& outside) {
  auto asked = outside.models.asked(request_.model);
  if (!asked) co_return std::unexpected(TryFailure{std::move(asked.error())});
  Streamed streamed(outside);
  co_return taken(outside, co_await (*asked)->model.complete(
                               request_, [&streamed](std::int64_t more) { streamed.add(more); }));
}

Task<TryResult> ModelEffect::send_by(Outside& outside, const Carry& carry) {
  auto asked = outside.models.asked(request_.model);
  if (!asked) co_return std::unexpected(TryFailure{std::move(asked.error())});
  co_return taken(outside, co_await (*asked)->model.batched()->complete_by(request_, carry));
}

TryResult ModelEffect::taken(const Outside& outside, std::expected<ChatReply, ModelFailure> reply) {
  if (!reply) return std::unexpected(TryFailure{std::move(reply.error().error), reply.error().retry_after});
  fresh_ = without_secrets(std::move(*reply), outside.secrets);
  PrefixedText kept = to_text(*fresh_);
  fresh_hash_ = std::hash<std::string_view>()(kept.text);
  return Try{std::move(kept.text), fresh_->usage, fresh_->model, std::move(kept.ends)};
}

std::optional<ChatReply> ModelEffect::take_fresh(std::string_view journaled) {
  auto fresh = std::exchange(fresh_, std::nullopt);
  if (fresh && std::hash<std::string_view>()(journaled) != fresh_hash_) fresh.reset();
  return fresh;
}

Task<Result<ChatReply>> complete(CaseContext& context, std::string step, int attempt, ChatRequest request) {
  const auto effect = std::make_shared<ModelEffect>(std::move(request));
  auto text = co_await context.perform(std::move(step), attempt, effect);
  if (!text) co_return fail(std::move(text.error()));
  if (auto fresh = effect->take_fresh(*text)) co_return std::move(*fresh);
  auto json = parse_json(*text);
  if (!json) co_return fail(std::move(json.error()));
  co_return reply_from_json(*json);
}

Task<StructuredAnswer> ask(CaseContext& context, std::string step, ChatRequest request, const Schema& schema,
                           StructuredPolicy policy) {
  Complete again = [&context, step](int attempt, ChatRequest asked) {
    return complete(context, step, attempt, std::move(asked));
  };
  co_return co_await ask_structured(std::move(again), std::move(request), schema, std::move(policy));
}

}  // namespace assay
