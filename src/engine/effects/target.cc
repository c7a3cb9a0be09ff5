#include "engine/effects/target.h"

#include <memory>
#include <utility>

#include "net/http/url.h"

namespace assay {
namespace {

template <class Call>
Terms terms_of(const Call& call, const Outside& outside, const std::string& lane) {
  return {.request = canonical_text(outside.literals.hide_in(to_json(call))),
          .lane = lane,
          .behind = Behind::system_under_test,
          .most_at_once = call.most_at_once,
          .tries = call.tries,
          .stubborn = call.stubborn};
}

}  // namespace

Result<Terms> CommandEffect::terms(Outside& outside) const {
  return terms_of(call_, outside,
                  "command " + (call_.command.empty() ? std::string() : call_.command.front()));
}

Task<TryResult> CommandEffect::send(Outside& outside) {
  auto value = co_await run_command(outside.loop, call_, outside.environment);
  if (!value) co_return std::unexpected(TryFailure{std::move(value.error())});
  co_return Try{to_text(outside.secrets.hide_in(*value))};
}

Result<Terms> HttpEffect::terms(Outside& outside) const {
  return terms_of(call_, outside, "http " + host_of(call_.url));
}

Task<TryResult> HttpEffect::send(Outside& outside) {
  auto value = co_await call_http(outside.http, call_, outside.environment);
  if (!value)
    co_return std::unexpected(TryFailure{std::move(value.error().error), value.error().retry_after});
  co_return Try{to_text(outside.secrets.hide_in(*value))};
}

Task<Result<Json>> run_command(CaseContext& context, std::string step, CommandCall call) {
  co_return co_await perform_json(context, std::move(step), std::make_shared<CommandEffect>(std::move(call)));
}

Task<Result<Json>> call_http(CaseContext& context, std::string step, HttpCall call) {
  co_return co_await perform_json(context, std::move(step), std::make_shared<HttpEffect>(std::move(call)));
}

}  // namespace assay
