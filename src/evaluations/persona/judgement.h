// What became of one request to the judge: what the outcome of a case holds, written and read here. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "engine/outcome.h"
#include "evaluations/persona/answer.h"
#include "models/chat.h"

namespace assay::persona {

// Kept whatever the outcome.
struct Judgement {
  CheckedAnswer answer;
  std::optional<Error> error;  // why there is no answer that counts; kept as the outcome's own
  std::string raw_text;        // what the judge wrote last
  std::string model;           // as the provider names it
  ReplyOrigin origin;          // of that, in the provider's words; empty if nothing came
  Usage usage;                 // of all attempts
  int attempts = 0;            // answers that came
};

JsonObject outcome_json(const Judgement& judgement, Mode mode);
Judgement judgement_from(const Outcome& outcome);

// Parts that records have in the same form.
Json usage_json(const Usage& usage);
Json texts_json(const std::vector<std::string>& texts);

}  // namespace assay::persona
