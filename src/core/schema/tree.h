// A compiled schema: one Node per schema object, references already turned into pointers, so that validation
// only walks. Nodes own nothing; the Tree owns nodes, patterns and the documents that `const` and `enum`
// point into. Immutable after compilation.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/json/json.h"
#include "core/schema/formats.h"
#include "core/schema/numbers.h"
#include "core/schema/pattern.h"

namespace assay::schema {

struct Node;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Bits of the keyword `type`.
enum TypeBit : std::uint8_t {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,
  kNumber = 8,  // with fraction; "number" is kInteger | kNumber
  kString = 16,
  kArray = 32,
  kObject = 64,
  kAnyType = 127,
};

// A schema resource as `$dynamicRef` sees it: which dynamic anchors it declares. Names are numbered.
struct Scope {
  std::vector<std::pair<int, const Node*>> anchors;
};

struct ValueRules {
  const Json* constant = nullptr;
  const JsonArray* choices = nullptr;
  // The choices once more, if they are many and all texts.
  std::unordered_set<std::string_view> texts;
};

struct NumberRules {
  const Json* minimum = nullptr;
  const Json* maximum = nullptr;
  const Json* exclusive_minimum = nullptr;
  const Json* exclusive_maximum = nullptr;
  const Json* multiple_of = nullptr;
  Decimal divisor;
};

struct TextRules {
  std::size_t min_length = 0;
  std::size_t max_length = kNoLimit;
  const Pattern* pattern = nullptr;
  std::string_view pattern_text;
  std::string_view example;      // the schema's first one: says more to people than a pattern
  FormatCheck format = nullptr;  // null: not asserted
  std::string_view format_name;
};

struct ListRules {
  std::size_t min_items = 0;
  std::size_t max_items = kNoLimit;
  bool unique = false;
  std::vector<const Node*> prefix;
  const Node* items = nullptr;
  const Node* contains = nullptr;
  std::size_t min_contains = 1;
  std::size_t max_contains = kNoLimit;
  const Node* unevaluated = nullptr;
};

// Names to nodes: a scan where there are few, a table where there are many.
class Properties {
 public:
  void add(std::string_view name, const Node* node) { list_.emplace_back(name, node); }
  void finish() {
    if (list_.size() > kFew) table_.insert(list_.begin(), list_.end());
  }
  const Node* find(std::string_view name) const {
    if (!table_.empty()) {
      const auto found = table_.find(name);
      return found == table_.end() ? nullptr : found->second;
    }
    for (const auto& [known, node] : list_) {
      if (known == name) return node;
    }
    return nullptr;
  }
  const std::vector<std::pair<std::string_view, const Node*>>& list() const { return list_; }

 private:
  static constexpr std::size_t kFew = 8;
  std::vector<std::pair<std::string_view, const Node*>> list_;
  std::unordered_map<std::string_view, const Node*> table_;
};

// If the object has the member `trigger`, it needs others, or must fit a schema.
struct Dependency {
  std::string_view keyword;
  std::string_view trigger;
  std::vector<std::string_view> needed;
  const Node* schema = nullptr;
};

struct ObjectRules {
  std::size_t min_properties = 0;
  std::size_t max_properties = kNoLimit;
  std::vector<std::string_view> required;
  Properties properties;
  std::vector<std::pair<const Pattern*, const Node*>> patterns;
  const Node* additional = nullptr;
  const Node* names = nullptr;
  std::vector<Dependency> dependencies;
  const Node* unevaluated = nullptr;

  bool looks_at_members() const {
    return !properties.list().empty() || !patterns.empty() || additional != nullptr || names != nullptr;
  }
};

// Keywords that apply other schemas to the same value.
struct LogicRules {
  const Node* reference = nullptr;
  const Node* dynamic_reference = nullptr;  // where it leads if no outer scope says otherwise
  std::optional<int> dynamic_anchor;        // absent: behaves as `$ref`
  std::vector<const Node*> all;
  std::vector<const Node*> any;
  std::vector<const Node*> one;
  const Node* negated = nullptr;
  const Node* condition = nullptr;
  const Node* consequence = nullptr;
  const Node* alternative = nullptr;
};

struct Node {
  std::string location;  // pointer in the root document, else "URI#pointer"
  const Scope* scope = nullptr;
  bool never = false;  // the schema `false`
  std::uint8_t types = kAnyType;
  std::unique_ptr<ValueRules> value;
  std::unique_ptr<NumberRules> number;
  std::unique_ptr<TextRules> text;
  std::unique_ptr<ListRules> list;
  std::unique_ptr<ObjectRules> object;
  std::unique_ptr<LogicRules> logic;
};

struct Tree {
  std::deque<Json> documents;
  std::deque<Node> nodes;
  std::deque<Scope> scopes;
  std::deque<Pattern> patterns;
  const Node* root = nullptr;
  bool has_dynamic_references = false;
};

}  // namespace assay::schema
