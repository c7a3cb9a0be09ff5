#include "stats/agreement/alt_test.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/stats/rated.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

AltTestOptions with_epsilon(double epsilon, Alignment alignment = Alignment::accuracy) {
  AltTestOptions options;
  options.epsilon = epsilon;
  options.alignment = alignment;
  options.resampling = few_draws();
  return options;
}

// A letter is a label, '.' is none.
double label(char letter) {
  return letter == '.' ? Ratings::kAbsent : letter;
}

std::vector<double> labels(std::string_view letters) {
  std::vector<double> codes;
  for (const char letter : letters) codes.push_back(label(letter));
  return codes;
}

// The authors' data set of that name: one text a human.
Ratings published_humans(const Json& set) {
  std::vector<std::string> texts;
  for (const auto& [name, text] : set.at("humans").as_object()) texts.emplace_back(text.as_string());
  Ratings ratings(texts.size());
  for (std::size_t unit = 0; unit < texts.front().size(); ++unit) {
    std::vector<double> row;
    for (const std::string& text : texts) row.push_back(label(text[unit]));
    ratings.add_unit(row);
  }
  return ratings;
}

// shared/reference/statistics.md, 4.5: ω and ρ of Calderon, Reichart and Dror's public data.
TEST(AltTest, GivesThePublishedValuesOfWax) {
  const Json set = reference_file("alt_test_published.json").at("wax");
  const Ratings humans = published_humans(set);
  ASSERT_EQ(humans.raters(), 8U);
  ASSERT_EQ(humans.units(), 246U);
  struct Published {
    const char* judge;
    double winning_rate;
    double advantage;
    bool passed;
  };
  for (const Published& published :
       {Published{"gemini_flash", .375, .6923, false}, Published{"gemini_pro", .5, .7371, true},
        Published{"gpt-4o", .5, .7300, true}, Published{"llama-31", 0, .5730, false},
        Published{"gpt-4o-mini", 0, .5945, false}, Published{"mistral-v03", 0, .4977, false}}) {
    const std::vector<double> judge = labels(set.at("judges").at(published.judge).as_string());
    const AltTest result = alt_test(humans, judge, with_epsilon(0.1));
    EXPECT_EQ(result.winning_rate.value, published.winning_rate) << published.judge;
    EXPECT_EQ(result.winning_rate.n, 8);
    EXPECT_NEAR(result.advantage.value.value(), published.advantage, 5e-5) << published.judge;
    EXPECT_EQ(result.passed, published.passed) << published.judge;
    EXPECT_LT(result.advantage.ci.value().low, published.advantage);
    EXPECT_GT(result.advantage.ci.value().high, published.advantage);
  }
}

TEST(AltTest, GivesThePublishedValuesOfMtBench) {
  const Json set = reference_file("alt_test_published.json").at("mtbench");
  const Ratings humans = published_humans(set);
  ASSERT_EQ(humans.raters(), 3U);
  for (const auto& [judge, advantage] : {std::pair("gpt-4o", .7728), {"gemini_pro", .7645}}) {
    const AltTest result =
        alt_test(humans, labels(set.at("judges").at(judge).as_string()), with_epsilon(0.2));
    EXPECT_EQ(result.winning_rate.value, 0) << judge;
    EXPECT_NEAR(result.advantage.value.value(), advantage, 5e-5) << judge;
    EXPECT_EQ(result.passed, false) << judge;
  }
}

std::optional<double> number_in(const Json& row, std::string_view key) {
  return row.as_object().contains(key) ? as_number(row.at(key)) : std::nullopt;
}

