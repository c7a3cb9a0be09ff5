#include "sim/answers/shape.h"

#include <algorithm>
#include <cmath>

#include "core/schema/numbers.h"

namespace assay::sim {
namespace {

constexpr int kDeepestReference = 64;

struct NamedType {
  std::string_view name;
  unsigned types;
};
constexpr NamedType kTypeNames[] = {{"null", kNull},     {"boolean", kBoolean}, {"string", kString},
                                    {"integer", kWhole}, {"number", kNumber},   {"array", kArray},
                                    {"object", kObject}};
// Which types a schema without `type` is probably about.
unsigned types_spoken_of(unsigned keywords) {
  unsigned types = 0;
  if ((keywords & SchemaTree::kNumbers) != 0) types |= kNumber;
  if ((keywords & SchemaTree::kTexts) != 0) types |= kString;
  if ((keywords & SchemaTree::kItems) != 0) types |= kArray;
  if ((keywords & SchemaTree::kProperties) != 0) types |= kObject;
  return types;
}

unsigned type_named(std::string_view name) {
  const auto* found = std::ranges::find(kTypeNames, name, &NamedType::name);
  return found == std::end(kTypeNames) ? 0 : found->types;
}

unsigned types_of_keyword(const Json& types) {
  if (types.is_string()) return type_named(types.get_string());
  unsigned out = 0;
  if (types.is_array()) {
    for (const Json& name : types.get_array()) {
      if (name.is_string()) out |= type_named(name.get_string());
    }
  }
  return out;
}

class Gathering {
 public:
  Gathering(Shape& shape, const SchemaTree& tree, Chance& chance, Branching branching)
      : shape_(shape), tree_(tree), chance_(chance), branching_(branching) {}

  void add(const Json& schema, int depth) {
    if (schema.is_bool()) {
      if (!schema.get_bool()) shape_.impossible = true;
      return;
    }
    if (!schema.is_object()) return;
    if (depth > kDeepestReference) {
      shape_.impossible = true;
      return;
    }
    const JsonObject& object = schema.get_object();
    const SchemaTree::Facts* facts = tree_.facts(schema);
    if (facts == nullptr) return;  // no subschema: nothing that a validator would look at
    shape_.doubtful = shape_.doubtful || facts->doubtful;
    shape_.suggested |= types_spoken_of(facts->keywords);
    if (shape_.description.empty()) shape_.description = text(object, "description");
    add_types(object);
    if ((facts->keywords & SchemaTree::kNumbers) != 0) add_numbers(object);
    if ((facts->keywords & SchemaTree::kTexts) != 0) add_texts(object);
    if ((facts->keywords & SchemaTree::kItems) != 0) add_items(object);
    if ((facts->keywords & SchemaTree::kProperties) != 0) add_properties(object);
    if ((facts->keywords & SchemaTree::kReferences) != 0) add_references(*facts, depth);
    if ((facts->keywords & SchemaTree::kCombinations) != 0) add_combinations(object, depth);
  }

 private:
  static std::string_view text(const JsonObject& object, std::string_view key) {
    const Json* member = object.if_contains(key);
    return member != nullptr && member->is_string() ? std::string_view(member->get_string())
                                                    : std::string_view();
  }
  static const JsonArray* list(const JsonObject& object, std::string_view key) {
    const Json* member = object.if_contains(key);
    return member == nullptr ? nullptr : member->if_array();
  }
  static const JsonObject* map(const JsonObject& object, std::string_view key) {
    const Json* member = object.if_contains(key);
    return member == nullptr ? nullptr : member->if_object();
  }
  static std::optional<double> number(const JsonObject& object, std::string_view key) {
    const Json* member = object.if_contains(key);
    return member == nullptr ? std::nullopt : as_number(*member);
  }
  static std::optional<std::size_t> size(const JsonObject& object, std::string_view key) {
    const auto value = number(object, key);
    if (!value || *value < 0 || *value > 1e15) return std::nullopt;
    return static_cast<std::size_t>(*value);
  }
  static void raise(std::size_t& bound, std::optional<std::size_t> value) {
    if (value) bound = std::max(bound, *value);
  }
  static void lower(std::size_t& bound, std::optional<std::size_t> value) {
    if (value) bound = std::min(bound, *value);
  }

  void add_types(const JsonObject& object) {
    if (const Json* types = object.if_contains("type")) {
      shape_.types &= types_of_keyword(*types);
      shape_.typed = true;
    }
    if (const JsonArray* values = list(object, "enum")) {
      std::vector<const Json*> candidates;
      for (const Json& value : *values) candidates.push_back(&value);
      allow(std::move(candidates));
    }
    if (const Json* value = object.if_contains("const")) allow({value});
    if (const JsonArray* examples = list(object, "examples")) shape_.examples = examples;
    if (shape_.types == 0) shape_.impossible = true;
  }

