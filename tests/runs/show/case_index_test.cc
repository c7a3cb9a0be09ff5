#include "runs/show/case_index.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// A finished run without a journal: its results are all there is.
struct CaseIndexTest : testing::Test {
  std::string directory = testing::TempDir() + "assay-index-" + std::to_string(::getpid());

  void SetUp() override {
    std::filesystem::create_directories(directory);
    write("config.yaml", "evaluation: question_router\n");
    write("summary.json", "{}");
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory + "/" + name) << text;
  }
  void write_cases() const {
    write(
        "results.jsonl",
        R"({"id":"a","outcome":"scored","question":"Where is\nthe Permit office?","actual_outcome":"permits","scores":{"f1":0.5},"usage":{"cost_usd":0.25},"latency_ms":20}
{"id":"b","outcome":"scored","passed":false,"question":"What does it cost?","actual_outcome":"fees","scores":{"f1":0.25,"recall":1},"usage":{"cost_usd":null},"latency_ms":30}

{"id":"C","outcome":"judge_failed","question":"Who?","error":"the judge gave no usable answer","scores":{"f1":null}}
{"id":"d","outcome":"scored","fields":{"area":"permits","text":"How long does it take?"},"scores":{"f1":0.5},"latency_ms":10}
)");
  }
  std::vector<std::string> ids(const CaseQuery& query) const {
    const auto index = CaseIndex::read(directory);
    EXPECT_TRUE(index) << index.error().text();
    const auto page = (*index)->page(query);
    EXPECT_TRUE(page) << page.error().text();
    std::vector<std::string> ids;
    for (const CaseGlance& one : page->rows) ids.push_back(one.id);
    return ids;
  }
};

TEST_F(CaseIndexTest, TheFirstRowsAreThereWithoutReadingOn) {
  write("results.jsonl", R"({"id":"a","outcome":"scored","question":"Where?","scores":{"f1":0.5}}
{"id":"b","outcome":"scored","question":"When?","scores":{"f1":1}}
no JSON at all
)");
  EXPECT_FALSE(CaseIndex::read(directory));
  const auto first = CaseIndex::read_first(directory, 2);
  ASSERT_TRUE(first) << first.error().text();
  const auto page = (*first)->page({.count = 2});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->rows.at(1).id, "b");
  EXPECT_EQ(page->rows.at(1).text, "When?");
}

TEST_F(CaseIndexTest, KnowsWhatTheLinesSay) {
  write_cases();
  const auto index = CaseIndex::read(directory);
  ASSERT_TRUE(index) << index.error().text();
  EXPECT_EQ((*index)->size(), 4U);
  EXPECT_TRUE((*index)->finished());
  EXPECT_THAT((*index)->scores(), ElementsAre("f1", "recall"));
  EXPECT_THAT((*index)->outcomes(),
              ElementsAre(Pair("judge_failed", 1), Pair("not passed", 1), Pair("scored", 2)));
  const auto page = (*index)->page({});
  ASSERT_TRUE(page);
  ASSERT_EQ(page->rows.size(), 4U);
  EXPECT_EQ(page->rows[0].text, "Where is the Permit office?") << "one line";
  EXPECT_EQ(page->rows[3].text, "How long does it take?") << "out of the fields of a declared evaluation";
  EXPECT_EQ(page->rows[0].cost_usd, 0.25);
  EXPECT_EQ(page->rows[1].cost_usd, std::nullopt) << "an unknown price is none";
  EXPECT_EQ(page->rows[1].ended(), "not passed");
  EXPECT_EQ(page->rows[2].error, "the judge gave no usable answer");
  EXPECT_THAT(page->rows[1].scores, ElementsAre(Pair("f1", 0.25), Pair("recall", 1.0)));
}

