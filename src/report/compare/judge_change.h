// Two judges on the same answers: how often they agree, how far the second moves the figure, which cases flip
// and what each said, and what both cost. A section of the comparison of two runs that are judged
// differently; it speaks of the judges and never of the target. Cases whose answers differ between the runs
// are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "report/summary.h"
#include "stats/estimate.h"

namespace assay {

struct RunScores;

struct JudgeChange {
  struct Figure {
    std::string name;
    bool pass_or_fail = false;  // every score is 0 or 1
    Estimate agreement;         // share of cases with the same score; undefined of scores without levels
    Estimate beyond_chance;     // Cohen's kappa of pass or fail, else Krippendorff's alpha (interval)
    Estimate shift;             // new − base, paired
    std::int64_t rose = 0;
    std::int64_t fell = 0;
    std::string sentence;
  };
  // A case that passes with one judge alone; on a scale, one that moves by half of it or more.
  struct Flip {
    std::string id;
    std::string figure;
    double base = 0;
    double fresh = 0;
    std::string base_reason = {};
    std::string fresh_reason = {};
    std::string text = {};
  };
  std::vector<Figure> figures;
  std::vector<Flip> flips;         // the largest moves first, then by figure and case
  std::int64_t same_answers = 0;   // cases
  std::int64_t other_answers = 0;  // left out
  bool answers_known = true;       // false: the files do not tell whether the answers are the same
  UsageTotals base_usage;
  UsageTotals fresh_usage;
  std::vector<std::string> sentences;  // the plain ones first
};

// What the runs say of the answers that they judged.
struct JudgedAnswers {
  std::set<std::string> differ;  // ids of cases whose answers are not the same
  bool known = true;
  std::vector<std::string> figures;  // that a judge gives
};

JudgeChange compare_judges(const RunScores& base, const RunScores& fresh, const JudgedAnswers& answers);

Json to_json(const JudgeChange& change);
std::string markdown_judges(const JudgeChange& change);
std::string html_judges(const JudgeChange& change);

}  // namespace assay
