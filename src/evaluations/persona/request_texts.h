// A request as a person reads it who is to say what the judge was asked to say: the persona, the perspective,
// the item and how the software classified it. Everything that the judge saw of them, and nothing else. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json.h"

namespace assay::persona {

using RequestTexts = std::vector<std::pair<std::string, std::string>>;  // name and text, in order

// Of one of its questions.
RequestTexts question_texts(const Json& request, std::string_view perspective_id,
                            std::string_view classification_id);
// With all its perspectives and classifications.
RequestTexts request_texts(const Json& request);

}  // namespace assay::persona
