#include "report/pages/label_sheet.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(LabelSheetPage, HoldsForeignTextAsDataOnly) {
  LabelSheet sheet;
  sheet.title = "<b>tone</b>";
  sheet.question = "Is it <i>right</i>?";
  sheet.rules = "<u>Decide</u>";
  sheet.file = "labels.csv";
  sheet.tasks.push_back(
      {"</script><script>alert(1)</script>", 0.5, {{"answer", "<img src=x onerror=alert(2)>"}}});
  const std::string page = label_sheet_page(sheet);
  EXPECT_FALSE(page.contains("<script>alert"));
  EXPECT_FALSE(page.contains("<img"));
  EXPECT_FALSE(page.contains("<b>tone"));
  EXPECT_FALSE(page.contains("<i>right"));
  EXPECT_FALSE(page.contains("<u>Decide"));
  EXPECT_TRUE(page.contains("default-src 'none'"));
  EXPECT_TRUE(page.contains("script-src 'sha256-"));
}

TEST(LabelSheetPage, OffersWhatTheFigureIsMeasuredIn) {
  LabelSheet sheet;
  sheet.tasks.push_back({"1", 1, {}});
  sheet.yes_no = true;
  EXPECT_TRUE(label_sheet_page(sheet).contains(R"({"value":1E0,"words":"yes","press":"y"})") ||
              label_sheet_page(sheet).contains(R"("words":"yes","press":"y")"));
  sheet.yes_no = false;
  EXPECT_TRUE(label_sheet_page(sheet).contains(R"("words":"0.250","press":"2")") ||
              label_sheet_page(sheet).contains(R"("words":"0.25","press":"2")"));
  sheet.range = {1, 5};
  EXPECT_TRUE(label_sheet_page(sheet).contains(R"x("words":"5 (most)","press":"5")x"));
  sheet.question = "Which tone?";
  sheet.levels = {"cold", "even", "warm"};
  EXPECT_TRUE(label_sheet_page(sheet).contains(R"("words":"warm","press":"3")"));
  EXPECT_EQ(asked_in_words(sheet, sheet.tasks[0]), "Which tone?\n1 = cold; 3 = even; 5 = warm");
}

}  // namespace
}  // namespace assay
