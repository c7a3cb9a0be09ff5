#include <algorithm>

#include <fmt/format.h>

#include "core/schema/walk.h"
#include "core/schema/words.h"

namespace assay::schema {
namespace {

constexpr std::size_t kMostDefectsOfAlternative = 3;
constexpr std::size_t kMostExplanations = 500;  // in one walk
// References that are looked through when an alternative is judged by its type or tag.
constexpr int kMostHops = 8;

// The types that a node admits, seen through plain references.
std::uint8_t admitted_types(const Node& node) {
  std::uint8_t types = node.never ? 0 : node.types;
  const auto* at = &node;
  for (int hops = 0; hops < kMostHops && at->logic && at->logic->reference != nullptr; ++hops) {
    at = at->logic->reference;
    types &= at->never ? 0 : at->types;
  }
  return types;
}

// Whether a member with a fixed value ("kind": {"const": …}) already shows that this alternative is not
// meant.
bool excluded_by_tag(const Node& node, const Json& value) {
  const auto* at = &node;
  for (int hops = 0; hops < kMostHops && !at->object && at->logic && at->logic->reference != nullptr;
       ++hops) {
    at = at->logic->reference;
  }
  const auto* object = value.if_object();
  if (object == nullptr || !at->object) return false;
  return std::ranges::any_of(at->object->properties.list(), [&](const auto& property) {
    const auto& rules = property.second->value;
    const auto* member = object->if_contains(property.first);
    if (!rules || member == nullptr) return false;
    if (rules->constant != nullptr) return !equal_values(*rules->constant, *member);
    return rules->choices != nullptr && rules->choices->size() == 1 &&
           !equal_values((*rules->choices)[0], *member);
  });
}

// The outermost resource on the way that declares the anchor decides.
const Node& dynamic_target(const LogicRules& rules, const Entered* entered) {
  const auto* target = rules.dynamic_reference;
  if (!rules.dynamic_anchor) return *target;
  for (; entered != nullptr; entered = entered->outer) {
    for (const auto& [anchor, node] : entered->scope->anchors) {
      if (anchor == *rules.dynamic_anchor) target = node;
    }
  }
  return *target;
}

}  // namespace

bool Walk::check_logic(const Site& site, const Json& value, Marks* marks) {
  const auto& rules = *site.node.logic;
  Verdict verdict(*this, true);
  const auto apply = [&](const Node& rule) {
    return verdict.decided(check(rule, value, site.path, site.entered, marks));
  };
  if (rules.reference != nullptr && apply(*rules.reference)) return false;
  if (rules.dynamic_reference != nullptr && apply(dynamic_target(rules, site.entered))) return false;
  for (const auto* rule : rules.all) {
    if (apply(*rule)) return false;
  }
  if (!rules.any.empty() && verdict.decided(check_any(site, value, marks))) return false;
  if (!rules.one.empty() && verdict.decided(check_one(site, value, marks))) return false;
  if (rules.negated != nullptr && fits(*rules.negated, value, site.path, site.entered, nullptr)) {
    const bool passed = defect(site.node, "not", site.path, [&] {
      return fmt::format("found {}, which is what the schema forbids", excerpt(value));
    });
    if (verdict.decided(passed)) return false;
  }
  if (rules.condition != nullptr) {
    const bool holds = fits(*rules.condition, value, site.path, site.entered, marks);
    const auto* rule = holds ? rules.consequence : rules.alternative;
    if (rule != nullptr && apply(*rule)) return false;
  }
  return verdict.ok();
}

bool Walk::check_any(const Site& site, const Json& value, Marks* marks) {
  bool found = false;
  for (const auto* rule : site.node.logic->any) {
    if (!fits(*rule, value, site.path, site.entered, marks)) continue;
    if (marks == nullptr) return true;
    found = true;
  }
  if (found) return true;
  explain_alternatives(site, "anyOf", site.node.logic->any, value);
  // What a member would have been is unknown; that it is left over would be no news.
  if (marks != nullptr) marks->mark_all();
  return false;
}

bool Walk::check_one(const Site& site, const Json& value, Marks* marks) {
  const auto& rules = site.node.logic->one;
  std::size_t first = rules.size();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!fits(*rules[i], value, site.path, site.entered, marks)) continue;
    if (first == rules.size()) {
      first = i;
      continue;
    }
    return defect(site.node, "oneOf", site.path, [&] {
      return fmt::format("found {}, which fits alternatives {} and {}, expected exactly one", excerpt(value),
                         first + 1, i + 1);
    });
  }
  if (first < rules.size()) return true;
  explain_alternatives(site, "oneOf", rules, value);
  if (marks != nullptr) marks->mark_all();
  return false;
}

// Why no alternative fits. If type or tag leave a single one that can have been meant, its defects are the
// answer.
void Walk::explain_alternatives(const Site& site, std::string_view keyword,
                                const std::vector<const Node*>& rules, const Json& value) {
  if (quick()) return;
  std::vector<const Node*> meant;
  std::uint8_t types = 0;
  for (const auto* rule : rules) {
    const auto admitted = admitted_types(*rule);
    types |= admitted;
    if ((admitted & type_of(value)) != 0 && !excluded_by_tag(*rule, value)) meant.push_back(rule);
  }
  if (types != 0 && (types & type_of(value)) == 0) {
    defect(site.node, keyword, site.path, [&] { return found_expected(value, type_words(types)); });
    return;
  }
  // Explanations of alternatives hold explanations of theirs, and so on.
  if (++explanations_ > kMostExplanations) {
    defect(site.node, keyword, site.path, [&] {
      return fmt::format("found {}, which fits none of {} alternatives", excerpt(value), rules.size());
    });
    return;
  }
  const auto before = sink_->defects.size();
  if (meant.size() == 1) check(*meant.front(), value, site.path, site.entered, nullptr);
  if (sink_->defects.size() > before) return;
  std::vector<std::vector<SchemaDefect>> defects;
  for (const auto* rule : rules) {
    Sink sink{{}, kMostDefectsOfAlternative};
    const Redirect redirect(*this, &sink);
    check(*rule, value, site.path, site.entered, nullptr);
    defects.push_back(std::move(sink.defects));
  }
  defect(site.node, keyword, site.path, [&] { return no_alternative(defects, site.path.pointer()); });
}

}  // namespace assay::schema
