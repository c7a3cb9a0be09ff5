// What a worker on another machine is to know of a run before it can take its cases, beside the texts and the
// identity that the run's store holds: the config as it was written, and what the evaluation has prepared in
// the run's directory. No secret is in it: a config that holds one literally cannot be shared.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/json/json.h"
#include "store/run_store.h"

namespace assay {

// How long a worker may be silent.
inline constexpr std::chrono::milliseconds kShortestLease(500);
inline constexpr std::chrono::milliseconds kLongestLease(std::chrono::hours(24));

struct SharedPlan {
  Json config;                             // resolved, with `${NAME}` as it was written
  std::vector<std::string> prepared = {};  // names of files, kept in the store under prepared_name()
  std::vector<std::string> made = {};      // names of what PlanTexts::made() holds, kept under made_name()
  std::chrono::milliseconds lease{30'000};
};

std::string shared_plan_text(const SharedPlan& plan);
// Kind parse if it is none.
Result<SharedPlan> read_shared_plan(std::string_view text);

std::string prepared_name(const std::string& file);
std::string made_name(std::size_t place);
// The files that an evaluation has prepared in the directory of a run, and that nobody else has written
// there.
Result<std::vector<PlanText>> prepared_files(const std::string& directory, const std::string& copied_data);

}  // namespace assay
