#include "runs/passed.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::optional<bool> passed(const std::string& text) {
  LineParser parser({"passed", "metrics"});
  EXPECT_TRUE(parser.parse_copy(text));
  return passed_of(parser.field(0), parser.tree(1));
}

TEST(Passed, IsWhatTheCaseAndItsThresholdsSay) {
  EXPECT_EQ(passed(R"({"passed": true})"), true);
  EXPECT_EQ(passed(R"({"passed": false})"), false);
  EXPECT_EQ(passed(R"({"metrics": {"a": {"passed": true}, "b": {"passed": false}}})"), false);
  EXPECT_EQ(passed(R"({"metrics": {"a": {"passed": false}, "b": {"passed": true}}})"), false);
  EXPECT_EQ(passed(R"({"passed": false, "metrics": {"a": {"passed": true}}})"), false);
  EXPECT_EQ(passed(R"({"metrics": {"a": {"passed": true}, "b": {"mean": 1}}})"), true);
  EXPECT_EQ(passed(R"({"passed": true, "metrics": {"a": {"passed": false}}})"), false) << "one is enough";
}

TEST(Passed, OfACaseThatHadNothingToPassIsUnknown) {
  EXPECT_EQ(passed(R"({"id": "a"})"), std::nullopt);
  EXPECT_EQ(passed(R"({"passed": null, "metrics": {"a": {"passed": null, "mean": 0.5}}})"), std::nullopt);
}

}  // namespace
}  // namespace assay
