#include "evaluations/judges/score_means.h"

#include <map>
#include <string>
#include <utility>

#include "evaluations/figures.h"
#include "stats/intervals/mean.h"

namespace assay {
namespace {

class ScoreMeans final : public Aggregate {
 public:
  explicit ScoreMeans(std::vector<MeanFigure> figures) : figures_(std::move(figures)) {}

  void add(const Case& input, const ResultLine& line) override {
    for (const Score& score : line.scores()) {
      if (score.value) scores_[std::string(score.figure)].add(input.cluster, *score.value);
    }
  }
  void finish(const MissingCases& missing, Summary& summary) override {
    for (const MeanFigure& figure : figures_) {
      Estimate mean = within_range(estimate_mean(scores_[figure.name]), figure.range);
      mean.missing.insert(missing.begin(), missing.end());
      const bool is_share = figure.range.low == 0 && figure.range.high == 1;
      Metric metric = is_share ? figures::share(figure.name, std::move(mean))
                               : figures::number(figure.name, std::move(mean));
      if (!is_share) metric.range = figure.range;
      metric.headline = true;
      summary.metrics.push_back(std::move(metric));
    }
  }

 private:
  std::vector<MeanFigure> figures_;
  std::map<std::string, ClusteredMoments> scores_;
};

}  // namespace

std::unique_ptr<Aggregate> score_means(std::vector<MeanFigure> figures) {
  return std::make_unique<ScoreMeans>(std::move(figures));
}

}  // namespace assay
