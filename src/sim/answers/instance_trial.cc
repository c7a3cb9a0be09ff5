#include "sim/answers/instance_trial.h"

#include <algorithm>

#include "core/schema/numbers.h"
#include "sim/answers/scalars.h"

namespace assay::sim {
namespace {

constexpr int kTrialsOfAPart = 10;
constexpr std::size_t kDeepest = 40;
constexpr std::size_t kDeepFrom = 5;  // from here on branches that end soon are preferred
constexpr std::size_t kLongestList = 10'000;

bool allowed(const Shape& shape, const Json& value) {
  return !shape.allowed || std::ranges::any_of(*shape.allowed, [&](const Json* other) {
    return schema::equal_values(value, *other);
  });
}

void add_key(std::vector<std::string>& keys, std::string_view key) {
  if (std::ranges::find(keys, key) == keys.end()) keys.emplace_back(key);
}

// How many entries the rules speak of, for a list that may have no others.
std::size_t known_items(const Shape& shape) {
  std::size_t known = 0;
  for (const Shape::ItemRule& rule : shape.items) {
    if (rule.rest != nullptr) return Shape::kUnbounded;
    if (rule.prefix != nullptr) known = std::max(known, rule.prefix->size());
  }
  return known;
}

}  // namespace

Trial::Trial(const SchemaTree& tree, const Fits& fits, Setting setting, Chance chance,
             std::size_t& values_left)
    : tree_(tree), fits_(fits), setting_(setting), chance_(chance), values_left_(values_left) {}

bool Trial::deep() const {
  return path_.size() >= kDeepFrom;
}

std::optional<Json> Trial::make(const Schemas& schemas) {
  if (path_.size() > kDeepest) return std::nullopt;
  int trials = 2;
  for (int trial = 0; trial < trials; ++trial) {
    if (values_left_ == 0) return std::nullopt;
    --values_left_;
    Shape shape;
    for (const Json* schema : schemas) gather(shape, tree_, *schema, chance_, branching());
    if (shape.doubtful) trials = kTrialsOfAPart;
    if (shape.impossible) continue;
    auto value = fill(shape, trial == 0);
    if (!value) continue;
    const bool good = !shape.doubtful || std::ranges::all_of(schemas, [&](const Json* schema) {
      return fits_(*schema, *value);
    });
    if (good) return value;
  }
  return std::nullopt;
}

std::optional<Json> Trial::fill(Shape& shape, bool first) {
  if (setting_.suggestions != nullptr && first) {
    auto value = setting_.suggestions->value(Place{path_, shape});
    if (value && (type_of(*value) & shape.types) != 0 && allowed(shape, *value)) return value;
  }
  if (shape.allowed) return pick_allowed(shape);
  if (shape.examples != nullptr && !shape.examples->empty() && first) {
    const Json& example = chance_.pick(*shape.examples);
    if ((type_of(example) & shape.types) != 0) return example;
  }
  switch (choose_type(shape)) {
    case kNull:
      return Json(nullptr);
    case kBoolean:
      return Json(chance_.happens(0.5));
    case kNumber:
      return make_number(shape, chance_);
    case kArray:
      return make_list(shape);
    case kObject:
      return make_object(shape);
    default:
      break;
  }
  auto text = make_text(shape, Place{path_, shape}.name(), words(), chance_);
  if (!text) return std::nullopt;
  return Json(boost::json::string(*text));
}

std::optional<Json> Trial::pick_allowed(const Shape& shape) {
  std::vector<const Json*> candidates;
  for (const Json* value : *shape.allowed) {
    if ((type_of(*value) & shape.types) != 0) candidates.push_back(value);
  }
  if (candidates.empty()) return std::nullopt;
  return *chance_.pick(candidates);
}

unsigned Trial::choose_type(const Shape& shape) {
  unsigned candidates = shape.types;
  if (!shape.typed && !setting_.any_type) {
    if ((shape.suggested & candidates) != 0) {
      candidates &= shape.suggested;
    } else if (shape.unresolved) {
      candidates &= kObject | kBoolean | kWhole | kString;
    } else if ((candidates & kString) != 0) {
      candidates = kString;
    }
  }
  constexpr unsigned kContainers = kArray | kObject;
  if (deep() && (candidates & ~kContainers) != 0) candidates &= ~kContainers;
  const bool only_null = (candidates & ~unsigned{kNull}) == 0;
  if ((candidates & kNull) != 0 && (only_null || chance_.happens(deep() ? 0.7 : 0.1))) return kNull;
  std::vector<unsigned> types;
  for (const unsigned type : {kBoolean, kString, kNumber, kArray, kObject}) {
    if ((candidates & type) != 0) types.push_back(type);
  }
  return types.empty() ? unsigned{kNull} : chance_.pick(types);
}

std::size_t Trial::choose_length(const Shape& shape, std::size_t needed) {
  const std::size_t most = std::max(needed, std::min(shape.max_items, kLongestList));
  std::size_t count = needed;
  const auto suggested =
      setting_.suggestions == nullptr ? std::nullopt : setting_.suggestions->length(Place{path_, shape});
  if (suggested) {
    count = std::clamp(*suggested, needed, most);
  } else if (!deep()) {
    count = chance_.between(needed, std::min(most, std::max<std::size_t>(needed, 1) + 2));
  }
  if (shape.closed_items && shape.contains.empty()) count = std::min(count, known_items(shape));
  return count;
}

std::optional<Json> Trial::make_list(const Shape& shape) {
  Schemas wanted;  // entries that must be there for the sake of `contains`
  for (const Shape::Contains& rule : shape.contains) {
    for (std::size_t i = 0; i < std::min(rule.least, kLongestList); ++i) wanted.push_back(rule.schema);
  }
  const std::size_t needed = std::max(shape.min_items, wanted.size());
  if (needed > kLongestList || needed > shape.max_items) return std::nullopt;
  const std::size_t count = choose_length(shape, needed);
  JsonArray list;
  for (std::size_t i = 0; i < count; ++i) {
    Schemas schemas = shape.item_schemas(i);
    if (i < wanted.size()) schemas.push_back(wanted[i]);
    auto entry = make_entry(shape, list, schemas, i);
    if (!entry) {
      if (i >= needed) break;
      return std::nullopt;
    }
    list.push_back(std::move(*entry));
  }
  if (list.size() < shape.min_items) return std::nullopt;
  return Json(std::move(list));
}

std::optional<Json> Trial::make_entry(const Shape& shape, const JsonArray& list, const Schemas& schemas,
                                      std::size_t index) {
  path_.push_back({{}, index});
  const Suggestions* const kept = setting_.suggestions;
  std::optional<Json> entry;
  for (int attempt = 0; attempt < (shape.unique_items ? 20 : 1); ++attempt) {
    if (attempt > 0) setting_.suggestions = nullptr;  // they would say the same again
    entry = make(schemas);
    const bool repeated = entry && shape.unique_items && std::ranges::any_of(list, [&](const Json& other) {
                            return schema::equal_values(*entry, other);
                          });
    if (!repeated) break;
    entry.reset();
  }
  setting_.suggestions = kept;
  path_.pop_back();
  return entry;
}

// Keys in the order in which the schema names them, then whatever else is required.
std::vector<std::string> Trial::choose_keys(const Shape& shape) {
  std::vector<std::string> keys;
  const double share = path_.size() > 2 * kDeepFrom ? 0 : deep() ? 0.1 : setting_.optional_share;
  std::size_t optional_left =
      shape.max_properties > shape.required.size() ? shape.max_properties - shape.required.size() : 0;
  for (const Shape::PropertyRule& rule : shape.properties) {
    if (rule.named == nullptr) continue;
    for (const auto& member : *rule.named) {
      if (shape.requires_key(member.key())) {
        add_key(keys, member.key());
      } else if (optional_left > 0 && chance_.happens(share)) {
        add_key(keys, member.key());
        --optional_left;
      }
    }
  }
  for (const std::string& key : shape.required) add_key(keys, key);
  return keys;
}

// Presence of one key may ask for others, and for more of the object.
void Trial::add_dependencies(Shape& shape, std::vector<std::string>& keys) {
  std::vector<const Json*> applied;
  for (std::size_t i = 0; i < keys.size() && keys.size() < kLongestList; ++i) {
    for (const JsonObject* needs : shape.dependent_required) {
      const Json* names = needs->if_contains(keys[i]);
      if (names == nullptr || !names->is_array()) continue;
      for (const Json& name : names->get_array()) {
        if (name.is_string()) add_key(keys, name.get_string());
      }
    }
    const auto needs_of_key = shape.dependent_schemas;  // gathering may add to the list
    for (const JsonObject* needs : needs_of_key) {
      const Json* schema = needs->if_contains(keys[i]);
      if (schema == nullptr || std::ranges::find(applied, schema) != applied.end()) continue;
      applied.push_back(schema);
      gather(shape, tree_, *schema, chance_, branching());
      for (const std::string& key : shape.required) add_key(keys, key);
    }
  }
}

std::string Trial::invent_key(const Shape& shape) {
  std::vector<std::string_view> expressions;
  bool others = !shape.closed_properties;
  for (const Shape::PropertyRule& rule : shape.properties) {
    if (rule.patterned != nullptr) {
      for (const auto& member : *rule.patterned) expressions.push_back(member.key());
    }
    others = others && (rule.others == nullptr || !rule.others->is_bool() || rule.others->get_bool());
  }
  if (!shape.property_names.empty() && (expressions.empty() || chance_.happens(0.5))) {
    if (auto name = make(shape.property_names); name && name->is_string())
      return std::string(name->get_string());
  }
  Shape key;
  key.types = kString;
  key.max_length = 23;
  if (!expressions.empty() && (!others || chance_.happens(0.5)))
    key.patterns.push_back(chance_.pick(expressions));
  return make_text(key, "key", words(), chance_).value_or("key");
}

void Trial::add_known_or_invented(const Shape& shape, std::vector<std::string>& keys, std::size_t attempt) {
  if (attempt == 0) {
    for (const Shape::PropertyRule& rule : shape.properties) {
      if (rule.named == nullptr) continue;
      for (const auto& member : *rule.named) {
        if (keys.size() < shape.min_properties) add_key(keys, member.key());
      }
    }
    return;
  }
  std::string key = invent_key(shape);
  if (attempt > 8 && shape.property_names.empty()) key += std::to_string(attempt);
  add_key(keys, key);
}

std::optional<Json> Trial::make_object(Shape& shape) {
  std::vector<std::string> keys = choose_keys(shape);
  add_dependencies(shape, keys);
  if (shape.impossible) return std::nullopt;
  if (shape.min_properties > kLongestList) return std::nullopt;
  for (std::size_t i = 0; keys.size() < shape.min_properties && i < 4 * shape.min_properties + 16; ++i) {
    if (values_left_ == 0) return std::nullopt;
    add_known_or_invented(shape, keys, i);
  }
  JsonObject object;
  for (const std::string& key : keys) {
    path_.push_back({key, 0});
    auto value = make(shape.property_schemas(tree_, key));
    path_.pop_back();
    if (value) {
      object[key] = std::move(*value);
    } else if (shape.requires_key(key)) {
      return std::nullopt;
    }
  }
  if (object.size() < shape.min_properties) return std::nullopt;
  return Json(std::move(object));
}

}  // namespace assay::sim
