#include <algorithm>

#include <fmt/format.h>

#include "core/schema/walk.h"
#include "core/schema/words.h"

namespace assay::schema {

bool Walk::check_size(const Site& site, std::size_t size, const SizeRule& rule) {
  const auto wrong = [&](std::string_view keyword, std::string_view words, std::size_t limit) {
    return defect(site.node, keyword, site.path, [&] {
      return fmt::format("found {}, expected {} {}", counted(size, rule.one, rule.many), words, limit);
    });
  };
  bool ok = true;
  if (size < rule.least) ok = wrong(rule.least_keyword, "at least", rule.least);
  if (size > rule.most) ok = wrong(rule.most_keyword, "at most", rule.most);
  return ok;
}

bool Walk::check_list(const Site& site, const Json& value, Marks* outer, bool ok) {
  const auto& rules = *site.node.list;
  const auto& list = value.get_array();
  Verdict verdict(*this, ok);
  Marks own;
  auto* marks = rules.unevaluated != nullptr ? &own : outer;
  const SizeRule size{rules.min_items, rules.max_items, "minItems", "maxItems", "item", "items"};
  if (verdict.decided(check_size(site, list.size(), size))) return false;
  if (rules.unique && verdict.decided(check_unique(site, list))) return false;
  if (verdict.decided(check_items(site, list, marks))) return false;
  if (rules.contains != nullptr && verdict.decided(check_contains(site, list, marks))) return false;
  if (site.node.logic && verdict.decided(check_logic(site, value, marks))) return false;
  if (rules.unevaluated != nullptr) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (own.marked(i)) continue;
      if (verdict.decided(check_item(site, *rules.unevaluated, "unevaluatedItems", list, i))) return false;
    }
    if (outer != nullptr) outer->mark_all();
  }
  return verdict.ok();
}

bool Walk::check_items(const Site& site, const JsonArray& list, Marks* marks) {
  const auto& rules = *site.node.list;
  Verdict verdict(*this, true);
  const auto prefix = std::min(rules.prefix.size(), list.size());
  for (std::size_t i = 0; i < prefix; ++i) {
    const Path path{&site.path, {}, i};
    if (verdict.decided(check(*rules.prefix[i], list[i], path, site.entered, nullptr))) return false;
  }
  if (rules.items != nullptr) {
    for (std::size_t i = prefix; i < list.size(); ++i) {
      if (verdict.decided(check_item(site, *rules.items, "items", list, i))) return false;
    }
  }
  if (marks != nullptr) {
    marks->mark_first(prefix);
    if (rules.items != nullptr) marks->mark_all();
  }
  return verdict.ok();
}

// `items` or `unevaluatedItems`, which are often just `false`.
bool Walk::check_item(const Site& site, const Node& rule, std::string_view keyword, const JsonArray& list,
                      std::size_t i) {
  const Path path{&site.path, {}, i};
  if (!rule.never) return check(rule, list[i], path, site.entered, nullptr);
  return defect(site.node, keyword, path,
                [&] { return fmt::format("found {}, expected no item here", excerpt(list[i])); });
}

bool Walk::check_unique(const Site& site, const JsonArray& list) {
  const auto [first, second] = find_duplicate(list);
  if (first == second) return true;
  return defect(site.node, "uniqueItems", site.path, [&, i = first, j = second] {
    return fmt::format("items {} and {} are equal ({}), expected no duplicates", i, j, excerpt(list[i]));
  });
}

bool Walk::check_contains(const Site& site, const JsonArray& list, Marks* marks) {
  const auto& rules = *site.node.list;
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!fits(*rules.contains, list[i], Path{&site.path, {}, i}, site.entered, nullptr)) continue;
    ++count;
    if (marks != nullptr) marks->mark(i);
    // Enough is known once the least is reached, unless somebody counts on.
    if (marks == nullptr && rules.max_contains == kNoLimit && count >= rules.min_contains) return true;
  }
  const auto words = [&](std::string_view expected, std::size_t limit) {
    return fmt::format("{} of {} fit the schema of contains, expected {} {}", count,
                       counted(list.size(), "item", "items"), expected, limit);
  };
  bool ok = true;
  if (count < rules.min_contains) {
    ok = defect(site.node, rules.min_contains == 1 ? "contains" : "minContains", site.path,
                [&] { return words("at least", rules.min_contains); });
  }
  if (count > rules.max_contains) {
    ok = defect(site.node, "maxContains", site.path, [&] { return words("at most", rules.max_contains); });
  }
  return ok;
}

