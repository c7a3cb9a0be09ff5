#include "evaluations/persona/human_ratings.h"

#include <fstream>

#include <boost/json/object.hpp>
#include <fmt/format.h>
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

// What `human` reads of a sheet with these lines; problems go to `problems`.
HumanRatings of_sheet(const std::string& lines, Mode mode, std::vector<ConfigProblem>& problems) {
  const std::string file = testing::TempDir() + "assay-persona-sheet.csv";
  std::ofstream(file) << lines;
  return HumanRatings::read(Config(JsonObject{{"human", file}}), mode, problems);
}

TEST(HumanRatings, OfASheetAreWeightedByTheChancesOfTheirVerdicts) {
  std::vector<ConfigProblem> problems;
  // Eight items with two verdicts each; those of which the judge was less sure had twice the chance.
  std::string sheet = "id,probability,by Ana,drawn,label\n";
  const int people[] = {5, 2, 4, 1};
  for (int i = 0; i < 4; ++i)
    sheet += fmt::format("{}/ines/fit/work,{},{},then,{}\n", i, i < 2 ? 0.5 : 0.25, people[i], people[i]);
  HumanRatings human = of_sheet(sheet + "9/ines/fit/work,0.25,,then,\n", Mode::mode2, problems);
  EXPECT_TRUE(problems.empty()) << problems.front().text;
  EXPECT_EQ(human.drawn(), "then");
  for (int i = 0; i < 8; ++i) {
    human.add("ines", verdict(std::to_string(i), i % 2 ? 2 : 5), Mode::mode2);
    Verdict other = verdict(std::to_string(i), i % 3 + 3);
    other.classification_id = "urgent";
    human.add("ines", other, Mode::mode2);
  }
  Summary summary;
  human.apply(summary, Mode::mode2);
  // (1/0.5 + 1/0.25) / (2 + 2 + 4 + 4), and the same of 5, 2, 4, 1 (Hájek).
  EXPECT_NEAR(value(summary, "agreement_rate.human_only"), 6.0 / 12, 1e-12);
  EXPECT_NEAR(value(summary, "likert.mean.human_only"), (10.0 + 4 + 16 + 4) / 12, 1e-12);
  EXPECT_EQ(value(summary, "agreement_rate.labels"), 4);
  EXPECT_EQ(summary.metrics.front().name, "agreement_rate.corrected");
  EXPECT_EQ(summary.metrics.front().estimate.method, "ppi_plus_plus_weighted");
}

TEST(HumanRatings, OfASheetAreInTheWordsOfTheMode) {
  std::vector<ConfigProblem> problems;
  EXPECT_FALSE(
      of_sheet("id,label\na/p/q/r,1\nb/p/q/r,DISAGREE\nc/p/q/r,false\n", Mode::mode3, problems).empty());
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(of_sheet("id,label\na/p/q/r,3.5\nb/p/q/r,0\n", Mode::mode1, problems).empty());
  EXPECT_TRUE(of_sheet("id,label\na/p/q/r,true\n", Mode::mode2, problems).empty());
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[2].text,
            "line 2, label: found true, expected a whole number from 1 to 5, AGREE or DISAGREE");
  EXPECT_EQ(problems[0].text,
            "line 2, label: found 3.5, expected a whole number from 1 to 5, AGREE or DISAGREE");
  EXPECT_EQ(verdict_id("a/b", "50%", "q", "r"), "a%2Fb/50%25/q/r");
}

TEST(HumanRatings, VerdictsThatDidNotComeAreMissingFromTheCorrectedFigure) {
  HumanRatings human = HumanRatings::of({rating("a", "kim", 5), rating("b", "kim", 1)});
  human.add("ines", verdict("a", 5), Mode::mode2);
  human.add("ines", verdict("c", 5), Mode::mode2);
  human.add_missing("ines", {"b", "work", "fit", {}}, "judge_failed");
  Summary summary;
  human.apply(summary, Mode::mode2);
  EXPECT_EQ(value(summary, "agreement_rate.labels_of_no_case"), 0);
  EXPECT_EQ(summary.metrics.front().estimate.missing.at("judge_failed"), 1);
}

}  // namespace
}  // namespace assay::persona
