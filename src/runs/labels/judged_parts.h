// The parts of a run's cases that are judged for themselves (evaluations/score.h): the guidelines of a
// conversation. A figure that is a mean over parts has a sheet of them and not of cases.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "runs/labels/judged_run.h"
#include "runs/material.h"

namespace assay::labels {

struct JudgedPart {
  std::string id;  // joined_ids()
  CasePart place;
  std::optional<double> score;  // nothing: the judge gave none
};

struct JudgedParts {
  std::vector<std::string> figures;  // that are means over parts, in the order of the run
  std::vector<JudgedPart> list;      // of the figure that was asked for, in the order of the run
};
Result<JudgedParts> read_judged_parts(const JudgedRun& run, const std::string& figure);

// What the judge saw of these, by id.
Result<std::map<std::string, CaseTexts>> part_texts(const JudgedRun& run,
                                                    const std::vector<JudgedPart>& parts,
                                                    const std::set<std::string>& ids);

}  // namespace assay::labels
