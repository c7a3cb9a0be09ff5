// What one request came to: its line, a row of results.csv for each verdict, and what is worth a look: a
// failure, and every verdict that does not agree, the surest first. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluations/persona/job_status.h"
#include "evaluations/persona/judgement.h"
#include "evaluations/persona/request.h"
#include "evaluations/result_line.h"

namespace assay::persona {

// One case taken apart: which persona, which perspectives, what is asked.
struct PersonaCase {
  Json item_json;
  Item item;
  std::size_t persona = 0;
  std::vector<Perspective> perspectives;
  Json request;
};

// What the figures over all requests need of one.
struct RequestFacts final : CaseFacts {
  PersonaCase asked;
  Judgement judgement;
};

std::vector<std::string> request_columns();
void request_line(const Case& input, const Outcome& outcome, PersonaCase asked, const JobParameters& job,
                  ResultLine& line);

}  // namespace assay::persona