TEST(AltTest, AgreesWithRWithAndWithoutClusters) {
  for (const Json& study : reference_file("alt_test.json").as_array()) {
    const Ratings humans = rated_in(study.at("humans"));
    std::vector<double> candidate;
    for (const Json& rating : study.at("candidate").as_array()) {
      candidate.push_back(as_number(rating).value_or(Ratings::kAbsent));
    }
    std::vector<std::string> clusters;
    for (const double cluster : reference_numbers(study.at("clusters"))) {
      clusters.push_back(std::to_string(cluster));
    }
    AltTestOptions options =
        with_epsilon(as_number(study.at("epsilon")).value(),
                     study.at("alignment").as_string() == "rmse" ? Alignment::rmse : Alignment::accuracy);
    options.fewest_units = static_cast<std::int64_t>(as_number(study.at("fewest")).value());
    const AltTest plain = alt_test(humans, candidate, options);
    const AltTest clustered = alt_test(humans, candidate, options, clusters);
    const std::vector<double> adjusted = reference_numbers(study.at("p_adjusted"));
    const std::vector<double> adjusted_clustered = reference_numbers(study.at("clustered_p_adjusted"));
    std::size_t tested = 0;
    for (std::size_t j = 0; j < humans.raters(); ++j) {
      const Json& row = study.at("raters").at(j);
      const AltTest::Human& human = plain.humans[j];
      EXPECT_EQ(human.advantage.n, static_cast<std::int64_t>(number_in(row, "n").value()));
      ASSERT_EQ(human.test.p.has_value(), number_in(row, "p").has_value());
      if (!human.test.p) continue;
      EXPECT_NEAR(human.difference.value(), number_in(row, "difference").value(), 1e-12);
      EXPECT_NEAR(human.test.statistic.value(), number_in(row, "t").value(), 1e-9);
      EXPECT_NEAR(human.test.p.value(), number_in(row, "p").value(), 1e-10);
      EXPECT_NEAR(human.p_adjusted.value(), adjusted[tested], 1e-10);
      EXPECT_NEAR(human.advantage.value.value(), number_in(row, "advantage").value(), 1e-12);
      EXPECT_EQ(human.test.method, "alt_test_t");
      const AltTest::Human& same = clustered.humans[j];
      EXPECT_NEAR(same.test.statistic.value(), number_in(row, "clustered_t").value(), 1e-9);
      EXPECT_NEAR(same.test.p.value(), number_in(row, "clustered_p").value(), 1e-10);
      EXPECT_NEAR(same.p_adjusted.value(), adjusted_clustered[tested], 1e-10);
      EXPECT_EQ(same.test.method, "alt_test_t_clustered");
      EXPECT_EQ(same.advantage.method, "bootstrap_clusters");
      ++tested;
    }
    EXPECT_EQ(tested, adjusted.size());
    EXPECT_NEAR(plain.winning_rate.value.value(), number_in(study, "winning_rate").value(), 1e-12);
    EXPECT_NEAR(clustered.winning_rate.value.value(), number_in(study, "clustered_winning_rate").value(),
                1e-12);
    EXPECT_NEAR(plain.advantage.value.value(), number_in(study, "advantage").value(), 1e-12);
    EXPECT_EQ(plain.advantage.value, clustered.advantage.value);
  }
}

// Three humans who always agree, and a candidate who agrees with them: every d is 0, and under H0 that would
// happen with chance 0.8^n at most. One who never agrees has d = 1 throughout.
TEST(AltTest, OfEqualDifferencesBoundsTheirChance) {
  Ratings humans(3);
  for (int i = 0; i < 40; ++i)
    humans.add_unit(std::vector<double>{1.0 * (i % 3), 1.0 * (i % 3), 1.0 * (i % 3)});
  std::vector<double> same;
  for (int i = 0; i < 40; ++i) same.push_back(i % 3);
  const AltTest agrees = alt_test(humans, same, with_epsilon(0.2));
  EXPECT_EQ(agrees.humans[0].test.method, "alt_test_constant");
  EXPECT_NEAR(agrees.humans[0].test.p.value(), std::pow(0.8, 40), 1e-15);
  EXPECT_EQ(agrees.winning_rate.value, 1);
  EXPECT_EQ(agrees.passed, true);
  EXPECT_EQ(agrees.advantage.value, 1);
  EXPECT_FALSE(agrees.advantage.ci.has_value());  // a point would claim certainty
  EXPECT_NE(agrees.advantage.undefined, "");
  const AltTest never = alt_test(humans, std::vector<double>(40, 7), with_epsilon(0.2));
  EXPECT_EQ(never.humans[0].test.p, 1);
  EXPECT_EQ(never.winning_rate.value, 0);
  EXPECT_EQ(never.advantage.value, 0);
  // Ten clusters count as ten, not as forty.
  std::vector<std::string> clusters;
  for (int i = 0; i < 40; ++i) clusters.push_back(std::to_string(i / 4));
  EXPECT_NEAR(alt_test(humans, same, with_epsilon(0.2), clusters).humans[0].test.p.value(), std::pow(0.8, 10),
              1e-12);
  // A human who is always alone against one who is joined by the candidate: d = -1, chance 0.4^n.
  Ratings odd(3);
  for (int i = 0; i < 40; ++i) odd.add_unit(std::vector<double>{9, 1, 1});
  const AltTest better = alt_test(odd, std::vector<double>(40, 1), with_epsilon(0.2));
  EXPECT_NEAR(better.humans[0].test.p.value(), std::pow(0.4, 40), 1e-20);
  EXPECT_EQ(better.humans[0].difference, -1);
}

