// JSON Schemas of what the results API answers, as texts that can stand inside each other.
#pragma once

#include <string>

namespace assay::schemas {

std::string list_of(const std::string& entry);
std::string or_null(const std::string& schema);

std::string run_glance();
std::string run_detail();
std::string case_glance();
std::string case_page();
std::string case_view();
std::string run_list();
std::string comparisons();

}  // namespace assay::schemas
