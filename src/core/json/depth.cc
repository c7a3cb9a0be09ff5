#include "core/json/depth.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace assay {

bool within_depth(const Json& value, std::size_t levels) {
  if (const JsonArray* list = value.if_array()) {
    return levels > 0 &&
           std::ranges::all_of(*list, [&](const Json& item) { return within_depth(item, levels - 1); });
  }
  if (const JsonObject* object = value.if_object()) {
    return levels > 0 && std::ranges::all_of(*object, [&](const auto& member) {
             return within_depth(member.value(), levels - 1);
           });
  }
  return true;
}

}  // namespace assay
