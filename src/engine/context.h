// What a case may ask of the outside world. An evaluation sees no clock, no randomness and no I/O but through
// this, so running it again over a journal gives the same result. What can be asked stands in
// engine/effects/.
//
// A step name is unique inside a case and reads like a path: "run1/faithfulness/verdicts". Asking the same
// step again for a better answer is a new attempt of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/json/json.h"
#include "core/random.h"
#include "core/task.h"
#include "engine/outcome.h"
#include "gateway/effect.h"

namespace assay {

// What a case has cost so far, answers from the journal included.
struct CaseSpending {
  std::int64_t requests = 0;  // tries included
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::optional<double> cost_usd = 0;  // nothing if a price is unknown
  double seconds = 0;                  // that the answers took, one after another
};

// What the answers to one step took, its attempts together, as the journal has it: the same in every replay.
struct StepSpending {
  double latency_ms = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;
  std::optional<double> cost_usd = 0;  // nothing if a price is unknown, or an earlier run has paid
};

class CaseContext {
 public:
  virtual ~CaseContext() = default;

  // The reply, which is durable before it is returned: from the journal if it is there. Failures come after
  // all retries.
  virtual Task<Result<std::string>> perform(std::string step, int attempt,
                                            std::shared_ptr<Effect> effect) = 0;
  // Keeps a file of the run, whole and durable, off the loop's thread.
  virtual Task<Status> keep_file(std::string name, std::string text) = 0;

  // Random numbers of this case and step: the same on every machine and in every replay.
  virtual Random random(std::string_view step) const = 0;

  virtual CaseSpending spending() const = 0;
  // Of a step that was asked.
  virtual StepSpending spending_of(std::string_view step) const = 0;
};

// The reply of an effect whose replies are any JSON.
inline Task<Result<Json>> perform_json(CaseContext& context, std::string step,
                                       std::shared_ptr<Effect> effect) {
  auto text = co_await context.perform(std::move(step), 1, std::move(effect));
  if (!text) co_return fail(std::move(text.error()));
  co_return parse_json(*text);
}

// That a server lists its tools is no request of the case's, and is not counted.
inline constexpr std::string_view kToolList = "tools";

}  // namespace assay
