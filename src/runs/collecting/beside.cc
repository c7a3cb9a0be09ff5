#include "runs/collecting/beside.h"

#include <exception>
#include <utility>

#include "core/exceptions/caught.h"

namespace assay {

void CollectingBeside::settled_below(std::int64_t end) {
  if (end - handed_ < kStep) return;
  handed_ = end;
  thread_.post([this, end] {
    if (so_far_ && !dropped_) so_far_ = take_below(end);
  });
}

Status CollectingBeside::take_below(std::int64_t end) {
  try {
    if (!collection_) {
      auto begun = Collection::begin(request_);
      if (!begun) return fail(std::move(begun.error()));
      collection_ = std::move(*begun);
    }
    return loop_.run_until_done(collection_->take_below(end));
  } catch (const std::exception& thrown) {
    return fail(internal_error(thrown));
  }
}

Task<std::unique_ptr<Collection>> CollectingBeside::taken() {
  return thread_.run<std::unique_ptr<Collection>>(
      [this] { return so_far_ ? std::move(collection_) : nullptr; });
}

}  // namespace assay
