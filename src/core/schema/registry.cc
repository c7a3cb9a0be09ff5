#include "core/schema/registry.h"

#include <fmt/format.h>

#include "core/schema/metaschemas.h"
#include "core/schema/uri.h"
#include "core/text.h"

namespace assay::schema {
namespace {

// Deeper than any document that parse_json accepts; trees made by hand are bounded, too.
constexpr std::size_t kMaxSchemaDepth = 256;
constexpr std::size_t kMostProblems = 50;
// A dialect may be described by a metaschema whose own dialect is another one.
constexpr std::size_t kLongestDialectChain = 8;

std::string normal(std::string_view uri) {
  return std::string(split_fragment(resolve_uri("", uri)).resource);
}

bool is_anchor_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto part = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, part);
}

const Json* text_member(const JsonObject& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? value : nullptr;
}

std::string unescape(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escaped =
        token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    out.push_back(!escaped ? token[i] : token[i + 1] == '0' ? '~' : '/');
    if (escaped) ++i;
  }
  return out;
}

}  // namespace

void Problems::add(std::string_view location, std::string_view message) {
  auto text = fmt::format("{}: {}", location.empty() ? "schema" : location, message);
  if (list_.size() < kMostProblems && std::ranges::find(list_, text) == list_.end())
    list_.push_back(std::move(text));
}

Error Problems::error() const {
  return Error{ErrorKind::schema, join(list_, "; "), {}};
}

std::string below(std::string_view location, std::string_view step) {
  std::string out(location);
  out.push_back('/');
  for (const char c : step) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

Registry::Registry(const Schema::Documents& given, Problems& problems, SchemaOptions options)
    : given_(given), problems_(problems), options_(options), loaded_(given.size(), false) {
  given_uris_.reserve(given.size());
  for (const auto& [uri, document] : given) given_uris_.push_back(normal(uri));
}

Place Registry::add_root(const Json& schema) {
  auto& resource = add_document(schema, "");
  const auto* place = place_of(*resource.root);
  return place != nullptr ? *place : Place{resource.root, &resource, ""};
}

const Place* Registry::place_of(const Json& schema) const {
  const auto found = places_.find(&schema);
  return found == places_.end() ? nullptr : &found->second;
}

Resource& Registry::add_document(const Json& document, std::string_view uri) {
  const auto& copy = documents_.emplace_back(document);
  auto& resource = resources_.emplace_back();
  resource.uri = uri;
  resource.root = &copy;
  resource.dialect.assert_formats = options_.assert_formats;
  // Known under the address it was given by, whatever `$id` it claims.
  by_uri_.try_emplace(resource.uri, &resource);
  index(copy, &resource, uri.empty() ? "" : std::string(uri) + "#", 0);
  return resource;
}

void Registry::index(const Json& schema, Resource* resource, const std::string& location, std::size_t depth) {
  if (depth > kMaxSchemaDepth) {
    problems_.add(location, fmt::format("nested deeper than {} levels", kMaxSchemaDepth));
    return;
  }
  const auto* object = schema.if_object();
  if (object != nullptr) {
    resource = open_resource(*object, resource, location);
    if (resource == nullptr) return;
    if (resource->root == nullptr) resource->root = &schema;
  } else if (!schema.is_bool()) {
    return;
  }
  if (!places_.try_emplace(&schema, Place{&schema, resource, location}).second || object == nullptr) return;
  add_anchor(*object, "$anchor", *resource, schema, location);
  add_anchor(*object, "$dynamicAnchor", *resource, schema, location);
  index_children(*object, resource, location, depth);
}

void Registry::index_children(const JsonObject& object, Resource* resource, const std::string& location,
                              std::size_t depth) {
  for (const auto& [key, value] : object) {
    const auto* keyword = find_keyword(key);
    if (keyword == nullptr || keyword->holds == Holds::no_schema ||
        !resource->dialect.knows(keyword->vocabulary)) {
      continue;
    }
    const auto here = below(location, keyword->name);
    if (keyword->holds == Holds::schema) {
      index(value, resource, here, depth + 1);
    } else if (const auto* list = value.if_array(); list != nullptr && keyword->holds == Holds::schemas) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        index((*list)[i], resource, below(here, std::to_string(i)), depth + 1);
      }
    } else if (const auto* named = value.if_object(); named != nullptr && keyword->holds != Holds::schemas) {
      for (const auto& member : *named) index(member.value(), resource, below(here, member.key()), depth + 1);
    }
  }
}

