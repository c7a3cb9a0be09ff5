#include "net/process/subprocess.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// A dead process that its new parent has not reaped yet does not count.
bool exists(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string word;
  while (file >> word) {
    if (word.ends_with(')')) return file >> word && word != "Z" && word != "X";
  }
  return false;
}

std::set<int> descriptors() {
  std::set<int> all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int fd = std::stoi(entry.path().filename());
    if (::fcntl(fd, F_GETFD) >= 0) all.insert(fd);
  }
  return all;
}

struct Subprocess : testing::Test {
  EventLoop loop;
  std::size_t files_before = open_files();
  pid_t children_before = ::waitpid(-1, nullptr, WNOHANG);  // 0: some (a sanitizer's helper), -1: none

  Result<ProcessResult> run(ProcessRequest request) {
    return loop.run_until_done(run_process(loop, std::move(request)));
  }
  Result<ProcessResult> shell(std::string script, Duration timeout = 20s) {
    return run({.argv = {"sh", "-c", std::move(script)}, .timeout = timeout});
  }
  void run_for(Duration time) {
    loop.run_until_done([](EventLoop& l, Duration d) -> Task<void> { co_await l.sleep(d); }(loop, time));
  }
  void TearDown() override {
    EXPECT_EQ(open_files(), files_before);
    EXPECT_EQ(loop.load().watches, 0U);
    EXPECT_EQ(loop.load().timers, 0U);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), children_before) << "a child was not reaped";
  }
};

TEST_F(Subprocess, GivesOutputErrorOutputAndExitCode) {
  const auto result = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->error_output, "err\n");
}

TEST_F(Subprocess, PassesArgumentsAsTheyAre) {
  const auto result = run({.argv = {"printf", "%s|", "a b", "$HOME", "*", "", "x\ny"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "a b|$HOME|*||x\ny|");
}

TEST_F(Subprocess, AddsToTheEnvironment) {
  ::setenv("ASSAY_TEST_OURS", "ours", 1);
  ::setenv("ASSAY_TEST_BOTH", "old", 1);
  const auto result = run({.argv = {"sh", "-c", "echo $ASSAY_TEST_OURS $ASSAY_TEST_BOTH $ASSAY_TEST_NEW"},
                           .environment = {{"ASSAY_TEST_BOTH", "new"}, {"ASSAY_TEST_NEW", "a=b"}}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "ours new a=b\n");
}

TEST_F(Subprocess, KeepsOurSecretsFromAChildThatGetsOnlyWhatIsSafe) {
  ::setenv("ASSAY_TEST_API_KEY", "s3cret", 1);
  ::setenv("LC_ASSAY_TEST", "C", 1);
  const auto result = run({.argv = {"env"},
                           .inherited = InheritedVariables::safe,
                           .environment = {{"GIVEN", "yes"}, {"LC_ASSAY_TEST", "new"}}});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(result->output, HasSubstr("PATH="));
  EXPECT_THAT(result->output, HasSubstr("GIVEN=yes\n"));
  EXPECT_THAT(result->output, HasSubstr("LC_ASSAY_TEST=new\n"));
  EXPECT_THAT(result->output, Not(HasSubstr("LC_ASSAY_TEST=C")));
  EXPECT_THAT(result->output, Not(HasSubstr("s3cret")));
}

TEST(ChildEnvironment, IsSafeByAListOfNames) {
  for (const auto* name : {"PATH", "HOME", "LC_ALL", "XDG_CACHE_HOME", "https_proxy", "NO_PROXY",
                           "SSL_CERT_FILE", "npm_config_registry", "NPM_CONFIG_CACHE"}) {
    EXPECT_TRUE(safe_to_inherit(name)) << name;
  }
  for (const auto* name : {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "",
                           "path", "PATH_TO_KEY", "LD_PRELOAD", "NODE_OPTIONS", "npm_config__authToken",
                           "NPM_CONFIG_//registry.npmjs.org/:_PASSWORD", "NPM_TOKEN"}) {
    EXPECT_FALSE(safe_to_inherit(name)) << name;
  }
}

TEST_F(Subprocess, RunsInTheGivenDirectory) {
  const auto result = run({.argv = {"pwd"}, .working_directory = "/usr"});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "/usr\n");
}

TEST_F(Subprocess, CarriesLargeInputAndOutputAtTheSameTime) {
  std::string input(8 << 20, '\0');
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<char>(i * 31 >> 5);
  const auto result = run({.argv = {"cat"}, .input = input});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->output == input);
}

TEST_F(Subprocess, AChildThatDoesNotReadItsInputIsNoError) {
  const auto result = run({.argv = {"sh", "-c", "exec <&-; echo done"}, .input = std::string(4 << 20, 'x')});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "done\n");
  EXPECT_EQ(result->exit_code, 0);
}

