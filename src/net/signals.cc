#include "net/signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace assay {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// A signal handler can reach nothing but globals. The pipe is made once and never closed: a handler that is
// running in another thread must not find its number given to another file.
struct SignalPipe {
  int read_end = -1;
  int write_end = -1;
};
SignalPipe signal_pipe;  // written before the first handler is installed
std::atomic<bool> being_watched{false};
std::array<struct sigaction, kSignals.size()> previous;

// Only what is safe in a signal handler: one write. A full pipe loses the signal, after thousands unread.
void pass_on(int signal) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const auto n = ::write(signal_pipe.write_end, &byte, 1);
  errno = saved;
}

void open_signal_pipe() {
  if (signal_pipe.read_end >= 0) {
    unsigned char left_over = 0;
    while (::read(signal_pipe.read_end, &left_over, 1) == 1) {
    }
    return;
  }
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe for signals");
  }
  signal_pipe = {.read_end = ends[0], .write_end = ends[1]};
}

}  // namespace

SignalWatch::SignalWatch(EventLoop& loop, std::function<void(int)> received) : loop_(loop) {
  if (being_watched.exchange(true)) throw std::logic_error("a second SignalWatch");
  open_signal_pipe();
  loop_.watch(signal_pipe.read_end, EPOLLIN, [function = std::move(received)](std::uint32_t) {
    // One at a time: the function may destroy the watch.
    unsigned char signal = 0;
    if (::read(signal_pipe.read_end, &signal, 1) == 1) function(signal);
  });
  struct sigaction action{};
  action.sa_handler = &pass_on;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) ::sigaddset(&action.sa_mask, signal);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &previous[i]);
    if (kSignals[i] == SIGHUP && previous[i].sa_handler == SIG_IGN)
      ::sigaction(SIGHUP, &previous[i], nullptr);
  }
}

SignalWatch::~SignalWatch() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &previous[i], nullptr);
  loop_.unwatch(signal_pipe.read_end);
  being_watched = false;
}

void ignore_broken_pipes() {
  struct sigaction current{};
  if (::sigaction(SIGPIPE, nullptr, &current) == 0 && current.sa_handler == SIG_DFL)
    ::signal(SIGPIPE, SIG_IGN);
}

}  // namespace assay
