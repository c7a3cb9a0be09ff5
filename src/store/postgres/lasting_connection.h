// A connection that outlives its breaks: when the server was restarted, or the network was away, it is made
// again and what was asked is asked again, with growing pauses, for a minute at most. So only what may be
// asked twice is asked here: reads, and writes that their keys make the same the second time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "store/postgres/connection.h"

namespace assay::postgres {

// How long a store tries before it says that it failed.
inline constexpr std::chrono::seconds kPatience(60);
// Reads that go over all of a run may take long where it has hundreds of millions of rows.
inline ConnectOptions for_reading() {
  return {.statement = std::chrono::minutes(30)};
}

// A list of runs asks for many of them, and should not wait for a server that is away.
inline ConnectOptions for_a_look() {
  return {.connect = std::chrono::seconds(3), .statement = std::chrono::seconds(20)};
}

// The pauses between tries: from 50 ms, doubled each time up to 2 s, with jitter, so that many workers do not
// come back to a restarted server together.
class Pauses {
 public:
  explicit Pauses(std::chrono::milliseconds in_all = kPatience);
  // Waits; false if it was long enough in all, or `stop` says so.
  bool wait(const std::atomic<bool>& stop);
  // Since the first of them.
  std::chrono::steady_clock::duration lasting() const { return std::chrono::steady_clock::now() - begun_; }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point end_;
  std::chrono::milliseconds next_{50};
  unsigned drawn_;
};

// One thread at a time, but for stop().
class LastingConnection {
 public:
  // On every new connection before anything else is asked.
  using Ready = std::function<Status(Connection&)>;

  // Nothing is asked yet; `first` may be a connection that is there already and ready.
  explicit LastingConnection(StoreAddress address, ConnectOptions options = {}, Ready ready = {},
                             std::optional<Connection> first = std::nullopt);

  // What `ask(connection)`, a Result, gives in the end. An error of a retryable kind is tried again.
  template <class Ask>
  auto ask(const Ask& ask) -> decltype(ask(std::declval<Connection&>())) {
    std::optional<Pauses> pauses;
    for (;;) {
      auto connection = connected();
      std::optional<Error> error;
      if (connection) {
        auto answer = ask(**connection);
        if (answer || !retryable(answer.error().kind)) {
          told_ = false;
          return answer;
        }
        error = std::move(answer.error());
        // Whatever state it is in: a new one is in none.
        connection_.reset();
      } else {
        if (!retryable(connection.error().kind)) return fail(std::move(connection.error()));
        error = std::move(connection.error());
      }
      if (!pauses) pauses.emplace(patience_);
      note(*error, *pauses);
      if (!pauses->wait(stop_)) return fail(gave_up(std::move(*error)));
    }
  }

  // Hears on the asking thread, once for each break, of one that lasts longer than a moment.
  void set_warn(std::function<void(const std::string&)> warn) { warn_ = std::move(warn); }
  // For tests, and for whoever only wants a look.
  void set_patience(std::chrono::milliseconds patience) { patience_ = patience; }
  // Ends the waiting of ask() at its next chance; from any thread.
  void stop() { stop_ = true; }
  const StoreAddress& address() const { return address_; }

 private:
  Result<Connection*> connected();
  Error gave_up(Error last) const;
  void note(const Error& error, const Pauses& pauses);

  StoreAddress address_;
  ConnectOptions options_;
  Ready ready_;
  std::optional<Connection> connection_;
  std::chrono::milliseconds patience_ = kPatience;
  std::atomic<bool> stop_ = false;
  std::function<void(const std::string&)> warn_;
  bool told_ = false;  // of the break that lasts
};

}  // namespace assay::postgres
