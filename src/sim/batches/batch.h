// A batch at the simulated endpoint, whatever its protocol: what it was given, what has come of each request,
// and how far it is. Everything is answered when it comes; what is told of it grows with the time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/json/json.h"
#include "core/time.h"

namespace assay::sim {

// One request as a single one would have been answered.
struct ItemAnswer {
  int status = 200;
  std::string body = {};  // JSON
};

struct BatchItem {
  std::string custom_id;
  ItemAnswer answer = {};
  bool expired = false;  // it never had its turn
};

struct BatchCounts {
  std::size_t processing = 0;
  std::size_t succeeded = 0;
  std::size_t errored = 0;
  std::size_t expired = 0;
  std::size_t cancelled = 0;
  std::size_t all() const { return processing + succeeded + errored + expired + cancelled; }
};

class Batch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Batch(std::string id, std::vector<BatchItem> items, std::chrono::nanoseconds takes, Time now)
      : id_(std::move(id)), items_(std::move(items)), begun_(now), takes_(takes), most_(items_.size()) {}

  const std::string& id() const { return id_; }
  WallTime created() const { return created_; }
  // In the order in which they were given.
  const std::vector<BatchItem>& items() const { return items_; }
  bool ended(Time now) const { return cancelled_ || done(now) == items_.size(); }
  bool cancelled() const { return cancelled_; }
  // What has not had its turn by now never has it.
  void cancel(Time now) {
    if (ended(now)) return;
    most_ = done(now);
    cancelled_ = true;
  }
  // Of the items how many have had their turn: the first so many.
  std::size_t done(Time now) const {
    if (takes_.count() <= 0 || cancelled_) return most_;
    const double share = std::chrono::duration<double>(now - begun_) / std::chrono::duration<double>(takes_);
    return std::min(most_,
                    static_cast<std::size_t>(static_cast<double>(items_.size()) * std::min(share, 1.0)));
  }
  BatchCounts counts(Time now) const {
    BatchCounts counts;
    const std::size_t had = done(now);
    (cancelled_ ? counts.cancelled : counts.processing) = items_.size() - had;
    for (std::size_t i = 0; i < had; ++i) {
      if (items_[i].expired) {
        ++counts.expired;
      } else {
        ++(items_[i].answer.status == 200 ? counts.succeeded : counts.errored);
      }
    }
    return counts;
  }

  JsonObject given = {};    // of the request that made it, what its protocol repeats
  JsonArray problems = {};  // why it was not begun at all; empty: it was

 private:
  std::string id_;
  std::vector<BatchItem> items_;
  WallTime created_ = std::chrono::system_clock::now();
  Time begun_;
  std::chrono::nanoseconds takes_;
  std::size_t most_;
  bool cancelled_ = false;
};

}  // namespace assay::sim
