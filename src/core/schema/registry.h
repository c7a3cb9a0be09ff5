// Where schemas are found: documents are taken apart into resources (`$id`), and references are followed to a
// place in one of them. Nothing is fetched; what is neither given nor a metaschema of draft 2020-12 is a
// problem.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "core/schema/keywords.h"
#include "core/schema/schema.h"

namespace assay::schema {

// What is wrong with a schema, gathered so that its author sees everything at once.
class Problems {
 public:
  void add(std::string_view location, std::string_view message);
  bool empty() const { return list_.empty(); }
  Error error() const;

 private:
  std::vector<std::string> list_;
};

struct Resource {
  std::string uri;
  const Json* root = nullptr;
  Dialect dialect;
  std::unordered_map<std::string, const Json*> anchors;  // `$anchor` and `$dynamicAnchor`
  std::unordered_map<std::string, const Json*> dynamic_anchors;
};

// One schema in one document.
struct Place {
  const Json* schema = nullptr;
  Resource* resource = nullptr;
  std::string location;  // pointer in the root document, else "URI#pointer"
};

struct Target {
  Place place;
  std::string anchor;  // the name, if the reference ended with one
};

// `location` with one more step, escaped as a JSON pointer asks.
std::string below(std::string_view location, std::string_view step);

class Registry {
 public:
  // `given` must outlive the registry; of it only what is needed is copied.
  Registry(const Schema::Documents& given, Problems& problems, SchemaOptions options);

  Place add_root(const Json& schema);
  // Null if the value is no known schema.
  const Place* place_of(const Json& schema) const;
  // None if it leads nowhere; the problem is noted under `location`.
  std::optional<Target> resolve(const Resource& from, std::string_view reference, std::string_view location);

  // Every resource that was found so far. Addresses stay valid.
  const std::deque<Resource>& resources() const { return resources_; }
  // The documents that places point into. The registry is spent.
  std::deque<Json> take_documents() && { return std::move(documents_); }

 private:
  void index(const Json& schema, Resource* resource, const std::string& location, std::size_t depth);
  void index_children(const JsonObject& object, Resource* resource, const std::string& location,
                      std::size_t depth);
  Resource* open_resource(const JsonObject& object, Resource* parent, const std::string& location);
  void add_anchor(const JsonObject& object, std::string_view keyword, Resource& resource, const Json& schema,
                  const std::string& location);
  Resource& add_document(const Json& document, std::string_view uri);
  void register_resource(const std::string& uri, Resource& resource, std::string_view location);
  Resource* find_resource(std::string_view uri);
  const Json* find_text(std::string_view uri) const;
  std::optional<Dialect> find_dialect(std::string_view uri, std::string_view location, std::size_t depth = 0);
  std::optional<Place> follow_pointer(Resource& resource, std::string_view pointer);

  const Schema::Documents& given_;
  Problems& problems_;
  SchemaOptions options_;
  std::vector<std::string> given_uris_;
  std::vector<bool> loaded_;
  std::deque<Json> documents_;
  std::deque<Resource> resources_;
  std::unordered_map<std::string, Resource*> by_uri_;
  std::unordered_map<const Json*, Place> places_;
};

}  // namespace assay::schema
