#include "engine/runner.h"

#include <algorithm>
#include <cassert>
#include <coroutine>
#include <exception>
#include <set>
#include <utility>

#include <boost/json/object.hpp>

#include "core/exceptions/caught.h"
#include "engine/batch_journal.h"
#include "engine/calibration_journal.h"
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

// Whether a resume leaves it as it is: nobody under test was to blame for the others, and they may end
// otherwise the next time.
bool stands(OutcomeKind kind) {
  return kind != OutcomeKind::infra_failed && kind != OutcomeKind::limit_hit;
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
  return {input.index, input.id, std::string(to_string(outcome.kind)), std::move(row), stands(outcome.kind)};
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

// The branch that has the most room for one more case. Home serves the cases of all branches besides its own
// (permits, order, stopping), which takes a quarter of the time that a case takes where it lives: so with two
// branches it has room for three cases where the other has room for five, and beside four others for none.
std::size_t roomiest(const std::vector<int>& active) {
  constexpr int kRoom = 5;
  const int at_home = std::max(0, kRoom - static_cast<int>(active.size()));
  std::size_t best = at_home > 0 ? 0 : 1;
  for (std::size_t one = best + 1; one < active.size(); ++one) {
    const int room = best == 0 ? at_home : kRoom;
    if ((active[one] + 1) * room < (active[best] + 1) * kRoom) best = one;
  }
  return best;
}

bool holds(const std::vector<std::int64_t>& sorted, std::int64_t index) {
  return std::binary_search(sorted.begin(), sorted.end(), index);
}

}  // namespace

int cases_at_once(int concurrency) {
  return most_open(concurrency) + std::min(concurrency, kMostWaitingForTheDisk);
}

std::vector<std::string> outcomes_to_retry() {
  return {std::string(to_string(OutcomeKind::infra_failed)), std::string(to_string(OutcomeKind::limit_hit))};
}

class Runner::State {
 public:
  State(Gateway& gateway, RunnerOptions options)
      : gateway_(gateway), options_(std::move(options)), account_(gateway, options_.trace) {}

  Task<RunResult> run(const CaseWork& work, RunStore& store, std::int64_t total);
  Task<RunResult> learn(const CaseWork& work, RunStore& store);
  Task<RunResult> serve(const CaseWork& work, RunStore& store, CaseSupply& supply);
  void interrupt() { account_.stop(std::nullopt); }
  RunProgress progress() const;