  void allow(std::vector<const Json*> candidates) {
    if (shape_.allowed) {
      std::erase_if(candidates, [&](const Json* candidate) {
        return std::ranges::none_of(
            *shape_.allowed, [&](const Json* other) { return schema::equal_values(*candidate, *other); });
      });
    }
    if (candidates.empty()) shape_.impossible = true;
    shape_.allowed = std::move(candidates);
  }

  void add_least(double value, bool exclusive) {
    if (!shape_.least || value > *shape_.least || (value == *shape_.least && exclusive)) {
      shape_.least = value;
      shape_.above_least = exclusive;
    }
  }
  void add_most(double value, bool exclusive) {
    if (!shape_.most || value < *shape_.most || (value == *shape_.most && exclusive)) {
      shape_.most = value;
      shape_.below_most = exclusive;
    }
  }

  void add_numbers(const JsonObject& object) {
    if (const auto value = number(object, "minimum")) add_least(*value, false);
    if (const auto value = number(object, "exclusiveMinimum")) add_least(*value, true);
    if (const auto value = number(object, "maximum")) add_most(*value, false);
    if (const auto value = number(object, "exclusiveMaximum")) add_most(*value, true);
    if (const auto value = number(object, "multipleOf"); value && *value > 0)
      shape_.multiples.push_back(*value);
  }

  void add_texts(const JsonObject& object) {
    raise(shape_.min_length, size(object, "minLength"));
    lower(shape_.max_length, size(object, "maxLength"));
    if (const auto pattern = text(object, "pattern"); !pattern.empty()) shape_.patterns.push_back(pattern);
    if (const auto format = text(object, "format"); !format.empty()) shape_.formats.push_back(format);
  }

  void add_items(const JsonObject& object) {
    raise(shape_.min_items, size(object, "minItems"));
    lower(shape_.max_items, size(object, "maxItems"));
    if (const Json* unique = object.if_contains("uniqueItems"); unique != nullptr && unique->is_bool()) {
      shape_.unique_items = shape_.unique_items || unique->get_bool();
    }
    Shape::ItemRule rule{list(object, "prefixItems"), object.if_contains("items")};
    if (rule.prefix != nullptr || rule.rest != nullptr) shape_.items.push_back(rule);
    if (const Json* schema = object.if_contains("contains")) {
      shape_.contains.push_back({schema, size(object, "minContains").value_or(1),
                                 size(object, "maxContains").value_or(Shape::kUnbounded)});
    }
    if (const Json* rest = object.if_contains("unevaluatedItems"); rest != nullptr) {
      shape_.closed_items = shape_.closed_items || (rest->is_bool() && !rest->get_bool());
    }
  }

  void add_properties(const JsonObject& object) {
    raise(shape_.min_properties, size(object, "minProperties"));
    lower(shape_.max_properties, size(object, "maxProperties"));
    const Shape::PropertyRule rule{map(object, "properties"), map(object, "patternProperties"),
                                   object.if_contains("additionalProperties")};
    if (rule.named != nullptr || rule.patterned != nullptr || rule.others != nullptr) {
      shape_.properties.push_back(rule);
    }
    if (const JsonArray* names = list(object, "required")) {
      for (const Json& name : *names) {
        if (name.is_string() && !shape_.requires_key(name.get_string())) {
          shape_.required.emplace_back(name.get_string());
        }
      }
    }
    if (const Json* names = object.if_contains("propertyNames")) shape_.property_names.push_back(names);
    if (const JsonObject* needs = map(object, "dependentRequired"))
      shape_.dependent_required.push_back(needs);
    if (const JsonObject* needs = map(object, "dependentSchemas")) shape_.dependent_schemas.push_back(needs);
    if (const Json* rest = object.if_contains("unevaluatedProperties"); rest != nullptr) {
      shape_.closed_properties = shape_.closed_properties || (rest->is_bool() && !rest->get_bool());
    }
  }

  void add_references(const SchemaTree::Facts& facts, int depth) {
    if (facts.fixed != nullptr) add(*facts.fixed, depth + 1);
    if (facts.dynamic != nullptr) add(*facts.dynamic, depth + 1);
    if (facts.fixed == nullptr && facts.dynamic == nullptr) shape_.unresolved = true;
  }

  void add_combinations(const JsonObject& object, int depth) {
    if (const JsonArray* parts = list(object, "allOf")) {
      for (const Json& part : *parts) add(part, depth + 1);
    }
    for (const std::string_view keyword : {"anyOf", "oneOf"}) {
      if (const JsonArray* branches = list(object, keyword); branches != nullptr && !branches->empty()) {
        add_branch(*branches, depth);
      }
    }
    if (const Json* condition = object.if_contains("if")) {
      const Json* consequence = object.if_contains("then");
      const Json* alternative = object.if_contains("else");
      if (consequence == nullptr && alternative == nullptr) return;
      // Which side holds is checked afterwards; taking the condition's side means building what it asks for.
      if (chance_.happens(0.5)) {
        add(*condition, depth + 1);
        if (consequence != nullptr) add(*consequence, depth + 1);
      } else if (alternative != nullptr) {
        add(*alternative, depth + 1);
      }
    }
    if (const Json* unwanted = object.if_contains("not")) exclude(*unwanted);
  }

