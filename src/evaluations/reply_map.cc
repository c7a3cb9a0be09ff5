#include "evaluations/reply_map.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view kFunctions = "names, bool_of, each, first, join, flags or any";

bool is_pointer(const Json& value) {
  const auto text = as_text(value);
  return text && (text->empty() || text->starts_with('/'));
}

std::unexpected<Error> cannot(const Json& found, std::string_view expected) {
  return fail(ErrorKind::target, fmt::format("found {}, expected {}", excerpt(found), expected));
}

}  // namespace

ReplyMap ReplyMap::read(const Json& config, std::span<const std::string> known, const std::string& key,
                        std::vector<ConfigProblem>& problems) {
  ReplyMap map;
  if (!config.is_object()) {
    problems.push_back(
        {"config", key, fmt::format("found {}, expected fields with JSON pointers", excerpt(config))});
    return map;
  }
  for (const auto& [field, given] : config.get_object()) {
    const std::string path = fmt::format("{}.{}", key, std::string_view(field));
    if (!known.empty() && std::ranges::find(known, std::string_view(field)) == known.end()) {
      const auto guess = nearest(field, known);
      problems.push_back({"config", path,
                          guess ? fmt::format("unknown field; did you mean `{}`?", *guess)
                                : fmt::format("unknown field; known are {}", join(known, ", "))});
      continue;
    }
    if (auto entry = read_entry(field, given, path, problems)) map.entries_.push_back(std::move(*entry));
  }
  return map;
}

std::optional<ReplyMap::Entry> ReplyMap::read_entry(std::string_view field, const Json& given,
                                                    const std::string& path,
                                                    std::vector<ConfigProblem>& problems) {
  const auto wrong = [&](const std::string& where, const Json& found, std::string_view expected) {
    problems.push_back({"config", where, fmt::format("found {}, expected {}", excerpt(found), expected)});
    return std::nullopt;
  };
  if (is_pointer(given)) return Entry{std::string(field), std::string(*as_text(given)), {}};
  if (!given.is_object())
    return wrong(path, given, "a JSON pointer such as /data/label, or {at: POINTER, FUNCTION: …}");
  Entry entry{std::string(field), "", {}};
  std::size_t functions = 0;
  for (const auto& [name, value] : given.get_object()) {
    const std::string inner = fmt::format("{}.{}", path, std::string_view(name));
    if (name == "at") {
      if (!is_pointer(value)) return wrong(inner, value, "a JSON pointer such as /data/label");
      entry.pointer = std::string(*as_text(value));
      continue;
    }
    auto function = read_function(name, value, inner, problems);
    if (!function) return std::nullopt;
    entry.function = std::move(*function);
    ++functions;
  }
  if (functions > 1) return wrong(path, given, fmt::format("exactly one of {}", kFunctions));
  return entry;
}

std::optional<ReplyMap::Function> ReplyMap::read_function(std::string_view name, const Json& given,
                                                          const std::string& path,
                                                          std::vector<ConfigProblem>& problems) {
  const auto wrong = [&](std::string_view expected) {
    problems.push_back({"config", path, fmt::format("found {}, expected {}", excerpt(given), expected)});
    return std::nullopt;
  };
  const bool is_true = given.is_bool() && given.get_bool();
  const auto text = as_text(given);
  if (name == "names") {
    if (!is_true && (!text || text->empty()))
      return wrong("the name of a member, or true for the keys of an object");
    return Names{std::string(text.value_or(""))};
  }
  if (name == "each") {
    if (!is_pointer(given)) return wrong("a JSON pointer such as /text");
    return Each{std::string(*text)};
  }
  if (name == "first") {
    if (!is_true) return wrong("true");
    return First{};
  }
  if (name == "flags" || name == "any") {
    if (!is_true) return wrong("true");
    return name == "any" ? Function(Any{}) : Function(Flags{});
  }
  if (name == "join") {
    if (!text) return wrong("the text between the parts");
    return Join{std::string(*text)};
  }
  if (name == "bool_of") {
    if (!given.is_object() || given.get_object().empty()) return wrong("values with true or false");
    BoolOf values;
    for (const auto& [value, meant] : given.get_object()) {
      if (!meant.is_bool()) return wrong("values with true or false");
      values.values.emplace(value, meant.get_bool());
    }
    const bool first = values.values.begin()->second;
    if (std::ranges::all_of(values.values, [&](const auto& one) { return one.second == first; }))
      values.others = !first;
    return values;
  }
  constexpr std::array<std::string_view, 8> kKnown = {"at",    "names", "bool_of", "each",
                                                      "first", "join",  "flags",   "any"};
  const auto guess = nearest(name, kKnown);
  problems.push_back({"config", path,
                      guess ? fmt::format("unknown function; did you mean `{}`?", *guess)
                            : fmt::format("unknown function; expected {}", kFunctions)});
  return std::nullopt;
}

