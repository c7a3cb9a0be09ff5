// What a run learns from some of its cases before any case may end: thresholds that follow from those that
// people have labelled. A case sees no other case, so this is the one way by which what some were answered
// reaches the rest, and it goes through the journal: the cases that take part are evaluated as far as is
// known, what follows from their outcomes is kept as a row of the run itself, and only then is more asked. A
// resume finds the row, or evaluates the same cases again over their answers; either way it goes on with the
// same thresholds.
//
// It goes in steps, each of which may rest on what those before it taught.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "engine/case.h"
#include "engine/outcome.h"

namespace assay {

struct CalibrationCase {
  Case input;
  Outcome outcome = {};  // as far as the case could be evaluated; it is not kept
};

class RunCalibration {
 public:
  virtual ~RunCalibration() = default;

  virtual bool takes_part(const Case& input) const = 0;
  // All that do, before anything is asked of them. An error ends the run: nothing was paid for.
  virtual Status look_at(const std::vector<CalibrationCase>& cases) const = 0;

  // What is to be learnt now, as a part of a row's name ("cheap"); nothing: all is known.
  virtual std::optional<std::string> step() const = 0;
  // What the step rests on beside the answers; a row that rests on something else is another run's.
  virtual JsonObject rests_on() const = 0;
  // Pure: what the outcomes teach, in the order of the input. An error ends the run, which cannot be had.
  virtual Result<JsonObject> learn(const std::vector<CalibrationCase>& cases) const = 0;
  // The step is over. No case is under way.
  virtual Status know(const JsonObject& learnt) = 0;
};

}  // namespace assay
