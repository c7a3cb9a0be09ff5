#include "core/schema/compile.h"

#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/schema/assertions.h"
#include "core/schema/loops.h"
#include "core/schema/registry.h"

namespace assay::schema {
namespace {

class Compiler {
 public:
  Compiler(const Schema::Documents& documents, SchemaOptions options)
      : registry_(documents, problems_, options) {}

  Result<std::unique_ptr<const Tree>> run(const Json& schema) {
    tree_->root = node_at(registry_.add_root(schema));
    // Filling a node makes more nodes, and the dynamic anchors of a resource matter once it has one.
    do {
      while (filled_ < queue_.size()) fill(filled_++);
    } while (add_dynamic_anchors());
    if (const auto loop = find_endless_reference(*tree_)) {
      problems_.add(loop->location, "refers to itself for the same value without end");
    }
    if (!problems_.empty()) return fail(problems_.error());
    tree_->documents = std::move(registry_).take_documents();
    return std::move(tree_);
  }

 private:
  using Rule = void (Compiler::*)(const Site&);

  const Node* node_at(const Place& place) {
    auto [known, added] = nodes_.try_emplace(place.schema, nullptr);
    if (added) {
      auto& node = tree_->nodes.emplace_back();
      node.location = place.location;
      node.scope = scope_of(*place.resource);
      known->second = &node;
      queue_.emplace_back(&node, place);
    }
    return known->second;
  }

  const Scope* scope_of(const Resource& resource) {
    auto [known, added] = scopes_.try_emplace(&resource, nullptr);
    if (added) known->second = &tree_->scopes.emplace_back();
    return known->second;
  }

  // Dynamic anchors can be reached from any resource that is ever entered. True if there are new nodes to
  // fill.
  bool add_dynamic_anchors() {
    if (!tree_->has_dynamic_references) return false;
    const auto before = queue_.size();
    for (const auto& resource : registry_.resources()) {
      const auto scope = scopes_.find(&resource);
      if (scope == scopes_.end() || scope->second->anchors.size() == resource.dynamic_anchors.size())
        continue;
      scope->second->anchors.clear();
      for (const auto& [name, schema] : resource.dynamic_anchors) {
        if (const auto* place = registry_.place_of(*schema)) {
          scope->second->anchors.emplace_back(anchor_number(name), node_at(*place));
        }
      }
    }
    return queue_.size() > before;
  }

  int anchor_number(const std::string& name) {
    return anchor_numbers_.try_emplace(name, static_cast<int>(anchor_numbers_.size())).first->second;
  }

  void fill(std::size_t index) {
    auto& node = *queue_[index].first;
    const auto place = queue_[index].second;
    if (const auto* verdict = place.schema->if_bool()) {
      node.never = !*verdict;
      return;
    }
    const auto* object = place.schema->if_object();
    if (object == nullptr) {
      problems_.add(place.location, fmt::format("found {}, expected a schema (an object, true or false)",
                                                excerpt(*place.schema)));
      return;
    }
    for (const auto& [key, value] : *object) {
      const auto* keyword = find_keyword(key);
      if (keyword == nullptr || !place.resource->dialect.knows(keyword->vocabulary)) continue;
      const Site site{node, place, keyword->name, value};
      if (assertions_.compile(site)) continue;
      if (const auto rule = rules().find(key); rule != rules().end()) (this->*rule->second)(site);
    }
    if (node.object) node.object->properties.finish();
  }

  static const std::unordered_map<std::string_view, Rule>& rules() {
    static const std::unordered_map<std::string_view, Rule> table = {
        {"$ref", &Compiler::reference},
        {"$dynamicRef", &Compiler::dynamic_reference},
        {"allOf", &Compiler::combination},
        {"anyOf", &Compiler::combination},
        {"oneOf", &Compiler::combination},
        {"not", &Compiler::branch},
        {"if", &Compiler::branch},
        {"then", &Compiler::branch},
        {"else", &Compiler::branch},
        {"dependentSchemas", &Compiler::dependent_schemas},
        {"dependencies", &Compiler::dependencies},
        {"prefixItems", &Compiler::prefix_items},
        {"items", &Compiler::list_schema},
        {"contains", &Compiler::list_schema},
        {"unevaluatedItems", &Compiler::list_schema},
        {"properties", &Compiler::properties},
        {"patternProperties", &Compiler::pattern_properties},
        {"additionalProperties", &Compiler::object_schema},
        {"propertyNames", &Compiler::object_schema},
        {"unevaluatedProperties", &Compiler::object_schema},
    };
    return table;
  }

  // The node of a subschema of a keyword; null after a problem.
  const Node* subschema(const Site& site, const Json& value, std::string_view step = {}) {
    if (const auto* place = registry_.place_of(value)) return node_at(*place);
    auto location = below(site.place.location, site.keyword);
    if (!step.empty()) location = below(location, step);
    if (!value.is_object()) {
      problems_.add(location,
                    fmt::format("found {}, expected a schema (an object, true or false)", excerpt(value)));
    }
    return nullptr;
  }

