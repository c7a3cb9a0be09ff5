#include "engine/distributed/coordinator.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/version.h"
#include "engine/case_feed.h"
#include "engine/distributed/case_message.h"
#include "engine/finished_case.h"

namespace assay {
namespace {

using std::chrono::milliseconds;

// How often the store is asked for outcomes: soon after some came, less often while none do.
constexpr milliseconds kSoon(10);
constexpr milliseconds kLater(200);
// How often queue and workers are looked at.
constexpr std::chrono::seconds kWatch(1);
constexpr milliseconds kSlice(50);
// How long the queue may be away, or lack what was published, before something is done about it.
constexpr std::chrono::minutes kLongestAway(10);
constexpr std::chrono::seconds kLongestLack(3);
constexpr std::chrono::seconds kUntilStartingOver(15);
// What is published together has to be with the servers within seconds, over a slow line too.
constexpr std::size_t kTogether = 256;
constexpr std::size_t kBytesTogether = std::size_t{2} << 20;
// A look at the totals may take this share of the time.
constexpr int kTotalsShare = 50;

bool holds(const std::vector<std::int64_t>& sorted, std::int64_t index) {
  return std::binary_search(sorted.begin(), sorted.end(), index);
}

// What a worker's wish is an error of.
ErrorKind kind_of(std::string_view word) {
  for (const ErrorKind kind : {ErrorKind::budget, ErrorKind::changed, ErrorKind::journal}) {
    if (to_string(kind) == word) return kind;
  }
  return ErrorKind::circuit_open;
}

}  // namespace

class Coordinator::State {
 public:
  State(EventLoop& loop, WorkQueue& queue, WorkBoard& board, CoordinatorOptions options)
      : loop_(loop), queue_(queue), board_(board), options_(std::move(options)) {
    progress_.calls_a_case = options_.calls_a_case;
  }

  Task<RunResult> run(const CaseWork& work, RunStore& store, std::int64_t total);
  void interrupt() { interrupted_ = true; }
  const RunProgress& progress() const { return progress_; }

 private:
  // A case on its way: without an outcome as far as the store was asked.
  struct Away {
    Case input;
    std::string generation;  // of its publications: the queue drops what has the same
    bool published = false;
  };

  Task<Status> begin(RunStore& store);
  // A queue that refuses the lane does so for good; one that is away is waited for.
  Task<Status> open_lane();
  // Those that are done beside the run's cases: all at once, they are few, and no rule stops them.
  Task<Status> take_beside(const CaseWork& work);
  void take_case(Case input);
  // Takes cases as there is room for them, until all are taken.
  Task<Status> take(CaseFeed& feed);
  Task<Result<std::optional<Case>>> next_case(CaseFeed& feed);
  void pass_over(std::int64_t index);
  // All that is not published yet. A queue that is away is no failure.
  Task<Status> publish(RunStore& store);
  Task<Result<WorkItem>> item_of(std::int64_t index, const Away& away, RunStore& store) const;
  // Those that have an outcome by now are not away any more.
  Task<Status> hear(RunStore& store);
  Task<Status> tell(const Away& away, RunStore& store);
  void settle(std::int64_t index);
  // The queue may have lost what was published; the workers may wish the run to stop, or not take it at all.
  Task<Status> watch(RunStore& store);
  Task<Status> look_at_queue(RunStore& store);
  Task<Status> look_at_workers();
  Task<Status> look_at_totals(RunStore& store);
  // Says again and again that the run is this process's, and how long it has worked, until `over_`. Where
  // another one has taken it over, nothing of it may be closed here.
  Task<void> keep_right(RunStore& store);
  Task<void> let_go_of_right();
  void publish_again(const std::string& generation);
  // The queue has failed: warns, gives up after long, and in between takes work that nobody answers for to be
  // lost: this run's first and, where that does not help, that of all.
  Task<void> note_away(Error error);
  // Closes the run and waits until the workers have left it, with what they had.
  Task<Status> wind_down(RunStore& store);
  std::size_t published() const;

