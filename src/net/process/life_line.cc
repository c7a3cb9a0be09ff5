#include "net/process/life_line.h"

#include <csignal>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>

namespace assay {
namespace {

// Each line is all groups that are to be killed, as kill takes them. A line that is cut off does not count.
constexpr const char* kScript =
    "trap '' HUP INT TERM QUIT\n"
    "while IFS= read -r line; do groups=$line; done\n"
    "for group in $groups; do kill -s KILL -- \"$group\" 2>/dev/null; done\n";

}  // namespace

LifeLine& LifeLine::of_process() {
  // Never destroyed: children may end after static objects have.
  static LifeLine& line = *new LifeLine;
  return line;
}

void LifeLine::start() {
  started_ = true;
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  Descriptor mine(ends[0]);
  const Descriptor theirs(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), 0);
  for (const int output : {1, 2})
    ::posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  // In a group of its own: what ends ours from the keyboard must not end it.
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string words[] = {"sh", "-c", kScript};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  char* environment[] = {nullptr};
  pid_t pid = -1;
  if (::posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, environment) == 0)
    ours_ = std::move(mine);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
}

void LifeLine::tell() const {
  if (!ours_.open()) return;
  std::string line;
  for (const pid_t group : groups_) line += fmt::format("{}-{}", line.empty() ? "" : " ", group);
  line += '\n';
  [[maybe_unused]] const auto sent = ::send(ours_.get(), line.data(), line.size(), MSG_NOSIGNAL);
}

void LifeLine::make_ready() {
  const std::lock_guard lock(mutex_);
  if (!started_) start();
}

void LifeLine::add(pid_t group) {
  const std::lock_guard lock(mutex_);
  if (!started_) start();
  groups_.insert(group);
  tell();
}

void LifeLine::remove(pid_t group) {
  const std::lock_guard lock(mutex_);
  groups_.erase(group);
  tell();
}

}  // namespace assay
