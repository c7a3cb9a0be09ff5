#include "service/results/results.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "runs/show/whole_run.h"

namespace assay {
namespace {

// A run under way is read anew at most this share of the time.
constexpr int kReadShare = 5;

}  // namespace

// Null if it was not read yet, or has changed since.
std::shared_ptr<const ReportInput> ShownRuns::kept(const CataloguedRun& run) {
  const std::lock_guard guard(mutex_);
  const auto found = std::ranges::find(kept_, run.run.directory, &Kept::directory);
  if (found == kept_.end()) return nullptr;
  const bool soon = run.live && std::chrono::steady_clock::now() < found->not_before;
  if (found->version != run.version && !soon) return nullptr;
  std::rotate(kept_.begin(), found, std::next(found));
  return kept_.front().report;
}

Result<std::shared_ptr<const ReportInput>> ShownRuns::of(const CataloguedRun& run) {
  const std::string& directory = run.run.directory;
  const std::lock_guard alone(reading_[std::hash<std::string>()(directory) % reading_.size()]);
  if (auto report = kept(run)) return report;
  const auto began = std::chrono::steady_clock::now();
  auto report = show_run(directory);
  if (!report) return fail(std::move(report.error()));
  const auto ended = std::chrono::steady_clock::now();
  auto shared = std::make_shared<const ReportInput>(std::move(*report));
  const std::lock_guard guard(mutex_);
  std::erase_if(kept_, [&](const Kept& one) { return one.directory == directory; });
  kept_.insert(kept_.begin(), {directory, run.version, ended + kReadShare * (ended - began), shared});
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
  auto run = results.catalogue.find(id);
  if (run == nullptr)
    exchange.send_error(404, fmt::format("there is no run {}", repair_utf8(shorten(id, 200))));
  return run;
}

}  // namespace assay