  EventLoop& loop_;
  WorkQueue& queue_;
  WorkBoard& board_;
  CoordinatorOptions options_;
  std::string run_;
  std::string tag_;
  CaseStates states_;
  std::set<std::int64_t> retried_;  // cases whose outcome was taken back
  std::map<std::int64_t, Away> away_;
  std::size_t position_ = 0;  // in the order that is in force
  bool all_taken_ = false;
  bool interrupted_ = false;
  std::optional<Error> stopped_;
  std::optional<Error> right_lost_;
  bool keeping_right_ = false;
  bool over_ = false;
  std::set<std::int64_t> unsettled_;
  std::int64_t begun_below_ = 0;
  RunProgress progress_;
  milliseconds pause_ = kSoon;
  Clock::time_point watched_{};
  Clock::time_point totals_due_{};
  std::optional<Clock::time_point> queue_away_since_;
  Clock::time_point started_over_{};
  bool lane_was_lost_ = false;  // and made anew, since the queue is away
  std::optional<Clock::time_point> lacking_since_;
  bool published_in_vain_ = false;  // again, and no case has ended since
  int generations_ = 0;
  std::string told_of_workers_;
};

Task<Status> Coordinator::State::begin(RunStore& store) {
  run_ = store.identity().run_id;
  auto states = co_await store.states(outcomes_to_retry());
  if (!states) co_return fail(std::move(states.error()));
  states_ = std::move(*states);
  for (const std::int64_t index : states_.ended) {
    if (!holds(states_.finished, index)) retried_.insert(index);
  }
  if (auto opened = co_await open_lane(); !opened) co_return opened;
  const std::string new_tag =
      fmt::format("{:x}", std::chrono::system_clock::now().time_since_epoch().count());
  auto tag = co_await board_.open_run({run_, build_name(), options_.about, new_tag});
  if (!tag) co_return fail(std::move(tag.error()));
  tag_ = std::move(*tag);
  co_return Status();
}

Task<Status> Coordinator::State::open_lane() {
  const auto began = Clock::now();
  for (;;) {
    auto opened = co_await queue_.open_lane(run_, options_.lane);
    if (opened) queue_away_since_.reset();
    if (opened || !retryable(opened.error().kind) || interrupted_ ||
        Clock::now() - began > 3 * kUntilStartingOver)
      co_return opened;
    co_await note_away(std::move(opened.error()));
    co_await loop_.sleep(kLater);
  }
}

Task<RunResult> Coordinator::State::run(const CaseWork& work, RunStore& store, std::int64_t total) {
  progress_.total = total;
  CaseFeed feed(work);
  auto going = co_await begin(store);
  if (going) loop_.spawn(keep_right(store));
  if (going) going = co_await take_beside(work);
  while (going && !interrupted_ && !stopped_ && !right_lost_) {
    going = co_await take(feed);
    if (going) going = co_await publish(store);
    if (going) going = co_await hear(store);
    if (!going || (all_taken_ && away_.empty())) break;
    if (Clock::now() - watched_ >= kWatch) going = co_await watch(store);
    if (going && !interrupted_ && !stopped_) co_await loop_.sleep(pause_);
  }
  co_await let_go_of_right();
  if (right_lost_) co_return RunResult{RunEnd::stopped, std::move(right_lost_)};
  if (!going) {
    // Where the store is away, the run stays open, and workers go on with what is published.
    if (!retryable(going.error().kind)) [[maybe_unused]]
      const auto closed = co_await board_.close_run(run_);
    co_return RunResult{RunEnd::stopped, std::move(going.error())};
  }
  const bool complete = all_taken_ && away_.empty();
  auto ended = co_await wind_down(store);
  if (complete) co_return RunResult{};
  if (stopped_) co_return RunResult{RunEnd::stopped, std::move(stopped_)};
  if (!ended) co_return RunResult{RunEnd::stopped, std::move(ended.error())};
  co_return RunResult{RunEnd::interrupted, std::nullopt};
}

void Coordinator::State::pass_over(std::int64_t index) {
  settle(index);
  ++progress_.done;
  ++progress_.standing;
}

// The next case in the order that is in force, past those that a rule does not want; nothing at the end.
Task<Result<std::optional<Case>>> Coordinator::State::next_case(CaseFeed& feed) {
  StopRule* const rule = options_.stop_rule;
  if (rule == nullptr) co_return co_await feed.next();
  for (; position_ < rule->order().size(); ++position_) {
    const std::int64_t index = rule->order()[position_].index;
    const bool was_begun = holds(states_.begun, index) || holds(states_.ended, index);
    if (holds(states_.finished, index)) {
      pass_over(index);
    } else if (was_begun || rule->wants(position_)) {
      break;
    }
  }
  if (position_ == rule->order().size()) co_return std::nullopt;
  rule->begun(position_);
  auto found = co_await feed.at(rule->order()[position_++]);
  if (!found) co_return fail(std::move(found.error()));
  co_return std::move(*found);
}

void Coordinator::State::take_case(Case input) {
  const std::int64_t index = input.index;
  const bool retried = retried_.contains(index);
  away_.emplace(index, Away{.input = std::move(input), .generation = retried ? tag_ + "r" : tag_});
}

Task<Status> Coordinator::State::take_beside(const CaseWork& work) {
  const CaseWork* const beside = work.beside();
  if (beside == nullptr) co_return Status();
  CaseFeed feed(*beside);
  for (;;) {
    auto next = co_await feed.next();
    if (!next) co_return fail(std::move(next.error()));
    if (!*next) co_return Status();
    if (holds(states_.finished, (*next)->index)) {
      ++progress_.done;
      ++progress_.standing;
    } else {
      take_case(std::move(**next));
    }
  }
}

Task<Status> Coordinator::State::take(CaseFeed& feed) {
  while (!all_taken_ && away_.size() < static_cast<std::size_t>(options_.window)) {
    auto next = co_await next_case(feed);
    if (!next) co_return fail(std::move(next.error()));
    if (!*next) {
      all_taken_ = true;
      break;
    }
    const std::int64_t index = (*next)->index;
    unsettled_.insert(index);
    begun_below_ = std::max(begun_below_, index + 1);
    if (holds(states_.finished, index)) {
      pass_over(index);
      continue;
    }
    take_case(std::move(**next));
  }
  co_return Status();
}

Task<Result<WorkItem>> Coordinator::State::item_of(std::int64_t index, const Away& away,
                                                   RunStore& store) const {
  CaseMessage message{.input = away.input};
  WorkItem item{fmt::format("{}/{}/{}", run_, index, away.generation), message_text(message)};
  if (item.body.size() <= queue_.most_bytes()) co_return item;
  message.kept_under = payload_name(away.input);
  if (auto kept = co_await store.share_file(message.kept_under, away.input.payload); !kept)
    co_return fail(std::move(kept.error()));
  item.body = message_text(message);
  co_return item;
}

Task<Status> Coordinator::State::publish(RunStore& store) {
  for (;;) {
    std::vector<WorkItem> items;
    std::vector<Away*> those;
    std::size_t bytes = 0;
    for (auto& [index, away] : away_) {
      if (away.published) continue;
      if (items.size() == kTogether || bytes >= kBytesTogether) break;
      auto item = co_await item_of(index, away, store);
      if (!item) co_return fail(std::move(item.error()));
      bytes += item->body.size();
      items.push_back(std::move(*item));
      those.push_back(&away);
    }
    if (items.empty()) co_return Status();
    if (auto sent = co_await queue_.publish(run_, std::move(items)); !sent) {
      if (sent.error().kind == ErrorKind::config) {
        stopped_ = std::move(sent.error());
        co_return Status();
      }
      co_await note_away(std::move(sent.error()));
      // The lane may be gone, with all that was in it.
      watched_ = {};
      co_return Status();
    }
    queue_away_since_.reset();
    for (Away* away : those) away->published = true;
  }
}

Task<void> Coordinator::State::note_away(Error error) {
  const auto now = Clock::now();
  if (!queue_away_since_) {
    queue_away_since_ = now;
    started_over_ = now;
    lane_was_lost_ = false;
    if (options_.warn) options_.warn(error.message + "; the run goes on when it is back");
  }
  // What is answered, be it with a no, is there.
  if (error.kind == ErrorKind::timeout && now - started_over_ > kUntilStartingOver) {
    started_over_ = now;
    const StartOver what = std::exchange(lane_was_lost_, true) ? StartOver::everything : StartOver::lane;
    if (co_await queue_.start_over(run_, what)) publish_again("");
  }
  if (now - *queue_away_since_ > kLongestAway && !stopped_) stopped_ = std::move(error);
}

Task<Status> Coordinator::State::hear(RunStore& store) {
  std::vector<std::int64_t> indices;
  for (const auto& [index, away] : away_) {
    if (away.published) indices.push_back(index);
  }
  if (indices.empty()) co_return Status();
  auto ended = co_await board_.ended(run_, std::move(indices));
  if (!ended) co_return fail(std::move(ended.error()));
  for (const EndedCase& one : *ended) {
    const auto found = away_.find(one.index);
    if (found == away_.end()) continue;
    const Away away = std::move(found->second);
    away_.erase(found);
    ++progress_.done;
    if (outcome_kind(one.outcome) != OutcomeKind::scored) ++progress_.errored;
    if (is_beside(one.index)) continue;
    if (auto told = co_await tell(away, store); !told) co_return told;
    settle(one.index);
  }
  if (!ended->empty()) published_in_vain_ = false;
  pause_ = ended->empty() ? std::min(2 * pause_, kLater) : kSoon;
  co_return Status();
}

Task<Status> Coordinator::State::tell(const Away& away, RunStore& store) {
  if (options_.stop_rule == nullptr && !options_.on_outcome) co_return Status();
  auto rows = co_await store.outcomes(away.input.index, 1);
  if (!rows) co_return fail(std::move(rows.error()));
  if (rows->empty() || rows->front().case_index != away.input.index) co_return Status();
  const Outcome outcome = read_finished(rows->front()).outcome;
  if (options_.stop_rule != nullptr) options_.stop_rule->add(away.input, outcome);
  if (options_.on_outcome) options_.on_outcome(away.input, outcome);
  co_return Status();
}

void Coordinator::State::settle(std::int64_t index) {
  unsettled_.erase(index);
  if (options_.on_settled && options_.stop_rule == nullptr)
    options_.on_settled(unsettled_.empty() ? begun_below_ : *unsettled_.begin());
}

std::size_t Coordinator::State::published() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(away_, [](const auto& one) { return one.second.published; }));
}

