#include "runs/labels/agreement.h"

#include <algorithm>
#include <cmath>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/random.h"
#include "evaluations/human_check.h"
#include "report/conclusions.h"
#include "report/summary.h"
#include "report/words.h"
#include "runs/labels/labels_file.h"
#include "runs/labels/numbers.h"
#include "stats/agreement/agreement.h"
#include "stats/agreement/cohen_kappa.h"
#include "stats/agreement/krippendorff.h"
#include "stats/intervals/mean.h"

namespace assay::labels {
namespace {

constexpr std::size_t kMostCompared = 12;  // people, each with each other
constexpr std::string_view kJudge = "judge";

Resampling resampling(const Sheet& sheet) {
  return {.draws = 2000, .random = Random::keyed(sheet.id, "agreement")};
}

// A rater's numbers by task; absent ones are NaN.
using Rater = std::vector<double>;

Rater rater_of(const Sheet& sheet, const Person& person) {
  Rater rater(sheet.tasks.size(), Ratings::kAbsent);
  for (const GivenAnswer& answer : person.given) rater[answer.task] = number_of(sheet, answer);
  return rater;
}

Rater judge_of(const Sheet& sheet) {
  Rater rater;
  for (const SheetTask& task : sheet.tasks)
    rater.push_back(judge_number(sheet, task).value_or(Ratings::kAbsent));
  return rater;
}

// What the task is drawn with; "" where no task of the sheet belongs to a cluster.
std::vector<std::string> units_of(const Sheet& sheet) {
  const bool clustered =
      std::ranges::any_of(sheet.tasks, [](const SheetTask& task) { return !task.cluster.empty(); });
  std::vector<std::string> units;
  units.reserve(sheet.tasks.size());
  for (const SheetTask& task : sheet.tasks)
    units.push_back(!clustered ? "" : task.cluster.empty() ? task.case_id : task.cluster);
  return units;
}

AgreementOfTwo compare(const Sheet& sheet, std::string a, const Rater& first, std::string b,
                       const Rater& second) {
  const std::vector<std::string> units = units_of(sheet);
  Ratings ratings(2);
  AgreementOfTwo two{.a = std::move(a), .b = std::move(b)};
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::isnan(first[i]) || std::isnan(second[i])) continue;
    ratings.add_unit(std::vector{first[i], second[i]}, units[i]);
    ++two.n;
  }
  two.agreement = raw_agreement(ratings, resampling(sheet));
  const KappaWeights weights =
      sheet.kind == SheetKind::rating ? KappaWeights::quadratic : KappaWeights::unweighted;
  two.kappa = cohen_kappa(ratings, weights, resampling(sheet)).figure.resampled;
  return two;
}

std::string interval_part(const Estimate& estimate, Metric::Form form) {
  return figure_with_interval({.name = "", .estimate = estimate, .form = form});
}

std::string two_sentence(const AgreementOfTwo& two) {
  const std::string whom = two.b == kJudge ? "the judge" : two.b;
  if (two.n == 0) return fmt::format("{} and {} have no case in common yet.", two.a, whom);
  return fmt::format("{} and {} say the same of {} in {}; beyond chance (kappa) that is {}.", two.a, whom,
                     counted_words(two.n, "case", "cases"), interval_part(two.agreement, Metric::Form::share),
                     interval_part(two.kappa, Metric::Form::number));
}

std::string human_sentence(const Sheet& sheet, const Estimate& human) {
  const bool rating = sheet.kind == SheetKind::rating;
  const std::string figure = interval_part(human, rating ? Metric::Form::number : Metric::Form::share);
  switch (sheet.kind) {
    case SheetKind::pair:
      return fmt::format("People prefer {} to {}: it wins {}, a tie counts as half.", sheet.variants[0],
                         sheet.variants[1], figure);
    case SheetKind::rating: {
      const Interval on = sheet.figure.empty() ? *sheet.scale : sheet.range.value_or(*sheet.scale);
      return fmt::format("People give {} on a scale from {} to {}.", figure, number_words(on.low),
                         number_words(on.high));
    }
    case SheetKind::label:
      return fmt::format("By people's classes {} is {}.", metric_words(sheet.figure), figure);
    case SheetKind::rubric:
      return fmt::format("People say yes in {}.", figure);
  }
  return "";
}

