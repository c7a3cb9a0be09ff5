#include "tools/program_pool.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <ranges>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/time.h"
#include "tools/hidden.h"
#include "tools/program_line.h"
#include "tools/tool_kind.h"

namespace assay {
namespace {

constexpr std::size_t kMostUseless = 1000;  // lines with no reply between
constexpr std::size_t kMostWarnings = 20;
constexpr std::size_t kLongestQuote = 500;  // bytes of what the program said
constexpr int kMostLosses = 3;              // of a program that has never answered
constexpr int kMostLossesLater = 20;        // of one that has
constexpr std::size_t kIdRoom = 64;         // bytes of a line beside its question
constexpr Duration kTimeToEnd = std::chrono::seconds(5);

// Its arguments stay untold, but for the script that an interpreter runs.
std::string shown_name(const std::vector<std::string>& command) {
  if (command.empty()) return {};
  std::error_code ignored;
  std::string name = command.front();
  if (command.size() > 1 && std::filesystem::is_regular_file(command[1], ignored))
    name += " " + std::filesystem::path(command[1]).filename().string();
  return name;
}

std::optional<std::uint64_t> number_of(const std::string& id) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc() || end != id.data() + id.size()) return std::nullopt;
  return number;
}

}  // namespace

Json to_json(const ProgramSpec& program) {
  JsonObject tree{{"command", list_of(program.command)}, {"environment", object_of(program.environment)}};
  if (!program.working_directory.empty()) tree.emplace("directory", program.working_directory);
  return tree;
}

// One ask(), in its frame. It is in one place: among those that wait, or at a worker, in flight (`id`) or
// among the suspects; or settled.
struct ProgramPool::Question {
  Question(ProgramPool& owner, std::string text)
      : pool(&owner), body(std::move(text)), reply(owner.loop_, EventLoop::after(Duration::max())) {}
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;
  ~Question() {
    if (pool != nullptr) pool->forget(*this);
  }

  ProgramPool* pool;  // null: settled
  std::string body;   // what follows the id on its line
  Arrival<Result<Json>> reply;
  std::uint64_t place = 0;  // in waiting_
  Worker* at = nullptr;
  std::uint64_t id = 0;
};

struct ProgramPool::Worker {
  std::map<std::uint64_t, Question*> in_flight{};  // the oldest first; null: given up, and not answered yet
  std::deque<Question*> suspects{};                // of a process that was lost: to be asked alone
  bool alone = false;                              // one of them is in flight
  bool answered = false;                           // since the process was started
  bool answered_meanwhile = false;                 // since the oldest one is the oldest
  std::size_t useless = 0;                         // lines since the last good reply
  std::string first_useless{};
  EventLoop::TimerId timer = 0;  // of the oldest one
  std::optional<PipeProcess> process{};

  bool usable() const { return !process || process->open(); }
};

ProgramPool::ProgramPool(EventLoop& loop, ProgramSpec program, Environment environment, Warn warn)
    : loop_(loop),
      program_(std::move(program)),
      name_(shown_name(program_.command)),
      secrets_(kHiddenMark),
      environment_(secrets_.noting(std::move(environment))),
      warn_(std::move(warn)) {
  note_inherited(secrets_);
  for (int i = 0; i < std::max(program_.processes, 1); ++i) workers_.push_back(std::make_unique<Worker>());
}

ProgramPool::~ProgramPool() {
  given_up_ = Error{ErrorKind::cancelled, "the program was ended", {{"program", name_}}};
  settle_all(*given_up_);
  for (const auto& worker : workers_) {
    for (Question* question : worker->in_flight | std::views::values) settle(question, fail(*given_up_));
    loop_.cancel(worker->timer);
  }
}

