// What a case's outcome keeps: the answers that were given, and the marks that had to be asked for.
//
//   {"answers": [{"variant", "repeat", "output", "contexts", "trace", "meta"} or {…, "error", "outcome"}],
//    "marks": {"old/1/correct": {…}}}
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "engine/outcome.h"
#include "evaluations/cascade/cascade_record.h"
#include "evaluations/custom/marks.h"
#include "evaluations/custom/variant.h"

namespace assay::custom {

// One answer, or why there is none.
struct Answered {
  std::optional<Reply> reply = {};
  OutcomeKind outcome = OutcomeKind::scored;
  std::string error = {};
};

Answered answered(Result<Reply> reply);

struct CaseRecord {
  std::vector<std::vector<Answered>> answers;  // by variant, then by repeat
  std::map<std::string, Mark> marks;           // by step
  std::optional<CascadeRecord> cascade = {};   // who was asked for the one that a cascade decides
};

// "old/1/correct"; without variants "1/correct".
std::string step_name(const std::string& variant, int repeat, const std::string& what);

JsonObject to_json(const CaseRecord& record, const std::vector<std::string>& variants);
// An answer that the record does not hold has no reply and no error.
CaseRecord read_record(const JsonObject& result, const std::vector<std::string>& variants, int repeats);

// An answer as output_line() wrote it, or as the outcome keeps it.
Answered answer_in(const Json& entry);
// A reply with its variant and repeat, as outputs.jsonl has it.
JsonObject output_line(const Answered& answer, const std::string& variant, int repeat);

}  // namespace assay::custom
