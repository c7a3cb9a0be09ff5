#include "sim/answers/schema_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include <re2/re2.h>

#include "core/schema/uri.h"

namespace assay::sim {
namespace {

constexpr std::array<std::string_view, 5> kMaps = {"$defs", "definitions", "properties", "patternProperties",
                                                   "dependentSchemas"};
constexpr std::array<std::string_view, 4> kLists = {"allOf", "anyOf", "oneOf", "prefixItems"};
constexpr std::array<std::string_view, 11> kSingles = {"additionalProperties",
                                                       "items",
                                                       "contains",
                                                       "not",
                                                       "if",
                                                       "then",
                                                       "else",
                                                       "propertyNames",
                                                       "unevaluatedItems",
                                                       "unevaluatedProperties",
                                                       "contentSchema"};
constexpr std::array<std::string_view, 13> kDoubtful = {"oneOf",
                                                        "not",
                                                        "if",
                                                        "anyOf",
                                                        "dependentSchemas",
                                                        "contains",
                                                        "unevaluatedItems",
                                                        "unevaluatedProperties",
                                                        "pattern",
                                                        "propertyNames",
                                                        "patternProperties",
                                                        "$dynamicRef",
                                                        "multipleOf"};

struct Group {
  std::string_view keyword;
  unsigned bit;
};
constexpr Group kGroups[] = {{"minimum", SchemaTree::kNumbers},
                             {"maximum", SchemaTree::kNumbers},
                             {"exclusiveMinimum", SchemaTree::kNumbers},
                             {"exclusiveMaximum", SchemaTree::kNumbers},
                             {"multipleOf", SchemaTree::kNumbers},
                             {"minLength", SchemaTree::kTexts},
                             {"maxLength", SchemaTree::kTexts},
                             {"pattern", SchemaTree::kTexts},
                             {"format", SchemaTree::kTexts},
                             {"items", SchemaTree::kItems},
                             {"prefixItems", SchemaTree::kItems},
                             {"contains", SchemaTree::kItems},
                             {"minItems", SchemaTree::kItems},
                             {"maxItems", SchemaTree::kItems},
                             {"uniqueItems", SchemaTree::kItems},
                             {"unevaluatedItems", SchemaTree::kItems},
                             {"properties", SchemaTree::kProperties},
                             {"required", SchemaTree::kProperties},
                             {"patternProperties", SchemaTree::kProperties},
                             {"additionalProperties", SchemaTree::kProperties},
                             {"minProperties", SchemaTree::kProperties},
                             {"maxProperties", SchemaTree::kProperties},
                             {"propertyNames", SchemaTree::kProperties},
                             {"dependentRequired", SchemaTree::kProperties},
                             {"dependentSchemas", SchemaTree::kProperties},
                             {"unevaluatedProperties", SchemaTree::kProperties},
                             {"allOf", SchemaTree::kCombinations},
                             {"anyOf", SchemaTree::kCombinations},
                             {"oneOf", SchemaTree::kCombinations},
                             {"if", SchemaTree::kCombinations},
                             {"not", SchemaTree::kCombinations},
                             {"$ref", SchemaTree::kReferences},
                             {"$dynamicRef", SchemaTree::kReferences}};

unsigned keywords_in(const JsonObject& object) {
  unsigned bits = 0;
  for (const auto& member : object) {
    const auto* group = std::ranges::find(kGroups, std::string_view(member.key()), &Group::keyword);
    if (group != std::end(kGroups)) bits |= group->bit;
  }
  return bits;
}

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string unescaped_step(std::string_view step) {
  const std::string out = schema::percent_decode(step).value_or(std::string(step));
  std::string result;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == '~' && i + 1 < out.size()) {
      result += out[++i] == '1' ? '/' : '~';
    } else {
      result += out[i];
    }
  }
  return result;
}

std::string resource_uri(const std::string& base, std::string_view id) {
  return std::string(schema::split_fragment(schema::resolve_uri(base, id)).resource);
}

std::string_view text_member(const Json& schema, std::string_view key) {
  const Json* member = find_member(schema, key);
  return member != nullptr && member->is_string() ? std::string_view(member->get_string())
                                                  : std::string_view();
}

}  // namespace

SchemaTree::SchemaTree(Json schema) : root_(std::move(schema)) {
  resources_.emplace("", &root_);
  walk(root_, "", "");
  while (!pending_.empty()) {
    const Pending next = std::move(pending_.back());
    pending_.pop_back();
    follow(next);
  }
}

SchemaTree::~SchemaTree() = default;

