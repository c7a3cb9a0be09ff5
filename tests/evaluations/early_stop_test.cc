#include "evaluations/early_stop.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "evaluations/components/data.h"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(StopCondition, IsAFigureAWordAndANumber) {
  const auto width = parse_stop_condition("faithfulness.mean  width 0.02");
  ASSERT_TRUE(width);
  EXPECT_EQ(width->figure, "faithfulness.mean");
  EXPECT_EQ(width->kind, StopCondition::Kind::width);
  EXPECT_EQ(width->bound, 0.02);
  EXPECT_EQ(parse_stop_condition("f < 0.5")->kind, StopCondition::Kind::below);
  EXPECT_EQ(parse_stop_condition("f > 0.5")->kind, StopCondition::Kind::above);
  for (const char* wrong : {"", "f", "f > ", "f >0.5", "f >= 0.5", "f width 0", "f width -1", "f > high",
                            "f > 0.5 0.6", "f wide 0.1"}) {
    EXPECT_FALSE(parse_stop_condition(wrong)) << wrong;
  }
}

// Cases are lines {"score": x, "doc": d}; what a case scores is in its outcome.
class ScoreEvaluation final : public Evaluation {
 public:
  ScoreEvaluation(std::string path, const std::string& cluster)
      : path_(std::move(path)),
        fields_({{.name = "score", .type = components::FieldType::number}}, {}, cluster) {}
  Result<std::unique_ptr<CaseSource>> cases() const override {
    return components::open_data({path_}, fields_);
  }
  std::string data_path() const override { return path_; }
  bool asks_outside() const override { return true; }
  Task<Outcome> evaluate(const Case&, CaseContext&) const override { co_return Outcome{}; }
  void estimate(const Case&, CallEstimate&) const override {}
  std::vector<std::string> models() const override { return {}; }
  void line(const Case&, const FinishedCase* finished, ResultLine& line) const override {
    const Json* value = finished->outcome.result.if_contains("score");
    const Score scores[] = {{"score.mean", value == nullptr ? std::nullopt : as_number(*value)}};
    line.scores(scores);
  }
  std::unique_ptr<Aggregate> aggregate(OutputFiles&, const RunFacts&) const override { return nullptr; }
  std::vector<std::string> metric_names() const override { return {"score.mean"}; }
  std::vector<MeanFigure> mean_figures() const override { return {{"score.mean"}}; }

 private:
  std::string path_;
  components::DataFields fields_;
};

struct EarlyStopTest : testing::Test {
  std::string path = testing::TempDir() + "assay-early-stop.jsonl";
  std::vector<double> scores;  // by index

  std::unique_ptr<ScoreEvaluation> evaluation(int cases, int cluster_size, const std::string& cluster) {
    std::ofstream file(path);
    Random random = Random::keyed("early stop test");
    scores.clear();
    for (int i = 0; i < cases; ++i) {
      scores.push_back(random.uniform() < 0.9 ? 1 : 0);
      file << "{\"score\": " << scores.back() << ", \"doc\": \"d" << i / cluster_size << "\"}\n";
    }
    return std::make_unique<ScoreEvaluation>(path, cluster);
  }
  std::unique_ptr<EarlyStop> rule(const Evaluation& evaluation, const char* text, std::uint64_t seed = 0) {
    auto made = EarlyStop::make(evaluation, {*parse_stop_condition(text)}, seed);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
  }
  void tell(EarlyStop& rule, std::size_t position) const {
    const std::int64_t index = rule.order()[position].index;
    rule.add({.index = index},
             {OutcomeKind::scored, JsonObject{{"score", scores[static_cast<std::size_t>(index)]}}, ""});
  }
  static std::vector<std::int64_t> indices(const EarlyStop& rule) {
    std::vector<std::int64_t> list;
    for (const CasePlace& place : rule.order()) list.push_back(place.index);
    return list;
  }
};

TEST_F(EarlyStopTest, TakesEveryCaseOnceInAnOrderThatTheSeedDecides) {
  const auto data = evaluation(500, 1, "");
  const auto order = indices(*rule(*data, "score.mean width 0.1"));
  EXPECT_EQ(std::set<std::int64_t>(order.begin(), order.end()).size(), 500U);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  EXPECT_EQ(order, indices(*rule(*data, "score.mean > 0.5")));
  EXPECT_NE(order, indices(*rule(*data, "score.mean > 0.5", 1)));
}

