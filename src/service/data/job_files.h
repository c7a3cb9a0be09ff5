// The files of jobs: the snapshot of items that a job asks about, and its lists. They are in the job's
// directory; if several processes share the store, they are in the store as well, so that any of them finds
// what another has left.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "store/data/data_store.h"

namespace assay {

class JobFiles {
 public:
  // `directory` has the jobs' directories; `store`, at the address, outlives it.
  JobFiles(std::string directory, StoreAddress address, DataStore& store)
      : directory_(std::move(directory)), address_(std::move(address)), store_(store) {}

  static constexpr const char* kSnapshot = "items.jsonl";

  std::string directory_of(const std::string& job_id) const { return directory_ + "/" + job_id; }
  // Nothing if there is no such file. May be called from any thread.
  Result<std::optional<std::string>> text(const std::string& job_id, const std::string& name) const;
  // Those of the files that are there, to be stored with the job; none if nobody else could read them.
  Result<std::vector<JobFile>> to_share(const std::string& job_id,
                                        const std::vector<std::string>& names) const;
  // Makes the job's directory with its snapshot here. False if nobody has the snapshot.
  Result<bool> bring(const std::string& job_id) const;
  // Takes the job's directory away, if it is plainly one.
  void remove_directory(const std::string& job_id) const;
  // The same, with the journal, wherever it is. Of a job that the store does not know any more.
  void remove(const std::string& job_id) const;

 private:
  std::string directory_;
  StoreAddress address_;
  DataStore& store_;
};

// Whether a directory among those of the jobs is plainly a job's: it has a job's name, and a snapshot.
bool is_job_directory(const std::string& directory);

}  // namespace assay
