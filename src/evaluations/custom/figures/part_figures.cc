#include "evaluations/custom/figures/part_figures.h"

#include <algorithm>

#include "evaluations/custom/figures/measures.h"
#include "evaluations/figures.h"

namespace assay::custom {

PartFigures::PartFigures(const Design& design) : design_(design), parts_(design.metrics.size()) {}

void PartFigures::add(std::uint32_t cluster, const CaseMarks& marks) {
  for (std::size_t m = 0; m < parts_.size(); ++m) {
    if (!design_.metrics[m].named_parts) continue;
    for (std::size_t v = 0; v < std::min(design_.variants.size(), marks.answers.size()); ++v) {
      std::map<std::string, Moments> of_case;
      for (const AnswerMarks& answer : marks.answers[v]) {
        if (m >= answer.marks.size() || !answer.marks[m].given()) continue;
        for (const auto& [part, value] : answer.marks[m].parts) of_case[part].add(value);
      }
      for (const auto& [part, values] : of_case) {
        if (values.n() == 0) continue;
        auto known = parts_[m].find(part);
        if (known == parts_[m].end()) {
          if (parts_[m].size() == kMost) {
            ++left_out_;
            continue;
          }
          known = parts_[m].emplace(part, std::vector<ClusteredMoments>(design_.variants.size())).first;
        }
        known->second[v].add(cluster, *values.mean());
      }
    }
  }
}

void PartFigures::apply(bool clustered, Summary& summary) const {
  for (std::size_t m = 0; m < parts_.size(); ++m) {
    for (const auto& [part, variants] : parts_[m]) {
      for (std::size_t v = 0; v < variants.size(); ++v) {
        const ClusteredMoments& moments = variants[v];
        summary.metrics.push_back(
            figures::number(figure_name(design_, design_.metrics[m].name + "." + part, "mean", v),
                            clustered ? estimate_mean(moments) : estimate_mean(moments.all())));
      }
    }
  }
  if (left_out_ > 0) {
    summary.tables.push_back({"parts_left_out",
                              "Numbers by name that have no figure: a metric gave too many names",
                              {"numbers"},
                              {{Json(left_out_)}},
                              false,
                              "",
                              ""});
  }
}

}  // namespace assay::custom