void Coordinator::State::publish_again(const std::string& generation) {
  for (auto& [index, away] : away_) {
    if (!generation.empty()) away.generation = generation;
    away.published = false;
  }
}

Task<Status> Coordinator::State::look_at_queue(RunStore& store) {
  auto depth = co_await queue_.depth(run_);
  if (!depth) {
    co_await note_away(std::move(depth.error()));
    co_return Status();
  }
  if (!*depth) {
    // A server that has lost everything, or a lane that somebody removed.
    if (auto opened = co_await queue_.open_lane(run_, options_.lane); !opened) {
      co_await note_away(std::move(opened.error()));
      co_return Status();
    }
    publish_again("");
    co_return Status();
  }
  if (published() == away_.size()) queue_away_since_.reset();
  progress_.in_flight = static_cast<int>((*depth)->taken);
  // What was done since then has its outcome: a worker speaks to the store first.
  if (auto heard = co_await hear(store); !heard) co_return heard;
  const auto there = static_cast<std::size_t>((*depth)->waiting + (*depth)->taken);
  const auto now = Clock::now();
  if (published() <= there) {
    lacking_since_.reset();
  } else if (!lacking_since_) {
    lacking_since_ = now;
  } else if (now - *lacking_since_ > kLongestLack) {
    lacking_since_.reset();
    // After a failover a lane may not see any more what comes into it.
    if (std::exchange(published_in_vain_, true)) [[maybe_unused]]
      const auto over = co_await queue_.start_over(run_, StartOver::lane);
    publish_again(fmt::format("{}g{}", tag_, ++generations_));
  }
  co_return Status();
}

