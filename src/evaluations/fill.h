// `{field}` in texts of a config: prompts, bodies, arguments and what checks compare with are filled from the
// fields of a case. Pure.
#pragma once

#include <functional>
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
// The names between braces that could be fields (letters, digits, _ - and .), each once, in order: of a text,
// or of every text in a tree.
std::vector<std::string> placeholders_in(std::string_view text);
std::vector<std::string> placeholders_in(const Json& pattern);

}  // namespace assay
