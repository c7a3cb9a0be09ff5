#include "service/results/results.h"

#include <algorithm>
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
  work_on(results.readers, exchange, std::move(work));
}

std::vector<std::string> run_ids_in(const std::vector<std::string>& values, const RunList& list) {
  std::vector<std::string> ids;
  for (const std::string& value : values) {
    const auto parts = split(value, ',');
    for (std::size_t first = 0; first < parts.size();) {
      const char* const begin = parts[first].data();
      const auto id_to = [&](std::size_t end) {
        return std::string(begin, parts[end - 1].data() + parts[end - 1].size());
      };
      std::size_t end = parts.size();
      while (end > first + 1 && list.find(id_to(end)) == nullptr) --end;
      if (std::string id = id_to(end); !id.empty()) ids.push_back(std::move(id));
      first = end;
    }
  }
  return ids;
}

std::string elsewhere_words(const CataloguedRun& run) {
  const bool ended = run.run.complete;
  return fmt::format("the files of this run are not here, and {} holds its journal; {}", run.run.store,
                     ended ? "it has ended, and its report is in the directory that it was given"
                     : run.live
                         ? "its figures and cases are where its directory is"
                         : fmt::format("assay resume {} makes its directory anew", resume_words(run.run)));
}

std::shared_ptr<const CataloguedRun> with_files(std::shared_ptr<const CataloguedRun> run, std::string_view id,
                                                const Exchange& exchange) {
  if (run == nullptr) {
    exchange.send_error(404, fmt::format("there is no run {}", repair_utf8(shorten(id, 200))));
  } else if (run->run.directory.empty()) {
    exchange.send_error(404, elsewhere_words(*run));
    run = nullptr;
  }
  return run;
}

std::shared_ptr<const CataloguedRun> named_run(Results& results, Exchange& exchange) {
  const std::string id = exchange.parameter("run");
  return with_files(results.catalogue.find(id), id, exchange);
}

}  // namespace assay
