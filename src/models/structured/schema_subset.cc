#include "models/structured/schema_subset.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace assay {
namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool names_type(const Json& schema, std::string_view type) {
  const Json* member = find_member(schema, "type");
  if (member == nullptr) return false;
  if (const auto text = as_text(*member)) return *text == type;
  if (!member->is_array()) return false;
  return std::ranges::any_of(member->get_array(),
                             [&](const Json& each) { return as_text(each) == std::optional(type); });
}

// https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas".
constexpr std::array<std::string_view, 22> kStrictKeywords{"type",     "properties",
                                                           "required", "additionalProperties",
                                                           "items",    "enum",
                                                           "const",    "anyOf",
                                                           "$ref",     "$defs",
                                                           "title",    "definitions",
                                                           "pattern",  "format",
                                                           "minimum",  "exclusiveMinimum",
                                                           "maximum",  "exclusiveMaximum",
                                                           "minItems", "description",
                                                           "maxItems", "multipleOf"};
constexpr std::array<std::string_view, 9> kStrictFormats{"date-time", "time", "date", "duration", "email",
                                                         "hostname",  "ipv4", "ipv6", "uuid"};
constexpr int kStrictDepth = 10;
constexpr std::size_t kStrictProperties = 5000;
constexpr std::size_t kStrictEnumValues = 1000;
constexpr std::size_t kStrictLargeEnum = 250;
constexpr std::size_t kStrictLargeEnumBytes = 15000;
constexpr std::size_t kStrictTextBytes = 120000;

class StrictCheck {
 public:
  std::optional<std::string> root(const Json& schema) {
    if (!schema.is_object()) return "the schema is not an object";
    const Json* type = find_member(schema, "type");
    if (type == nullptr || as_text(*type) != std::optional<std::string_view>("object")) {
      return "the root is not of type object";
    }
    if (find_member(schema, "anyOf") != nullptr) return "anyOf at the root";
    node(schema, "", 0);
    if (!misfit_ && properties_ > kStrictProperties) misfit_ = "too many properties";
    if (!misfit_ && enum_values_ > kStrictEnumValues) misfit_ = "too many enum values";
    if (!misfit_ && text_bytes_ > kStrictTextBytes) misfit_ = "too much text in names and enums";
    return misfit_;
  }

 private:
  void refuse(const std::string& place, std::string_view reason) {
    if (!misfit_) misfit_ = fmt::format("{}: {}", place.empty() ? "/" : place, reason);
  }

  void node(const Json& schema, const std::string& place, int depth) {
    if (misfit_) return;
    if (depth > kStrictDepth) return refuse(place, "nested too deeply");
    if (!schema.is_object()) return refuse(place, "not an object");
    const JsonObject& object = schema.get_object();
    if (object.contains("$ref")) {
      if (object.size() > 1) refuse(place, "keywords beside $ref");
      const auto target = as_text(object.at("$ref"));
      if (!target || !target->starts_with('#')) refuse(place, "a reference to another document");
      return;
    }
    for (const auto& member : object) {
      const std::string_view key = member.key();
      // Annotations at the root are not sent.
      if (depth == 0 && (key == "$schema" || key == "$comment")) continue;
      if (!contains(kStrictKeywords, key)) return refuse(place, fmt::format("the keyword {}", key));
    }
    if (!object.contains("type") && !object.contains("anyOf")) return refuse(place, "no type");
    if (const Json* format = object.if_contains("format")) {
      const auto name = as_text(*format);
      if (!name || !contains(kStrictFormats, *name)) return refuse(place, "a format that is not supported");
    }
    values(object, place);
    if (names_type(schema, "object")) closed_object(object, place, depth);
    if (names_type(schema, "array")) {
      const Json* items = object.if_contains("items");
      if (items == nullptr) return refuse(place, "a list without items");
      node(*items, place + "/items", depth + 1);
    }
    if (const Json* choices = object.if_contains("anyOf")) {
      if (!choices->is_array() || choices->get_array().empty()) return refuse(place, "anyOf is not a list");
      std::size_t index = 0;
      for (const auto& choice : choices->get_array()) {
        node(choice, fmt::format("{}/anyOf/{}", place, index++), depth + 1);
      }
    }
    definitions(object, "$defs", place, depth);
    definitions(object, "definitions", place, depth);
  }

