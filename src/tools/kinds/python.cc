// kind: python. A program that the model writes, run where it can do no harm; the fence is
// python_sandbox.h's.
#include <chrono>
#include <cmath>
#include <utility>

#include <boost/json/object.hpp>

#include "core/files/find_program.h"
#include "tools/kinds/kinds.h"
#include "tools/sandbox/confinement.h"
#include "tools/sandbox/python_sandbox.h"

namespace assay {
namespace {

constexpr double kBytesPerMegabyte = 1 << 20;

class PythonAction final : public ToolAction {
 public:
  // Everything but the program, which is the model's, and the timeout, which is the tool's.
  explicit PythonAction(PythonCall call) : call_(std::move(call)) {}

  JsonObject identity() const override {
    JsonObject fields = to_json(call_).as_object();
    fields.stable_erase("program");
    return fields;
  }

  // That this machine has no Python or no sandbox at all is told where a model uses the tool: many never do.
  NamedTexts not_found() const override {
    if (call_.python == PythonCall().python && call_.readable.empty()) return {};
    if (call_.sandbox == Sandbox::bubblewrap)
      return not_found_inside({.readable = call_.readable}, "python", call_.python);
    auto found = check_program(call_.python);
    return found ? NamedTexts{} : NamedTexts{{"python", found.error().text()}};
  }

  Task<Result<Json>> use(ToolMeans& means, ToolUse use) const override {
    PythonCall call = call_;
    call.program = text_at(use.arguments, kPythonArgument);
    call.limits.timeout = use.tool->timeout;
    co_return co_await run_python(means.loop, std::move(call), means.environment);
  }

 private:
  PythonCall call_;
};

Keys keys() {
  return {sandbox_key("`none` runs what the model writes with your own rights."),
          {.name = "python", .help = "the interpreter; by default python3 of /usr."},
          readable_key(),
          {.name = "memory_mb",
           .type = KeyType::number,
           .help = "memory of a process; by default 1024.",
           .minimum = 16,
           .maximum = 1e6},
          {.name = "cpu", .type = KeyType::duration, .help = "CPU time of a process; by default 20s."},
          {.name = "max_output",
           .type = KeyType::integer,
           .help = "bytes of stdout and stderr each; by default 1 MiB.",
           .minimum = 1,
           .maximum = std::size_t{1} << 30},
          {.name = "max_processes",
           .type = KeyType::integer,
           .help = "processes and threads at a time; by default 16.",
           .minimum = 1,
           .maximum = 10'000}};
}

ToolKind::Reading read(ToolDeclaration& declaration) {
  const Config& values = declaration.values();
  PythonCall call;
  if (values.text("sandbox") == "none") call.sandbox = Sandbox::none;
  if (values.has("python")) call.python = values.text("python");
  call.readable = values.texts("readable");
  PythonLimits& limits = call.limits;
  if (const auto memory = values.number("memory_mb"))
    limits.memory = static_cast<std::size_t>(std::llround(*memory * kBytesPerMegabyte));
  if (values.has("cpu")) limits.cpu = std::chrono::ceil<std::chrono::seconds>(values.duration("cpu"));
  limits.output = declaration.size("max_output", limits.output);
  limits.max_processes = declaration.size("max_processes", limits.max_processes);
  return {.parameters = one_text_argument(kPythonArgument,
                                          "The program's source. It has the standard library, no network and "
                                          "no input; what it prints is the result."),
          .action = std::make_shared<PythonAction>(std::move(call))};
}

}  // namespace

constinit const ToolKind kPythonKind = {
    .name = "python",
    .timeout = PythonLimits{}.timeout,
    .description =
        "Runs a Python 3 program and gives back what it printed (stdout, stderr) and its exit code. Put the "
        "data that it works on into its text.",
    .keys = keys,
    .read = read};

}  // namespace assay
