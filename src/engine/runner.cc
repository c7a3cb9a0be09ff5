#include "engine/runner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/time.h"
#include "engine/backoff.h"
#include "engine/budget.h"
#include "engine/circuit.h"
#include "models/tokens.h"

namespace assay {
namespace {

constexpr std::int64_t kExpectedCompletionTokens = 1000;  // where a request sets no limit

// co_await until the row is on the disk.
class Durable {
 public:
  template <class Row>
  Durable(Journal& journal, Row row) : journal_(journal), row_(std::move(row)) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    handle_ = handle;
    std::visit([this](auto& row) { journal_.append(std::move(row), this); }, row_);
  }
  Status await_resume() { return std::move(status_); }
  void finish(Status status) {
    status_ = std::move(status);
    handle_.resume();
  }

 private:
  Journal& journal_;
  std::variant<EffectRow, OutcomeRow> row_;
  std::coroutine_handle<> handle_;
  Status status_;
};

// One try of an effect, whatever its kind.
struct Try {
  std::string reply;  // JSON for the journal
  Usage usage;
  std::string model;
};
struct TryFailure {
  Error error;
  std::optional<std::chrono::milliseconds> retry_after;
};
using TryResult = std::expected<Try, TryFailure>;

struct Call {
  EffectKey key;
  std::string kind;
  std::string request;  // canonical JSON
  std::string limit_key;
  std::string price_name;  // of a model; empty: costs nothing
  double expected_tokens = 0;
  std::int64_t expected_cost = 0;
  int tries = 1;
  bool stubborn = false;
  std::function<Task<TryResult>()> send;
};

// To the next case in the order that is in force; false at the end.
Result<bool> advance(CaseSource& source, const StopRule* rule, std::size_t position) {
  if (rule == nullptr) return source.next();
  if (position == rule->order().size()) return false;
  if (auto gone = source.go_to(rule->order()[position]); !gone) return fail(std::move(gone.error()));
  return true;
}

// Errors after which no further case may end: the run is being wound down.
bool halts(ErrorKind kind) {
  return kind == ErrorKind::cancelled || kind == ErrorKind::circuit_open || kind == ErrorKind::journal ||
         kind == ErrorKind::changed || kind == ErrorKind::budget;
}

}  // namespace

std::vector<std::string> outcomes_to_retry() {
  return {std::string(to_string(OutcomeKind::infra_failed)), std::string(to_string(OutcomeKind::limit_hit))};
}

class Runner::State {
 public:
  State(Outside outside, RunnerOptions options)
      : outside_(std::move(outside)),
        options_(std::move(options)),
        circuit_(options_.same_failures_to_stop),
        budget_(std::nullopt) {}

  Task<RunResult> run(const CaseWork& work, Journal& journal, std::int64_t total,
                      std::function<void(Problem)> report);
  void interrupt() { stop(RunEnd::interrupted, std::nullopt); }
  RunProgress progress() const;
  Outside& outside() { return outside_; }

  void report(Problem problem) { report_(std::move(problem)); }
  std::int64_t cost_of(const Usage& usage, const std::string& model) const {
    return outside_.cost(usage, model).value_or(0);
  }

 private:
  class LiveContext;
  struct CaseUsage;

  Task<void> run_case(std::int64_t index, std::string id, std::unique_ptr<LiveContext> context,
                      Task<Outcome> task);
  Task<Result<EffectRow>> try_until_done(Call& call);
  Error budget_reached() const;
  Limiter& limiter(const std::string& key);
  void stop(RunEnd end, std::optional<Error> reason);
  void case_left();

  // Waits that end early when the run stops.
  class Pause {
   public:
    Pause(State& state, Duration delay) : state_(state), delay_(delay) {}
    bool await_ready() const { return state_.stopping_; }
    void await_suspend(std::coroutine_handle<> handle) {
      handle_ = handle;
      state_.pauses_.push_back(this);
      timer_ = state_.outside_.loop.call_after(delay_, [this] {
        std::erase(state_.pauses_, this);
        handle_.resume();
      });
    }
    void await_resume() const {}
    void cut_short() {
      state_.outside_.loop.cancel(timer_);
      handle_.resume();
    }

   private:
    State& state_;
    Duration delay_;
    EventLoop::TimerId timer_ = 0;
    std::coroutine_handle<> handle_;
  };

