#include "net/process/child_process.h"

#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/process/life_line.h"

namespace assay {
namespace {

constexpr Duration kTimeToDie = std::chrono::seconds(2);
// Only for kernels without pidfd_open (before Linux 5.3).
constexpr Duration kPollInterval = std::chrono::milliseconds(10);

}  // namespace

ChildProcess::ChildProcess(EventLoop& loop, pid_t pid)
    : loop_(loop), pid_(pid), exit_fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
  LifeLine::of_process().add(pid);
}

ChildProcess::~ChildProcess() {
  if (!reaped()) kill_rest_and_reap();
}

void ChildProcess::watch_exit(std::function<void()> exited) {
  if (exit_fd_.open()) {
    loop_.watch(exit_fd_.get(), EPOLLIN, [this, exited = std::move(exited)](std::uint32_t) {
      const auto call = exited;  // outlives what unwatching lets go
      loop_.unwatch(exit_fd_.get());
      call();
    });
    return;
  }
  loop_.cancel(poll_timer_);
  poll_timer_ = loop_.call_after(kPollInterval, [this, exited = std::move(exited)] {
    poll_timer_ = 0;
    siginfo_t info{};
    const int code = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (code == 0 && info.si_pid == 0) return watch_exit(exited);
    exited();
  });
}

void ChildProcess::terminate(std::shared_ptr<const void> owner) {
  assert(!reaped());
  ::kill(-pid_, SIGTERM);
  ::kill(-pid_, SIGCONT);  // a stopped process would not hear of it
  loop_.cancel(kill_timer_);
  kill_timer_ = loop_.call_after(kTimeToDie, [this, owner = std::move(owner)] {
    kill_timer_ = 0;
    ::kill(-pid_, SIGKILL);
  });
}

siginfo_t ChildProcess::kill_rest_and_reap() {
  assert(!reaped());
  for (EventLoop::TimerId* timer : {&kill_timer_, &poll_timer_}) loop_.cancel(std::exchange(*timer, 0));
  if (exit_fd_.open()) loop_.unwatch(exit_fd_.get());
  ::kill(-pid_, SIGKILL);
  LifeLine::of_process().remove(pid_);  // before its number is free for others
  siginfo_t info{};
  int code = 0;
  do {
    code = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED);
  } while (code != 0 && errno == EINTR);
  pid_ = -1;
  return info;
}

void close_stream(EventLoop& loop, Descriptor& fd) {
  if (fd.open()) loop.unwatch(fd.get());
  fd.reset();
}

}  // namespace assay
