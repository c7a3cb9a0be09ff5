// An HTTP service of the user's as a scorer: asked and answering in the form that a program has.
#pragma once

#include <string>

#include "core/error.h"
#include "core/json/json.h"
#include "core/task.h"
#include "engine/context.h"
#include "evaluations/custom/asked/scorer_reply.h"
#include "tools/http_call.h"

namespace assay::custom {

// `declared` (its address, headers and limits) with the question as its body. The id is that of the case: a
// request has its own reply. `Content-Type: application/json` is added unless it declares one.
HttpCall scorer_call(HttpCall declared, const ScorerQuestion& question);

// The reply, for read_scorer_reply(). A service that answers wrongly, too late or with an error of its own is
// a scorer that failed (judge); no connection and "too many requests" are nobody's fault and keep their kind.
Task<Result<Json>> ask_http_scorer(CaseContext& context, std::string step, HttpCall call);

}  // namespace assay::custom
