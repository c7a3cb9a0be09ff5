#include "stats/variance/variance_components.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/rated.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

// Rows are items, columns raters.
CrossedDesign two_way(const std::vector<std::vector<double>>& rows) {
  CrossedDesign design({"item", "rater"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      design.add({std::to_string(i), std::to_string(j)}, rows[i][j]);
    }
  }
  return design;
}

const VarianceComponent& component(const GStudy& study, std::string_view name) {
  const auto found = std::ranges::find(study.components, name, &VarianceComponent::name);
  if (found == study.components.end()) throw std::runtime_error("no component " + std::string(name));
  return *found;
}

double variance(const GStudy& study, std::string_view name) {
  return component(study, name).variance.value.value();
}

const std::vector<std::vector<double>> kShroutFleiss = {{9, 2, 5, 8}, {6, 1, 3, 2},  {8, 4, 6, 8},
                                                        {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7}};

// Shrout and Fleiss 1979; the components are recomputed in shared reference/statistics.md. With one rater
// generalizability is their ICC(3,1) and dependability ICC(2,1); with four, ICC(3,k) and ICC(2,k).
TEST(VarianceComponents, OfTheShroutFleissDataArePublished) {
  const GStudy study = g_study(two_way(kShroutFleiss));
  EXPECT_EQ(study.undefined, "");
  EXPECT_EQ(study.levels, (std::vector<std::size_t>{6, 4}));
  EXPECT_EQ(study.repeats, 1u);
  EXPECT_NEAR(variance(study, "item"), 2.5556, 5e-5);
  EXPECT_NEAR(variance(study, "rater"), 5.2444, 5e-5);
  EXPECT_NEAR(variance(study, "residual"), 1.0194, 5e-5);
  EXPECT_NEAR(component(study, "rater").mean_square, 32.4861, 5e-5);
  EXPECT_EQ(component(study, "residual").df, 15);
  EXPECT_EQ(component(study, "item").variance.undefined, "no interval: there are fewer than ten items");

  const Reliability one = d_study(study, {{1}, 1});
  EXPECT_NEAR(one.generalizability.value.value(), .7148, 5e-5);
  EXPECT_NEAR(one.dependability.value.value(), .2898, 5e-5);
  const Reliability four = d_study(study, {{4}, 1});
  EXPECT_NEAR(four.generalizability.value.value(), .9093, 5e-5);
  EXPECT_NEAR(four.dependability.value.value(), .6201, 5e-5);
  EXPECT_NEAR(four.relative_error.value(), 1.0194 / 4, 5e-5);
  EXPECT_NEAR(four.absolute_error.value(), (1.0194 + 5.2444) / 4, 5e-5);
}

CrossedDesign design_in(const Json& data, const std::vector<std::string>& facets) {
  CrossedDesign design(facets);
  const std::vector<double> scores = reference_numbers(data.at("y"));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    std::vector<std::string> levels;
    for (const std::string& facet : facets) {
      levels.push_back(std::to_string(as_number(data.at(facet).at(i)).value()));
    }
    design.add(levels, scores[i]);
  }
  return design;
}

std::string with_times(std::string name) {
  for (std::size_t at = name.find(':'); at != std::string::npos; at = name.find(':'))
    name.replace(at, 1, "×");
  return name == "Residual" ? "residual" : name;
}

// lme4's REML is the solution by mean squares where that is not negative; its optimum is good to some 1e-6.
TEST(VarianceComponents, AgreeWithLme4) {
  const Json reference = reference_file("agreement.json");
  const Json& two = reference.at("item_rater");
  const Json& three = reference.at("item_persona_judge");
  for (const auto& [json, facets] :
       {std::pair(two, std::vector<std::string>{"item", "rater"}), {three, {"item", "persona", "judge"}}}) {
    const GStudy study = g_study(design_in(json.at("data"), facets), few_draws());
    std::size_t seen = 0;
    for (const auto& [name, value] : json.at("components").as_object()) {
      const double expected = as_number(value).value();
      EXPECT_NEAR(variance(study, with_times(name)), expected, 2e-5 * (1 + expected)) << name;
      ++seen;
    }
    EXPECT_EQ(study.components.size(), seen);
  }
}

