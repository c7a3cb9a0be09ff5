// JSON Schema draft 2020-12 over Boost.JSON. A schema is compiled once; validation names every defect with
// the pointer into the instance and into the schema. Unknown `$schema` dialects, unresolvable references,
// endless references, malformed keywords, unsupported patterns and vocabularies are refused when the schema
// is loaded, never silently passed at run time. A keyword that draft 2020-12 does not know is an annotation.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

struct SchemaDefect {
  std::string
      instance_pointer;  // RFC 6901, "" is the whole instance; a missing member is named as if it were there
  std::string schema_pointer;  // where the keyword stands, e.g. "/properties/score/maximum" or
                               // "/$defs/score/maximum"; with its URI and "#" before it if that is in another
                               // document
  std::string message;         // "found 7, expected at most 5"
};

struct SchemaOptions {
  // Whether `format` decides validity, or is an annotation as the draft has it. Which formats:
  // schema_formats.h.
  bool assert_formats = false;
};

namespace schema {
struct Tree;
}

class Schema {
 public:
  // Other documents that `$ref` may name, by absolute URI. The metaschemas of the draft are always known.
  using Documents = std::vector<std::pair<std::string, Json>>;

  // The error lists everything that is wrong with the schema, with its places.
  static Result<Schema> compile(const Json& schema, SchemaOptions options = {});
  static Result<Schema> compile(const Json& schema, const Documents& documents, SchemaOptions options = {});

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Every defect (of the first thousand); empty means valid. Thread-safe. Costs no more than valid() if there
  // are none. Work and depth are bounded: an instance that would pass the bounds is invalid and says so.
  std::vector<SchemaDefect> validate(const Json& instance) const;
  bool valid(const Json& instance) const;

 private:
  explicit Schema(std::unique_ptr<const schema::Tree> tree);
  std::unique_ptr<const schema::Tree> tree_;
};

// "/score: found 7, expected at most 5; /reason: missing", for asking a model again and for people.
std::string describe(const std::vector<SchemaDefect>& defects);

}  // namespace assay
