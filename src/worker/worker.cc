#include "worker/worker.h"

#include <array>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr std::chrono::milliseconds kLook(500);
constexpr std::chrono::milliseconds kSlice(50);
// A run that could not go on here is not taken up again at once: its coordinator may be about to close it.
constexpr std::chrono::seconds kAfterAFailure(3);
// Runs at a time; the others wait, the oldest first.
constexpr std::size_t kMostRuns = 16;

}  // namespace

std::string make_worker_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return fmt::format("{}/{}-{:08x}", host.data(), ::getpid(), std::random_device()());
}

void Worker::drain() {
  draining_ = true;
  for (const auto& [run, sitting] : sittings_) sitting->drain();
}

Task<void> Worker::sit(std::shared_ptr<Sitting> sitting) {
  co_await sitting->work();
  if (sitting->failed()) not_before_[sitting->run().run_id] = Clock::now() + kAfterAFailure;
  sittings_.erase(sitting->run().run_id);
}

void Worker::begin(OpenRun run) {
  const std::string id = run.run_id;
  const auto sitting = std::make_shared<Sitting>(means_, std::move(run));
  sittings_.emplace(id, sitting);
  means_.loop.spawn(sit(sitting));
}

Task<Status> Worker::work() {
  auto busy = Clock::now();
  while (!draining_) {
    auto runs = co_await means_.board.open_runs();
    if (!runs) co_return fail(std::move(runs.error()));
    for (OpenRun& run : *runs) {
      const bool wanted = limits_.only_run.empty() || limits_.only_run == run.run_id;
      if (const auto held = not_before_.find(run.run_id); held != not_before_.end()) {
        if (Clock::now() < held->second) continue;
        not_before_.erase(held);
      }
      if (wanted && !draining_ && sittings_.size() < kMostRuns && !sittings_.contains(run.run_id))
        begin(std::move(run));
    }
    if (!sittings_.empty()) busy = Clock::now();
    if (limits_.end_when_idle && Clock::now() - busy > *limits_.end_when_idle) break;
    for (auto left = kLook; left.count() > 0 && !draining_; left -= kSlice)
      co_await means_.loop.sleep(kSlice);
  }
  while (!sittings_.empty()) co_await means_.loop.sleep(kSlice);
  co_return Status();
}

}  // namespace assay
