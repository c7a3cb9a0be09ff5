#include "net/process/spawn.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "core/file.h"
#include "net/process/life_line.h"

namespace assay {
namespace {

constexpr int kControl = 3;  // ProcessRequest::control

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

// Neither end is 0, 1 or 2, even in a process that has closed those: the child's are put there one after the
// other and must not overwrite each other.
bool make_pipe(Pipe& pipe) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe = {Descriptor(ends[0]), Descriptor(ends[1])};
  for (Descriptor* end : {&pipe.read_end, &pipe.write_end}) {
    if (end->get() > 2) continue;
    const int moved = ::fcntl(end->get(), F_DUPFD_CLOEXEC, 3);
    if (moved < 0) return false;
    *end = Descriptor(moved);
  }
  return true;
}

void set_nonblocking(const Descriptor& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

std::vector<std::string> environment_for(const ProcessRequest& request) {
  const auto& additions = request.environment;
  std::vector<std::string> result;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    if (request.inherited == InheritedVariables::safe && !safe_to_inherit(name)) continue;
    const bool replaced = std::any_of(additions.begin(), additions.end(),
                                      [&](const auto& added) { return added.first == name; });
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : additions) result.push_back(fmt::format("{}={}", name, value));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

Status check(const ProcessRequest& request) {
  if (request.argv.empty() || request.argv.front().empty()) {
    return fail(ErrorKind::target, "cannot start a program: its name is empty");
  }
  if (std::any_of(request.argv.begin(), request.argv.end(), has_nul)) {
    return fail(ErrorKind::target, "cannot start a program: an argument contains a zero byte");
  }
  for (const auto& [name, value] : request.environment) {
    if (name.empty() || name.contains('=') || has_nul(name) || has_nul(value)) {
      return fail(
          ErrorKind::target,
          fmt::format("cannot start {}: an environment variable for it is not valid", request.argv.front()));
    }
  }
  const std::string& directory = request.working_directory;
  if (has_nul(directory)) return fail(ErrorKind::target, "the working directory contains a zero byte");
  if (!directory.empty() && !directory_exists(directory)) {
    return fail(ErrorKind::target, fmt::format("cannot start {}: there is no working directory {}",
                                               request.argv.front(), directory));
  }
  return {};
}

std::string why_not_started(const std::string& program, int code) {
  switch (code) {
    case ENOENT:
      return program.contains('/')
                 ? fmt::format("cannot start {}: no such file, or the interpreter that it names is missing",
                               program)
                 : fmt::format("cannot start {}: no such program in PATH", program);
    case EACCES:
      return fmt::format("cannot start {}: permission denied (is it executable?)", program);
    case ENOEXEC:
      return fmt::format("cannot start {}: not a program (does a script lack its #! line?)", program);
    case E2BIG:
      return fmt::format("cannot start {}: its arguments and environment are too long", program);
    default:
      return fmt::format("cannot start {}: {}", program, ::strerror(code));
  }
}

// Attributes of posix_spawn: own process group, and none of the signal settings of ours (SIGPIPE is ignored
// here, which would be inherited).
class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&actions_);
    sigset_t none;
    ::sigemptyset(&none);
    sigset_t all;
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  // In the order of the calls.
  void put(const Descriptor& from, int to) { ::posix_spawn_file_actions_adddup2(&actions_, from.get(), to); }
  void change_directory(const std::string& path) {
    ::posix_spawn_file_actions_addchdir_np(&actions_, path.c_str());
  }
  int spawn(pid_t& pid, char* const* argv, char* const* environment) const {
    return ::posix_spawnp(&pid, argv[0], &actions_, &attributes_, argv, environment);
  }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

// A file in memory that holds `text`, read from its beginning; its number is above those that the child's
// descriptors get.
Result<Descriptor> file_of(const std::string& text, const std::string& program) {
  const Descriptor made(::memfd_create("control", MFD_CLOEXEC));
  Descriptor file(made.open() ? ::fcntl(made.get(), F_DUPFD_CLOEXEC, kControl + 1) : -1);
  const bool whole =
      file.open() && ::pwrite(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (!whole) return fail(ErrorKind::target, why_not_started(program, errno));
  return file;
}

// A session's keyring belongs to the thread that starts a child, so another one starts those that get their
// own. It lives as long as the process does: a child that asks to die with its parent, as bubblewrap's do,
// dies with the thread that started it.
class KeyringThread {
 public:
  static KeyringThread& of_process() {
    // Never destroyed: the thread would outlive it.
    static KeyringThread& thread = *new KeyringThread;
    return thread;
  }
  KeyringThread(const KeyringThread&) = delete;
  KeyringThread& operator=(const KeyringThread&) = delete;

  int run(const std::function<int()>& spawn) {
    const std::lock_guard one_at_a_time(callers_);
    std::unique_lock lock(mutex_);
    spawn_ = &spawn;
    changed_.notify_all();
    changed_.wait(lock, [this] { return spawn_ == nullptr; });
    return code_;
  }

 private:
  KeyringThread() {
    std::thread([this] { serve(); }).detach();
  }

  void serve() {
    constexpr int kJoinSessionKeyring = 1;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return spawn_ != nullptr; });
      // A container may forbid it; then it has no keys to share either.
      ::syscall(SYS_keyctl, kJoinSessionKeyring, nullptr);
      code_ = (*spawn_)();
      spawn_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex callers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<int()>* spawn_ = nullptr;
  int code_ = 0;
};

// An ignored SIGCHLD may be inherited; the kernel then throws exit codes away.
void keep_exit_codes() {
  struct sigaction current{};
  if (::sigaction(SIGCHLD, nullptr, &current) == 0 && current.sa_handler == SIG_IGN)
    ::signal(SIGCHLD, SIG_DFL);
}

}  // namespace

Result<SpawnedProcess> spawn_process(const ProcessRequest& request) {
  if (auto status = check(request); !status) return fail(std::move(status.error()));
  LifeLine::of_process().make_ready();
  const std::string& program = request.argv.front();
  Pipe input;
  Pipe output;
  Pipe error_output;
  if (!make_pipe(input) || !make_pipe(output) || !make_pipe(error_output)) {
    return fail(ErrorKind::target, why_not_started(program, errno));
  }
  SpawnSettings settings;
  settings.put(input.read_end, 0);
  settings.put(output.write_end, 1);
  settings.put(error_output.write_end, 2);
  Descriptor control;
  if (!request.control.empty()) {
    auto file = file_of(request.control, program);
    if (!file) return fail(std::move(file.error()));
    control = std::move(*file);
    settings.put(control, kControl);
  }
  if (!request.working_directory.empty()) settings.change_directory(request.working_directory);

  keep_exit_codes();
  std::vector<std::string> arguments = request.argv;
  std::vector<std::string> environment = environment_for(request);
  SpawnedProcess process;
  const auto spawn = [&] {
    return settings.spawn(process.pid, pointers(arguments).data(), pointers(environment).data());
  };
  const int code = request.keyring == Keyring::own ? KeyringThread::of_process().run(spawn) : spawn();
  if (code != 0) return fail(ErrorKind::target, why_not_started(program, code));
  process.input = std::move(input.write_end);
  process.output = std::move(output.read_end);
  process.error_output = std::move(error_output.read_end);
  for (const Descriptor* end : {&process.input, &process.output, &process.error_output})
    set_nonblocking(*end);
  return process;
}

}  // namespace assay
