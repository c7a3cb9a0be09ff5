#include "net/signals.h"

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace assay {
namespace {

using namespace std::chrono_literals;

TEST(SignalWatch, DeliversSignalsOnTheLoop) {
  EventLoop loop;
  std::vector<int> received;
  std::thread::id thread;
  const SignalWatch watch(loop, [&](int signal) {
    received.push_back(signal);
    thread = std::this_thread::get_id();
    if (received.size() == 3) loop.stop();
  });
  std::thread other([] {
    for (const int signal : {SIGINT, SIGTERM, SIGINT})
      std::raise(signal);  // returns when it has been handled
  });
  other.join();
  EXPECT_TRUE(received.empty());  // only the loop delivers
  loop.run();
  EXPECT_EQ(received, (std::vector<int>{SIGINT, SIGTERM, SIGINT}));
  EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST(SignalWatch, WakesAWaitingLoop) {
  EventLoop loop;
  int received = 0;
  const SignalWatch watch(loop, [&](int signal) {
    received = signal;
    loop.stop();
  });
  std::thread other([] {
    std::this_thread::sleep_for(10ms);
    ::kill(::getpid(), SIGTERM);
  });
  loop.run();
  other.join();
  EXPECT_EQ(received, SIGTERM);
}

TEST(SignalWatch, ItsEndRestoresWhatWasBefore) {
  static volatile std::sig_atomic_t seen = 0;
  const auto before = std::signal(SIGINT, [](int) { seen = 1; });
  EventLoop loop;
  {
    const SignalWatch watch(loop, [](int) {});
    std::raise(SIGINT);
    EXPECT_EQ(seen, 0);
    EXPECT_THROW(SignalWatch(loop, [](int) {}), std::logic_error);
  }
  EXPECT_EQ(loop.load().watches, 0U);
  std::raise(SIGINT);
  EXPECT_EQ(seen, 1);
  // What an earlier watch left unread does not reach a later one.
  int stale = 0;
  const SignalWatch again(loop, [&](int) { ++stale; });
  loop.call_after(3ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(stale, 0);
  std::signal(SIGINT, before);
}

TEST(SignalWatch, MayBeDestroyedByItsOwnFunction) {
  EventLoop loop;
  std::unique_ptr<SignalWatch> watch;
  int calls = 0;
  watch = std::make_unique<SignalWatch>(loop, [&](int) {
    ++calls;
    watch.reset();
    loop.stop();
  });
  std::raise(SIGTERM);
  loop.run();
  EXPECT_EQ(calls, 1);
}

TEST(BrokenPipes, AreErrorsAndNotSignals) {
  const EventLoop loop;
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
}

}  // namespace
}  // namespace assay
