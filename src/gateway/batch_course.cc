// The course of a batch: meant, made, looked at until it has ended, and read.
//
// Making is the only step that cannot simply be repeated: a request whose answer is lost may have made the
// batch. Whenever that is possible (a broken connection, a kill of an earlier sitting), the provider's list
// is searched before another one is made. It is searched twice, `poll` apart, for what was sent just before
// may arrive a moment later.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "gateway/backoff.h"
#include "gateway/batch_desk.h"

namespace assay {
namespace {

constexpr std::size_t kMostListed = 2000;
constexpr int kLooksForMark = 2;

std::string name_of(const std::string& mark, const std::string& item) {
  return fmt::format("{}-{}", mark, item);
}

// As long as asked for, if somebody asked.
Duration pause_after(const ModelFailure& failure, int tries, const std::string& mark) {
  Random jitter = Random::keyed(0, "batch", mark, tries);
  auto asked = failure.retry_after;
  if (asked && *asked > kLongestPause) asked.reset();
  return backoff(tries, asked, jitter);
}

// A batch that was not taken because the provider has too much to do for this account: later it may.
HttpResponse come_later(const Error& failure) {
  constexpr const char* kSeconds = "300";
  return {.status = 429,
          .headers = {{"retry-after", kSeconds}},
          .body = to_text(JsonObject{{"error", JsonObject{{"message", failure.message}}}})};
}

}  // namespace

// A batch that is just being made: close() waits for it.
class BatchDesk::Making {
 public:
  explicit Making(BatchDesk& desk) : desk_(desk) { ++desk_.making_; }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;
  ~Making() {
    if (--desk_.making_ == 0 && desk_.closed_) std::exchange(desk_.closed_, nullptr)(true);
  }

