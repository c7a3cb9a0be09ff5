// Which of many p-values still count? The family, all tests that one question asks, is declared before
// looking; these functions take exactly one family. An adjusted p-value is compared with the level as it
// stands.
//
// Results stand in the order of the input. A p-value that is absent, not a number or outside [0, 1] stays
// absent and is not counted in m. Equal p-values get equal results; a larger p never gets a smaller result.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace assay {

// Keeps the chance of any false alarm at the level, whatever the dependence:
// p̃_(i) = max_{j<=i} min(1, (m-j+1)·p_(j)). Holm 1979, Scandinavian Journal of Statistics 6, 65–70.
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);
// Keeps the expected share of false alarms among all alarms at the level, for independent or positively
// dependent tests: p̃_(i) = min_{j>=i} min(1, m·p_(j)/j). Benjamini, Hochberg 1995, JRSS-B 57, 289–300.
std::vector<std::optional<double>> benjamini_hochberg(std::span<const std::optional<double>> p);
// The same under any dependence, at the price of the factor Σ_{j=1..m} 1/j. Benjamini, Yekutieli 2001, Annals
// of Statistics 29, 1165–1188.
std::vector<std::optional<double>> benjamini_yekutieli(std::span<const std::optional<double>> p);

}  // namespace assay
