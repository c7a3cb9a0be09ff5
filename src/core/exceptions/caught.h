// Exceptions are bugs. Where one must not take everything else with it, as in a job of the service, it
// becomes a failure there.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/task.h"

namespace assay {

// An exception in words for whoever meets it.
inline Error internal_error(const std::exception& thrown) {
  return {ErrorKind::internal, std::string("internal error, please report it: ") + thrown.what(), {}};
}

// What the task gives; a failure of kind internal if an exception leaves it.
template <class T>
Task<Result<T>> caught(Task<Result<T>> task) {
  try {
    co_return co_await task;
  } catch (const std::exception& thrown) {
    co_return fail(internal_error(thrown));
  }
}

}  // namespace assay
