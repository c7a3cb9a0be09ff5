#include "engine/case_feed.h"

namespace assay {

Status CaseFeed::open() {
  if (source_) return {};
  auto source = work_.chosen_cases();
  if (!source) return fail(std::move(source.error()));
  source_ = std::move(*source);
  return {};
}

Result<std::deque<Case>> CaseFeed::read_ahead() {
  if (auto opened = open(); !opened) return fail(std::move(opened.error()));
  std::deque<Case> cases;
  while (cases.size() < kAhead) {
    auto more = source_->next();
    source_->take_problems();  // told when the data were looked at first
    if (!more) return fail(std::move(more.error()));
    if (!*more) break;
    cases.push_back(source_->current().travelling());
  }
  return cases;
}

Task<Result<std::optional<Case>>> CaseFeed::next() {
  if (ahead_.empty()) {
    auto read = co_await thread_.run<Result<std::deque<Case>>>([this] { return read_ahead(); });
    if (!read) co_return fail(std::move(read.error()));
    ahead_ = std::move(*read);
  }
  if (ahead_.empty()) co_return std::nullopt;
  Case first = std::move(ahead_.front());
  ahead_.pop_front();
  co_return first;
}

Task<Result<Case>> CaseFeed::at(CasePlace place) {
  co_return co_await thread_.run<Result<Case>>([this, place]() -> Result<Case> {
    if (auto opened = open(); !opened) return fail(std::move(opened.error()));
    if (auto gone = source_->go_to(place); !gone) return fail(std::move(gone.error()));
    return source_->current().travelling();
  });
}

}  // namespace assay