  // Resumed when a case has left and there is room again, or the last one has.
  struct Room {
    State& state;
    int limit;
    bool await_ready() const { return state.active_ < limit; }
    void await_suspend(std::coroutine_handle<> handle) {
      state.room_limit_ = limit;
      state.room_waiter_ = handle;
    }
    void await_resume() const {}
  };

  Outside outside_;
  RunnerOptions options_;
  Circuit circuit_;
  Budget budget_;
  std::map<std::string, std::unique_ptr<Limiter>> limiters_;
  std::unique_ptr<EarlierAnswers> earlier_;
  Journal* journal_ = nullptr;
  std::function<void(Problem)> report_;
  std::vector<Pause*> pauses_;
  bool stopping_ = false;
  RunEnd end_ = RunEnd::complete;
  std::optional<Error> reason_;
  int active_ = 0;
  int room_limit_ = 0;
  std::coroutine_handle<> room_waiter_;
  int retrying_ = 0;
  RunProgress progress_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

struct Runner::State::CaseUsage {
  std::int64_t requests = 0;
  Usage tokens;
  std::int64_t cost_picousd = 0;
  bool cost_known = true;
  std::int64_t latency_us = 0;

  void add(const EffectRow& row) {
    // What an earlier run has paid for costs nothing here.
    if (row.reused) return;
    requests += row.tries;
    tokens.prompt_tokens += row.prompt_tokens;
    tokens.completion_tokens += row.completion_tokens;
    if (row.cost_picousd) cost_picousd += *row.cost_picousd;
    if (row.kind == "model" && !row.cost_picousd) cost_known = false;
    latency_us += row.latency_us;
  }

  JsonObject json() const {
    JsonObject object{{"requests", requests},
                      {"prompt_tokens", tokens.prompt_tokens},
                      {"completion_tokens", tokens.completion_tokens}};
    object["cost_usd"] = cost_known ? Json(static_cast<double>(cost_picousd) / 1e12) : Json(nullptr);
    return object;
  }
};

class Runner::State::LiveContext final : public CaseContext {
 public:
  LiveContext(State& state, std::string id, std::int64_t index, std::vector<EffectRow> replay)
      : state_(state), id_(std::move(id)), index_(index), replay_(std::move(replay)) {}

  Task<Result<ChatReply>> complete(std::string step, int attempt, ChatRequest request) override {
    auto found = state_.outside_.model(request.model);
    if (!found) co_return fail(std::move(found.error()));
    ChatModel* model = *found;
    Call call;
    call.key = {index_, std::move(step), attempt};
    call.kind = "model";
    call.request = canonical_text(request);
    call.limit_key = model->limit_key();
    call.price_name = request.model;
    call.tries = state_.options_.tries;
    const std::int64_t prompt = estimate_prompt_tokens(request);
    const std::int64_t completion = request.sampling.max_tokens.value_or(kExpectedCompletionTokens);
    call.expected_tokens = static_cast<double>(prompt + completion);
    call.expected_cost =
        state_.cost_of({.prompt_tokens = prompt, .completion_tokens = completion}, request.model);
    // A fresh answer need not be read back from its journaled form.
    std::optional<ChatReply> fresh;
    call.send = [model, &request, &fresh]() -> Task<TryResult> {
      auto reply = co_await model->complete(request);
      if (!reply)
        co_return std::unexpected(TryFailure{std::move(reply.error().error), reply.error().retry_after});
      fresh = std::move(*reply);
      co_return Try{to_text(to_json(*fresh)), fresh->usage, fresh->model};
    };
    auto reply = co_await effect(std::move(call));
    if (!reply) co_return fail(std::move(reply.error()));
    if (fresh) co_return std::move(*fresh);
    auto tree = parse_json(*reply);
    if (!tree) co_return fail(std::move(tree.error()));
    co_return reply_from_json(*tree);
  }

  Task<Result<Json>> run_command(std::string step, CommandCall command) override {
    Call call = call_of(std::move(step), "command", command);
    call.send = [this, &command]() -> Task<TryResult> {
      auto value = co_await assay::run_command(state_.outside_.loop, command, state_.outside_.environment);
      if (!value) co_return std::unexpected(TryFailure{std::move(value.error()), std::nullopt});
      co_return Try{to_text(*value), {}, ""};
    };
    co_return parsed(co_await effect(std::move(call)));
  }

