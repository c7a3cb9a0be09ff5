// People's own ratings of what the judge judged, and how far the two agree. `human:` in a config is JSONL,
// one rating a line: itemId, classificationName, personaId, perspectiveId, and likert (1 to 5) or agreement.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "evaluations/persona/answer.h"
#include "report/summary.h"

namespace assay::persona {

class HumanRatings {
 public:
  // Every problem of the file is told with its line.
  static HumanRatings read(const std::string& path, std::vector<ConfigProblem>& problems);

  // A verdict that counted.
  void add(const std::string& persona_id, const Verdict& verdict, Mode mode);
  // human.pearson, human.spearman, human.point_biserial, human.phi, human.cohen_kappa, human.exact_match,
  // human.mean_difference; and how many ratings were used and how many belong to no verdict.
  void apply(Summary& summary, Mode mode) const;
  static std::vector<std::string> metric_names();

 private:
  // Item, classification, persona, perspective.
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  struct Rating {
    int likert = 0;  // 0: only agreement was given
    bool agrees = false;
  };
  std::map<Key, Rating> ratings_;
  std::vector<double> judge_;  // Likert, or 1 and 0
  std::vector<double> human_;
  std::vector<double> judge_agrees_;
  std::vector<double> human_agrees_;
  std::size_t used_ = 0;
};

}  // namespace assay::persona
