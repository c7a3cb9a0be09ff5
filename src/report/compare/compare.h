// Two runs, case by case. Cases are paired by id; each figure that is a mean over cases gets the mean of the
// paired differences with its interval, a test, an effect size and one sentence that says no more than they
// do. Whether a case failed is a figure like the others (failed.rate), so that losing answers is a
// regression. The family of tests is all figures that both runs have; p-values are adjusted over it (Holm).
//
// Two things never make a winner or a regression: absence (a finding that the scores missing on one side
// could turn round is undecided), and another judge (runs that are judged differently are not compared as
// systems).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "report/compare/judge_change.h"
#include "report/summary.h"
#include "stats/estimate.h"

namespace assay {

struct ScoredCase {
  std::string id;
  std::string cluster;  // "" if none is declared
  std::string outcome;
  std::string text;                           // the question, message, …: what the case is about
  std::vector<std::optional<double>> scores;  // by position in RunScores::figures
  std::string error = {};                     // why it failed
  std::optional<bool> passed = {};            // all that it had to pass; nothing: there was nothing
};

// What is compared of a run.
struct RunScores {
  std::string directory;
  Summary summary;
  JsonObject config;
  // Who judges and how, out of the config, the same form for the same judging: judge, metrics by name, what a
  // case must pass, the models that they name. The prompts' fingerprints are in the summary.
  JsonObject judging;
  std::vector<std::string> figures;  // names of the scores, in order of first sight
  std::vector<ScoredCase> cases;
};

// `not_comparable`: the runs are judged differently.
enum class Change { better, worse, undecided, same, unknown, not_comparable };

// The name of the figure that says how many cases failed.
inline constexpr std::string_view kFailedRate = "failed.rate";

struct FigureChange {
  std::string figure;
  Metric::Better better = Metric::Better::higher;
  Metric::Form form = Metric::Form::number;
  std::optional<double> base;  // means over the pairs
  std::optional<double> fresh;
  // new − base, over pairs; method says whether clustered. `missing` counts the pairs that lack one side
  // ("new_target_failed"), `bounds` is where the difference would lie with all of those at their worst or
  // best.
  Estimate difference;
  // The 95 % interval of the difference whatever the missing scores were; only if any is missing.
  std::optional<Interval> with_missing;
  std::optional<double> p;
  std::optional<double> p_holm;
  std::string test;  // how p was made
  Estimate effect;   // d_z
  std::int64_t rose = 0;
  std::int64_t fell = 0;
  std::int64_t equal = 0;
  std::int64_t unpaired = 0;  // cases of both runs that lack a score in one of them
  std::int64_t neither = 0;   // that lack it in both
  Change change = Change::unknown;
  bool hangs = false;       // the pairs tell the runs apart, and what is missing could turn it round
  bool regression = false;  // the interval lies wholly beyond the margin on the worse side
  std::string sentence;
};

struct ChangedCase {
  std::string id;
  std::string figure;
  double base = 0;
  double fresh = 0;
  std::string text;
  bool worse = false;  // new lies on the figure's worse side of base
};

// A case that was scored in base and failed in new.
struct FailedCase {
  std::string id;
  std::string outcome;
  std::string error;
  std::string text;
};

struct RunComparison {
  std::vector<std::string> conclusions;  // the deciding sentences, most important first; at least one
  std::string base;                      // directories
  std::string fresh;
  std::string evaluation;
  double margin = 0;
  std::int64_t pairs = 0;
  std::vector<std::string> only_base;  // ids
  std::vector<std::string> only_fresh;
  std::int64_t different_text = 0;              // pairs whose id is the same and whose text is not
  std::vector<std::string> simulated;           // models of the simulator that answered in either run
  std::vector<std::string> differences;         // in config, model, prompts, program; in words
  std::vector<std::string> judged_differently;  // of them, those that decide how answers are judged
  // What the other judge changes on the same answers; only of runs that are judged differently.
  std::optional<JudgeChange> judges;
  std::vector<FailedCase> new_failures;
  std::vector<std::string> mended;  // ids of cases that failed in base and were scored in new
  // Ids of cases that were scored in both and passed what they had to in one of them only.
  std::vector<std::string> no_longer_pass;
  std::vector<std::string> pass_now;
  std::vector<FigureChange> figures;
  // Scores of cases that differ: how many there are, and the first of them, most changed first.
  std::int64_t changed_scores = 0;
  std::vector<ChangedCase> changed;
  // Of all of them those that are worse, likewise; none of runs that are judged differently.
  std::int64_t worse_scores = 0;
  std::vector<ChangedCase> worst;
  // Figures that are no mean over cases: side by side, without a test.
  struct Aside {
    std::string figure;
    std::optional<double> base;
    std::optional<double> fresh;
  };
  std::vector<Aside> asides;
  bool regressed() const;
  // Some figure's interval holds both a regression beyond the margin and none, or what is missing could.
  bool undecided() const;
};

struct CompareOptions {
  double margin = 0;              // how much worse is still no regression
  std::size_t most_changed = 20;  // told of the scores that changed, and of those that are worse
};

// Fails if the runs are of different evaluations, or share no case or no figure.
Result<RunComparison> compare_runs(const RunScores& base, const RunScores& fresh,
                                   const CompareOptions& options);

Json to_json(const RunComparison& comparison);
std::string markdown_comparison(const RunComparison& comparison);
std::string junit_comparison(const RunComparison& comparison);
std::string html_comparison(const RunComparison& comparison);

}  // namespace assay
