// The data of a stress test: a sample of the cases of a run or a config, each as it was, once more, and with
// one thing changed at a time, as files in the directory of the run to be; and the config that judges them.
// The run itself is one like any other.
//
//   DIRECTORY/stress/cases.jsonl      the cases, all forms of one together
//   DIRECTORY/stress/outputs.jsonl    their answers, where those do not stand in the data
//   DIRECTORY/stress/config.yaml      what `assay run` would run
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "runs/plan.h"

namespace assay {

struct StressRequest {
  std::int64_t cases = 40;
  std::vector<std::string> changes = {};  // their names; empty: all
  std::vector<std::string> metrics = {};  // judged ones; empty: all
  std::string of = {};                    // the run or config, as it was named
};

// The files go with this object, and the directory if it was made for them, unless a run has begun there.
class StressFiles {
 public:
  // `directory` holds nothing yet. An error says why this evaluation, or its data, cannot be put under
  // stress, or names a change or a metric that there is not.
  static Result<StressFiles> write(const RunPlan& source, const StressRequest& request,
                                   const std::string& directory);
  StressFiles(StressFiles&& other) noexcept;
  StressFiles& operator=(StressFiles&&) = delete;
  ~StressFiles();

  std::string config_file() const;
  static std::string name() { return "stress"; }  // in the directory
  std::int64_t cases() const { return cases_; }   // that were drawn
  std::int64_t of() const { return of_; }         // from so many
  std::int64_t without_answer() const { return without_answer_; }
  // By change: in how many of them it could be made.
  const std::vector<std::pair<std::string, std::int64_t>>& changes() const { return changes_; }

 private:
  StressFiles(std::string directory, bool made) : directory_(std::move(directory)), made_(made) {}

  std::string directory_;
  bool made_ = false;
  std::int64_t cases_ = 0;
  std::int64_t of_ = 0;
  std::int64_t without_answer_ = 0;
  std::vector<std::pair<std::string, std::int64_t>> changes_;
};

}  // namespace assay
