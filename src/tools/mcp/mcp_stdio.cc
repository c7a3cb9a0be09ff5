#include "tools/mcp/mcp_stdio.h"

#include <map>
#include <optional>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "core/text.h"
#include "net/http/transfer_failure.h"
#include "net/process/pipe_process.h"
#include "tools/hidden.h"
#include "tools/mcp/mcp_wait.h"

namespace assay {
namespace {

constexpr std::size_t kMostChatter = 100;    // lines
constexpr std::size_t kLongestQuote = 1000;  // bytes of stderr in a message
// The process is gone 3 s after finish() and 2 s after stop(), if the kernel is not very busy.
constexpr Duration kTimeToEnd = std::chrono::seconds(5);
constexpr Duration kTimeToStop = std::chrono::seconds(3);

class McpStdio final : public McpTransport {
 public:
  McpStdio(EventLoop& loop, std::string program, const Secrets& secrets)
      : loop_(loop), program_(std::move(program)), secrets_(secrets) {}

  Status start(const McpServer& server, const Environment& environment);
  Task<Result<McpReply>> exchange(McpOutgoing request, Duration timeout) override;
  Task<Status> notify(std::string text, Duration timeout) override;
  void agree_on(const std::string& /*version*/) override {}
  McpHealth health() const override;
  void trust() override { doubted_ = false; }
  Task<void> stop(Error why) override;
  Task<void> close() override;

 private:
  using Waiting = Arrival<Result<McpReply>>;

  // The place of a request among those that wait. Left without a reply, it tells the server so.
  class Place {
   public:
    Place(McpStdio& owner, const McpOutgoing& request, Waiting& waiting)
        : owner_(owner), id_(request.id), when_given_up_(request.when_given_up) {
      owner_.waiting_.insert_or_assign(id_, &waiting);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
      if (owner_.waiting_.erase(id_) == 0 || when_given_up_ == McpOutgoing::WhenGivenUp::be_silent) return;
      owner_.send(
          mcp_notification_text("notifications/cancelled", cancelled_params(id_, "no longer waited for")));
    }

   private:
    McpStdio& owner_;
    std::int64_t id_;
    McpOutgoing::WhenGivenUp when_given_up_;
  };

  void take_line(std::string_view line);
  void take_message(McpMessage message);
  void take_chatter(std::string_view line);
  void ended(const Error& why);
  void send(std::string_view text);
  void fail_all(const Error& why);
  Task<void> wait_for_end(Duration patience);
  // With what the server said, which is where the reason stands.
  Error explained(Error error) const;

