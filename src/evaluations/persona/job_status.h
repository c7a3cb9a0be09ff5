// How far an evaluation job is: every field of the Evaluation Processor's status, and what it lacked. A run
// on the command line is a job too; its status is job.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/persona/request.h"
#include "models/chat.h"

namespace assay::persona {

struct JobParameters {
  Mode mode = Mode::mode2;
  std::string tag_source;
  std::vector<std::string> tags_dest;
  std::string model;
  std::vector<Persona> personas;  // a job of the service has one
  std::vector<Perspective> perspectives;
  std::optional<std::int64_t> items_to_process;  // absent or below 1: all
  JsonObject params;                             // for the model
  bool exclude_existing = true;
  std::optional<std::string> subset_tag;
  std::optional<int> subset_percent;
  bool most_recent = false;
  std::optional<double> last_n_hours;
  bool by_uuid = false;
  bool async = false;
  bool dry_run = false;
};

struct JobStatus {
  std::string job_id;
  std::string status = "INITIATED";  // PROCESSING, COMPLETE, ERROR, CANCELLED
  std::string message;
  std::int64_t processed_items = 0;     // all of whose requests have ended
  std::int64_t processed_requests = 0;  // ended, well or not
  std::int64_t failed_requests = 0;
  std::int64_t skipped_items = 0;    // matched, but beyond items_to_process
  std::int64_t init_remaining = -1;  // items that matched when the job began
  std::int64_t remaining = -1;       // of them, not processed; those beyond a limit too
  Usage usage;
  bool is_error = false;      // once a request failed it stays
  std::string finish_reason;  // of the last answer
  std::string stop_reason;    // exhausted, limit, cancelled, failed
  std::string error;
};

// Everything but the four lists: eval_info, evaluations, evaluation_success_data, evaluation_failure_data.
JsonObject to_json(const JobStatus& status, const JobParameters& parameters);

}  // namespace assay::persona
