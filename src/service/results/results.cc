#include "service/results/results.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "runs/show/whole_run.h"

namespace assay {
namespace {

// A run under way is read anew at most this share of the time.
constexpr int kReadShare = 5;

}  // namespace

Result<std::shared_ptr<const ReportInput>> ShownRuns::of(const CataloguedRun& run) {
  const auto began = std::chrono::steady_clock::now();
  {
    const std::lock_guard guard(mutex_);
    const auto found = std::ranges::find(kept_, run.run.directory, &Kept::directory);
    if (found != kept_.end() && (found->version == run.version || (run.live && began < found->not_before))) {
      std::rotate(kept_.begin(), found, std::next(found));
      return kept_.front().report;
    }
  }
  auto report = show_run(run.run.directory);
  if (!report) return fail(std::move(report.error()));
  const auto ended = std::chrono::steady_clock::now();
  auto shared = std::make_shared<const ReportInput>(std::move(*report));
  const std::lock_guard guard(mutex_);
  std::erase_if(kept_, [&](const Kept& one) { return one.directory == run.run.directory; });
  kept_.insert(kept_.begin(), {run.run.directory, run.version, ended + kReadShare * (ended - began), shared});
  if (kept_.size() > kMost) kept_.pop_back();
  return shared;
}

void read_for(Results& results, const ExchangePointer& exchange, std::function<void()> work) {
  const bool taken = results.readers.post([exchange, work = std::move(work)] {
    try {
      work();
    } catch (const std::exception&) {
      exchange->send_error(500, "internal error");
    }
  });
  if (!taken) exchange->send_error(503, "too much is being asked at once; try again");
}

std::shared_ptr<const CataloguedRun> named_run(Results& results, Exchange& exchange) {
  const std::string id = exchange.parameter("run");
  auto run = results.catalogue.look()->find(id);
  if (run == nullptr)
    exchange.send_error(404, fmt::format("there is no run {}", repair_utf8(shorten(id, 200))));
  return run;
}

}  // namespace assay
