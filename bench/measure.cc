// Runs a command and tells what it cost, in microseconds rather than hundredths of a second: wall time, CPU
// time of it and of every process that it left behind or waited for, and the largest resident size that any
// of them had.
//
//   measure FILE COMMAND [ARGUMENT]...
//
// The figures go to FILE as JSON; the exit code is that of the command.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    fmt::print(stderr, "measure FILE COMMAND [ARGUMENT]...\n");
    return 2;
  }
  // Orphans come here and are counted.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto begun = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    execvp(arguments[2], arguments + 2);
    fmt::print(stderr, "measure: {}: {}\n", arguments[2], std::strerror(errno));
    _exit(127);
  }
  if (child < 0) {
    std::perror("measure: fork");
    return 127;
  }
  int code = 0;
  std::chrono::duration<double> wall{};
  for (int status = 0;;) {
    const pid_t ended = wait(&status);
    if (ended < 0 && errno != EINTR) break;
    if (ended != child) continue;
    wall = std::chrono::steady_clock::now() - begun;
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  std::FILE* file = std::fopen(arguments[1], "w");
  if (file == nullptr) {
    std::perror(arguments[1]);
    return 2;
  }
  fmt::print(file,
             R"({{"wall": {:.6f}, "user": {:.6f}, "system": {:.6f}, "megabytes": {:.1f}}})"
             "\n",
             wall.count(), seconds(used.ru_utime), seconds(used.ru_stime),
             static_cast<double>(used.ru_maxrss) / 1024);
  return std::fclose(file) == 0 ? code : 2;
}
