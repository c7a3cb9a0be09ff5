// A program of the user's that answers many questions: a few long-lived processes of one command, one JSON
// line in for each question, one JSON line out, in any order. The id on a line is ours, unique for each
// sending, so that no two questions are ever mixed.
//
// What can go wrong costs the question that it befalls, and no other:
//   a reply that cannot be read, that has no id or one that nobody was given: the question that it names
//     fails, or else the oldest one at that process;
//   an id answered twice, or after its question was given up: not counted;
//   talk on standard output that is no reply: passed over, and told in the next error;
//   nothing within `timeout`: that question fails. Its time begins when it is the oldest one at its process,
//     so that nobody pays for those before it. A process that answered nothing at all meanwhile is replaced;
//   the process ends, writes a line above the cap, or talks without end: it is replaced. Who caused it is
//     known only if one question was there and the process had answered none before; otherwise those that
//     were there are asked once more, one at a time.
// A program that has never answered and was lost 3 times over a question is not started again, nor is one
// that was lost 20 times without an answer between: then every question fails at once with the reason.
//
// Belongs to one event loop, which must outlive it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/secrets/secrets.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "net/process/pipe_process.h"
#include "tools/mcp/mcp_wait.h"

namespace assay {

struct ProgramSpec {
  std::vector<std::string> command{};  // without a shell; the first is looked up in PATH
  // Added to our own environment. `${NAME}` in a value is filled from there when a process is started, so
  // that no secret is in a config or journal.
  std::vector<std::pair<std::string, std::string>> environment{};
  std::string working_directory{};  // empty: ours
  int processes = 1;                // started when they are first needed
  int in_flight = 16;               // questions that one process has at a time
  Duration timeout = std::chrono::seconds(60);
  std::size_t max_line = std::size_t{1} << 20;       // of a reply
  std::size_t max_question = std::size_t{16} << 20;  // bytes
};

// What decides its replies, for the journal: neither limits nor secrets.
Json to_json(const ProgramSpec& program);

class ProgramPool {
 public:
  using Warn = std::function<void(const std::string& warning)>;

  // `warn` hears of what was passed over, a bounded number of times; may be empty.
  ProgramPool(EventLoop& loop, ProgramSpec program, Environment environment, Warn warn = {});
  ProgramPool(const ProgramPool&) = delete;
  ProgramPool& operator=(const ProgramPool&) = delete;
  // Ends the processes. Whoever still waits fails (cancelled).
  ~ProgramPool();

  // The reply without its id, which may well be {"error": …}. `question` has no member `id`; it waits for a
  // place. Destroyed, it is given up. What `${NAME}` stood for is hidden in the reply, and what inherited
  // variables with a telling name hold. Errors: judge (what befell it, with the end of what the program wrote
  // to its standard error), auth (a `${NAME}` that is not set), cancelled.
  Task<Result<Json>> ask(JsonObject question);
  // Closes their standard inputs and waits until the processes are gone, 5 s at most. Later questions fail.
  Task<void> close();

  std::size_t starts() const { return starts_; }

 private:
  struct Question;
  struct Worker;

  void dispatch();
  Worker* freest();
  void send(Worker& worker, Question& question);
  Status start(Worker& worker);
  void take_line(Worker& worker, std::string_view line);
  bool bear(Worker& worker, std::string_view line);
  void take_chatter(Worker& worker, std::string_view line);
  void take_reply(Worker& worker, const std::string& id, JsonObject reply);
  void blame(Worker& worker, const std::string& id, std::string_view defect, std::string_view line);
  Question* take_out(Worker& worker, std::uint64_t id);
  void watch_oldest(Worker& worker);
  void expired(Worker& worker);
  void lost(Worker& worker, const Error& why);
  void suspect_all(Worker& worker);
  void count_loss(const Error& why);
  static void settle(Question* question, Result<Json> reply);
  void settle_all(const Error& why);
  void forget(Question& question);
  void warn(const std::string& text);
  Error failure(std::string_view message) const;
  // With what the program said, which is where the reason stands.
  Error explained(const Worker& worker, std::string message) const;

  EventLoop& loop_;
  ProgramSpec program_;
  std::string name_;  // for messages
  Secrets secrets_;   // what environment_ has given, and what is inherited
  Environment environment_;
  Warn warn_;
  std::size_t warnings_ = 0;
  std::map<std::uint64_t, Question*> waiting_;  // for a place, in the order of their coming
  std::uint64_t last_place_ = 0;
  std::uint64_t last_id_ = 0;
  std::size_t starts_ = 0;
  bool has_answered_ = false;
  int losses_ = 0;  // over a question, with no answer since
  std::optional<Error> given_up_;
  std::vector<Arrival<bool>*> waiting_for_end_;
  std::vector<std::unique_ptr<Worker>> workers_;  // last: their processes call the rest
};

// The programs of a run: one pool for each declaration, made when it is first asked. Belongs to one event
// loop.
class Programs {
 public:
  Programs(EventLoop& loop, Environment environment, ProgramPool::Warn warn = {})
      : loop_(loop), environment_(std::move(environment)), warn_(std::move(warn)) {}

  // See ProgramPool::ask.
  Task<Result<Json>> ask(const ProgramSpec& program, JsonObject question);
  // All take leave, side by side.
  Task<void> close();

 private:
  EventLoop& loop_;
  Environment environment_;
  ProgramPool::Warn warn_;
  std::map<std::string, std::unique_ptr<ProgramPool>> pools_;  // by declaration and limits
};

}  // namespace assay
