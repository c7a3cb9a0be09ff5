// What the routes of the results API share: the runs of the results directories, and what was read of those
// that were looked at last.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "report/summary.h"
#include "runs/catalogue/catalogue.h"
#include "runs/show/case_index.h"
#include "runs/show/case_places.h"
#include "service/http/readers.h"
#include "service/http/route_parts.h"

namespace assay {

// Whole runs that were shown last. A run that is under way is read anew when it has changed, but not all the
// time. Thread-safe.
class ShownRuns {
 public:
  Result<std::shared_ptr<const ReportInput>> of(const CataloguedRun& run);

 private:
  static constexpr std::size_t kMost = 8;
  struct Kept {
    std::string directory;
    std::string version;
    std::chrono::steady_clock::time_point not_before;
    std::shared_ptr<const ReportInput> report;
  };
  std::shared_ptr<const ReportInput> kept(const CataloguedRun& run);

  std::mutex mutex_;
  std::vector<Kept> kept_;              // the last one used comes first
  std::array<std::mutex, 16> reading_;  // who wants a run that is being read waits for it; others go on
};

struct Results {
  Results(const std::vector<std::string>& directories, std::optional<StoreAddress> store, int threads)
      : catalogue(directories, std::move(store)), readers(threads) {}
  RunCatalogue catalogue;
  CaseIndexes indexes;
  CaseFinder cases;
  ShownRuns shown;
  Readers readers;  // last: they read with everything above
};

// Does `work` on a reader's thread; answered 503 if too much waits, 500 if it throws.
void read_for(Results& results, const ExchangePointer& exchange, std::function<void()> work);

// The ids of runs: with commas between, or in parameters of their own. An id may hold commas itself: the
// longest that names a run counts.
std::vector<std::string> run_ids_in(const std::vector<std::string>& values, const RunList& list);

// The run that was found under this id, or null and answered 404: there is none, or its files are not here.
std::shared_ptr<const CataloguedRun> with_files(std::shared_ptr<const CataloguedRun> run, std::string_view id,
                                                const Exchange& exchange);
// The same for the run that the path names.
std::shared_ptr<const CataloguedRun> named_run(Results& results, Exchange& exchange);
// Why there is no more of a run than what its store says.
std::string elsewhere_words(const CataloguedRun& run);

}  // namespace assay
