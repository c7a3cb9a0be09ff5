#include "engine/effects/promptql.h"

#include <memory>
#include <utility>

namespace assay {
Result<Terms> PromptqlEffect::terms(Outside& outside) const {
  return Terms{.request = canonical_text(outside.literals.hide_in(to_json(query_))),
               .lane = "promptql " + query_.url,
               .tries = outside.tries,
               .stubborn = query_.stubborn};
}

Task<TryResult> PromptqlEffect::send(Outside& outside) {
  auto reply = co_await outside.promptql(query_);
  if (!reply)
    co_return std::unexpected(TryFailure{std::move(reply.error().error), reply.error().retry_after});
  // A real service does not say which model answered; the simulator does.
  std::string model = text_at(*reply, "model");
  co_return Try{to_text(outside.secrets.hide_in(*reply)), {}, std::move(model)};
}

Task<Result<Json>> query_promptql(CaseContext& context, std::string step, PromptqlQuery query) {
  co_return co_await perform_json(context, std::move(step),
                                  std::make_shared<PromptqlEffect>(std::move(query)));
}

}  // namespace assay
