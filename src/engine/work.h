// What the engine runs: cases from a source, each evaluated by a coroutine that asks through a CaseContext.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/problem.h"
#include "core/task.h"
#include "engine/case.h"
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
};

class CaseWork {
 public:
  virtual ~CaseWork() = default;
  virtual Result<std::unique_ptr<CaseSource>> cases() const = 0;
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
  // Environment variables that must be set besides, for the same reason.
  virtual std::vector<std::string> variables() const { return {}; }
};

}  // namespace assay
