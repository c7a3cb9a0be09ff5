#include "runs/distributed/first_contact.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "core/time.h"
#include "store/postgres/connection.h"
#include "store/postgres/lasting_connection.h"

namespace assay {
namespace {

// What `attempt` gives in the end.
template <class Attempt>
auto patiently(const FirstContact& contact, const Attempt& attempt) -> decltype(attempt()) {
  postgres::Pauses pauses(std::chrono::duration_cast<std::chrono::milliseconds>(contact.within));
  const std::atomic<bool> never = false;
  for (bool told = false;;) {
    auto came = attempt();
    if (came || !retryable(came.error().kind) || contact.within.count() == 0) return came;
    if (!std::exchange(told, true) && contact.tell) {
      contact.tell(
          fmt::format("{}; trying again for {}", came.error().message, duration_text(contact.within)));
    }
    if (pauses.wait(never)) continue;
    came.error().message += fmt::format(" (tried for {})", duration_text(contact.within));
    return came;
  }
}

}  // namespace

Status reach_store(const StoreAddress& store, const FirstContact& contact) {
  return patiently(contact, [&]() -> Status {
    const auto connection = postgres::Connection::open(store);
    return connection ? Status() : fail(connection.error());
  });
}

Result<std::unique_ptr<WorkBoard>> reach_board(const StoreAddress& store, const FirstContact& contact) {
  return patiently(contact, [&] { return WorkBoard::open(store, contact.tell); });
}

Result<std::unique_ptr<WorkQueue>> reach_queue(const QueueAddress& queue, const FirstContact& contact) {
  return patiently(contact, [&] { return WorkQueue::connect(queue); });
}

}  // namespace assay
