// Two runs, case by case. Cases are paired by id; each figure that is a mean over cases gets the mean of the
// paired differences with its interval, a test, an effect size and one sentence that says no more than they
// do. The family of tests is all figures that both runs have; p-values are adjusted over it (Holm).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "report/summary.h"
#include "stats/estimate.h"

namespace assay {

struct ScoredCase {
  std::string id;
  std::string cluster;  // "" if none is declared
  std::string outcome;
  std::string text;                           // the question, message, …: what the case is about
  std::vector<std::optional<double>> scores;  // by position in RunScores::figures
};

// What is compared of a run.
struct RunScores {
  std::string directory;
  Summary summary;
  JsonObject config;
  std::vector<std::string> figures;  // names of the scores, in order of first sight
  std::vector<ScoredCase> cases;
};

enum class Change { better, worse, undecided, same, unknown };

struct FigureChange {
  std::string figure;
  Metric::Better better = Metric::Better::higher;
  std::optional<double> base;  // means over the pairs
  std::optional<double> fresh;
  Estimate difference;  // new − base, over pairs; method says whether clustered
  std::optional<double> p;
  std::optional<double> p_holm;
  std::string test;  // how p was made
  Estimate effect;   // d_z
  std::int64_t rose = 0;
  std::int64_t fell = 0;
  std::int64_t equal = 0;
  std::int64_t unpaired = 0;  // cases of both runs that lack a score in one of them
  Change change = Change::unknown;
  bool regression = false;  // the interval lies wholly beyond the margin on the worse side
  std::string sentence;
};

struct ChangedCase {
  std::string id;
  std::string figure;
  double base = 0;
  double fresh = 0;
  std::string text;
};

struct RunComparison {
  std::string base;  // directories
  std::string fresh;
  std::string evaluation;
  double margin = 0;
  std::int64_t pairs = 0;
  std::vector<std::string> only_base;  // ids
  std::vector<std::string> only_fresh;
  std::int64_t different_text = 0;       // pairs whose id is the same and whose text is not
  std::vector<std::string> differences;  // in config, model, prompts, program; in words
  std::vector<FigureChange> figures;
  std::vector<ChangedCase> changed;  // most changed first
  // Figures that are no mean over cases: side by side, without a test.
  struct Aside {
    std::string figure;
    std::optional<double> base;
    std::optional<double> fresh;
  };
  std::vector<Aside> asides;
  bool regressed() const;
  bool undecided() const;  // some figure's interval holds both a regression beyond the margin and none
};

struct CompareOptions {
  double margin = 0;  // how much worse is still no regression
  std::size_t most_changed = 20;
};

// Fails if the runs are of different evaluations, or share no case or no figure.
Result<RunComparison> compare_runs(const RunScores& base, const RunScores& fresh,
                                   const CompareOptions& options);

Json to_json(const RunComparison& comparison);
std::string markdown_comparison(const RunComparison& comparison);
std::string junit_comparison(const RunComparison& comparison);
std::string html_comparison(const RunComparison& comparison);

}  // namespace assay
