#include "engine/runner.h"

#include <algorithm>
#include <cassert>
#include <coroutine>
#include <exception>
#include <utility>

#include <boost/json/object.hpp>

#include "core/exceptions/caught.h"
#include "engine/case_feed.h"
#include "engine/live_context.h"

namespace assay {
namespace {

// What the evaluation makes of the case. An exception is a bug of the evaluation's and the end of this case
// only: a deterministic coroutine would throw again on every resume.
Task<Outcome> evaluated(const CaseWork& work, const Case& input, CaseContext& context) {
  try {
    co_return co_await work.evaluate(input, context);
  } catch (const std::exception& thrown) {
    co_return Outcome{OutcomeKind::infra_failed, {}, internal_error(thrown).message};
  }
}

OutcomeRow row_of(const Case& input, const Outcome& outcome, const CaseUsage& usage) {
  std::string row = R"({"outcome":)";
  append_json_string(row, to_string(outcome.kind));
  if (!outcome.error.empty()) {
    row += R"(,"error":)";
    append_json_string(row, outcome.error);
  }
  row += R"(,"result":)";
  row += to_text(outcome.result);
  row += R"(,"usage":)";
  row += to_text(usage.json());
  row += R"(,"latency_ms":)";
  row += number_text(static_cast<double>(usage.latency_us) / 1000);
  row += '}';
  return {input.index, input.id, std::string(to_string(outcome.kind)), std::move(row)};
}

// The next case in the order that is in force; nothing at the end.
Task<Result<std::optional<Case>>> next_case(CaseFeed& feed, const StopRule* rule, std::size_t position) {
  if (rule == nullptr) co_return co_await feed.next();
  if (position == rule->order().size()) co_return std::nullopt;
  auto found = co_await feed.at(rule->order()[position]);
  if (!found) co_return fail(std::move(found.error()));
  co_return std::move(*found);
}

// So many cases say more of what the others will ask than an estimate does.
constexpr std::int64_t kTellingCases = 10;

// How many outcomes an instant endpoint brings about within a commit or two, whatever the concurrency.
constexpr int kMostWaitingForTheDisk = 128;

bool holds(const std::vector<std::int64_t>& sorted, std::int64_t index) {
  return std::binary_search(sorted.begin(), sorted.end(), index);
}

}  // namespace

std::vector<std::string> outcomes_to_retry() {
  return {std::string(to_string(OutcomeKind::infra_failed)), std::string(to_string(OutcomeKind::limit_hit))};
}

class Runner::State {
 public:
  State(Gateway& gateway, RunnerOptions options)
      : gateway_(gateway), options_(std::move(options)), account_(gateway, options_.trace) {}

  Task<RunResult> run(const CaseWork& work, RunStore& store, std::int64_t total);
  void interrupt() { account_.stop(std::nullopt); }
  RunProgress progress() const;

 private:
  // Begins cases as there is room for them, until all are begun or the run is being stopped.
  Task<Status> begin_cases(const CaseWork& work, const CaseStates& states);
  // Sends a case to the branch that has the fewest.
  void begin_case(const CaseWork& work, Case input, bool journaled);
  // The life of a case, on the loop of its branch.
  Task<void> run_case(const CaseWork& work, Case input, CaseStart start);
  // How it came to its end.
  struct CaseEnd {
    Case input;
    CaseStart start;
    std::optional<Outcome> outcome =
        {};  // durable; nothing if the case was cut off, to be finished by a resume
    std::int64_t requests = 0;
    std::optional<Error> broken = {};  // why the run cannot go on
  };
  Task<CaseEnd> finish_case(const CaseWork& work, Case input, CaseStart start);
  // The rest at home: others hear of an outcome only when it is durable, so that a resume decides alike.
  void case_left(const CaseEnd& end);
  // The outcome of an earlier sitting stands.
  void pass_over() {
    ++progress_.done;
    ++progress_.standing;
  }