TEST(VarianceComponents, HaveTheMeanSquaresOfAFourWayAnalysisInR) {
  const Json reference = reference_file("agreement.json").at("four_facets");
  const GStudy study =
      g_study(design_in(reference.at("data"), {"item", "persona", "judge", "rep"}), few_draws());
  ASSERT_EQ(study.components.size(), 15);
  for (const auto& [key, value] : reference.at("mean_squares").as_object()) {
    const std::string name = key == "item:persona:judge:rep" ? "residual" : with_times(key);
    EXPECT_NEAR(component(study, name).mean_square, as_number(value).value(), 1e-9) << name;
  }
  // One score a cell: what repeating inside a cell would add is unknown.
  EXPECT_NE(d_study(study, {{3, 2, 2}, 2}).generalizability.undefined, "");
  EXPECT_TRUE(d_study(study, {{3, 2, 2}, 1}).generalizability.value.has_value());
}

// Items × 2 raters × 2 scores a cell by hand: cell means 1 3 / 5 7, each cell mean ± 0.5. Sums of squares:
// item 2·2·2·(2²) = 32, rater 8, interaction 0, within 8·0.25 = 2 on 4 degrees; σ²_residual = 0.5,
// interaction (0 − 0.5)/2 < 0, rater (8 − 0)/4 = 2, item (32 − 0)/4 = 8.
TEST(VarianceComponents, TellRepeatsFromTheInteractionAndReportNegativesAsZero) {
  CrossedDesign design({"item", "rater"});
  for (const double shift : {-0.5, 0.5}) {
    design.add({"a", "x"}, 1 + shift);
    design.add({"a", "y"}, 3 + shift);
    design.add({"b", "x"}, 5 + shift);
    design.add({"b", "y"}, 7 + shift);
  }
  const GStudy study = g_study(design, few_draws());
  EXPECT_EQ(study.repeats, 2u);
  EXPECT_NEAR(component(study, "item").mean_square, 32, 1e-12);
  EXPECT_NEAR(variance(study, "item"), 8, 1e-12);
  EXPECT_NEAR(variance(study, "rater"), 2, 1e-12);
  EXPECT_EQ(variance(study, "item×rater"), 0);
  EXPECT_NEAR(component(study, "item×rater").solved, -0.25, 1e-12);
  EXPECT_NE(component(study, "item×rater").note, "");
  EXPECT_NEAR(variance(study, "residual"), 0.5, 1e-12);
  EXPECT_NEAR(component(study, "item").share, 8 / 10.5, 1e-12);
  // Three raters with two repeats: δ = 0.5/6, Δ = δ + 2/3.
  const Reliability reliability = d_study(study, {{3}, 2});
  EXPECT_NEAR(reliability.generalizability.value.value(), 8 / (8 + 0.5 / 6), 1e-12);
  EXPECT_NEAR(reliability.dependability.value.value(), 8 / (8 + 0.5 / 6 + 2.0 / 3), 1e-12);
}

TEST(VarianceComponents, GiveTheSameReliabilityWithAndWithoutInterval) {
  std::vector<std::vector<double>> twice = kShroutFleiss;
  twice.insert(twice.end(), kShroutFleiss.begin(), kShroutFleiss.end());
  const CrossedDesign design = two_way(twice);
  const Reliability plain = d_study(g_study(design, few_draws()), {{3}, 1});
  const Reliability drawn = d_study(design, {{3}, 1});
  EXPECT_NEAR(plain.generalizability.value.value(), drawn.generalizability.value.value(), 1e-12);
  EXPECT_NEAR(plain.dependability.value.value(), drawn.dependability.value.value(), 1e-12);
  EXPECT_NEAR(plain.absolute_error.value(), drawn.absolute_error.value(), 1e-12);
  EXPECT_EQ(plain.generalizability.method, "");
  EXPECT_EQ(drawn.generalizability.method, "bootstrap_percentile");
  EXPECT_LT(drawn.dependability.ci.value().low, drawn.dependability.value.value());
  EXPECT_GT(drawn.dependability.ci.value().high, drawn.dependability.value.value());
}

