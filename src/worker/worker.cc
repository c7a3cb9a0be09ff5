#include "worker/worker.h"

#include <algorithm>
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
  left_[sitting->run().run_id] = Clock::now();
  if (sitting->failed()) not_before_[sitting->run().run_id] = Clock::now() + kAfterAFailure;
  sittings_.erase(sitting->run().run_id);
}

void Worker::begin(OpenRun run) {
  const std::string id = run.run_id;
  const auto sitting = std::make_shared<Sitting>(means_, std::move(run));
  sittings_.emplace(id, sitting);
  means_.loop.spawn(sit(sitting));
}

std::vector<OpenRun> Worker::waiting(std::vector<OpenRun> open) {
  const auto is_open = [&](const std::string& id) {
    return std::ranges::find(open, id, &OpenRun::run_id) != open.end();
  };
  std::erase_if(left_, [&](const auto& one) { return !is_open(one.first); });
  const auto now = Clock::now();
  std::erase_if(not_before_, [&](const auto& one) { return now >= one.second; });
  // The oldest comes first, but for those that were here already.
  std::multimap<Clock::time_point, OpenRun> in_turn;
  for (OpenRun& run : open) {
    const bool wanted = limits_.only_run.empty() || limits_.only_run == run.run_id;
    if (!wanted || not_before_.contains(run.run_id) || sittings_.contains(run.run_id)) continue;
    const auto found = left_.find(run.run_id);
    in_turn.emplace(found == left_.end() ? Clock::time_point::min() : found->second, std::move(run));
  }
  std::vector<OpenRun> list;
  for (auto& [when, run] : in_turn) list.push_back(std::move(run));
  return list;
}

// One at a time: whoever leaves a run changes how its limits are divided.
void Worker::make_room() {
  const auto idle = [](const auto& one) { return one.second->idle(); };
  if (std::ranges::any_of(sittings_, [](const auto& one) { return one.second->draining(); })) return;
  const auto longest = std::ranges::max_element(sittings_, {}, idle);
  if (longest != sittings_.end() && idle(*longest) >= limits_.makes_room_after) longest->second->drain();
}

Task<Status> Worker::work() {
  auto busy = Clock::now();
  Status so_far;
  while (!draining_) {
    auto runs = co_await means_.board.open_runs();
    if (!runs) {
      // What is under way uses what is here, on other threads.
      so_far = fail(std::move(runs.error()));
      drain();
      break;
    }
    for (OpenRun& run : waiting(std::move(*runs))) {
      if (draining_) break;
      if (sittings_.size() >= limits_.most_runs) {
        make_room();
        break;
      }
      begin(std::move(run));
    }
    if (!sittings_.empty()) busy = Clock::now();
    if (limits_.end_when_idle && Clock::now() - busy > *limits_.end_when_idle) break;
    for (auto left = kLook; left.count() > 0 && !draining_; left -= kSlice)
      co_await means_.loop.sleep(kSlice);
  }
  while (!sittings_.empty()) co_await means_.loop.sleep(kSlice);
  co_return so_far;
}

}  // namespace assay
