// What each evaluation holds that people could judge, from its config, its summary and the lines of its
// results: its variants, pairs, figures and classes. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "runs/labels/judged_run.h"

namespace assay::labels {

inline constexpr std::string_view kCustom = "custom";
inline constexpr std::string_view kBenchmark = "benchmark";
inline constexpr std::string_view kExperiment = "experiment";
inline constexpr std::string_view kPersona = "persona";

// Whether a benchmark or an experiment judged answers that stand in a file (`answers`): cases like those of
// any other evaluation, of no system and no condition.
bool is_of_file(std::string_view evaluation, const JsonObject& config);

// The variants that a line of the custom evaluation's results shows, added to those that are known; those of
// an experiment are its conditions. Without names there are none.
void note_variants(const Json& line, std::vector<std::string>& variants);
std::vector<std::string> conditions_of(const JudgedRun& run);

// The metrics of the custom evaluation, as its config has them, and the one that a figure is of: METRIC.WORD
// or METRIC.WORD.VARIANT; null if there is none.
const JsonArray& metrics_of(const JudgedRun& run);
const Json* metric_of(const JudgedRun& run, std::string_view figure);

// Of a run with its evaluation, scores and variants:
// Every two variants, the baseline or control second.
std::vector<JudgedPair> pairs_of(const JudgedRun& run);
// Figures that a person can give for a case: a judge's, not those that a program counts.
std::vector<JudgedFigure> figures_of(const JudgedRun& run);
// A figure that holds the judge against the data's own key: people without the key could not say it.
bool needs_key(const JudgedRun& run, std::string_view figure);
// Without cases and labels, which note_classes() reads from a line of the results, and finish_classes()
// sorts.
std::vector<JudgedClasses> classes_of(const JudgedRun& run);
void note_classes(std::string_view evaluation, const Json& line, std::vector<JudgedClasses>& classes);
void finish_classes(std::vector<JudgedClasses>& classes);

// The fields of an evaluation whose figures follow from the data alone: what is classified or searched for,
// and, unless they are hidden, the classes or results that the system gave; never those that are right. Of a
// question the answer tells where it was sent, so that it is none of them. Nothing: it has a judge.
std::optional<std::vector<std::string>> classified_fields(std::string_view evaluation, Classes classes);

}  // namespace assay::labels
