#include "report/word_diff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

std::string shown(std::string_view before, std::string_view after) {
  std::string text;
  for (const WordRun& run : word_diff(before, after)) {
    const char* mark = run.kind == WordRun::Kind::both ? "=" : run.kind == WordRun::Kind::added ? "+" : "-";
    text += mark + run.text + "|";
  }
  return text;
}

TEST(WordDiff, marks_what_was_put_in_and_taken_out) {
  EXPECT_EQ(shown("the old fee is 5", "the new fee is 5"), "=the |-old |+new |=fee is 5|");
  EXPECT_EQ(shown("a b", "a b"), "=a b|");
  EXPECT_EQ(shown("", "x y"), "+x y|");
  EXPECT_EQ(shown("x", ""), "-x|");
  EXPECT_EQ(shown("", ""), "");
  EXPECT_EQ(shown("one\ntwo", "one two"), "=one two|") << "white space alone is no difference";
}

TEST(WordDiff, long_texts_are_not_taken_apart) {
  std::string before;
  for (std::size_t i = 0; i <= kMostDiffWords; ++i) before += "w ";
  EXPECT_EQ(word_diff(before, "w").size(), 2U);
  EXPECT_EQ(word_diff(before, before).size(), 1U);
}

RC_GTEST_PROP(WordDiff, both_texts_can_be_read_from_it, ()) {
  const auto words =
      rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>("a ", "b ", "c "));
  std::string before;
  std::string after;
  for (const std::string& word : *words) before += word;
  for (const std::string& word : *words) after += word;
  std::string old_text;
  std::string new_text;
  for (const WordRun& run : word_diff(before, after)) {
    if (run.kind != WordRun::Kind::added) old_text += run.text;
    if (run.kind != WordRun::Kind::removed) new_text += run.text;
  }
  RC_ASSERT(old_text == before);
  RC_ASSERT(new_text == after);
}

}  // namespace
}  // namespace assay
