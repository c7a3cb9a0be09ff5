#include "evaluations/experiment/judged/judge_stress.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"

namespace assay::experiment {
namespace {

using stress::ChangedTexts;
using stress::JudgedFigure;
using stress::JudgedTexts;
using stress::WrittenCase;

constexpr std::string_view kRating = "overall";
constexpr std::string_view kWin = "win_rate";

class ExperimentStressing final : public stress::Stressing {
 public:
  ExperimentStressing(const Design& design, std::function<std::optional<JudgedAnswer>(const Case&)> read,
                      std::string lacking)
      : design_(design), read_(std::move(read)), lacking_(std::move(lacking)) {}

  // The judges are shown nothing that an answer could be held against, so no fault must cost anything.
  std::vector<JudgedFigure> figures() const override {
    std::vector<JudgedFigure> figures;
    if (design_.absolute_evaluators > 0)
      figures.push_back({.name = kRatingFigure, .metric = std::string(kRating), .range = {1, 5}});
    if (design_.pairwise_evaluators > 0)
      figures.push_back({.name = kWinFigure, .metric = std::string(kWin), .both_orders = design_.swap});
    return figures;
  }
  std::string lacking() const override { return lacking_; }
  std::string_view data_key() const override { return "answers"; }

  std::optional<JudgedTexts> texts(const Case& input) const override {
    auto answer = read_(input);
    if (!answer || trim(answer->answer).empty()) return std::nullopt;
    return JudgedTexts{.answer = std::move(answer->answer)};
  }

  WrittenCase written(const Case& input, const std::string& id, const ChangedTexts& texts) const override {
    auto answer = read_(input);
    if (!answer) return {};
    answer->answer = texts.answer;
    return {to_line(*answer, id)};
  }

  std::optional<double> seat(const JudgedFigure& /*figure*/, const ResultLine& line) const override {
    return line.has_facts() ? line.facts<AnswerFacts>().seat : std::nullopt;
  }

  Status derive(JsonObject& config, const std::vector<std::string>& metrics) const override {
    std::vector<std::string> known;
    for (const JudgedFigure& figure : figures()) known.push_back(figure.metric);
    for (const std::string& name : metrics) {
      if (std::ranges::find(known, name) != known.end()) continue;
      return fail(ErrorKind::usage, fmt::format("no metric {}; there are {}", name, join(known, ", ")));
    }
    const auto unwanted = [&](std::string_view metric) {
      return !metrics.empty() && std::ranges::find(metrics, metric) == metrics.end();
    };
    if (unwanted(kRating)) config.erase("absolute");
    if (unwanted(kWin)) config.erase("pairwise");
    for (const char* key : {"responses", "incomplete_responses"}) config.erase(key);
    config["generate"] = false;
    return {};
  }

 private:
  const Design& design_;
  std::function<std::optional<JudgedAnswer>(const Case&)> read_;
  std::string lacking_;
};

}  // namespace

std::unique_ptr<stress::Stressing> judge_stressing(
    const Design& design, std::function<std::optional<JudgedAnswer>(const Case&)> read, std::string lacking) {
  return std::make_unique<ExperimentStressing>(design, std::move(read), std::move(lacking));
}

}  // namespace assay::experiment
