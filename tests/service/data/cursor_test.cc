#include "service/data/cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;

TEST(Cursor, IsReadBackInItsListOnly) {
  const std::string item = "an item: \u00e9 42";
  const std::string text = cursor_text('s', {7, -5}, item);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz"), std::string::npos);
  const auto read = read_cursor('s', 2, text);
  ASSERT_TRUE(read);
  EXPECT_THAT(read->numbers, ElementsAre(7, -5));
  EXPECT_EQ(read->text, item);
  EXPECT_FALSE(read_cursor('n', 2, text));
  EXPECT_FALSE(read_cursor('s', 3, text)) << "the item is no number";
  for (const std::size_t cut : {0U, 1U, 2U, 3U, 5U})
    EXPECT_FALSE(read_cursor('s', 2, text.substr(0, cut))) << cut;
  EXPECT_FALSE(read_cursor('s', 2, "szz"));
}

}  // namespace
}  // namespace assay
