// Likert values and agreement, overall and by classification, persona and perspective. Verdicts on one item
// hang together, so the item is the cluster wherever it has more than one verdict in a figure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "evaluations/persona/answer.h"
#include "report/summary.h"
#include "stats/agreement/ratings.h"
#include "stats/intervals/mean.h"
#include "stats/variance/variance_components.h"

namespace assay::persona {

// What a group of verdicts comes to.
class VerdictTally {
 public:
  void add(const Verdict& verdict, Mode mode);
  void add_missing(const std::string& outcome, std::int64_t verdicts) { missing_[outcome] += verdicts; }

  std::int64_t n() const { return agrees_.all().n(); }
  const std::array<std::int64_t, 5>& distribution() const { return distribution_; }
  Estimate likert_mean() const;
  Estimate likert_median() const;
  Estimate agreement_rate() const;
  Estimate weighted_agreement() const;

 private:
  ClusteredMoments likert_;
  ClusteredMoments agrees_;
  std::array<std::int64_t, 5> distribution_{};
  std::map<std::string, std::int64_t> missing_;
};

class VerdictFigures {
 public:
  VerdictFigures(Mode mode, std::vector<std::string> personas)
      : mode_(mode), personas_(std::move(personas)), alpha_(personas_.size()) {}

  // One request of a persona: its verdicts, or what is missing because it failed. Requests about one item
  // come one after the other.
  void add(std::size_t persona, const std::vector<Question>& questions, const std::vector<Verdict>& verdicts,
           const std::string& outcome);
  void apply(Summary& summary);
  // Of several personas, once applied: where the noise is; "" where that cannot be said.
  std::string spread_sentence() const;
  // Agreement by classification, and by persona (its id).
  std::map<std::string, Estimate> agreement_by_classification() const;
  std::map<std::string, Estimate> agreement_by_persona() const;

 private:
  void end_item();
  Table by_group(std::string name, std::string title, std::string column,
                 const std::map<std::string, VerdictTally>& groups) const;

  Mode mode_;
  std::vector<std::string> personas_;
  // Means over requests, each alike, by item.
  ClusteredMoments likert_per_request_;
  ClusteredMoments agreed_per_request_;
  std::map<std::string, std::int64_t> failed_requests_;  // by outcome
  VerdictTally all_;
  std::map<std::string, VerdictTally> by_classification_;
  std::map<std::string, VerdictTally> by_persona_;
  std::map<std::string, VerdictTally> by_perspective_;
  std::map<std::pair<std::string, std::string>, VerdictTally> by_persona_and_classification_;
  // What the personas say of one item, by classification and perspective, until the next item comes.
  std::string item_;
  std::map<std::pair<std::string, std::string>, std::vector<double>> said_;
  Ratings alpha_;
  CrossedDesign crossed_{{"item", "persona"}};  // one score a cell: what each persona says of each question
  GStudy study_;
};

}  // namespace assay::persona
