#include "net/process/detached.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/file.h"
#include "core/text.h"
#include "net/process/spawn.h"

namespace assay {
namespace {

// Field 22 of /proc/PID/stat; the second one is a name in brackets that may hold spaces and brackets.
std::optional<std::uint64_t> started_in(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const auto fields = split(trim(stat.substr(name_end + 1)), ' ');
  constexpr std::size_t kState = 0;  // the third field of all
  constexpr std::size_t kStarted = 19;
  if (fields.size() <= kStarted || fields[kState] == "Z" || fields[kState] == "X") return std::nullopt;
  std::uint64_t started = 0;
  const std::string_view text = fields[kStarted];
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), started);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return started;
}

// Attributes of the child: a session of its own, and none of the signal settings of ours.
class DetachedSettings {
 public:
  explicit DetachedSettings(int output) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&actions_);
    sigset_t none;
    ::sigemptyset(&none);
    sigset_t all;
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
    ::posix_spawn_file_actions_adddup2(&actions_, output, 2);
  }
  ~DetachedSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  DetachedSettings(const DetachedSettings&) = delete;
  DetachedSettings& operator=(const DetachedSettings&) = delete;

  int spawn(pid_t& pid, const std::string& program, char* const* argv, char* const* environment) const {
    return ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, argv, environment);
  }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool replaced = false;
    for (const auto& [name, value] : more) replaced = replaced || text.substr(0, text.find('=')) == name;
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::optional<ProcessIdentity> process_identity(pid_t pid) {
  if (pid <= 0) return std::nullopt;
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  const auto boot = read_file("/proc/sys/kernel/random/boot_id");
  const auto started = stat ? started_in(*stat) : std::nullopt;
  if (!started || !boot) return std::nullopt;
  return ProcessIdentity{pid, *started, std::string(trim(*boot))};
}

Result<ProcessIdentity> start_detached(const DetachedRequest& request) {
  for (const std::string& word : request.argv) {
    if (word.contains('\0'))
      return fail(ErrorKind::target, "cannot start a program: an argument contains a zero byte");
  }
  const std::string& path = request.output_file;
  Descriptor output(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  if (!output.open()) return fail(file_error(path, "create", errno));
  // Not 0, 1 or 2, which the child's own are put on.
  if (output.get() <= 2) output = Descriptor(::fcntl(output.get(), F_DUPFD_CLOEXEC, 3));
  std::vector<std::string> arguments = request.argv;
  std::vector<std::string> environment = environment_with(request.environment);
  const DetachedSettings settings(output.get());
  pid_t pid = -1;
  const int code =
      settings.spawn(pid, request.program, pointers(arguments).data(), pointers(environment).data());
  if (code != 0)
    return fail(ErrorKind::target, fmt::format("cannot start {}: {}", request.program, std::strerror(code)));
  // It may have ended already; then it is a zombie until it is asked for, and its number is nobody else's.
  return process_identity(pid).value_or(ProcessIdentity{.pid = pid});
}

std::optional<int> ended_child(pid_t pid) {
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid, &status, WNOHANG);
  } while (ended < 0 && errno == EINTR);
  if (ended != pid) return std::nullopt;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool interrupt_process(const ProcessIdentity& process) {
  if (process.pid <= 0) return false;
  // The descriptor means one process for good, so what is looked at is what gets the signal.
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
  if (!handle.open() || process_identity(process.pid) != process) return false;
  return ::syscall(SYS_pidfd_send_signal, handle.get(), SIGINT, nullptr, 0) == 0;
}

}  // namespace assay