// ICC(2,1) = .2898 stepped up by Spearman–Brown: n = .8·(1−.2898)/(.2898·.2) = 9.80, so ten raters.
TEST(VarianceComponents, SayTheSmallestPanelThatReachesATarget) {
  const GStudy study = g_study(two_way(kShroutFleiss), few_draws());
  const PanelPlan plan = smallest_panel(study, 0.8, Coefficient::dependability, {{1}, 1}, {{50}, 1});
  EXPECT_EQ(plan.panel.value().numbers, std::vector<std::size_t>{10});
  EXPECT_EQ(plan.scores_per_item, 10);
  EXPECT_GE(plan.reliability.value(), 0.8);
  EXPECT_LT(d_study(study, {{9}, 1}).dependability.value.value(), 0.8);
  // .7148 needs .8·.2852/(.7148·.2) = 1.6, so two.
  EXPECT_EQ(
      smallest_panel(study, 0.8, Coefficient::generalizability, {{1}, 1}, {{50}, 1}).panel.value().numbers,
      std::vector<std::size_t>{2});

  const PanelPlan out_of_reach = smallest_panel(study, 0.8, Coefficient::dependability, {{1}, 1}, {{5}, 1});
  EXPECT_FALSE(out_of_reach.panel.has_value());
  EXPECT_NEAR(out_of_reach.reliability.value(), d_study(study, {{5}, 1}).dependability.value.value(), 1e-12);
  EXPECT_NE(out_of_reach.undefined.find("only"), std::string::npos);
}

TEST(VarianceComponents, TradePersonasAgainstRepeats) {
  const GStudy study = g_study(design_in(reference_file("agreement.json").at("item_persona_judge").at("data"),
                                         {"item", "persona", "judge"}),
                               few_draws());
  const PanelPlan plan =
      smallest_panel(study, 0.5, Coefficient::generalizability, {{1, 1}, 1}, {{10, 10}, 10});
  ASSERT_TRUE(plan.panel.has_value());
  // No smaller panel reaches it.
  for (std::size_t personas = 1; personas <= 10; ++personas) {
    for (std::size_t judges = 1; judges <= 10; ++judges) {
      for (std::size_t repeats = 1; repeats <= 10; ++repeats) {
        if (static_cast<std::int64_t>(personas * judges * repeats) >= plan.scores_per_item) continue;
        EXPECT_LT(d_study(study, {{personas, judges}, repeats}).generalizability.value.value(), 0.5);
      }
    }
  }
  EXPECT_NE(smallest_panel(study, 1.5, Coefficient::generalizability, {{1, 1}, 1}, {{2, 2}, 1}).undefined,
            "");
  EXPECT_NE(smallest_panel(study, 0.5, Coefficient::generalizability, {{3, 1}, 1}, {{2, 2}, 1}).undefined,
            "");
  EXPECT_NE(smallest_panel(study, 0.5, Coefficient::generalizability, {{1}, 1}, {{2, 2}, 1}).undefined, "");
  EXPECT_EQ(smallest_panel(study, 0.5, Coefficient::generalizability, {{1, 1}, 1},
                           {{std::numeric_limits<std::size_t>::max(), 9}, 9})
                .undefined,
            "too many panels to try");
}

TEST(VarianceComponents, UseTheBalancedPartAndCountTheRest) {
  auto rows = kShroutFleiss;
  rows.push_back({5, 5, std::nan(""), 5});
  const GStudy study = g_study(two_way(rows), few_draws());
  EXPECT_NEAR(variance(study, "item"), 2.5556, 5e-5);
  EXPECT_EQ(study.missing.at("items_incomplete"), 1);
  EXPECT_EQ(study.missing.at("not_finite"), 1);
  EXPECT_EQ(study.n, 24);
  EXPECT_EQ(component(study, "item").variance.missing, study.missing);

  // An item scored twice by one rater is not balanced either.
  CrossedDesign design = two_way(kShroutFleiss);
  design.add({"0", "1"}, 3);
  EXPECT_EQ(g_study(design, few_draws()).levels, (std::vector<std::size_t>{5, 4}));
}

