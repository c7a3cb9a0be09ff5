// What the simulated endpoint has seen, for tests and benchmarks to ask about. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/faults.h"

namespace assay::sim {

class Stats {
 public:
  // A request that is being answered, from its arrival to land(), which comes just before the answer leaves:
  // whoever has an answer is not counted any more. Requests that are stalled on purpose do not count either,
  // since whether their client still waits cannot be known.
  class Flight {
   public:
    explicit Flight(std::shared_ptr<Stats> stats);
    ~Flight() { land(); }
    void land();
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

   private:
    std::shared_ptr<Stats> stats_;
    std::atomic<bool> landed_{false};
  };

  void count_answer(std::string_view route, int status);
  // For answers that have no status: "dropped", "stalled".
  void count_answer(std::string_view route, std::string_view outcome);
  void count_fault(Fault fault) { ++faults_[static_cast<std::size_t>(fault)]; }
  void count_usage(const Usage& usage);
  void count_body(std::string_view body);
  std::uint64_t in_flight() const { return in_flight_; }

  // {"requests": {"total", "by_route": {"POST /v1/…": {"200": n}}, "by_status": {"200": n}},
  //  "faults": {"429": n, …}, "tokens": {"prompt", "completion"}, "in_flight": {"now", "most"},
  //  "bodies": {"distinct", "repeated", "again"}}
  // repeated: distinct bodies that came more than once; again: requests beyond the first of each body.
  Json to_json() const;
  // All but what is in flight now.
  void reset();

 private:
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::uint64_t, std::uint32_t> seen;
  };

  mutable std::mutex mutex_;
  std::map<std::string, std::map<std::string, std::uint64_t, std::less<>>, std::less<>>
      answers_;  // by route, outcome
  std::array<std::atomic<std::uint64_t>, kFaultKinds> faults_{};
  std::atomic<std::uint64_t> prompt_tokens_{0};
  std::atomic<std::uint64_t> completion_tokens_{0};
  std::atomic<std::uint64_t> in_flight_{0};
  std::atomic<std::uint64_t> most_in_flight_{0};
  std::array<Shard, 16> bodies_;
};

}  // namespace assay::sim
