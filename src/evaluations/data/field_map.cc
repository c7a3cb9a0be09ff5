#include "evaluations/data/field_map.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view kUsualSeparator = ";";

constexpr auto kKinds =
    std::to_array<std::pair<std::string_view, ValueKind>>({{"text", ValueKind::text},
                                                           {"number", ValueKind::number},
                                                           {"boolean", ValueKind::boolean},
                                                           {"list", ValueKind::list},
                                                           {"json", ValueKind::json}});

std::string_view expected_words(ValueKind kind) {
  switch (kind) {
    case ValueKind::as_is:
      return "a value";
    case ValueKind::text:
      return "text";
    case ValueKind::number:
      return "a number";
    case ValueKind::boolean:
      return "true or false (also yes, no, 1, 0)";
    case ValueKind::list:
      return "a list";
    case ValueKind::json:
    case ValueKind::tree:
      return "JSON";
  }
  return "";
}

std::optional<bool> boolean_of(std::string_view text) {
  const std::string lower = lower_ascii(trim(text));
  if (lower == "true" || lower == "yes" || lower == "1") return true;
  if (lower == "false" || lower == "no" || lower == "0") return false;
  return std::nullopt;
}

// Whole numbers stay exact.
std::optional<Json> number_of(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(begin, end, whole); read.ec == std::errc() && read.ptr == end)
    return Json(whole);
  double value = 0;
  const auto read = std::from_chars(begin, end, value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return Json(value);
}

Json split_list(std::string_view text, std::string_view separator) {
  JsonArray list;
  if (trim(text).empty()) return list;
  for (;;) {
    const std::size_t end = text.find(separator);
    if (const std::string_view part = trim(text.substr(0, end)); !part.empty())
      list.emplace_back(boost::json::string(part));
    if (end == std::string_view::npos) return list;
    text.remove_prefix(end + separator.size());
  }
}

// "[1] is a footnote" is none.
bool begins_tree(std::string_view text) {
  text = trim(text);
  if (!text.starts_with('[') && !text.starts_with('{')) return false;
  const std::string_view inside = trim(text.substr(1));
  return inside.find_first_of("\"[{}]") == 0;
}

const Json* source_of(const JsonObject& record, const std::string& from) {
  if (const Json* member = record.if_contains(from)) return member;
  if (!from.starts_with('/')) return nullptr;
  const std::size_t second = from.find('/', 1);
  std::string first = from.substr(1, second == std::string::npos ? second : second - 1);
  for (const auto& [written, meant] : {std::pair("~1", "/"), std::pair("~0", "~")}) {
    for (std::size_t at = first.find(written); at != std::string::npos; at = first.find(written, at + 1))
      first.replace(at, 2, meant);
  }
  const Json* member = record.if_contains(first);
  if (member == nullptr || second == std::string::npos) return member;
  return find_pointer(*member, std::string_view(from).substr(second));
}

// "field amount (column sum)": the column where it has another name.
std::string place_words(const FieldRule& rule) {
  return rule.from == rule.name ? fmt::format("field {}", rule.name)
                                : fmt::format("field {} (from {})", rule.name, rule.from);
}

// A name like the one that is missing.
std::string meant_instead(const std::string& from, const JsonObject& record) {
  std::vector<std::string> names;
  for (const auto& [name, value] : record) names.emplace_back(name);
  const auto guess = nearest(from, names);
  return guess ? fmt::format("; did you mean {}?", *guess) : "";
}

bool is_empty_cell(const Json& value) {
  const auto text = as_text(value);
  return text && trim(*text).empty();
}

}  // namespace

std::expected<Json, std::string> converted(const Json& value, ValueKind kind, std::string_view separator) {
  const auto wrong = [&] {
    return std::unexpected(fmt::format("found {}, expected {}", excerpt(value), expected_words(kind)));
  };
  const auto text = as_text(value);
  switch (kind) {
    case ValueKind::as_is:
      return value;
    case ValueKind::text:
      if (value.is_null() || value.is_array() || value.is_object()) return wrong();
      return text ? value : Json(boost::json::string(to_text(value)));
    case ValueKind::number: {
      if (value.is_number()) return value;
      const auto number = text ? number_of(*text) : std::nullopt;
      if (!number) return wrong();
      return *number;
    }
    case ValueKind::boolean: {
      if (value.is_bool()) return value;
      const auto boolean = text || value.is_number()
                               ? boolean_of(text ? *text : std::string_view(to_text(value)))
                               : std::nullopt;
      if (!boolean) return wrong();
      return *boolean;
    }
    case ValueKind::list: {
      if (value.is_array()) return value;
      if (value.is_null() || value.is_object()) return wrong();
      if (!text) return Json(JsonArray{value});
      if (separator.empty() && trim(*text).starts_with('[')) {
        if (auto list = parse_json(*text); list && list->is_array()) return std::move(*list);
      }
      return split_list(*text, separator.empty() ? kUsualSeparator : separator);
    }
    case ValueKind::json: {
      if (!text) return value;
      auto tree = parse_json(*text);
      if (!tree) {
        return std::unexpected(
            fmt::format("found {}, expected JSON: {}", excerpt(value), tree.error().message));
      }
      return std::move(*tree);
    }
    case ValueKind::tree:
      return text && begins_tree(*text) ? converted(value, ValueKind::json) : value;
  }
  return value;
}