bool Walk::check_object(const Site& site, const Json& value, Marks* outer, bool ok) {
  const auto& rules = *site.node.object;
  const auto& object = value.get_object();
  Verdict verdict(*this, ok);
  Marks own;
  auto* marks = rules.unevaluated != nullptr ? &own : outer;
  const SizeRule size{
      rules.min_properties, rules.max_properties, "minProperties", "maxProperties", "member", "members"};
  if (verdict.decided(check_size(site, object.size(), size))) return false;
  for (const auto name : rules.required) {
    if (object.contains(name)) continue;
    const Path path{&site.path, name};
    if (verdict.decided(defect(site.node, "required", path, [] { return "missing"; }))) return false;
  }
  if (rules.looks_at_members()) {
    std::size_t position = 0;
    for (const auto& member : object) {
      if (verdict.decided(check_member(site, member, position++, marks))) return false;
    }
  }
  for (const auto& dependency : rules.dependencies) {
    if (!object.contains(dependency.trigger)) continue;
    if (verdict.decided(check_dependency(site, dependency, value, marks))) return false;
  }
  if (site.node.logic && verdict.decided(check_logic(site, value, marks))) return false;
  if (rules.unevaluated != nullptr) {
    std::size_t position = 0;
    for (const auto& member : object) {
      if (own.marked(position++)) continue;
      if (verdict.decided(check_rest(site, *rules.unevaluated, "unevaluatedProperties", member)))
        return false;
    }
    if (outer != nullptr) outer->mark_all();
  }
  return verdict.ok();
}

bool Walk::check_member(const Site& site, const Member& member, std::size_t position, Marks* marks) {
  const auto& rules = *site.node.object;
  const std::string_view name = member.key();
  const Path path{&site.path, name};
  Verdict verdict(*this, true);
  bool known = false;
  if (const auto* property = rules.properties.find(name)) {
    known = true;
    if (verdict.decided(check(*property, member.value(), path, site.entered, nullptr))) return false;
  }
  for (const auto& [pattern, rule] : rules.patterns) {
    if (!pattern->found_in(name)) continue;
    known = true;
    if (verdict.decided(check(*rule, member.value(), path, site.entered, nullptr))) return false;
  }
  if (!known && rules.additional != nullptr) {
    known = true;
    if (verdict.decided(check_rest(site, *rules.additional, "additionalProperties", member))) return false;
  }
  if (known && marks != nullptr) marks->mark(position);
  if (rules.names != nullptr && verdict.decided(check_name(*rules.names, name, path, site.entered)))
    return false;
  return verdict.ok();
}

// `additionalProperties` or `unevaluatedProperties`, which are often just `false`.
bool Walk::check_rest(const Site& site, const Node& rule, std::string_view keyword, const Member& member) {
  const Path path{&site.path, member.key()};
  if (!rule.never) return check(rule, member.value(), path, site.entered, nullptr);
  return defect(site.node, keyword, path, [&] { return unexpected_member(member.key(), *site.node.object); });
}

bool Walk::check_name(const Node& rule, std::string_view name, const Path& path, const Entered* entered) {
  const Json text(name);
  const bool before = std::exchange(in_name_, true);
  const bool ok = check_name_text(rule, text, path, entered);
  in_name_ = before;
  return ok;
}

bool Walk::check_name_text(const Node& rule, const Json& text, const Path& path, const Entered* entered) {
  if (quick()) return check(rule, text, path, entered, nullptr);
  Sink sink;
  bool ok = true;
  {
    const Redirect redirect(*this, &sink);
    ok = check(rule, text, path, entered, nullptr);
  }
  for (auto& found : sink.defects) {
    if (sink_->full()) break;
    found.message = fmt::format("as a name: {}", found.message);
    sink_->defects.push_back(std::move(found));
  }
  return ok;
}

bool Walk::check_dependency(const Site& site, const Dependency& dependency, const Json& value, Marks* marks) {
  if (dependency.schema != nullptr) return check(*dependency.schema, value, site.path, site.entered, marks);
  bool ok = true;
  for (const auto name : dependency.needed) {
    if (value.get_object().contains(name)) continue;
    ok = defect(site.node, dependency.keyword, Path{&site.path, name},
                [&] { return fmt::format("missing, needed together with \"{}\"", dependency.trigger); });
  }
  return ok;
}

}  // namespace assay::schema
