// A schema and an instance, separated by a NUL byte: compiling and validating never crash or hang, and both
// ways to ask for validity agree. A schema that compiles is also held against the draft's own schema, and
// patterns alone are compiled from what follows.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/schema/formats.h"
#include "core/schema/pattern.h"
#include "core/schema/schema.h"
#include "core/schema/uri.h"
#include "core/text.h"

namespace {

void require(bool held) {
  if (!held) std::abort();
}

const assay::Schema& metaschema() {
  static const auto schema =
      assay::Schema::compile(assay::JsonObject{{"$ref", "https://json-schema.org/draft/2020-12/schema"}});
  return *schema;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(text.find('\0'), text.size());
  const auto rest = text.substr(std::min(end + 1, text.size()));
  if (size <= 256) {
    (void)assay::schema::Pattern::compile(text);
    (void)assay::schema::resolve_uri(text.substr(0, end), rest);
    for (const auto* name :
         {"date-time", "duration", "email", "ipv6", "iri-reference", "uri-template", "regex"}) {
      (void)assay::schema::find_format(name)(text);
    }
  }
  const auto document = assay::parse_json(text.substr(0, end));
  if (!document) return 0;
  const auto schema = assay::Schema::compile(*document, {.assert_formats = true});
  if (!schema) {
    require(!schema.error().text().empty());
    return 0;
  }
  // Objects and bounds of a schema that compiles are what the draft asks for.
  (void)metaschema().validate(*document);
  auto instance = assay::parse_json(rest);
  if (!instance) instance = *document;
  const auto defects = schema->validate(*instance);
  require(defects.empty() == schema->valid(*instance));
  for (const auto& defect : defects) require(!defect.message.empty() && assay::valid_utf8(defect.message));
  require(defects.empty() == assay::describe(defects).empty());
  return 0;
}
