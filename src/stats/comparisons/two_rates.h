// Do the rates of two groups of different cases differ? By how much, how sure, and with which odds. Cases
// that both groups answered are compared by mcnemar in stats/pairs.h. A group without cases, or a count
// outside 0…n, is undefined and says so.
#pragma once

#include <cstdint>

#include "stats/test_result.h"

namespace assay {

struct Share {
  std::int64_t count = 0;  // of successes
  std::int64_t n = 0;      // of cases
};

// Difference of rates with Newcombe's interval from the two Wilson intervals (Statistics in Medicine 17,
// 1998, 873–890, method 10: "newcombe"), which is never a point and stays within [-1, 1]. The test is z with
// the pooled rate ("z_pooled"); undefined if every case, or none, of both groups succeeded. For small groups
// prefer fisher_exact.
Contrast two_proportions(Share a, Share b, double level = 0.95);

// Fisher's exact test: given the margins, the first count is hypergeometric; the two-sided p adds the tables
// that are no more likely than the one seen, a one-sided p those with at least (greater) or at most (less) so
// many successes in the first group. The odds ratio is the conditional maximum likelihood estimate with the
// exact interval (each tail (1-level)/2 of the noncentral hypergeometric distribution), as R's two-sided
// fisher.test, whatever the alternative. If every possible success fell to the first group it has no finite
// estimate and is undefined (odds_ratio in stats/effect_size.h gives a corrected one); in the opposite case
// it is 0. Margins that admit one table only (all succeeded) give p = 1 and no odds ratio. Method
// "fisher_exact".
struct FisherExact {
  TestResult test;
  Estimate odds_ratio;
};
FisherExact fisher_exact(Share a, Share b, double level = 0.95,
                         Alternative alternative = Alternative::two_sided);

}  // namespace assay
