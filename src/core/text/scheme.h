// Whether a text is a path or begins as a URL does. One reading for whoever resolves relative paths and for
// whoever opens what is named: what the first takes for a path the second must not take for an address.
#pragma once

#include <optional>
#include <string_view>

namespace assay {

// What stands before a colon as the scheme of a URL does ("postgres" of "postgres:/x"); none if the text is a
// path. A path whose first name has a colon is written with ./ before it.
std::optional<std::string_view> scheme_of(std::string_view text);

}  // namespace assay
