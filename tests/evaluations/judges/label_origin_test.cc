#include "evaluations/judges/label_origin.h"

#include <boost/json/object.hpp>
#include <gtest/gtest.h>

namespace assay {
namespace {

JsonObject config(const char* judge) {
  return {
      {"evaluation", "rag_answers"}, {"input_path", "data.jsonl"}, {"judge", JsonObject{{"model", judge}}}};
}

const std::map<std::string, std::string> kPrompts{{"rag/coherence", "1a2b"}};

LabelOrigin origin(const char* judge, const std::map<std::string, std::string>& prompts = kPrompts) {
  return label_origin("rag_answers", config(judge), prompts, "2026-11-18T20:14:08Z");
}

TEST(LabelOrigin, GoesThroughTheColumnOfAFile) {
  const std::string text = to_text(origin("openai/gpt-4o"));
  const auto back = label_origin_from(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(to_text(*back), text);
  EXPECT_FALSE(label_origin_from(""));
  EXPECT_FALSE(label_origin_from("yesterday by=Ana prompts=x"));
}

TEST(LabelOrigin, SaysWhatChangedSinceTheLabels) {
  const std::string drawn = to_text(origin("openai/gpt-4o"));
  EXPECT_EQ(label_age(drawn, origin("openai/gpt-4o")),
            "The labels are from 2026-11-18; neither judge nor prompts have changed since.");
  EXPECT_TRUE(label_age(drawn, origin("openai/gpt-4o", {{"rag/coherence", "other"}}))
                  .starts_with("The labels are from 2026-11-18, before the judge's prompt, or another file "
                               "that it goes by, changed:"));
  EXPECT_TRUE(
      label_age(drawn, origin("openai/gpt-5")).contains("before the judge, or what it is asked, changed"));
  EXPECT_TRUE(label_age("", origin("openai/gpt-4o")).starts_with("The labels do not say"));
}

TEST(LabelOrigin, IsSaidOnceForFilesOfOneAgeAndNamesThemWhereTheyDiffer) {
  const std::string drawn = to_text(origin("openai/gpt-4o"));
  const std::vector<LabelsDrawn> same = {{"a.csv", drawn}, {"b.csv", drawn}};
  EXPECT_EQ(label_ages(same, origin("openai/gpt-4o")),
            std::vector<std::string>{
                "The labels are from 2026-11-18; neither judge nor prompts have changed since."});
  const std::vector<LabelsDrawn> other = {{"a.csv", drawn}, {"b.csv", ""}, {"c.csv", drawn}};
  const auto told = label_ages(other, origin("openai/gpt-4o"));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_TRUE(told[0].starts_with("The labels in a.csv, c.csv are from 2026-11-18;"));
  EXPECT_TRUE(told[1].starts_with("The labels in b.csv do not say"));
}

// Where the data lie plays no part, who judges does.
TEST(LabelOrigin, IsOfTheJudgingAlone) {
  JsonObject moved = config("openai/gpt-4o");
  moved["input_path"] = "elsewhere.jsonl";
  EXPECT_EQ(to_text(label_origin("rag_answers", moved, kPrompts, "2026-11-18T20:14:08Z")),
            to_text(origin("openai/gpt-4o")));
}

}  // namespace
}  // namespace assay
