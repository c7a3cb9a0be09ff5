#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/random.h"
#include "core/time.h"
#include "gateway/backoff.h"
#include "gateway/gateway.h"
#include "gateway/pause.h"
#include "net/on_loop.h"

namespace assay {

// A call from its first wait to its answer.
class Account::UnderWay {
 public:
  UnderWay(Account& account, const CallPlace& place)
      : account_(account), place_(place), at_(account.under_way_.emplace(place.turn, this)) {}
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() { account_.under_way_.erase(at_); }
  AccountFigures::Oldest told() const { return {place_.case_id, place_.step, Clock::now() - begun_}; }

 private:
  Account& account_;
  const CallPlace& place_;
  Clock::time_point begun_ = Clock::now();
  std::multimap<std::int64_t, const UnderWay*>::iterator at_;
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

void free_of_secrets(Error& error, const Secrets& secrets) {
  error.message = secrets.hide_pieces(error.message);
  for (auto& [name, value] : error.context) value = secrets.hide(value);
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
      tools_(gateway.loop_, gateway.models().client(), gateway.environment_),
      programs_(gateway.loop_, gateway.environment_,
                [this](const std::string& warning) {
                  if (trace_) trace_(warning);
                }),
      trace_(std::move(trace)) {
  for (const auto& branch : gateway.branches()) {
    outside_.push_back(gateway.outside(*branch, tools_, programs_));
    outside_.back().streaming = [this](std::int64_t more) { streaming_ += more; };
  }
}

Account::~Account() = default;

Error Account::stopped() const {
  return reason_ ? *reason_ : Error{ErrorKind::cancelled, "interrupted", {}};
}

// What home is told of a try.
struct Account::Tried {
  std::optional<TryFailure> failure = {};
  Usage usage = {};
  std::optional<std::int64_t> cost_picousd = {};
  Status kept = {};  // of an answer
  Duration elapsed{};
};

// A request from its permit to the moment when its answer is durable. Belongs to home.
class Account::Flight {
 public:
  Flight(Account& account, Circuit& circuit, Permit permit, std::int64_t expected_cost)
      : account_(account),
        circuit_(circuit),
        permit_(std::move(permit)),
        expected_cost_(expected_cost),
        money_(account.gateway_.budget(), expected_cost),
        in_flight_(std::in_place, account.in_flight_) {}

  // The answer is there, and the next request may go while this one's answer is made durable.
  void arrived(const Usage& usage, std::optional<std::int64_t> cost, std::size_t bytes) {
    in_flight_.reset();
    circuit_.success();
    money_.settle(cost.value_or(expected_cost_));  // 0 where there is no price
    const std::int64_t tokens = usage.prompt_tokens + usage.completion_tokens;
    permit_.arrived(static_cast<double>(tokens), bytes);
    ++account_.answers_;
    account_.tokens_ += tokens;
  }
  // There is no answer.
  void failed(Permit::Feedback feedback, std::optional<Duration> pause) {
    in_flight_.reset();
    money_.settle(0);
    permit_.give_back(feedback, 0, pause);
  }

 private:
  Account& account_;
  Circuit& circuit_;
  Permit permit_;
  std::int64_t expected_cost_;
  Reservation money_;
  std::optional<Counted> in_flight_;
};

Task<Account::Tried> Account::attempt(std::shared_ptr<const Call> call, Outside& outside, int tries,
                                      EventLoop& home, std::weak_ptr<Flight> flight, Carry carry) {
  const auto begun = Clock::now();
  TryResult result =
      carry ? co_await call->effect->send_by(outside, carry) : co_await call->effect->send(outside);
  Tried tried{.elapsed = Clock::now() - begun};
  if (!result) {
    tried.failure = std::move(result.error());
    free_of_secrets(tried.failure->error, outside.secrets);
    co_return tried;
  }
  tried.usage = result->usage;
  // A server that tells no tokens has not worked for nothing: what it costs is not known, but where all is
  // free.
  const bool counted = tried.usage.prompt_tokens + tried.usage.completion_tokens > 0;
  if (!call->terms.price_name.empty() && (counted || call->terms.expected_cost == 0))
    tried.cost_picousd = outside.cost(tried.usage, call->terms.price_name, call->terms.tariff);
  // The flight is held at home alone, so it cannot end under whoever looks at it there.
  auto tell = [flight = std::move(flight), usage = tried.usage, cost = tried.cost_picousd,
               bytes = result->reply.size()] {
    if (const auto open = flight.lock()) open->arrived(usage, cost, bytes);
  };
  if (home.is_here()) {
    tell();
  } else {
    home.post(std::move(tell));
  }
  tried.kept = co_await call->keep({std::move(*result), tried.cost_picousd, tried.elapsed, tries});
  co_return tried;
}

Task<Status> Account::perform(std::shared_ptr<const Call> call, std::size_t branch) {
  const Terms& terms = call->terms;
  const CallPlace& place = call->place;
  Limiter& limiter = gateway_.limiter(terms);
  Circuit& circuit = gateway_.circuit(terms);
  limiters_[terms.lane] = &limiter;
  Carry carry;
  if (desk_ && terms.tariff == Tariff::batch) {
    carry = [this, &place](BatchedModel& model, std::string body) {
      std::string item = batch_item(place.case_index, place.step, place.attempt, body);
      return desk_->hand_in(model, std::move(item), std::move(body));
    };
  }
  Outside& outside = outside_[call->effect->travels() && !carry ? branch : 0];
  const UnderWay under_way(*this, place);
  Random jitter =
      Random::keyed(gateway_.settings().seed, "backoff", place.case_index, place.step, place.attempt);
  for (int tries = 1;; ++tries) {
    if (stopping_) co_return fail(stopped());
    Permit permit = co_await limiter.acquire(terms.expected_tokens, waits_, place.turn);
    bool reserved = false;
    if (!stopping_) {
      if (auto refused = circuit.refusal(Clock::now())) {
        stop(std::move(refused));
      } else if (auto room = co_await gateway_.reserve(terms.expected_cost); !room) {
        stop(std::move(room.error()));
      } else if (!*room) {
        stop(budget_reached(terms.expected_cost));
      } else {
        reserved = true;
      }
    }
    // Both may have come about while the permit was waited for, or the money asked for.
    const bool ends = stopping_ || !permit;
    if (ends || (call->begin && !call->begin())) {
      if (reserved) gateway_.budget().settle(terms.expected_cost, 0);
      permit.give_back(Permit::Feedback::other);
      co_return fail(ends ? stopped()
                          : Error{ErrorKind::cancelled, "the case is not this worker's any more", {}});
    }
    const auto flight = std::make_shared<Flight>(*this, circuit, std::move(permit), terms.expected_cost);
    ++requests_;
    Tried tried = co_await on(outside.loop, attempt(call, outside, tries, home(), flight, carry));
    tell(*call, tries, tried);
    if (!tried.failure) {
      // An answer that cannot be kept must not count.
      if (!tried.kept) {
        stop(tried.kept.error());
      } else {
        gateway_.budget().keep(tried.cost_picousd.value_or(0));
      }
      co_return std::move(tried.kept);
    }
    Error& error = tried.failure->error;
    if (stopping_ && error.kind == ErrorKind::cancelled) {
      flight->failed(Permit::Feedback::other, std::nullopt);
      co_return fail(stopped());
    }
    const auto retry_after = tried.failure->retry_after;
    const bool too_many = error.kind == ErrorKind::rate_limited;
    const bool wait_too_long = retry_after && *retry_after > kLongestPause;
    const bool may_pass =
        retryable(error.kind) ||
        (terms.stubborn && (error.kind == ErrorKind::target || error.kind == ErrorKind::judge));
    const bool final = !may_pass || tries >= terms.tries || wait_too_long;
    // Before the permit goes to the next one: after a wrong key there is no next one.
    if (final) {
      if (tries > 1) error.message += fmt::format(" (tried {} times)", tries);
      if (auto open = circuit.failure(error, Clock::now())) stop(std::move(open));
    }
    flight->failed(too_many ? Permit::Feedback::too_many : Permit::Feedback::other,
                   too_many && !wait_too_long ? std::optional<Duration>(retry_after) : std::nullopt);
    if (final) co_return fail(std::move(error));
    const Counted retrying(retrying_);
    if (!stopping_) co_await Pause(waits_, gateway_.loop(), backoff(tries, retry_after, jitter));
  }
}

void Account::open_desk(BatchBook& book, std::vector<KeptBatch> kept) {
  const auto& options = gateway_.settings().batch;
  if (!options) return;
  desk_ = std::make_unique<BatchDesk>(gateway_.loop_, *options, book, std::move(kept),
                                      [this](Error error) { stop(std::move(error)); });
  if (stopping_) desk_->stop();
}

Task<void> Account::close() {
  if (desk_) co_await desk_->close();
  co_await programs_.close();
}

void Account::tell(const Call& call, int tries, const Tried& tried) const {
  if (!trace_) return;
  const CallPlace& place = call.place;
  trace_(fmt::format("{} case {} step {} attempt {} try {}: {} in {}", call.effect->kind(), place.case_index,
                     place.step, place.attempt, tries, tried.failure ? tried.failure->error.text() : "ok",
                     duration_text(tried.elapsed)));
}

Error Account::budget_reached(std::int64_t expected) const {
  const Budget& budget = gateway_.budget();
  // As many decimals as a sum needs that is smaller than a cent.
  const auto dollars = [](std::int64_t picodollars) {
    const double usd = static_cast<double>(picodollars) / 1e12;
    return usd == 0 || usd >= 0.01 ? fmt::format("${:.2f}", usd) : fmt::format("${:.2g}", usd);
  };
  const std::string limit = dollars(*budget.limit());
  std::string message;
  if (expected > *budget.limit()) {
    message = fmt::format("one call may cost {}, more than the whole budget of {}", dollars(expected), limit);
  } else {
    message = fmt::format("the budget of {} does not hold another call, which may cost {}: {} is spent",
                          limit, dollars(expected), dollars(budget.spent()));
    if (budget.reserved() > 0)
      message += fmt::format(", {} reserved for calls under way", dollars(budget.reserved()));
  }
  return {ErrorKind::budget, message + "; raise budget.usd and resume", {}};
}

void Account::stop(std::optional<Error> reason) {
  // The run may be over before the loop comes to what is posted.
  if (!home().is_here()) {
    return home().post([this, reason = std::move(reason), alive = std::weak_ptr<int>(alive_)] {
      if (!alive.expired()) stop(reason);
    });
  }
  if (stopping_) {
    // A run that waits for the end of what it could pay for need not wait any longer.
    if (!reason && desk_) desk_->stop();
    return;
  }
  stopping_ = true;
  reason_ = std::move(reason);
  // Not from inside a coroutine that is being stopped.
  home().post([this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    // What was handed in within the budget is in flight, and ends.
    if (desk_) reason_ && reason_->kind == ErrorKind::budget ? desk_->hurry() : desk_->stop();
    waits_.cut_short();
  });
}

AccountFigures Account::figures() const {
  AccountFigures figures{.in_flight = in_flight_,
                         .retrying = retrying_,
                         .requests = requests_,
                         .answers = answers_,
                         .tokens = tokens_ + streaming_,
                         .oldest = {},
                         .waiting_for = "",
                         .batch = desk_ ? desk_->progress() : ""};
  if (!under_way_.empty()) figures.oldest = under_way_.begin()->second->told();
  for (const auto& [lane, limiter] : limiters_) {
    if (figures.waiting_for.empty()) figures.waiting_for = limiter->waiting_for();
  }
  return figures;
}

}  // namespace assay
