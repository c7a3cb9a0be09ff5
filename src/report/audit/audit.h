// Is a benchmark worth its cases? Several systems on the same cases show how hard each case is and whether it
// tells systems apart, which cases all solve or none, which keys are probably wrong, which texts are nearly
// the same, and how many independent cases that leaves. Pure: a table of scores in, findings out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "report/summary.h"
#include "stats/estimate.h"

namespace assay {

struct AuditedCase {
  std::string id;
  std::string text = {};     // what it is about, whole
  std::string key = {};      // the answer that counts as right, where the data have one
  std::string cluster = {};  // that the run names; "": the case itself
};

struct AuditInput {
  std::string figure;
  Metric::Better better = Metric::Better::higher;
  Interval range = {0, 1};           // of a case's score; solved is what reaches its middle
  std::vector<std::string> systems;  // names
  std::vector<AuditedCase> cases;
  std::vector<std::vector<std::optional<double>>> scores;  // by system, then case
  std::vector<std::vector<std::string>> answers;           // the same; "" if unknown
  std::vector<std::string> simulated = {};
  bool keyed = true;  // the score of a case says whether its key was met
  std::vector<std::string> judged_differently =
      {};                                 // in what the runs differ that decides how they are judged
  std::int64_t not_in_all = 0;            // cases that some run lacks; they are left out
  std::vector<std::string> figures = {};  // that could be asked for instead
};

struct AuditOptions {
  double similarity = 0.7;  // of texts that count as near-duplicates
  double suspected = 0.5;   // keys that are wrong with at least this probability are named
  std::size_t most = 20;    // cases shown in a list for people; programs get all
};

struct Audit {
  struct System {
    std::string name;
    Estimate mean;       // cases taken as independent
    Estimate clustered;  // near-duplicates taken as one cluster, and what the runs name as one
    std::optional<double> design_effect;
  };
  struct OneCase {
    std::string id;
    std::int64_t asked = 0;   // systems with a score
    std::int64_t solved = 0;  // of them
    Estimate point_biserial;  // solving it against the system's mean over the other cases
    Estimate discrimination;  // of the two-parameter model
    Estimate difficulty;
    double wrong_key = 0;  // probability that its key is wrong
  };
  struct Suspect {
    std::size_t place = 0;      // in cases
    std::string common_answer;  // of the systems that fail it, if two give the same
    std::int64_t giving_it = 0;
    std::vector<std::string> answers;  // by system
  };
  struct Cluster {
    std::vector<std::size_t> places;
    double least_similar = 1;  // of its links
  };

  std::vector<std::string> conclusions;  // plain sentences, the most important first
  std::string figure;
  std::vector<std::string> simulated;
  std::vector<System> systems;
  std::vector<OneCase> cases;
  std::vector<AuditedCase> about;  // the texts and keys of the cases
  std::vector<std::size_t> solved_by_all;
  std::vector<std::size_t> solved_by_none;
  std::vector<Suspect> suspects;  // the most suspicious first
  std::vector<Cluster> clusters;  // the largest first
  double effective_cases = 0;     // independent ones that the cases are worth, all clusters considered
  std::string no_model;           // why there are no discriminations
  std::int64_t not_in_all = 0;
};

// An error with fewer than two systems or two cases.
Result<Audit> audit_cases(const AuditInput& input, const AuditOptions& options = {});

Json to_json(const Audit& audit);
// The same for a page: of each list the first `most`, texts and answers cut as in the tables for people, and
// of the cases those that tell the systems apart least. `counts` says how many there are of each.
Json glance_json(const Audit& audit, std::size_t most);
std::string markdown_audit(const Audit& audit, const AuditOptions& options = {});
std::string html_audit(const Audit& audit, const AuditOptions& options = {});

}  // namespace assay
