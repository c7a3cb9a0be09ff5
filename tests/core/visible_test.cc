#include "core/visible.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace assay {
namespace {

TEST(Visible, ControlsAreWrittenOut) {
  EXPECT_EQ(visible("a\nerror: b\r\tc"), "a\\nerror: b\\r\\tc");
  EXPECT_EQ(visible("\x1b[2J\x7f"), "\\u{1b}[2J\\u{7f}");
  EXPECT_EQ(visible("\xC2\x9B"
                    "31m\xC2\x85"),
            "\\u{9b}31m\\u{85}")
      << "C1";
  EXPECT_EQ(visible("\xE2\x80\xAE\xE2\x80\xA8"), "\\u{202e}\\u{2028}") << "direction and line ends";
  EXPECT_EQ(visible("\x9B\xFF"), "\\x9b\\xff") << "not UTF-8";
}

TEST(Visible, TextsStayAsTheyAre) {
  EXPECT_EQ(visible("Grüße, 日本語 🙂 \"quoted\" \\n"), "Grüße, 日本語 🙂 \"quoted\" \\n");
  EXPECT_EQ(visible("two\nlines\n", LineBreaks::kept), "two\nlines\n");
}

RC_GTEST_PROP(Visible, NothingThatActsIsLeft, (const std::string& bytes)) {
  for (const char c : visible(bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    RC_ASSERT(byte >= 0x20 && byte != 0x7F);
  }
}

}  // namespace
}  // namespace assay