TEST_F(Subprocess, AnEmptyInputIsAtItsEnd) {
  const auto result = run({.argv = {"cat"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "");
}

TEST_F(Subprocess, ADeathBySignalIsSeenInTheExitCode) {
  const auto result = shell("kill -9 $$");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 128 + SIGKILL);
}

TEST_F(Subprocess, GivesTheChildDefaultSignals) {
  const auto result = run({.argv = {"sh", "-c", "grep -E '^Sig(Ign|Blk)' /proc/self/status | cut -f2"}});
  ASSERT_TRUE(result);
  std::size_t next = 0;
  EXPECT_EQ(std::stoull(result->output, &next, 16), 0U);  // blocked
  const auto ignored = std::stoull(result->output.substr(next), nullptr, 16);
  EXPECT_EQ(ignored & 0x7fffffffU, 0U);  // the C library has 32 and 33 for itself
}

TEST_F(Subprocess, NothingThatItOpensIsInheritedByOthers) {
  const auto before = descriptors();
  EventLoop own;
  auto task = run_process(own, {.argv = {"sleep", "10"}, .input = "x"});
  task.await_suspend(std::noop_coroutine()).resume();
  std::size_t opened = 0;
  for (const int fd : descriptors()) {
    if (before.contains(fd)) continue;
    ++opened;
    EXPECT_TRUE(::fcntl(fd, F_GETFD) & FD_CLOEXEC) << fd;
  }
  EXPECT_EQ(opened, 6U);  // epoll, eventfd, pidfd, three pipes
}

TEST_F(Subprocess, SaysWhyAProgramCannotBeStarted) {
  const auto missing = run({.argv = {"assay-no-such-program", "secret"}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::target);
  EXPECT_EQ(missing.error().message, "cannot start assay-no-such-program: no such program in PATH");

  const auto no_file = run({.argv = {"/nonexistent/program"}});
  ASSERT_FALSE(no_file);
  EXPECT_THAT(no_file.error().message, HasSubstr("cannot start /nonexistent/program: no such file"));

  const std::string path = testing::TempDir() + "assay-not-executable";
  std::ofstream(path) << "#!/bin/sh\n";
  const auto denied = run({.argv = {path}});
  ::unlink(path.c_str());
  ASSERT_FALSE(denied);
  EXPECT_THAT(denied.error().message, HasSubstr("permission denied"));

  const auto nowhere = run({.argv = {"true"}, .working_directory = "/nonexistent"});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "cannot start true: there is no working directory /nonexistent");

  EXPECT_FALSE(run({.argv = {}}));
  EXPECT_FALSE(run({.argv = {""}}));
  EXPECT_FALSE(run({.argv = {"echo", std::string("a\0b", 3)}}));
  EXPECT_FALSE(run({.argv = {"true"}, .environment = {{"A=B", "c"}}}));
}

TEST_F(Subprocess, EndsAChildAtItsDeadline) {
  const auto result = shell("sleep 3000", 100ms);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::timeout);
  EXPECT_EQ(result.error().message, "sh did not end within 100 ms");
}

TEST_F(Subprocess, KillsAChildThatIgnoresTheRequestToEnd) {
  const auto start = Clock::now();
  const auto result = shell("trap '' TERM; while :; do sleep 1; done", 50ms);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::timeout);
  EXPECT_GE(Clock::now() - start, 2s);
}

TEST_F(Subprocess, TheDeadlineTakesGrandchildrenAlong) {
  const std::string path = testing::TempDir() + fmt::format("assay-grandchild-{}", ::getpid());
  const auto result = shell("sleep 300 & echo $! > " + path + "; wait", 200ms);
  ASSERT_FALSE(result);
  pid_t grandchild = 0;
  std::ifstream(path) >> grandchild;
  ::unlink(path.c_str());
  ASSERT_GT(grandchild, 0);
  for (int i = 0; i < 500 && exists(grandchild); ++i) std::this_thread::sleep_for(2ms);
  EXPECT_FALSE(exists(grandchild));
}