Task<Status> Coordinator::State::look_at_workers() {
  auto wish = co_await board_.stop_wish(run_);
  if (!wish) co_return fail(std::move(wish.error()));
  if (*wish) stopped_ = Error{kind_of((*wish)->kind), (*wish)->words, {}};
  auto workers = co_await board_.workers(run_);
  if (!workers) co_return fail(std::move(workers.error()));
  progress_.waiting_for.clear();
  const auto takes = [](const WorkerSign& sign) { return sign.words.empty(); };
  if (workers->empty()) {
    progress_.waiting_for = "workers; begin some with `assay worker`, with the same --store and --queue";
  } else if (std::ranges::none_of(*workers, takes)) {
    progress_.waiting_for = "a worker that can take it: " + workers->front().words;
  }
  for (const WorkerSign& sign : *workers) {
    if (takes(sign) || told_of_workers_.contains(sign.worker)) continue;
    told_of_workers_ += sign.worker + ' ';
    if (options_.warn)
      options_.warn(fmt::format("worker {} leaves this run to others: {}", sign.worker, sign.words));
  }
  co_return Status();
}

Task<Status> Coordinator::State::look_at_totals(RunStore& store) {
  const auto began = Clock::now();
  if (began < totals_due_) co_return Status();
  auto totals = co_await store.totals();
  if (!totals) co_return fail(std::move(totals.error()));
  progress_.requests = totals->requests;
  progress_.answers = totals->requests - totals->retries;
  progress_.tokens = totals->prompt_tokens + totals->completion_tokens;
  progress_.spent_picousd = totals->cost_picousd;
  const auto now = Clock::now();
  totals_due_ = now + kTotalsShare * (now - began);
  co_return Status();
}

