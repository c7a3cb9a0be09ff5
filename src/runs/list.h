// The runs below a directory, for people and machines: what each is, how far it is, and its headline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "core/time.h"
#include "report/summary.h"
#include "store/postgres/stored_runs.h"

namespace assay {

enum class RunState { unfinished, done, gate_failed };
// "unfinished", "done", "gate failed".
std::string_view to_string(RunState state);

struct FoundRun {
  std::string directory;   // empty: its files are not here
  std::string store = {};  // where its journal is then, without passwords
  std::string run_id;
  std::string evaluation;
  std::string what;      // free text of the config
  std::string started;   // "2026-11-17T10:00:00"; empty: unknown
  std::string finished;  // the same; empty: not yet
  bool complete = false;
  std::int64_t done = 0;   // cases with an outcome
  std::int64_t cases = 0;  // of so many; 0: unknown
  std::int64_t errored = 0;
  std::vector<std::string> models;  // that the config names
  std::optional<double> cost_usd;   // nothing: a price is unknown
  std::string headline;
  std::optional<Metric> figure;  // that the headline tells
  bool gates_passed = true;
  std::int64_t passed_gates = 0;  // how many
  std::int64_t failed_gates = 0;
  std::vector<std::string> simulated;  // models of the simulator that answered
  std::int64_t requests = 0;           // to the outside, so far
  std::int64_t tokens = 0;             // in and out
  WallTime written{};                  // when a sitting last wrote to it

  RunState state() const {
    if (!complete) return RunState::unfinished;
    return gates_passed ? RunState::done : RunState::gate_failed;
  }
};

// One run, as its files are now. Locks nothing.
FoundRun read_run(const std::string& directory);

// One of those that a store keeps, as it is there now.
FoundRun read_stored_run(const StoredRun& stored, const StoreAddress& store);
// The words of `assay resume` that go on with it: its directory, or its id and its store.
std::string resume_words(const FoundRun& run);

// Newest first. A run's directory holds a config.yaml and is `results` itself or lies at most two levels
// below it.
std::vector<FoundRun> find_runs(const std::string& results);
// Whether the directory is that of a run: it holds a config.yaml, and a journal, results, or a run's lock.
bool is_run_directory(const std::string& directory);

Json to_json(const FoundRun& run);

}  // namespace assay
