#include "net/process/pipe_process.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

bool exists(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string word;
  while (file >> word) {
    if (word.ends_with(')')) return file >> word && word != "Z" && word != "X";
  }
  return false;
}

struct Pipe : testing::Test {
  EventLoop loop;
  std::size_t files_before = open_files();
  pid_t children_before = ::waitpid(-1, nullptr, WNOHANG);
  std::vector<std::string> lines;
  std::optional<Error> end;
  std::optional<PipeProcess> process;

  void shell(std::string script, std::size_t max_line = 1000, std::size_t max_unsent = 1 << 20) {
    auto started =
        PipeProcess::start(loop, {.argv = {"sh", "-c", std::move(script)},
                                  .max_line = max_line,
                                  .max_unsent = max_unsent,
                                  .on_line = [this](std::string_view line) { lines.emplace_back(line); },
                                  .on_end = [this](Error why) { end = std::move(why); }});
    ASSERT_TRUE(started) << started.error().text();
    process.emplace(std::move(*started));
  }
  template <class Condition>
  void run_until(Condition condition) {
    const auto deadline = Clock::now() + 10s;
    while (!condition() && Clock::now() < deadline) run_for(2ms);
    EXPECT_TRUE(condition()) << "waited for 10 s";
  }
  void run_for(Duration time) {
    loop.run_until_done([](EventLoop& l, Duration d) -> Task<void> { co_await l.sleep(d); }(loop, time));
  }
  void run_to_end() {
    run_until([this] { return end.has_value(); });
  }
  void TearDown() override {
    process.reset();
    run_until([this] { return loop.load().watches == 0 && loop.load().timers == 0; });
    EXPECT_EQ(open_files(), files_before);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), children_before) << "a child was not reaped";
  }
};

TEST_F(Pipe, CarriesLinesBothWays) {
  shell("while read -r line; do echo \"got $line\"; done");
  ASSERT_TRUE(process->write_line("one"));
  run_until([this] { return lines.size() == 1; });
  ASSERT_TRUE(process->write_line("two"));
  ASSERT_TRUE(process->write_line("three"));
  run_until([this] { return lines.size() == 3; });
  EXPECT_THAT(lines, ElementsAre("got one", "got two", "got three"));
  EXPECT_FALSE(end);
  process->finish();
  run_to_end();
  EXPECT_EQ(end->message, "sh ended with exit code 0");
}

TEST_F(Pipe, CutsLinesWhereverTheChunksEnd) {
  shell("printf 'a'; sleep 0.05; printf 'b\\r\\n\\nc\\nd'; sleep 0.05; printf 'e\\ntorn'");
  run_to_end();
  EXPECT_THAT(lines, ElementsAre("ab", "", "c", "de"));
}

TEST_F(Pipe, HandsOnEveryLineBeforeTheEnd) {
  shell("seq 1 20000; exit 7");
  run_to_end();
  ASSERT_EQ(lines.size(), 20000U);
  EXPECT_EQ(lines.back(), "20000");
  EXPECT_EQ(end->message, "sh ended with exit code 7");
  EXPECT_EQ(end->kind, ErrorKind::target);
}

TEST_F(Pipe, TellsADeathBySignal) {
  shell("kill -9 $$");
  run_to_end();
  EXPECT_EQ(end->message, "sh was ended by signal 9 (Killed)");
}

TEST_F(Pipe, KeepsTheEndOfStandardError) {
  shell("head -c 100000 /dev/zero | tr '\\0' x >&2; echo last >&2");
  run_to_end();
  EXPECT_EQ(process->error_tail().size(), 4096U);
  EXPECT_TRUE(process->error_tail().ends_with("xxlast\n"));
}

TEST_F(Pipe, ALineAboveTheCapEndsTheProcess) {
  shell("head -c 1000 /dev/zero | tr '\\0' x; echo; yes | tr -d '\\n'");
  run_to_end();
  ASSERT_EQ(lines.size(), 1U);  // exactly at the cap
  EXPECT_EQ(lines[0].size(), 1000U);
  EXPECT_EQ(end->message, "sh wrote a line of more than 1000 bytes");
}

