#include "core/schema/assertions.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace assay::schema {
namespace {

// From this number on, texts of `enum` are looked up in a table.
constexpr std::size_t kManyChoices = 8;

constexpr std::array<std::pair<std::string_view, std::uint8_t>, 7> kTypes = {{
    {"null", kNull},
    {"boolean", kBoolean},
    {"integer", kInteger},
    {"number", kInteger | kNumber},
    {"string", kString},
    {"array", kArray},
    {"object", kObject},
}};

std::size_t& limit_of(const Site& site) {
  const auto keyword = site.keyword;
  const bool least = keyword.starts_with("min");
  const auto of = keyword.substr(3);
  if (of == "Length") {
    auto& text = made(site.node.text);
    return least ? text.min_length : text.max_length;
  }
  if (of == "Properties") {
    auto& object = made(site.node.object);
    return least ? object.min_properties : object.max_properties;
  }
  auto& list = made(site.node.list);
  if (of == "Items") return least ? list.min_items : list.max_items;
  return least ? list.min_contains : list.max_contains;
}

}  // namespace

const std::unordered_map<std::string_view, Assertions::Rule>& Assertions::rules() {
  static const std::unordered_map<std::string_view, Rule> table = {
      {"dependentRequired", &Assertions::dependent_required},
      {"format", &Assertions::format},
      {"type", &Assertions::type},
      {"const", &Assertions::constant},
      {"enum", &Assertions::choices},
      {"multipleOf", &Assertions::multiple_of},
      {"maximum", &Assertions::bound},
      {"exclusiveMaximum", &Assertions::bound},
      {"minimum", &Assertions::bound},
      {"exclusiveMinimum", &Assertions::bound},
      {"maxLength", &Assertions::count},
      {"minLength", &Assertions::count},
      {"maxItems", &Assertions::count},
      {"minItems", &Assertions::count},
      {"maxContains", &Assertions::count},
      {"minContains", &Assertions::count},
      {"maxProperties", &Assertions::count},
      {"minProperties", &Assertions::count},
      {"pattern", &Assertions::pattern},
      {"uniqueItems", &Assertions::unique_items},
      {"required", &Assertions::required},
  };
  return table;
}

bool Assertions::compile(const Site& site) {
  const auto rule = rules().find(site.keyword);
  if (rule == rules().end()) return false;
  (this->*rule->second)(site);
  return true;
}

void Assertions::wrong(const Site& site, std::string_view expected) {
  problems_.add(below(site.place.location, site.keyword),
                fmt::format("found {}, expected {}", excerpt(site.value), expected));
}

const JsonObject& Assertions::members(const Site& site) {
  static const JsonObject none;
  if (const auto* object = site.value.if_object()) return *object;
  wrong(site, "an object");
  return none;
}

std::optional<std::vector<std::string_view>> Assertions::names(const Site& site, const Json& value) {
  const auto* list = value.if_array();
  std::vector<std::string_view> texts;
  if (list != nullptr) {
    for (const auto& item : *list) {
      if (const auto text = as_text(item)) texts.push_back(*text);
    }
  }
  if (list == nullptr || texts.size() < list->size()) {
    problems_.add(below(site.place.location, site.keyword),
                  fmt::format("found {}, expected a list of names", excerpt(value)));
    return std::nullopt;
  }
  return texts;
}

void Assertions::required(const Site& site) {
  if (auto texts = names(site, site.value)) made(site.node.object).required = std::move(*texts);
}

void Assertions::format(const Site& site) {
  const auto name = as_text(site.value);
  if (!name) return wrong(site, "text");
  if (!site.place.resource->dialect.assert_formats) return;
  if (const auto check = find_format(*name)) {
    auto& text = made(site.node.text);
    text.format = check;
    text.format_name = *name;
  }
}

void Assertions::type(const Site& site) {
  std::uint8_t bits = 0;
  const auto add = [&](const Json& value) {
    const auto name = as_text(value);
    const auto* found = std::ranges::find_if(kTypes, [&](const auto& type) { return type.first == name; });
    if (found == kTypes.end()) return false;
    bits |= found->second;
    return true;
  };
  const auto* list = site.value.if_array();
  const bool good = list == nullptr ? add(site.value) : !list->empty() && std::ranges::all_of(*list, add);
  if (!good) return wrong(site, "array, boolean, integer, null, number, object or string, or a list of them");
  site.node.types = bits;
}

void Assertions::constant(const Site& site) {
  made(site.node.value).constant = &site.value;
}

void Assertions::choices(const Site& site) {
  const auto* list = site.value.if_array();
  if (list == nullptr) return wrong(site, "a list of values");
  auto& rules = made(site.node.value);
  rules.choices = list;
  const bool texts = std::ranges::all_of(*list, [](const Json& item) { return item.is_string(); });
  if (!texts || list->size() < kManyChoices) return;
  for (const auto& item : *list) rules.texts.insert(std::string_view(item.get_string()));
}

void Assertions::multiple_of(const Site& site) {
  if (!site.value.is_number() || compare_numbers(site.value, Json(0)) <= 0) {
    return wrong(site, "a number above 0");
  }
  auto& number = made(site.node.number);
  number.multiple_of = &site.value;
  number.divisor = to_decimal(site.value);
}

void Assertions::bound(const Site& site) {
  if (!site.value.is_number()) return wrong(site, "a number");
  auto& number = made(site.node.number);
  auto& kind = site.keyword == "minimum"            ? number.minimum
               : site.keyword == "maximum"          ? number.maximum
               : site.keyword == "exclusiveMinimum" ? number.exclusive_minimum
                                                    : number.exclusive_maximum;
  kind = &site.value;
}

void Assertions::count(const Site& site) {
  if (!site.value.is_number() || !is_whole(site.value) || compare_numbers(site.value, Json(0)) < 0) {
    return wrong(site, "a whole number of at least 0");
  }
  // What does not fit 63 bits is a limit that nothing reaches.
  const auto integer = as_integer(site.value);
  const auto limit = integer ? static_cast<std::size_t>(*integer) : kNoLimit;
  limit_of(site) = limit;
}

void Assertions::pattern(const Site& site) {
  const auto text = as_text(site.value);
  if (!text) return wrong(site, "text");
  if (const auto* compiled = compile_pattern(site, *text)) {
    auto& rules = made(site.node.text);
    rules.pattern = compiled;
    rules.pattern_text = *text;
    const Json* examples = find_member(*site.place.schema, "examples");
    const JsonArray* list = examples != nullptr ? examples->if_array() : nullptr;
    if (list != nullptr && !list->empty()) rules.example = as_text(list->front()).value_or("");
  }
}

const Pattern* Assertions::compile_pattern(const Site& site, std::string_view text) {
  const auto [known, added] = known_patterns_.try_emplace(std::string(text), nullptr);
  if (!added) return known->second;
  auto compiled = Pattern::compile(text);
  if (!compiled) {
    problems_.add(below(site.place.location, site.keyword),
                  fmt::format("{} in \"{}\"", compiled.error().message, shorten(text, 80)));
    return nullptr;
  }
  return known->second = &patterns_.emplace_back(std::move(*compiled));
}

void Assertions::unique_items(const Site& site) {
  const auto unique = as_boolean(site.value);
  if (!unique) return wrong(site, "true or false");
  made(site.node.list).unique = *unique;
}

void Assertions::dependent_required(const Site& site) {
  auto& object = made(site.node.object);
  for (const auto& [name, value] : members(site)) {
    if (auto needed = names(site, value)) {
      object.dependencies.push_back({site.keyword, name, std::move(*needed), nullptr});
    }
  }
}

}  // namespace assay::schema
