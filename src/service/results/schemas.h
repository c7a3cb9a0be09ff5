// JSON Schemas of what the results API answers, as texts that can stand inside each other.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay::schemas {

// Members by name, each a schema: those that are always there, and those that may be.
using Members = std::vector<std::pair<std::string, std::string>>;
std::string object(const Members& required, const Members& more = {});
std::string list_of(const std::string& entry);
std::string or_null(const std::string& schema);

std::string estimate();
std::string summary();  // as summary.json has it
std::string run_glance();
std::string run_detail();
std::string case_glance();
std::string case_page();
std::string case_view();
std::string run_list();
std::string comparisons();

// Of cases, judges and pilots over several runs (judging_schemas.cc).
std::string audit();
std::string drift();
std::string plan();

// Of people who judge cases themselves, and of runs that are started (work_schemas.cc).
std::string sheet();
std::string sheet_list();
std::string standing();
std::string agreement();
std::string config_list();
std::string config_detail();

}  // namespace assay::schemas
