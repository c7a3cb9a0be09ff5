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

// The figure's own scale where a person can use it, else 1 to 5.
Interval scale_for(const Interval& range) {
  const bool unit = range.low == 0 && range.high == 1;
  return is_scale(range) && !unit ? range : kUsualScale;
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
  std::string question = "Which answer is better?";
  for (const JudgedPair& pair : run.pairs) {
    if (std::set{pair.first, pair.second} != std::set{asked[0], asked[1]}) continue;
    // A judge's win rate is the first one's.
    plan.sheet.variants = {pair.first, pair.second};
    plan.shown = plan.sheet.variants;
    plan.sheet.figure = pair.figure;
    if (!pair.question.empty()) question = pair.question;
  }
  if (!plan.sheet.figure.empty()) plan.sheet.range = Interval{0, 1};
  if (plan.sheet.question.empty()) plan.sheet.question = question;
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
  std::string question;
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
    question = !found->question.empty() ? found->question
               : rating                 ? fmt::format("How good is it: {}?", about(found->name))
                                        : fmt::format("Does it hold: {}?", about(found->name));
    plan.shown = figure_variant(run, found->variant);
  } else {
    auto shown = asked_variant(run, request);
    if (!shown) return fail(std::move(shown.error()));
    plan.shown = std::move(*shown);
  }
  if (rating) {
    plan.sheet.scale = request.scale ? *request.scale : scale_for(plan.sheet.range.value_or(kUsualScale));
    if (!is_scale(*plan.sheet.scale))
      return wrong("/scale", "expected two whole numbers, the lower one first, at most ten apart");
  }
  if (plan.sheet.question.empty()) plan.sheet.question = question;
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
                      .cases = scored_cases(run)});
  }
  for (const JudgedFigure& figure : run.figures) {
    Offer offer{.kind = figure.yes_no ? SheetKind::rubric : SheetKind::rating,
                .title = metric_words(figure.name),
                .figure = figure.name,
                .cases = cases_with(run, figure.name)};
    if (!figure.yes_no) offer.scale = scale_for(figure.range);
    if (offer.cases > 0) offers.push_back(std::move(offer));
  }
  for (const JudgedClasses& classes : run.classes) {
    if (classes.labels.size() < 2) continue;
    offers.push_back({.kind = SheetKind::label,
                      .title = "Class · " + metric_words(classes.figure),
                      .figure = classes.figure,
                      .labels = classes.labels,
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