 private:
  BatchDesk& desk_;
};

Task<void> BatchDesk::run(Course& course) {
  // Others of the same batch come within a moment.
  if (course.earlier) co_await loop_.sleep(options_.wait / 4);
  Result<bool> there = true;
  if (course.id.empty() && !stopped_) {
    const Making making(*this);
    there = co_await make(course);
  }
  Status ended;
  if (!there) {
    ended = fail(there.error());
  } else if (!*there) {
    let_go(course);
    hand_back(course);
  } else if (!stopped_) {
    ended = co_await await_answers(course);
  }
  course.running = false;
  // Whoever asks again waits for the same batch, as long as it is not over.
  if (!ended) tell_all(course, fail(ended.error()));
}

Task<Result<bool>> BatchDesk::make(Course& course) {
  if (course.earlier) co_return co_await find(course);
  for (int tries = 1;; ++tries) {
    auto newest = co_await list_batches(*course.model, "", 1);
    if (newest) {
      if (!newest->empty()) course.intent.newest = newest->front().id;
      break;
    }
    if (stopped_ || tries >= options_.tries || !retryable(newest.error().error.kind)) {
      let_go(course);
      co_return fail(std::move(newest.error().error));
    }
    co_await loop_.sleep(pause_after(newest.error(), tries, course.intent.mark));
  }
  auto durable = co_await book_.intend(course.intent);
  if (!durable) {
    let_go(course);
    broken_(durable.error());
    co_return fail(std::move(durable.error()));
  }
  course.intended = true;
  co_return co_await create(course);
}

Task<Result<bool>> BatchDesk::create(Course& course) {
  for (int tries = 1;; ++tries) {
    // The requests are gone with those who wait.
    if (stopped_) co_return fail(ErrorKind::cancelled, "interrupted");
    std::vector<BatchOrder> orders;
    orders.reserve(course.waiting.size());
    for (const auto& [item, order] : course.waiting)
      orders.push_back({name_of(course.intent.mark, item), order.body});
    auto made = co_await create_batch(*course.model, course.intent.mark, std::move(orders));
    if (made) {
      auto kept = co_await keep_id(course, std::move(made->id));
      if (!kept) co_return fail(std::move(kept.error()));
      co_return true;
    }
    ModelFailure& failure = made.error();
    if (!retryable(failure.error.kind)) {
      let_go(course);
      co_return fail(std::move(failure.error));
    }
    course.earlier = stopped_ || tries >= options_.tries;
    if (course.earlier) co_return fail(std::move(failure.error));
    co_await loop_.sleep(pause_after(failure, tries, course.intent.mark));
    auto found = co_await find(course);
    if (found && *found) co_return found;
    if (!found && !retryable(found.error().kind)) co_return found;
    if (!found) {
      course.earlier = true;
      co_return found;
    }
  }
}

Task<Status> BatchDesk::keep_id(Course& course, std::string id) {
  course.id = std::move(id);
  auto durable = co_await book_.made(course.intent.mark, course.id);
  if (!durable) broken_(durable.error());
  co_return durable;
}

bool BatchDesk::is_known(const std::string& id) const {
  return std::ranges::any_of(courses_, [&](const Course& course) { return course.id == id; });
}

Task<Result<bool>> BatchDesk::find(Course& course) {
  for (int look = 1; look <= kLooksForMark; ++look) {
    if (look > 1) co_await loop_.sleep(options_.poll);
    auto listed = co_await list_batches(*course.model, course.intent.newest, kMostListed);
    if (!listed) co_return fail(std::move(listed.error().error));
    for (const BatchState& state : *listed) {
      if (is_known(state.id)) continue;
      auto ours = co_await is_ours(course, state);
      if (!ours) co_return ours;
      if (!*ours) continue;
      auto kept = co_await keep_id(course, state.id);
      if (!kept) co_return fail(std::move(kept.error()));
      co_return true;
    }
  }
  co_return false;
}

// By its mark. Where a provider repeats none, the names of the requests tell, once they are answered.
Task<Result<bool>> BatchDesk::is_ours(const Course& course, const BatchState& state) {
  BatchedModel& model = *course.model;
  if (model.batches().marks) co_return state.mark == course.intent.mark;
  if (state.total != static_cast<std::int64_t>(course.intent.items.size())) co_return false;
  BatchState now = state;
  for (Duration pause = options_.poll / 16; !now.ended; pause = std::min(pause * 2, options_.poll)) {
    co_await loop_.sleep(pause);
    if (stopped_) co_return fail(ErrorKind::cancelled, "interrupted");
    auto looked = co_await look_at_batch(model, now.id);
    if (!looked) co_return fail(std::move(looked.error().error));
    now = std::move(*looked);
  }
  bool ours = false;
  for (const std::string& path : now.results) {
    auto read = co_await read_results(model, path, [&](const BatchResult& result) {
      ours = result.name.starts_with(course.intent.mark + "-");
      return false;
    });
    if (!read) co_return fail(std::move(read.error().error));
  }
  co_return ours;
}

Task<Status> BatchDesk::await_answers(Course& course) {
  int failures = 0;
  for (Duration pause = options_.poll / 16;; pause = std::min(pause * 2, options_.poll)) {
    auto state = co_await look_at_batch(*course.model, course.id);
    if (stopped_) co_return Status();
    if (!state) {
      Error& error = state.error().error;
      if (error.kind == ErrorKind::rejected) {  // it is gone
        let_go(course);
        if (course.earlier) {
          hand_back(course);
          co_return Status();
        }
      }
      if (!retryable(error.kind) || ++failures >= options_.tries) co_return fail(std::move(error));
    } else {
      failures = 0;
      course.done = state->done;
      if (state->failure) {
        let_go(course);
        if (course.earlier) {
          hand_back(course);
        } else if (state->failure->kind == ErrorKind::rate_limited) {
          tell_all(course, come_later(*state->failure));
        } else {
          co_return fail(std::move(*state->failure));
        }
        co_return Status();
      }
      if (state->ended) co_return co_await read_answers(course, std::move(state->results));
    }
    co_await loop_.sleep(pause);
    if (stopped_) co_return Status();
  }
}

Task<Status> BatchDesk::read_answers(Course& course, std::vector<std::string> paths) {
  for (const std::string& path : paths) {
    for (int tries = 1;; ++tries) {
      auto read = co_await read_results(*course.model, path, [&](BatchResult result) {
        answer(course, std::move(result));
        return !stopped_;
      });
      if (stopped_) co_return Status();
      if (read) break;
      if (tries >= options_.tries || !retryable(read.error().error.kind))
        co_return fail(std::move(read.error().error));
      co_await loop_.sleep(pause_after(read.error(), tries, course.intent.mark));
    }
  }
  // What is asked for later (a case that has not begun yet) is read again. What waits has no answer in it.
  for (const auto& [item, order] : course.waiting) held_.erase(item);
  course.over = true;
  if (course.earlier) {
    hand_back(course);
  } else {
    tell_all(course, fail(ErrorKind::network, "the batch ended without an answer to this request"));
  }
  co_return Status();
}

void BatchDesk::answer(Course& course, BatchResult result) {
  std::string_view item = result.name;
  if (!item.starts_with(course.intent.mark + "-")) return;
  item.remove_prefix(course.intent.mark.size() + 1);
  const auto found = course.waiting.find(std::string(item));
  if (found == course.waiting.end()) return;
  std::string known = found->first;
  Order order = std::move(found->second);
  course.waiting.erase(found);
  held_.erase(known);
  if (course.earlier && (!result.answer || result.answer->status != 200))
    return gather(*course.model, std::move(known), std::move(order));
  if (!result.answer) return order.done(fail(std::move(result.answer.error())));
  order.done(HttpResponse{.status = result.answer->status, .body = std::move(result.answer->body)});
}

}  // namespace assay