 private:
  // Everything that must be known before any case may end: from the journal, or learnt now and kept there.
  Task<Status> calibrate(const CaseWork& work, RunStore& store);
  // Those that take part, as far as can be told by now; their outcomes are in `calibrating_`.
  Task<Status> evaluate_calibration(const CaseWork& work, RunStore& store);
  // Those that are done beside the run's cases, before them: they are few, and no rule stops them.
  Task<Status> begin_beside(const CaseWork& work, const CaseStates& states, int window);
  // Begins cases as there is room for them, until all are begun or the run is being stopped.
  Task<Status> begin_cases(const CaseWork& work, const CaseStates& states);
  // How many may be under way at a time.
  int window_of(const CaseWork& work) const;
  // Up to where all cases have their last outcome, and whom that may matter to.
  void settle(std::int64_t index);
  // Whether a rule has yet to hear of a case so long before the one at `position` that no more are begun.
  bool far_ahead(std::size_t position) const;
  // Those that the supply gives.
  Task<Status> take_cases(const CaseWork& work, CaseSupply& supply);
  // Sends a case to the branch that has the most room.
  enum class For { outcome, calibration };
  void begin_case(const CaseWork& work, GivenCase given, For what = For::outcome, std::size_t position = 0);
  // Once all cases have left: how it ended. Whatever `beginning` comes to, an exception too, those under way
  // are waited for: they use what is here, on other threads.
  Task<RunResult> finish(Task<Status> beginning);
  Task<Status> learn_first(const CaseWork& work, RunStore& store);
  Task<Status> begin_all(const CaseWork& work, RunStore& store);
  // Before anything is asked. Of a run that is this process's alone, what earlier sittings spent counts, and
  // their batches go on.
  void make_ready(RunStore& store);
  Task<Status> make_ready_alone(RunStore& store);
  // The life of a case, on the loop of its branch.
  Task<void> run_case(const CaseWork& work, Case input, CaseStart start);
  // How it came to its end.
  struct CaseEnd {
    Case input;  // empty if what it was evaluated by threw
    CaseStart start;
    std::int64_t index = 0;  // of the case
    // Durable; nothing if the case was cut off, to be finished by a resume.
    std::optional<Outcome> outcome = {};
    std::int64_t answers = 0;          // that came in this sitting
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
  CaseSupply* supply_ = nullptr;         // null: the work's own cases
  std::optional<BatchJournal> batches_;  // before the account, which uses it
  Account account_;
  std::optional<RunMeans> means_;
  std::vector<CalibrationCase> calibrating_;
  int active_ = 0;
  std::vector<int> active_on_;  // by branch
  Room* room_ = nullptr;
  RunProgress progress_;
  std::int64_t calls_of_done_ = 0;
  // By index: those under way, and for good those that were cut off.
  std::set<std::int64_t> unsettled_;
  std::int64_t begun_below_ = 0;  // all of these have been begun or passed over
  // With a rule, by position in its order: those under way.
  std::set<std::size_t> under_rule_;
};

void Runner::State::case_left(const CaseEnd& end) {
  if (end.broken) account_.stop(end.broken);
  const bool counts = !end.start.calibrates && !is_beside(end.index);
  if (end.start.calibrates) {
    const auto own = std::ranges::lower_bound(calibrating_, end.index, {},
                                              [](const CalibrationCase& one) { return one.input.index; });
    assert(own != calibrating_.end() && own->input.index == end.index);
    if (end.outcome) own->outcome = *end.outcome;
  } else if (end.outcome) {
    ++progress_.done;
    calls_of_done_ += end.answers;
    if (end.outcome->kind != OutcomeKind::scored) ++progress_.errored;
  }
  if (end.outcome && counts) {
    try {
      if (options_.stop_rule != nullptr) {
        options_.stop_rule->add(end.input, *end.outcome);
        under_rule_.erase(end.start.position);
      }
      if (options_.on_outcome) options_.on_outcome(end.input, *end.outcome);
    } catch (const std::exception& thrown) {
      account_.stop(internal_error(thrown));
    }
  }
  if (supply_ != nullptr) {
    end.outcome ? supply_->ended(end.index) : supply_->left(end.index);
  } else if (end.outcome && counts) {
    settle(end.index);
  }
  --active_;
  --active_on_[end.start.branch];
  assert(active_ >= 0 && active_on_[end.start.branch] >= 0);
  if (room_ != nullptr && room_->there()) std::exchange(room_, nullptr)->enter();
}

// A rule takes cases in its order, so that one that is tried again and again holds up what is known, and all
// that is begun meanwhile may be in vain. As many as that are paid for at most.
bool Runner::State::far_ahead(std::size_t position) const {
  const auto at_once = static_cast<std::size_t>(gateway_.settings().limits.concurrency);
  return !under_rule_.empty() && position - *under_rule_.begin() >= 2 * at_once;
}

void Runner::State::settle(std::int64_t index) {
  unsettled_.erase(index);
  // With a rule cases come in no order.
  if (options_.on_settled && options_.stop_rule == nullptr)
    options_.on_settled(unsettled_.empty() ? begun_below_ : *unsettled_.begin());
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
  Outcome outcome = start.given_up.empty() ? co_await evaluated(work, end.input, context)
                                           : Outcome{OutcomeKind::infra_failed, {}, start.given_up};
  if (context.halted()) co_return end;
  context.end();
  if (start.calibrates) {
    end.outcome = std::move(outcome);
    co_return end;
  }
  auto durable = co_await means_->store.put(row_of(end.input, outcome, context.usage()));
  if (!durable) {
    end.broken = std::move(durable.error());
    co_return end;
  }
  end.outcome = std::move(outcome);
  end.answers = context.answers();
  co_return end;
}

Task<void> Runner::State::run_case(const CaseWork& work, Case input, CaseStart start) {
  const std::int64_t index = input.index;
  CaseEnd end{.input = {}, .start = start};
  try {
    end = co_await finish_case(work, std::move(input), start);
  } catch (const std::exception& thrown) {
    end.broken = internal_error(thrown);
  }
  end.index = index;
  EventLoop& home = gateway_.loop();
  if (home.is_here()) {
    case_left(end);
  } else {
    home.post([this, end = std::make_shared<CaseEnd>(std::move(end))] { case_left(*end); });
  }
}

void Runner::State::begin_case(const CaseWork& work, GivenCase given, For what, std::size_t position) {
  const std::size_t branch = roomiest(active_on_);
  CaseStart start{.branch = branch,
                  .turn = account_.next_turn(),
                  .journaled = given.journaled,
                  .calibrates = what == For::calibration,
                  .position = position,
                  .lease = std::move(given.lease),
                  .given_up = std::move(given.given_up)};
  ++active_;
  ++active_on_[branch];
  EventLoop& loop = gateway_.branches()[branch]->loop();
  if (loop.is_here()) return loop.spawn(run_case(work, std::move(given.input), std::move(start)));
  loop.post(
      [this, &work, &loop, start = std::move(start), sent = std::make_shared<Case>(std::move(given.input))] {
        loop.spawn(run_case(work, std::move(*sent), start));
      });
}

Task<Status> Runner::State::begin_beside(const CaseWork& work, const CaseStates& states, int window) {
  CaseFeed feed(work);
  while (!account_.stopping()) {
    auto next = co_await feed.next();
    if (!next) co_return fail(std::move(next.error()));
    if (!*next || account_.stopping()) break;
    const std::int64_t index = (*next)->index;
    if (holds(states.finished, index)) {
      pass_over();
      continue;
    }
    begin_case(work, {std::move(**next), holds(states.begun, index)});
    if (active_ >= window) co_await Room(*this, window);
  }
  co_return Status();
}

// Enough cases to keep every permit busy while others wait for the disk, with an answer or with their
// outcome; with a rule no more than needed, since what was begun is paid for.
int Runner::State::window_of(const CaseWork& work) const {
  const bool rule = options_.stop_rule != nullptr;
  const int at_once = gateway_.settings().limits.concurrency;
  const auto& batch = gateway_.settings().batch;
  int wanted = rule ? at_once : cases_at_once(at_once);
  // As many as a batch holds: each case waits for its own.
  if (batch && !rule) wanted = std::max(wanted, static_cast<int>(batch->most_requests));
  return std::clamp(work.most_at_once(), 1, wanted);
}

Task<Status> Runner::State::evaluate_calibration(const CaseWork& work, RunStore& store) {
  const auto states = co_await store.states(outcomes_to_retry());
  if (!states) co_return fail(states.error());
  const int window = window_of(work);
  for (CalibrationCase& one : calibrating_) {
    if (account_.stopping()) break;
    one.outcome = {OutcomeKind::infra_failed, {}, "it was not evaluated"};
    const std::int64_t index = one.input.index;
    const bool journaled = holds(states->begun, index) || holds(states->ended, index);
    begin_case(work, {one.input, journaled}, For::calibration);
    if (active_ >= window) co_await Room(*this, window);
  }
  if (active_ > 0) co_await Room(*this, 1);
  co_return Status();
}

Task<Status> Runner::State::calibrate(const CaseWork& work, RunStore& store) {
  RunCalibration* const calibration = work.calibration();
  if (calibration == nullptr) co_return Status();
  CalibrationJournal journal(store);
  if (auto known = co_await journal.recall(*calibration); !known) co_return known;
  if (!calibration->step()) co_return Status();
  auto cases = co_await calibration_cases(work);
  if (!cases) co_return fail(std::move(cases.error()));
  calibrating_ = std::move(*cases);
  if (auto enough = calibration->look_at(calibrating_); !enough) co_return enough;
  while (calibration->step()) {
    if (auto evaluated = co_await evaluate_calibration(work, store); !evaluated) co_return evaluated;
    if (account_.stopping()) co_return Status();
    if (auto answered = all_answered(calibrating_); !answered) co_return answered;
    if (auto kept = co_await journal.learn(*calibration, calibrating_); !kept) co_return kept;
  }
  calibrating_.clear();
  co_return Status();
}

Task<Status> Runner::State::begin_cases(const CaseWork& work, const CaseStates& states) {
  CaseFeed feed(work);
  StopRule* const rule = options_.stop_rule;
  const int window = window_of(work);
  if (const CaseWork* beside = work.beside()) {
    if (auto begun = co_await begin_beside(*beside, states, window); !begun) co_return begun;
  }
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
    const std::int64_t index = current.index;
    unsettled_.insert(index);
    begun_below_ = std::max(begun_below_, index + 1);
    if (holds(states.finished, index)) {
      settle(index);
      pass_over();
      continue;
    }
    const bool journaled = holds(states.begun, index);
    if (rule != nullptr) under_rule_.insert(position);
    begin_case(work, {std::move(current), journaled}, For::outcome, position);
    if (active_ >= window) co_await Room(*this, window);
    while (active_ > 0 && far_ahead(position) && !account_.stopping()) co_await Room(*this, active_);
    if (options_.ready_for_more) co_await options_.ready_for_more();
  }
  co_return Status();
}

