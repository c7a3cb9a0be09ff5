// Where the cases of a finished run stand in its data and in its results, so that one of a million is opened
// without reading those before it: some 60 bytes a case. Data that were found to be those of the run are not
// hashed again as long as the file is the same.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/jsonl.h"
#include "engine/case.h"
#include "report/cases/case_view.h"
#include "runs/show/hashed_files.h"

namespace assay {

class CasePlaces {
 public:
  // Reads data and results once. Kind usage if the run is not finished, or has no fixed order of cases.
  static Result<std::shared_ptr<const CasePlaces>> read(const std::string& directory,
                                                        HashedFiles* hashes = nullptr);

  // Places of all cases whose ids have the same hash: who goes there looks at the id.
  std::vector<CasePlace> in_data(std::string_view id) const;
  std::vector<LinePlace> in_results(std::string_view id) const;
  // Whether run and data are still as they were read.
  bool current() const;

 private:
  struct InData {
    std::uint64_t hash = 0;
    CasePlace place;
  };
  struct InResults {
    std::uint64_t hash = 0;
    LinePlace place;
  };
  std::string directory_;
  std::string version_;    // of the run
  std::string data_path_;  // empty: its data are not there any more, or not as they were
  std::string data_version_;
  std::vector<InData> in_data_;  // by hash
  std::vector<InResults> in_results_;
};

// Opens cases for many readers. Thread-safe.
class CaseFinder {
 public:
  // What show_case() gives. Of a run whose places are known in milliseconds; else what stands before the case
  // is gone through.
  Result<CaseView> show(const std::string& directory, const std::string& id);
  // Whether prepare() would help.
  bool knows(const std::string& directory);
  // Learns the places of a run; who comes meanwhile does not wait for it. Nothing if somebody does so
  // already.
  void prepare(const std::string& directory);

 private:
  static constexpr std::size_t kMost = 2;
  struct Kept {
    std::string directory;
    std::shared_ptr<const CasePlaces> places;
  };
  std::shared_ptr<const CasePlaces> kept(const std::string& directory);

  HashedFiles hashes_;
  std::mutex mutex_;
  std::vector<Kept> kept_;             // the last one used comes first
  std::vector<std::string> learning_;  // directories
};

}  // namespace assay