std::optional<Estimate> human_figure(const Sheet& sheet, const std::vector<CaseLabel>& labels) {
  if (labels.empty()) return std::nullopt;
  std::vector<double> values;
  std::vector<std::string> clusters;
  for (const CaseLabel& label : labels) {
    const SheetTask& task = sheet.tasks[label.task];
    values.push_back(label.value);
    if (!task.cluster.empty()) clusters.push_back(task.cluster);
  }
  Estimate mean = clusters.size() == values.size() ? estimate_mean(values, clusters) : estimate_mean(values);
  const bool rating = sheet.kind == SheetKind::rating;
  const Interval range = rating && sheet.figure.empty() ? *sheet.scale : sheet.range.value_or(Interval{0, 1});
  return within_range(std::move(mean), range);
}

// As a run with the labels file would have it.
std::optional<CorrectedFigure> corrected_figure(const Sheet& sheet, const GivenAnswers& answers,
                                                const std::vector<CaseLabel>& labels, const RunScores& run,
                                                Agreement& out) {
  const auto at = std::ranges::find(run.figures, sheet.figure);
  if (sheet.figure.empty() || labels.empty() || at == run.figures.end()) return std::nullopt;
  const auto position = static_cast<std::size_t>(at - run.figures.begin());
  std::vector<HumanLabel> given;
  given.reserve(labels.size());
  for (const CaseLabel& label : labels) {
    HumanLabel& one =
        given.emplace_back(HumanLabel{sheet.tasks[label.task].case_id, label.value, sheet.probability});
    for (const Person& person : answers.people()) {
      const GivenAnswer* answer = person.answer_to(label.task);
      if (const auto value = answer == nullptr ? std::nullopt : figure_value(sheet, *answer))
        one.people.emplace(person.name, *value);
    }
  }
  HumanCheck check(sheet.figure, given);
  for (const ScoredCase& one : run.cases) {
    if (position < one.scores.size() && one.scores[position]) {
      check.add(one.id, one.cluster, sheet.figure, *one.scores[position]);
    } else {
      check.add_without_score(one.id, one.outcome == "scored" ? "" : one.outcome);
    }
  }
  Summary summary;
  const auto about = std::ranges::find(run.summary.metrics, sheet.figure, &Metric::name);
  if (about != run.summary.metrics.end()) summary.metrics.push_back(*about);
  check.apply(summary);
  const auto part = [&](const char* name) {
    return std::ranges::find(summary.metrics, sheet.figure + "." + name, &Metric::name)->estimate;
  };
  out.sentences.insert(out.sentences.end(), summary.conclusions.begin(), summary.conclusions.end());
  const auto alpha = std::ranges::find(summary.metrics, sheet.figure + ".people_alpha", &Metric::name);
  if (alpha != summary.metrics.end()) out.alpha = alpha->estimate;
  out.annotator = annotator_test(check.labelled());
  return CorrectedFigure{part("judge_only"), part("human_only"), part("corrected")};
}

std::string who_sentence(const Sheet& sheet, const GivenAnswers& answers) {
  std::string who;
  for (const Person& person : answers.people())
    who += fmt::format("{}{} {}", who.empty() ? "" : ", ", person.name, person.given.size());
  return who.empty()
             ? fmt::format("Nobody has answered any of the {} yet.",
                           counted_words(static_cast<std::int64_t>(sheet.tasks.size()), "case", "cases"))
             : fmt::format("Answers, of {}: {}.",
                           counted_words(static_cast<std::int64_t>(sheet.tasks.size()), "case", "cases"),
                           who);
}

Json two_json(const AgreementOfTwo& two) {
  return JsonObject{{"a", two.a},
                    {"b", two.b},
                    {"n", two.n},
                    {"agreement", to_json(two.agreement)},
                    {"kappa", to_json(two.kappa)}};
}

Json number_json(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json annotator_json(const AnnotatorTest& made) {
  JsonArray people;
  for (const AltTest::Human& human : made.test.humans) {
    JsonObject one{{"name", made.names[human.rater]},
                   {"advantage", to_json(human.advantage)},
                   {"difference", number_json(human.difference)},
                   {"p", number_json(human.test.p)},
                   {"p_adjusted", number_json(human.p_adjusted)},
                   {"stands_up", human.won}};
    if (!human.test.undefined.empty()) one.emplace("untested", human.test.undefined);
    people.push_back(std::move(one));
  }
  return JsonObject{{"winning_rate", to_json(made.test.winning_rate)},
                    {"advantage", to_json(made.test.advantage)},
                    {"epsilon", made.options.epsilon},
                    {"rate", made.options.rate},
                    {"fewest_cases", made.options.fewest_units},
                    {"as_good", made.test.passed ? Json(*made.test.passed) : Json(nullptr)},
                    {"no_verdict", made.no_verdict()},
                    {"people", std::move(people)}};
}

}  // namespace

