#include "evaluations/worst_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;

std::vector<std::string> ids(const std::vector<NotableCase>& cases) {
  std::vector<std::string> list;
  for (const NotableCase& one : cases) list.push_back(one.id);
  return list;
}

TEST(WorstCases, FailuresComeFirstThenTheLowestAndOfEqualsThoseThatAreBadInMoreWays) {
  WorstCases worst;
  worst.add(then_by(0, 0.9), {"a", "", {}});
  worst.add(then_by(0.5, 0), {"b", "", {}});
  worst.add(then_by(0, 0.2), {"c", "", {}});
  worst.add(-1, {"failed", "", {}});
  worst.add(then_by(0, 0.9), {"d", "", {}});
  EXPECT_THAT(ids(worst.take()), ElementsAre("failed", "c", "a", "d", "b"));
}

TEST(WorstCases, KeepsManyCasesThatAreShortAndFewerThatAreLong) {
  WorstCases few;
  for (int i = 0; i < 500; ++i) few.add(0.5, {std::to_string(i), "", {{"question", "short"}}});
  EXPECT_EQ(few.take().size(), WorstCases::kKept);
  WorstCases large;
  for (int i = 0; i < 500; ++i)
    large.add(0.5,
              {std::to_string(i), "", {{"question", "short"}, {"context", std::string(1'000'000, 'x')}}});
  const std::vector<NotableCase> shown = large.take();
  EXPECT_GE(shown.size(), WorstCases::kFewest);
  std::size_t bytes = 0;
  for (const NotableCase& one : shown) bytes += one.fields[1].second.size();
  EXPECT_LE(bytes, WorstCases::kAllBytes);
  EXPECT_EQ(shown.front().fields[0].second, "short");
}

}  // namespace
}  // namespace assay
