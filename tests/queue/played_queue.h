// A queue that a test plays: what it gives out, and what it was told.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/distributed/case_message.h"
#include "queue/work_queue.h"

namespace assay {

class Numbered final : public GivenWork {
 public:
  explicit Numbered(int its_number) : number(its_number) {}
  int number;
};

inline int number_of(const WorkTicket& ticket) {
  return dynamic_cast<const Numbered&>(*ticket).number;
}

class PlayedQueue final : public WorkQueue {
 public:
  Task<Status> open_lane(std::string, LaneOptions) override { co_return Status(); }
  Task<Status> close_lane(std::string) override { co_return Status(); }
  Task<Status> start_over(std::string, StartOver) override { co_return Status(); }
  std::size_t most_bytes() const override { return kMostWorkBytes; }
  // As if nothing were ever done.
  Task<Result<std::optional<LaneDepth>>> depth(std::string) override {
    std::int64_t all = 0;
    for (const std::vector<WorkItem>& items : published) all += static_cast<std::int64_t>(items.size());
    co_return LaneDepth{.waiting = all};
  }
  Task<Status> publish(std::string, std::vector<WorkItem> items) override {
    published.push_back(std::move(items));
    co_return Status();
  }
  Task<Result<std::vector<Delivery>>> fetch(std::string, int most, std::chrono::milliseconds) override {
    std::vector<Delivery> some;
    while (!work.empty() && static_cast<int>(some.size()) < most) {
      some.push_back(work.front());
      work.pop_front();
    }
    co_return some;
  }
  Task<Status> done(std::vector<WorkTicket> tickets) override {
    for (const WorkTicket& ticket : tickets) finished.push_back(number_of(ticket));
    co_return Status();
  }
  Task<Status> extend(std::vector<WorkTicket> tickets) override {
    extended += static_cast<int>(tickets.size());
    co_return reachable ? Status() : fail(ErrorKind::network, "away");
  }
  Task<Status> give_back(std::vector<WorkTicket> tickets, std::chrono::milliseconds) override {
    for (const WorkTicket& ticket : tickets) returned.push_back(number_of(ticket));
    co_return Status();
  }

  void add(int ticket, std::int64_t index, std::int64_t times = 1) {
    CaseMessage message{.input = {.index = index, .id = fmt::format("case-{}", index), .payload = "{}"}};
    work.push_back({message_text(message), times, std::make_shared<Numbered>(ticket)});
  }

  std::vector<std::vector<WorkItem>> published;
  std::deque<Delivery> work;
  std::vector<int> finished;
  std::vector<int> returned;
  int extended = 0;
  bool reachable = true;
};

}  // namespace assay
