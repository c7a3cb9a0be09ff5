// The keywords of draft 2020-12 that hold schemas or decide validity, as a table: which vocabulary switches
// each on, and where subschemas sit in it. A name that is not here is an annotation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace assay::schema {

enum class Vocabulary : std::uint8_t { core, applicator, unevaluated, validation, format, content };

// What the value of a keyword is made of.
enum class Holds : std::uint8_t { no_schema, schema, schemas, named_schemas, named_schemas_or_names };

struct Keyword {
  std::string_view name;
  Vocabulary vocabulary;
  Holds holds = Holds::no_schema;
};

inline constexpr auto kKeywords = std::to_array<Keyword>({
    {"$ref", Vocabulary::core},
    {"$dynamicRef", Vocabulary::core},
    {"$defs", Vocabulary::core, Holds::named_schemas},
    {"definitions", Vocabulary::core, Holds::named_schemas},
    {"allOf", Vocabulary::applicator, Holds::schemas},
    {"anyOf", Vocabulary::applicator, Holds::schemas},
    {"oneOf", Vocabulary::applicator, Holds::schemas},
    {"not", Vocabulary::applicator, Holds::schema},
    {"if", Vocabulary::applicator, Holds::schema},
    {"then", Vocabulary::applicator, Holds::schema},
    {"else", Vocabulary::applicator, Holds::schema},
    {"dependentSchemas", Vocabulary::applicator, Holds::named_schemas},
    {"dependencies", Vocabulary::applicator, Holds::named_schemas_or_names},
    {"prefixItems", Vocabulary::applicator, Holds::schemas},
    {"items", Vocabulary::applicator, Holds::schema},
    {"contains", Vocabulary::applicator, Holds::schema},
    {"properties", Vocabulary::applicator, Holds::named_schemas},
    {"patternProperties", Vocabulary::applicator, Holds::named_schemas},
    {"additionalProperties", Vocabulary::applicator, Holds::schema},
    {"propertyNames", Vocabulary::applicator, Holds::schema},
    {"unevaluatedItems", Vocabulary::unevaluated, Holds::schema},
    {"unevaluatedProperties", Vocabulary::unevaluated, Holds::schema},
    {"contentSchema", Vocabulary::content, Holds::schema},
    {"format", Vocabulary::format},
    {"type", Vocabulary::validation},
    {"const", Vocabulary::validation},
    {"enum", Vocabulary::validation},
    {"multipleOf", Vocabulary::validation},
    {"maximum", Vocabulary::validation},
    {"exclusiveMaximum", Vocabulary::validation},
    {"minimum", Vocabulary::validation},
    {"exclusiveMinimum", Vocabulary::validation},
    {"maxLength", Vocabulary::validation},
    {"minLength", Vocabulary::validation},
    {"pattern", Vocabulary::validation},
    {"maxItems", Vocabulary::validation},
    {"minItems", Vocabulary::validation},
    {"uniqueItems", Vocabulary::validation},
    {"maxContains", Vocabulary::validation},
    {"minContains", Vocabulary::validation},
    {"maxProperties", Vocabulary::validation},
    {"minProperties", Vocabulary::validation},
    {"required", Vocabulary::validation},
    {"dependentRequired", Vocabulary::validation},
});

inline const Keyword* find_keyword(std::string_view name) {
  const auto* found = std::ranges::find(kKeywords, name, &Keyword::name);
  return found == kKeywords.end() ? nullptr : found;
}

// Which vocabularies a schema's dialect has. Core is always there.
struct Dialect {
  bool applicator = true;
  bool unevaluated = true;
  bool validation = true;
  bool content = true;
  bool format = true;           // `format` has a meaning, be it only as annotation
  bool assert_formats = false;  // it decides validity

  bool knows(Vocabulary vocabulary) const {
    switch (vocabulary) {
      case Vocabulary::core:
        return true;
      case Vocabulary::applicator:
        return applicator;
      case Vocabulary::unevaluated:
        return unevaluated;
      case Vocabulary::validation:
        return validation;
      case Vocabulary::content:
        return content;
      case Vocabulary::format:
        return format;
    }
    return false;
  }
};

}  // namespace assay::schema
