// A schema document made ready to be walked in order to build an instance of it: each subschema knows its
// pointer and where its references lead. Addresses of subschemas are their identity; the tree owns them and
// never changes, so it may be read from many threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/json/json.h"

namespace re2 {
class RE2;
}

namespace assay::sim {

class SchemaTree {
 public:
  explicit SchemaTree(Json schema);
  ~SchemaTree();
  SchemaTree(const SchemaTree&) = delete;
  SchemaTree& operator=(const SchemaTree&) = delete;

  const Json& root() const { return root_; }
  // What is known of a subschema before it is read.
  struct Facts {
    std::string pointer;  // from the root, "" for the root itself
    // Where `$ref` and `$dynamicRef` lead; null where nothing in this document is meant.
    const Json* fixed = nullptr;
    const Json* dynamic = nullptr;
    // Whether its keywords cannot be met by construction alone (oneOf, not, pattern, …), so that a value for
    // it is better checked at once than with the whole instance.
    bool doubtful = false;
    // Which of its keywords are there: bits of Keywords.
    unsigned keywords = 0;
  };
  enum Keywords : unsigned {
    kNumbers = 1,
    kTexts = 2,
    kItems = 4,
    kProperties = 8,
    kCombinations = 16,
    kReferences = 32
  };
  // Null for what is no subschema of this document.
  const Facts* facts(const Json& subschema) const;
  // Whether a property's name matches an expression of some `patternProperties` of this document.
  bool key_matches(std::string_view expression, std::string_view key) const;

 private:
  struct Pending {
    const Json* subschema;
    std::string base;
  };
  void walk(const Json& schema, const std::string& base, const std::string& pointer);
  void keep_expression(std::string_view expression);
  void follow(const Pending& pending);
  const Json* find(std::string_view reference, const std::string& base);
  const Json* walk_pointer(const Json& document, std::string base, std::string pointer,
                           std::string_view steps);

  const Json root_;
  std::unordered_map<const Json*, Facts> facts_;
  std::unordered_map<std::string, const Json*> resources_;  // by absolute or made-up URI, without fragment
  std::unordered_map<std::string, const Json*> anchors_;    // URI#name
  std::unordered_map<std::string, const Json*> dynamic_;    // outermost `$dynamicAnchor` by name
  std::unordered_map<std::string, std::unique_ptr<re2::RE2>> expressions_;
  std::vector<Pending> pending_;
};

}  // namespace assay::sim
