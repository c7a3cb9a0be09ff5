#include "core/schema/loops.h"

#include <unordered_map>

namespace assay::schema {
namespace {

std::vector<const Node*> same_value_schemas(const Node& node) {
  std::vector<const Node*> nodes;
  const auto add = [&](const Node* next) {
    if (next != nullptr) nodes.push_back(next);
  };
  if (node.logic) {
    const auto& logic = *node.logic;
    for (const auto* next :
         {logic.reference, logic.negated, logic.condition, logic.consequence, logic.alternative}) {
      add(next);
    }
    if (!logic.dynamic_anchor) add(logic.dynamic_reference);
    for (const auto* list : {&logic.all, &logic.any, &logic.one}) {
      for (const auto* next : *list) add(next);
    }
  }
  if (node.object) {
    for (const auto& dependency : node.object->dependencies) add(dependency.schema);
  }
  return nodes;
}

}  // namespace

const Node* find_endless_reference(const Tree& tree) {
  // Depth first with a stack of our own: a chain of references can be as long as the schema.
  enum class State { open, done };
  struct Visit {
    const Node* node;
    std::vector<const Node*> next;
  };
  std::unordered_map<const Node*, State> states;
  std::vector<Visit> stack;
  const auto enter = [&](const Node* node) {
    states[node] = State::open;
    stack.push_back({node, same_value_schemas(*node)});
  };
  for (const auto& start : tree.nodes) {
    if (states.contains(&start)) continue;
    enter(&start);
    while (!stack.empty()) {
      if (stack.back().next.empty()) {
        states[stack.back().node] = State::done;
        stack.pop_back();
        continue;
      }
      const auto* next = stack.back().next.back();
      stack.back().next.pop_back();
      const auto known = states.find(next);
      if (known == states.end()) {
        enter(next);
      } else if (known->second == State::open) {
        return next;
      }
    }
  }
  return nullptr;
}

}  // namespace assay::schema