Agreement agreement_of(const Sheet& sheet, const GivenAnswers& answers, const RunScores* run) {
  Agreement out;
  std::vector<const Person*> people;
  for (const Person& person : answers.people()) {
    if (person.given.empty()) continue;
    people.push_back(&person);
    out.people.push_back(person.name);
  }
  const std::vector<CaseLabel> labels = case_labels(sheet, answers);
  if (run != nullptr) out.corrected = corrected_figure(sheet, answers, labels, *run, out);
  // The same figure is not said twice with two intervals.
  out.human = out.corrected ? out.corrected->human_only : human_figure(sheet, labels);
  if (out.human) out.sentences.push_back(human_sentence(sheet, *out.human));
  std::vector<Rater> raters;
  raters.reserve(people.size());
  for (const Person* person : people) raters.push_back(rater_of(sheet, *person));
  const std::size_t compared = std::min(people.size(), kMostCompared);
  for (std::size_t i = 0; i < compared; ++i) {
    for (std::size_t j = i + 1; j < compared; ++j)
      out.pairs.push_back(compare(sheet, people[i]->name, raters[i], people[j]->name, raters[j]));
  }
  if (people.size() > 1) {
    const std::vector<std::string> units = units_of(sheet);
    Ratings all(people.size());
    for (std::size_t task = 0; task < sheet.tasks.size(); ++task) {
      std::vector<double> row;
      row.reserve(raters.size());
      for (const Rater& rater : raters) row.push_back(rater[task]);
      all.add_unit(row, units[task]);
    }
    Estimate alpha = krippendorff_alpha(
        all, sheet.kind == SheetKind::rating ? Scale::interval : Scale::nominal, resampling(sheet));
    // The same figure is not said twice with two intervals.
    const bool is_said =
        out.alpha && out.alpha->value && alpha.value && std::abs(*out.alpha->value - *alpha.value) < 1e-9;
    if (!is_said) out.alpha = std::move(alpha);
  }
  const Rater judge = judge_of(sheet);
  if (std::ranges::any_of(judge, [](double number) { return !std::isnan(number); })) {
    for (std::size_t i = 0; i < compared; ++i)
      out.judge.push_back(compare(sheet, people[i]->name, raters[i], std::string(kJudge), judge));
  }
  for (const auto* list : {&out.pairs, &out.judge}) {
    for (const AgreementOfTwo& two : *list) out.sentences.push_back(two_sentence(two));
  }
  // With a corrected figure it has been said.
  if (people.size() > 2 && out.alpha && !out.corrected)
    out.sentences.push_back(fmt::format("Over all people Krippendorff's alpha is {}.",
                                        interval_part(*out.alpha, Metric::Form::number)));
  out.sentences.push_back(who_sentence(sheet, answers));
  return out;
}

Json to_json(const Agreement& agreement) {
  const auto or_null = [](const std::optional<Estimate>& estimate) {
    return estimate ? to_json(*estimate) : Json(nullptr);
  };
  JsonArray people;
  for (const std::string& name : agreement.people) people.emplace_back(name);
  JsonArray pairs;
  for (const AgreementOfTwo& two : agreement.pairs) pairs.push_back(two_json(two));
  JsonArray judge;
  for (const AgreementOfTwo& two : agreement.judge)
    judge.push_back(JsonObject{{"person", two.a},
                               {"n", two.n},
                               {"agreement", to_json(two.agreement)},
                               {"kappa", to_json(two.kappa)}});
  JsonArray sentences;
  for (const std::string& sentence : agreement.sentences) sentences.emplace_back(sentence);
  Json corrected = nullptr;
  if (agreement.corrected)
    corrected = JsonObject{{"judge_only", to_json(agreement.corrected->judge_only)},
                           {"human_only", to_json(agreement.corrected->human_only)},
                           {"corrected", to_json(agreement.corrected->corrected)}};
  return JsonObject{{"people", std::move(people)},
                    {"pairs", std::move(pairs)},
                    {"alpha", or_null(agreement.alpha)},
                    {"judge", std::move(judge)},
                    {"human", or_null(agreement.human)},
                    {"corrected", std::move(corrected)},
                    {"annotator", agreement.annotator ? annotator_json(*agreement.annotator) : Json(nullptr)},
                    {"sentences", std::move(sentences)}};
}

}  // namespace assay::labels
