// Which sheets a run has something for, and which one is asked for. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "runs/labels/judged_run.h"
#include "runs/labels/sheet.h"

namespace assay::labels {

struct Offer {
  SheetKind kind = SheetKind::rubric;
  std::string title;
  std::string figure = {};  // "": a question of the person's own, or a pair that no judge compared
  std::optional<Interval> scale = {};
  std::vector<std::string> labels = {};
  std::vector<std::string> variants = {};  // of a pair: two
  std::string question = {};               // that is asked if nobody says otherwise
  std::size_t cases = 0;                   // that could be judged
};
std::vector<Offer> offers_of(const JudgedRun& run);
Json to_json(const Offer& offer);

struct SheetRequest {
  SheetKind kind = SheetKind::rubric;
  std::string figure = {};
  std::vector<std::string> variants = {};
  std::string question = {};
  std::optional<Interval> scale = {};
  std::vector<std::string> labels = {};
  std::size_t count = 0;
  std::uint64_t seed = 0;
};

// What is to be drawn: the sheet without its tasks, and whose answers its tasks show.
struct SheetPlan {
  Sheet sheet;
  std::vector<std::string> shown;  // variants; empty: the material is all there is
  bool as_judge = false;           // the question is the judge's, and not one of the person's own
  const JudgedClasses* classes = nullptr;
};
// The run must outlive the plan. The error names the field of the request that is wrong (context "field").
Result<SheetPlan> plan_sheet(const JudgedRun& run, const SheetRequest& request);

}  // namespace assay::labels
