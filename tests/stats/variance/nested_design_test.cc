#include "stats/variance/nested_design.h"

#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "stats/variance/variance_components.h"

namespace assay {
namespace {

struct Spreads {
  double query = 0;
  double run = 0;
  double evaluator = 0;
  double both = 0;
  double residual = 0;
};

NestedScores drawn(std::size_t queries, int runs, int evaluators, const Spreads& spreads,
                   std::uint64_t seed) {
  Random random = Random::keyed("nested design", seed);
  std::vector<double> lenient;
  for (int e = 0; e < evaluators; ++e) lenient.push_back(spreads.evaluator * random.normal());
  NestedScores scores;
  for (std::size_t q = 0; q < queries; ++q) {
    const double query = spreads.query * random.normal();
    std::vector<double> taste;
    for (int e = 0; e < evaluators; ++e) taste.push_back(spreads.both * random.normal());
    for (int r = 0; r < runs; ++r) {
      const double run = spreads.run * random.normal();
      for (int e = 0; e < evaluators; ++e) {
        const auto at = static_cast<std::size_t>(e);
        scores[{q, r, e}] = query + run + lenient[at] + taste[at] + spreads.residual * random.normal();
      }
    }
  }
  return scores;
}

double solved(const NestedStudy& study, const std::string& name) {
  for (const NestedComponent& component : study.components) {
    if (component.name == name) return component.solved;
  }
  ADD_FAILURE() << "no component " << name;
  return 0;
}

// The crossed analysis of the same table has the same sums of squares: those of runs within queries are those
// of run and query×run together, and the residual's those of run×evaluator and the three-way residual.
TEST(NestedDesign, AgreesWithTheCrossedAnalysisOfTheSameTable) {
  const NestedScores scores = drawn(6, 3, 4, {1, 0.7, 0.5, 0.4, 0.8}, 1);
  CrossedDesign design({"query", "run", "evaluator"});
  for (const auto& [key, score] : scores) {
    design.add({fmt::format("{}", std::get<0>(key)), fmt::format("{}", std::get<1>(key)),
                fmt::format("{}", std::get<2>(key))},
               score);
  }
  std::map<std::string, VarianceComponent> crossed;
  for (const VarianceComponent& component : g_study(design).components) crossed[component.name] = component;
  const auto pooled = [&](const char* one, const char* other) {
    const VarianceComponent& a = crossed.at(one);
    const VarianceComponent& b = crossed.at(other);
    return (a.mean_square * static_cast<double>(a.df) + b.mean_square * static_cast<double>(b.df)) /
           static_cast<double>(a.df + b.df);
  };
  const double ms_run = pooled("run", "query×run");
  const double ms_residual = pooled("run×evaluator", "residual");
  const double ms_both = crossed.at("query×evaluator").mean_square;
  const NestedStudy study = nested_study(scores);
  EXPECT_NEAR(solved(study, "residual"), ms_residual, 1e-10);
  EXPECT_NEAR(solved(study, "run"), (ms_run - ms_residual) / 4, 1e-10);
  EXPECT_NEAR(solved(study, "query×evaluator"), (ms_both - ms_residual) / 3, 1e-10);
  EXPECT_NEAR(solved(study, "evaluator"), (crossed.at("evaluator").mean_square - ms_both) / 18, 1e-10);
  EXPECT_NEAR(solved(study, "query"), (crossed.at("query").mean_square - ms_run - ms_both + ms_residual) / 12,
              1e-10);
}

TEST(NestedDesign, FindsTheVariancesThatWerePutIn) {
  const NestedStudy study = nested_study(drawn(400, 4, 40, {1, 0.5, 0.6, 0.3, 0.7}, 2));
  EXPECT_NEAR(solved(study, "query"), 1, 0.2);
  EXPECT_NEAR(solved(study, "run"), 0.25, 0.03);
  EXPECT_NEAR(solved(study, "evaluator"), 0.36, 0.2);
  EXPECT_NEAR(solved(study, "query×evaluator"), 0.09, 0.01);
  EXPECT_NEAR(solved(study, "residual"), 0.49, 0.01);
  for (const NestedComponent& component : study.components) {
    ASSERT_TRUE(component.variance.ci) << component.name;
    EXPECT_LE(component.variance.ci->low, *component.variance.value) << component.name;
    EXPECT_GE(component.variance.ci->high, *component.variance.value) << component.name;
  }
}

// σ²: query 1, run 1, residual 1 and nothing else: r runs and e evaluators reach 1/(1 + 1/r + 1/(r·e)); 0.5
// needs two runs with one evaluator (1/(1 + 1/2 + 1/2)), and 0.9 at least ten runs, with eleven evaluators...
// the fewest ratings are 18 runs of one evaluator: 1/(1 + 2/18) = 0.9.
TEST(NestedDesign, ThePlanIsTheSmallestPanelThatReachesTheTarget) {
  NestedStudy study;
  study.runs = 2;
  study.evaluators = 2;
  for (const char* name : {"query", "run", "residual"}) {
    NestedComponent component;
    component.name = name;
    component.variance = plain_figure(1, 8);
    study.components.push_back(component);
  }
  const auto half = smallest_nested_panel(study, 0.5, 20);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->runs, 2U);
  EXPECT_EQ(half->evaluators, 1U);
  const auto most = smallest_nested_panel(study, 0.8999, 20);
  ASSERT_TRUE(most);
  EXPECT_EQ(most->runs, 18U);
  EXPECT_EQ(most->evaluators, 1U);
  EXPECT_FALSE(smallest_nested_panel(study, 0.99, 20));
}

TEST(NestedDesign, OneRunOrOneEvaluatorLeavesFewerComponents) {
  const Spreads spreads{1, 0.5, 0.5, 0.5, 0.5};
  EXPECT_EQ(nested_study(drawn(12, 1, 4, spreads, 3)).components.size(), 3U);
  EXPECT_EQ(nested_study(drawn(12, 4, 1, spreads, 3)).components.size(), 2U);
  EXPECT_THAT(nested_study(drawn(12, 1, 1, spreads, 3)).undefined,
              testing::HasSubstr("one run and one evaluator"));
  EXPECT_THAT(nested_study({}).undefined, testing::HasSubstr("no ratings"));
  EXPECT_THAT(nested_study(drawn(12, 2, 2, {}, 3)).undefined, testing::HasSubstr("equal"));
}

TEST(NestedDesign, QueriesThatLackARatingAreLeftOutAndCounted) {
  NestedScores scores = drawn(12, 2, 3, {1, 0.5, 0.5, 0.5, 0.5}, 4);
  NestedScores without = scores;
  std::erase_if(without, [](const auto& entry) { return std::get<0>(entry.first) == 5; });
  scores.erase({5, 1, 2});
  const NestedStudy study = nested_study(scores);
  EXPECT_EQ(study.missing.at("queries_incomplete"), 1);
  EXPECT_EQ(solved(study, "query"), solved(nested_study(without), "query"));
}

}  // namespace
}  // namespace assay
