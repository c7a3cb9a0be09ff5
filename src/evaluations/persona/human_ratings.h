// People's own ratings of what the judge judged, and how far the two agree. `human:` in a config is JSONL,
// one rating a line: itemId, classificationName, personaId, perspectiveId, and likert (1 to 5) or agreement.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
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

class HumanRatings {
 public:
  // Every problem of the file is told with its line.
  static HumanRatings read(const std::string& path, std::vector<ConfigProblem>& problems);
  // In the order in which they were given. Of each person the last word on a verdict counts; of several
  // people the median of their Likert values (of two in the middle the lower), else whether most agree.
  static HumanRatings of(const std::vector<PersonRating>& ratings);
  bool empty() const { return ratings_.empty(); }

  // A verdict that counted.
  void add(const std::string& persona_id, const Verdict& verdict, Mode mode);
  // human.pearson, human.spearman, human.point_biserial, human.phi, human.cohen_kappa, human.exact_match,
  // human.mean_difference; how many ratings were used and how many belong to no verdict; and
  // agreement_rate.judge_only, .human_only and .corrected (evaluations/human_check.h).
  void apply(Summary& summary, Mode mode) const;
  static std::vector<std::string> metric_names();

 private:
  // Item, classification, persona, perspective.
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  struct Rating {
    int likert = 0;  // 0: only agreement was given
    bool agrees = false;
  };
  void begin_correction();

  std::map<Key, Rating> ratings_;
  HumanCheck correction_;
  std::vector<double> judge_;  // Likert, or 1 and 0
  std::vector<double> human_;
  std::vector<double> judge_agrees_;
  std::vector<double> human_agrees_;
  std::size_t used_ = 0;
};

}  // namespace assay::persona