TEST_F(Subprocess, AGrandchildThatKeepsTheOutputOpenDoesNotHoldUsUp) {
  const auto start = Clock::now();
  const auto result = shell("sleep 300 & echo $!; exit 5");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_LT(Clock::now() - start, 100s) << "it sleeps 300";
  EXPECT_EQ(result->exit_code, 5);
  const pid_t grandchild = std::stoi(result->output);
  for (int i = 0; i < 500 && exists(grandchild); ++i) std::this_thread::sleep_for(2ms);
  EXPECT_FALSE(exists(grandchild));
}

TEST_F(Subprocess, ReadsWhatAGrandchildStillWritesWithinTheGrace) {
  const auto result = shell("(sleep 0.05; echo late) & echo early");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->output, "early\nlate\n");
}

TEST_F(Subprocess, TooMuchOutputIsAnError) {
  for (const auto* script : {"yes", "yes >&2"}) {
    const auto result = run({.argv = {"sh", "-c", script}, .max_output = 100'000});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::target);
    EXPECT_THAT(result.error().message, HasSubstr("wrote more than 100000 bytes to its standard "));
  }
  const auto just_fits = run({.argv = {"head", "-c", "100000", "/dev/zero"}, .max_output = 100'000});
  ASSERT_TRUE(just_fits) << just_fits.error().message;
  EXPECT_EQ(just_fits->output.size(), 100'000U);
}

TEST_F(Subprocess, CancellingEndsTheWholeGroup) {
  const std::string path = testing::TempDir() + fmt::format("assay-cancel-{}", ::getpid());
  pid_t child = 0;
  pid_t grandchild = 0;
  {
    auto task = run_process(loop, {.argv = {"sh", "-c", "sleep 300 & echo $$ $! > " + path + "; wait"}});
    task.await_suspend(std::noop_coroutine()).resume();
    for (int i = 0; i < 500 && grandchild == 0; ++i) {
      run_for(2ms);
      std::ifstream(path) >> child >> grandchild;
    }
    ASSERT_GT(grandchild, 0);
  }
  ::unlink(path.c_str());
  for (int i = 0; i < 500 && (loop.load().watches > 0 || exists(grandchild)); ++i) run_for(2ms);
  EXPECT_FALSE(exists(child));
  EXPECT_FALSE(exists(grandchild));
}

TEST(SubprocessWithoutLoop, ACancelledStubbornChildDiesWithTheLoop) {
  const std::string path = testing::TempDir() + fmt::format("assay-stubborn-{}", ::getpid());
  pid_t child = 0;
  {
    EventLoop loop;
    loop.spawn([](EventLoop& l, std::string p) -> Task<void> {
      co_await run_process(
          l, {.argv = {"sh", "-c", "trap '' TERM; echo $$ > " + p + "; while :; do sleep 1; done"}});
    }(loop, path));
    for (int i = 0; i < 500 && child == 0; ++i) {
      loop.run_until_done([](EventLoop& l) -> Task<void> { co_await l.sleep(2ms); }(loop));
      std::ifstream(path) >> child;
    }
    ASSERT_GT(child, 0);
  }
  ::unlink(path.c_str());
  EXPECT_FALSE(exists(child));
}

TEST_F(Subprocess, RunsManySideBySide) {
  // Each of them ends when all of them are there.
  const std::string folder = testing::TempDir() + fmt::format("assay-side-by-side-{}", ::getpid());
  ASSERT_TRUE(std::filesystem::create_directory(folder));
  const auto results = loop.run_until_done(
      [](EventLoop& l, const std::string& where) -> Task<std::vector<Result<ProcessResult>>> {
        std::vector<Task<Result<ProcessResult>>> parts;
        parts.reserve(40);
        for (int i = 0; i < 40; ++i)
          parts.push_back(run_process(
              l, {.argv = {"sh", "-c",
                           fmt::format("cd {0}; : > {1}; until [ -e 39 ] && [ $(ls | wc -l) = 40 ]; do "
                                       "sleep 0.05; done; echo {1}",
                                       where, i)},
                  .timeout = 60s}));
        co_return co_await all(std::move(parts));
      }(loop, folder));
  std::filesystem::remove_all(folder);
  for (int i = 0; i < 40; ++i) {
    const auto& result = results[static_cast<std::size_t>(i)];
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->output, fmt::format("{}\n", i));
  }
}

TEST_F(Subprocess, HundredsInARowLeakNothing) {
  for (int i = 0; i < 300; ++i) {
    const auto result = run({.argv = {"true"}});
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_EQ(result->exit_code, 0);
  }  // TearDown counts
}

}  // namespace
}  // namespace assay
