#include "worker/queue_supply.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/distributed/case_message.h"
#include "engine/runner.h"
#include "gateway/pause.h"

namespace assay {
namespace {

using std::chrono::milliseconds;

// How long one question for work waits at the server.
constexpr milliseconds kWait(500);
constexpr milliseconds kWhileThereIsNoRoom(500);
constexpr milliseconds kWhileSpeaking(5);
constexpr milliseconds kAfterAFailure(500);
constexpr milliseconds kGivenBack(100);
constexpr std::chrono::seconds kPassing(3);

}  // namespace

// Shared with the coroutines that speak to the queue, which may end after everything else.
struct QueueSupply::State : std::enable_shared_from_this<State> {
  struct Taken {
    std::vector<WorkTicket> tickets;  // more than one if it was published more than once
    std::shared_ptr<Lease> lease;
  };

  State(EventLoop& its_loop, WorkQueue& its_queue, RunStore& its_store, Options its_options)
      : loop(its_loop), queue(its_queue), store(its_store), options(std::move(its_options)) {}

  Task<Result<std::optional<std::vector<GivenCase>>>> next(int most);
  Task<Result<std::optional<GivenCase>>> accept(Delivery delivery);
  Task<Result<bool>> has_outcome(std::int64_t index);
  // How many may be asked for now: a few together, as each question is a way there and back.
  int room() const;
  int waiting() const;
  // There may be room by now, or an end.
  void stir();
  // The newest of those for which nothing was asked yet.
  void give_back_waiting(int count);
  void keep_to_allowance();
  void say_done(std::vector<WorkTicket> tickets);
  void let_go(std::vector<WorkTicket> tickets);
  void speak();
  void note(const Error& error);

  static Task<void> speaking(std::shared_ptr<State> state);
  static Task<void> keep_leases(std::shared_ptr<State> state);

