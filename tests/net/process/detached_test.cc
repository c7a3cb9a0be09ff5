#include "net/process/detached.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"

namespace assay {
namespace {

class DetachedTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "assay-detached-" + std::to_string(::getpid());
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  ProcessIdentity start(const std::string& script, const std::string& argument = "") {
    return start_detached({.program = "/bin/sh",
                           .argv = {"sh", "-c", script, "sh", argument},
                           .environment = {{"ADDED", "by us"}},
                           .output_file = output()})
        .value();
  }
  static int wait(pid_t pid) {
    for (;;) {
      if (const auto code = ended_child(pid)) return *code;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  std::string output() const { return directory_ + "/output"; }

  std::string directory_;
};

TEST_F(DetachedTest, HasASessionOfItsOwnAndItsOutputInAFile) {
  // Field 6 of /proc/PID/stat is the session.
  const ProcessIdentity child =
      start("cut -d' ' -f6 /proc/$$/stat; echo \"$1 $ADDED\" >&2; exit 7", "$(id); `id`");
  EXPECT_EQ(wait(child.pid), 7);
  EXPECT_EQ(read_file(output()).value(), std::to_string(child.pid) + "\n$(id); `id` by us\n");
}

TEST_F(DetachedTest, IsInterruptedAsLongAsItIsTheSameProcess) {
  const ProcessIdentity child = start("trap 'exit 5' INT; echo ready; while :; do sleep 0.01; done");
  ASSERT_EQ(process_identity(child.pid), child);
  while (read_file(output()).value().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ProcessIdentity later = child;
  ++later.started;
  EXPECT_FALSE(interrupt_process(later));
  ProcessIdentity other_boot = child;
  other_boot.boot = "another";
  EXPECT_FALSE(interrupt_process(other_boot));
  EXPECT_TRUE(interrupt_process(child));
  EXPECT_EQ(wait(child.pid), 5);
  EXPECT_FALSE(interrupt_process(child));
  EXPECT_FALSE(interrupt_process({}));
}

TEST_F(DetachedTest, AnEndedChildThatNobodyAskedForIsNotThere) {
  const ProcessIdentity child = start("exit 0");
  while (process_identity(child.pid)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_FALSE(interrupt_process(child));
  EXPECT_EQ(wait(child.pid), 0);
  EXPECT_EQ(ended_child(child.pid), std::nullopt);
}

TEST_F(DetachedTest, SaysWhyItCannotBeStarted) {
  const auto started =
      start_detached({.program = "/no/such/program", .argv = {"program"}, .output_file = output()});
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, testing::HasSubstr("/no/such/program"));
}

}  // namespace
}  // namespace assay
