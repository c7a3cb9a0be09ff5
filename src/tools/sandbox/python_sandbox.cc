#include "tools/sandbox/python_sandbox.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "core/time.h"
#include "net/process/subprocess.h"
#include "tools/sandbox/confinement.h"

namespace assay {
namespace {

using Arguments = std::vector<std::string>;

constexpr std::size_t kMaxProgram = std::size_t{1} << 20;
constexpr std::string_view kProgramInSandbox = "/program.py";

// Its arguments are the interpreter and the program.
std::string prelude() {
  return fmt::format(
      "command -v \"$1\" >/dev/null || {{ echo \"there is no Python interpreter $1\" >&2; exit 127; }}\n"
      "exec </dev/null\n{}exec \"$@\"\n",
      kPrintMark);
}

Arguments interpreter(const PythonCall& call, std::string_view program) {
  return {call.python, "-I", std::string(program)};
}

// NAME=VALUE for env -i. One thread for numerical libraries, which would otherwise start one per core.
Arguments clean_environment(std::string_view path, std::string_view home) {
  return {"env",
          "-i",
          fmt::format("PATH={}", path),
          fmt::format("HOME={}", home),
          fmt::format("TMPDIR={}", home),
          "LANG=C.UTF-8",
          "OMP_NUM_THREADS=1"};
}

Confinement confinement_of(const PythonCall& call) {
  const PythonLimits& limits = call.limits;
  return {.readable = call.readable,
          .cpu = limits.cpu,
          .memory = limits.memory,
          .files = limits.files,
          .max_processes = std::max<std::size_t>(1, limits.max_processes)};
}

// The environment is emptied outside already: bubblewrap is process 1 inside, and /proc/1/environ shows with
// what it was started. The program comes on standard input.
Result<ProcessRequest> sandboxed(const PythonCall& call, const Environment& environment) {
  auto request = confined(confinement_of(call),
                          {.prelude = prelude(),
                           .argv = interpreter(call, kProgramInSandbox),
                           .mounts = {"--ro-bind-data", "0", std::string(kProgramInSandbox)}},
                          environment);
  if (!request) return request;
  Arguments command = clean_environment(kSandboxPath, "/tmp");
  std::ranges::move(request->argv, std::back_inserter(command));
  request->argv = std::move(command);
  request->input = call.program;
  return request;
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
  auto words = after_mark(ended->error_output);
  if (!words) {
    if (call.sandbox == Sandbox::bubblewrap) return fail(std::move(words.error()));
    return fail(ErrorKind::config, fmt::format("Python programs cannot be run: {}",
                                               shorten(repair_utf8(trim(ended->error_output)), 300)));
  }
  std::string said = repair_utf8(*words);
  if (ended->exit_code == 128 + SIGXCPU) {
    said += fmt::format("ended: more than {} s of processor time\n", call.limits.cpu.count());
  }
  return JsonObject{
      {"stdout", repair_utf8(ended->output)}, {"stderr", std::move(said)}, {"exitCode", ended->exit_code}};
}

Task<Result<Json>> run_request(EventLoop& loop, const PythonCall& call, ProcessRequest request) {
  request.timeout = call.limits.timeout;
  request.max_output = call.limits.output;
  const std::string started = request.argv.front();
  co_return result_of(call, co_await run_process(loop, std::move(request)), started);
}

Task<Result<Json>> run_sandboxed(EventLoop& loop, const PythonCall& call, const Environment& environment) {
  auto request = sandboxed(call, environment);
  if (!request) co_return fail(std::move(request.error()));
  co_return co_await run_request(loop, call, std::move(*request));
}

Task<Result<Json>> run_unprotected(EventLoop& loop, const PythonCall& call, const Environment& environment) {
  auto directory = PrivateDirectory::make(environment);
  if (!directory) co_return fail(std::move(directory.error()));
  const std::string program = directory->path() + "/program.py";
  if (auto written = write_file(program, call.program); !written) co_return fail(std::move(written.error()));
  ProcessRequest request;
  request.argv =
      clean_environment(environment("PATH").value_or(std::string(kSandboxPath)), directory->path());
  Confinement limits = confinement_of(call);
  limits.max_processes = 0;  // the user's own are counted with them
  std::ranges::move(limits_command(limits), std::back_inserter(request.argv));
  for (const std::string& word : {std::string("/bin/sh"), std::string("-c"), prelude(), std::string("sh")})
    request.argv.push_back(word);
  std::ranges::move(interpreter(call, program), std::back_inserter(request.argv));
  request.working_directory = directory->path();
  co_return co_await run_request(loop, call, std::move(request));
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