Task<Result<Json>> ProgramPool::ask(JsonObject question) {
  if (given_up_) co_return fail(*given_up_);
  if (const auto found = question.find("id"); found != question.end()) question.stable_erase(found);
  std::string text = to_text(question);
  if (text.size() > program_.max_question) {
    co_return fail(failure(fmt::format("the question has {} bytes, and at most {} are sent", text.size(),
                                       program_.max_question)));
  }
  text.replace(0, 1, question.empty() ? "" : ",");
  Question asked(*this, std::move(text));
  asked.place = ++last_place_;
  waiting_.emplace(asked.place, &asked);
  dispatch();
  auto reply = co_await asked.reply;
  if (!reply) co_return fail(ErrorKind::internal, "a question to a program was left without an answer");
  co_return std::move(*reply);
}

void ProgramPool::dispatch() {
  for (const auto& worker : workers_) {
    while (!worker->suspects.empty() && worker->in_flight.empty() && worker->usable()) {
      Question* const question = worker->suspects.front();
      worker->suspects.pop_front();
      worker->alone = true;
      send(*worker, *question);
    }
  }
  while (!waiting_.empty()) {
    Worker* const worker = freest();
    if (worker == nullptr) return;
    Question* const question = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    send(*worker, *question);
  }
}

// The one with the fewest in flight; of those one that runs already. Null if there is no place.
ProgramPool::Worker* ProgramPool::freest() {
  const auto most = static_cast<std::size_t>(std::max(program_.in_flight, 1));
  Worker* best = nullptr;
  for (const auto& worker : workers_) {
    if (worker->alone || !worker->suspects.empty() || !worker->usable() || worker->in_flight.size() >= most)
      continue;
    const auto rank = [](const Worker& one) { return std::pair(one.in_flight.size(), !one.process); };
    if (best == nullptr || rank(*worker) < rank(*best)) best = worker.get();
  }
  return best;
}

void ProgramPool::send(Worker& worker, Question& question) {
  question.at = &worker;
  question.id = 0;
  if (!worker.process) {
    if (auto started = start(worker); !started) {
      worker.alone = false;
      settle(&question, fail(started.error()));
      return count_loss(started.error());
    }
  }
  question.id = ++last_id_;
  worker.in_flight.emplace(question.id, &question);
  if (worker.in_flight.size() == 1) watch_oldest(worker);
  auto sent = worker.process->write_line(fmt::format(R"({{"id":"{}"{})", question.id, question.body));
  // One that is on its way out has its own reason to tell, and soon.
  if (sent || !worker.process->open()) return;
  settle(take_out(worker, question.id), fail(explained(worker, sent.error().message)));
}

Status ProgramPool::start(Worker& worker) {
  auto variables = fill_values(program_.environment, environment_);
  if (!variables) return fail(std::move(variables.error()).with("program", name_));
  const auto most = static_cast<std::size_t>(std::max(program_.in_flight, 1));
  auto process = PipeProcess::start(
      loop_, {.argv = program_.command,
              .environment = std::move(*variables),
              .working_directory = program_.working_directory,
              .max_line = program_.max_line,
              .max_unsent = (most + 1) * (program_.max_question + kIdRoom),
              .on_line = [this, &worker](std::string_view line) { take_line(worker, line); },
              .on_end = [this, &worker](const Error& why) { lost(worker, explained(worker, why.message)); }});
  if (!process) return fail(failure(process.error().message));
  ++starts_;
  worker.process.emplace(std::move(*process));
  worker.answered = false;
  worker.useless = 0;
  worker.first_useless.clear();
  return {};
}

void ProgramPool::take_line(Worker& worker, std::string_view line) {
  ProgramLine read = read_program_line(line);
  switch (read.is) {
    case ProgramLine::Is::reply:
      return take_reply(worker, read.id, std::move(read.reply));
    case ProgramLine::Is::broken:
      return blame(worker, read.id, read.defect, line);
    case ProgramLine::Is::chatter:
      return take_chatter(worker, line);
  }
}

// Counts a line that is no good reply; false if it was one too many, and the process is lost.
bool ProgramPool::bear(Worker& worker, std::string_view line) {
  if (++worker.useless == 1) worker.first_useless = quoted_start(line, kLongestQuote, secrets_);
  if (worker.useless <= kMostUseless) return true;
  lost(worker, explained(worker, "it writes without end"));
  return false;
}

