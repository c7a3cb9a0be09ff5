#include <algorithm>
#include <coroutine>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "core/time.h"
#include "gateway/backoff.h"
#include "gateway/gateway.h"

namespace assay {

// A wait that ends early when the run stops.
class Account::Pause final : public Wait {
 public:
  Pause(Account& account, Duration delay)
      : Wait(account.waits_), loop_(account.gateway_.loop()), skip_(account.stopping_), delay_(delay) {}
  ~Pause() {
    if (waiting()) take_back();
  }
  bool await_ready() const { return skip_; }
  void await_suspend(std::coroutine_handle<> handle) {
    enter(handle);
    timer_ = loop_.call_after(delay_, [this] { wake(); });
  }
  void await_resume() const {}

 private:
  void take_back() override { loop_.cancel(timer_); }
  EventLoop& loop_;
  bool skip_;
  Duration delay_;
  EventLoop::TimerId timer_ = 0;
};

namespace {

// Counts while it lives, however its coroutine ends.
class Counted {
 public:
  explicit Counted(int& count) : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  int& count_;
};

Task<TryResult> counted(Task<TryResult> task, int& count) {
  const Counted one(count);
  co_return co_await task;
}

// Money that is set aside for a call under way, given back if the call never comes to its end.
class Reservation {
 public:
  Reservation(Budget& budget, std::int64_t expected) : budget_(budget), expected_(expected) {}
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() {
    if (!settled_) budget_.settle(expected_, 0);
  }
  void settle(std::int64_t actual) {
    budget_.settle(expected_, actual);
    settled_ = true;
  }

 private:
  Budget& budget_;
  std::int64_t expected_;
  bool settled_ = false;
};

}  // namespace

Account::Account(Gateway& gateway, std::function<void(const std::string&)> trace)
    : gateway_(gateway),
      tools_(gateway.loop_, gateway.models_->client(), gateway.environment_),
      outside_(gateway.outside(tools_)),
      trace_(std::move(trace)) {}

Account::~Account() = default;

Error Account::stopped() const {
  return reason_ ? *reason_ : Error{ErrorKind::cancelled, "interrupted", {}};
}

Task<Result<Account::Answer>> Account::perform(Effect& effect, const Terms& terms, CallPlace place) {
  Limiter& limiter = gateway_.limiter(terms);
  Circuit& circuit = gateway_.circuit(terms);
  limiters_[terms.lane] = &limiter;
  Random jitter =
      Random::keyed(gateway_.settings().seed, "backoff", place.case_index, place.step, place.attempt);
  for (int tries = 1;; ++tries) {
    if (stopping_) co_return fail(stopped());
    Permit permit = co_await limiter.acquire(terms.expected_tokens, waits_);
    if (!stopping_) {
      if (auto refused = circuit.refusal(Clock::now())) {
        stop(std::move(refused));
      } else if (!gateway_.budget().reserve(terms.expected_cost)) {
        stop(budget_reached());
      }
    }
    if (stopping_ || !permit) {
      permit.give_back(Permit::Feedback::other);
      co_return fail(stopped());
    }
    Reservation money(gateway_.budget(), terms.expected_cost);
    ++requests_;
    const auto begun = Clock::now();
    TryResult result = co_await counted(effect.send(outside_), in_flight_);
    const auto elapsed = Clock::now() - begun;
    tell(effect, place, tries, result, elapsed);
    if (result) {
      circuit.success();
      Answer answer{std::move(*result), std::nullopt, elapsed, tries, std::move(permit)};
      if (!terms.price_name.empty())
        answer.cost_picousd = outside_.cost(answer.answer.usage, terms.price_name);
      money.settle(answer.cost_picousd.value_or(0));
      tokens_ += answer.answer.usage.prompt_tokens + answer.answer.usage.completion_tokens;
      co_return answer;
    }
    Error& error = result.error().error;
    const auto retry_after = result.error().retry_after;
    const bool too_many = error.kind == ErrorKind::rate_limited;
    const bool wait_too_long = retry_after && *retry_after > kLongestPause;
    const bool may_pass = retryable(error.kind) || (terms.stubborn && error.kind == ErrorKind::target);
    money.settle(0);
    const bool final = !may_pass || tries >= terms.tries || wait_too_long;
    // Before the permit goes to the next one: after a wrong key there is no next one.
    if (final) {
      if (tries > 1) error.message += fmt::format(" (tried {} times)", tries);
      if (auto open = circuit.failure(error, Clock::now())) stop(std::move(open));
    }
    permit.give_back(too_many ? Permit::Feedback::too_many : Permit::Feedback::other, 0,
                     too_many && !wait_too_long ? std::optional<Duration>(retry_after) : std::nullopt);
    if (final) co_return fail(std::move(error));
    const Counted retrying(retrying_);
    co_await Pause(*this, backoff(tries, retry_after, jitter));
  }
}

void Account::tell(const Effect& effect, CallPlace place, int tries, const TryResult& result,
                   Duration elapsed) const {
  if (!trace_) return;
  trace_(fmt::format("{} case {} step {} attempt {} try {}: {} in {}", effect.kind(), place.case_index,
                     place.step, place.attempt, tries, result ? "ok" : result.error().error.text(),
                     duration_text(elapsed)));
}

Error Account::budget_reached() const {
  const Budget& budget = gateway_.budget();
  return {
      ErrorKind::budget,
      fmt::format(
          "the budget of ${:.2f} is used up (${:.2f} spent, the rest is reserved for calls under way); raise "
          "budget.usd and resume",
          static_cast<double>(*budget.limit()) / 1e12, static_cast<double>(budget.spent()) / 1e12),
      {}};
}

void Account::stop(std::optional<Error> reason) {
  if (stopping_) return;
  stopping_ = true;
  reason_ = std::move(reason);
  // Not from inside a coroutine that is being stopped; and the run may be over before the loop comes to it.
  gateway_.loop().post([this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) waits_.cut_short();
  });
}

AccountFigures Account::figures() const {
  AccountFigures figures{in_flight_, retrying_, requests_, tokens_, ""};
  for (const auto& [lane, limiter] : limiters_) {
    if (figures.waiting_for.empty()) figures.waiting_for = limiter->waiting_for();
  }
  return figures;
}

}  // namespace assay
