// What a run has learnt from its calibration, in its journal: a row of the run itself for each step, under
// the same chain as the answers that it follows from.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "engine/calibration.h"
#include "engine/work.h"
#include "store/run_store.h"

namespace assay {

class CalibrationJournal {
 public:
  // `store` must outlive it.
  explicit CalibrationJournal(RunStore& store) : store_(store) {}
  // Tells everything that earlier sittings learnt. Kind changed if it rests on something else by now.
  Task<Status> recall(RunCalibration& calibration);
  // What the next step teaches: durable before it is known. Both outlive the task.
  Task<Status> learn(RunCalibration& calibration, const std::vector<CalibrationCase>& cases);

 private:
  RunStore& store_;
};

// The cases that take part, in input order, read on a thread of their own. `work` must outlive the task.
Task<Result<std::vector<CalibrationCase>>> calibration_cases(const CaseWork& work);
// An error if one was kept from its answers by what nobody under test is to blame for: learnt without it, the
// same run would go another way when the answer is there.
Status all_answered(const std::vector<CalibrationCase>& cases);

}  // namespace assay
