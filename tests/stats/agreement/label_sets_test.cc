#include "stats/agreement/label_sets.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "stats/agreement/krippendorff.h"
#include "tests/stats/rated.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

using Unit = std::vector<std::optional<LabelSet>>;
using Units = std::vector<Unit>;
constexpr SetDistance kDistances[] = {SetDistance::jaccard, SetDistance::masi};

// Each letter is a label.
LabelSet labels(std::string_view letters) {
  LabelSet set;
  for (const char letter : letters) set.emplace(1, letter);
  return set;
}

Unit unit(const std::vector<std::string_view>& sets) {
  Unit made;
  for (const std::string_view set : sets) {
    made.push_back(set == "." ? std::nullopt : std::optional(labels(set)));
  }
  return made;
}

double alpha(const Units& units, SetDistance distance) {
  return label_set_alpha(units, distance, few_draws(0)).value.value();
}

// Passonneau 2006: {1,2} against {1,2,3,4} has J = ½ and M = ⅔. NLTK's documentation prints 0.665 for it, as
// it takes 0.67 for ⅔.
TEST(LabelSets, HaveThePublishedDistances) {
  EXPECT_NEAR(label_set_distance(labels("ab"), labels("abcd"), SetDistance::masi), 2.0 / 3, 1e-15);
  EXPECT_NEAR(label_set_distance(labels("ab"), labels("abcd"), SetDistance::masi), 0.665, 2e-3);
  EXPECT_NEAR(label_set_distance(labels("ab"), labels("abcd"), SetDistance::jaccard), 0.5, 1e-15);
  EXPECT_NEAR(label_set_distance(labels("ab"), labels("bc"), SetDistance::masi), 1 - 1.0 / 9, 1e-15);
  EXPECT_NEAR(label_set_distance(labels("ab"), labels("bc"), SetDistance::jaccard), 2.0 / 3, 1e-15);
  for (const SetDistance distance : kDistances) {
    EXPECT_EQ(label_set_distance(labels("ab"), labels("ba"), distance), 0);
    EXPECT_EQ(label_set_distance(labels("ab"), labels("cd"), distance), 1);
    EXPECT_EQ(label_set_distance(labels(""), labels(""), distance), 0);
    EXPECT_EQ(label_set_distance(labels(""), labels("a"), distance), 1);
  }
}

// By hand. Units {a}{a}, {a}{ab}, {b}{b}: by Jaccard D_o = (1/6)·2·½ = 1/6. Among the ratings a a a ab b b
// the distances are 3·½ (a, ab), 6·1 (a, b), 2·½ (ab, b), so D_e = 2·8.5/30 and alpha = 1 − 30/102. By MASI ½
// becomes ⅔: D_o = 2/9, D_e = 2·(3·⅔ + 6 + 2·⅔)/30 = 28/45, alpha = 1 − 10/28.
TEST(LabelSets, HaveTheAlphaOfTheDefinition) {
  const Units units = {unit({"a", "a"}), unit({"a", "ab"}), unit({"b", "b"})};
  EXPECT_NEAR(alpha(units, SetDistance::jaccard), 1 - 30.0 / 102, 1e-12);
  EXPECT_NEAR(alpha(units, SetDistance::masi), 1 - 10.0 / 28, 1e-12);
}

TEST(LabelSets, AgreeWithTheSumOverAllPairsInR) {
  for (const Json& table : reference_file("label_sets.json").as_array()) {
    Units units;
    for (const Json& row : table.at("units").as_array()) {
      Unit& made = units.emplace_back();
      for (const Json& set : row.as_array()) {
        made.push_back(set.is_null() ? std::nullopt : std::optional(labels(std::string(set.as_string()))));
      }
    }
    EXPECT_NEAR(alpha(units, SetDistance::jaccard), as_number(table.at("jaccard")).value(), 1e-12);
    EXPECT_NEAR(alpha(units, SetDistance::masi), as_number(table.at("masi")).value(), 1e-12);
  }
}

// Krippendorff's canonical data with every rating a set of one: nominal alpha 0.743421.
TEST(LabelSets, OfOneLabelEachAreNominal) {
  const std::vector<std::string_view> raters = {"123321412...", "1233224125.3", ".3332342251.",
                                                "12332441251."};
  Units units;
  for (std::size_t i = 0; i < 12; ++i) {
    Unit& made = units.emplace_back();
    for (const std::string_view rater : raters) {
      made.push_back(rater[i] == '.' ? std::nullopt : std::optional(labels(rater.substr(i, 1))));
    }
  }
  for (const SetDistance distance : kDistances) {
    EXPECT_NEAR(alpha(units, distance), 0.743421, 5e-7);
    const Estimate estimate = label_set_alpha(units, distance);
    const Estimate nominal = krippendorff_alpha(rated_by(raters), Scale::nominal);
    EXPECT_EQ(estimate.n, 11);
    EXPECT_EQ(estimate.missing, nominal.missing);
    EXPECT_EQ(estimate.method, "bootstrap_percentile");
    EXPECT_NEAR(estimate.ci.value().low, nominal.ci.value().low, 1e-12);
    EXPECT_NEAR(estimate.ci.value().high, nominal.ci.value().high, 1e-12);
  }
}

