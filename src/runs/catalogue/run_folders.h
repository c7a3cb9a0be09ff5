// The directories of runs below a results directory, found again and again without reading what has not
// changed: a folder whose time of change is the same holds the same names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay {

struct RunFolder {
  std::string path;
  // When a file in it was last made, renamed or removed, in nanoseconds; 0: too lately to tell the next time
  // from it.
  std::int64_t changed = 0;
};

class RunFolders {
 public:
  explicit RunFolders(std::string results) : results_(std::move(results)) {}
  const std::string& results() const { return results_; }

  // Those that are there now, as find_runs() knows them: `results` itself, or at most three levels below it.
  // In the order of their paths.
  std::vector<RunFolder> look();

 private:
  struct Folder {
    std::int64_t changed = 0;  // nanoseconds; 0: must be read again
    bool is_run = false;
    std::vector<std::string> folders;  // names
  };
  void look_into(const std::string& path, int depth, std::vector<RunFolder>& runs,
                 std::map<std::string, Folder>& seen);

  std::string results_;
  std::map<std::string, Folder> known_;  // by path
};

}  // namespace assay