  void reference(const Site& site) {
    const auto target = resolve(site);
    if (target) made(site.node.logic).reference = node_at(target->place);
  }

  void dynamic_reference(const Site& site) {
    const auto target = resolve(site);
    if (!target) return;
    auto& logic = made(site.node.logic);
    logic.dynamic_reference = node_at(target->place);
    if (!target->anchor.empty() && target->place.resource->dynamic_anchors.contains(target->anchor)) {
      logic.dynamic_anchor = anchor_number(target->anchor);
      tree_->has_dynamic_references = true;
    }
  }

  std::optional<Target> resolve(const Site& site) {
    const auto text = as_text(site.value);
    if (!text) {
      assertions_.wrong(site, "text");
      return std::nullopt;
    }
    return registry_.resolve(*site.place.resource, *text, below(site.place.location, site.keyword));
  }

  std::vector<const Node*> subschemas(const Site& site) {
    std::vector<const Node*> nodes;
    const auto* list = site.value.if_array();
    if (list == nullptr || list->empty()) {
      assertions_.wrong(site, "a list of at least one schema");
      return nodes;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (const auto* node = subschema(site, (*list)[i], std::to_string(i))) nodes.push_back(node);
    }
    return nodes;
  }

  void combination(const Site& site) {
    auto nodes = subschemas(site);
    auto& logic = made(site.node.logic);
    auto& kind = site.keyword == "allOf" ? logic.all : site.keyword == "anyOf" ? logic.any : logic.one;
    kind = std::move(nodes);
  }

  void branch(const Site& site) {
    const auto* node = subschema(site, site.value);
    auto& logic = made(site.node.logic);
    auto& kind = site.keyword == "not"    ? logic.negated
                 : site.keyword == "if"   ? logic.condition
                 : site.keyword == "then" ? logic.consequence
                                          : logic.alternative;
    kind = node;
  }

  void prefix_items(const Site& site) { made(site.node.list).prefix = subschemas(site); }

  void list_schema(const Site& site) {
    const auto* node = subschema(site, site.value);
    auto& list = made(site.node.list);
    auto& kind = site.keyword == "items"      ? list.items
                 : site.keyword == "contains" ? list.contains
                                              : list.unevaluated;
    kind = node;
  }

  void object_schema(const Site& site) {
    const auto* node = subschema(site, site.value);
    auto& object = made(site.node.object);
    auto& kind = site.keyword == "additionalProperties" ? object.additional
                 : site.keyword == "propertyNames"      ? object.names
                                                        : object.unevaluated;
    kind = node;
  }

  void properties(const Site& site) {
    auto& object = made(site.node.object);
    for (const auto& [name, value] : assertions_.members(site)) {
      if (const auto* node = subschema(site, value, name)) object.properties.add(name, node);
    }
  }

  void pattern_properties(const Site& site) {
    auto& object = made(site.node.object);
    for (const auto& [name, value] : assertions_.members(site)) {
      const auto* regex = assertions_.compile_pattern(site, name);
      const auto* node = subschema(site, value, name);
      if (regex != nullptr && node != nullptr) object.patterns.emplace_back(regex, node);
    }
  }

  void dependent_schemas(const Site& site) {
    auto& object = made(site.node.object);
    for (const auto& [name, value] : assertions_.members(site)) {
      if (const auto* node = subschema(site, value, name)) {
        object.dependencies.push_back({site.keyword, name, {}, node});
      }
    }
  }

  // The keyword of earlier drafts, which held both kinds.
  void dependencies(const Site& site) {
    auto& object = made(site.node.object);
    for (const auto& [name, value] : assertions_.members(site)) {
      if (value.is_array()) {
        if (auto needed = assertions_.names(site, value)) {
          object.dependencies.push_back({site.keyword, name, std::move(*needed), nullptr});
        }
      } else if (const auto* node = subschema(site, value, name)) {
        object.dependencies.push_back({site.keyword, name, {}, node});
      }
    }
  }

  Problems problems_;
  Registry registry_;
  std::unique_ptr<Tree> tree_ = std::make_unique<Tree>();
  Assertions assertions_{problems_, tree_->patterns};
  std::unordered_map<const Json*, const Node*> nodes_;
  std::unordered_map<const Resource*, Scope*> scopes_;
  std::unordered_map<std::string, int> anchor_numbers_;
  std::vector<std::pair<Node*, Place>> queue_;
  std::size_t filled_ = 0;
};

}  // namespace

Result<std::unique_ptr<const Tree>> compile_tree(const Json& schema, const Schema::Documents& documents,
                                                 SchemaOptions options) {
  return Compiler(documents, options).run(schema);
}

}  // namespace assay::schema