TEST_F(CaseIndexTest, FiltersSortsAndPages) {
  write_cases();
  EXPECT_THAT(ids({.outcome = "scored"}), ElementsAre("a", "d"));
  EXPECT_THAT(ids({.failed = true}), ElementsAre("b", "C"));
  EXPECT_THAT(ids({.search = "PERMIT"}), ElementsAre("a", "d")) << "anywhere in the line, whatever the case";
  EXPECT_THAT(ids({.search = "c"}), ElementsAre("a", "b", "C", "d")) << "keys and values of the line";
  EXPECT_THAT(ids({.traits = {{"actual_outcome", "fees"}}}), ElementsAre("b"));
  EXPECT_THAT(ids({.traits = {{"", "permits"}}}), ElementsAre("a", "d")) << "whichever trait has the value";
  EXPECT_THAT(ids({.traits = {{"area", "permits"}, {"", "fees"}}}), IsEmpty());
  EXPECT_THAT(ids({.metric = "f1", .above = 0.3}), ElementsAre("a", "d"));
  EXPECT_THAT(ids({.metric = "f1", .below = 0.3}), ElementsAre("b")) << "what has no value fits no bound";
  EXPECT_THAT(ids({.sort = "f1"}), ElementsAre("b", "a", "d", "C")) << "equal ones in input order, none last";
  EXPECT_THAT(ids({.sort = "f1", .descending = true}), ElementsAre("a", "d", "b", "C"));
  EXPECT_THAT(ids({.sort = "latency"}), ElementsAre("d", "a", "b", "C"));
  EXPECT_THAT(ids({.sort = "id"}), ElementsAre("C", "a", "b", "d"));
  EXPECT_THAT(ids({.descending = true, .offset = 1, .count = 2}), ElementsAre("C", "b"));
  EXPECT_THAT(ids({.offset = 9}), IsEmpty());
}

TEST_F(CaseIndexTest, TheNextPageIsOfTheSameOrder) {
  write_cases();
  const auto index = CaseIndex::read(directory);
  ASSERT_TRUE(index);
  CaseQuery query{.sort = "latency", .count = 2};
  EXPECT_EQ((*index)->page(query)->rows.front().id, "d");
  query.offset = 2;
  EXPECT_EQ((*index)->page(query)->rows.front().text, "What does it cost?");
  query = {.search = "nobody", .sort = "latency"};
  EXPECT_EQ((*index)->page(query)->fitting, 0U) << "another question is not answered from the last one";
}

TEST_F(CaseIndexTest, AnUnknownScoreIsToldWithThoseThereAre) {
  write_cases();
  const auto index = CaseIndex::read(directory);
  ASSERT_TRUE(index);
  for (const CaseQuery& query : {CaseQuery{.sort = "f2"}, CaseQuery{.metric = "f2", .above = 0}}) {
    const auto page = (*index)->page(query);
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().kind, ErrorKind::usage);
    EXPECT_THAT(page.error().message, HasSubstr("f1, recall"));
  }
}

TEST_F(CaseIndexTest, DeclaredSlicesComeFirstAndIdsAndFreeTextsAreNoTraits) {
  write("config.yaml", "evaluation: custom\nslices: [area, city]\n");
  std::string lines;
  for (int i = 0; i < 4; ++i) {
    lines += fmt::format(
        R"({{"id":"c{0}","outcome":"scored","fields":{{"id":"c{0}","kind":"{1}","question":"What is {0}?","city":"town {0}","area":"{2}"}}}})",
        i, i % 2 == 0 ? "faq" : "form", i < 3 ? "permits" : "tax");
    lines += '\n';
  }
  write("results.jsonl", lines);
  const auto index = CaseIndex::read(directory);
  ASSERT_TRUE(index) << index.error().text();
  EXPECT_THAT((*index)->traits(),
              ElementsAre(Pair("area", ElementsAre("permits", "tax")),
                          Pair("city", ElementsAre("town 0", "town 1", "town 2", "town 3")),
                          Pair("kind", ElementsAre("faq", "form"))));
}

