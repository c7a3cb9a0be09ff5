// The documents that describe draft 2020-12 itself: its dialect and vocabularies, which a schema may refer
// to.
#pragma once

#include <optional>
#include <string_view>

namespace assay::schema {

constexpr std::string_view kDialect = "https://json-schema.org/draft/2020-12/schema";
constexpr std::string_view kVocabularyPrefix = "https://json-schema.org/draft/2020-12/vocab/";

// JSON text of the metaschema with this URI (without fragment); none if it is not one of them.
std::optional<std::string_view> metaschema_text(std::string_view uri);

}  // namespace assay::schema