void SchemaTree::walk(const Json& schema, const std::string& outer_base, const std::string& pointer) {
  if (schema.is_bool()) {
    facts_.try_emplace(&schema, Facts{.pointer = pointer});
    return;
  }
  if (!schema.is_object()) return;
  const auto [known, fresh] = facts_.try_emplace(&schema, Facts{.pointer = pointer});
  if (!fresh) return;
  const JsonObject& object = schema.get_object();
  known->second.keywords = keywords_in(object);
  known->second.doubtful =
      std::ranges::any_of(kDoubtful, [&](std::string_view keyword) { return object.contains(keyword); });

  std::string base = outer_base;
  if (const auto id = text_member(schema, "$id"); !id.empty()) {
    base = resource_uri(outer_base, id);
    resources_.emplace(base, &schema);
  }
  if (const auto name = text_member(schema, "$anchor"); !name.empty()) {
    anchors_.emplace(base + "#" + std::string(name), &schema);
  }
  if (const auto name = text_member(schema, "$dynamicAnchor"); !name.empty()) {
    anchors_.emplace(base + "#" + std::string(name), &schema);
    dynamic_.emplace(std::string(name), &schema);
  }
  if (object.contains("$ref") || object.contains("$dynamicRef")) pending_.push_back({&schema, base});

  for (const auto& member : object) {
    const std::string_view key = member.key();
    const Json& value = member.value();
    const std::string below = pointer + "/" + escaped(key);
    if (key == "patternProperties" && value.is_object()) {
      for (const auto& entry : value.get_object()) keep_expression(entry.key());
    }
    if (value.is_object() && std::ranges::find(kMaps, key) != kMaps.end()) {
      for (const auto& entry : value.get_object())
        walk(entry.value(), base, below + "/" + escaped(entry.key()));
    } else if (value.is_array() && std::ranges::find(kLists, key) != kLists.end()) {
      for (std::size_t i = 0; i < value.get_array().size(); ++i) {
        walk(value.get_array()[i], base, below + "/" + std::to_string(i));
      }
    } else if (std::ranges::find(kSingles, key) != kSingles.end()) {
      walk(value, base, below);
    }
  }
}

void SchemaTree::keep_expression(std::string_view expression) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  auto regex = std::make_unique<RE2>(re2::StringPiece(expression.data(), expression.size()), options);
  expressions_.try_emplace(std::string(expression), std::move(regex));
}

bool SchemaTree::key_matches(std::string_view expression, std::string_view key) const {
  const auto found = expressions_.find(std::string(expression));
  return found != expressions_.end() && found->second->ok() &&
         RE2::PartialMatch(re2::StringPiece(key.data(), key.size()), *found->second);
}

void SchemaTree::follow(const Pending& pending) {
  Facts& found = facts_[pending.subschema];
  if (const auto reference = text_member(*pending.subschema, "$ref"); !reference.empty()) {
    found.fixed = find(reference, pending.base);
  }
  if (const auto reference = text_member(*pending.subschema, "$dynamicRef"); !reference.empty()) {
    found.dynamic = find(reference, pending.base);
    const auto hash = reference.find('#');
    const auto name = std::string(hash == std::string_view::npos ? "" : reference.substr(hash + 1));
    const bool dynamic = found.dynamic != nullptr && text_member(*found.dynamic, "$dynamicAnchor") == name;
    if (const auto outermost = dynamic_.find(name); dynamic && outermost != dynamic_.end()) {
      found.dynamic = outermost->second;
    }
  }
}

const Json* SchemaTree::find(std::string_view reference, const std::string& base) {
  const std::string uri = schema::resolve_uri(base, reference);
  const auto [resource, raw_fragment] = schema::split_fragment(uri);
  const std::string document_uri(resource);
  const std::string fragment(raw_fragment);
  if (const auto anchor = anchors_.find(document_uri + "#" + fragment); anchor != anchors_.end()) {
    return anchor->second;
  }
  const auto document = resources_.find(document_uri);
  if (document == resources_.end()) return nullptr;
  if (fragment.empty()) return document->second;
  if (!fragment.starts_with('/')) return nullptr;
  const Facts* known = facts(*document->second);
  return walk_pointer(*document->second, document_uri, known == nullptr ? "" : known->pointer, fragment);
}

const Json* SchemaTree::walk_pointer(const Json& document, std::string base, std::string pointer,
                                     std::string_view steps) {
  const Json* at = &document;
  while (!steps.empty()) {
    steps.remove_prefix(1);
    const std::string_view raw = steps.substr(0, steps.find('/'));
    steps.remove_prefix(raw.size());
    const std::string step = unescaped_step(raw);
    const Json* next = nullptr;
    if (at->is_object()) {
      next = at->get_object().if_contains(step);
    } else if (at->is_array() && !step.empty() && step.size() < 10 &&
               std::ranges::all_of(step, [](unsigned char c) { return std::isdigit(c) != 0; })) {
      next = at->get_array().if_contains(static_cast<std::size_t>(std::atoll(step.c_str())));
    }
    if (next == nullptr) return nullptr;
    at = next;
    pointer += "/" + escaped(step);
    if (const auto id = text_member(*at, "$id"); !id.empty() && !steps.empty()) base = resource_uri(base, id);
  }
  if (!facts_.contains(at)) walk(*at, base, pointer);  // a reference may lead to what no keyword announces
  return at;
}

const SchemaTree::Facts* SchemaTree::facts(const Json& subschema) const {
  const auto known = facts_.find(&subschema);
  return known == facts_.end() ? nullptr : &known->second;
}

}  // namespace assay::sim
