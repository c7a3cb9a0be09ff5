#include "gateway/limits.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

namespace assay {
namespace {

// Several 429s of one burst tell the same thing: the window halves once for all of them.
constexpr Duration kOneDecrease = std::chrono::seconds(1);

// However deep the debt of a bucket is: longer than anybody waits is as good as for ever, and no overflow.
Duration seconds(double count) {
  constexpr double kLongest = 1e9;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::min(count, kLongest)));
}

// A second's worth of requests and ten seconds' worth of tokens may go at once; the minute's sum still holds.
double requests_at_once(double rate) {
  return std::max(1.0, rate);
}
double tokens_at_once(double rate) {
  return rate * 10;
}

}  // namespace

Limiter::Limiter(EventLoop& loop, LimitOptions options)
    : loop_(loop), options_(options), window_(std::max(1, options.concurrency)) {
  const auto now = Clock::now();
  if (options_.requests_per_minute) {
    const double rate = *options_.requests_per_minute / 60;
    requests_ = Bucket{rate, requests_at_once(rate), requests_at_once(rate), now};
  }
  if (options_.tokens_per_minute) {
    const double rate = *options_.tokens_per_minute / 60;
    tokens_ = Bucket{rate, tokens_at_once(rate), tokens_at_once(rate), now};
  }
}

void Limiter::change(const LimitOptions& options) {
  const auto now = Clock::now();
  const bool was_open = window_ >= options_.concurrency;
  const double most = std::max(1, options.concurrency);
  // What a 429 has taken comes back by successes alone.
  window_ = was_open ? most : std::min(window_, most);
  options_ = options;
  if (requests_ && options.requests_per_minute) {
    const double rate = *options.requests_per_minute / 60;
    requests_->change(rate, requests_at_once(rate), now);
  }
  if (tokens_ && options.tokens_per_minute) {
    const double rate = *options.tokens_per_minute / 60;
    tokens_->change(rate, tokens_at_once(rate), now);
  }
  serve_soon();
}

void Limiter::Bucket::change(double per_second, double at_once, Clock::time_point now) {
  refill(now);
  rate = per_second;
  capacity = at_once;
  level = std::min(level, capacity);
}

Limiter::~Limiter() {
  if (timer_ != 0) loop_.cancel(timer_);
  if (soon_ != 0) loop_.cancel(soon_);
}

void Limiter::Bucket::refill(Clock::time_point now) {
  level = std::min(capacity, level + rate * std::chrono::duration<double>(now - updated).count());
  updated = now;
}

Duration Limiter::Bucket::until_positive() const {
  return level > 0 ? Duration(0) : seconds((1e-6 - level) / rate);
}

bool Limiter::full() const {
  return in_flight_ >= static_cast<int>(window_) ||
         in_flight_ + received_ >= most_open(options_.concurrency) || received_bytes_ >= kMostReceivedBytes;
}

bool Limiter::may_send(Clock::time_point now) {
  if (full() || now < paused_until_) return false;
  if (requests_) requests_->refill(now);
  if (tokens_) tokens_->refill(now);
  return (!requests_ || requests_->level >= 1) && (!tokens_ || tokens_->level > 0);
}

void Limiter::take(double tokens) {
  ++in_flight_;
  if (requests_) requests_->level -= 1;
  if (tokens_) tokens_->level -= tokens;
}

bool Limiter::Acquire::await_ready() {
  if (limiter_.queue_.empty() && limiter_.may_send(Clock::now())) {
    limiter_.take(tokens_);
    granted_ = true;
    return true;
  }
  return false;
}

void Limiter::Acquire::await_suspend(std::coroutine_handle<> handle) {
  enter(handle);
  place_in_queue_ = limiter_.queue_.emplace(turn_, this);
  limiter_.wake_later(Clock::now());
}

void Permit::give_back(Feedback feedback, double used, std::optional<Duration> pause) {
  if (limiter_ == nullptr) return;
  std::exchange(limiter_, nullptr)->release(feedback, used - tokens_, pause);
}

