// What was retrieved for an answer: a list of contexts, each a text, or an object with its text under one of
// the usual keys. A context whose text cannot be found would be judged as an empty one and give a score that
// looks like any other, so it is a defect of the data.
#pragma once

#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/components/data.h"

namespace assay::components {

// What is wrong with the contexts, in words; "" if nothing is.
std::string check_contexts(const Json& value);

// Each as the judge reads it: title, headings, description, text. Of contexts that check_contexts() passes.
std::vector<std::string> context_texts(const Json& value);

// Counts the keys of the contexts that nothing reads.
void count_unread_keys(const Json& value, KeyCounts& counts);

}  // namespace assay::components