const WantedField* WantedFields::find(std::string_view name) const {
  const auto named = by_name.find(name);
  if (named != by_name.end()) return &named->second;
  return others ? &*others : nullptr;
}

const FieldRule* FieldMap::find(std::string_view name) const {
  const auto found = std::ranges::find(rules, name, &FieldRule::name);
  return found != rules.end() ? &*found : nullptr;
}

std::expected<JsonObject, FieldProblems> FieldMap::rewrite(const JsonObject& record, RecordOrigin origin,
                                                           const WantedFields& wanted) const {
  JsonObject rewritten;
  FieldProblems problems;
  const auto put = [&](const FieldRule& rule, const Json* value) {
    const WantedField* own = wanted.find(rule.name);
    const bool optional = rule.optional || (own != nullptr && own->optional);
    const bool none = value == nullptr || (origin == RecordOrigin::row && is_empty_cell(*value));
    if (optional && none) return;
    if (value == nullptr) {
      problems.push_back(fmt::format("{}: missing, expected {}{}", place_words(rule),
                                     expected_words(rule.kind), meant_instead(rule.from, record)));
      return;
    }
    if (value->is_null() && (rule.optional || rule.kind == ValueKind::as_is)) {
      if (!rule.optional) rewritten.insert_or_assign(rule.name, nullptr);
      return;
    }
    const bool by_evaluation = rule.kind == ValueKind::as_is && own != nullptr && origin == RecordOrigin::row;
    auto one = converted(*value, by_evaluation ? own->kind : rule.kind, rule.separator);
    if (one) {
      rewritten.insert_or_assign(rule.name, std::move(*one));
    } else {
      problems.push_back(fmt::format("{}: {}", place_words(rule), one.error()));
    }
  };
  for (const FieldRule& rule : rules) put(rule, source_of(record, rule.from));
  for (const auto& [key, value] : record) {
    const std::string name(key);
    const bool taken = std::ranges::any_of(
        rules, [&](const FieldRule& rule) { return rule.from == name || rule.name == name; });
    if (taken) continue;
    if (origin == RecordOrigin::row && wanted.find(name) != nullptr) {
      put({.name = name, .from = name}, &value);
    } else {
      rewritten.insert_or_assign(name, value);
    }
  }
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return rewritten;
}

Key fields_key() {
  std::vector<std::string> kinds;
  kinds.reserve(kKinds.size());
  for (const auto& [name, kind] : kKinds) kinds.emplace_back(name);
  return {
      .name = "fields",
      .type = KeyType::object_map,
      .help =
          "Fields of the data under other names or types, by the name that the evaluation has for them. "
          "Columns without an entry stay as they are.",
      .keys = {{.name = "from",
                .help = "The column or member that holds it, or a JSON pointer; by default its own name."},
               {.name = "type",
                .help = "What it is read as; by default what the data hold.",
                .choices = std::move(kinds)},
               {.name = "separator", .help = "list: what divides the parts of a text; by default `;`."},
               {.name = "optional", .type = KeyType::boolean, .help = "It may be absent or empty."},
               {.name = "answer_key",
                .type = KeyType::boolean,
                .help = "custom: no variant ever sees it; the built-in evaluations know theirs."}},
      .shorthand = "from",
      .example = "{question: {from: user_input}, topics: {type: list, separator: \"|\"}}"};
}

FieldMap read_field_map(const Config& config, std::vector<ConfigProblem>& problems) {
  FieldMap map;
  const Json* given = config.find("fields");
  if (given == nullptr || !given->is_object()) return map;
  for (const auto& [name, entry] : given->get_object()) {
    const std::string key = fmt::format("fields.{}", std::string_view(name));
    const Config declared(entry.is_object() ? entry.get_object() : JsonObject());
    FieldRule rule{.name = std::string(name), .from = declared.text("from")};
    if (rule.from.empty()) rule.from = rule.name;
    const std::string type = declared.text("type");
    for (const auto& [word, kind] : kKinds) {
      if (word == type) rule.kind = kind;
    }
    rule.separator = declared.text("separator");
    if (declared.has("separator")) {
      if (rule.kind != ValueKind::list)
        problems.push_back({"config", key + ".separator", "is for `type: list` only"});
      if (rule.separator.empty())
        problems.push_back(
            {"config", key + ".separator", "found an empty text, expected what divides the parts"});
    }
    rule.optional = declared.boolean("optional");
    rule.answer_key = declared.boolean("answer_key");
    if (rule.name.empty()) problems.push_back({"config", "fields", "found a field without a name"});
    map.rules.push_back(std::move(rule));
  }
  return map;
}

}  // namespace assay
