#include "tools/sandbox/system_calls.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>

#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "net/process/spawn.h"

namespace assay {
namespace {

constexpr const char* kFiles[] = {"access",
                                  "chdir",
                                  "chmod",
                                  "chown",
                                  "close",
                                  "close_range",
                                  "copy_file_range",
                                  "creat",
                                  "dup",
                                  "dup2",
                                  "dup3",
                                  "faccessat",
                                  "faccessat2",
                                  "fadvise64",
                                  "fallocate",
                                  "fchdir",
                                  "fchmod",
                                  "fchmodat",
                                  "fchown",
                                  "fchownat",
                                  "fcntl",
                                  "fdatasync",
                                  "fgetxattr",
                                  "flistxattr",
                                  "flock",
                                  "fstat",
                                  "fstatfs",
                                  "fsync",
                                  "ftruncate",
                                  "futimesat",
                                  "getcwd",
                                  "getdents",
                                  "getdents64",
                                  "getxattr",
                                  "inotify_add_watch",
                                  "inotify_init",
                                  "inotify_init1",
                                  "inotify_rm_watch",
                                  "lchown",
                                  "lgetxattr",
                                  "link",
                                  "linkat",
                                  "listxattr",
                                  "llistxattr",
                                  "lseek",
                                  "lstat",
                                  "mkdir",
                                  "mkdirat",
                                  "newfstatat",
                                  "open",
                                  "openat",
                                  "openat2",
                                  "pipe",
                                  "pipe2",
                                  "pread64",
                                  "preadv",
                                  "preadv2",
                                  "pwrite64",
                                  "pwritev",
                                  "pwritev2",
                                  "read",
                                  "readahead",
                                  "readlink",
                                  "readlinkat",
                                  "readv",
                                  "rename",
                                  "renameat",
                                  "renameat2",
                                  "rmdir",
                                  "sendfile",
                                  "stat",
                                  "statfs",
                                  "statx",
                                  "symlink",
                                  "symlinkat",
                                  "sync_file_range",
                                  "truncate",
                                  "umask",
                                  "unlink",
                                  "unlinkat",
                                  "utime",
                                  "utimensat",
                                  "utimes",
                                  "write",
                                  "writev"};

constexpr const char* kMemoryAndThreads[] = {
    "arch_prctl", "brk",     "futex",  "futex_waitv", "get_robust_list", "madvise",
    "membarrier", "mincore", "mlock",  "mmap",        "mprotect",        "mremap",
    "msync",      "munlock", "munmap", "rseq",        "set_robust_list", "set_tid_address"};

constexpr const char* kProcesses[] = {"capget",
                                      "execve",
                                      "execveat",
                                      "exit",
                                      "exit_group",
                                      "fork",
                                      "getcpu",
                                      "getegid",
                                      "geteuid",
                                      "getgid",
                                      "getgroups",
                                      "getpgid",
                                      "getpgrp",
                                      "getpid",
                                      "getppid",
                                      "getpriority",
                                      "getrandom",
                                      "getresgid",
                                      "getresuid",
                                      "getrlimit",
                                      "getrusage",
                                      "getsid",
                                      "gettid",
                                      "getuid",
                                      "kill",
                                      "pidfd_open",
                                      "pidfd_send_signal",
                                      "prlimit64",
                                      "sched_get_priority_max",
                                      "sched_get_priority_min",
                                      "sched_getaffinity",
                                      "sched_getparam",
                                      "sched_getscheduler",
                                      "sched_setaffinity",
                                      "sched_yield",
                                      "setpgid",
                                      "setpriority",
                                      "setrlimit",
                                      "setsid",
                                      "sysinfo",
                                      "tgkill",
                                      "tkill",
                                      "uname",
                                      "vfork",
                                      "wait4",
                                      "waitid"};

constexpr const char* kTimeAndEvents[] = {"alarm",
                                          "clock_getres",
                                          "clock_gettime",
                                          "clock_nanosleep",
                                          "epoll_create",
                                          "epoll_create1",
                                          "epoll_ctl",
                                          "epoll_pwait",
                                          "epoll_pwait2",
                                          "epoll_wait",
                                          "eventfd",
                                          "eventfd2",
                                          "getitimer",
                                          "gettimeofday",
                                          "nanosleep",
                                          "pause",
                                          "poll",
                                          "ppoll",
                                          "pselect6",
                                          "restart_syscall",
                                          "rt_sigaction",
                                          "rt_sigpending",
                                          "rt_sigprocmask",
                                          "rt_sigqueueinfo",
                                          "rt_sigreturn",
                                          "rt_sigsuspend",
                                          "rt_sigtimedwait",
                                          "rt_tgsigqueueinfo",
                                          "select",
                                          "setitimer",
                                          "sigaltstack",
                                          "signalfd",
                                          "signalfd4",
                                          "time",
                                          "timer_create",
                                          "timer_delete",
                                          "timer_getoverrun",
                                          "timer_gettime",
                                          "timer_settime",
                                          "timerfd_create",
                                          "timerfd_gettime",
                                          "timerfd_settime",
                                          "times"};

// Of sockets that are there: which ones can be made is said below.
constexpr const char* kSockets[] = {
    "accept",   "accept4",  "bind",    "connect",  "getpeername", "getsockname", "getsockopt", "listen",
    "recvfrom", "recvmmsg", "recvmsg", "sendmmsg", "sendmsg",     "sendto",      "setsockopt", "shutdown"};

constexpr std::uint64_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
// The kernel looks at the lower half of these arguments.
constexpr std::uint64_t kLowerHalf = 0xFFFFFFFF;

struct FilterDeleter {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<void, FilterDeleter>;

class Rules {
 public:
  explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}