TEST(AltTest, LeavesOutWhatItCannotUseAndCountsIt) {
  Ratings humans(3);
  std::vector<double> candidate;
  for (int i = 0; i < 60; ++i) {
    const double third = i < 20 ? 1 : Ratings::kAbsent;  // too few units to be tested
    humans.add_unit(std::vector<double>{i % 2 == 0 ? 1.0 : 2.0, i % 3 == 0 ? 1.0 : 2.0, third});
    candidate.push_back(i % 5 == 0 ? 1 : 2);
  }
  humans.add_unit(std::vector<double>{1, Ratings::kAbsent, Ratings::kAbsent});
  candidate.push_back(1);
  humans.add_unit(std::vector<double>{1, 1, 1});
  candidate.push_back(std::numeric_limits<double>::infinity());
  const AltTest result = alt_test(humans, candidate, with_epsilon(0.2));
  EXPECT_EQ(result.winning_rate.missing.at("units_with_fewer_than_two_ratings"), 1);
  EXPECT_EQ(result.winning_rate.missing.at("units_not_rated_by_the_candidate"), 1);
  EXPECT_EQ(result.winning_rate.missing.at("humans_with_too_few_units"), 1);
  EXPECT_EQ(result.advantage.missing, result.winning_rate.missing);
  EXPECT_EQ(result.winning_rate.n, 2);
  EXPECT_EQ(result.advantage.n, 60);
  EXPECT_EQ(result.humans[2].test.undefined, "20 units are too few, 30 are needed");
  EXPECT_FALSE(result.humans[2].advantage.value.has_value());
  EXPECT_FALSE(result.humans[2].p_adjusted.has_value());
  EXPECT_TRUE(result.humans[0].test.p.has_value());
}

TEST(AltTest, OfTwoHumansHasNoVerdict) {
  Ratings humans(2);
  std::vector<double> candidate;
  for (int i = 0; i < 60; ++i) {
    humans.add_unit(std::vector<double>{i % 5 == 0 ? 1.0 : 0.0, i % 5 == 1 ? 1.0 : 0.0});
    candidate.push_back(0);
  }
  const AltTest result = alt_test(humans, candidate, with_epsilon(0.2));
  EXPECT_EQ(result.winning_rate.value, 1);
  EXPECT_FALSE(result.passed.has_value());
}

TEST(AltTest, IsUndefinedWithAReason) {
  const Ratings three = rated({{1, 1, 2}, {2, 2, 2}});
  const auto reason = [](const AltTest& result) {
    EXPECT_FALSE(result.winning_rate.value.has_value());
    EXPECT_FALSE(result.passed.has_value());
    return result.winning_rate.undefined;
  };
  EXPECT_EQ(reason(alt_test(Ratings(3), {})), "no units");
  EXPECT_EQ(reason(alt_test(Ratings(1), {})), "the test needs at least two humans");
  EXPECT_EQ(reason(alt_test(three, std::vector<double>{1})), "the candidate has not one rating per unit");
  EXPECT_EQ(reason(alt_test(three, std::vector<double>{1, 2}, {}, std::vector<std::string>{"a"})),
            "not every unit has its cluster");
  EXPECT_EQ(reason(alt_test(three, std::vector<double>{1, 2})), "no human has enough units to be tested");
  EXPECT_EQ(reason(alt_test(three, std::vector<double>{1, 2}, with_epsilon(1))),
            "epsilon must be at least 0 and below 1");
  AltTestOptions no_rate;
  no_rate.rate = 0;
  EXPECT_EQ(reason(alt_test(three, std::vector<double>{1, 2}, no_rate)), "the rate must lie between 0 and 1");
  Ratings ragged = three;
  ragged.add_unit(std::vector<double>{1});
  EXPECT_EQ(reason(alt_test(ragged, std::vector<double>{1, 2})), "a unit has not one rating per human");
  // One cluster has an advantage, but nothing to test it by.
  AltTestOptions few;
  few.fewest_units = 1;
  const AltTest one = alt_test(rated({{1, 1, 1}, {1, 1, 1}}), std::vector<double>{1, 2}, few,
                               std::vector<std::string>(2, "only"));
  EXPECT_EQ(reason(one), "no human can be tested: one cluster shows no spread between clusters");
  EXPECT_TRUE(one.advantage.value.has_value());
  EXPECT_FALSE(one.advantage.ci.has_value());
}

