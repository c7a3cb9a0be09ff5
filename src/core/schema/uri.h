// Uniform Resource Identifiers as far as JSON Schema needs them: `$id` and `$ref` are resolved against a base
// by RFC 3986, section 5. Total: any text is taken apart somehow, nothing fails and nothing is fetched.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::schema {

// The absolute form of `reference` seen from `base`. Scheme and host are lower-cased, dot segments removed.
// An empty base leaves a relative reference relative.
std::string resolve_uri(std::string_view base, std::string_view reference);

struct SplitUri {
  std::string_view resource;  // without "#"
  std::string_view fragment;  // without "#", still percent-encoded
};
SplitUri split_fragment(std::string_view uri);

bool has_scheme(std::string_view uri);

// %20 becomes a space; none if a "%" lacks its two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace assay::schema
