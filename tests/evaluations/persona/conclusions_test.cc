#include "evaluations/persona/conclusions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/figures.h"

namespace assay::persona {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Estimate rate(double value, std::int64_t n) {
  Estimate estimate;
  estimate.value = value;
  estimate.n = n;
  return estimate;
}

TEST(PersonaConclusions, SayWithHowMuchThePersonasAgreeAndWithWhatLeast) {
  Summary summary;
  summary.metrics = {figures::share("agreement_rate", rate(0.5, 8)),
                     figures::share("human.exact_match", rate(0.25, 4))};
  EXPECT_THAT(conclusions(summary, {{"topic", rate(0.75, 4)}, {"urgency", rate(0.25, 4)}},
                          {{"Ines", rate(0.5, 4)}, {"Tobias", rate(0.5, 4)}}),
              ElementsAre("The 2 personas agree with 50.0% (n = 8) of the classifications.",
                          "Least agreed with is urgency: 25.0% (n = 4); most topic: 75.0% (n = 4).",
                          "People gave the same rating in 25.0% (n = 4)."));
}

TEST(PersonaConclusions, NameTheOnlyPersonaAndSayWhenNothingIsKnown) {
  Summary summary;
  summary.metrics = {figures::share("agreement_rate", rate(1, 2))};
  EXPECT_THAT(conclusions(summary, {{"topic", rate(1, 2)}}, {{"Ines", rate(1, 2)}}),
              ElementsAre("Ines agrees with 100.0% (n = 2) of the classifications."));
  EXPECT_THAT(conclusions({}, {}, {}), ElementsAre(HasSubstr("No request was answered")));
}

}  // namespace
}  // namespace assay::persona