TEST(AltTest, TestsEvenOneUnitIfAskedTo) {
  AltTestOptions options = with_epsilon(0.2);
  options.fewest_units = 1;
  const AltTest one = alt_test(rated({{1, 2, 2}}), std::vector<double>{2}, options);
  EXPECT_NEAR(one.humans[0].test.p.value(), 0.4, 1e-12);
  EXPECT_NEAR(one.humans[1].test.p.value(), 0.8, 1e-12);
  EXPECT_EQ(one.winning_rate.value, 0);
  EXPECT_FALSE(one.advantage.ci.has_value());
}

// 0.3 and 0.1 are as far from 0.2 as each other, whatever rounding says.
TEST(AltTest, TakesScoresThatOnlyRoundingTellsApartAsEqual) {
  AltTestOptions options = with_epsilon(0.2, Alignment::rmse);
  options.fewest_units = 1;
  const AltTest result = alt_test(rated({{0.3, 0.2}, {0.3, 0.2}}), std::vector<double>{0.1, 0.1}, options);
  EXPECT_EQ(result.humans[0].difference, 0);
}

RC_GTEST_PROP(AltTest, DoesNotDependOnTheOrderOfUnitsOrTheNamesOfLabels,
              (const std::vector<std::vector<std::uint8_t>>& rows, unsigned seed)) {
  struct Row {
    std::vector<double> humans;
    double candidate;
    std::string cluster;
  };
  std::vector<Row> table;
  for (std::vector<std::uint8_t> row : rows) {
    row.resize(4, 1);
    Row& made = table.emplace_back();
    for (std::size_t j = 0; j < 3; ++j)
      made.humans.push_back(row[j] % 5 == 4 ? Ratings::kAbsent : row[j] % 5);
    made.candidate = row[3] % 4;
    made.cluster = std::to_string(row[3] / 16);
  }
  AltTestOptions options = with_epsilon(0.15);
  options.fewest_units = 2;
  options.resampling = few_draws(50);
  const auto run = [&](const std::vector<Row>& units, bool clustered, auto rename) {
    Ratings humans(3);
    std::vector<double> candidate;
    std::vector<std::string> clusters;
    for (const Row& unit : units) {
      std::vector<double> row;
      for (const double rating : unit.humans) row.push_back(std::isnan(rating) ? rating : rename(rating));
      humans.add_unit(row);
      candidate.push_back(rename(unit.candidate));
      if (clustered) clusters.push_back(unit.cluster);
    }
    return alt_test(humans, candidate, options, clusters);
  };
  const auto as_it_is = [](double x) { return x; };
  std::vector<Row> shuffled = table;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
  for (const bool clustered : {false, true}) {
    const AltTest one = run(table, clustered, as_it_is);
    for (const AltTest& other : {run(shuffled, clustered, as_it_is),
                                 run(table, clustered, [](double x) { return x == 2 ? -7 : 3 * x; })}) {
      RC_ASSERT(one.winning_rate.value == other.winning_rate.value);
      RC_ASSERT(one.winning_rate.undefined == other.winning_rate.undefined);
      RC_ASSERT(one.advantage.value == other.advantage.value);
      RC_ASSERT(one.advantage.ci.has_value() == other.advantage.ci.has_value());
      if (one.advantage.ci) RC_ASSERT(one.advantage.ci->low == other.advantage.ci->low);
      for (std::size_t j = 0; j < one.humans.size(); ++j) {
        RC_ASSERT(one.humans[j].test.p == other.humans[j].test.p);
      }
    }
    // The candidate and a human are equal or one is ahead: d and the advantage say the same.
    for (const AltTest::Human& human : one.humans) {
      if (!human.difference) continue;
      RC_ASSERT(*human.advantage.value >= -*human.difference - 1e-12);
      RC_ASSERT(*human.advantage.value <= 1 - std::max(0.0, *human.difference) + 1e-12);
    }
  }
}

}  // namespace
}  // namespace assay
