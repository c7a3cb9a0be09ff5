// What the anchors of a list of runs say of their judge: one series for each way of judging, each watched
// with a sequence that may be looked at after every run (stats/sequential/drift.h). A judge that is declared
// otherwise, or is shown something else with an anchor, is another one, whose runs are a series of their own;
// only one that answers otherwise although nothing was changed has drifted. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "report/compare/compare.h"
#include "report/summary.h"
#include "stats/sequential/drift.h"

namespace assay {

// What a run's judge said of its anchors.
struct AnchorRun {
  RunScores run;                         // who judged and how; its cases are left out
  std::map<std::string, double> scores;  // by anchor
  std::map<std::string, double> labels;
  std::map<std::string, std::string> shown;  // fingerprints of what the judge saw, where the run has them
};

struct DriftSeries {
  struct Run {
    std::string directory;
    std::string started;
    std::int64_t judged = 0;
    std::optional<double> mean;       // of the anchors' scores
    std::optional<double> agreement;  // share that people say too, as the run has it (anchors.agreement)
    double evidence = 1;
  };
  std::string evaluation;
  std::string figure;
  std::string anchors;  // the file
  std::string hash;
  std::string judge;                 // in words; "" if the run does not say it
  std::vector<std::string> differs;  // from the series before it with the same anchors, in how it is judged
  std::vector<Run> runs;             // in the order of time
  DriftCourse course;
};

struct DriftReport {
  std::vector<std::string> sentences;  // the plain answer first
  std::vector<DriftSeries> series;
  bool drifted = false;
};

// `runs` in any order.
DriftReport drift_report(std::vector<AnchorRun> runs);

Json to_json(const DriftReport& report);
std::string drift_text(const DriftReport& report);  // for a terminal

}  // namespace assay
