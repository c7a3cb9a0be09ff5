// The long lists of a job's status: eval_info, evaluations and, of a dry run, what would have been stored.
// Kept beside the job's snapshot, one file a list and one entry a line, so that a page of one is read without
// the rest. A status holds a page of each, and how long it is (eval_info_total, …).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "service/data/job_files.h"

namespace assay {

constexpr std::size_t kMostListed = 10'000;  // entries that are kept of each list
constexpr const char* kJobLists[] = {"eval_info", "evaluations", "evaluation_success_data",
                                     "evaluation_failure_data"};

struct ListPage {
  std::int64_t offset = 0;
  std::int64_t count = 20;
};

Status write_lists(const std::string& directory, const JsonObject& lists);
// The names of their files.
std::vector<std::string> list_files();
// Puts a page of each list of the job into the status. A list without a file is empty.
Status add_lists(JsonObject& status, const JobFiles& files, const std::string& job_id, const ListPage& page);
// Cuts the lists of a status that has them whole.
void cut_lists(JsonObject& status, const ListPage& page);

}  // namespace assay
