// What was judged in a case, for a person who is to judge it too: the fields of its input with what the
// system under test answered, and nothing of what the judge said. Fields that the evaluation does not know
// are left out: no judge has seen them, and they may say what is wrong with the case.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

// Of the named cases of the run in `directory`, by id: the lines of generated.jsonl where the run called its
// target, else the run's data. An error if the data have gone, or hold a named case no more.
Result<std::map<std::string, JsonObject>> case_material(const std::string& directory,
                                                        const std::set<std::string>& ids);

// The same of parts of cases that are judged for themselves (evaluations/score.h), by case and part.
struct CasePart {
  std::string id;
  std::string part;
  auto operator<=>(const CasePart&) const = default;
};
Result<std::map<CasePart, JsonObject>> part_material(const std::string& directory,
                                                     const std::set<CasePart>& parts);

// A field as a person reads it: texts as they are, a list of texts one below the other, all else as JSON.
std::string material_text(const Json& value);

}  // namespace assay
