// People's own ratings of what the judge judged, and how far the two agree. `human:` in a config is a sheet
// of `assay label-sample` (CSV: the verdict's id, label, probability, drawn, `by NAME`), or JSONL, one rating
// a line: itemId, classificationName, personaId, perspectiveId, and likert (1 to 5) or agreement.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "evaluations/human_check.h"
#include "evaluations/persona/answer.h"
#include "report/summary.h"

namespace assay::persona {

// What one person says of one verdict: a Likert value, or whether the persona is right to agree.
struct PersonRating {
  std::string item_id;
  std::string classification;
  std::string persona_id;
  std::string perspective_id;
  std::string person;
  std::optional<int> likert;  // 1 to 5
  bool agrees = false;        // without one
};

// What a verdict is called in sheets: ITEM/PERSONA/PERSPECTIVE/CLASSIFICATION, a slash in an id as %2F.
std::string verdict_id(std::string_view item, std::string_view persona, std::string_view perspective,
                       std::string_view classification);

class HumanRatings {
 public:
  // The file that `human` names. Every problem of it is told with its line.
  static HumanRatings read(const Config& config, Mode mode, std::vector<ConfigProblem>& problems);
  // In the order in which they were given. Of each person the last word on a verdict counts; of several
  // people the median of their Likert values (of two in the middle the lower), else whether most agree.
  static HumanRatings of(const std::vector<PersonRating>& ratings);
  bool empty() const { return ratings_.empty(); }
  // Of which run and judge the rated verdicts were drawn, as the file says it (label_origin.h); "" if it does
  // not.
  const std::string& drawn() const { return drawn_; }

  // A verdict that counted.
  void add(const std::string& persona_id, const Verdict& verdict, Mode mode);
  // One that did not come, and why not.
  void add_missing(const std::string& persona_id, const Question& question, const std::string& why);
  // human.pearson, human.spearman, human.point_biserial, human.phi, human.cohen_kappa, human.exact_match,
  // human.mean_difference; how many ratings were used and how many belong to no verdict; and
  // agreement_rate.judge_only, .human_only and .corrected (evaluations/human_check.h), the same of
  // likert.mean where every rating has a Likert value. Items are the clusters.
  void apply(Summary& summary, Mode mode) const;
  static std::vector<std::string> metric_names();

 private:
  struct Rating {
    int likert = 0;  // 0: only agreement was given
    bool agrees = false;
    double probability = 1;                     // that the verdict was to be rated
    std::map<std::string, Rating> people = {};  // what each of several people said, where the file has them
  };
  static std::optional<Rating> rating_in(const std::string& cell, Mode mode);
  void read_sheet(const Config& config, Mode mode, std::vector<ConfigProblem>& problems);
  void read_lines(const std::string& path, std::vector<ConfigProblem>& problems);
  void begin_correction();

  std::map<std::string, Rating> ratings_;  // by verdict_id()
  std::string drawn_;
  HumanCheck correction_;
  HumanCheck likert_correction_;
  bool all_likert_ = false;
  std::vector<double> judge_;  // Likert, or 1 and 0
  std::vector<double> human_;
  std::vector<std::string> items_;  // of those
  std::vector<double> judge_agrees_;
  std::vector<double> human_agrees_;
  std::vector<std::string> agreed_on_;  // the items of those
  std::size_t used_ = 0;
};

}  // namespace assay::persona
