#include "report/layout.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;

TEST(Wrapped, BreaksAtSpacesAndKeepsLinesAndTheirIndent) {
  EXPECT_THAT(wrapped("one two three\n\n  four five six\n", 10),
              ElementsAre("one two", "three", "", "  four", "  five six"));
  EXPECT_THAT(wrapped("abcdefghijkl mn", 8), ElementsAre("abcdefgh", "ijkl mn"));
  // Four characters of two columns each.
  EXPECT_THAT(wrapped("漢字漢字漢字", 8), ElementsAre("漢字漢字", "漢字"));
  EXPECT_THAT(wrapped("", 10), ElementsAre());
}

TEST(Wrapped, MakesVisibleWhatWouldActOnATerminal) {
  EXPECT_THAT(wrapped("a\tb\x1b[2Jc", 40), ElementsAre("a    b\\u{1b}[2Jc"));
}

// A megabyte on one line: as long as it takes is measured in the number of its characters.
TEST(Wrapped, TakesALineOfAnyLength) {
  EXPECT_EQ(wrapped(std::string(1'000'000, 'x'), 100).size(), 10'000U);
}

}  // namespace
}  // namespace assay
