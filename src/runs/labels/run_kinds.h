// What each evaluation holds that people could judge, from its config, its summary and the lines of its
// results: its variants, pairs, figures and classes. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "runs/labels/judged_run.h"

namespace assay::labels {

inline constexpr std::string_view kCustom = "custom";
inline constexpr std::string_view kExperiment = "experiment";

// The variants that a line of the custom evaluation's results shows, added to those that are known; those of
// an experiment are its conditions. Without names there are none.
void note_variants(const Json& line, std::vector<std::string>& variants);
std::vector<std::string> conditions_of(const JudgedRun& run);

// Of a run with its evaluation, scores and variants:
// Every two variants, the baseline or control second.
std::vector<JudgedPair> pairs_of(const JudgedRun& run);
// Figures that a person can give for a case: a judge's, not those that a program counts.
std::vector<JudgedFigure> figures_of(const JudgedRun& run);
// Without cases and labels, which note_classes() reads from a line of the results, and finish_classes()
// sorts.
std::vector<JudgedClasses> classes_of(const JudgedRun& run);
void note_classes(std::string_view evaluation, const Json& line, std::vector<JudgedClasses>& classes);
void finish_classes(std::vector<JudgedClasses>& classes);

// Whether a field of a classifier's data may say which class the case has, or was given: all but what is
// classified, since an answer to a question tells where it was sent.
bool tells_class(std::string_view evaluation, std::string_view field);

}  // namespace assay::labels
