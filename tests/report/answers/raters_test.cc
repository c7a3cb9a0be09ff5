// Questions about raters, with the published values of tests/stats.
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/answers/ask.h"
#include "tests/stats/reference/file.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

// Shrout and Fleiss 1979, table 2.
constexpr std::string_view kShroutFleiss = "a,b,c,d\n9,2,5,8\n6,1,3,2\n8,4,6,8\n7,1,2,6\n10,5,6,9\n6,2,4,7\n";

TEST(IccAnswer, GivesThePublishedValuesOfShroutAndFleiss) {
  const Json json = asked("icc", kShroutFleiss, {{"raters", "a,b,c,d"}});
  EXPECT_NEAR(number_at(json, "/mean_squares/between_units"), 11.2417, 5e-5);
  EXPECT_NEAR(number_at(json, "/mean_squares/residual"), 1.0194, 5e-5);
  const std::pair<std::string, double> published[] = {{"icc_1_1", .1657}, {"icc_2_1", .2898},
                                                      {"icc_3_1", .7148}, {"icc_1_k", .4428},
                                                      {"icc_2_k", .6201}, {"icc_3_k", .9093}};
  for (const auto& [name, value] : published) {
    EXPECT_NEAR(number_at(json, "/" + name + "/value"), value, 5e-5);
    EXPECT_LT(number_at(json, "/" + name + "/ci/0"), value);
    EXPECT_GT(number_at(json, "/" + name + "/ci/1"), value);
    EXPECT_LT(number_at(json, "/" + name + "/bootstrap/ci/0"), value);
    EXPECT_EQ(number_at(json, "/" + name + "/n"), 6);
  }
}

