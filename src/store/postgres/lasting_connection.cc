#include "store/postgres/lasting_connection.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

namespace assay::postgres {
namespace {

constexpr std::chrono::milliseconds kLongest(2000);
constexpr std::chrono::milliseconds kSlice(50);
// A server that is restarted is back before that.
constexpr std::chrono::seconds kMoment(2);

}  // namespace

Pauses::Pauses(std::chrono::milliseconds in_all)
    : end_(begun_ + in_all),
      drawn_(static_cast<unsigned>(::getpid()) ^
             static_cast<unsigned>(std::chrono::steady_clock::now().time_since_epoch().count())) {}

bool Pauses::wait(const std::atomic<bool>& stop) {
  drawn_ = drawn_ * 1664525U + 1013904223U;  // Numerical Recipes' generator: enough for jitter
  const auto pause = next_ / 2 + next_ * (drawn_ >> 24U) / 512;
  next_ = std::min(next_ * 2, kLongest);
  const auto until = std::chrono::steady_clock::now() + pause;
  if (until > end_) return false;
  while (!stop && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(
        std::min<std::chrono::steady_clock::duration>(kSlice, until - std::chrono::steady_clock::now()));
  return !stop;
}

LastingConnection::LastingConnection(StoreAddress address, ConnectOptions options, Ready ready,
                                     std::optional<Connection> first)
    : address_(std::move(address)),
      options_(std::move(options)),
      ready_(std::move(ready)),
      connection_(std::move(first)) {}

Result<Connection*> LastingConnection::connected() {
  if (connection_ && !connection_->broken()) return &*connection_;
  connection_.reset();
  auto made = Connection::open(address_, options_);
  if (!made) return fail(std::move(made.error()));
  connection_ = std::move(*made);
  if (ready_) {
    if (auto ready = ready_(*connection_); !ready) {
      connection_.reset();
      return fail(std::move(ready.error()));
    }
  }
  return &*connection_;
}

void LastingConnection::note(const Error& error, const Pauses& pauses) {
  if (told_ || !warn_ || pauses.lasting() < kMoment) return;
  told_ = true;
  warn_(error.message + "; trying again");
}

Error LastingConnection::gave_up(Error last) const {
  if (stop_) return last;
  last.message += fmt::format(" (tried again for {} s)",
                              std::chrono::duration_cast<std::chrono::seconds>(patience_).count());
  return last;
}

}  // namespace assay::postgres