void Runner::State::make_ready(RunStore& store) {
  means_.emplace(account_, store, options_.earlier_answers, options_.cache, options_.seed);
  means_->hashes.resize(gateway_.branches().size());
  active_on_.assign(gateway_.branches().size(), 0);
}

Task<Status> Runner::State::make_ready_alone(RunStore& store) {
  make_ready(store);
  auto totals = co_await store.totals();
  if (!totals) co_return fail(std::move(totals.error()));
  gateway_.budget().spend(totals->cost_picousd);
  if (!gateway_.settings().batch) co_return Status();
  batches_.emplace(store);
  auto kept = co_await batches_->kept();
  if (!kept) co_return fail(std::move(kept.error()));
  account_.open_desk(*batches_, std::move(*kept));
  co_return Status();
}

Task<Status> Runner::State::learn_first(const CaseWork& work, RunStore& store) {
  if (auto ready = co_await make_ready_alone(store); !ready) co_return ready;
  co_return co_await calibrate(work, store);
}

Task<Status> Runner::State::begin_all(const CaseWork& work, RunStore& store) {
  if (auto learnt = co_await learn_first(work, store); !learnt || account_.stopping()) co_return learnt;
  // Those that took part in it have answers by now.
  auto states = co_await store.states(outcomes_to_retry());
  if (!states) co_return fail(std::move(states.error()));
  co_return co_await begin_cases(work, *states);
}

