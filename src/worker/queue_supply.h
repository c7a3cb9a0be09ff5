// Cases of one run from the queue, for a runner. Keeps their leases as long as they are under way, says what
// is done once its outcome is durable, and passes over what has its outcome already. A case for which nothing
// was asked yet goes back to the queue when it is not to be asked here any more. Belongs to one loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/task.h"
#include "engine/distributed/case_supply.h"
#include "net/event_loop.h"
#include "queue/work_queue.h"
#include "store/run_store.h"

namespace assay {

class QueueSupply final : public CaseSupply {
 public:
  struct Options {
    std::string run;
    std::chrono::milliseconds lease{30'000};
    std::function<void(const std::string&)> warn;
  };
  // A case that was given out so often without coming to its end is not tried any more. What was given back
  // before it was begun counts, too, so it is often.
  static constexpr std::int64_t kMostDeliveries = 16;
  struct Allowance {
    int under_way = 0;  // cases here at most; 0: none are taken for now
    int waiting = 0;    // of them, those for which nothing was asked yet
  };

  // All outlive it.
  QueueSupply(EventLoop& loop, WorkQueue& queue, RunStore& store, Options options);
  ~QueueSupply() override;

  // From now on; nothing at first. What waits beyond that goes back.
  void allow(Allowance allowance);
  // No more are taken, and what waits goes back.
  void close();
  // Whether no case is here.
  bool has_none() const;
  // For how long that has been so although there might be some.
  std::chrono::steady_clock::duration idle() const;
  // What was said to be done, or left, has been told to the queue, as far as it listens.
  Task<void> finish();
  std::int64_t ended_count() const;

  Task<Result<std::optional<std::vector<GivenCase>>>> next(int most) override;
  void ended(std::int64_t index) override;
  void left(std::int64_t index) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace assay
