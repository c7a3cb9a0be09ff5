#include "evaluations/persona/human_ratings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::persona {
namespace {

PersonRating rating(std::string item, std::string person, std::optional<int> likert, bool agrees = false) {
  return {std::move(item), "work", "ines", "fit", std::move(person), likert, agrees};
}
Verdict verdict(std::string item, int likert) {
  Verdict one;
  one.item_id = std::move(item);
  one.classification_id = "work";
  one.perspective_id = "fit";
  one.likert = likert;
  return one;
}
double value(const Summary& summary, const std::string& name) {
  for (const Metric& metric : summary.metrics) {
    if (metric.name == name) return metric.estimate.value.value_or(-1);
  }
  ADD_FAILURE() << "no metric " << name;
  return -1;
}
// The judge says `likert` of one item; what the person's word comes to beside it.
double difference(const std::vector<PersonRating>& ratings, int likert) {
  HumanRatings human = HumanRatings::of(ratings);
  human.add("ines", verdict("a", likert), Mode::mode2);
  Summary summary;
  human.apply(summary, Mode::mode2);
  return value(summary, "human.mean_difference");
}

TEST(HumanRatings, EachPersonsLastWordCounts) {
  EXPECT_EQ(difference({rating("a", "kim", 1), rating("a", "kim", 4)}, 5), 1);
}

TEST(HumanRatings, OfSeveralPeopleTheMedianCounts) {
  EXPECT_EQ(difference({rating("a", "kim", 1), rating("a", "lee", 4), rating("a", "mia", 5)}, 5), 1);
  EXPECT_EQ(difference({rating("a", "kim", 2), rating("a", "lee", 4)}, 5), 3) << "the lower of two";
}

TEST(HumanRatings, MostMustAgreeWhereNobodyGivesAValue) {
  for (const auto& [agreeing, expected] : {std::pair(2, 1.0), std::pair(1, 0.0)}) {
    std::vector<PersonRating> ratings;
    for (int i = 0; i < 3; ++i)
      ratings.push_back(rating("a", "person " + std::to_string(i), {}, i < agreeing));
    HumanRatings human = HumanRatings::of(ratings);
    Verdict one = verdict("a", 0);
    one.agrees = true;
    human.add("ines", one, Mode::mode3);
    Summary summary;
    human.apply(summary, Mode::mode3);
    EXPECT_EQ(value(summary, "human.exact_match"), expected);
  }
}

TEST(HumanRatings, TheAgreementRateIsCorrectedByThem) {
  // The judge agrees with all twenty; people looked at the first ten and agree with five of them.
  std::vector<PersonRating> ratings;
  for (int i = 0; i < 10; ++i) ratings.push_back(rating(std::to_string(i), "kim", i < 5 ? 5 : 1));
  HumanRatings human = HumanRatings::of(ratings);
  for (int i = 0; i < 20; ++i) human.add("ines", verdict(std::to_string(i), 5), Mode::mode2);
  Summary summary;
  human.apply(summary, Mode::mode2);
  EXPECT_EQ(value(summary, "agreement_rate.judge_only"), 1);
  EXPECT_EQ(value(summary, "agreement_rate.human_only"), 0.5);
  EXPECT_NEAR(value(summary, "agreement_rate.corrected"), 0.5, 1e-9);
  EXPECT_EQ(value(summary, "human.ratings"), 10);
}

}  // namespace
}  // namespace assay::persona