void Limiter::release(Permit::Feedback feedback, double tokens_off, std::optional<Duration> pause) {
  assert(in_flight_ > 0);
  --in_flight_;
  const auto now = Clock::now();
  if (tokens_) tokens_->level -= tokens_off;
  if (feedback == Permit::Feedback::success) {
    window_ = std::min<double>(options_.concurrency, window_ + 1 / window_);
  } else if (feedback == Permit::Feedback::too_many && now - last_decrease_ > kOneDecrease) {
    window_ = std::max(1.0, window_ / 2);
    last_decrease_ = now;
  }
  if (pause) paused_until_ = std::max(paused_until_, now + *pause);
  serve_soon();
}

void Permit::arrived(double used, std::size_t bytes) {
  Limiter& limiter = *limiter_;
  bytes_ = bytes;
  ++limiter.received_;
  limiter.received_bytes_ += bytes;
  limiter.release(Feedback::success, used - tokens_, std::nullopt);
}

Permit::~Permit() {
  if (limiter_ == nullptr) return;
  if (bytes_) {
    limiter_->kept(*bytes_);
  } else {
    limiter_->drop(tokens_);
  }
}

void Limiter::kept(std::size_t bytes) {
  assert(received_ > 0 && received_bytes_ >= bytes);
  --received_;
  received_bytes_ -= bytes;
  serve_soon();
}

void Limiter::drop(double estimated_tokens) {
  assert(in_flight_ > 0);
  --in_flight_;
  if (tokens_) tokens_->level += estimated_tokens;
  wake_later(Clock::now());
}

void Limiter::serve_soon() {
  if (queue_.empty() || soon_ != 0) return;
  soon_ = loop_.call_after(Duration(0), [this] {
    soon_ = 0;
    serve();
  });
}

void Limiter::serve() {
  // A resumed coroutine may release and so come back here; the outer loop goes on for it.
  if (serving_) return;
  serving_ = true;
  while (!queue_.empty() && may_send(Clock::now())) {
    Acquire* next = queue_.begin()->second;
    queue_.erase(queue_.begin());
    take(next->tokens_);
    next->granted_ = true;
    next->wake();
  }
  serving_ = false;
  wake_later(Clock::now());
}

void Limiter::wake_later(Clock::time_point now) {
  if (queue_.empty() || full()) return;
  Duration wait = std::max(Duration(0), paused_until_ - now);
  if (requests_ && requests_->level < 1)
    wait = std::max(wait, seconds((1 - requests_->level) / requests_->rate));
  if (tokens_) wait = std::max(wait, tokens_->until_positive());
  const auto when = now + std::max(wait, Duration(std::chrono::microseconds(100)));
  // What was set aside for an answer and not used comes back: then it is time before the timer says so.
  if (timer_ != 0 && timer_at_ <= when) return;
  loop_.cancel(timer_);
  timer_at_ = when;
  timer_ = loop_.call_at(when, [this] {
    timer_ = 0;
    serve();
  });
}

std::string Limiter::waiting_for() const {
  if (queue_.empty()) return "";
  const auto now = Clock::now();
  if (now < paused_until_) {
    const auto left = std::chrono::ceil<std::chrono::seconds>(paused_until_ - now).count();
    return fmt::format("the provider asked for a pause, {} s left", left);
  }
  if (requests_ && requests_->level < 1) {
    return fmt::format("limit of {:g} requests a minute", *options_.requests_per_minute);
  }
  if (tokens_ && tokens_->level <= 0)
    return fmt::format("limit of {:g} tokens a minute", *options_.tokens_per_minute);
  if (in_flight_ < static_cast<int>(window_) && full())
    return fmt::format("the disk: {} answers are being written", received_);
  if (window_ < options_.concurrency * 0.9) {
    return fmt::format("too many requests; {} at once for now", static_cast<int>(window_));
  }
  return "";
}

}  // namespace assay
