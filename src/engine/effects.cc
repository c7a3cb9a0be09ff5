#include "engine/effects.h"

#include <algorithm>
#include <cmath>
#include <coroutine>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "core/time.h"
#include "engine/backoff.h"

namespace assay {

// A wait that ends early when the run stops.
class Effects::Pause {
 public:
  Pause(Effects& effects, Duration delay) : effects_(effects), delay_(delay) {}
  bool await_ready() const { return effects_.stopping_; }
  void await_suspend(std::coroutine_handle<> handle) {
    handle_ = handle;
    effects_.pauses_.push_back(this);
    timer_ = effects_.outside_.loop.call_after(delay_, [this] {
      std::erase(effects_.pauses_, this);
      handle_.resume();
    });
  }
  void await_resume() const {}
  void cut_short() {
    effects_.outside_.loop.cancel(timer_);
    handle_.resume();
  }

 private:
  Effects& effects_;
  Duration delay_;
  EventLoop::TimerId timer_ = 0;
  std::coroutine_handle<> handle_;
};

Effects::Effects(Outside& outside, const RunnerOptions& options)
    : outside_(outside), options_(options), circuit_(options.same_failures_to_stop), budget_(std::nullopt) {}

void Effects::set_budget(std::optional<double> usd, std::int64_t spent_picousd) {
  std::optional<std::int64_t> limit;
  if (usd) limit = static_cast<std::int64_t>(std::llround(*usd * 1e12));
  budget_ = Budget(limit, spent_picousd);
}

Task<Result<EffectRow>> Effects::try_until_done(Call& call) {
  const auto stopped = [this] {
    return fail(reason_ ? *reason_ : Error{ErrorKind::cancelled, "interrupted", {}});
  };
  if (stopping_) co_return stopped();
  Limiter& limit = limiter(call);
  Random jitter =
      Random::keyed(options_.seed, "backoff", call.key.case_index, call.key.step, call.key.attempt);
  for (int tries = 1;; ++tries) {
    if (!co_await limit.acquire(call.expected_tokens)) co_return stopped();
    if (!stopping_ && !budget_.reserve(call.expected_cost)) stop(RunEnd::stopped, budget_reached());
    if (stopping_) {
      limit.release(Limiter::Feedback::other, -call.expected_tokens, std::nullopt);
      co_return stopped();
    }
    ++in_flight_;
    ++requests_;
    const auto begun = Clock::now();
    TryResult result = co_await call.send();
    const auto elapsed = Clock::now() - begun;
    --in_flight_;
    if (options_.trace) {
      options_.trace(fmt::format("{} case {} step {} attempt {} try {}: {} in {}", call.kind,
                                 call.key.case_index, call.key.step, call.key.attempt, tries,
                                 result ? "ok" : result.error().error.text(), duration_text(elapsed)));
    }
    if (result) {
      circuit_.success();
      co_return row_of(call, *result, tries, elapsed);
    }
    Error& error = result.error().error;
    const auto retry_after = result.error().retry_after;
    const bool too_many = error.kind == ErrorKind::rate_limited;
    const bool wait_too_long = retry_after && *retry_after > kLongestPause;
    const bool may_pass = retryable(error.kind) || (call.stubborn && error.kind == ErrorKind::target);
    budget_.settle(call.expected_cost, 0);
    const bool final = !may_pass || tries >= call.tries || wait_too_long;
    // Before the permit goes to the next one: after a wrong key there is no next one.
    if (final) {
      if (tries > 1) error.message += fmt::format(" (tried {} times)", tries);
      if (auto open = circuit_.failure(error)) stop(RunEnd::stopped, std::move(open));
    }
    limit.release(too_many ? Limiter::Feedback::too_many : Limiter::Feedback::other, -call.expected_tokens,
                  too_many && !wait_too_long ? std::optional<Duration>(retry_after) : std::nullopt);
    if (final) co_return fail(std::move(error));
    ++retrying_;
    co_await Pause(*this, backoff(tries, retry_after, jitter));
    --retrying_;
  }
}

EffectRow Effects::row_of(Call& call, Try& answer, int tries, Duration elapsed) {
  EffectRow row;
  row.key = call.key;
  row.kind = call.kind;
  row.request = std::move(call.request);
  row.reply = std::move(answer.reply);
  row.model = std::move(answer.model);
  row.prompt_tokens = answer.usage.prompt_tokens;
  row.completion_tokens = answer.usage.completion_tokens;
  row.cached_tokens = answer.usage.cached_tokens;
  row.reasoning_tokens = answer.usage.reasoning_tokens;
  if (!call.price_name.empty()) row.cost_picousd = outside_.cost(answer.usage, call.price_name);
  row.latency_us = std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
  row.tries = tries;
  row.finished = iso_time(std::chrono::system_clock::now());
  budget_.settle(call.expected_cost, row.cost_picousd.value_or(0));
  tokens_ += row.prompt_tokens + row.completion_tokens;
  return row;
}

void Effects::answered(const Call& call, double tokens_off) {
  limiter(call).release(Limiter::Feedback::success, tokens_off, std::nullopt);
}

Error Effects::budget_reached() const {
  return {
      ErrorKind::budget,
      fmt::format(
          "the budget of ${:.2f} is used up (${:.2f} spent, the rest is reserved for calls under way); raise "
          "budget.usd and resume",
          static_cast<double>(*budget_.limit()) / 1e12, static_cast<double>(budget_.spent()) / 1e12),
      {}};
}

Limiter& Effects::limiter(const Call& call) {
  auto& slot = limiters_[call.limit_key];
  if (!slot) {
    LimitOptions limits = options_.limits;
    limits.concurrency = std::min(limits.concurrency, call.most_at_once);
    slot = std::make_unique<Limiter>(outside_.loop, limits);
  }
  return *slot;
}

void Effects::stop(RunEnd end, std::optional<Error> reason) {
  if (stopping_) return;
  stopping_ = true;
  end_ = end;
  reason_ = std::move(reason);
  // Not from inside a coroutine that is being stopped; and the run may be over before the loop comes to it.
  outside_.loop.post([this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    for (auto& [key, limit] : limiters_) limit->stop();
    for (Pause* pause : std::exchange(pauses_, {})) pause->cut_short();
  });
}

void Effects::enter(RunProgress& progress) const {
  progress.in_flight = in_flight_;
  progress.retrying = retrying_;
  progress.requests = requests_;
  progress.tokens = tokens_;
  progress.spent_picousd = budget_.spent();
  for (const auto& [key, limit] : limiters_) {
    if (progress.waiting_for.empty()) progress.waiting_for = limit->waiting_for();
  }
}

}  // namespace assay
