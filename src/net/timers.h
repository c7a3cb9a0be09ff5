// The timers of an event loop, in a binary heap. Cancelling frees the slot at once and leaves a dead entry in
// the heap; when the dead outnumber the living the heap is swept, so its size stays within twice the number
// of living timers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace assay {

class Timers {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Id = std::uint64_t;  // never 0

  Id add(Time when, std::function<void()> work);
  void cancel(Id timer);
  // The time of the next living timer, or max.
  Time next();
  // Runs what is due. Timers set meanwhile wait for the next call, lest I/O starve.
  void run_due();
  void clear();

  std::size_t living() const { return slots_.size() - free_.size(); }
  // What memory is kept for.
  std::size_t slots() const { return slots_.size() > heap_.size() ? slots_.size() : heap_.size(); }

 private:
  struct Slot {
    std::function<void()> work;
    std::uint32_t generation = 0;
    bool used = false;
  };
  struct Entry {
    Time when;
    std::uint64_t sequence;
    std::uint32_t slot;
    std::uint32_t generation;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
    }
  };

  bool alive(const Entry& entry) const;
  void push(const Entry& entry);
  void pop();
  std::function<void()> release(std::uint32_t index);
  void sweep();

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Entry> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace assay
