#include "net/timers.h"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

// A heap smaller than this is not worth sweeping.
constexpr std::size_t kSmallHeap = 64;

}  // namespace

Timers::Id Timers::add(Time when, std::function<void()> work) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.work = std::move(work);
  slot.used = true;
  push({when, next_sequence_++, index, slot.generation});
  return (Id{slot.generation} << 32) | (index + 1U);
}

void Timers::cancel(Id timer) {
  const auto index = static_cast<std::uint32_t>(timer) - 1U;
  const auto generation = static_cast<std::uint32_t>(timer >> 32);
  if (index >= slots_.size() || !slots_[index].used || slots_[index].generation != generation) return;
  // Destroying what the function holds may come back here, so everything is in order before that.
  const std::function<void()> dead = release(index);
  if (heap_.size() > kSmallHeap && heap_.size() > 2 * living()) sweep();
}

Timers::Time Timers::next() {
  while (!heap_.empty() && !alive(heap_.front())) pop();
  return heap_.empty() ? Time::max() : heap_.front().when;
}

void Timers::run_due() {
  if (next() == Time::max()) return;
  const auto now = std::chrono::steady_clock::now();
  const auto end = next_sequence_;
  std::vector<Entry> later;
  while (next() <= now) {
    const Entry entry = heap_.front();
    pop();
    if (entry.sequence >= end) {
      later.push_back(entry);
      continue;
    }
    const std::function<void()> work = release(entry.slot);
    work();
  }
  for (const Entry& entry : later) push(entry);
}

void Timers::clear() {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].used) release(i);
  }
  heap_.clear();
}

bool Timers::alive(const Entry& entry) const {
  const Slot& slot = slots_[entry.slot];
  return slot.used && slot.generation == entry.generation;
}

void Timers::push(const Entry& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), Later{});
}

void Timers::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), Later{});
  heap_.pop_back();
}

std::function<void()> Timers::release(std::uint32_t index) {
  Slot& slot = slots_[index];
  std::function<void()> work = std::exchange(slot.work, nullptr);
  slot.used = false;
  ++slot.generation;
  free_.push_back(index);
  return work;
}

void Timers::sweep() {
  std::erase_if(heap_, [this](const Entry& entry) { return !alive(entry); });
  std::make_heap(heap_.begin(), heap_.end(), Later{});
}

}  // namespace assay
