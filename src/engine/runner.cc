#include "engine/runner.h"

#include <algorithm>
#include <coroutine>
#include <utility>

#include <boost/json/object.hpp>

#include "engine/durable.h"
#include "engine/effects.h"
#include "engine/finished_case.h"
#include "engine/live_context.h"
#include "tools/toolbox.h"

namespace assay {
namespace {

// To the next case in the order that is in force; false at the end.
Result<bool> advance(CaseSource& source, const StopRule* rule, std::size_t position) {
  if (rule == nullptr) return source.next();
  if (position == rule->order().size()) return false;
  if (auto gone = source.go_to(rule->order()[position]); !gone) return fail(std::move(gone.error()));
  return true;
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
        tools_(outside_.loop, outside_.http, outside_.environment),
        effects_(outside_, options_) {}

  Task<RunResult> run(const CaseWork& work, Journal& journal, std::int64_t total,
                      std::function<void(Problem)> report);
  void interrupt() { effects_.stop(RunEnd::interrupted, std::nullopt); }
  RunProgress progress() const;
  Outside& outside() { return outside_; }

 private:
  Task<void> run_case(const CaseWork& work, Case input, std::unique_ptr<LiveContext> context);
  void case_left();

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
  Toolbox tools_;
  Effects effects_;
  std::unique_ptr<EarlierAnswers> earlier_;
  std::optional<RunMeans> means_;
  Journal* journal_ = nullptr;
  std::function<void(Problem)> report_;
  int active_ = 0;
  int room_limit_ = 0;
  std::coroutine_handle<> room_waiter_;
  RunProgress progress_;
};

void Runner::State::case_left() {
  --active_;
  if (room_waiter_ && active_ < room_limit_) std::exchange(room_waiter_, nullptr).resume();
}

Task<void> Runner::State::run_case(const CaseWork& work, Case input, std::unique_ptr<LiveContext> context) {
  Outcome outcome = co_await work.evaluate(input, *context);
  // A case that was cut off has no outcome: it will be finished by a resume.
  if (!context->halted()) {
    JsonObject row{{"outcome", to_string(outcome.kind)}};
    if (!outcome.error.empty()) row["error"] = outcome.error;
    row["result"] = std::move(outcome.result);
    row["usage"] = context->usage().json();
    row["latency_ms"] = static_cast<double>(context->usage().latency_us) / 1000;
    if (!outcome.error.empty()) report_({"error", "case " + input.id, outcome.error});
    const bool scored = outcome.kind == OutcomeKind::scored;
    // They hear of it only when it is durable, so that a resume decides alike.
    std::optional<Outcome> heard;
    if (options_.stop_rule != nullptr || options_.on_outcome)
      heard = Outcome{outcome.kind, row.at("result").as_object(), outcome.error};
    auto durable = co_await Durable(
        *journal_, OutcomeRow{input.index, input.id, std::string(to_string(outcome.kind)), to_text(row)});
    if (!durable) {
      effects_.stop(RunEnd::stopped, std::move(durable.error()));
    } else {
      ++progress_.done;
      if (!scored) ++progress_.errored;
      if (heard && options_.stop_rule != nullptr) options_.stop_rule->add(input, *heard);
      if (heard && options_.on_outcome) options_.on_outcome(input, *heard);
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
  effects_.set_budget(options_.budget_usd, totals->cost_picousd);
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
  if (!work.files_are_state()) progress_.done = static_cast<std::int64_t>(finished->size());

  means_.emplace(outside_, options_, effects_, tools_, journal, earlier_.get());
  auto source = work.cases();
  if (!source) co_return broken(std::move(source.error()));
  // Enough cases to keep every permit busy while others wait for the disk; with a rule no more than needed,
  // since what was begun is paid for.
  StopRule* const rule = options_.stop_rule;
  const int window = rule != nullptr ? options_.limits.concurrency : options_.limits.concurrency * 2 + 16;
  const auto holds = [](const std::vector<std::int64_t>& sorted, std::int64_t index) {
    return std::binary_search(sorted.begin(), sorted.end(), index);
  };
  for (std::size_t position = 0; !effects_.stopping(); ++position) {
    if (rule != nullptr && position < rule->order().size()) {
      // What was begun, in this sitting or an earlier one, is finished whatever the rule says by now.
      const std::int64_t index = rule->order()[position].index;
      const bool was_begun = holds(*begun, index) || holds(*ended, index);
      if (holds(*finished, index) || (!was_begun && !rule->wants(position))) continue;
      rule->begun(position);
    }
    auto more = advance(**source, rule, position);
    if (!more) {
      effects_.stop(RunEnd::stopped, std::move(more.error()));
      break;
    }
    if (!*more) break;
    const Case& current = (*source)->current();
    const bool look_again = work.files_are_state();
    if (holds(*finished, current.index) && !look_again) continue;
    std::optional<Outcome> earlier;
    if (look_again && holds(*ended, current.index)) {
      auto outcome = journal.outcome_of(current.index);
      if (!outcome) {
        effects_.stop(RunEnd::stopped, std::move(outcome.error()));
        break;
      }
      if (*outcome) earlier = read_finished(**outcome).outcome;
    }
    const bool journaled = holds(*begun, current.index) || look_again;
    auto context = std::make_unique<LiveContext>(
        *means_, current.id, current.index,
        journaled ? LiveContext::Replay::from_journal : LiveContext::Replay::none, std::move(earlier));
    ++active_;
    outside_.loop.spawn(run_case(work, current.travelling(), std::move(context)));
    if (active_ >= window) co_await Room{*this, window};
  }
  if (active_ > 0) co_await Room{*this, 1};
  co_return effects_.result();
}

RunProgress Runner::State::progress() const {
  RunProgress now = progress_;
  effects_.enter(now);
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