  EventLoop& loop_;
  std::string program_;
  const Secrets& secrets_;
  std::map<std::int64_t, Waiting*> waiting_;
  std::vector<Arrival<std::monostate>*> waiting_for_end_;
  std::optional<Error> lost_;
  bool doubted_ = false;
  std::size_t chatter_ = 0;
  std::string first_chatter_;
  std::optional<PipeProcess> process_;  // last: its functions use the rest
};

Status McpStdio::start(const McpServer& server, const Environment& environment) {
  auto variables = fill_values(server.environment, environment);
  if (!variables) return fail(std::move(variables.error()));
  auto process = PipeProcess::start(loop_, {.argv = server.command,
                                            .inherited = InheritedVariables::safe,
                                            .environment = std::move(*variables),
                                            .working_directory = server.working_directory,
                                            .max_line = server.max_message,
                                            .on_line = [this](std::string_view line) { take_line(line); },
                                            .on_end = [this](const Error& why) { ended(why); }});
  if (!process) return fail(std::move(process.error()));
  process_.emplace(std::move(*process));
  return {};
}

Task<Result<McpReply>> McpStdio::exchange(McpOutgoing request, Duration timeout) {
  if (lost_) co_return fail(*lost_);
  Waiting waiting(loop_, EventLoop::after(timeout));
  const Place place(*this, request, waiting);
  auto sent = process_->write_line(request.text);
  // A server that is on its way out has its own reason to tell, and soon.
  if (!sent && process_->open()) co_return fail(explained(std::move(sent.error())));
  if (auto came = co_await waiting) co_return std::move(*came);
  doubted_ = true;
  co_return fail(explained(Error{
      ErrorKind::timeout, fmt::format("{} did not answer within {}", program_, in_words(timeout)), {}}));
}

Task<Status> McpStdio::notify(std::string text, Duration /*timeout*/) {
  if (lost_) co_return fail(*lost_);
  auto sent = process_->write_line(text);
  if (!sent) co_return fail(explained(std::move(sent.error())));
  co_return Status();
}

McpHealth McpStdio::health() const {
  if (lost_ || !process_->open()) return McpHealth::lost;
  return doubted_ ? McpHealth::doubted : McpHealth::good;
}

void McpStdio::take_line(std::string_view line) {
  line = trim(line);
  if (line.empty()) return;
  if (line.front() != '{' && line.front() != '[') return take_chatter(line);
  auto messages = read_mcp_messages(line, secrets_);
  if (!messages) {
    return process_->stop(
        Error{ErrorKind::target,
              fmt::format("{} wrote a line that is not a message of the protocol ({}): {}", program_,
                          messages.error().message, quoted_start(line, 200, secrets_)),
              {}});
  }
  for (McpMessage& message : *messages) take_message(std::move(message));
}

void McpStdio::take_chatter(std::string_view line) {
  if (++chatter_ == 1) first_chatter_ = quoted_start(line, 200, secrets_);
  if (chatter_ <= kMostChatter) return;
  process_->stop(Error{ErrorKind::target,
                       fmt::format("{} wrote more than {} lines to its standard output that are not "
                                   "messages of the protocol; the first: {}",
                                   program_, kMostChatter, first_chatter_),
                       {}});
}

void McpStdio::take_message(McpMessage message) {
  if (const auto* request = std::get_if<McpRequest>(&message)) return send(mcp_answer_text(*request));
  auto* reply = std::get_if<McpReply>(&message);
  if (!reply) return;
  if (!reply->id) {
    // It could not read something of ours, and does not know what.
    return fail_all(explained(
        Error{ErrorKind::target, fmt::format("{} complains: {}", program_, reply->fault->message), {}}));
  }
  const auto found = waiting_.find(*reply->id);
  if (found == waiting_.end()) return;  // given up before
  Waiting* waiting = found->second;
  waiting_.erase(found);
  waiting->set(std::move(*reply));
}

void McpStdio::ended(const Error& why) {
  lost_ = explained(why);
  fail_all(*lost_);
  for (auto* waiting : std::exchange(waiting_for_end_, {})) waiting->set({});
}

void McpStdio::fail_all(const Error& why) {
  for (const auto& [id, waiting] : std::exchange(waiting_, {})) waiting->set(fail(why));
}

// What cannot be sent to a server that does not read is lost: its own requests then find no answer.
void McpStdio::send(std::string_view text) {
  if (lost_) return;
  [[maybe_unused]] const auto sent = process_->write_line(text);
}

Error McpStdio::explained(Error error) const {
  const std::string said = quoted_end(process_->error_tail(), kLongestQuote, secrets_);
  if (chatter_ > 0 && chatter_ <= kMostChatter) {
    error.message += fmt::format("; it wrote {} line{} that are not messages, the first: {}", chatter_,
                                 chatter_ == 1 ? "" : "s", first_chatter_);
  }
  if (!said.empty()) error.message += fmt::format("; its standard error ends with: {}", said);
  return error;
}

Task<void> McpStdio::stop(Error why) {
  if (lost_) co_return;
  process_->stop(std::move(why));
  co_await wait_for_end(kTimeToStop);
}

Task<void> McpStdio::close() {
  if (lost_) co_return;
  process_->finish();
  co_await wait_for_end(kTimeToEnd);
}

Task<void> McpStdio::wait_for_end(Duration patience) {
  Arrival<std::monostate> end(loop_, EventLoop::after(patience));
  struct Entry {
    std::vector<Arrival<std::monostate>*>& all;
    Arrival<std::monostate>* own;
    ~Entry() { std::erase(all, own); }
  };
  waiting_for_end_.push_back(&end);
  const Entry entry{waiting_for_end_, &end};
  co_await end;
}

}  // namespace

Result<std::shared_ptr<McpTransport>> start_mcp_program(EventLoop& loop, const McpServer& server,
                                                        const Environment& environment,
                                                        const Secrets& secrets) {
  auto transport = std::make_shared<McpStdio>(
      loop, server.command.empty() ? std::string() : server.command.front(), secrets);
  if (auto started = transport->start(server, environment); !started) return fail(std::move(started.error()));
  return transport;
}

}  // namespace assay
