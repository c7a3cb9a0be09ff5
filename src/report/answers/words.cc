#include "report/answers/words.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>

#include "report/figure_json.h"
#include "report/terminal.h"
#include "report/words.h"

namespace assay::answers {

std::string text_table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - display_width(row[i]), ' ');
      // Names to the left, figures to the right, the last column (words) to the left again.
      const bool left = i == 0 || i + 1 == row.size();
      line += (i > 0 ? "  " : "") + (left ? row[i] + space : space + row[i]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string remarks(const Estimate& estimate) {
  const std::string missing = missing_words(estimate);
  return estimate.undefined + (estimate.undefined.empty() || missing.empty() ? "" : "; ") + missing;
}

Row figure_row(std::string name, const Estimate& estimate) {
  return {std::move(name), number_or_none(estimate.value), interval_or_none(estimate),
          std::to_string(estimate.n), remarks(estimate)};
}

JsonObject test_json(const TestResult& test, const char* statistic) {
  JsonObject json{
      {statistic, number_json(test.statistic)}, {"p", number_json(test.p)}, {"method", test.method}};
  if (test.df) json["df"] = *test.df;
  if (!test.undefined.empty()) json["undefined"] = test.undefined;
  return json;
}

}  // namespace assay::answers