TEST(LabelSets, AreUndefinedWithAReason) {
  for (const SetDistance distance : kDistances) {
    EXPECT_EQ(label_set_alpha(Units{}, distance).undefined, "no units");
    EXPECT_EQ(label_set_alpha(Units{unit({"a"})}, distance).undefined, "agreement needs at least two raters");
    EXPECT_EQ(label_set_alpha(Units{unit({"a", "."})}, distance).undefined, "no unit has two ratings");
    EXPECT_EQ(label_set_alpha(Units{unit({"a", "b"}), unit({"a"})}, distance).undefined,
              "a unit has not one rating per rater");
    const Estimate same = label_set_alpha(Units{unit({"", ""}), unit({"", ""})}, distance);
    EXPECT_FALSE(same.value.has_value());
    EXPECT_NE(same.undefined.find("every rating is the same"), std::string::npos);
    const Estimate one = label_set_alpha(Units{unit({"a", "ab", "c"})}, distance);
    EXPECT_NEAR(one.value.value(), 0, 1e-12);  // inside the unit is all there is
    EXPECT_FALSE(one.ci.has_value());
    EXPECT_NE(one.undefined, "");
    const Estimate perfect = label_set_alpha(Units{unit({"a", "a"}), unit({"ab", "ab"})}, distance);
    EXPECT_EQ(perfect.value, 1);
    EXPECT_FALSE(perfect.ci.has_value());
  }
}

TEST(LabelSets, TellAnEmptySetFromAnAbsentOne) {
  const Units said = {unit({"a", ""}), unit({"b", "b"}), unit({"a", "a"})};
  const Units silent = {unit({"a", "."}), unit({"b", "b"}), unit({"a", "a"})};
  EXPECT_LT(alpha(said, SetDistance::jaccard), 1);
  EXPECT_EQ(alpha(silent, SetDistance::jaccard), 1);
  EXPECT_EQ(label_set_alpha(silent, SetDistance::jaccard).missing.at("ratings_absent"), 1);
}

TEST(Krippendorff, TakesAnyDistance) {
  const Ratings ratings = rated({{1, 2}, {3, 3}, {5, 4}, {2, 2}});
  const auto squared = [](double a, double b) { return (a - b) * (a - b); };
  const Estimate given = krippendorff_alpha(ratings, squared, few_draws());
  const Estimate interval = krippendorff_alpha(ratings, Scale::interval, few_draws());
  EXPECT_NEAR(given.value.value(), interval.value.value(), 1e-12);
  EXPECT_NEAR(given.ci.value().low, interval.ci.value().low, 1e-12);
  EXPECT_EQ(krippendorff_alpha(ratings, [](double, double) { return -1.0; }).undefined,
            "a distance of two ratings is negative or not finite");
  EXPECT_FALSE(krippendorff_alpha(ratings, [](double, double) { return 0.0; }).value.has_value());
}

TEST(Krippendorff, SaysWhenATableOfDistancesWouldBeTooLarge) {
  std::vector<std::vector<double>> units;
  for (int i = 0; i < 1001; ++i) units.push_back({2.0 * i, 2.0 * i + 1});
  EXPECT_EQ(krippendorff_alpha(
                rated(units), [](double, double) { return 1.0; }, few_draws())
                .undefined,
            "too many different values for a table of distances");
}

Units drawn_units(const std::vector<std::vector<std::uint8_t>>& rows) {
  Units units;
  for (std::vector<std::uint8_t> row : rows) {
    row.resize(3, 8);
    Unit& made = units.emplace_back();
    for (const std::uint8_t bits : row) {
      std::string letters;
      for (int bit = 0; bit < 3; ++bit) {
        if ((bits >> bit & 1) != 0) letters += static_cast<char>('a' + bit);
      }
      made.push_back((bits & 24) == 8 ? std::nullopt : std::optional(labels(letters)));
    }
  }
  return units;
}

RC_GTEST_PROP(LabelSets, DoNotDependOnTheOrderOrTheNamesOfLabels,
              (const std::vector<std::vector<std::uint8_t>>& rows, unsigned seed)) {
  const Units units = drawn_units(rows);
  Units shuffled = units;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
  for (Unit& row : shuffled) std::shuffle(row.begin(), row.end(), std::mt19937(seed + 1));
  Units renamed = units;
  for (Unit& row : renamed) {
    for (std::optional<LabelSet>& set : row) {
      if (!set) continue;
      LabelSet other;
      for (const std::string& label : *set) other.insert(label == "a" ? "zebra" : label + label);
      set = other;
    }
  }
  for (const SetDistance distance : kDistances) {
    const Estimate one = label_set_alpha(units, distance, few_draws(50));
    const Estimate other = label_set_alpha(shuffled, distance, few_draws(50));
    RC_ASSERT(one.value == other.value);
    RC_ASSERT(one.undefined == other.undefined);
    RC_ASSERT(one.ci.has_value() == other.ci.has_value());
    if (one.ci) RC_ASSERT(one.ci->low == other.ci->low && one.ci->high == other.ci->high);
    const Estimate named = label_set_alpha(renamed, distance, few_draws(0));
    RC_ASSERT(one.value.has_value() == named.value.has_value());
    if (one.value) RC_ASSERT(std::fabs(*one.value - *named.value) < 1e-12);
    if (one.value) RC_ASSERT(*one.value <= 1);
  }
}

}  // namespace
}  // namespace assay
