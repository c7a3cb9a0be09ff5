// Calls to the outside world and everything that stands between wanting one and having its answer: limits,
// the budget, retries, the circuit, and the end of the run.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "engine/budget.h"
#include "engine/circuit.h"
#include "engine/limits.h"
#include "engine/runner.h"
#include "models/chat.h"
#include "store/journal.h"

namespace assay {

// One try of an effect, whatever its kind.
struct Try {
  std::string reply;  // JSON for the journal
  Usage usage;
  std::string model;
};
struct TryFailure {
  Error error;
  std::optional<std::chrono::milliseconds> retry_after;
};
using TryResult = std::expected<Try, TryFailure>;

struct Call {
  EffectKey key;
  std::string kind;
  std::string request;  // canonical JSON
  std::string limit_key;
  std::string price_name;  // of a model; empty: costs nothing
  double expected_tokens = 0;
  std::int64_t expected_cost = 0;
  int most_at_once = std::numeric_limits<int>::max();  // if the limits of the run allow more
  int tries = 1;
  bool stubborn = false;
  std::function<Task<TryResult>()> send;
};

class Effects {
 public:
  // Both must outlive this.
  Effects(Outside& outside, const RunnerOptions& options);
  Effects(const Effects&) = delete;
  Effects& operator=(const Effects&) = delete;

  // What was spent in earlier sittings counts.
  void set_budget(std::optional<double> usd, std::int64_t spent_picousd);

  // The one retry layer. Gives the row to journal, or the final failure. With a row the permit is still held:
  // an answer is in flight until it is durable, so that a kill repeats at most as many requests as may be in
  // flight.
  Task<Result<EffectRow>> try_until_done(Call& call);
  // Gives the permit back: the answer is durable, or will never be.
  void answered(const Call& call, double tokens_off);

  // Nothing new is begun from now on; what waits is woken and fails.
  void stop(RunEnd end, std::optional<Error> reason);
  bool stopping() const { return stopping_; }
  RunResult result() const { return {end_, reason_}; }

  std::int64_t cost_of(const Usage& usage, const std::string& model) const {
    return outside_.cost(usage, model).value_or(0);
  }
  // The parts of a snapshot that are known here.
  void enter(RunProgress& progress) const;

 private:
  class Pause;

  EffectRow row_of(Call& call, Try& answer, int tries, Duration elapsed);
  Error budget_reached() const;
  Limiter& limiter(const Call& call);

  Outside& outside_;
  const RunnerOptions& options_;
  Circuit circuit_;
  Budget budget_;
  std::map<std::string, std::unique_ptr<Limiter>> limiters_;
  std::vector<Pause*> pauses_;
  bool stopping_ = false;
  RunEnd end_ = RunEnd::complete;
  std::optional<Error> reason_;
  int in_flight_ = 0;
  int retrying_ = 0;
  std::int64_t requests_ = 0;
  std::int64_t tokens_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace assay
