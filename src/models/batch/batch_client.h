// What can be done with batches at a model's provider: list them, make one, look at one, read its answers.
// Nothing is tried again here.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "core/task.h"
#include "models/batch/batch_wire.h"
#include "models/batch/batched_model.h"

namespace assay {

template <class T>
using BatchTask = Task<std::expected<T, ModelFailure>>;

// The newest first, down to the one before `until`; all of them if that is empty or gone, but no more than
// `most`.
BatchTask<std::vector<BatchState>> list_batches(BatchedModel& model, std::string until, std::size_t most);

// With a file, if the provider wants one. A failure that may pass leaves open whether there is a batch now.
BatchTask<BatchState> create_batch(BatchedModel& model, std::string mark, std::vector<BatchOrder> orders);

BatchTask<BatchState> look_at_batch(BatchedModel& model, std::string id);

// Each answer as it is read. Lines that are none are passed over. `take` may be called although the task
// fails later; after it says false nothing more is read.
BatchTask<bool> read_results(BatchedModel& model, std::string path, std::function<bool(BatchResult)> take);

}  // namespace assay