void ProgramPool::take_chatter(Worker& worker, std::string_view line) {
  if (trim(line).empty() || !bear(worker, line) || worker.useless > 1) return;
  warn(
      fmt::format("{} writes lines to its standard output that are no replies, and are passed over; print "
                  "them to standard error: {}",
                  name_, worker.first_useless));
}

void ProgramPool::take_reply(Worker& worker, const std::string& id, JsonObject reply) {
  const auto number = number_of(id);
  if (!number || *number == 0 || *number > last_id_) {
    return blame(worker, {}, "to an id that nobody was given; answer the member `id` as it came",
                 to_text(JsonObject{{"id", id}}));
  }
  worker.answered_meanwhile = true;
  if (!worker.in_flight.contains(*number)) {
    if (!bear(worker, id)) return;
    return warn(fmt::format(
        "{} answered the question {} twice, or after it was given up; that reply does not count", name_, id));
  }
  worker.answered = true;
  worker.useless = 0;
  worker.first_useless.clear();
  has_answered_ = true;
  losses_ = 0;
  settle(take_out(worker, *number), secrets_.hide_in(std::move(reply)));
  dispatch();
}

void ProgramPool::blame(Worker& worker, const std::string& id, std::string_view defect,
                        std::string_view line) {
  if (!bear(worker, line)) return;
  const std::string what = fmt::format("it wrote a reply that cannot be taken, {}: {}", defect,
                                       quoted_start(line, kLongestQuote, secrets_));
  if (worker.in_flight.empty()) return warn(fmt::format("{}: {}", name_, what));
  const auto number = number_of(id);
  const bool known = number && worker.in_flight.contains(*number);
  const std::uint64_t whose = known ? *number : worker.in_flight.begin()->first;
  worker.answered_meanwhile = true;
  settle(take_out(worker, whose), fail(failure(what)));
  dispatch();
}

// Of those in flight; null if it was given up.
ProgramPool::Question* ProgramPool::take_out(Worker& worker, std::uint64_t id) {
  const auto found = worker.in_flight.find(id);
  Question* const question = found->second;
  const bool oldest = found == worker.in_flight.begin();
  worker.in_flight.erase(found);
  if (worker.in_flight.empty()) worker.alone = false;
  if (oldest) watch_oldest(worker);
  return question;
}

void ProgramPool::watch_oldest(Worker& worker) {
  loop_.cancel(std::exchange(worker.timer, 0));
  worker.answered_meanwhile = false;
  if (worker.in_flight.empty()) return;
  worker.timer = loop_.call_after(program_.timeout, [this, &worker] {
    worker.timer = 0;
    expired(worker);
  });
}

void ProgramPool::expired(Worker& worker) {
  const bool answers_others = worker.answered_meanwhile;
  const Error error = explained(
      worker, fmt::format("it did not answer within {}; a program reads one line at a time, and flushes "
                          "what it writes",
                          duration_text(program_.timeout)));
  Question* const question = take_out(worker, worker.in_flight.begin()->first);
  const bool waited_for = question != nullptr;
  settle(question, fail(error));
  if (!answers_others) {
    worker.process.reset();
    suspect_all(worker);
    if (waited_for) count_loss(error);
  }
  dispatch();
}

// The process is gone, or goes now.
void ProgramPool::lost(Worker& worker, const Error& why) {
  worker.process.reset();
  const bool known =
      worker.in_flight.size() == 1 && worker.in_flight.begin()->second != nullptr && !worker.answered;
  if (known) {
    settle(take_out(worker, worker.in_flight.begin()->first), fail(why));
    count_loss(why);
  }
  suspect_all(worker);
  const bool all_gone =
      std::ranges::none_of(workers_, [](const auto& one) { return one->process.has_value(); });
  if (all_gone) {
    for (auto* waiting : std::exchange(waiting_for_end_, {})) waiting->set(true);
  }
  dispatch();
}