Task<RunResult> Runner::State::learn(const CaseWork& work, RunStore& store) {
  co_return co_await finish(learn_first(work, store));
}

Task<RunResult> Runner::State::run(const CaseWork& work, RunStore& store, std::int64_t total) {
  progress_.total = total;
  co_return co_await finish(begin_all(work, store));
}

Task<Status> Runner::State::take_cases(const CaseWork& work, CaseSupply& supply) {
  const int window = window_of(work);
  // Several together, where there is room for more than a few: each question to a queue is a way there and
  // back.
  const int together = std::max(1, window / 8);
  while (!account_.stopping()) {
    if (active_ > window - together) co_await Room(*this, window - together + 1);
    auto given = co_await supply.next(window - active_);
    if (!given) co_return fail(std::move(given.error()));
    if (!*given) break;
    for (GivenCase& one : **given) {
      const CaseWork* const own = is_beside(one.input.index) ? work.beside() : &work;
      assert(own != nullptr);
      begin_case(*own, std::move(one));
    }
  }
  co_return Status();
}

Task<RunResult> Runner::State::serve(const CaseWork& work, RunStore& store, CaseSupply& supply) {
  supply_ = &supply;
  make_ready(store);
  co_return co_await finish(take_cases(work, supply));
}

Task<RunResult> Runner::State::finish(Task<Status> beginning) {
  if (auto begun = co_await caught(std::move(beginning)); !begun) account_.stop(std::move(begun.error()));
  if (active_ > 0) co_await Room(*this, 1);
  co_await account_.close();
  if (!account_.stopping()) co_return RunResult{};
  if (account_.reason()) co_return RunResult{RunEnd::stopped, account_.reason(), account_.open_batches()};
  co_return RunResult{RunEnd::interrupted, std::nullopt, account_.open_batches()};
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
  now.batch = std::move(figures.batch);
  now.spent_picousd = gateway_.budget().spent();
  return now;
}

Runner::Runner(Gateway& gateway, RunnerOptions options)
    : state_(std::make_unique<State>(gateway, std::move(options))) {}
Runner::~Runner() = default;

Task<RunResult> Runner::run(const CaseWork& work, RunStore& store, std::int64_t total) {
  return state_->run(work, store, total);
}

Task<RunResult> Runner::learn(const CaseWork& work, RunStore& store) {
  return state_->learn(work, store);
}

Task<RunResult> Runner::serve(const CaseWork& work, RunStore& store, CaseSupply& supply) {
  return state_->serve(work, store, supply);
}

void Runner::interrupt() {
  state_->interrupt();
}
RunProgress Runner::progress() const {
  return state_->progress();
}

}  // namespace assay
