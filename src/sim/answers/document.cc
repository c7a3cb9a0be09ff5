#include "sim/answers/document.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/text.h"
#include "sim/answers/words.h"

namespace assay::sim {
namespace {

std::string key_of(std::span<const Step> path) {
  std::string key;
  for (const Step& step : path)
    key += "/" + (step.key.empty() ? std::to_string(step.index) : std::string(step.key));
  return key;
}

std::string singular(std::string_view name) {
  if (name.ends_with("ies")) return std::string(name.substr(0, name.size() - 3)) + "y";
  if (name.ends_with("s")) name.remove_suffix(1);
  return std::string(name);
}

bool is_scalar(const Json& value) {
  return !value.is_object() && !value.is_array();
}

// The member that a property of that name repeats; null if none.
const Json* member_for(std::string_view property, const JsonObject& object, const std::string& list) {
  for (const auto& [name, value] : object) {
    if (!is_scalar(value)) continue;
    if (equal_ignoring_ascii_case(property, name) ||
        equal_ignoring_ascii_case(property, singular(list) + std::string(name)))
      return &value;
  }
  return nullptr;
}

bool entry_names(const JsonObject& properties, const JsonObject& object, const std::string& list) {
  for (const auto& [name, schema] : properties) {
    const Json* inner = find_member(schema, "properties");
    if (inner == nullptr || !inner->is_object()) {
      if (member_for(name, object, list) != nullptr) return true;
      continue;
    }
    const Json* same = object.if_contains(name);
    if (same == nullptr || !same->is_object()) continue;
    if (std::ranges::all_of(inner->get_object(),
                            [&](const auto& one) { return same->get_object().contains(one.key()); }))
      return true;
  }
  return false;
}

// The first list of objects in `object` whose entries have what is named.
const Json* list_in(const JsonObject& object, const JsonObject& properties, std::string& found) {
  for (const auto& [name, value] : object) {
    const JsonArray* list = value.if_array();
    if (list == nullptr || list->empty() || !list->front().is_object()) continue;
    if (!entry_names(properties, list->front().get_object(), std::string(name))) continue;
    found = name;
    return &value;
  }
  return nullptr;
}

const JsonObject* properties_of_entry(const Shape& list) {
  for (const Json* schema : list.item_schemas(0)) {
    if (const Json* properties = find_member(*schema, "properties")) return properties->if_object();
  }
  return nullptr;
}

// A scalar named in `quotes` by the description, in the object or in an object of it.
const Json* quoted_member(std::string_view description, const JsonObject& object) {
  for (const auto& [name, value] : object) {
    if (value.is_object()) {
      if (const Json* inner = quoted_member(description, value.get_object())) return inner;
    } else if (is_scalar(value) &&
               description.find("`" + std::string(name) + "`") != std::string_view::npos) {
      return &value;
    }
  }
  return nullptr;
}

void gather_texts(const Json& value, std::vector<std::string_view>& texts) {
  if (const auto text = as_text(value)) {
    texts.push_back(*text);
  } else if (const JsonObject* object = value.if_object()) {
    for (const auto& [name, member] : *object) gather_texts(member, texts);
  }
}

}  // namespace

Document::Document(const ChatRequest& request) {
  const auto last = std::find_if(request.messages.rbegin(), request.messages.rend(),
                                 [](const Message& message) { return message.role == Role::user; });
  if (last == request.messages.rend() || !trim(last->text).starts_with('{')) {
    // After a repair the document stands further up.
    const auto earlier = std::ranges::find_if(request.messages, [](const Message& message) {
      return message.role == Role::user && trim(message.text).starts_with('{');
    });
    if (earlier == request.messages.end()) return;
    if (auto parsed = parse_json(earlier->text); parsed && parsed->is_object()) root_ = std::move(*parsed);
    return;
  }
  if (auto parsed = parse_json(last->text); parsed && parsed->is_object()) root_ = std::move(*parsed);
}

std::vector<Document::Entry> Document::entries_around(std::span<const Step> path) const {
  std::vector<Entry> entries;
  if (!root_) return entries;
  for (std::size_t i = path.size(); i-- > 0;) {
    if (!path[i].key.empty()) continue;
    const auto source = lists_.find(key_of(path.first(i)));
    if (source == lists_.end() || path[i].index >= source->second.list->size()) continue;
    const Json& entry = (*source->second.list)[path[i].index];
    if (entry.is_object()) entries.push_back({&entry.get_object(), source->second.name, i + 1});
  }
  return entries;
}

std::optional<std::size_t> Document::length(const Place& list) const {
  const JsonObject* properties = root_ ? properties_of_entry(list.shape) : nullptr;
  if (properties == nullptr) return std::nullopt;
  std::string name;
  const Json* found = nullptr;
  for (const Entry& entry : entries_around(list.path)) {
    found = list_in(*entry.object, *properties, name);
    if (found != nullptr) break;
  }
  if (found == nullptr) found = list_in(root_->get_object(), *properties, name);
  if (found == nullptr) return std::nullopt;
  lists_.insert_or_assign(key_of(list.path), Source{&found->get_array(), name});
  return found->get_array().size();
}

std::optional<Json> Document::repeated(const Place& place) const {
  const std::vector<Entry> entries = entries_around(place.path);
  if (entries.empty()) return std::nullopt;
  const Entry& inner = entries.front();
  // The same way down from the entry.
  const Json* value = nullptr;
  const JsonObject* object = inner.object;
  for (std::size_t i = inner.depth; i < place.path.size(); ++i) {
    value = object == nullptr ? nullptr : object->if_contains(place.path[i].key);
    object = value == nullptr ? nullptr : value->if_object();
  }
  if (value != nullptr && is_scalar(*value)) return *value;
  if (place.path.size() != inner.depth + 1) return std::nullopt;
  if (const Json* member = member_for(place.path.back().key, *inner.object, inner.list)) return *member;
  for (const Entry& entry : entries) {
    if (const Json* member = quoted_member(place.shape.description, *entry.object)) return *member;
  }
  return std::nullopt;
}

std::vector<std::string_view> Document::texts(const Place& place) const {
  std::vector<std::string_view> found;
  for (const Entry& entry : entries_around(place.path)) {
    for (const auto& [name, value] : *entry.object) gather_texts(value, found);
  }
  return found;
}

std::string_view Document::longest_text(const Place& place) const {
  const auto all = texts(place);
  return all.empty() ? std::string_view() : *std::ranges::max_element(all, {}, &std::string_view::size);
}

double Document::support(const Place& place) const {
  const std::vector<std::string_view> all = texts(place);
  if (all.empty()) return 0.5;
  const auto longest = std::ranges::max_element(all, {}, &std::string_view::size);
  const WordSet content(*longest);
  WordSet claims;
  for (const std::string_view& text : all) {
    if (&text != &*longest) claims += WordSet(text);
  }
  return std::clamp(0.3 + 2.5 * overlap(claims, content), 0.0, 1.0);
}

}  // namespace assay::sim
