#include "sim/protocols/strict_schema.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace assay::sim {
namespace {

constexpr auto kRefused = std::to_array<std::string_view>(
    {"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas",
     "patternProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "prefixItems",
     "contains", "minContains", "maxContains", "uniqueItems", "minProperties", "maxProperties"});
constexpr int kDeepest = 10;
constexpr std::size_t kMostProperties = 5000;

class Check {
 public:
  std::optional<std::string> defect(const Json& schema, const std::string& context, int level) {
    const JsonObject* object = schema.if_object();
    if (object == nullptr) return said(context, "a schema must be an object");
    if (level > kDeepest) return said(context, "more than 10 levels of nesting");
    for (const std::string_view keyword : kRefused) {
      if (object->contains(keyword)) return said(context, fmt::format("'{}' is not permitted", keyword));
    }
    if (const Json* type = object->if_contains("type")) {
      if (has_type(*type, "object")) {
        if (auto found = object_defect(*object, context, level)) return found;
      }
      if (has_type(*type, "array") && !object->contains("items"))
        return said(context, "a list must have items");
    } else if (!object->contains("$ref") && !object->contains("anyOf") && !object->contains("enum") &&
               !object->contains("const")) {
      return said(context, "a schema must have a 'type' key");
    }
    if (const Json* items = object->if_contains("items")) {
      if (auto found = defect(*items, context + ", 'items'", level + 1)) return found;
    }
    if (const Json* branches = object->if_contains("anyOf"); branches != nullptr && branches->is_array()) {
      for (std::size_t i = 0; i < branches->get_array().size(); ++i) {
        const std::string inner = fmt::format("{}, 'anyOf', '{}'", context, i);
        if (auto found = defect(branches->get_array()[i], inner, level + 1)) return found;
      }
    }
    for (const std::string_view keyword : {"$defs", "definitions"}) {
      const Json* definitions = object->if_contains(keyword);
      if (definitions == nullptr || !definitions->is_object()) continue;
      for (const auto& member : definitions->get_object()) {
        const std::string inner =
            fmt::format("{}, '{}', '{}'", context, keyword, std::string_view(member.key()));
        if (auto found = defect(member.value(), inner, level + 1)) return found;
      }
    }
    return std::nullopt;
  }

 private:
  static std::string said(const std::string& context, std::string_view what) {
    return fmt::format("in context=({}), {}", context.starts_with(", ") ? context.substr(2) : context, what);
  }

  static bool has_type(const Json& type, std::string_view name) {
    if (type.is_string()) return type.get_string() == name;
    return type.is_array() && std::ranges::any_of(type.get_array(), [&](const Json& one) {
             return one.is_string() && one.get_string() == name;
           });
  }

  std::optional<std::string> object_defect(const JsonObject& object, const std::string& context, int level) {
    const Json* others = object.if_contains("additionalProperties");
    if (others == nullptr || !others->is_bool() || others->get_bool()) {
      return said(context, "'additionalProperties' must be given and be false");
    }
    const Json* properties = object.if_contains("properties");
    const Json* required = object.if_contains("required");
    if (properties == nullptr || !properties->is_object()) return std::nullopt;
    for (const auto& member : properties->get_object()) {
      if (++properties_ > kMostProperties) return said(context, "more than 5000 properties");
      const bool named = required != nullptr && required->is_array() &&
                         std::ranges::any_of(required->get_array(), [&](const Json& name) {
                           return name.is_string() && name.get_string() == member.key();
                         });
      if (!named) {
        return said(context, fmt::format("'required' must name every property; missing: '{}'",
                                         std::string_view(member.key())));
      }
      const std::string inner =
          fmt::format("{}, 'properties', '{}'", context, std::string_view(member.key()));
      if (auto found = defect(member.value(), inner, level + 1)) return found;
    }
    return std::nullopt;
  }

  std::size_t properties_ = 0;
};

}  // namespace

std::optional<std::string> strict_schema_defect(const Json& schema) {
  const Json* type = find_member(schema, "type");
  const Json* reference = find_member(schema, "$ref");
  if (find_member(schema, "anyOf") != nullptr) return "in context=(), the root must not be anyOf";
  if (reference == nullptr && (type == nullptr || !type->is_string() || type->get_string() != "object")) {
    return "in context=(), the root must be of type object";
  }
  return Check().defect(schema, "", 1);
}

}  // namespace assay::sim
