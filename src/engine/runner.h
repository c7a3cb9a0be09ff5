// Runs cases to their outcomes over a journal. One coroutine per case on one event loop; every answer is
// durable before its coroutine sees it. Running again over the same journal answers from it first, so resume,
// replay and reuse are the same thing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/problem.h"
#include "engine/limits.h"
#include "engine/stop_rule.h"
#include "engine/work.h"
#include "models/model.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "store/journal.h"

namespace assay {

// What the engine needs to know of the outside; filled by the command from config and environment.
struct Outside {
  EventLoop& loop;
  HttpClient& http;
  std::function<Result<ChatModel*>(const std::string& model)> model;
  // In picodollars; nothing if the price is unknown.
  std::function<std::optional<std::int64_t>(const Usage& usage, const std::string& model)> cost;
  Environment environment;
  // One try of a PromptQL query; if empty, there is no such service.
  std::function<Task<std::expected<Json, ModelFailure>>(const PromptqlQuery& query)> promptql = {};
};

struct RunnerOptions {
  LimitOptions limits;  // per provider
  int tries = 5;        // of one request
  int same_failures_to_stop = 10;
  std::optional<double> budget_usd;
  std::uint64_t seed = 0;
  std::string reuse_directory;    // answers of an earlier run; empty: none
  StopRule* stop_rule = nullptr;  // null: all cases, in input order
  // Told of every outcome once it is durable; may be empty.
  std::function<void(const Case& input, const Outcome& outcome)> on_outcome;
  std::function<void(const std::string&)> trace;  // one line per request (-v); may be empty
};

// A snapshot for people; cheap to take.
struct RunProgress {
  std::int64_t total = 0;
  std::int64_t done = 0;     // outcomes, those of earlier sittings included
  std::int64_t errored = 0;  // of them, not scored
  int in_flight = 0;
  int retrying = 0;
  std::int64_t requests = 0;  // of this sitting
  std::int64_t tokens = 0;
  std::int64_t spent_picousd = 0;
  std::string waiting_for;  // why nothing moves, if so
};

// Why a run ended before all cases were done.
enum class RunEnd { complete, interrupted, stopped };

struct RunResult {
  RunEnd end = RunEnd::complete;
  std::optional<Error> reason;  // stopped
};

class Runner {
 public:
  Runner(Outside outside, RunnerOptions options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Called by the journal's writer thread: hand this to Journal::create or open.
  Journal::Committed on_committed();

  // Runs every case of `work` that has no standing outcome in the journal. Problems go to `report`.
  Task<RunResult> run(const CaseWork& work, Journal& journal, std::int64_t total,
                      std::function<void(Problem)> report);

  // Starts nothing new and lets what is in flight end.
  void interrupt();
  RunProgress progress() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Outcomes that a resume tries again: nobody under test was to blame.
std::vector<std::string> outcomes_to_retry();

}  // namespace assay