TEST_F(CaseIndexTest, CasesAreToldApartByTopicsPersonasAndVerdicts) {
  write(
      "results.jsonl",
      R"({"id":"a","outcome":"scored","expected_primary_topic":"tax","actual_primary_topic":"tax","personaId":"ines","verdicts":[{"guideline":"greet","applied":true},{"guideline":"cost","applied":null}]}
{"id":"b","outcome":"scored","expected_primary_topic":"tax","actual_primary_topic":"home","personaId":"ines","verdicts":[{"guideline":"greet","applied":false},{"guideline":"cost","skipped":"off"}]}
{"id":"c","outcome":"scored","personaId":"kim","perspectiveId":"fit","verdicts":[{"classificationName":"urgency","perspectiveId":"fit","evaluationLikert":4}]}
{"id":"d","outcome":"scored","personaId":"kim","verdicts":[{"classificationName":"urgency","perspectiveId":"fit","evaluationAgreement":"AGREE"}]}
)");
  const auto chosen = [&](const char* name, const char* value) { return ids({.traits = {{name, value}}}); };
  EXPECT_THAT(chosen("actual_primary_topic", "home"), ElementsAre("b"));
  EXPECT_THAT(chosen("personaId", "kim"), ElementsAre("c", "d"));
  EXPECT_THAT(chosen("greet", "not applied"), ElementsAre("b"));
  EXPECT_THAT(chosen("cost", "undetermined"), ElementsAre("a"));
  EXPECT_THAT(chosen("urgency", "4"), ElementsAre("c"));
  EXPECT_THAT(chosen("urgency, fit", "AGREE"), ElementsAre("d")) << "a request of several perspectives";
}

TEST_F(CaseIndexTest, AnUnknownTraitOrValueIsToldWithThoseThereAre) {
  write_cases();
  const auto index = CaseIndex::read(directory);
  ASSERT_TRUE(index);
  const auto told = [&](const char* name, const char* value) {
    const auto page = (*index)->page({.traits = {{name, value}}});
    return page ? std::string() : page.error().message;
  };
  EXPECT_EQ(told("actual_outcome", "tax"),
            "slice: found \"actual_outcome:tax\", expected actual_outcome to be permits, fees");
  EXPECT_THAT(told("colour", "red"), HasSubstr("expected one of the traits actual_outcome"));
}

TEST_F(CaseIndexTest, ATraitOfManyValuesIsNone) {
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines += R"({"id":"c)" + std::to_string(i) + R"(","outcome":"scored","model":"m)" +
             std::to_string(i % 2) + R"(","fields":{"name":"n)" + std::to_string(i) + "\"}}\n";
  }
  write("results.jsonl", lines);
  const auto index = CaseIndex::read(directory);
  ASSERT_TRUE(index);
  EXPECT_THAT((*index)->traits(), ElementsAre(Pair("model", UnorderedElementsAre("m0", "m1"))));
  EXPECT_EQ((*index)->page({.traits = {{"model", "m1"}}})->fitting, 150U);
}

TEST_F(CaseIndexTest, IsReadAnewWhenTheRunHasChanged) {
  write_cases();
  CaseIndexes indexes;
  EXPECT_EQ((*indexes.of(directory))->size(), 4U);
  ASSERT_EQ((*indexes.of(directory))->size(), 4U);
  write("results.jsonl", R"({"id":"a","outcome":"scored"})");
  // However long the first reading took, its result is not kept for ever.
  for (int i = 0; i < 1000 && (*indexes.of(directory))->size() != 1; ++i) ::usleep(1000);
  EXPECT_EQ((*indexes.of(directory))->size(), 1U);
  std::filesystem::remove(directory + "/config.yaml");
  std::filesystem::remove(directory + "/results.jsonl");
  EXPECT_FALSE(CaseIndex::read(directory));
}

}  // namespace
}  // namespace assay