TEST(IccAnswer, LeavesOutAndCountsWhatNotAllHaveRated) {
  const std::string csv = std::string(kShroutFleiss) + "6,,4,7\n";
  const auto answer = ask("icc", csv, {{"raters", "a,b,c,d"}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(number_at(answer->json, "/units"), 7);
  EXPECT_EQ(number_at(answer->json, "/icc_2_1/n"), 6);
  EXPECT_EQ(number_at(answer->json, "/icc_2_1/missing/units_not_rated_by_all"), 1);
  EXPECT_THAT(answer->text, HasSubstr("units not rated by all 1"));
}

TEST(IccAnswer, IsNullAndNotZeroWhereItIsUndefined) {
  const auto answer = ask("icc", "a,b\n1,1\n1,1\n", {{"raters", "a,b"}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->json.at_pointer("/icc_2_1/value").is_null());
  EXPECT_TRUE(answer->json.at_pointer("/icc_2_1/ci").is_null());
  EXPECT_TRUE(answer->json.at_pointer("/mean_squares").is_null());
  EXPECT_EQ(answer->json.at_pointer("/icc_2_1/undefined").as_string(), "all ratings are equal");
  EXPECT_THAT(answer->text, HasSubstr("n/a"));
}

// R's friedman.test on the same ranks (reference/agreement.R).
TEST(KendallWAnswer, AgreesWithFriedmansTestInR) {
  for (const Json& table : reference_file("agreement.json").at("intraclass").as_array()) {
    const auto& rows = table.at("ranks").as_array();
    std::string raters;
    for (std::size_t i = 0; i < rows.front().as_array().size(); ++i)
      raters += (i > 0 ? ",r" : "r") + std::to_string(i);
    std::string csv = raters + "\n";
    for (const Json& row : rows) {
      std::string line;
      for (const Json& cell : row.as_array()) line += (line.empty() ? "" : ",") + to_text(cell);
      csv += line + "\n";
    }
    const Json json = asked("kendall-w", csv, {{"raters", raters}});
    EXPECT_NEAR(number_at(json, "/kendall_w/value"), as_number(table.at("kendall_w")).value(), 1e-12);
    EXPECT_NEAR(number_at(json, "/test/chi_squared"), as_number(table.at("chi_squared")).value(), 1e-10);
    EXPECT_NEAR(number_at(json, "/test/p"), as_number(table.at("p")).value(), 1e-12);
    EXPECT_EQ(number_at(json, "/kendall_w/n"), static_cast<double>(rows.size()));
  }
}

TEST(KendallWAnswer, HasNoTestWithoutAnOrder) {
  const auto answer = ask("kendall-w", "a,b\n1,2\n", {{"raters", "a,b"}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->json.at_pointer("/kendall_w/value").is_null());
  EXPECT_TRUE(answer->json.at_pointer("/test/p").is_null());
  EXPECT_THAT(answer->text, HasSubstr("χ² n/a, df n/a, p n/a"));
}

// The units of LabelSets.HaveTheAlphaOfTheDefinition: 1 − 30/102 by Jaccard, 1 − 10/28 by MASI.
TEST(LabelSetsAnswer, HasTheAlphaOfTheDefinitionHoweverSetsAreWritten) {
  for (const std::string_view csv : {"x,y\na,a\na,a;b\nb,b\n", "x,y\na,a\na, b ; a ;\nb,b\n",
                                     "x,y\n\"[\"\"a\"\"]\",a\na,\"[\"\"a\"\", \"\"b\"\"]\"\nb,b\n"}) {
    const Json json = asked("label-sets", csv, {{"raters", "x,y"}});
    EXPECT_NEAR(number_at(json, "/alpha_jaccard/value"), 1 - 30.0 / 102, 1e-12);
    EXPECT_NEAR(number_at(json, "/alpha_masi/value"), 1 - 10.0 / 28, 1e-12);
    EXPECT_EQ(number_at(json, "/alpha_masi/n"), 3);
  }
  const Json bars = asked("label-sets", "x,y\na,a\na,a|b\nb,b\n", {{"raters", "x,y"}, {"separator", "|"}});
  EXPECT_NEAR(number_at(bars, "/alpha_masi/value"), 1 - 10.0 / 28, 1e-12);
}

// The sum over all pairs in R (reference/label_sets.R); each letter is a label.
TEST(LabelSetsAnswer, AgreesWithR) {
  for (const Json& table : reference_file("label_sets.json").as_array()) {
    std::string raters;
    std::string csv;
    for (const Json& row : table.at("units").as_array()) {
      std::string line;
      for (std::size_t i = 0; i < row.as_array().size(); ++i) {
        if (csv.empty()) raters += (i > 0 ? ",r" : "r") + std::to_string(i);
        if (i > 0) line += ",";
        const Json& set = row.at(i);
        if (set.is_null()) continue;
        std::string cell = "[]";
        for (const char letter : set.as_string()) {
          cell = cell == "[]" ? "" : cell.append(";");
          cell += letter;
        }
        line += cell;
      }
      csv.append(line).append("\n");
    }
    const Json json = asked("label-sets", fmt::format("{}\n{}", raters, csv), {{"raters", raters}});
    EXPECT_NEAR(number_at(json, "/alpha_jaccard/value"), as_number(table.at("jaccard")).value(), 1e-12);
    EXPECT_NEAR(number_at(json, "/alpha_masi/value"), as_number(table.at("masi")).value(), 1e-12);
  }
}

TEST(LabelSetsAnswer, TellsAnEmptySetFromSilence) {
  const Json json = asked("label-sets", "x,y\n[],[]\na,a\na,\n", {{"raters", "x,y"}});
  EXPECT_EQ(number_at(json, "/alpha_masi/n"), 2);
  EXPECT_EQ(number_at(json, "/alpha_masi/missing/ratings_absent"), 1);
  EXPECT_NEAR(number_at(json, "/alpha_masi/value"), 1, 1e-12);
}

TEST(LabelSetsAnswer, RefusesWhatIsNoListOfLabels) {
  EXPECT_EQ(refused("label-sets", "x,y\n[a,b\na,\"[[1]]\"\n", {{"raters", "x,y,z"}}),
            "table.csv: there is no column z; there are x, y\n"
            "line 2, x: found \"[a\", expected a list of labels\n"
            "line 3, y: found \"[[1]]\", expected a list of labels");
  EXPECT_THAT(refused("label-sets", "x,y\na,b\n", {{"raters", "x,y"}, {"separator", ", "}}),
              HasSubstr("--separator is the one character"));
}

// Wax of Calderon, Reichart and Dror, with ω and ρ as published (reference/alt_test_published.json).
TEST(AltTestAnswer, GivesThePublishedValuesOfWax) {
  const Json set = reference_file("alt_test_published.json").at("wax");
  std::string humans;
  std::vector<std::string> texts;
  for (const auto& [name, text] : set.at("humans").as_object()) {
    humans += (humans.empty() ? "h" : ",h") + std::to_string(texts.size());
    texts.emplace_back(text.as_string());
  }
  texts.emplace_back(set.at("judges").at("gemini_pro").as_string());
  std::string csv = humans + ",judge\n";
  for (std::size_t unit = 0; unit < texts.front().size(); ++unit) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (i > 0) csv += ",";
      if (texts[i][unit] != '.') csv += texts[i][unit];
    }
    csv += "\n";
  }
  const auto answer = ask("alt-test", csv, {{"humans", humans}, {"judge", "judge"}, {"epsilon", "0.1"}});
  ASSERT_TRUE(answer.has_value()) << answer.error().text();
  EXPECT_EQ(number_at(answer->json, "/winning_rate/value"), 0.5);
  EXPECT_EQ(number_at(answer->json, "/winning_rate/n"), 8);
  EXPECT_NEAR(number_at(answer->json, "/advantage/value"), .7371, 5e-5);
  EXPECT_LT(number_at(answer->json, "/advantage/ci/0"), .7371);
  EXPECT_TRUE(answer->json.at("passed").as_bool());
  EXPECT_EQ(answer->json.at("humans").as_array().size(), 8U);
  EXPECT_THAT(answer->text,
              HasSubstr("judge may replace the humans: it wins against 50.0% of 8 humans (ε 0.1, q 0.05)"));
}

// With and without clusters, and by distance (reference/alt_test.R).
TEST(AltTestAnswer, AgreesWithR) {
  for (const Json& study : reference_file("alt_test.json").as_array()) {
    const auto& rows = study.at("humans").as_array();
    std::string humans;
    for (std::size_t i = 0; i < rows.front().as_array().size(); ++i)
      humans += (i > 0 ? ",h" : "h") + std::to_string(i);
    std::string csv = humans + ",judge,text\n";
    for (std::size_t unit = 0; unit < rows.size(); ++unit) {
      for (const Json& cell : rows[unit].as_array()) csv += (cell.is_null() ? "" : to_text(cell)) + ",";
      const Json& judge = study.at("candidate").at(unit);
      csv += (judge.is_null() ? "" : to_text(judge)) + "," + to_text(study.at("clusters").at(unit)) + "\n";
    }
    std::vector<FlagValue> flags = {{"humans", humans},
                                    {"judge", "judge"},
                                    {"epsilon", to_text(study.at("epsilon"))},
                                    {"alignment", std::string(study.at("alignment").as_string())},
                                    {"fewest-units", to_text(study.at("fewest"))}};
    const Json plain = asked("alt-test", csv, flags);
    flags.push_back({"cluster", "text"});
    const Json clustered = asked("alt-test", csv, flags);
    EXPECT_NEAR(number_at(plain, "/winning_rate/value"), as_number(study.at("winning_rate")).value(), 1e-12);
    EXPECT_NEAR(number_at(plain, "/advantage/value"), as_number(study.at("advantage")).value(), 1e-12);
    EXPECT_NEAR(number_at(clustered, "/winning_rate/value"),
                as_number(study.at("clustered_winning_rate")).value(), 1e-12);
  }
}

TEST(AltTestAnswer, GivesNoVerdictOnTooFewUnits) {
  const auto answer = ask("alt-test", "a,b,c,j\n1,1,1,1\n2,2,2,2\n", {{"humans", "a,b,c"}, {"judge", "j"}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->json.at("passed").is_null());
  EXPECT_TRUE(answer->json.at_pointer("/winning_rate/value").is_null());
  EXPECT_TRUE(answer->json.at_pointer("/humans/0/won").is_null());
  EXPECT_THAT(answer->text, HasSubstr("No verdict on j: no human has enough units to be tested."));
}

TEST(RaterAnswers, NeedTwoRatersWhoExist) {
  for (const char* mode : {"raters", "icc", "kendall-w", "label-sets"}) {
    EXPECT_EQ(refused(mode, "a,b\n1,2\n", {{"raters", "a"}}),
              "agreement needs at least two raters: --raters first,second");
  }
  EXPECT_EQ(refused("icc", "anna,b\n1,x\n2,2\ny,3\n", {{"raters", "ana,b,anna"}}),
            "table.csv: there is no column ana; did you mean anna?\n"
            "line 2, b: found \"x\", expected a number\n"
            "line 4, anna: found \"y\", expected a number");
}

}  // namespace
}  // namespace assay
