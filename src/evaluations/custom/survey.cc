#include "evaluations/custom/survey.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "engine/case.h"

namespace assay::custom {
namespace {

constexpr std::int64_t kMostCases = 1'000'000;

bool is_empty(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_string().empty()) ||
         (value.is_array() && value.get_array().empty());
}

}  // namespace

Survey survey(CaseSource& source, const std::function<void(const JsonObject& fields)>& look) {
  Survey found;
  for (;;) {
    auto more = source.next();
    if (!more) found.whole = false;  // reading cannot go on: whoever opens the data for the run says why
    if (!more || !*more) return found;
    if (found.cases == kMostCases) {
      found.whole = false;
      return found;
    }
    ++found.cases;
    const CaseTree tree(source.current());
    const JsonObject* fields = tree->if_object();
    if (fields == nullptr) continue;
    for (const auto& [name, value] : *fields) {
      auto [entry, is_new] = found.fields.try_emplace(std::string(name), 0);
      if (is_new) found.names.emplace_back(name);
      if (!is_empty(value)) ++entry->second;
    }
    look(*fields);
  }
}

}  // namespace assay::custom
