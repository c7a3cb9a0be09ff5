// `{field}` in texts of a config: prompts, bodies, arguments and what checks compare with are filled from the
// fields of a case. Pure.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"

namespace assay {

// Each `{field}` becomes the field's value (text as it is, anything else as JSON), passed through `encode` if
// it is given. Braces that name no field stay.
std::string fill_fields(std::string_view text, const JsonObject& fields,
                        const std::function<std::string(std::string)>& encode = {});
// The same in every text of a tree; a text that is nothing but "{field}" becomes the value with its type.
Json fill_tree(const Json& pattern, const JsonObject& fields);
// The names between braces that could be fields (letters and digits of any script, _ - and ., and several
// such words with one space between), each once, in order: of a text, or of every text in a tree.
std::vector<std::string> placeholders_in(std::string_view text);
std::vector<std::string> placeholders_in(const Json& pattern);
// The same of a regular expression, which has braces of its own: {3}, \p{Greek}, \x{1F600}.
std::vector<std::string> placeholders_in_regex(std::string_view pattern);

// Names of several words that no field has are prose between braces ("{your answer here}"), unless they are
// nearly a field's.
void leave_out_prose(std::vector<std::string>& names, std::span<const std::string> fields);

}  // namespace assay
