// The parameters of an evaluation job as a request or a stored status names them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/persona/job_status.h"
#include "service/http/exchange.h"

namespace assay {

// The body's JSON Schema, for the description of the service and as the first check.
Json job_request_schema();

// A request may have no other members than those of the schema; a stored status has.
enum class JobSource { request, status };

// `mode` is that of the route. Every defect becomes an error with its pointer; nothing is returned then.
// The names of the Evaluation Processor (is_most_recent, openai_model, openai_params, …) are read as well.
std::optional<persona::JobParameters> read_job_parameters(const Json& body, std::string_view mode,
                                                          JobSource source, std::vector<FieldError>& errors);

}  // namespace assay