  void closed_object(const JsonObject& object, const std::string& place, int depth) {
    const Json* open = object.if_contains("additionalProperties");
    if (open == nullptr || as_boolean(*open) != std::optional(false)) {
      return refuse(place, "additionalProperties is not false");
    }
    const Json* properties = object.if_contains("properties");
    if (properties == nullptr || !properties->is_object()) return refuse(place, "no properties");
    const Json* required = object.if_contains("required");
    for (const auto& property : properties->get_object()) {
      const std::string_view name = property.key();
      ++properties_;
      text_bytes_ += name.size();
      const std::string inner = fmt::format("{}/properties/{}", place, name);
      const bool listed = required != nullptr && required->is_array() &&
                          std::ranges::any_of(required->get_array(), [&](const Json& each) {
                            return as_text(each) == std::optional(name);
                          });
      if (!listed) return refuse(inner, "not in required");
      node(property.value(), inner, depth + 1);
    }
  }

  void definitions(const JsonObject& object, std::string_view keyword, const std::string& place, int depth) {
    const Json* list = object.if_contains(keyword);
    if (list == nullptr) return;
    if (!list->is_object()) return refuse(place, fmt::format("{} is not an object", keyword));
    for (const auto& definition : list->get_object()) {
      text_bytes_ += definition.key().size();
      node(definition.value(), fmt::format("{}/{}/{}", place, keyword, std::string_view(definition.key())),
           depth + 1);
    }
  }

  void values(const JsonObject& object, const std::string& place) {
    if (const Json* value = object.if_contains("const")) text_bytes_ += to_text(*value).size();
    const Json* list = object.if_contains("enum");
    if (list == nullptr) return;
    if (!list->is_array()) return refuse(place, "enum is not a list");
    std::size_t bytes = 0;
    for (const auto& value : list->get_array()) bytes += to_text(value).size();
    text_bytes_ += bytes;
    enum_values_ += list->get_array().size();
    if (list->get_array().size() > kStrictLargeEnum && bytes > kStrictLargeEnumBytes) {
      refuse(place, "too much text in one enum");
    }
  }

  std::optional<std::string> misfit_;
  std::size_t properties_ = 0;
  std::size_t enum_values_ = 0;
  std::size_t text_bytes_ = 0;
};

// https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "JSON Schema limitations".
constexpr std::array<std::string_view, 9> kKeptByAnthropic{
    "type", "enum", "const", "title", "description", "$ref", "default", "required", "additionalProperties"};
constexpr std::array<std::string_view, 6> kHoldSchemas{"properties", "$defs", "definitions",
                                                       "anyOf",      "allOf", "items"};
constexpr std::array<std::string_view, 9> kAnthropicFormats{"date-time", "time", "date", "duration", "email",
                                                            "hostname",  "uri",  "ipv4", "uuid"};

std::optional<Json> close_schema(const Json& schema, int depth);

// A list or map of schemas; none if one of them cannot be closed.
std::optional<Json> close_each(const Json& schemas, int depth) {
  if (schemas.is_array()) {
    JsonArray list;
    for (const auto& each : schemas.get_array()) {
      auto closed = close_schema(each, depth);
      if (!closed) return std::nullopt;
      list.push_back(std::move(*closed));
    }
    return Json(std::move(list));
  }
  if (!schemas.is_object()) return std::nullopt;
  JsonObject map;
  for (const auto& each : schemas.get_object()) {
    auto closed = close_schema(each.value(), depth);
    if (!closed) return std::nullopt;
    map[each.key()] = std::move(*closed);
  }
  return Json(std::move(map));
}

// Whether the keyword is enforced with this value as it stands.
bool kept_by_anthropic(std::string_view key, const Json& value) {
  if (key == "format") return as_text(value) && contains(kAnthropicFormats, *as_text(value));
  if (key == "minItems") return as_integer(value) == std::optional<std::int64_t>(1);
  return contains(kKeptByAnthropic, key);
}