  Task<Result<Json>> call_http(std::string step, HttpCall http) override {
    Call call = call_of(std::move(step), "http", http);
    call.send = [this, &http]() -> Task<TryResult> {
      auto value = co_await assay::call_http(state_.outside_.http, http, state_.outside_.environment);
      if (!value)
        co_return std::unexpected(TryFailure{std::move(value.error().error), value.error().retry_after});
      co_return Try{to_text(*value), {}, ""};
    };
    co_return parsed(co_await effect(std::move(call)));
  }

  Random random(std::string_view step) const override {
    return Random::keyed(state_.options_.seed, id_, step);
  }

  bool halted() const { return halted_; }
  const CaseUsage& usage() const { return usage_; }

 private:
  // A call of a tool: asked once, limited by its kind.
  template <class Request>
  Call call_of(std::string step, const char* kind, const Request& request) const {
    Call call;
    call.key = {index_, std::move(step), 1};
    call.kind = kind;
    call.request = canonical_text(to_json(request));
    call.limit_key = kind;
    call.tries = request.tries;
    call.stubborn = request.stubborn;
    return call;
  }

  static Result<Json> parsed(Result<std::string> text) {
    if (!text) return fail(std::move(text.error()));
    return parse_json(*text);
  }

  Task<Result<std::string>> effect(Call call);
  // An answer that cannot be kept must not count: the run ends here.
  std::unexpected<Error> broken_journal(Error error) {
    halted_ = true;
    state_.stop(RunEnd::stopped, error);
    return fail(std::move(error));
  }

