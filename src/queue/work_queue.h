// Work on its way from the coordinator of a run to its workers. Each run has a lane; what is published there
// is given to one worker at a time, for as long as its lease lasts. A worker that has done it says so; one
// that needs longer says that, too; and what nobody says anything of until its lease ends is given to
// another.
//
// A queue is never trusted to remember: it may lose everything, and it may give the same work to two workers.
// What has been done is what the store says. So every function may simply be called again after a failure.
//
// Nothing here waits on a loop's thread, and every wait has an end. Tasks belong to the loop that awaits
// them; those of one queue may be awaited on several loops.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/task.h"

namespace assay {

// Where the servers are and how they are reached.
struct QueueAddress {
  // What a config or a flag says of the servers. Kind config if it is none of kQueueForms: libnats would take
  // any other scheme, or none, for a connection without TLS.
  static Result<QueueAddress> read(std::string_view servers);

  std::string servers;       // "nats://host:4222,tls://other:4222"; a user and password may stand in it
  std::string ca_file = {};  // certificates of a private authority (PEM)
  std::string certificate_file = {};  // of this client (PEM), with its key
  std::string key_file = {};
  std::string credentials_file = {};  // of a user (JWT and seed)

  // Without users and passwords: what may be shown.
  std::string shown() const;
};

// What an address may be, for messages.
inline constexpr std::string_view kQueueForms =
    "nats://HOST:PORT, or tls://HOST:PORT for TLS, several with commas between";

struct LaneOptions {
  int most_taken = 64;  // given out and not done, over all workers
  std::chrono::milliseconds lease{30'000};
  int replicas = 1;  // on how many servers the work is kept
};

struct WorkItem {
  std::string id;  // of two with the same id that come within minutes, the second is dropped
  std::string body;
};

// Work that was given out, to be spoken of to the queue that gave it; what it is, that queue knows.
class GivenWork {
 public:
  GivenWork() = default;
  GivenWork(const GivenWork&) = delete;
  GivenWork& operator=(const GivenWork&) = delete;
  virtual ~GivenWork() = default;
};
using WorkTicket = std::shared_ptr<GivenWork>;

struct Delivery {
  std::string body;
  std::int64_t times = 1;  // that it was given out, this time included
  WorkTicket ticket;
  // It was not given out before that: a lease that is counted from then on ends no later than the queue's.
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
};

// What is in a lane.
struct LaneDepth {
  std::int64_t waiting = 0;
  std::int64_t taken = 0;
};

enum class StartOver { lane, everything };

// A question that nobody answers fails as timeout, one that is answered with a refusal as config or auth.
class WorkQueue {
 public:
  // Connected, or an error that says why not. Later on it connects again by itself, for as long as it lives.
  static Result<std::unique_ptr<WorkQueue>> connect(const QueueAddress& address);
  virtual ~WorkQueue() = default;

  // Makes the lane with these options, or gives those to the lane that is there. Kind config, or auth, if the
  // servers refuse it, which they would always do.
  virtual Task<Status> open_lane(std::string run, LaneOptions options) = 0;
  // With all that is in it.
  virtual Task<Status> close_lane(std::string run) = 0;
  // Where servers are there and nobody answers for the work for long (most nodes of a cluster have lost what
  // they had): the lane goes, or everything of all runs, to be made anew. Their coordinators notice it as a
  // queue that has forgotten.
  virtual Task<Status> start_over(std::string run, StartOver what) = 0;
  // Nothing if there is no such lane.
  virtual Task<Result<std::optional<LaneDepth>>> depth(std::string run) = 0;

  // The largest body that the server takes.
  virtual std::size_t most_bytes() const = 0;
  // Done when the servers have all of it. After a failure they may have a part of it. Kind config if a body
  // is too large for them.
  virtual Task<Status> publish(std::string run, std::vector<WorkItem> items) = 0;
  // Up to so many, at once if there is work; after `wait` nothing. Kind network if the lane cannot be
  // reached.
  virtual Task<Result<std::vector<Delivery>>> fetch(std::string run, int most,
                                                    std::chrono::milliseconds wait) = 0;
  // Done with it: nobody is given it again.
  virtual Task<Status> done(std::vector<WorkTicket> tickets) = 0;
  // Their leases begin anew, which is certain if it succeeds.
  virtual Task<Status> extend(std::vector<WorkTicket> tickets) = 0;
  // To be given to somebody else, after a while.
  virtual Task<Status> give_back(std::vector<WorkTicket> tickets, std::chrono::milliseconds after) = 0;
};

// No body is larger, whatever the server takes: larger ones are better kept elsewhere.
inline constexpr std::size_t kMostWorkBytes = std::size_t{512} << 10;

}  // namespace assay
