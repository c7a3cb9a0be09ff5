// Conditions that people write into a config (`when`, `passes`) and the paths of `of`. What is refused is
// refused in words; what is read asks only for fields that are there, and can be asked of any case.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "evaluations/custom/condition.h"
#include "evaluations/custom/subject_path.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const std::vector<std::string> fields = {"area", "amount", "reference", "a b"};
  static const JsonObject cases[] = {{},
                                     {{"area", "refund"}, {"amount", 10}, {"reference", ""}, {"a b", true}},
                                     {{"area", nullptr}, {"amount", "1e3"}, {"reference", JsonArray{1}}}};
  const auto condition = custom::Condition::parse(text, fields);
  fuzz::require_words(condition);
  if (condition) {
    for (const std::string& name : condition->fields()) fuzz::require(std::ranges::count(fields, name) == 1);
    for (const JsonObject& one : cases) fuzz::require(condition->holds(one) == condition->holds(one));
    // `not` in front of the whole turns it round, unless that makes it too deep or too long.
    const auto opposite = custom::Condition::parse("not (" + std::string(text) + ")", fields);
    if (opposite) fuzz::require(opposite->holds(cases[1]) != condition->holds(cases[1]));
  }
  const auto rule = custom::PassRule::parse(text);
  fuzz::require_words(rule);
  if (rule) fuzz::require(rule->holds(0.5) == rule->holds(0.5));

  const auto path = custom::SubjectPath::parse(text, fields);
  fuzz::require_words(path);
  if (path) {
    const Json output = boost::json::string(R"({"refund": {"amount": 5}, "": [1, 2]})");
    const Json none = nullptr;
    const auto found = path->find({output, none, none, none, cases[1]});
    if (found.value == nullptr) fuzz::require_words(found.reason);
  }
  return 0;
}
