#include "evaluations/custom/asked/score_levels.h"

#include <boost/json/array.hpp>

namespace assay::custom {

const Json* schema_at(const Json& schema, std::string_view pointer) {
  const Json* here = &schema;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = pointer.find('/');
    const std::string_view name = pointer.substr(0, end);
    pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end);
    const Json* properties = find_member(*here, "properties");
    const Json* items = find_member(*here, "items");
    const Json* next = properties != nullptr ? find_member(*properties, name) : nullptr;
    if (next == nullptr && items != nullptr && items->is_object()) next = items;
    if (next == nullptr) return nullptr;
    here = next;
  }
  return here;
}

std::vector<std::string> levels_of(const Json& schema) {
  std::vector<std::string> levels;
  const Json* values = find_member(schema, "enum");
  if (values == nullptr || !values->is_array()) return levels;
  for (const Json& value : values->get_array()) {
    if (const auto text = as_text(value)) levels.emplace_back(*text);
  }
  return levels;
}

}  // namespace assay::custom
