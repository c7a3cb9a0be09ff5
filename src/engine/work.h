// What the engine runs: cases from a source, each evaluated by a coroutine that asks through a CaseContext.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/jsonl.h"
#include "core/problem.h"
#include "core/task.h"
#include "engine/context.h"
#include "engine/outcome.h"

namespace assay {

// One unit of input. The views are valid until the source moves on.
struct Case {
  std::int64_t index = 0;              // position in the input, from 0; stable over invalid lines
  std::uint64_t line = 0;              // in the file, from 1
  std::string_view id;                 // given, or the line's number
  std::string_view cluster;            // which cases it belongs with; "" if the config declares no cluster
  const LineParser* fields = nullptr;  // the parsed line, or
  const Json* tree = nullptr;          // the same as a tree, as the source has it
  std::size_t part = 0;                // which of the line's cases, where a line is several
};

// Where a case stands in its source, to come back to it.
struct CasePlace {
  std::int64_t index = 0;
  LinePlace line = {};  // if it is a line of a file
};

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
  };
  std::map<std::string, PerModel> models;
  std::int64_t target_calls = 0;  // commands and HTTP requests
};

class CaseWork {
 public:
  virtual ~CaseWork() = default;
  virtual Result<std::unique_ptr<CaseSource>> cases() const = 0;
  // Whether cases need effects at all. If not, begin() is never called and no journal is made.
  virtual bool asks_outside() const = 0;
  // Whether the evaluation's own files, which people may edit, are the state of its cases. Then every run
  // looks at every case, whatever the journal says of it, a directory that holds a run is gone on with, and
  // the journal only fills in what came after a file was last written. The index of a case then depends on
  // nothing but its id, so that config and data may change between runs.
  virtual bool files_are_state() const { return false; }
  // Called while the case's views are valid: copies what it needs and returns the work.
  virtual Task<Outcome> begin(const Case& input, CaseContext& context) const = 0;
  virtual void estimate(const Case& input, CallEstimate& estimate) const = 0;
  // Names of the models that will be asked, so that a missing key is noticed before anything is sent.
  virtual std::vector<std::string> models() const = 0;
  // Environment variables that must be set besides, for the same reason.
  virtual std::vector<std::string> variables() const { return {}; }
};

}  // namespace assay
