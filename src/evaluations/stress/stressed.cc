#include "evaluations/stress/stressed.h"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/stress/figures.h"

namespace assay::stress {
namespace {

// As the judge is to see it: under the id that the line had, and without a word on what was changed.
Case as_before(const Case& input) {
  Case before = input.travelling();
  Json tree = *CaseTree(input);
  JsonObject* line = tree.if_object();
  const auto note = change_of(tree);
  if (line == nullptr || !note) return before;
  line->erase(kChangedMember);
  if (note->id.is_null()) {
    line->erase("id");
  } else {
    (*line)["id"] = note->id;
  }
  before.payload = to_text(tree);
  return before;
}

class StressAggregate final : public Aggregate {
 public:
  StressAggregate(const StressPlan& plan, const Stressing& stressing, OutputFiles& files)
      : plan_(plan), stressing_(stressing), files_(files) {}

  void add(const Case& input, const ResultLine& line) override {
    const auto note = change_of(*CaseTree(input));
    if (!note) return;
    Judged& judged = cases_.of(note->of_case, note->cluster).judged[note->change];
    judged.grounds = note->grounds;
    if (!line.scored()) judged.failed = std::string(to_string(line.outcome()));
    for (const Score& score : line.scores()) {
      if (score.value) judged.scores.emplace(std::string(score.figure), *score.value);
    }
    for (const JudgedFigure& figure : plan_.figures) {
      if (const auto worth = figure.both_orders ? stressing_.seat(figure, line) : std::nullopt)
        judged.seats.emplace(figure.name, *worth);
    }
  }
  void finish(const MissingCases& /*missing*/, Summary& summary) override {
    const StressResult result = stress_result(plan_, cases_);
    report(result, summary);
    files_.write("stress.csv", stress_csv(plan_, cases_));
  }

 private:
  const StressPlan& plan_;
  const Stressing& stressing_;
  OutputFiles& files_;
  StressedCases cases_;
};

class Stressed final : public Evaluation {
 public:
  Stressed(std::unique_ptr<Evaluation> inner, std::unique_ptr<Stressing> stressing, StressPlan plan)
      : inner_(std::move(inner)), stressing_(std::move(stressing)), plan_(std::move(plan)) {}

  Result<std::unique_ptr<CaseSource>> cases() const override { return inner_->cases(); }
  std::string data_path() const override { return inner_->data_path(); }
  bool asks_outside() const override { return inner_->asks_outside(); }
  Task<Outcome> evaluate(const Case& input, CaseContext& context) const override {
    const Case before = as_before(input);
    co_return co_await inner_->evaluate(before, context);
  }
  void estimate(const Case& input, CallEstimate& estimate) const override {
    inner_->estimate(as_before(input), estimate);
  }
  int most_at_once() const override { return inner_->most_at_once(); }
  std::vector<std::string> models() const override { return inner_->models(); }
  std::vector<std::string> embedding_models() const override { return inner_->embedding_models(); }
  std::vector<std::string> variables() const override { return inner_->variables(); }
  std::vector<std::pair<std::string, std::string>> not_found() const override { return inner_->not_found(); }

  void line(const Case& input, const FinishedCase* finished, ResultLine& line) const override {
    inner_->line(as_before(input), finished, line);
    const CaseTree tree(input);
    if (const Json* note = find_member(*tree, kChangedMember)) line.json(kChangedMember, *note);
    // An answer that was made worse is no case worth a look; one that could not be judged is.
    std::erase_if(line.notable(), [](const auto& shown) { return shown.first >= 0; });
  }
  JsonObject as_judged(const Case& input, std::string_view part) const override {
    return inner_->as_judged(as_before(input), part);
  }
  std::vector<std::string> columns() const override { return inner_->columns(); }
  std::unique_ptr<Aggregate> aggregate(OutputFiles& files, const RunFacts& /*run*/) const override {
    return std::make_unique<StressAggregate>(plan_, *stressing_, files);
  }
  std::vector<std::string> metric_names() const override { return stress_metric_names(plan_); }
  // None is a mean over all cases, changed and unchanged together.
  std::vector<MeanFigure> mean_figures() const override { return {}; }
  std::map<std::string, std::string> prompts() const override { return inner_->prompts(); }
  std::vector<std::string> remarks() const override {
    return {
        "a stress test of the judge: every case is judged as it was, once more, and with one thing "
        "changed at a time"};
  }

 private:
  std::unique_ptr<Evaluation> inner_;
  std::unique_ptr<Stressing> stressing_;  // of `inner_`
  StressPlan plan_;
};

}  // namespace

Key stress_key() {
  return {.name = "stress",
          .type = KeyType::object,
          .help =
              "Written by `assay stress`: the data are cases of another run, each as it was and with one "
              "thing changed, and the figures are about the judge.",
          .keys = {{.name = "of", .help = "The run or config that the cases are from."},
                   {.name = "moved",
                    .type = KeyType::number,
                    .help = "A score that differs by more than this part of its scale has moved.",
                    .default_value = StressPlan().moved,
                    .minimum = 0,
                    .maximum = 1}}};
}

double moved_part(const Config& config) {
  return config.number("stress.moved").value_or(StressPlan().moved);
}

JsonObject to_json(const ChangeNote& note) {
  JsonObject json{{"case", note.of_case}, {"change", note.change}, {"id", note.id}};
  if (!note.cluster.empty()) json["cluster"] = note.cluster;
  if (note.grounds.any()) {
    JsonArray grounds;
    if (note.grounds.reference) grounds.emplace_back("reference");
    if (note.grounds.contexts) grounds.emplace_back("contexts");
    json["grounds"] = std::move(grounds);
  }
  return json;
}

std::optional<ChangeNote> change_of(const Json& line) {
  const Json* member = find_member(line, kChangedMember);
  if (member == nullptr || !member->is_object()) return std::nullopt;
  ChangeNote note{.of_case = text_at(*member, "case"),
                  .change = text_at(*member, "change"),
                  .cluster = text_at(*member, "cluster")};
  if (const Json* id = find_member(*member, "id")) note.id = *id;
  for (const Json& ground : list_at(*member, "grounds")) {
    note.grounds.reference = note.grounds.reference || ground == "reference";
    note.grounds.contexts = note.grounds.contexts || ground == "contexts";
  }
  return note;
}

std::unique_ptr<Evaluation> under_stress(std::unique_ptr<Evaluation> evaluation, const Config& config,
                                         std::vector<ConfigProblem>& problems) {
  if (evaluation == nullptr || !config.has("stress.of")) return evaluation;
  auto stressing = evaluation->stressing();
  StressPlan plan;
  if (stressing) plan.figures = stressing->figures();
  plan.moved = moved_part(config);
  plan.seed = config.integer("seed").value_or(0);
  if (plan.figures.empty()) {
    problems.push_back({"config", "stress", "this evaluation has no judge that could be put under stress"});
    return nullptr;
  }
  return std::make_unique<Stressed>(std::move(evaluation), std::move(stressing), std::move(plan));
}

}  // namespace assay::stress