TEST_F(Pipe, WhatIsNotReadWaitsUpToACap) {
  shell("sleep 300", 1000, 300'000);
  const std::string line(99'999, 'x');
  EXPECT_TRUE(process->write_line(line));  // 64 KiB of it go into the pipe
  EXPECT_TRUE(process->write_line(line));
  EXPECT_TRUE(process->write_line(line));
  const auto refused = process->write_line(line);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "sh does not read: more than 300000 bytes wait for it");
  EXPECT_TRUE(process->open());
}

TEST_F(Pipe, AMegabyteGoesThroughAndComesBack) {
  shell("cat", 2 << 20, 4 << 20);
  const std::string line(1 << 20, 'm');
  ASSERT_TRUE(process->write_line(line));
  ASSERT_TRUE(process->write_line("after"));
  run_until([this] { return lines.size() == 2; });
  EXPECT_TRUE(lines[0] == line);
  EXPECT_EQ(lines[1], "after");
}

TEST_F(Pipe, WhatWaitsIsStillSentBeforeLeaving) {
  shell("sleep 0.1; wc -c", 1000, 4 << 20);
  ASSERT_TRUE(process->write_line(std::string((1 << 20) - 1, 'm')));
  process->finish();
  EXPECT_FALSE(process->open());
  EXPECT_FALSE(process->write_line("too late"));
  run_to_end();
  EXPECT_THAT(lines, ElementsAre("1048576"));
}

TEST_F(Pipe, OneThatClosesItsOutputIsStopped) {
  shell("exec >&-; sleep 300");
  run_to_end();
  EXPECT_EQ(end->message, "sh has closed its standard input or output but runs on");
}

TEST_F(Pipe, OneThatClosesItsInputIsStoppedWhenItIsWrittenTo) {
  shell("exec <&-; echo closed; sleep 300");
  run_until([this] { return lines.size() == 1; });
  EXPECT_TRUE(process->write_line("hello"));
  run_to_end();
  EXPECT_EQ(end->message, "sh has closed its standard input or output but runs on");
}

TEST_F(Pipe, OneThatDoesNotLeaveIsStoppedAndThenKilled) {
  const auto start = Clock::now();
  shell("trap '' TERM; echo there; while :; do sleep 1; done");
  run_until([this] { return lines.size() == 1; });
  process->finish();
  run_to_end();
  EXPECT_EQ(end->message, "sh did not end when its input did");
  EXPECT_GE(Clock::now() - start, 3s);
}

TEST_F(Pipe, StoppingGivesTheReasonAndTakesGrandchildrenAlong) {
  shell("sleep 300 & echo $!; wait");
  run_until([this] { return lines.size() == 1; });
  process->stop(Error{ErrorKind::target, "enough", {}});
  process->stop(Error{ErrorKind::target, "again", {}});
  run_to_end();
  EXPECT_EQ(end->message, "enough");
  run_until([this] { return !exists(std::stoi(lines[0])); });
}

TEST_F(Pipe, DestroyingItEndsTheGroupWithoutACall) {
  shell("sleep 300 & echo $!; echo $$; wait");
  run_until([this] { return lines.size() == 2; });
  process.reset();
  run_until([this] { return !exists(std::stoi(lines[0])) && !exists(std::stoi(lines[1])); });
  EXPECT_FALSE(end);
}

TEST_F(Pipe, MayBeDestroyedByItsOwnLine) {
  auto started = PipeProcess::start(
      loop, {.argv = {"sh", "-c", "echo 1; echo 2; sleep 300"}, .on_line = [this](std::string_view line) {
               lines.emplace_back(line);
               process.reset();
             }});
  ASSERT_TRUE(started);
  process.emplace(std::move(*started));
  run_until([this] { return !process; });
  run_for(20ms);
  EXPECT_THAT(lines, ElementsAre("1"));
}

TEST_F(Pipe, MayBeDestroyedByALineThatIsReadAfterItsExit) {
  auto started = PipeProcess::start(
      loop, {.argv = {"sh", "-c", "echo 1; echo 2"}, .on_line = [this](std::string_view line) {
               lines.emplace_back(line);
               process.reset();
             }});
  ASSERT_TRUE(started);
  process.emplace(std::move(*started));
  std::this_thread::sleep_for(300ms);  // it has exited when the loop first looks
  run_until([this] { return !process; });
  run_for(20ms);
  EXPECT_THAT(lines, ElementsAre("1"));
  EXPECT_EQ(loop.load().watches, 0U);
}

TEST_F(Pipe, AnEndlessWriterDoesNotHoldUpTheLoop) {
  std::size_t before = 0;
  std::size_t most_in_a_round = 0;
  bool counting = true;
  std::function<void()> once_a_round = [&] {
    most_in_a_round = std::max(most_in_a_round, lines.size() - before);
    before = lines.size();
    if (counting) loop.post(once_a_round);
  };
  loop.post(once_a_round);
  shell("yes");
  run_until([this] { return lines.size() > 100; });
  counting = false;
  run_for(1ms);
  EXPECT_GT(most_in_a_round, 0U);
  EXPECT_LE(most_in_a_round, 16U * 65536 / 2) << "lines of two bytes, in what is read in one round";
}

TEST_F(Pipe, SaysWhyAProgramCannotBeStarted) {
  const auto missing = PipeProcess::start(loop, {.argv = {"assay-no-such-program"}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "cannot start assay-no-such-program: no such program in PATH");
}

TEST(PipeWithoutLoop, DiesWithTheLoop) {
  pid_t child = 0;
  {
    EventLoop loop;
    auto started = PipeProcess::start(
        loop, {.argv = {"sh", "-c", "trap '' TERM; echo $$; while :; do sleep 1; done"},
               .on_line = [&child](std::string_view line) { child = std::stoi(std::string(line)); }});
    ASSERT_TRUE(started);
    for (int i = 0; i < 2000 && child == 0; ++i) {
      loop.run_until_done([](EventLoop& l) -> Task<void> { co_await l.sleep(2ms); }(loop));
    }
    ASSERT_GT(child, 0);
    const PipeProcess dropped = std::move(*started);
  }
  EXPECT_FALSE(exists(child));
}

}  // namespace
}  // namespace assay
