// What several subschemas together ask of one value, gathered into one place: types are intersected, bounds
// tightened, rules for items and properties collected. Where a schema leaves a choice (anyOf, oneOf, if), one
// branch is drawn. A shape is a plan, not a proof: what is built from it is verified.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "sim/answers/schema_tree.h"
#include "sim/chance.h"

namespace assay::sim {

// A set of JSON types. A number is whole or fractional, so that `integer` is part of `number`.
enum Types : unsigned {
  kNull = 1,
  kBoolean = 2,
  kString = 4,
  kWhole = 8,
  kFraction = 16,
  kArray = 32,
  kObject = 64,
  kNumber = kWhole | kFraction,
  kAnyType = 127,
};

struct Shape {
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  unsigned types = kAnyType;
  bool typed = false;                               // some subschema named the type
  bool impossible = false;                          // a `false` schema, an empty intersection
  bool unresolved = false;                          // a reference leads out of the document
  bool doubtful = false;                            // a value is to be checked at once (SchemaTree::Facts)
  unsigned suggested = 0;                           // types that the keywords used speak of
  std::optional<std::vector<const Json*>> allowed;  // enum and const

  std::optional<double> least, most;
  bool above_least = false, below_most = false;  // exclusive bounds
  std::vector<double> multiples;

  std::size_t min_length = 0, max_length = kUnbounded;
  std::vector<std::string_view> patterns;
  std::vector<std::string_view> formats;

  struct ItemRule {
    const JsonArray* prefix = nullptr;
    const Json* rest = nullptr;
  };
  struct Contains {
    const Json* schema = nullptr;
    std::size_t least = 1;
    std::size_t most = kUnbounded;
  };
  std::size_t min_items = 0, max_items = kUnbounded;
  bool unique_items = false;
  bool closed_items = false;  // unevaluatedItems: false
  std::vector<ItemRule> items;
  std::vector<Contains> contains;

  struct PropertyRule {
    const JsonObject* named = nullptr;
    const JsonObject* patterned = nullptr;
    const Json* others = nullptr;
  };
  std::size_t min_properties = 0, max_properties = kUnbounded;
  bool closed_properties = false;  // unevaluatedProperties: false
  std::vector<PropertyRule> properties;
  std::vector<std::string> required;
  std::vector<const Json*> property_names;
  std::vector<const JsonObject*> dependent_required;
  std::vector<const JsonObject*> dependent_schemas;

  std::string_view description;  // of the outermost subschema that has one
  const JsonArray* examples = nullptr;
  // Values of `allowed` that have words of their own: oneOf/anyOf [{const, description}, …].
  std::vector<std::pair<const Json*, std::string_view>> described;

  // The subschemas for the item at `index` and for the property `key`.
  std::vector<const Json*> item_schemas(std::size_t index) const;
  std::vector<const Json*> property_schemas(const SchemaTree& tree, std::string_view key) const;
  bool requires_key(std::string_view key) const;
};

// How a branch is chosen: freely, or where values get deep, by whatever ends soonest.
enum class Branching { free, shallow };

// Adds what `schema` (a subschema of the tree) asks for.
void gather(Shape& shape, const SchemaTree& tree, const Json& schema, Chance& chance, Branching branching);

unsigned type_of(const Json& value);

}  // namespace assay::sim