// The resource that `object` belongs to: its parent's, or a new one if it has an `$id`. Null after a problem.
Resource* Registry::open_resource(const JsonObject& object, Resource* parent, const std::string& location) {
  auto* resource = parent;
  const bool document_root = &object == parent->root->if_object();
  if (const auto* id = text_member(object, "$id")) {
    const auto uri = resolve_uri(parent->uri, id->get_string());
    const auto parts = split_fragment(uri);
    if (!parts.fragment.empty()) {
      problems_.add(below(location, "$id"), fmt::format("found {}, expected no fragment", excerpt(*id)));
      return nullptr;
    }
    if (!document_root) {
      resource = &resources_.emplace_back();
      resource->dialect = parent->dialect;
    }
    resource->uri = parts.resource;
    register_resource(resource->uri, *resource, location);
  } else if (object.contains("$id")) {
    problems_.add(below(location, "$id"), fmt::format("found {}, expected text", excerpt(object.at("$id"))));
  }
  if (const auto* dialect = object.if_contains("$schema")) {
    const auto here = below(location, "$schema");
    if (!dialect->is_string()) {
      problems_.add(here, fmt::format("found {}, expected text", excerpt(*dialect)));
      return nullptr;
    }
    const auto found = find_dialect(dialect->get_string(), here);
    if (!found) return nullptr;
    resource->dialect = *found;
  }
  return resource;
}

void Registry::register_resource(const std::string& uri, Resource& resource, std::string_view location) {
  const auto [known, added] = by_uri_.try_emplace(uri, &resource);
  if (!added && known->second != &resource) {
    problems_.add(below(location, "$id"), fmt::format("\"{}\" is the $id of two schemas", uri));
  }
}

void Registry::add_anchor(const JsonObject& object, std::string_view keyword, Resource& resource,
                          const Json& schema, const std::string& location) {
  const auto* value = object.if_contains(keyword);
  if (value == nullptr) return;
  const auto name = as_text(*value);
  if (!name || !is_anchor_name(*name)) {
    problems_.add(
        below(location, keyword),
        fmt::format("found {}, expected a name of letters, digits, '-', '_' and '.'", excerpt(*value)));
    return;
  }
  const auto [known, added] = resource.anchors.try_emplace(std::string(*name), &schema);
  if (!added && known->second != &schema) {
    problems_.add(below(location, keyword), fmt::format("\"{}\" is the anchor of two schemas", *name));
  }
  if (keyword == "$dynamicAnchor") resource.dynamic_anchors.try_emplace(std::string(*name), &schema);
}

// A document by its address, without taking it apart.
const Json* Registry::find_text(std::string_view uri) const {
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (given_uris_[i] == uri) return &given_[i].second;
  }
  if (!documents_.empty()) {
    const auto* object = documents_.front().if_object();
    const auto* id = object == nullptr ? nullptr : text_member(*object, "$id");
    if (id != nullptr && normal(id->get_string()) == uri) return &documents_.front();
  }
  return nullptr;
}

