#include "runs/labels/offers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "report/words.h"
#include "runs/labels/run_kinds.h"

namespace assay::labels {
namespace {

constexpr Interval kUsualScale = {1, 5};
constexpr double kMostSteps = 10;  // of a scale: more than a person tells apart

std::size_t cases_with(const JudgedRun& run, const std::string& figure) {
  const auto at = std::ranges::find(run.scores.figures, figure);
  const auto position = static_cast<std::size_t>(at - run.scores.figures.begin());
  return static_cast<std::size_t>(std::ranges::count_if(run.scores.cases, [&](const ScoredCase& one) {
    return position < one.scores.size() && one.scores[position].has_value();
  }));
}

std::size_t scored_cases(const JudgedRun& run) {
  return static_cast<std::size_t>(std::ranges::count(run.scores.cases, "scored", &ScoredCase::outcome));
}

bool is_scale(const Interval& scale) {
  return scale.low == std::round(scale.low) && scale.high == std::round(scale.high) &&
         scale.low < scale.high && scale.high - scale.low <= kMostSteps;
}

// A step for each level of the judge's, or the figure's own scale where a person can use it, else 1 to 5.
Interval scale_for(const JudgedFigure& figure) {
  const Interval by_level{1, static_cast<double>(figure.asked.levels.size())};
  if (is_scale(by_level)) return by_level;
  const bool unit = figure.range.low == 0 && figure.range.high == 1;
  return is_scale(figure.range) && !unit ? figure.range : kUsualScale;
}

// The judge's own question and rules, unless the person asks something else.
void ask_as_judge(const JudgeQuestion& asked, const std::string& otherwise, SheetPlan& plan) {
  plan.as_judge = plan.sheet.question.empty();
  if (!plan.as_judge) return;
  plan.sheet.question = asked.of_all();
  if (plan.sheet.question.empty()) plan.sheet.question = otherwise;
  plan.sheet.rules = asked.rules;
}

// What the figure is about, without the variant, which whoever judges must not know.
std::string about(const std::string& figure) {
  return title_words(figure.substr(0, figure.find('.')));
}

std::unexpected<Error> wrong(std::string_view field, std::string message) {
  return fail(Error{ErrorKind::data, std::move(message), {}}.with("field", std::string(field)));
}

// Whose answers are shown where no figure says it.
Result<std::vector<std::string>> asked_variant(const JudgedRun& run, const SheetRequest& request) {
  if (run.variants.empty())
    return run.evaluation == kCustom ? std::vector<std::string>{""} : std::vector<std::string>();
  if (request.variants.size() != 1 ||
      std::ranges::find(run.variants, request.variants.front()) == run.variants.end())
    return wrong("/variants", fmt::format("expected the variant whose answers are shown, one of {}",
                                          join(run.variants, ", ")));
  return request.variants;
}

// Whose answers a figure of this variant is about; of other evaluations the material holds them.
std::vector<std::string> figure_variant(const JudgedRun& run, const std::string& variant) {
  if (variant.empty() && run.evaluation != kCustom) return {};
  return {variant};
}

Result<SheetPlan> plan_pair(const JudgedRun& run, const SheetRequest& request, SheetPlan plan) {
  const auto& asked = request.variants;
  if (asked.size() != 2 || asked[0] == asked[1])
    return wrong("/variants", "expected two variants that differ");
  for (const std::string& name : asked) {
    if (std::ranges::find(run.variants, name) == run.variants.end())
      return wrong("/variants", run.variants.empty() ? std::string("this run has no variants to compare")
                                                     : fmt::format("there is no variant {}; there are {}",
                                                                   name, join(run.variants, ", ")));
  }
  plan.sheet.variants = asked;
  plan.shown = asked;
  plan.sheet.title = "Which of two answers is better";
  JudgeQuestion question;
  for (const JudgedPair& pair : run.pairs) {
    if (std::set{pair.first, pair.second} != std::set{asked[0], asked[1]}) continue;
    // A judge's win rate is the first one's.
    plan.sheet.variants = {pair.first, pair.second};
    plan.shown = plan.sheet.variants;
    plan.sheet.figure = pair.figure;
    question = pair.asked;
  }
  if (!plan.sheet.figure.empty()) plan.sheet.range = Interval{0, 1};
  ask_as_judge(question, "Which answer is better?", plan);
  return plan;
}

Result<SheetPlan> plan_label(const JudgedRun& run, const SheetRequest& request, SheetPlan plan) {
  plan.sheet.labels = request.labels;
  plan.sheet.title = "Which class";
  if (!request.figure.empty()) {
    const auto found = std::ranges::find(run.classes, request.figure, &JudgedClasses::figure);
    if (found == run.classes.end())
      return wrong("/figure", fmt::format("{} is no figure about classes", request.figure));
    plan.classes = &*found;
    plan.sheet.range = Interval{0, 1};
    if (plan.sheet.labels.empty()) plan.sheet.labels = found->labels;
    plan.shown = figure_variant(run, found->variant);
    ask_as_judge(found->asked, "Which class is it?", plan);
  } else {
    auto shown = asked_variant(run, request);
    if (!shown) return fail(std::move(shown.error()));
    plan.shown = std::move(*shown);
  }
  const std::set<std::string> different(plan.sheet.labels.begin(), plan.sheet.labels.end());
  if (different.size() < 2 || different.size() != plan.sheet.labels.size() || different.contains(""))
    return wrong("/labels", "expected two labels or more that differ");
  if (plan.sheet.question.empty()) plan.sheet.question = "Which class is it?";
  return plan;
}

// Ratings, and yes or no: about a figure, or about a question of the person's own.
Result<SheetPlan> plan_judgement(const JudgedRun& run, const SheetRequest& request, SheetPlan plan) {
  const bool rating = request.kind == SheetKind::rating;
  plan.sheet.title = rating ? "Rate it" : "Yes or no";
  Interval scale = kUsualScale;
  std::vector<std::string> levels;
  if (!request.figure.empty()) {
    const auto found = std::ranges::find(run.figures, request.figure, &JudgedFigure::name);
    if (found == run.figures.end()) {
      std::vector<std::string> names;
      names.reserve(run.figures.size());
      for (const JudgedFigure& figure : run.figures) names.push_back(figure.name);
      return wrong("/figure", names.empty()
                                  ? fmt::format("people cannot judge {}: no judge did", request.figure)
                                  : fmt::format("people cannot judge {}; there are {}", request.figure,
                                                join(names, ", ")));
    }
    if (!rating && !found->yes_no)
      return wrong("/kind", fmt::format("{} is no yes or no: rate it", found->name));
    plan.sheet.range = found->range;
    plan.sheet.title += ": " + about(found->name);
    scale = scale_for(*found);
    levels = found->asked.levels;
    ask_as_judge(found->asked,
                 fmt::format("{}: {}?", rating ? "How good is it" : "Does it hold", about(found->name)),
                 plan);
    plan.shown = figure_variant(run, found->variant);
  } else {
    auto shown = asked_variant(run, request);
    if (!shown) return fail(std::move(shown.error()));
    plan.shown = std::move(*shown);
  }
  if (rating) {
    plan.sheet.scale = request.scale.value_or(scale);
    if (!is_scale(*plan.sheet.scale))
      return wrong("/scale", "expected two whole numbers, the lower one first, at most ten apart");
    const bool by_level =
        plan.sheet.scale->low == 1 && plan.sheet.scale->high == static_cast<double>(levels.size());
    if (by_level) plan.sheet.levels = levels;
  }
  if (plan.sheet.question.empty()) return wrong("/question", "expected the question that people answer");
  return plan;
}

}  // namespace

std::vector<Offer> offers_of(const JudgedRun& run) {
  std::vector<Offer> offers;
  offers.reserve(run.pairs.size());
  for (const JudgedPair& pair : run.pairs) {
    offers.push_back({.kind = SheetKind::pair,
                      .title = fmt::format("{} or {}: which answer is better", pair.first, pair.second),
                      .figure = pair.figure,
                      .variants = {pair.first, pair.second},
                      .question = pair.asked.of_all(),
                      .cases = scored_cases(run)});
  }
  for (const JudgedFigure& figure : run.figures) {
    Offer offer{.kind = figure.yes_no ? SheetKind::rubric : SheetKind::rating,
                .title = metric_words(figure.name),
                .figure = figure.name,
                .question = figure.asked.of_all(),
                .cases = cases_with(run, figure.name)};
    if (!figure.yes_no) offer.scale = scale_for(figure);
    if (offer.cases > 0) offers.push_back(std::move(offer));
  }
  for (const JudgedClasses& classes : run.classes) {
    if (classes.labels.size() < 2) continue;
    offers.push_back({.kind = SheetKind::label,
                      .title = "Class · " + metric_words(classes.figure),
                      .figure = classes.figure,
                      .labels = classes.labels,
                      .question = classes.asked.of_all(),
                      .cases = classes.cases.size()});
  }
  const std::vector<std::string> own = run.variants.empty() ? std::vector<std::string>{""} : run.variants;
  for (const std::string& variant : own) {
    Offer offer{.kind = SheetKind::rubric,
                .title = variant.empty() ? std::string("A sentence of your own")
                                         : fmt::format("A sentence of your own about {}", variant),
                .cases = scored_cases(run)};
    if (!variant.empty()) offer.variants = {variant};
    offers.push_back(std::move(offer));
  }
  return offers;
}

Json to_json(const Offer& offer) {
  const auto texts = [](const std::vector<std::string>& list) {
    JsonArray array;
    for (const std::string& text : list) array.emplace_back(text);
    return array;
  };
  JsonObject json{{"kind", to_string(offer.kind)}, {"title", offer.title}};
  json.emplace("figure", offer.figure.empty() ? Json(nullptr) : Json(boost::json::string(offer.figure)));
  json.emplace("scale", offer.scale ? Json(JsonArray{offer.scale->low, offer.scale->high}) : Json(nullptr));
  json.emplace("labels", texts(offer.labels));
  if (!offer.variants.empty()) json.emplace("variants", texts(offer.variants));
  if (!offer.question.empty()) json.emplace("question", offer.question);
  json.emplace("cases", offer.cases);
  return json;
}

Result<SheetPlan> plan_sheet(const JudgedRun& run, const SheetRequest& request) {
  SheetPlan plan;
  plan.sheet.run_id = run.run_id;
  plan.sheet.kind = request.kind;
  plan.sheet.question = std::string(trim(request.question));
  plan.sheet.figure = request.figure;
  if (request.kind == SheetKind::pair) return plan_pair(run, request, std::move(plan));
  if (request.kind == SheetKind::label) return plan_label(run, request, std::move(plan));
  return plan_judgement(run, request, std::move(plan));
}

}  // namespace assay::labels