  // Only what can be said as a shape: a type that may not be, or nothing at all. The rest is left to
  // checking.
  void exclude(const Json& unwanted) {
    if (unwanted.is_bool()) {
      if (unwanted.get_bool()) shape_.impossible = true;
      return;
    }
    if (!unwanted.is_object()) return;
    const JsonObject& object = unwanted.get_object();
    if (object.empty()) shape_.impossible = true;
    const Json* types = object.if_contains("type");
    if (types == nullptr || object.size() != 1) return;
    unsigned gone = types_of_keyword(*types);
    shape_.types &= ~gone;
    if (shape_.types == 0) shape_.impossible = true;
  }

  // Simple branches end a recursion: lower is simpler.
  static int weight(const Json& branch) {
    if (branch.is_bool()) return branch.get_bool() ? 0 : 100;
    const JsonObject* object = branch.if_object();
    if (object == nullptr) return 100;
    if (object->contains("const") || object->contains("enum")) return 0;
    if (object->contains("$ref") || object->contains("$dynamicRef")) return 10;
    const Json* type = object->if_contains("type");
    if (type != nullptr && type->is_string()) {
      const unsigned types = type_named(type->get_string());
      return (types & kObject) != 0 ? 8 : (types & kArray) != 0 ? 6 : 1;
    }
    return 9;
  }

  void add_branch(const JsonArray& branches, int depth) {
    describe_constants(branches);
    // [{const}, {const}, …] is an enum with words: keep every value open.
    const bool constants = std::ranges::all_of(branches, [](const Json& branch) {
      const JsonObject* object = branch.if_object();
      return object != nullptr && object->contains("const") &&
             std::ranges::all_of(*object, [](const auto& member) {
               return member.key() == "const" || member.key() == "description" || member.key() == "title" ||
                      member.key() == "type";
             });
    });
    if (constants) {
      std::vector<const Json*> values;
      for (const Json& branch : branches) values.push_back(branch.get_object().if_contains("const"));
      allow(std::move(values));
      return;
    }
    const Json* chosen = &chance_.pick(branches);
    if (branching_ == Branching::shallow) {
      const auto simplest = std::ranges::min_element(branches, {}, weight);
      if (chance_.happens(0.8)) chosen = &*simplest;
    }
    add(*chosen, depth + 1);
  }

  void describe_constants(const JsonArray& branches) {
    for (const Json& branch : branches) {
      const JsonObject* object = branch.if_object();
      if (object == nullptr) continue;
      const Json* value = object->if_contains("const");
      const auto words = text(*object, "description");
      if (value != nullptr && !words.empty()) shape_.described.emplace_back(value, words);
    }
  }

  Shape& shape_;
  const SchemaTree& tree_;
  Chance& chance_;
  Branching branching_;
};

}  // namespace

std::vector<const Json*> Shape::item_schemas(std::size_t index) const {
  std::vector<const Json*> out;
  for (const ItemRule& rule : items) {
    if (rule.prefix != nullptr && index < rule.prefix->size()) {
      out.push_back(&(*rule.prefix)[index]);
    } else if (rule.rest != nullptr) {
      out.push_back(rule.rest);
    }
  }
  return out;
}

std::vector<const Json*> Shape::property_schemas(const SchemaTree& tree, std::string_view key) const {
  std::vector<const Json*> out;
  for (const PropertyRule& rule : properties) {
    bool covered = false;
    if (rule.named != nullptr) {
      if (const Json* schema = rule.named->if_contains(key)) {
        out.push_back(schema);
        covered = true;
      }
    }
    if (rule.patterned != nullptr) {
      for (const auto& member : *rule.patterned) {
        if (tree.key_matches(member.key(), key)) {
          out.push_back(&member.value());
          covered = true;
        }
      }
    }
    if (!covered && rule.others != nullptr) out.push_back(rule.others);
  }
  return out;
}

bool Shape::requires_key(std::string_view key) const {
  return std::ranges::find(required, key) != required.end();
}

void gather(Shape& shape, const SchemaTree& tree, const Json& schema, Chance& chance, Branching branching) {
  Gathering(shape, tree, chance, branching).add(schema, 0);
}

unsigned type_of(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return kNull;
    case boost::json::kind::bool_:
      return kBoolean;
    case boost::json::kind::string:
      return kString;
    case boost::json::kind::array:
      return kArray;
    case boost::json::kind::object:
      return kObject;
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return kWhole;
    case boost::json::kind::double_: {
      const double number = value.get_double();
      return std::trunc(number) == number ? kWhole : kFraction;
    }
  }
  return kNull;
}

}  // namespace assay::sim