std::optional<Dialect> Registry::find_dialect(std::string_view uri_text, std::string_view location,
                                              std::size_t depth) {
  const auto uri = normal(uri_text);
  if (uri == kDialect) return Dialect{.assert_formats = options_.assert_formats};
  const auto* metaschema = find_text(uri);
  if (metaschema == nullptr || !metaschema->is_object() || depth > kLongestDialectChain) {
    problems_.add(location, fmt::format("unknown dialect \"{}\", expected \"{}\"", uri_text, kDialect));
    return std::nullopt;
  }
  const auto* vocabularies = find_member(*metaschema, "$vocabulary");
  if (vocabularies == nullptr || !vocabularies->is_object()) {
    const auto* parent = text_member(metaschema->get_object(), "$schema");
    if (parent == nullptr) return Dialect{.assert_formats = options_.assert_formats};
    return find_dialect(parent->get_string(), location, depth + 1);
  }
  Dialect dialect{
      .applicator = false, .unevaluated = false, .validation = false, .content = false, .format = false};
  for (const auto& [key, required] : vocabularies->get_object()) {
    std::string_view name = key;
    const bool ours = name.starts_with(kVocabularyPrefix);
    if (ours) name.remove_prefix(kVocabularyPrefix.size());
    if (ours && name == "applicator") {
      dialect.applicator = true;
    } else if (ours && name == "unevaluated") {
      dialect.unevaluated = true;
    } else if (ours && name == "validation") {
      dialect.validation = true;
    } else if (ours && name == "content") {
      dialect.content = true;
    } else if (ours && name == "format-annotation") {
      dialect.format = true;
      dialect.assert_formats = dialect.assert_formats || options_.assert_formats;
    } else if (ours && name == "format-assertion") {
      dialect.format = true;
      dialect.assert_formats = true;
    } else if (const bool known = ours && (name == "core" || name == "meta-data");
               !known && required.is_bool() && required.get_bool()) {
      problems_.add(location, fmt::format("the dialect \"{}\" requires the unknown vocabulary \"{}\"",
                                          uri_text, std::string_view(key)));
      return std::nullopt;
    }
  }
  return dialect;
}

Resource* Registry::find_resource(std::string_view uri) {
  const auto known = [&]() -> Resource* {
    const auto found = by_uri_.find(std::string(uri));
    return found == by_uri_.end() ? nullptr : found->second;
  };
  if (auto* resource = known()) return resource;
  const auto load = [&](std::size_t i) {
    loaded_[i] = true;
    return &add_document(given_[i].second, given_uris_[i]);
  };
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (!loaded_[i] && given_uris_[i] == uri) return load(i);
  }
  if (const auto text = metaschema_text(uri)) {
    const auto document = parse_json(*text);
    if (document) return &add_document(*document, uri);
  }
  // It may be the `$id` of a schema inside a document that nothing has asked for yet.
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (loaded_[i]) continue;
    load(i);
    if (auto* resource = known()) return resource;
  }
  return nullptr;
}

std::optional<Target> Registry::resolve(const Resource& from, std::string_view reference,
                                        std::string_view location) {
  const auto uri = resolve_uri(from.uri, reference);
  const auto parts = split_fragment(uri);
  auto* resource = find_resource(parts.resource);
  if (resource == nullptr) {
    problems_.add(location, fmt::format("there is no schema \"{}\"", parts.resource));
    return std::nullopt;
  }
  const auto fragment = percent_decode(parts.fragment);
  if (fragment && (fragment->empty() || fragment->starts_with('/'))) {
    if (auto place = follow_pointer(*resource, *fragment)) return Target{std::move(*place), {}};
  } else if (fragment) {
    const auto anchor = resource->anchors.find(*fragment);
    const auto* place = anchor == resource->anchors.end() ? nullptr : place_of(*anchor->second);
    if (place != nullptr) return Target{*place, *fragment};
  }
  problems_.add(location, fmt::format("\"{}\" leads to no schema", reference));
  return std::nullopt;
}

std::optional<Place> Registry::follow_pointer(Resource& resource, std::string_view pointer) {
  const Json* value = resource.root;
  if (value == nullptr) return std::nullopt;
  // The innermost known schema on the way decides which resource an unknown place belongs to.
  auto* owner = &resource;
  const auto* start = place_of(*value);
  std::string location = start != nullptr ? start->location : resource.uri + "#";
  while (!pointer.empty()) {
    const auto end = std::min(pointer.find('/', 1), pointer.size());
    const auto token = unescape(pointer.substr(1, end - 1));
    value = find_pointer(*value, pointer.substr(0, end));
    if (value == nullptr) return std::nullopt;
    pointer.remove_prefix(end);
    location = below(location, token);
    if (const auto* place = place_of(*value)) owner = place->resource;
  }
  if (place_of(*value) == nullptr) index(*value, owner, location, 0);
  const auto* place = place_of(*value);
  if (place == nullptr) return std::nullopt;
  return *place;
}

}  // namespace assay::schema