  // Resumed when a case has left and there is room again, or the last one has.
  class Room {
   public:
    Room(State& state, int limit) : state_(state), limit_(limit) {}
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() {
      if (state_.room_ == this) state_.room_ = nullptr;
    }
    bool await_ready() const { return state_.active_ < limit_; }
    void await_suspend(std::coroutine_handle<> handle) {
      handle_ = handle;
      state_.room_ = this;
    }
    void await_resume() const {}
    bool there() const { return state_.active_ < limit_; }
    void enter() { handle_.resume(); }

   private:
    State& state_;
    int limit_;
    std::coroutine_handle<> handle_;
  };

  Gateway& gateway_;
  RunnerOptions options_;
  Account account_;
  std::optional<RunMeans> means_;
  int active_ = 0;
  std::vector<int> active_on_;  // by branch
  Room* room_ = nullptr;
  RunProgress progress_;
  std::int64_t calls_of_done_ = 0;
};

void Runner::State::case_left(const CaseEnd& end) {
  if (end.broken) account_.stop(end.broken);
  if (end.outcome) {
    ++progress_.done;
    calls_of_done_ += end.requests;
    if (end.outcome->kind != OutcomeKind::scored) ++progress_.errored;
    try {
      if (options_.stop_rule != nullptr) options_.stop_rule->add(end.input, *end.outcome);
      if (options_.on_outcome) options_.on_outcome(end.input, *end.outcome);
    } catch (const std::exception& thrown) {
      account_.stop(internal_error(thrown));
    }
  }
  --active_;
  --active_on_[end.start.branch];
  assert(active_ >= 0 && active_on_[end.start.branch] >= 0);
  if (room_ != nullptr && room_->there()) std::exchange(room_, nullptr)->enter();
}

Task<Runner::State::CaseEnd> Runner::State::finish_case(const CaseWork& work, Case input, CaseStart start) {
  CaseEnd end{std::move(input), start};
  std::vector<EffectRow> rows;
  if (start.journaled) {
    auto read = co_await means_->store.effects_of(end.input.index, Requests::left_out);
    if (!read) {
      end.broken = std::move(read.error());
      co_return end;
    }
    rows = std::move(*read);
  }
  LiveContext context(*means_, end.input, start, std::move(rows));
  Outcome outcome = co_await evaluated(work, end.input, context);
  if (context.halted()) co_return end;
  context.end();
  auto durable = co_await means_->store.put(row_of(end.input, outcome, context.usage()));
  if (!durable) {
    end.broken = std::move(durable.error());
    co_return end;
  }
  end.outcome = std::move(outcome);
  end.requests = context.usage().requests;
  co_return end;
}

Task<void> Runner::State::run_case(const CaseWork& work, Case input, CaseStart start) {
  CaseEnd end{.input = {}, .start = start};
  try {
    end = co_await finish_case(work, std::move(input), start);
  } catch (const std::exception& thrown) {
    end.broken = internal_error(thrown);
  }
  EventLoop& home = gateway_.loop();
  if (home.is_here()) {
    case_left(end);
  } else {
    home.post([this, end = std::make_shared<CaseEnd>(std::move(end))] { case_left(*end); });
  }
}

void Runner::State::begin_case(const CaseWork& work, Case input, bool journaled) {
  const auto fewest = static_cast<std::size_t>(std::ranges::min_element(active_on_) - active_on_.begin());
  const CaseStart start{fewest, account_.next_turn(), journaled};
  ++active_;
  ++active_on_[fewest];
  EventLoop& loop = gateway_.branches()[fewest]->loop();
  if (loop.is_here()) return loop.spawn(run_case(work, std::move(input), start));
  loop.post([this, &work, &loop, start, sent = std::make_shared<Case>(std::move(input))] {
    loop.spawn(run_case(work, std::move(*sent), start));
  });
}

Task<Status> Runner::State::begin_cases(const CaseWork& work, const CaseStates& states) {
  CaseFeed feed(work);
  // Enough cases to keep every permit busy while others wait for the disk, with an answer or with their
  // outcome; with a rule no more than needed, since what was begun is paid for.
  StopRule* const rule = options_.stop_rule;
  const int at_once = gateway_.settings().limits.concurrency;
  const int wanted =
      rule != nullptr ? at_once : most_open(at_once) + std::min(at_once, kMostWaitingForTheDisk);
  const int window = std::clamp(work.most_at_once(), 1, wanted);
  for (std::size_t position = 0; !account_.stopping(); ++position) {
    if (rule != nullptr && position < rule->order().size()) {
      // What was begun, in this sitting or an earlier one, is finished whatever the rule says by now.
      const std::int64_t index = rule->order()[position].index;
      const bool was_begun = holds(states.begun, index) || holds(states.ended, index);
      if (holds(states.finished, index)) pass_over();
      if (holds(states.finished, index) || (!was_begun && !rule->wants(position))) continue;
      rule->begun(position);
    }
    auto next = co_await next_case(feed, rule, position);
    if (!next) co_return fail(std::move(next.error()));
    if (!*next || account_.stopping()) break;
    Case& current = **next;
    if (holds(states.finished, current.index)) {
      pass_over();
      continue;
    }
    const bool journaled = holds(states.begun, current.index);
    begin_case(work, std::move(current), journaled);
    if (active_ >= window) co_await Room(*this, window);
  }
  co_return Status();
}

Task<RunResult> Runner::State::run(const CaseWork& work, RunStore& store, std::int64_t total) {
  progress_.total = total;
  auto totals = co_await store.totals();
  if (!totals) co_return RunResult{RunEnd::stopped, std::move(totals.error())};
  // What was spent in earlier sittings counts.
  gateway_.budget().spend(totals->cost_picousd);
  auto states = co_await store.states(outcomes_to_retry());
  if (!states) co_return RunResult{RunEnd::stopped, std::move(states.error())};
  means_.emplace(account_, store, options_.earlier_answers, options_.seed);
  active_on_.assign(gateway_.branches().size(), 0);
  auto begun = co_await begin_cases(work, *states);
  if (!begun) account_.stop(std::move(begun.error()));
  if (active_ > 0) co_await Room(*this, 1);
  co_await account_.close();
  if (!account_.stopping()) co_return RunResult{};
  if (account_.reason()) co_return RunResult{RunEnd::stopped, account_.reason()};
  co_return RunResult{RunEnd::interrupted, std::nullopt};
}

RunProgress Runner::State::progress() const {
  RunProgress now = progress_;
  AccountFigures figures = account_.figures();
  now.in_flight = figures.in_flight;
  now.retrying = figures.retrying;
  now.requests = figures.requests;
  now.answers = figures.answers;
  now.oldest = std::move(figures.oldest);
  const std::int64_t done_now = progress_.done - progress_.standing;
  now.calls_a_case =
      done_now < kTellingCases && options_.calls_a_case ? options_.calls_a_case : std::optional<double>();
  if (!now.calls_a_case && done_now > 0)
    now.calls_a_case = static_cast<double>(calls_of_done_) / static_cast<double>(done_now);
  now.tokens = figures.tokens;
  now.waiting_for = std::move(figures.waiting_for);
  now.spent_picousd = gateway_.budget().spent();
  return now;
}

Runner::Runner(Gateway& gateway, RunnerOptions options)
    : state_(std::make_unique<State>(gateway, std::move(options))) {}
Runner::~Runner() = default;

Task<RunResult> Runner::run(const CaseWork& work, RunStore& store, std::int64_t total) {
  return state_->run(work, store, total);
}

void Runner::interrupt() {
  state_->interrupt();
}
RunProgress Runner::progress() const {
  return state_->progress();
}

}  // namespace assay
