#include "runs/labels/offers.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/yaml.h"
#include "runs/labels/draw.h"
#include "runs/labels/run_kinds.h"

namespace assay::labels {
namespace {

using testing::ElementsAre;

Metric share(std::string name) {
  Metric metric;
  metric.name = std::move(name);
  metric.form = Metric::Form::share;
  return metric;
}

Metric rated(std::string name, Interval range) {
  Metric metric;
  metric.name = std::move(name);
  metric.range = range;
  return metric;
}

// From 0 to 1, which a summary does not write.
Metric number(std::string name) {
  Metric metric;
  metric.name = std::move(name);
  return metric;
}

// What read_judged_run() makes of a run, without its files.
JudgedRun run_of(const std::string& evaluation, const std::string& config, std::vector<Metric> metrics,
                 std::vector<double> scores) {
  JudgedRun run;
  run.evaluation = evaluation;
  run.run_id = "run-1";
  run.scores.config = parse_yaml(config)->value.as_object();
  std::vector<std::optional<double>> of_case;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    run.scores.figures.push_back(metrics[i].name);
    of_case.emplace_back(scores[i]);
  }
  run.scores.summary.metrics = std::move(metrics);
  run.scores.cases.push_back(
      {.id = "c1", .cluster = "", .outcome = "scored", .text = "", .scores = std::move(of_case)});
  run.variants = conditions_of(run);
  if (evaluation == "custom") {
    const auto answer = [](const char* variant) { return JsonObject{{"variant", variant}}; };
    note_variants(JsonObject{{"answers", JsonArray{answer("old"), answer("old"), answer("new")}}},
                  run.variants);
  }
  run.pairs = pairs_of(run);
  run.classes = classes_of(run);
  run.figures = figures_of(run);
  note_questions(run);
  return run;
}

JudgedRun bots() {
  return run_of("custom",
                "baseline: old\n"
                "metrics:\n"
                "  - {name: short, words: {max: 9}}\n"
                "  - {name: correct, rubric: \"Gives the same sum.\"}\n"
                "  - {name: tone, judge: {prompt: p}, scale: [1, 5]}\n"
                "  - {name: better, pairwise: {rubric: \"Which would a customer rather have?\"}}\n",
                {share("short.rate.old"), share("correct.rate.old"), share("correct.rate.new"),
                 rated("tone.mean.new", {1, 5}), share("tone.rate.new"), share("better.win_rate.new"),
                 share("correct.difference.new")},
                {1, 0.5, 1, 4, 1, 0.75, 0.5});
}

std::vector<std::string> words_of_offers(const JudgedRun& run) {
  std::vector<std::string> words;
  for (const Offer& offer : offers_of(run))
    words.push_back(std::string(to_string(offer.kind)) + " " + offer.figure);
  return words;
}

TEST(Offers, OfVariantsArePairsAndWhatAJudgeWasAsked) {
  EXPECT_THAT(words_of_offers(bots()),
              ElementsAre("pair better.win_rate.new", "rubric correct.rate.old", "rubric correct.rate.new",
                          "rating tone.mean.new", "rubric ", "rubric "));
}

TEST(Offers, SeveralCriteriaAreRatedByWhatTheyAskTogether) {
  const JudgedRun run = run_of("custom", "metrics: [{name: fits, criteria: [\"Is polite.\", \"Is short.\"]}]",
                               {number("fits.mean.old")}, {0.5});
  ASSERT_EQ(run.figures.size(), 1U);
  EXPECT_EQ(run.figures.front().variant, "old");
  EXPECT_EQ(run.figures.front().asked.asked, "How many of these are true?\n1. Is polite.\n2. Is short.");
  EXPECT_FALSE(run.figures.front().yes_no);
  const auto plan = plan_sheet(run, {.kind = SheetKind::rating, .figure = "fits.mean.old", .count = 1});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->sheet.scale->high, 3);
  EXPECT_THAT(plan->sheet.levels, ElementsAre("0 of 2", "1 of 2", "2 of 2"));
}

TEST(Offers, OfClassifiersAreClasses) {
  JudgedRun run = run_of("question_router", "{}", {share("accuracy")}, {1});
  note_classes(run.evaluation,
               JsonObject{{"id", "c1"}, {"expected_outcome", "rag"}, {"actual_outcome", "small_talk"}},
               run.classes);
  finish_classes(run.classes);
  EXPECT_THAT(words_of_offers(run), ElementsAre("label accuracy", "rubric "));
  EXPECT_THAT(run.classes.front().labels, ElementsAre("rag", "small_talk"));
  EXPECT_EQ(run.classes.front().cases.at("c1").judge, "rag");
  EXPECT_EQ(run.classes.front().cases.at("c1").right, "small_talk");
}

TEST(Offers, OfConditionsArePairsWithTheControl) {
  const JudgedRun run =
      run_of("experiment", "conditions: [{name: t1}, {name: t2}, {name: control}]",
             {share("win_rate.t1"), share("win_rate.t2"), rated("score.t1.overall", {1, 5})}, {0.5, 1, 4});
  EXPECT_THAT(words_of_offers(run), ElementsAre("pair win_rate.t1", "pair win_rate.t2", "pair ",
                                                "rating score.t1.overall", "rubric ", "rubric ", "rubric "));
}

