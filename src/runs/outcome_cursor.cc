#include "runs/outcome_cursor.h"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t kPage = 512;

}  // namespace

Task<Result<std::optional<FinishedCase>>> OutcomeCursor::at(std::int64_t index) {
  if (index < first_ || index >= end_) {
    auto page = co_await store_.outcomes(index, kPage);
    if (!page) co_return fail(std::move(page.error()));
    page_ = std::move(*page);
    first_ = index;
    end_ = page_.size() < kPage ? settled_ : std::min(settled_, page_.back().case_index + 1);
    while (!page_.empty() && page_.back().case_index >= end_) page_.pop_back();
    next_ = 0;
  }
  // Indices may come in any order: those of a benchmark do.
  if (next_ == page_.size() || page_[next_].case_index > index) next_ = 0;
  while (next_ < page_.size() && page_[next_].case_index < index) ++next_;
  if (next_ == page_.size() || page_[next_].case_index != index) co_return std::nullopt;
  co_return read_finished(page_[next_]);
}

}  // namespace assay
