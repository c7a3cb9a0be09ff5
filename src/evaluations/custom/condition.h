// Conditions that people write into a config. `when` is one on the fields of a case,
//
//   area == refund and (amount >= 10 or not reference)
//   area in [refund, delivery]
//
// and `passes` one on the value of a metric, with nothing before the sign: ">= 4", "in [good, fair]".
//
// - A test is a field alone (it is there, not empty and not false), or a field, a sign (== != >= > <= <, in,
//   not in) and a value. Tests are joined by `not`, `and`, `or`, which bind in this order, and parentheses.
// - A field whose name is more than a word stands in braces: {Customer ID}. A value that is more than a word,
//   or that must not be read as a number, stands in quotes.
// - A number is compared by value, also with a field that spells it ("12.0" == 12). Other values are compared
//   as texts in Unicode's form C, true and false also as yes and no; texts are ordered by code points, which
//   is right for dates such as 2024-05-01. A field that is not there, or is no number where one is compared
//   with, makes every sign but != and `not in` false. `== null` is true of a field that is not there.
//
// Pure. A condition is bounded in length and depth.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"

namespace assay::custom {

// A test, or what joins others. Of a list, the last is the whole condition.
struct ConditionNode {
  enum class Kind { all, any, none, present, equal, unequal, at_least, above, at_most, below, in, not_in };
  Kind kind = Kind::present;
  std::vector<std::size_t> parts = {};  // all, any, none: places in the list
  std::string field = {};               // of a test
  std::vector<Json> values = {};        // of a test: one, or several for in and not_in
};

class Condition {
 public:
  // `fields` are the names that the data have. The error (kind config) has the column in its context and, for
  // an unknown field, the nearest one.
  static Result<Condition> parse(std::string_view text, std::span<const std::string> fields);

  bool holds(const JsonObject& fields) const;
  // The fields that it asks for, each once.
  std::vector<std::string> fields() const;

 private:
  explicit Condition(std::vector<ConditionNode> nodes) : nodes_(std::move(nodes)) {}
  std::vector<ConditionNode> nodes_;
};

// `passes`. Numbers are equal within 10⁻⁹, as in gates: a mean of 0.9 is not below 0.9 by its last bit.
class PassRule {
 public:
  static Result<PassRule> parse(std::string_view text);

  // A number, a label or true/false.
  bool holds(const Json& value) const;
  // "<= 3", "< 3": the lower a number, the sooner it passes.
  bool wants_low() const;

 private:
  explicit PassRule(std::vector<ConditionNode> nodes) : nodes_(std::move(nodes)) {}
  std::vector<ConditionNode> nodes_;
};

}  // namespace assay::custom