const ReplyMap::Entry* ReplyMap::find(std::string_view field) const {
  const auto found = std::ranges::find(entries_, field, &Entry::field);
  return found != entries_.end() ? &*found : nullptr;
}

bool ReplyMap::takes_whole(std::string_view field) const {
  const Entry* entry = find(field);
  return entry != nullptr && entry->pointer.empty();
}

void ReplyMap::add(ReplyMap other) {
  for (Entry& entry : other.entries_) {
    std::erase_if(entries_, [&](const Entry& own) { return own.field == entry.field; });
    entries_.push_back(std::move(entry));
  }
}

Result<std::optional<Json>> ReplyMap::value(const Json& reply, std::string_view field) const {
  const Entry* entry = find(field);
  const Json* found = entry != nullptr ? find_pointer(reply, entry->pointer) : find_member(reply, field);
  if (found == nullptr) return std::nullopt;
  if (entry == nullptr) return *found;
  return std::visit([&](const auto& function) { return applied(function, *found); }, entry->function);
}

Result<JsonObject> ReplyMap::apply(const Json& reply) const {
  JsonObject fields;
  for (const Entry& entry : entries_) {
    auto found = value(reply, entry.field);
    if (!found) return fail(std::move(found.error()).with("field", entry.field));
    if (*found) fields.insert_or_assign(entry.field, std::move(**found));
  }
  return fields;
}

std::string ReplyMap::absent_words(std::string_view field) const {
  const Entry* entry = find(field);
  return entry != nullptr ? fmt::format("nothing at {}", entry->pointer) : "missing";
}

Result<std::optional<Json>> ReplyMap::applied(std::monostate /*none*/, const Json& found) {
  return found;
}

Result<std::optional<Json>> ReplyMap::applied(const Names& names, const Json& found) {
  JsonArray list;
  if (names.member.empty()) {
    const JsonObject* object = found.if_object();
    if (object == nullptr) return cannot(found, "an object whose keys are the names");
    for (const auto& [name, unused] : *object) list.emplace_back(name);
    return Json(std::move(list));
  }
  const JsonArray* entries = found.if_array();
  if (entries == nullptr) return cannot(found, fmt::format("a list of objects with {}", names.member));
  for (const Json& entry : *entries) {
    const Json* member = find_member(entry, names.member);
    if (member == nullptr) return cannot(entry, fmt::format("an object with {}", names.member));
    list.push_back(*member);
  }
  return Json(std::move(list));
}

Result<std::optional<Json>> ReplyMap::applied(const BoolOf& values, const Json& found) {
  if (found.is_array() || found.is_object()) return cannot(found, "a text, a number, true, false or null");
  const auto listed = values.values.find(text_or_json(found));
  if (listed != values.values.end()) return Json(listed->second);
  // No verdict is not another verdict.
  if (values.others && !found.is_null()) return Json(*values.others);
  std::vector<std::string> known;
  known.reserve(values.values.size());
  for (const auto& [value, unused] : values.values) known.push_back(value);
  return cannot(found, fmt::format("one of {}", join(known, ", ")));
}

Result<std::optional<Json>> ReplyMap::applied(const Each& each, const Json& found) {
  const JsonArray* entries = found.if_array();
  if (entries == nullptr) return cannot(found, "a list");
  JsonArray list;
  for (const Json& entry : *entries) {
    const Json* part = find_pointer(entry, each.pointer);
    if (part == nullptr) return cannot(entry, fmt::format("something at {} in each element", each.pointer));
    list.push_back(*part);
  }
  return Json(std::move(list));
}

Result<std::optional<Json>> ReplyMap::applied(const First& /*first*/, const Json& found) {
  const JsonArray* entries = found.if_array();
  if (entries == nullptr) return cannot(found, "a list");
  if (entries->empty()) return std::nullopt;
  return entries->front();
}

Result<std::optional<Json>> ReplyMap::applied(const Join& joined, const Json& found) {
  const JsonArray* entries = found.if_array();
  if (entries == nullptr) return cannot(found, "a list");
  std::vector<std::string> parts;
  parts.reserve(entries->size());
  for (const Json& entry : *entries) parts.push_back(text_or_json(entry));
  return Json(boost::json::string(join(parts, joined.separator)));
}

Result<std::optional<Json>> ReplyMap::applied(const Flags& /*flags*/, const Json& found) {
  const JsonArray* entries = found.if_array();
  if (entries == nullptr) return cannot(found, "a list of names");
  JsonObject flags;
  for (const Json& entry : *entries) {
    const auto name = as_text(entry);
    if (!name) return cannot(entry, "a name");
    flags[*name] = true;
  }
  return Json(std::move(flags));
}

Result<std::optional<Json>> ReplyMap::applied(const Any& /*any*/, const Json& found) {
  if (const JsonArray* entries = found.if_array()) return Json(!entries->empty());
  if (const JsonObject* members = found.if_object()) return Json(!members->empty());
  return cannot(found, "a list or an object");
}

}  // namespace assay
