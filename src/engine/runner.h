// Runs cases to their outcomes over a store. One coroutine per case, spread over the event loops of the
// gateway; every answer is durable before its coroutine sees it. Running again over the same store answers
// from it first, so resume, replay and reuse are the same thing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "engine/distributed/case_supply.h"
#include "engine/stop_rule.h"
#include "engine/work.h"
#include "gateway/gateway.h"
#include "store/cache/answer_cache.h"
#include "store/run_store.h"

namespace assay {

struct RunnerOptions {
  std::uint64_t seed = 0;
  RunStore* earlier_answers = nullptr;  // of an earlier run, to be taken first; null: none
  AnswerCache* cache = nullptr;         // that runs share; null: none
  StopRule* stop_rule = nullptr;        // null: all cases, in input order
  // Told of every outcome once it is durable; may be empty.
  std::function<void(const Case& input, const Outcome& outcome)> on_outcome;
  // Awaited before another case is begun: who keeps what he is told, and is slower than the cases, holds them
  // up with it. May be empty.
  std::function<Task<void>()> ready_for_more;
  // Told, as the run goes on, of how far into the input every case has its last outcome, durable: all with an
  // index below `end`. May be empty.
  std::function<void(std::int64_t end)> on_settled;
  std::function<void(const std::string&)> trace;  // one line per request (-v); may be empty
  std::optional<double> calls_a_case;  // as estimated, until enough cases have shown it; absent: unknown
};

// A snapshot for people; cheap to take.
struct RunProgress {
  std::int64_t total = 0;
  std::int64_t done = 0;      // outcomes, those of earlier sittings included as far as they were passed
  std::int64_t standing = 0;  // of them, those of earlier sittings
  std::int64_t errored = 0;   // of this sitting's, not scored
  int in_flight = 0;
  int retrying = 0;
  std::int64_t requests = 0;           // of this sitting
  std::int64_t answers = 0;            // of them, how many gave one
  std::optional<double> calls_a_case;  // that are expected
  std::int64_t tokens = 0;
  std::optional<AccountFigures::Oldest> oldest;
  std::int64_t spent_picousd = 0;  // of the process
  std::string waiting_for;         // why nothing moves, if so
  std::string batch;               // "batch of 40: 12 done"; empty: there is none
};

// Why a run ended before all cases were done.
enum class RunEnd { complete, interrupted, stopped };

struct RunResult {
  RunEnd end = RunEnd::complete;
  std::optional<Error> reason;   // stopped
  BatchDesk::Open batches = {};  // that go on at the provider although the run ended before them
};

class Runner {
 public:
  // `gateway` must outlive it.
  Runner(Gateway& gateway, RunnerOptions options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Runs every case of `work` that has no standing outcome in the store. All three outlive the task.
  Task<RunResult> run(const CaseWork& work, RunStore& store, std::int64_t total);

  // Learns, and keeps in the store, what must be known before any case may end, and nothing more: whoever
  // runs the cases finds it there. Both outlive the task.
  Task<RunResult> learn(const CaseWork& work, RunStore& store);

  // Runs the cases that the supply gives until it has no more; what must be known before one ends is in the
  // store. All three outlive the task.
  Task<RunResult> serve(const CaseWork& work, RunStore& store, CaseSupply& supply);

  // Starts nothing new and lets what is in flight end.
  void interrupt();
  RunProgress progress() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

// How many cases keep so many requests in flight while others wait for the disk, with an answer or with their
// outcome.
int cases_at_once(int concurrency);

// Outcomes that a resume tries again: nobody under test was to blame.
std::vector<std::string> outcomes_to_retry();

}  // namespace assay
