// Reading fields of a line by hand: what is wrong is told by its place, what was found and what was expected.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/json/json.h"
#include "core/text.h"

namespace assay::guidelines {

using Problems = std::vector<std::string>;

inline void complain(Problems& problems, std::string_view field, std::string_view found,
                     std::string_view expected) {
  problems.push_back(fmt::format("field {}: found {}, expected {}", field, found, expected));
}

inline std::string shown(const Json* value) {
  return value == nullptr ? std::string("nothing") : excerpt(*value);
}

// The member; null is as good as absent.
inline const Json* present(const Json& object, std::string_view name) {
  const Json* value = find_member(object, name);
  return value != nullptr && value->is_null() ? nullptr : value;
}

// Text that must be there and not be empty.
inline std::string needed_text(const Json& object, std::string_view name, const std::string& where,
                               Problems& problems) {
  const Json* value = present(object, name);
  const auto text = value != nullptr ? as_text(*value) : std::nullopt;
  if (!text || trim(*text).empty()) {
    complain(problems, fmt::format("{}.{}", where, name), shown(value), "text");
    return "";
  }
  return std::string(*text);
}

inline std::optional<std::string> optional_text(const Json& object, std::string_view name,
                                                const std::string& where, Problems& problems) {
  const Json* value = present(object, name);
  if (value == nullptr) return std::nullopt;
  const auto text = as_text(*value);
  if (!text) complain(problems, fmt::format("{}.{}", where, name), excerpt(*value), "text");
  return std::string(text.value_or(""));
}

}  // namespace assay::guidelines
