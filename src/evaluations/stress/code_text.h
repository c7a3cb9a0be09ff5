// Whether an answer is something that a program reads: code, JSON, markup, a table of keys. A sentence or a
// heading around it breaks it, so it is dressed in nothing; where the look is doubtful it counts as code.
// Pure.
#pragma once

#include <string_view>

namespace assay::stress {

// All of the text, or a part of it, fenced or not.
bool looks_like_code(std::string_view text);

}  // namespace assay::stress
