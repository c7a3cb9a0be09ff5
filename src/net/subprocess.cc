#include "net/subprocess.h"

#include <cerrno>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/spawn.h"
#include "net/transfer_failure.h"

namespace assay {
namespace {

constexpr Duration kTimeToDie = std::chrono::seconds(2);
// For what a grandchild may still be writing when the child has ended.
constexpr Duration kGrace = std::chrono::milliseconds(200);
// Only for kernels without pidfd_open (before Linux 5.3).
constexpr Duration kPollInterval = std::chrono::milliseconds(10);
constexpr std::size_t kReadSize = std::size_t{64} << 10;

// A child that has been started. Its process group is signalled only until the child has been reaped: after
// that the number may belong to others. Destroying this kills and reaps what still runs.
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

  // `owner` keeps this alive while it is watched; it may be null.
  void watch_exit(const std::shared_ptr<Child>& owner);
  void exited();
  void write_input();
  void read_output(Output& output);
  void close_streams();
  void close_stream(Descriptor& fd);
  void stop(Error error);
  void terminate(const std::shared_ptr<Child>& owner);
  void end_if_complete();
  void end();
  int kill_rest_and_reap();

  EventLoop& loop_;
  ProcessRequest request_;
  pid_t pid_;  // -1 after it has been reaped
  Descriptor exit_fd_;
  Descriptor input_;
  std::size_t written_ = 0;
  ProcessResult collected_;
  Output outputs_[2];
  bool has_exited_ = false;
  std::optional<Error> error_;
  std::optional<Result<ProcessResult>> result_;
  std::function<void()> ended_;
  EventLoop::TimerId deadline_timer_ = 0;
  EventLoop::TimerId kill_timer_ = 0;
  EventLoop::TimerId grace_timer_ = 0;
  EventLoop::TimerId poll_timer_ = 0;
};

Child::Child(EventLoop& loop, ProcessRequest request, SpawnedProcess process)
    : loop_(loop),
      request_(std::move(request)),
      pid_(process.pid),
      exit_fd_(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0))),
      input_(std::move(process.input)),
      outputs_{{std::move(process.output), &collected_.output, "standard output"},
               {std::move(process.error_output), &collected_.error_output, "standard error"}} {}

Child::~Child() {
  for (const auto timer : {deadline_timer_, kill_timer_, grace_timer_, poll_timer_}) loop_.cancel(timer);
  close_streams();
  if (exit_fd_.open()) loop_.unwatch(exit_fd_.get());
  if (pid_ > 0) kill_rest_and_reap();
}

void Child::run(std::function<void()> ended) {
  ended_ = std::move(ended);
  watch_exit(nullptr);
  for (Output& output : outputs_) {
    loop_.watch(output.fd.get(), EPOLLIN, [this, &output](std::uint32_t) {
      const auto alive = shared_from_this();
      read_output(output);
      end_if_complete();
    });
  }
  if (request_.input.empty()) {
    close_stream(input_);
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

void Child::watch_exit(const std::shared_ptr<Child>& owner) {
  if (exit_fd_.open()) {
    loop_.watch(exit_fd_.get(), EPOLLIN, [this, owner](std::uint32_t) {
      const auto alive = shared_from_this();
      exited();
    });
    return;
  }
  loop_.cancel(poll_timer_);
  poll_timer_ = loop_.call_after(kPollInterval, [this, owner] {
    const auto alive = shared_from_this();
    poll_timer_ = 0;
    siginfo_t info{};
    const int code = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (code == 0 && info.si_pid == 0) return watch_exit(owner);
    exited();
  });
}

void Child::exited() {
  has_exited_ = true;
  loop_.cancel(std::exchange(deadline_timer_, 0));
  if (exit_fd_.open()) loop_.unwatch(exit_fd_.get());
  close_stream(input_);
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
  for (const auto timer : {deadline_timer_, kill_timer_, grace_timer_}) loop_.cancel(timer);
  collected_.exit_code = kill_rest_and_reap();
  if (error_) {
    result_.emplace(fail(std::move(*error_)));
  } else {
    result_.emplace(std::move(collected_));
  }
  if (ended_) std::exchange(ended_, nullptr)();
}

int Child::kill_rest_and_reap() {
  ::kill(-pid_, SIGKILL);
  siginfo_t info{};
  int code = 0;
  do {
    code = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED);
  } while (code != 0 && errno == EINTR);
  pid_ = -1;
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

void Child::write_input() {
  const std::string_view rest = std::string_view(request_.input).substr(written_);
  const auto count = ::write(input_.get(), rest.data(), rest.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) written_ += static_cast<std::size_t>(count);
  // EPIPE: it does not want to read on, which is its own affair.
  if (count < 0 || written_ == request_.input.size()) close_stream(input_);
}

void Child::read_output(Output& output) {
  char buffer[kReadSize];
  while (output.fd.open()) {
    const auto count = ::read(output.fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return close_stream(output.fd);
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

void Child::close_stream(Descriptor& fd) {
  if (fd.open()) loop_.unwatch(fd.get());
  fd.reset();
}

void Child::close_streams() {
  close_stream(input_);
  for (Output& output : outputs_) close_stream(output.fd);
}

// The result comes when the child is gone, 2 s later at most.
void Child::stop(Error error) {
  if (error_ || result_) return;
  error_ = std::move(error);
  close_streams();
  if (!has_exited_) terminate(nullptr);
}

void Child::terminate(const std::shared_ptr<Child>& owner) {
  ::kill(-pid_, SIGTERM);
  ::kill(-pid_, SIGCONT);  // a stopped process would not hear of it
  loop_.cancel(kill_timer_);
  kill_timer_ = loop_.call_after(kTimeToDie, [this, owner] {
    kill_timer_ = 0;
    ::kill(-pid_, SIGKILL);
  });
}

void Child::abandon() {
  if (result_) return;
  ended_ = nullptr;
  close_streams();
  loop_.cancel(std::exchange(deadline_timer_, 0));
  loop_.cancel(std::exchange(grace_timer_, 0));
  if (has_exited_) return;
  watch_exit(shared_from_this());
  terminate(shared_from_this());
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
