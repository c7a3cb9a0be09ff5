// Runs that are started for somebody who is not at the terminal: each is a process of this same program, in a
// session of its own, so that it goes on when whoever started it ends. Which process runs what is kept in
// files, so that a run can be stopped by a later service too.
//
// Every call blocks until it is known what became of it. Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "net/process/detached.h"

namespace assay {

struct CheckedConfig {
  bool good = false;
  std::string output;  // what the program said
};

class StartedRuns {
 public:
  // `results`: where directories of new runs are made. `records`: a directory for what is kept; it is made if
  // it is not there.
  static Result<std::unique_ptr<StartedRuns>> open(std::string results, std::string records);

  // What `assay check` says of the config with these flags.
  Result<CheckedConfig> check(const std::string& config_file, const std::vector<FlagValue>& flags) const;
  // The directory of the new run, RESULTS/EVALUATION/TIME, once the run is there, or after two minutes in
  // which it has read its data. Kind config, with the
  // program's own words, if it refuses to run.
  Result<std::string> start(std::string_view evaluation, const std::string& config_file,
                            const std::vector<FlagValue>& flags);
  // Under which id a run that start() gave will be listed.
  std::string coming_id(const std::string& directory) const;
  // Goes on with the run in this directory; done once it works or has ended. The same error.
  Status resume(const std::string& directory);
  // Asks the process that was started here for this directory to end; it finishes what is in flight first.
  // Kind usage if there is none.
  Status stop(const std::string& directory);

 private:
  struct Record {
    std::string file;
    std::string directory;  // of the run
    ProcessIdentity process;
  };
  // What became of a process that was started: it is at work, or how it ended.
  struct Begun {
    std::optional<int> exit_code = {};
    std::string said = {};
  };

  StartedRuns(std::string results, std::string records)
      : results_(std::move(results)), records_(std::move(records)) {}
  Result<Begun> begin(std::vector<std::string> words, const std::string& directory,
                      bool (*at_work)(const std::string& directory, pid_t pid));
  Result<std::string> reserve_directory(std::string_view evaluation) const;
  Status write(const Record& record) const;
  std::vector<Record> records() const;
  void forget_ended();

  std::string results_;
  std::string records_;
  std::mutex mutex_;
  std::vector<pid_t> children_;  // that have not been seen to end; guarded by mutex_
};

}  // namespace assay