TEST(VarianceComponents, AreUndefinedWithAReason) {
  EXPECT_EQ(g_study(CrossedDesign({"item", "rater"})).undefined, "no scores");
  EXPECT_EQ(g_study(CrossedDesign({"item"})).undefined, "a design has two to six facets");
  EXPECT_NE(g_study(two_way({{1, 2, 3}})).undefined.find("item has one level"), std::string::npos);
  EXPECT_NE(g_study(two_way({{1}, {2}, {3}})).undefined.find("rater has one level"), std::string::npos);
  EXPECT_EQ(g_study(two_way({{0.1, 0.1}, {0.1, 0.1}})).undefined, "all scores are equal");
  CrossedDesign nested({"item", "rater"});  // every item has raters of its own
  for (const auto& [item, rater] : {std::pair("a", "1"), {"a", "2"}, {"b", "3"}, {"b", "4"}}) {
    nested.add({item, rater}, 1);
  }
  EXPECT_NE(g_study(nested).undefined.find("complete"), std::string::npos);
  CrossedDesign ragged({"item", "rater"});
  ragged.add({"a"}, 1);
  EXPECT_EQ(g_study(ragged).undefined, "a score has not one level per facet");
  EXPECT_NE(d_study(ragged, {{2}, 1}).dependability.undefined, "");
  const GStudy study = g_study(two_way(kShroutFleiss), few_draws());
  EXPECT_NE(d_study(study, {{2, 2}, 1}).dependability.undefined, "");
  EXPECT_NE(d_study(study, {{0}, 1}).dependability.undefined, "");
}

TEST(VarianceComponents, OfPerfectRatersLeaveNoErrorAndNoCertainty) {
  const CrossedDesign design = two_way({{1, 1}, {2, 2}, {4, 4}, {4, 4}});
  const GStudy study = g_study(design, few_draws());
  EXPECT_EQ(variance(study, "residual"), 0);
  EXPECT_FALSE(component(study, "residual").variance.ci.has_value());
  EXPECT_NE(component(study, "residual").variance.undefined, "");
  const Reliability reliability = d_study(design, {{1}, 1}, few_draws());
  EXPECT_DOUBLE_EQ(reliability.dependability.value.value(), 1);
  EXPECT_FALSE(reliability.dependability.ci.has_value());
}

RC_GTEST_PROP(VarianceComponents, DoNotDependOnTheOrderOfRepeats,
              (const std::vector<std::array<unsigned char, 6>>& rows, unsigned seed)) {
  std::vector<std::pair<std::vector<std::string>, double>> scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      scores.push_back({{std::to_string(i), std::to_string(j % 2)}, (rows[i][j] % 50) * 0.1});
    }
  }
  const auto study_of = [&] {
    CrossedDesign design({"item", "rater"});
    for (const auto& [levels, score] : scores) design.add(levels, score);
    return g_study(design, few_draws(0));
  };
  const GStudy one = study_of();
  std::shuffle(scores.begin(), scores.end(), std::mt19937(seed));
  const GStudy other = study_of();
  RC_ASSERT(one.undefined == other.undefined);
  for (std::size_t i = 0; i < one.components.size(); ++i) {
    RC_ASSERT(one.components[i].solved == other.components[i].solved);
  }
}

RC_GTEST_PROP(VarianceComponents, DoNotDependOnOrderOrOffsetAndScaleWithTheSquare,
              (const std::vector<std::array<unsigned char, 6>>& rows, unsigned seed)) {
  struct Row {
    std::vector<std::string> levels;
    double score;
  };
  std::vector<Row> scores;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      scores.push_back(
          {{std::to_string(i), std::to_string(j % 3), std::to_string(j / 3)}, rows[i][j] % 9 + 0.0});
    }
  }
  const auto study_of = [](const std::vector<Row>& all, double factor, double offset) {
    CrossedDesign design({"item", "persona", "judge"});
    for (const Row& row : all) design.add(row.levels, row.score * factor + offset);
    return g_study(design, few_draws(30));
  };
  const GStudy one = study_of(scores, 1, 0);
  const GStudy scaled = study_of(scores, -3, 100);
  std::shuffle(scores.begin(), scores.end(), std::mt19937(seed));
  const GStudy other = study_of(scores, 1, 0);
  RC_ASSERT(one.undefined == other.undefined && one.undefined == scaled.undefined);
  for (std::size_t i = 0; i < one.components.size(); ++i) {
    const Estimate& a = one.components[i].variance;
    const Estimate& b = other.components[i].variance;
    RC_ASSERT(a.value == b.value && a.ci.has_value() == b.ci.has_value());
    if (a.ci) RC_ASSERT(a.ci->low == b.ci->low && a.ci->high == b.ci->high);
    RC_ASSERT(std::fabs(one.components[i].solved * 9 - scaled.components[i].solved) < 1e-8);
  }
}

}  // namespace
}  // namespace assay
