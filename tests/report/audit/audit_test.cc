#include "report/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

// Four systems, the later the better, on 20 cases: `hard` are solved by the last two, the last case has a
// wrong key: all but the weakest give the same answer, and only the weakest meets the key.
AuditInput benchmark() {
  AuditInput input{
      .figure = "accuracy", .systems = {"a", "b", "c", "d"}, .cases = {}, .scores = {}, .answers = {}};
  for (int i = 0; i < 20; ++i)
    input.cases.push_back({"q" + std::to_string(i),
                           "Question number " + std::to_string(i) + " about matter " + std::to_string(i * i) +
                               " and nothing else",
                           "right"});
  input.cases[5].text = "May I build a small shed behind my house in spring?";
  input.cases[6].text = "May I build a small shed behind my house in winter?";
  for (std::size_t system = 0; system < 4; ++system) {
    auto& scores = input.scores.emplace_back();
    auto& answers = input.answers.emplace_back();
    for (std::size_t i = 0; i < 20; ++i) {
      const bool solved = i == 19 ? system == 0 : i < 4 || system * 5 >= i % 13;
      scores.emplace_back(solved ? 1 : 0);
      answers.push_back(solved ? "right" : i == 19 ? "Visa." : "guess " + std::to_string(system * 20 + i));
    }
  }
  return input;
}

TEST(Audit, NamesTheWrongKeyWithTheAnswersAndTheNearDuplicates) {
  const auto audit = audit_cases(benchmark(), {.suspected = 0.2});
  ASSERT_TRUE(audit.has_value());
  ASSERT_FALSE(audit->suspects.empty());
  EXPECT_EQ(audit->cases[audit->suspects.front().place].id, "q19");
  EXPECT_EQ(audit->suspects.front().giving_it, 3);
  EXPECT_EQ(audit->suspects.front().common_answer, "Visa.");
  EXPECT_LT(*audit->cases[19].discrimination.value, 0);
  EXPECT_LT(*audit->cases[19].point_biserial.value, 0);
  ASSERT_EQ(audit->clusters.size(), 1U);
  EXPECT_EQ(audit->clusters.front().places, (std::vector<std::size_t>{5, 6}));
  EXPECT_LE(audit->effective_cases, 20);
  EXPECT_GE(audit->solved_by_all.size(), 4U);
  EXPECT_THAT(audit->conclusions.front(), HasSubstr("wrong key: q19"));
  EXPECT_THAT(markdown_audit(*audit), HasSubstr("`Visa. (3 times)`"));
  EXPECT_THAT(html_audit(*audit), HasSubstr("q19"));
}

// Cases of one document are drawn together, whether their texts are alike or not. Ten pairs that each system
// solves or fails as one, of which two are near-duplicates: 8/20² against 5/19/20 is a design effect of 1.52.
TEST(Audit, HonoursTheClustersThatTheRunsNameBesideTheNearDuplicates) {
  AuditInput input = benchmark();
  for (std::size_t i = 0; i < 20; ++i) {
    input.cases[i].cluster = "document " + std::to_string(i / 2);
    for (std::size_t system = 0; system < 4; ++system) input.scores[system][i] = (i / 2 + system) % 2;
  }
  const auto audit = audit_cases(input);
  ASSERT_TRUE(audit.has_value());
  EXPECT_NEAR(audit->effective_cases, 20 / (0.02 / (5.0 / 19 / 20)), 1e-9);
  for (const Audit::System& system : audit->systems) {
    EXPECT_EQ(system.clustered.method, "t_clustered");
    EXPECT_GT(system.clustered.ci->high - system.clustered.ci->low,
              system.mean.ci->high - system.mean.ci->low);
  }
  EXPECT_THAT(audit->conclusions.back(),
              HasSubstr("with them and the clusters that the runs name, 20 cases"));
}

TEST(Audit, NeedsTwoSystemsAndTwoCases) {
  AuditInput one = benchmark();
  one.systems.resize(1);
  EXPECT_FALSE(audit_cases(one).has_value());
  AuditInput few = benchmark();
  few.cases.resize(1);
  EXPECT_FALSE(audit_cases(few).has_value());
}

// Of a figure where less is better, solved is what stays below the middle.
TEST(Audit, TurnsFiguresRoundWhereLessIsBetter) {
  AuditInput input = benchmark();
  input.better = Metric::Better::lower;
  const auto audit = audit_cases(input);
  ASSERT_TRUE(audit.has_value());
  EXPECT_EQ(audit->cases[0].solved, 0);
}

}  // namespace
}  // namespace assay