TEST_F(EarlyStopTest, StopsOnceTheIntervalExcludesTheBoundOnEitherSide) {
  const auto data = evaluation(500, 1, "");
  const auto above = rule(*data, "score.mean > 0.6");
  const auto below = rule(*data, "score.mean < 0.6");
  std::size_t at = 0;
  while (above->wants(at)) {
    ASSERT_LT(at, 499U) << "never settled";
    tell(*above, at);
    tell(*below, at);
    ++at;
  }
  EXPECT_GT(at, 3U);
  EXPECT_FALSE(below->wants(at));
  Summary summary;
  summary.metrics.resize(2);
  summary.metrics[0].name = "score.mean";
  summary.metrics[1].name = "score.f1";
  summary.metrics[1].estimate.ci = Interval{0.1, 0.2};
  summary.cases = {.total = 500,
                   .evaluated = static_cast<std::int64_t>(at),
                   .skipped = 500 - static_cast<std::int64_t>(at)};
  summary.usage = {.requests = 2 * static_cast<std::int64_t>(at), .cost_usd = 1.0};
  below->apply(summary, static_cast<std::int64_t>(at));
  ASSERT_TRUE(summary.stopping);
  EXPECT_TRUE(summary.stopping->stopped);
  EXPECT_EQ(summary.stopping->conditions[0].answer, StopVerdict::Answer::no);
  EXPECT_EQ(summary.stopping->conditions[0].after, static_cast<std::int64_t>(at));
  EXPECT_DOUBLE_EQ(summary.stopping->saved_requests, 2.0 * static_cast<double>(500 - at));
  EXPECT_EQ(summary.metrics[0].estimate.method, "betting");
  EXPECT_GT(summary.metrics[0].estimate.ci->low, 0.6);
  EXPECT_FALSE(summary.metrics[1].estimate.ci) << "an interval for a fixed number of cases must go";
}

TEST_F(EarlyStopTest, DoesNotDependOnTheOrderInWhichAnswersArrive) {
  const auto data = evaluation(300, 1, "");
  const auto in_order = rule(*data, "score.mean width 0.2");
  const auto mixed = rule(*data, "score.mean width 0.2");
  const std::size_t window = 16;
  for (std::size_t first = 0; first + window <= 300; first += window) {
    for (std::size_t i = 0; i < window; ++i) tell(*in_order, first + i);
    for (std::size_t i = window; i > 0; --i) tell(*mixed, first + i - 1);
    ASSERT_EQ(in_order->wants(first + window), mixed->wants(first + window)) << first;
  }
  Summary a;
  Summary b;
  in_order->apply(a, 300);
  mixed->apply(b, 300);
  EXPECT_EQ(to_json(a), to_json(b));
  EXPECT_EQ(a.stopping->conditions[0].answer, StopVerdict::Answer::yes);
}

TEST_F(EarlyStopTest, AnAnswerThatIsMissingHoldsUpWhatComesBehindIt) {
  const auto data = evaluation(300, 1, "");
  const auto held_up = rule(*data, "score.mean > 0.5");
  for (std::size_t i = 1; i < 200; ++i) tell(*held_up, i);
  EXPECT_TRUE(held_up->wants(200)) << "quick answers alone must not decide";
  tell(*held_up, 0);
  EXPECT_FALSE(held_up->wants(200));
}

TEST_F(EarlyStopTest, ClustersStayTogetherAndAreFinished) {
  const auto data = evaluation(400, 8, "doc");
  const auto clustered = rule(*data, "score.mean > 0.5");
  const auto order = indices(*clustered);
  for (std::size_t i = 0; i < order.size(); i += 8) {
    for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(order[i + j], order[i] + static_cast<std::int64_t>(j));
  }
  std::size_t at = 0;
  for (; at < order.size() && clustered->wants(at); ++at) {
    clustered->begun(at);
    tell(*clustered, at);
  }
  EXPECT_LT(at, order.size());
  EXPECT_EQ(at % 8, 0U);
  // Eight cases of one document are one observation: single cases settle it sooner.
  const auto single_data = evaluation(400, 8, "");
  const auto single = rule(*single_data, "score.mean > 0.5");
  std::size_t alone = 0;
  for (; single->wants(alone); ++alone) tell(*single, alone);
  EXPECT_LT(alone, at);
}

TEST_F(EarlyStopTest, ConditionsAreCheckedBeforeAnythingIsSent) {
  const auto data = evaluation(3, 1, "");
  std::vector<ConfigProblem> problems;
  const Config config(JsonObject{
      {"stop_when", JsonArray{"score.meen > 0.5", "score.mean > 1.5", "score.mean", "score.mean < 0.5"}}});
  EXPECT_EQ(read_stop_conditions(config, *data, problems).size(), 1U);
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_THAT(problems[0].text, HasSubstr("did you mean score.mean?"));
  EXPECT_THAT(problems[1].text, HasSubstr("between 0 and 1"));
  EXPECT_THAT(problems[2].text, HasSubstr("expected FIGURE width NUMBER"));
}

}  // namespace
}  // namespace assay
