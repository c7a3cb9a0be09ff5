// The alternative annotator test of a judge against the people who labelled the same cases, each under a name
// (stats/agreement/alt_test.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluations/human_agreement.h"
#include "stats/agreement/alt_test.h"
#include "stats/agreement/ratings.h"

namespace assay {

// What each person said of each case: a column for each, in the order of their names.
struct PeopleRatings {
  std::vector<std::string> names;
  Ratings ratings;
};
PeopleRatings people_ratings(std::span<const LabelledCase> cases);

// Is the judge as good as one more of the people who each labelled these cases?
struct AnnotatorTest {
  std::vector<std::string> names;  // of the test's humans, in its order
  AltTestOptions options;
  AltTest test;
  // Why there is no verdict; "" if there is one (test.passed).
  std::string no_verdict() const;
};
// Nothing of fewer than two people.
std::optional<AnnotatorTest> annotator_test(std::span<const LabelledCase> cases);

}  // namespace assay
