#include "evaluations/custom/asked/http_scorer.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>

#include "core/text.h"
#include "engine/effects/target.h"

namespace assay::custom {
namespace {

bool is_its_own(ErrorKind kind) {
  return kind == ErrorKind::target || kind == ErrorKind::timeout || kind == ErrorKind::overloaded ||
         kind == ErrorKind::rejected || kind == ErrorKind::parse;
}

}  // namespace

HttpCall scorer_call(HttpCall declared, const ScorerQuestion& question) {
  JsonObject body{{"id", question.case_id}};
  for (auto& [name, value] : to_json(question)) body.insert_or_assign(name, std::move(value));
  declared.body = to_text(body);
  const bool typed = std::ranges::any_of(
      declared.headers, [](const auto& header) { return lower_ascii(header.first) == "content-type"; });
  if (!typed) declared.headers.emplace_back("Content-Type", "application/json");
  return declared;
}

Task<Result<Json>> ask_http_scorer(CaseContext& context, std::string step, HttpCall call) {
  auto reply = co_await call_http(context, std::move(step), std::move(call));
  if (!reply && is_its_own(reply.error().kind)) reply.error().kind = ErrorKind::judge;
  co_return reply;
}

}  // namespace assay::custom
