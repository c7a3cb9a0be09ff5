#include "core/plan_texts.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/file.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

struct PlanTextsTest : ::testing::Test {
  std::string path = ::testing::TempDir() + "assay_plan_text_" + std::to_string(::getpid());
  void SetUp() override { ASSERT_TRUE(write_file(path, "first wording")); }
  void TearDown() override { std::filesystem::remove(path); }
};

TEST_F(PlanTextsTest, AreReadOnceAndRememberedWithTheConfigThatNamedThem) {
  const Config config;
  const std::vector<Config> copies(2, config);
  EXPECT_EQ(copies.front().read_text(path).value(), "first wording");
  ASSERT_TRUE(write_file(path, "second wording"));
  EXPECT_EQ(config.read_text(path).value(), "first wording") << "a plan does not change while it is made";
  EXPECT_THAT(config.plan_texts().all(), UnorderedElementsAre(Pair(path, "first wording")));
}

TEST_F(PlanTextsTest, ThatWereKeptMakeTheSamePlanWhereTheFilesAreNot) {
  Config first;
  ASSERT_TRUE(first.read_text(path));
  std::filesystem::remove(path);
  Config elsewhere;
  elsewhere.use_texts(PlanTexts(first.plan_texts().all()));
  EXPECT_EQ(elsewhere.read_text(path).value(), "first wording");
  EXPECT_THAT(elsewhere.read_text("/etc/hostname").error().text(), HasSubstr("does not hold this text"))
      << "nothing of the other machine comes in";
}

TEST_F(PlanTextsTest, WhatIsMadeOfOtherFilesIsMadeOnceAndNotElsewhere) {
  Config first;
  int times = 0;
  const auto make = [&]() -> Result<std::string> { return "made " + std::to_string(++times); };
  EXPECT_EQ(first.made("labels in a.csv", make).value(), "made 1");
  EXPECT_EQ(Config(first).made("labels in a.csv", make).value(), "made 1");
  EXPECT_TRUE(first.plan_texts().all().empty()) << "it decides no answers";
  Config elsewhere;
  elsewhere.use_texts(PlanTexts({}, first.plan_texts().all_made()));
  EXPECT_EQ(elsewhere.made("labels in a.csv", make).value(), "made 1");
  EXPECT_THAT(elsewhere.made("labels in b.csv", make).error().text(),
              HasSubstr("does not hold the labels in b.csv"));
  EXPECT_EQ(times, 1) << "nothing of the other machine comes in";
}

TEST(PlanTexts, ThatCannotBeReadAreNotPartOfThePlan) {
  PlanTexts texts;
  EXPECT_FALSE(texts.read("/no/such/prompt.txt"));
  EXPECT_TRUE(texts.all().empty());
}

}  // namespace
}  // namespace assay
