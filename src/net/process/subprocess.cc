#include "net/process/subprocess.h"

#include <cerrno>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "net/http/transfer_failure.h"
#include "net/process/child_process.h"
#include "net/process/spawn.h"

namespace assay {
namespace {

// For what a grandchild may still be writing when the child has ended.
constexpr Duration kGrace = std::chrono::milliseconds(200);
constexpr std::size_t kReadSize = std::size_t{64} << 10;

// A child that has been started, and what it has written so far.
class Child : public std::enable_shared_from_this<Child> {
 public:
  Child(EventLoop& loop, ProcessRequest request, SpawnedProcess process);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  // Begins to read and write; `ended` is called once, later, when there is a result.
  void run(std::function<void()> ended);
  Result<ProcessResult> take_result() { return std::move(*result_); }
  // Nobody waits any more: the group is asked to end, and killed if it does not. The loop owns it meanwhile.
  void abandon();

 private:
  struct Output {
    Descriptor fd;
    std::string* text;
    std::string_view name;
  };

  void exited();
  void write_input();
  void read_output(Output& output);
  void close_streams();
  void stop(Error error);
  void end_if_complete();
  void end();

  EventLoop& loop_;
  ProcessRequest request_;
  ChildProcess process_;
  Descriptor input_;
  std::size_t written_ = 0;
  ProcessResult collected_;
  Output outputs_[2];
  bool has_exited_ = false;
  std::optional<Error> error_;
  std::optional<Result<ProcessResult>> result_;
  std::function<void()> ended_;
  EventLoop::TimerId deadline_timer_ = 0;
  EventLoop::TimerId grace_timer_ = 0;
};

Child::Child(EventLoop& loop, ProcessRequest request, SpawnedProcess process)
    : loop_(loop),
      request_(std::move(request)),
      process_(loop, process.pid),
      input_(std::move(process.input)),
      outputs_{{std::move(process.output), &collected_.output, "standard output"},
               {std::move(process.error_output), &collected_.error_output, "standard error"}} {}

Child::~Child() {
  for (const auto timer : {deadline_timer_, grace_timer_}) loop_.cancel(timer);
  close_streams();
}

void Child::run(std::function<void()> ended) {
  ended_ = std::move(ended);
  process_.watch_exit([this] { exited(); });
  for (Output& output : outputs_) {
    loop_.watch(output.fd.get(), EPOLLIN, [this, &output](std::uint32_t) {
      const auto alive = shared_from_this();
      read_output(output);
      end_if_complete();
    });
  }
  if (request_.input.empty()) {
    close_stream(loop_, input_);
  } else {
    loop_.watch(input_.get(), EPOLLOUT, [this](std::uint32_t) { write_input(); });
  }
  deadline_timer_ = loop_.call_after(request_.timeout, [this] {
    deadline_timer_ = 0;
    stop(Error{ErrorKind::timeout,
               fmt::format("{} did not end within {}", request_.argv.front(), in_words(request_.timeout)),
               {}});
  });
}

void Child::exited() {
  const auto alive = shared_from_this();
  has_exited_ = true;
  loop_.cancel(std::exchange(deadline_timer_, 0));
  close_stream(loop_, input_);
  end_if_complete();
}

void Child::end_if_complete() {
  if (!has_exited_ || result_) return;
  if (error_ || !ended_ || (!outputs_[0].fd.open() && !outputs_[1].fd.open())) return end();
  if (grace_timer_ != 0) return;
  grace_timer_ = loop_.call_after(kGrace, [this] {
    const auto alive = shared_from_this();
    grace_timer_ = 0;
    for (Output& output : outputs_) read_output(output);
    end();
  });
}

void Child::end() {
  if (result_) return;
  close_streams();
  for (const auto timer : {deadline_timer_, grace_timer_}) loop_.cancel(timer);
  const siginfo_t info = process_.kill_rest_and_reap();
  collected_.exit_code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  if (error_) {
    result_.emplace(fail(std::move(*error_)));
  } else {
    result_.emplace(std::move(collected_));
  }
  if (ended_) std::exchange(ended_, nullptr)();
}

void Child::write_input() {
  const std::string_view rest = std::string_view(request_.input).substr(written_);
  const auto count = ::write(input_.get(), rest.data(), rest.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) written_ += static_cast<std::size_t>(count);
  // EPIPE: it does not want to read on, which is its own affair.
  if (count < 0 || written_ == request_.input.size()) close_stream(loop_, input_);
}

void Child::read_output(Output& output) {
  char buffer[kReadSize];
  while (output.fd.open()) {
    const auto count = ::read(output.fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close_stream(loop_, output.fd);
    const auto size = static_cast<std::size_t>(count);
    if (output.text->size() + size > request_.max_output) {
      return stop(Error{ErrorKind::target,
                        fmt::format("{} wrote more than {} bytes to its {}", request_.argv.front(),
                                    request_.max_output, output.name),
                        {}});
    }
    output.text->append(buffer, size);
    if (size < sizeof buffer) return;
  }
}

void Child::close_streams() {
  close_stream(loop_, input_);
  for (Output& output : outputs_) close_stream(loop_, output.fd);
}

// The result comes when the child is gone, 2 s later at most.
void Child::stop(Error error) {
  if (error_ || result_) return;
  error_ = std::move(error);
  close_streams();
  if (!has_exited_) process_.terminate();
}

void Child::abandon() {
  if (result_) return;
  ended_ = nullptr;
  close_streams();
  loop_.cancel(std::exchange(deadline_timer_, 0));
  loop_.cancel(std::exchange(grace_timer_, 0));
  if (has_exited_) return;
  process_.watch_exit([owner = shared_from_this()] { owner->exited(); });
  process_.terminate(shared_from_this());
}

// co_await Run(child): until it has a result. Destroyed before that, it abandons the child.
class Run {
 public:
  explicit Run(std::shared_ptr<Child> child) : child_(std::move(child)) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { child_->abandon(); }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    child_->run([handle] { handle.resume(); });
  }
  Result<ProcessResult> await_resume() { return child_->take_result(); }

 private:
  std::shared_ptr<Child> child_;
};

}  // namespace

Task<Result<ProcessResult>> run_process(EventLoop& loop, ProcessRequest request) {
  auto process = spawn_process(request);
  if (!process) co_return fail(std::move(process.error()));
  co_return co_await Run(std::make_shared<Child>(loop, std::move(request), std::move(*process)));
}

}  // namespace assay
