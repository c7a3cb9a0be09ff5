// Records of the persona evaluation (S8.8, S8.9) as bodies of requests: told apart by shape, checked against
// their schemas, and turned into what the store keeps. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "service/http/exchange.h"
#include "store/data/data_queries.h"

namespace assay {

enum class RecordKind { success, failure, unknown };
RecordKind record_kind(const Json& body);

// Every defect of the value against a schema of schemas/.
std::vector<FieldError> schema_errors(std::string_view schema_file, const Json& value);

// Nothing if there are errors.
std::optional<ResultRecord> read_result(const Json& body, std::vector<FieldError>& errors);
std::optional<FailureRecord> read_failure(const Json& body, std::vector<FieldError>& errors);
std::optional<StoredItem> read_stored_item(const Json& body, const std::string& pointer,
                                           std::vector<FieldError>& errors);

// As they are given out. An item has all its tags, those added later too; null if it has no content.
Json to_json(const ResultRow& row);
Json to_json(const StoredItem& item);
Json to_json(const FailurePage::Row& row);
Json to_json(const FeedbackRow& row);
Json to_json(const RecordRow& row);
// JSON Schema of a result.
std::string result_schema();

}  // namespace assay
