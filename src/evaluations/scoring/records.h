// records: are the rows right, in any order? Pure.
//
//   score = 2·Σ a / (expected rows + answer's rows)
//
// over the rows matched by id, where a is the share of a row's expected fields (the id aside) whose value is
// right: the F1 of the rows, each counting as far as it is right. A row without further fields has a = 1.
// Rows of one id are matched in their order, so a repeated row is one too many. Fields that are not expected
// are not looked at. Two empty lists score 1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "evaluations/scoring/rows.h"

namespace assay::scoring {

struct Records {
  double score = 0;
  std::optional<double> precision;       // matched rows, right fields or not, of those of the answer
  std::optional<double> recall;          // matched rows, of the expected ones; nothing if there are none
  double f1 = 0;                         // 2·matched / (expected rows + answer's rows)
  std::optional<double> field_accuracy;  // right fields of matched rows, of all; nothing if there are none
  struct Field {
    std::int64_t right = 0;
    std::int64_t compared = 0;
  };
  std::map<std::string, Field> fields;  // over matched rows
  std::int64_t matched = 0;
  std::int64_t missing = 0;
  std::int64_t extra = 0;
};

using Tolerances = std::map<std::string, double>;

// Fields without a tolerance must be equal.
Records compare_records(const Rows& expected, const Rows& answer, const Tolerances& tolerances,
                        bool strict_types);
JsonObject to_json(const Records& records);

}  // namespace assay::scoring
