// What the routes of the results API share: the runs of the results directories, and what was read of those
// that were looked at last.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.h"
#include "report/summary.h"
#include "runs/catalogue/catalogue.h"
#include "runs/show/case_index.h"
#include "service/http/route_parts.h"
#include "service/results/readers.h"

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
  Results(const std::vector<std::string>& directories, int threads)
      : catalogue(directories), readers(threads) {}
  RunCatalogue catalogue;
  CaseIndexes indexes;
  ShownRuns shown;
  Readers readers;  // last: they read with everything above
};

// Does `work` on a reader's thread; answered 503 if too much waits, 500 if it throws.
void read_for(Results& results, const ExchangePointer& exchange, std::function<void()> work);

// The run that the path names, or null and answered 404.
std::shared_ptr<const CataloguedRun> named_run(Results& results, Exchange& exchange);

}  // namespace assay
