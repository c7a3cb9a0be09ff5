#include "tools/python_sandbox.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "core/time.h"
#include "net/process/subprocess.h"

namespace assay {
namespace {

using Arguments = std::vector<std::string>;

constexpr std::size_t kMaxProgram = std::size_t{1} << 20;
constexpr std::size_t kMaxOpenFiles = 64;
constexpr std::string_view kNobody = "65534";
constexpr std::string_view kSandboxPath = "/usr/local/bin:/usr/bin:/bin";
constexpr std::string_view kProgramInSandbox = "/program.py";

// The last thing before Python, under all limits: its arguments are the interpreter and the program. The mark
// on stderr says that the sandbox stands; whatever comes before it is why it does not. Everything after it is
// the program's.
constexpr std::string_view kMark = "\x02the program begins\x03";
constexpr std::string_view kPrelude =
    "command -v \"$1\" >/dev/null || { echo \"there is no Python interpreter $1\" >&2; exit 127; }\n"
    "exec </dev/null\n"
    "{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null\n"
    "printf '\\002the program begins\\003' >&2\n"
    "exec \"$@\"\n";

void append(Arguments& to, Arguments more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

std::optional<std::string> find_program(std::string_view name, const Environment& environment) {
  const std::string path = environment("PATH").value_or("");
  for (const auto directory : split(path, ':')) {
    if (!directory.starts_with('/')) continue;
    auto candidate = fmt::format("{}/{}", directory, name);
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

Error refusal(std::string_view reason, std::string_view advice) {
  return Error{
      ErrorKind::config,
      fmt::format("no sandbox for Python programs can be made here: {}; {}. `sandbox: none` would run them "
                  "without any protection",
                  reason, advice),
      {}};
}

Result<std::string> need_program(std::string_view name, std::string_view package,
                                 const Environment& environment) {
  if (auto found = find_program(name, environment)) return std::move(*found);
  return fail(
      refusal(fmt::format("there is no {} in PATH", name), fmt::format("install the package {}", package)));
}

// --NAME=SOFT:HARD for prlimit; never above the hard limit that we have ourselves, which could not be set.
std::string limit(std::string_view name, int resource, rlim_t soft, rlim_t hard) {
  rlimit ours{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &ours) == 0)
    hard = std::min(hard, ours.rlim_max);
  return fmt::format("--{}={}:{}", name, std::min(soft, hard), hard);
}

// prlimit and the prelude: what is the same in and out of the sandbox.
Arguments limited_python(const PythonCall& call, const std::string& prlimit, std::string_view program) {
  const PythonLimits& limits = call.limits;
  const auto cpu = static_cast<rlim_t>(std::max<std::int64_t>(1, limits.cpu.count()));
  Arguments arguments{prlimit,
                      limit("cpu", RLIMIT_CPU, cpu, cpu + 1),  // SIGXCPU, and SIGKILL if that is ignored
                      limit("as", RLIMIT_AS, limits.memory, limits.memory),
                      limit("fsize", RLIMIT_FSIZE, limits.files, limits.files),
                      limit("nofile", RLIMIT_NOFILE, kMaxOpenFiles, kMaxOpenFiles),
                      limit("core", RLIMIT_CORE, 0, 0)};
  if (call.sandbox == Sandbox::bubblewrap) {
    const rlim_t processes =
        std::max<std::size_t>(1, limits.max_processes) + 1;  // bubblewrap's own first one
    arguments.push_back(limit("nproc", RLIMIT_NPROC, processes, processes));
  }
  append(arguments,
         {"--", "/bin/sh", "-c", std::string(kPrelude), "sh", call.python, "-I", std::string(program)});
  return arguments;
}

// NAME=VALUE for env -i. One thread for numerical libraries, which would otherwise start one per core.
Arguments clean_environment(std::string_view path, std::string_view home) {
  return {fmt::format("PATH={}", path), fmt::format("HOME={}", home), fmt::format("TMPDIR={}", home),
          "LANG=C.UTF-8", "OMP_NUM_THREADS=1"};
}

Status check_readable(const PythonCall& call) {
  for (const std::string& path : call.readable) {
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

// The environment is emptied outside already: bubblewrap is process 1 inside, and /proc/1/environ shows with
// what it was started. The program comes on standard input.
Result<Arguments> sandbox_command(const PythonCall& call, const Environment& environment) {
  if (auto status = check_readable(call); !status) return fail(std::move(status.error()));
  auto bwrap = need_program("bwrap", "bubblewrap", environment);
  if (!bwrap) return fail(std::move(bwrap.error()));
  auto env = need_program("env", "coreutils", environment);
  if (!env) return fail(std::move(env.error()));

  Arguments command{*env, "-i"};
  append(command, clean_environment(kSandboxPath, "/tmp"));
  if (::geteuid() == 0) {
    auto setpriv = need_program("setpriv", "util-linux", environment);
    if (!setpriv) return fail(std::move(setpriv.error()));
    append(command, {*setpriv, fmt::format("--reuid={}", kNobody), fmt::format("--regid={}", kNobody),
                     "--clear-groups", "--inh-caps=-all"});
  }
  const std::string size = fmt::format("{}", call.limits.files);
  append(command, {*bwrap, "--unshare-all", "--unshare-user", "--disable-userns", "--new-session",
                   "--die-with-parent", "--hostname", "sandbox"});
  append(command, {"--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/sbin",
                   "/sbin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"});
  // The loader's cache, and the names under which Debian's numerical libraries find each other.
  for (const std::string path : {"/etc/ld.so.cache", "/etc/alternatives"}) {
    append(command, {"--ro-bind-try", path, path});
  }
  append(command, {"--size", size, "--tmpfs", "/tmp"});
  for (const std::string& path : call.readable) append(command, {"--ro-bind", path, path});
  append(command, {"--ro-bind-data", "0", std::string(kProgramInSandbox)});
  // After what may be shown, so that nothing can stand in their place.
  append(command, {"--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro",
                   "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"});
  append(command, limited_python(call, "prlimit", kProgramInSandbox));
  return command;
}

// Why the mark did not come, in the words of the program that failed, and what may help.
Error explain_missing_mark(std::string_view said) {
  const auto lines = split_lines(trim(said));
  const std::string reason =
      lines.empty() ? "it ended without a word" : shorten(repair_utf8(lines.back()), 300);
  if (reason.contains("Python interpreter")) {
    return refusal(reason, "install the package python3, or name an interpreter below /usr");
  }
  for (const std::string_view sign : {"namespace", "uid map", "Operation not permitted", "No space left"}) {
    if (reason.contains(sign)) {
      return refusal(
          reason,
          "this machine or container does not let programs make user namespaces (see the kernel settings "
          "user.max_user_namespaces, kernel.unprivileged_userns_clone and "
          "kernel.apparmor_restrict_unprivileged_userns, or the container's security options)");
    }
  }
  return refusal(reason, "bubblewrap 0.8 or newer and the package util-linux are needed");
}

// A directory that goes with its owner.
class PrivateDirectory {
 public:
  static Result<PrivateDirectory> make(const Environment& environment) {
    std::string path = environment("TMPDIR").value_or("");
    if (!path.starts_with('/')) path = "/tmp";
    path += "/assay-python-" + std::string(6, 'X');
    if (::mkdtemp(path.data()) == nullptr) return fail(file_error(path, "create", errno));
    return PrivateDirectory(std::move(path));
  }
  PrivateDirectory(PrivateDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateDirectory& operator=(PrivateDirectory&&) = delete;
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;
  ~PrivateDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit PrivateDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

Result<Json> result_of(const PythonCall& call, Result<ProcessResult> ended, const std::string& started) {
  if (!ended) {
    Error error = std::move(ended.error());
    if (error.kind == ErrorKind::timeout) {
      error.message = fmt::format("the program did not end within {}", duration_text(call.limits.timeout));
    } else if (error.message.starts_with(started + " wrote")) {
      error.message.replace(0, started.size(), "the program");
    }
    return fail(std::move(error));
  }
  const auto mark = ended->error_output.find(kMark);
  if (mark == std::string::npos) {
    if (call.sandbox == Sandbox::bubblewrap) return fail(explain_missing_mark(ended->error_output));
    return fail(ErrorKind::config, fmt::format("Python programs cannot be run: {}",
                                               shorten(repair_utf8(trim(ended->error_output)), 300)));
  }
  std::string said = repair_utf8(std::string_view(ended->error_output).substr(mark + kMark.size()));
  if (ended->exit_code == 128 + SIGXCPU) {
    said += fmt::format("ended: more than {} s of processor time\n", call.limits.cpu.count());
  }
  return JsonObject{
      {"stdout", repair_utf8(ended->output)}, {"stderr", std::move(said)}, {"exitCode", ended->exit_code}};
}

ProcessRequest request_for(const PythonCall& call, Arguments command) {
  ProcessRequest request;
  request.argv = std::move(command);
  request.timeout = call.limits.timeout;
  request.max_output = call.limits.output;
  return request;
}

Task<Result<Json>> run_sandboxed(EventLoop& loop, const PythonCall& call, const Environment& environment) {
  auto command = sandbox_command(call, environment);
  if (!command) co_return fail(std::move(command.error()));
  ProcessRequest request = request_for(call, std::move(*command));
  request.input = call.program;
  const std::string started = request.argv.front();
  co_return result_of(call, co_await run_process(loop, std::move(request)), started);
}

Task<Result<Json>> run_unprotected(EventLoop& loop, const PythonCall& call, const Environment& environment) {
  auto directory = PrivateDirectory::make(environment);
  if (!directory) co_return fail(std::move(directory.error()));
  const std::string program = directory->path() + "/program.py";
  if (auto written = write_file(program, call.program); !written) co_return fail(std::move(written.error()));
  Arguments command{"env", "-i"};
  append(command,
         clean_environment(environment("PATH").value_or(std::string(kSandboxPath)), directory->path()));
  append(command, limited_python(call, "prlimit", program));
  ProcessRequest request = request_for(call, std::move(command));
  request.working_directory = directory->path();
  co_return result_of(call, co_await run_process(loop, std::move(request)), "env");
}

}  // namespace

Json to_json(const PythonCall& call) {
  JsonArray readable;
  for (const auto& path : call.readable) readable.emplace_back(path);
  return JsonObject{{"program", call.program},
                    {"sandbox", call.sandbox == Sandbox::none ? "none" : "bubblewrap"},
                    {"python", call.python},
                    {"readable", std::move(readable)}};
}

Task<Result<Json>> run_python(EventLoop& loop, PythonCall call, Environment environment) {
  if (call.program.size() > kMaxProgram) {
    co_return fail(ErrorKind::target, fmt::format("the program has {} bytes; at most {} are allowed",
                                                  call.program.size(), kMaxProgram));
  }
  if (call.sandbox == Sandbox::none) co_return co_await run_unprotected(loop, call, environment);
  co_return co_await run_sandboxed(loop, call, environment);
}

}  // namespace assay
