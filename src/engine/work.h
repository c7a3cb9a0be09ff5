// What the engine runs: cases from a source, each evaluated by a coroutine that asks through a CaseContext.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/problem.h"
#include "core/task.h"
#include "engine/calibration.h"
#include "engine/case.h"
#include "engine/chosen_cases.h"
#include "engine/context.h"
#include "engine/outcome.h"

namespace assay {

// Cases in input order, one in memory at a time. Invalid ones are passed over and told in take_problems().
class CaseSource {
 public:
  virtual ~CaseSource() = default;
  // False at the end. An error means that reading cannot go on.
  virtual Result<bool> next() = 0;
  virtual const Case& current() const = 0;
  virtual CasePlace place() const = 0;
  // Makes the case at `place`, which a source of the same data gave, the current one. From then on next() is
  // not called any more.
  virtual Status go_to(const CasePlace& place) = 0;
  // Problems since the last call.
  virtual std::vector<Problem> take_problems() = 0;
  virtual std::int64_t lines() const = 0;    // read so far, blank ones left out
  virtual std::int64_t invalid() const = 0;  // of them, how many cannot be used
  virtual std::int64_t cases_per_line() const { return 1; }
  // What cannot be used, where something cannot.
  virtual std::string_view unit() const { return "lines"; }
  // How many cases the data hold beside those that were given, where not all are taken. Reads on to the end
  // of the data for it, as far as they can be read; after the last next().
  virtual std::int64_t left_out() { return 0; }
};

// What `assay check` tells before anything is sent.
struct CallEstimate {
  struct PerModel {
    std::int64_t calls = 0;
    std::int64_t prompt_tokens = 0;
    std::int64_t completion_tokens = 0;
    bool at_most = false;  // some of the calls are made only if an earlier answer calls for them
  };
  std::map<std::string, PerModel> models;
  std::int64_t target_calls = 0;  // commands and HTTP requests
  // The same apart by what asks ("variant old", "metric correct"), where an evaluation tells it.
  std::map<std::string, CallEstimate> parts = {};

  void add(const CallEstimate& other) {
    target_calls += other.target_calls;
    for (const auto& [name, more] : other.models) {
      PerModel& model = models[name];
      model.calls += more.calls;
      model.prompt_tokens += more.prompt_tokens;
      model.completion_tokens += more.completion_tokens;
      model.at_most = model.at_most || more.at_most;
    }
  }
  // Adds to the whole, and to that part of it.
  void add_part(const std::string& part, const CallEstimate& other) {
    add(other);
    parts[part].add(other);
  }
};

class CaseWork {
 public:
  virtual ~CaseWork() = default;
  // All that the data hold.
  virtual Result<std::unique_ptr<CaseSource>> cases() const = 0;
  // Those of them that the run takes: what everybody who runs, counts or collects cases reads.
  Result<std::unique_ptr<CaseSource>> chosen_cases() const;
  void choose(CaseChoice choice) { choice_ = std::move(choice); }
  const CaseChoice& choice() const { return choice_; }
  // Work that is done beside these cases in every run, whatever is chosen of them and wherever it stops, and
  // counts nowhere among them. Its cases have indices from kFirstBeside on and ids of their own, and take no
  // answer of an earlier run. Null: there is none.
  virtual const CaseWork* beside() const { return nullptr; }
  // Whether cases need effects at all. If not, evaluate() is never called and no journal is made.
  virtual bool asks_outside() const = 0;
  // Asks what is needed to score the case. `input` (complete in itself) and `context` outlive the task.
  virtual Task<Outcome> evaluate(const Case& input, CaseContext& context) const = 0;
  virtual void estimate(const Case& input, CallEstimate& estimate) const = 0;
  // How many cases may be under way at a time, where each takes something of this machine as long as it lasts
  // (a server of its own).
  virtual int most_at_once() const { return std::numeric_limits<int>::max(); }
  // Names of the models that will be asked, so that a missing key is noticed before anything is sent.
  virtual std::vector<std::string> models() const = 0;
  // Those of them that are asked for vectors.
  virtual std::vector<std::string> embedding_models() const { return {}; }
  // Environment variables that must be set besides, for the same reason.
  virtual std::vector<std::string> variables() const { return {}; }
  // What must be learnt from some of the cases before any may end; null: nothing. The work's own, which a run
  // changes as it learns.
  virtual RunCalibration* calibration() const { return nullptr; }
  // Programs and directories that are not there, for the same reason: each with its key and what is missing.
  virtual std::vector<std::pair<std::string, std::string>> not_found() const { return {}; }

 private:
  CaseChoice choice_;  // all, unless somebody chose
};

}  // namespace assay