  State& state_;
  std::string id_;
  std::int64_t index_;
  std::vector<EffectRow> replay_;
  CaseUsage usage_;
  bool halted_ = false;
};

Task<Result<std::string>> Runner::State::LiveContext::effect(Call call) {
  const Digest hash = sha256(call.request);
  for (const EffectRow& row : replay_) {
    if (!(row.key == call.key)) continue;
    if (row.request_hash != hash) {
      Error error{
          ErrorKind::changed,
          "the request differs from the one that was journaled: the config, the data or the prompts have "
          "changed since the run began; start a new run (with --reuse for the answers that still fit)",
          {{"case", id_}, {"step", call.key.step}}};
      halted_ = true;
      state_.stop(RunEnd::stopped, error);
      co_return fail(std::move(error));
    }
    usage_.add(row);
    co_return row.reply;
  }
  if (state_.earlier_ != nullptr) {
    auto earlier = state_.earlier_->find(hash, call.key.step, call.key.attempt);
    if (earlier && *earlier) {
      EffectRow row = std::move(**earlier);
      row.key = call.key;
      row.reused = true;
      row.cost_picousd = 0;
      std::string reply = row.reply;
      usage_.add(row);
      auto durable = co_await Durable(*state_.journal_, std::move(row));
      if (!durable) co_return broken_journal(std::move(durable.error()));
      co_return reply;
    }
  }
  auto row = co_await state_.try_until_done(call);
  if (!row) {
    if (halts(row.error().kind)) halted_ = true;
    co_return fail(std::move(row.error()).with("step", call.key.step));
  }
  row->request_hash = hash;
  usage_.add(*row);
  std::string reply = row->reply;
  const double tokens_off =
      static_cast<double>(row->prompt_tokens + row->completion_tokens) - call.expected_tokens;
  auto durable = co_await Durable(*state_.journal_, std::move(*row));
  state_.limiter(call.limit_key).release(Limiter::Feedback::success, tokens_off, std::nullopt);
  if (!durable) co_return broken_journal(std::move(durable.error()));
  co_return reply;
}

// The one retry layer. Gives the row to journal, or the final failure. With a row the permit is still held:
// an answer is in flight until it is durable, so that a kill repeats at most as many requests as may be in
// flight.
Task<Result<EffectRow>> Runner::State::try_until_done(Call& call) {
  const auto stopped = [this] {
    return fail(reason_ ? *reason_ : Error{ErrorKind::cancelled, "interrupted", {}});
  };
  if (stopping_) co_return stopped();
  Limiter& limit = limiter(call.limit_key);
  Random jitter =
      Random::keyed(options_.seed, "backoff", call.key.case_index, call.key.step, call.key.attempt);
  for (int tries = 1;; ++tries) {
    if (!co_await limit.acquire(call.expected_tokens)) co_return stopped();
    if (!stopping_ && !budget_.reserve(call.expected_cost)) stop(RunEnd::stopped, budget_reached());
    if (stopping_) {
      limit.release(Limiter::Feedback::other, -call.expected_tokens, std::nullopt);
      co_return stopped();
    }
    ++progress_.in_flight;
    ++progress_.requests;
    const auto begun = Clock::now();
    TryResult result = co_await call.send();
    const auto elapsed = Clock::now() - begun;
    --progress_.in_flight;
    if (options_.trace) {
      options_.trace(fmt::format("{} case {} step {} attempt {} try {}: {} in {}", call.kind,
                                 call.key.case_index, call.key.step, call.key.attempt, tries,
                                 result ? "ok" : result.error().error.text(), duration_text(elapsed)));
    }
    if (result) {
      circuit_.success();
      EffectRow row;
      row.key = call.key;
      row.kind = call.kind;
      row.request = std::move(call.request);
      row.reply = std::move(result->reply);
      row.model = std::move(result->model);
      row.prompt_tokens = result->usage.prompt_tokens;
      row.completion_tokens = result->usage.completion_tokens;
      row.cached_tokens = result->usage.cached_tokens;
      row.reasoning_tokens = result->usage.reasoning_tokens;
      if (!call.price_name.empty()) row.cost_picousd = outside_.cost(result->usage, call.price_name);
      row.latency_us = std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
      row.tries = tries;
      row.finished = iso_time(std::chrono::system_clock::now());
      budget_.settle(call.expected_cost, row.cost_picousd.value_or(0));
      progress_.tokens += row.prompt_tokens + row.completion_tokens;
      co_return row;
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

Error Runner::State::budget_reached() const {
  return {
      ErrorKind::budget,
      fmt::format(
          "the budget of ${:.2f} is used up (${:.2f} spent, the rest is reserved for calls under way); raise "
          "budget.usd and resume",
          static_cast<double>(*budget_.limit()) / 1e12, static_cast<double>(budget_.spent()) / 1e12),
      {}};
}

Limiter& Runner::State::limiter(const std::string& key) {
  auto& slot = limiters_[key];
  if (!slot) slot = std::make_unique<Limiter>(outside_.loop, options_.limits);
  return *slot;
}

void Runner::State::stop(RunEnd end, std::optional<Error> reason) {
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

void Runner::State::case_left() {
  --active_;
  if (room_waiter_ && active_ < room_limit_) std::exchange(room_waiter_, nullptr).resume();
}

Task<void> Runner::State::run_case(std::int64_t index, std::string id, std::unique_ptr<LiveContext> context,
                                   Task<Outcome> task) {
  Outcome outcome = co_await task;
  // A case that was cut off has no outcome: it will be finished by a resume.
  if (!context->halted()) {
    JsonObject row{{"outcome", to_string(outcome.kind)}};
    if (!outcome.error.empty()) row["error"] = outcome.error;
    row["result"] = std::move(outcome.result);
    row["usage"] = context->usage().json();
    row["latency_ms"] = static_cast<double>(context->usage().latency_us) / 1000;
    if (!outcome.error.empty()) report_({"error", "case " + id, outcome.error});
    const bool scored = outcome.kind == OutcomeKind::scored;
    // They hear of it only when it is durable, so that a resume decides alike.
    std::optional<Outcome> heard;
    if (options_.stop_rule != nullptr || options_.on_outcome)
      heard = Outcome{outcome.kind, row.at("result").as_object(), outcome.error};
    auto durable = co_await Durable(
        *journal_, OutcomeRow{index, std::move(id), std::string(to_string(outcome.kind)), to_text(row)});
    if (!durable) {
      stop(RunEnd::stopped, std::move(durable.error()));
    } else {
      ++progress_.done;
      if (!scored) ++progress_.errored;
      if (heard && options_.stop_rule != nullptr) options_.stop_rule->add(index, *heard);
      if (heard && options_.on_outcome) options_.on_outcome(index, *heard);
    }
  }
  context.reset();
  case_left();
}

Task<RunResult> Runner::State::run(const CaseWork& work, Journal& journal, std::int64_t total,
                                   std::function<void(Problem)> report) {
  journal_ = &journal;
  report_ = std::move(report);
  progress_.total = total;
  const auto broken = [](Error error) { return RunResult{RunEnd::stopped, std::move(error)}; };

  auto totals = journal.totals();
  if (!totals) co_return broken(std::move(totals.error()));
  std::optional<std::int64_t> limit;
  if (options_.budget_usd) limit = static_cast<std::int64_t>(std::llround(*options_.budget_usd * 1e12));
  budget_ = Budget(limit, totals->cost_picousd);
  auto finished = journal.finished(outcomes_to_retry());
  if (!finished) co_return broken(std::move(finished.error()));
  auto ended = journal.finished({});  // however
  if (!ended) co_return broken(std::move(ended.error()));
  auto begun = journal.begun(outcomes_to_retry());
  if (!begun) co_return broken(std::move(begun.error()));
  if (!options_.reuse_directory.empty()) {
    auto earlier = EarlierAnswers::open(options_.reuse_directory);
    if (!earlier) co_return broken(std::move(earlier.error()));
    earlier_ = std::move(*earlier);
  }
  progress_.done = static_cast<std::int64_t>(finished->size());

  auto source = work.cases();
  if (!source) co_return broken(std::move(source.error()));
  // Enough cases to keep every permit busy while others wait for the disk; with a rule no more than needed,
  // since what was begun is paid for.
  StopRule* const rule = options_.stop_rule;
  const int window = rule != nullptr ? options_.limits.concurrency : options_.limits.concurrency * 2 + 16;
  const auto holds = [](const std::vector<std::int64_t>& sorted, std::int64_t index) {
    return std::binary_search(sorted.begin(), sorted.end(), index);
  };
  for (std::size_t position = 0; !stopping_; ++position) {
    if (rule != nullptr && position < rule->order().size()) {
      // What was begun, in this sitting or an earlier one, is finished whatever the rule says by now.
      const std::int64_t index = rule->order()[position].index;
      const bool was_begun = holds(*begun, index) || holds(*ended, index);
      if (holds(*finished, index) || (!was_begun && !rule->wants(position))) continue;
      rule->begun(position);
    }
    auto more = advance(**source, rule, position);
    if (!more) {
      stop(RunEnd::stopped, std::move(more.error()));
      break;
    }
    if (!*more) break;
    const Case& current = (*source)->current();
    if (holds(*finished, current.index)) continue;
    std::vector<EffectRow> replay;
    if (holds(*begun, current.index)) {
      auto rows = journal.effects_of(current.index);
      if (!rows) {
        stop(RunEnd::stopped, std::move(rows.error()));
        break;
      }
      replay = std::move(*rows);
    }
    std::string id(current.id);
    auto context = std::make_unique<LiveContext>(*this, id, current.index, std::move(replay));
    Task<Outcome> task = work.begin(current, *context);
    ++active_;
    outside_.loop.spawn(run_case(current.index, std::move(id), std::move(context), std::move(task)));
    if (active_ >= window) co_await Room{*this, window};
  }
  if (active_ > 0) co_await Room{*this, 1};
  co_return RunResult{end_, reason_};
}

RunProgress Runner::State::progress() const {
  RunProgress now = progress_;
  now.retrying = retrying_;
  now.spent_picousd = budget_.spent();
  for (const auto& [key, limit] : limiters_) {
    if (now.waiting_for.empty()) now.waiting_for = limit->waiting_for();
  }
  return now;
}

Runner::Runner(Outside outside, RunnerOptions options)
    : state_(std::make_unique<State>(std::move(outside), std::move(options))) {}
Runner::~Runner() = default;

Journal::Committed Runner::on_committed() {
  return [&loop = state_->outside().loop](std::vector<Journal::Ticket> tickets, Status status) {
    loop.post([tickets = std::move(tickets), status = std::move(status)] {
      for (Journal::Ticket ticket : tickets) static_cast<Durable*>(ticket)->finish(status);
    });
  };
}

Task<RunResult> Runner::run(const CaseWork& work, Journal& journal, std::int64_t total,
                            std::function<void(Problem)> report) {
  return state_->run(work, journal, total, std::move(report));
}

void Runner::interrupt() {
  state_->interrupt();
}
RunProgress Runner::progress() const {
  return state_->progress();
}

}  // namespace assay