Task<void> Coordinator::State::keep_right(RunStore& store) {
  keeping_right_ = true;
  while (!over_ && !right_lost_) {
    if (auto kept = co_await store.note(""); !kept) right_lost_ = std::move(kept.error());
    for (auto left = std::chrono::duration_cast<milliseconds>(kWatch); left.count() > 0 && !over_;
         left -= kSlice)
      co_await loop_.sleep(kSlice);
  }
  keeping_right_ = false;
}

Task<void> Coordinator::State::let_go_of_right() {
  over_ = true;
  while (keeping_right_) co_await loop_.sleep(kSlice / 10);
}

Task<Status> Coordinator::State::watch(RunStore& store) {
  watched_ = Clock::now();
  if (auto looked = co_await look_at_queue(store); !looked) co_return looked;
  if (auto looked = co_await look_at_workers(); !looked) co_return looked;
  co_return co_await look_at_totals(store);
}

Task<Status> Coordinator::State::wind_down(RunStore& store) {
  if (auto ours = co_await store.note(""); !ours) co_return ours;
  if (auto closed = co_await board_.close_run(run_); !closed) co_return closed;
  // What is left in a queue that is away is harmless: workers take cases of open runs only.
  [[maybe_unused]] const auto removed = co_await queue_.close_lane(run_);
  while (!away_.empty()) {
    if (auto heard = co_await hear(store); !heard) co_return heard;
    auto workers = co_await board_.workers(run_);
    if (!workers) co_return fail(std::move(workers.error()));
    progress_.in_flight = static_cast<int>(workers->empty() ? 0 : published());
    if (workers->empty()) break;
    co_await loop_.sleep(kLater);
  }
  co_return Status();
}

Coordinator::Coordinator(EventLoop& loop, WorkQueue& queue, WorkBoard& board, CoordinatorOptions options)
    : state_(std::make_unique<State>(loop, queue, board, std::move(options))) {}
Coordinator::~Coordinator() = default;

Task<RunResult> Coordinator::run(const CaseWork& work, RunStore& store, std::int64_t total) {
  return state_->run(work, store, total);
}
void Coordinator::interrupt() {
  state_->interrupt();
}
RunProgress Coordinator::progress() const {
  return state_->progress();
}

}  // namespace assay
