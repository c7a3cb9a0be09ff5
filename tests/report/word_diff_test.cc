#include "report/word_diff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

std::string shown(std::string_view before, std::string_view after) {
  std::string text;
  for (const WordRun& run : word_diff(before, after).runs) {
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

std::string repeated(std::string_view word, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += word;
  return text;
}

TEST(WordDiff, what_two_long_texts_begin_and_end_with_alike_is_not_marked) {
  const std::string words = repeated("w ", kMostDiffWords + 1);
  EXPECT_EQ(shown(words + "old " + words, words + "new " + words),
            "=" + words + "|-old |+new |=" + words + "|");
  EXPECT_EQ(shown(words, words), "=" + words + "|");
  EXPECT_EQ(shown("a a", "a"), "=a|-a|");
}

TEST(WordDiff, where_too_many_words_differ_they_are_not_taken_apart_which_is_said) {
  const std::string before = repeated("one ", kMostDiffWords + 1);
  const std::string after = repeated("two ", kMostDiffWords + 1);
  EXPECT_EQ(shown("Hm, " + before + "end", "Hm, " + after + "end"),
            "=Hm, |-" + before + "|+" + after + "|=end|");
  EXPECT_FALSE(word_diff(before, after).taken_apart);
  EXPECT_TRUE(word_diff(before, before + "end").taken_apart);
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
  for (const WordRun& run : word_diff(before, after).runs) {
    if (run.kind != WordRun::Kind::added) old_text += run.text;
    if (run.kind != WordRun::Kind::removed) new_text += run.text;
  }
  RC_ASSERT(old_text == before);
  RC_ASSERT(new_text == after);
}

}  // namespace
}  // namespace assay
