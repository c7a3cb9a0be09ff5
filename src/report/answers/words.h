// Parts that answers are written with.
#pragma once

#include <string>
#include <vector>

#include "core/json/json.h"
#include "stats/estimate.h"
#include "stats/test_result.h"

namespace assay::answers {

using Row = std::vector<std::string>;

// Columns of text, numbers to the right; every row is one line.
std::string text_table(const std::vector<Row>& rows);
// Name, value, interval, n, and why something is not there or was left out.
Row figure_row(std::string name, const Estimate& estimate);
// "all ratings are equal; ratings absent 3": what a figure's row says beside its numbers.
std::string remarks(const Estimate& estimate);
// {STATISTIC, p, method}, and df and undefined where there are any.
JsonObject test_json(const TestResult& test, const char* statistic);

}  // namespace assay::answers