// A model that reads what is not enforced may keep to it all the same.
void describe_unenforced(JsonObject& schema, JsonObject unenforced) {
  if (unenforced.empty()) return;
  std::string description;
  if (const Json* own = schema.if_contains("description")) description = as_text(*own).value_or("");
  if (!description.empty()) description += ' ';
  description += "Must also satisfy the JSON Schema ";
  description += to_text(Json(std::move(unenforced)));
  schema["description"] = description;
}

std::optional<Json> close_schema(const Json& schema, int depth) {
  if (depth > 64 || !schema.is_object()) return std::nullopt;
  JsonObject closed;
  JsonObject unenforced;
  for (const auto& member : schema.get_object()) {
    const std::string_view key = member.key();
    // oneOf as anyOf is weaker, but sound: exactly one is checked afterwards.
    const std::string_view sent = key == "oneOf" ? "anyOf" : key;
    if (kept_by_anthropic(key, member.value())) {
      closed[key] = member.value();
    } else if (contains(kHoldSchemas, sent)) {
      auto inner =
          key == "items" ? close_schema(member.value(), depth + 1) : close_each(member.value(), depth + 1);
      if (!inner || closed.contains(sent)) return std::nullopt;
      closed[sent] = std::move(*inner);
    } else if (!key.starts_with('$')) {
      unenforced[key] = member.value();
    }
  }
  if (names_type(schema, "object")) {
    if (!closed.contains("properties")) return std::nullopt;
    closed["additionalProperties"] = false;
  }
  describe_unenforced(closed, std::move(unenforced));
  return Json(std::move(closed));
}

// https://ai.google.dev/api/generate-content, `responseJsonSchema`.
constexpr auto kKeptByGemini =
    std::to_array<std::string_view>({"$id", "$ref", "$anchor", "type", "format", "title", "description",
                                     "enum", "minItems", "maxItems", "minimum", "maximum", "required"});
constexpr std::array<std::string_view, 3> kGeminiMaps{"properties", "$defs", "definitions"};
constexpr std::array<std::string_view, 3> kGeminiLists{"prefixItems", "anyOf", "oneOf"};
constexpr std::array<std::string_view, 2> kGeminiSchemas{"items", "additionalProperties"};

Json for_gemini(const Json& schema, int depth) {
  if (depth > 64 || !schema.is_object()) return schema;
  JsonObject known;
  JsonObject unenforced;
  for (const auto& member : schema.get_object()) {
    const std::string_view key = member.key();
    const Json& value = member.value();
    if (contains(kKeptByGemini, key)) {
      known[key] = value;
    } else if (contains(kGeminiSchemas, key)) {
      known[key] = for_gemini(value, depth + 1);
    } else if (contains(kGeminiMaps, key) && value.is_object()) {
      JsonObject map;
      for (const auto& each : value.get_object()) map[each.key()] = for_gemini(each.value(), depth + 1);
      known[key] = std::move(map);
    } else if (contains(kGeminiLists, key) && value.is_array()) {
      JsonArray list;
      for (const auto& each : value.get_array()) list.push_back(for_gemini(each, depth + 1));
      known[key] = std::move(list);
    } else if (key == "const" && value.is_string()) {
      known["enum"] = JsonArray{value};
    } else if (!key.starts_with('$')) {
      unenforced[key] = value;
    }
  }
  describe_unenforced(known, std::move(unenforced));
  return known;
}

}  // namespace

std::optional<std::string> strict_misfit(const Json& schema) {
  return StrictCheck().root(schema);
}

std::optional<Json> anthropic_output_schema(const Json& schema) {
  if (!describes_object(schema)) return std::nullopt;
  return close_schema(schema, 0);
}

Json gemini_output_schema(const Json& schema) {
  return for_gemini(schema, 0);
}

bool describes_object(const Json& schema) {
  const Json* type = find_member(schema, "type");
  return type != nullptr && as_text(*type) == std::optional<std::string_view>("object");
}

Json without_annotations(const Json& schema) {
  if (!schema.is_object()) return schema;
  JsonObject object = schema.get_object();
  // Not JsonObject::erase, which moves the last member into the gap: providers generate in the order of the
  // schema.
  JsonObject kept;
  for (auto& member : object) {
    const std::string_view key = member.key();
    if (key != "$schema" && key != "$comment") kept[key] = std::move(member.value());
  }
  return kept;
}

}  // namespace assay
