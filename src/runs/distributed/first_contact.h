// Servers that a run shares with other machines may not be there yet when a process begins: a cluster starts
// everything together, or begins a coordinator again while PostgreSQL is being moved. So they are waited for,
// as they are in the middle of a run. All of it blocks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "core/error.h"
#include "queue/work_queue.h"
#include "store/address.h"
#include "store/work_board.h"

namespace assay {

struct FirstContact {
  std::chrono::nanoseconds within{};  // in all; 0: one try
  // Hears once of each server that it is waited for; later, on its thread, of a board that is away.
  std::function<void(const std::string&)> tell;
};

// Done when the server answers. What trying again cannot help is an error at once; else the last one, whose
// kind is retryable().
Status reach_store(const StoreAddress& store, const FirstContact& contact);
Result<std::unique_ptr<WorkBoard>> reach_board(const StoreAddress& store, const FirstContact& contact);
Result<std::unique_ptr<WorkQueue>> reach_queue(const QueueAddress& queue, const FirstContact& contact);

}  // namespace assay
