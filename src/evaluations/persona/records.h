// What is kept of a request: a success record (S8.8, as a superset), or a failure record (S8.9 and the
// processor's shape in one). Pure, and made again from the journal at any time.
#pragma once

#include <string>
#include <vector>

#include "core/json/json.h"
#include "evaluations/persona/judgement.h"
#include "evaluations/persona/request.h"

namespace assay::persona {

// One request and everything around it.
struct RecordedRequest {
  std::string agent;
  std::string context_id;
  Mode mode = Mode::mode2;
  const Persona& persona;
  const std::vector<Perspective>& perspectives;  // of this request
  const std::vector<std::string>& tags;          // of the result
  const Json& item_json;                         // as it was read
  const Item& item;
  const Json& request;
  const ChatRequest& chat;
};

Json success_record(const RecordedRequest& about, const Judgement& judgement);
Json failure_record(const RecordedRequest& about, const Judgement& judgement, const std::string& error);

// The request's entry in a job's `evaluations`.
Json job_entry(const RecordedRequest& about, const Judgement& judgement);
// One entry of a job's `eval_info` for each verdict.
std::vector<Json> eval_info(const RecordedRequest& about, const Judgement& judgement);

// A UUID that depends on the run and the case alone, so that a record made again is the same.
std::string context_id(std::string_view run_id, std::string_view case_id);

}  // namespace assay::persona
