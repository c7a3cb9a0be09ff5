// The long lists of a job's status: eval_info, evaluations and, of a dry run, what would have been stored.
// Kept beside the job's snapshot, one file a list and one entry a line, so that a page of one is read without
// the rest. A status holds a page of each, and how long it is (eval_info_total, …).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

constexpr std::size_t kMostListed = 10'000;  // entries that are kept of each list
constexpr const char* kJobLists[] = {"eval_info", "evaluations", "evaluation_success_data",
                                     "evaluation_failure_data"};

struct ListPage {
  std::int64_t offset = 0;
  std::int64_t count = 20;
};

Status write_lists(const std::string& directory, const JsonObject& lists);
// Puts a page of each list into the status. A list without a file is empty.
Status add_lists(JsonObject& status, const std::string& directory, const ListPage& page);
// Cuts the lists of a status that has them whole.
void cut_lists(JsonObject& status, const ListPage& page);

}  // namespace assay
