// JSON Schemas of what the data service gives out, as texts that can stand inside each other.
#pragma once

#include <string>

namespace assay {

// An item as it is stored, with all its tags; a failure record with its numbers. Both as schemas/ has them.
std::string item_schema();
std::string failure_schema();
// What a version of a persona or a perspective says.
std::string persona_schema();
std::string perspective_schema();
// The status of a job: as the list of jobs has it, and with pages of its lists.
std::string job_schema();
std::string job_status_schema();
// Sums over a page of jobs.
std::string job_totals_schema();

}  // namespace assay
