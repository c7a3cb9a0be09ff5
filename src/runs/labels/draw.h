// Draws the tasks of a sheet from a run: which cases, at random by their ids and the seed alone (as
// `assay label-sample` does), and what each shows.
#pragma once

#include "core/error.h"
#include "runs/labels/judged_run.h"
#include "runs/labels/offers.h"
#include "runs/labels/sheet.h"

namespace assay::labels {

inline constexpr std::size_t kMostTasks = 10'000;

// The sheet without id, run and time. The error names the field of the request that is wrong (context
// "field"), or says what of the run has gone.
Result<Sheet> draw_sheet(const JudgedRun& run, const SheetRequest& request);

// What a person sees of one case, and what it is held against. Of several answers of a variant one is drawn;
// a material field that gives away the class is left out. Pure.
SheetTask make_task(const SheetPlan& plan, const std::string& id, const CaseTexts& texts, std::uint64_t seed);

}  // namespace assay::labels