TEST(Offers, AScoreFromNothingToOneIsRatedFromOneToFive) {
  const JudgedRun run =
      run_of("rag_answers", "{}", {number("coherence.mean"), share("coherence.pass_rate")}, {0.75, 1});
  EXPECT_THAT(words_of_offers(run), ElementsAre("rating coherence.mean", "rubric "));
  const Offer offer = offers_of(run).front();
  EXPECT_EQ(offer.kind, SheetKind::rating);
  EXPECT_EQ(offer.scale->low, 1);
  EXPECT_EQ(offer.scale->high, 5);
}

Result<SheetPlan> planned(const JudgedRun& run, SheetRequest request) {
  request.count = 1;
  return plan_sheet(run, request);
}

TEST(SheetPlan, AsksWhatTheJudgeWasAskedAndDoesNotSayOfWhom) {
  const JudgedRun run = bots();
  const auto plan = planned(run, {.kind = SheetKind::rubric, .figure = "correct.rate.new"});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->sheet.question, "Gives the same sum.");
  EXPECT_EQ(plan->sheet.title, "Yes or no: Correct");
  EXPECT_THAT(plan->shown, ElementsAre("new"));
  const auto pair = planned(run, {.kind = SheetKind::pair, .variants = {"old", "new"}});
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->sheet.question, "Which would a customer rather have?");
  EXPECT_EQ(pair->sheet.figure, "better.win_rate.new");
  // The judge's win rate is that of new against old, so new comes first whatever was asked for.
  EXPECT_THAT(pair->sheet.variants, ElementsAre("new", "old"));
}

TEST(SheetPlan, NamesWhatIsWrongWithTheRequest) {
  const JudgedRun run = bots();
  const auto field = [&](SheetRequest request) {
    const auto plan = planned(run, std::move(request));
    return plan ? std::string("good") : plan.error().context.front().second;
  };
  EXPECT_EQ(field({.kind = SheetKind::pair, .variants = {"old", "odd"}}), "/variants");
  EXPECT_EQ(field({.kind = SheetKind::pair, .variants = {"old", "old"}}), "/variants");
  EXPECT_EQ(field({.kind = SheetKind::rating, .figure = "short.rate.old"}), "/figure");
  EXPECT_EQ(field({.kind = SheetKind::rubric, .figure = "tone.mean.new"}), "/kind");
  EXPECT_EQ(field({.kind = SheetKind::rubric, .question = "Is it kind?"}), "/variants");
  EXPECT_EQ(field({.kind = SheetKind::rubric, .variants = {"new"}}), "/question");
  EXPECT_EQ(field({.kind = SheetKind::rubric, .variants = {"new"}, .question = "Is it kind?"}), "good");
  EXPECT_EQ(field({.kind = SheetKind::rating, .figure = "tone.mean.new", .scale = Interval{0.5, 3}}),
            "/scale");
  EXPECT_EQ(field({.kind = SheetKind::label, .variants = {"new"}, .labels = {"a", "a"}}), "/labels");
}

TEST(SheetTask, ShowsOneAnswerOfEachSideInTheSameRepeat) {
  SheetPlan plan;
  plan.sheet.kind = SheetKind::pair;
  plan.shown = {"new", "old"};
  const CaseTexts texts{{{"question", "Q"}},
                        {{"new", {{"n0"}, {"n1"}, {"n2"}}}, {"old", {{"o0"}, {"o1"}, {"o2"}}}}};
  std::set<std::string> drawn;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SheetTask task = make_task(plan, "c1", texts, seed);
    ASSERT_EQ(task.answers.size(), 2U);
    EXPECT_EQ(task.answers[0].substr(1), task.answers[1].substr(1));
    drawn.insert(task.answers[0]);
  }
  EXPECT_EQ(drawn.size(), 3U);
}

TEST(SheetTask, WhatAJudgeSawOfAnAnswerStandsBesideIt) {
  SheetPlan plan;
  plan.shown = {"new"};
  const CaseTexts texts{{}, {{"new", {{"60 pounds", {{"contexts", "It costs 50."}}}}}}, "/refund/amount"};
  EXPECT_THAT(make_task(plan, "c1", texts, 0).material,
              ElementsAre(std::pair<std::string, std::string>("contexts", "It costs 50."),
                          std::pair<std::string, std::string>("/refund/amount", "60 pounds")));
}

TEST(SheetTask, AFieldThatHoldsTheClassIsLeftOut) {
  JudgedClasses classes{.figure = "topic.accuracy", .cases = {{"c1", {"refund", "billing"}}}};
  SheetPlan plan;
  plan.sheet.kind = SheetKind::label;
  plan.classes = &classes;
  const CaseTexts texts{{{"question", "Q"}, {"gold", " billing "}, {"guess", "refund"}}, {}};
  const SheetTask task = make_task(plan, "c1", texts, 0);
  EXPECT_THAT(task.material, ElementsAre(std::pair<std::string, std::string>("question", "Q")));
  EXPECT_EQ(task.judge_label, "refund");
}

}  // namespace
}  // namespace assay::labels
