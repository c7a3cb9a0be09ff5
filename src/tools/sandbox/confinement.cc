#include "tools/sandbox/confinement.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/files/find_program.h"
#include "core/text.h"
#include "tools/sandbox/system_calls.h"

namespace assay {
namespace {

using Arguments = std::vector<std::string>;

constexpr std::size_t kMaxOpenFiles = 64;
constexpr std::string_view kNobody = "65534";

void append(Arguments& to, Arguments more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

Result<std::string> need_program(std::string_view name, std::string_view package,
                                 const Environment& environment) {
  if (auto found = find_program(name, environment)) return std::move(*found);
  return fail(no_sandbox(fmt::format("there is no {} in PATH", name),
                         fmt::format("install the package {}", package)));
}

// --NAME=SOFT:HARD for prlimit; never above the hard limit that we have ourselves, which could not be set.
std::string limit(std::string_view name, int resource, rlim_t soft, rlim_t hard) {
  rlimit ours{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &ours) == 0)
    hard = std::min(hard, ours.rlim_max);
  return fmt::format("--{}={}:{}", name, std::min(soft, hard), hard);
}

Status check_readable(const Confinement& confinement) {
  for (const std::string& path : confinement.readable) {
    const std::filesystem::path given(path);
    if (!given.is_absolute() || given == "/" || given.lexically_normal() != given) {
      return fail(
          ErrorKind::config,
          fmt::format(
              "\"{}\" cannot be shown in the sandbox: an absolute path below / is needed, without . or ..",
              path));
    }
  }
  return {};
}

// Why the mark did not come, in the words of the program that failed, and what may help.
Error explain_missing_mark(std::string_view said) {
  const auto lines = split_lines(trim(said));
  const std::string reason =
      lines.empty() ? "it ended without a word" : shorten(repair_utf8(lines.back()), 300);
  if (reason.contains("Python interpreter")) {
    return no_sandbox(reason, "install the package python3, or name an interpreter below /usr");
  }
  if (reason.contains("seccomp")) {
    return no_sandbox(reason, "this kernel does not filter system calls (CONFIG_SECCOMP_FILTER)");
  }
  for (const std::string_view sign : {"namespace", "uid map", "Operation not permitted", "No space left"}) {
    if (reason.contains(sign)) {
      return no_sandbox(
          reason,
          "this machine or container does not let programs make user namespaces (see the kernel settings "
          "user.max_user_namespaces, kernel.unprivileged_userns_clone and "
          "kernel.apparmor_restrict_unprivileged_userns, or the container's security options)");
    }
  }
  return no_sandbox(reason, "bubblewrap 0.8 or newer and the package util-linux are needed");
}

}  // namespace

Error no_sandbox(std::string_view reason, std::string_view advice) {
  return Error{
      ErrorKind::config,
      fmt::format("no sandbox can be made here: {}; {}. `sandbox: none` would run programs without any "
                  "protection",
                  reason, advice),
      {}};
}

std::vector<std::string> limits_command(const Confinement& confinement) {
  Arguments arguments{"prlimit", limit("fsize", RLIMIT_FSIZE, confinement.files, confinement.files),
                      limit("nofile", RLIMIT_NOFILE, kMaxOpenFiles, kMaxOpenFiles),
                      limit("core", RLIMIT_CORE, 0, 0)};
  if (confinement.cpu) {
    const auto cpu = static_cast<rlim_t>(std::max<std::int64_t>(1, confinement.cpu->count()));
    arguments.push_back(limit("cpu", RLIMIT_CPU, cpu, cpu + 1));  // SIGXCPU, and SIGKILL if that is ignored
  }
  if (confinement.memory)
    arguments.push_back(limit("as", RLIMIT_AS, *confinement.memory, *confinement.memory));
  if (confinement.max_processes > 0) {
    const rlim_t processes = confinement.max_processes + 1;  // bubblewrap's own first one
    arguments.push_back(limit("nproc", RLIMIT_NPROC, processes, processes));
  }
  arguments.emplace_back("--");
  return arguments;
}

Result<ProcessRequest> confined(const Confinement& confinement, const ConfinedProgram& program,
                                const Environment& environment) {
  if (auto status = check_readable(confinement); !status) return fail(std::move(status.error()));
  auto filter = system_call_filter();
  if (!filter) return fail(std::move(filter.error()));
  auto bwrap = need_program("bwrap", "bubblewrap", environment);
  if (!bwrap) return fail(std::move(bwrap.error()));
  ProcessRequest request;
  Arguments& command = request.argv;
  if (::geteuid() == 0) {
    auto setpriv = need_program("setpriv", "util-linux", environment);
    if (!setpriv) return fail(std::move(setpriv.error()));
    append(command, {*setpriv, fmt::format("--reuid={}", kNobody), fmt::format("--regid={}", kNobody),
                     "--clear-groups", "--inh-caps=-all"});
  }
  const std::string size = fmt::format("{}", confinement.files);
  append(command, {*bwrap, "--unshare-all", "--unshare-user", "--disable-userns", "--new-session",
                   "--die-with-parent", "--hostname", "sandbox", "--seccomp", "3"});
  append(command, {"--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin",
                   "/sbin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"});
  // The loader's cache, and the names under which Debian's numerical libraries find each other.
  for (const std::string path : {"/etc/ld.so.cache", "/etc/alternatives"}) {
    append(command, {"--ro-bind-try", path, path});
  }
  append(command, {"--size", size, "--tmpfs", "/tmp"});
  for (const std::string& path : confinement.readable) append(command, {"--ro-bind", path, path});
  append(command, program.mounts);
  // After what may be shown, so that nothing can stand in their place. The kernel's list of keys is the
  // host's.
  append(command,
         {"--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"});
  for (const std::string path : {"/proc/keys", "/proc/key-users"}) {
    if (std::filesystem::exists(path)) append(command, {"--ro-bind", "/dev/null", path});
  }
  append(command, {"--remount-ro", "/", "--chdir", "/tmp", "--"});
  append(command, limits_command(confinement));
  append(command, {"/bin/sh", "-c", program.prelude, "sh"});
  append(command, program.argv);
  request.control = std::move(*filter);
  request.keyring = Keyring::own;
  return request;
}

std::vector<std::pair<std::string, std::string>> not_found_inside(const Confinement& confinement,
                                                                  const std::string& key,
                                                                  const std::string& program) {
  std::vector<std::pair<std::string, std::string>> missing;
  std::error_code ignored;
  for (const std::string& path : confinement.readable) {
    if (!std::filesystem::exists(path, ignored)) missing.emplace_back("readable", "there is no " + path);
  }
  if (auto made = confined(confinement, {}, process_environment()); !made)
    missing.emplace_back("sandbox", made.error().text());
  const Environment inside = [](std::string_view name) {
    return name == "PATH" ? std::optional<std::string>(kSandboxPath) : std::nullopt;
  };
  if (auto found = check_program(program, inside); !found)
    missing.emplace_back(key, "in the sandbox " + found.error().text());
  return missing;
}

Result<std::string_view> after_mark(std::string_view error_output) {
  const auto mark = error_output.find(kMark);
  if (mark == std::string_view::npos) return fail(explain_missing_mark(error_output));
  return error_output.substr(mark + kMark.size());
}

}  // namespace assay
