// JSON Schema draft 2020-12 over Boost.JSON. A schema is compiled once; validation names every defect with the
// pointer into the instance and into the schema. Unknown `$schema` dialects, unresolvable references and
// unsupported vocabularies are refused when the schema is loaded, never silently passed at run time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json.h"

namespace assay {

struct SchemaDefect {
  std::string instance_pointer;  // RFC 6901, "" is the whole instance
  std::string schema_pointer;    // keyword location, e.g. "/properties/score/maximum"
  std::string message;           // "found 7, expected at most 5"
};

class Schema {
 public:
  // Other documents that `$ref` may name, by absolute URI.
  using Documents = std::vector<std::pair<std::string, Json>>;

  static Result<Schema> compile(const Json& schema);
  static Result<Schema> compile(const Json& schema, const Documents& documents);

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Every defect; empty means valid. Thread-safe.
  std::vector<SchemaDefect> validate(const Json& instance) const;
  bool valid(const Json& instance) const { return validate(instance).empty(); }

 private:
  class Compiled;
  explicit Schema(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// "/score: found 7, expected at most 5; /reason: missing", for asking a model again and for people.
std::string describe(const std::vector<SchemaDefect>& defects);

}  // namespace assay