  void allow(std::initializer_list<scmp_arg_cmp> when, const char* name) { add(SCMP_ACT_ALLOW, name, when); }
  template <std::size_t N>
  void allow(const char* const (&names)[N]) {
    for (const char* name : names) add(SCMP_ACT_ALLOW, name, {});
  }
  void refuse(int with, const char* name, std::initializer_list<scmp_arg_cmp> when = {}) {
    add(SCMP_ACT_ERRNO(static_cast<std::uint32_t>(with)), name, when);
  }
  int error() const { return error_; }

 private:
  void add(std::uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> when) {
    // Not every architecture has every call, and an older library does not know the newest.
    const int number = seccomp_syscall_resolve_name(name);
    if (number < 0 || error_ != 0) return;
    error_ =
        seccomp_rule_add_array(filter_, action, number, static_cast<unsigned>(when.size()), when.begin());
  }

  scmp_filter_ctx filter_;
  int error_ = 0;
};

scmp_arg_cmp is(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, kLowerHalf, value};
}

int add_rules(scmp_filter_ctx filter) {
  Rules rules(filter);
  rules.allow(kFiles);
  rules.allow(kMemoryAndThreads);
  rules.allow(kProcesses);
  rules.allow(kTimeAndEvents);
  rules.allow(kSockets);
  rules.allow({{0, SCMP_CMP_MASKED_EQ, kNewNamespaces, 0}}, "clone");
  // Its flags lie in memory, where a filter cannot look; the C library then takes clone.
  rules.refuse(ENOSYS, "clone3");
  for (const char* made : {"socket", "socketpair"}) {
    rules.allow({is(0, AF_UNIX)}, made);
    rules.refuse(EAFNOSUPPORT, made, {{0, SCMP_CMP_NE, AF_UNIX, 0}});
  }
  for (const std::uint64_t request : {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX})
    rules.allow({is(1, request)}, "ioctl");
  for (const std::uint64_t option : {PR_SET_NAME, PR_GET_NAME, PR_SET_PDEATHSIG, PR_GET_PDEATHSIG,
                                     PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS, PR_GET_DUMPABLE})
    rules.allow({is(0, option)}, "prctl");
  return rules.error();
}

Error unusable(int code) {
  return {ErrorKind::config,
          fmt::format("no filter of system calls can be made here: {}", ::strerror(code < 0 ? -code : code)),
          {}};
}

Result<std::string> made_filter() {
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (!filter) return fail(unusable(ENOMEM));
  if (int code = seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS); code != 0)
    return fail(unusable(code));
  if (int code = add_rules(filter.get()); code != 0) return fail(unusable(code));
  const Descriptor file(::memfd_create("filter", MFD_CLOEXEC));
  if (!file.open()) return fail(unusable(errno));
  if (int code = seccomp_export_bpf(filter.get(), file.get()); code != 0) return fail(unusable(code));
  const auto size = ::lseek(file.get(), 0, SEEK_CUR);
  std::string program(static_cast<std::size_t>(std::max<off_t>(size, 0)), '\0');
  if (program.empty() ||
      ::pread(file.get(), program.data(), program.size(), 0) != static_cast<ssize_t>(program.size()))
    return fail(unusable(EIO));
  return program;
}

}  // namespace

Result<std::string> system_call_filter() {
  static const Result<std::string> kFilter = made_filter();
  return kFilter;
}

}  // namespace assay