  EventLoop& loop;
  WorkQueue& queue;
  RunStore& store;
  Options options;
  Allowance allowance;
  Waits for_room;
  bool closed = false;
  bool over = false;
  bool is_speaking = false;
  std::optional<Clock::time_point> failing_since;
  bool told_of_failure = false;
  std::map<std::int64_t, Taken> taken;          // by index
  Clock::time_point last_there = Clock::now();  // when it was not empty, or not to be filled
  std::vector<WorkTicket> done;                 // to be told
  std::vector<WorkTicket> given_back;
  std::int64_t ended = 0;
};

// Once, if it lasts: a run that ends takes its lane away before everybody has heard of it.
void QueueSupply::State::note(const Error& error) {
  const auto now = Clock::now();
  if (!failing_since) failing_since = now;
  if (told_of_failure || now - *failing_since < kPassing) return;
  told_of_failure = true;
  if (options.warn) options.warn(error.message + "; trying again");
}

Task<Result<std::optional<std::vector<GivenCase>>>> QueueSupply::State::next(int most) {
  std::vector<GivenCase> given;
  if (closed) co_return std::nullopt;
  if (room() <= 0) {
    co_await Pause(for_room, loop, kWhileThereIsNoRoom);
    co_return given;
  }
  auto work = co_await queue.fetch(options.run, std::min(most, room()), kWait);
  if (!work) {
    note(work.error());
    co_await loop.sleep(kAfterAFailure);
    co_return given;
  }
  failing_since.reset();
  told_of_failure = false;
  for (Delivery& delivery : *work) {
    // Time may have passed since it was given, as for a process that was stopped: then it is somebody else's.
    if (Clock::now() > delivery.since + options.lease) continue;
    if (closed) {
      let_go({delivery.ticket});
      continue;
    }
    auto one = co_await accept(std::move(delivery));
    if (!one) co_return fail(std::move(one.error()));
    if (*one) given.push_back(std::move(**one));
  }
  // It may have become less since they were asked for.
  keep_to_allowance();
  co_return given;
}

Task<Result<std::optional<GivenCase>>> QueueSupply::State::accept(Delivery delivery) {
  auto message = read_message(delivery.body);
  if (!message) {
    if (options.warn) options.warn(message.error().message + "; it is dropped");
    say_done({delivery.ticket});
    co_return std::nullopt;
  }
  const std::int64_t index = message->input.index;
  const auto until = delivery.since + options.lease;
  if (const auto here = taken.find(index); here != taken.end()) {
    here->second.tickets.push_back(delivery.ticket);
    here->second.lease->extend(until);
    here->second.lease->offer_again();
    co_return std::nullopt;
  }
  const auto lease = std::make_shared<Lease>(until, [state = weak_from_this()] {
    if (const auto still = state.lock()) still->stir();
  });
  taken.emplace(index, Taken{{delivery.ticket}, lease});
  // Each is looked for in the store, whatever the queue says: after a failover it may give out what was given
  // out before, and what was done, as if for the first time.
  GivenCase given{std::move(message->input), true, {}, lease};
  auto known = co_await has_outcome(index);
  if (!known) co_return fail(std::move(known.error()));
  if (*known) {
    say_done(std::move(taken.extract(index).mapped().tickets));
    co_return std::nullopt;
  }
  if (!message->kept_under.empty()) {
    auto payload = co_await store.file(message->kept_under);
    if (!payload) co_return fail(std::move(payload.error()));
    if (!*payload) {
      co_return fail(ErrorKind::journal,
                     fmt::format("the store does not hold the payload of case {}", given.input.id));
    }
    given.input.payload = std::move(**payload);
  }
  if (delivery.times > kMostDeliveries) {
    given.given_up = fmt::format(
        "this case was given to workers {} times and never came to its end: each of them ended, or lost its "
        "connections, while it had it",
        kMostDeliveries);
  }
  co_return given;
}

Task<Result<bool>> QueueSupply::State::has_outcome(std::int64_t index) {
  auto rows = co_await store.outcomes(index, 1);
  if (!rows) co_return fail(std::move(rows.error()));
  if (rows->empty() || rows->front().case_index != index) co_return false;
  const std::vector<std::string> again = outcomes_to_retry();
  co_return std::ranges::find(again, rows->front().outcome) == again.end();
}

int QueueSupply::State::waiting() const {
  return static_cast<int>(
      std::ranges::count_if(taken, [](const auto& one) { return one.second.lease->waiting(); }));
}

int QueueSupply::State::room() const {
  const int ahead = allowance.waiting - waiting();
  const int some = (allowance.waiting + 1) / 2;
  return ahead < some ? 0 : std::min(allowance.under_way - static_cast<int>(taken.size()), ahead);
}

// By way of the loop, since it may be a case that has begun just now, in the middle of the gateway.
void QueueSupply::State::stir() {
  loop.post([state = weak_from_this()] {
    const auto still = state.lock();
    // Whoever waits for room comes back to wait unless there is some.
    if (still && (still->closed || still->room() > 0)) still->for_room.cut_short();
  });
}

void QueueSupply::State::give_back_waiting(int count) {
  for (auto one = taken.rbegin(); one != taken.rend() && count > 0; ++one) {
    Taken& held = one->second;
    if (!held.lease->waiting()) continue;
    held.lease->take_back();
    --count;
    // Whose lease has ended has been given to somebody else, from whom this would take it away again.
    auto tickets = std::exchange(held.tickets, {});
    if (!held.lease->lost()) let_go(std::move(tickets));
  }
}

void QueueSupply::State::keep_to_allowance() {
  const int beyond = static_cast<int>(taken.size()) - allowance.under_way;
  give_back_waiting(std::max(waiting() - allowance.waiting, beyond));
}

void QueueSupply::State::say_done(std::vector<WorkTicket> tickets) {
  std::ranges::move(tickets, std::back_inserter(done));
  speak();
}

void QueueSupply::State::let_go(std::vector<WorkTicket> tickets) {
  std::ranges::move(tickets, std::back_inserter(given_back));
  speak();
}

void QueueSupply::State::speak() {
  if (is_speaking) return;
  is_speaking = true;
  loop.spawn(speaking(shared_from_this()));
}

// What is not heard is given to somebody else, who finds what was done in the store.
Task<void> QueueSupply::State::speaking(std::shared_ptr<State> state) {
  while (!state->done.empty() || !state->given_back.empty()) {
    if (auto done = std::exchange(state->done, {}); !done.empty()) [[maybe_unused]]
      const auto told = co_await state->queue.done(std::move(done));
    if (auto back = std::exchange(state->given_back, {}); !back.empty()) [[maybe_unused]]
      const auto told = co_await state->queue.give_back(std::move(back), kGivenBack);
  }
  state->is_speaking = false;
}

Task<void> QueueSupply::State::keep_leases(std::shared_ptr<State> state) {
  const auto period = state->options.lease / 3;
  while (!state->over) {
    co_await state->loop.sleep(period);
    std::vector<WorkTicket> tickets;
    std::vector<std::shared_ptr<Lease>> leases;
    for (const auto& [index, taken] : state->taken) {
      leases.push_back(taken.lease);
      std::ranges::copy(taken.tickets, std::back_inserter(tickets));
    }
    if (tickets.empty() || state->over) continue;
    const auto began = Clock::now();
    auto extended = co_await state->queue.extend(std::move(tickets));
    if (!extended) {
      state->note(extended.error());
      continue;
    }
    for (const auto& lease : leases) {
      // One that was lost is somebody else's.
      if (!lease->lost()) lease->extend(began + state->options.lease);
    }
  }
}

QueueSupply::QueueSupply(EventLoop& loop, WorkQueue& queue, RunStore& store, Options options)
    : state_(std::make_shared<State>(loop, queue, store, std::move(options))) {
  loop.spawn(State::keep_leases(state_));
}
QueueSupply::~QueueSupply() {
  state_->over = true;
}

void QueueSupply::allow(Allowance allowance) {
  if (state_->allowance.under_way == 0) state_->last_there = Clock::now();
  state_->allowance = allowance;
  state_->keep_to_allowance();
  state_->stir();
}
void QueueSupply::close() {
  state_->closed = true;
  state_->give_back_waiting(state_->waiting());
  state_->stir();
}
bool QueueSupply::has_none() const {
  return state_->taken.empty();
}
std::chrono::steady_clock::duration QueueSupply::idle() const {
  return has_none() ? Clock::now() - state_->last_there : Clock::duration::zero();
}
std::int64_t QueueSupply::ended_count() const {
  return state_->ended;
}

Task<void> QueueSupply::finish() {
  while (state_->is_speaking) co_await state_->loop.sleep(kWhileSpeaking);
}

Task<Result<std::optional<std::vector<GivenCase>>>> QueueSupply::next(int most) {
  return state_->next(most);
}

void QueueSupply::ended(std::int64_t index) {
  ++state_->ended;
  state_->last_there = Clock::now();
  if (auto found = state_->taken.extract(index)) state_->say_done(std::move(found.mapped().tickets));
  state_->stir();
}

void QueueSupply::left(std::int64_t index) {
  auto found = state_->taken.extract(index);
  state_->last_there = Clock::now();
  if (found && !found.mapped().lease->lost()) state_->let_go(std::move(found.mapped().tickets));
  state_->stir();
}

}  // namespace assay