void ProgramPool::suspect_all(Worker& worker) {
  loop_.cancel(std::exchange(worker.timer, 0));
  worker.alone = false;
  auto left = std::exchange(worker.in_flight, {});
  for (Question* question : left | std::views::values | std::views::reverse) {
    if (question == nullptr) continue;
    question->id = 0;
    worker.suspects.push_front(question);
  }
  if (!given_up_) return;
  for (Question* question : std::exchange(worker.suspects, {})) settle(question, fail(*given_up_));
}

void ProgramPool::count_loss(const Error& why) {
  ++losses_;
  if (given_up_ || losses_ < (has_answered_ ? kMostLossesLater : kMostLosses)) return;
  given_up_ = why;
  given_up_->message =
      fmt::format("failed {} times in a row and is not started again: {}", losses_, why.message);
  settle_all(*given_up_);
}

void ProgramPool::settle(Question* question, Result<Json> reply) {
  if (question == nullptr) return;
  question->pool = nullptr;
  question->reply.set(std::move(reply));
}

// Those that are not in flight.
void ProgramPool::settle_all(const Error& why) {
  for (Question* question : std::exchange(waiting_, {}) | std::views::values) settle(question, fail(why));
  for (const auto& worker : workers_) {
    for (Question* question : std::exchange(worker->suspects, {})) settle(question, fail(why));
  }
}

// Its place stays taken until the process has answered it: that bounds what a process has to do.
void ProgramPool::forget(Question& question) {
  if (question.at == nullptr) {
    waiting_.erase(question.place);
  } else if (question.id != 0) {
    question.at->in_flight[question.id] = nullptr;
  } else {
    std::erase(question.at->suspects, &question);
  }
}

Task<void> ProgramPool::close() {
  given_up_ = Error{ErrorKind::cancelled, "the program was ended", {{"program", name_}}};
  settle_all(*given_up_);
  bool any = false;
  for (const auto& worker : workers_) {
    for (auto& question : worker->in_flight | std::views::values)
      settle(std::exchange(question, nullptr), fail(*given_up_));
    if (!worker->process) continue;
    any = true;
    worker->process->finish();
  }
  if (!any) co_return;
  Arrival<bool> end(loop_, EventLoop::after(kTimeToEnd));
  struct Entry {
    std::vector<Arrival<bool>*>& all;
    Arrival<bool>* own;
    ~Entry() { std::erase(all, own); }
  };
  waiting_for_end_.push_back(&end);
  const Entry entry{waiting_for_end_, &end};
  co_await end;
}

void ProgramPool::warn(const std::string& text) {
  if (warn_ && ++warnings_ <= kMostWarnings) warn_(text);
}

Error ProgramPool::failure(std::string_view message) const {
  return {ErrorKind::judge, secrets_.hide_pieces(message), {{"program", name_}}};
}

Error ProgramPool::explained(const Worker& worker, std::string message) const {
  if (worker.useless > 0) {
    message += worker.useless == 1
                   ? fmt::format("; it wrote a line that is no reply: {}", worker.first_useless)
                   : fmt::format("; it wrote {} lines that are no replies, the first: {}", worker.useless,
                                 worker.first_useless);
  }
  const std::string said =
      worker.process ? quoted_end(worker.process->error_tail(), kLongestQuote, secrets_) : std::string();
  if (!said.empty()) message += fmt::format("; its standard error ends with: {}", said);
  return failure(message);
}

Task<Result<Json>> Programs::ask(const ProgramSpec& program, JsonObject question) {
  auto& pool = pools_[fmt::format("{} {} {} {}", program.processes, program.in_flight,
                                  program.timeout.count(), canonical_text(to_json(program)))];
  if (!pool) pool = std::make_unique<ProgramPool>(loop_, program, environment_, warn_);
  return pool->ask(std::move(question));
}

Task<void> Programs::close() {
  std::vector<Task<void>> leaving;
  leaving.reserve(pools_.size());
  for (const auto& [declaration, pool] : pools_) leaving.push_back(pool->close());
  co_await all(std::move(leaving));
}

}  // namespace assay
