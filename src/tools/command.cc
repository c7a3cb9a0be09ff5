#include "tools/command.h"

#include <algorithm>
#include <iterator>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/json/depth.h"
#include "core/text.h"
#include "net/process/subprocess.h"
#include "tools/hidden.h"

namespace assay {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

Error target_error(const std::string& program, std::string message) {
  return Error{ErrorKind::target, std::move(message), {{"command", program}}};
}

Result<Variables> variables_of(const CommandCall& call, const Environment& environment) {
  auto variables = fill_values(call.environment, environment);
  if (!variables) return variables;
  for (const auto& [name, value] : call.literal_environment) {
    std::erase_if(*variables, [&](const auto& variable) { return variable.first == name; });
    variables->emplace_back(name, value);
  }
  return variables;
}

// Its variables come by its environment, not as arguments, which every user of the machine can read.
Result<ProcessRequest> confined_request(const CommandCall& call, const Environment& environment) {
  Confinement confinement = *call.confinement;
  const std::string& program = call.command.front();
  if (program.starts_with('/') && !program.starts_with("/usr/")) confinement.readable.push_back(program);
  auto request =
      confined(confinement, {.prelude = fmt::format("{}exec \"$@\"\n", kPrintMark), .argv = call.command},
               environment);
  if (!request) return request;
  request->environment = {
      {"PATH", std::string(kSandboxPath)}, {"HOME", "/tmp"}, {"TMPDIR", "/tmp"}, {"LANG", "C.UTF-8"}};
  return request;
}

}  // namespace

Json to_json(const CommandCall& call) {
  JsonArray command;
  for (const auto& part : call.command) command.emplace_back(part);
  JsonObject environment;
  for (const auto& [name, value] : call.environment) environment.insert_or_assign(name, value);
  for (const auto& [name, value] : call.literal_environment) environment.insert_or_assign(name, value);
  JsonObject tree{
      {"command", std::move(command)}, {"environment", std::move(environment)}, {"input", call.input}};
  if (call.inherited == InheritedVariables::safe) tree.emplace("inherited", "safe");
  if (!call.working_directory.empty()) tree.emplace("directory", call.working_directory);
  if (call.confinement) {
    JsonArray readable;
    for (const auto& path : call.confinement->readable) readable.emplace_back(path);
    tree.emplace("sandbox", "bubblewrap");
    tree.emplace("readable", std::move(readable));
  }
  return tree;
}

Task<Result<Json>> run_command(EventLoop& loop, CommandCall call, Environment environment) {
  const std::string program = call.command.empty() ? std::string() : call.command.front();
  ProcessRequest request;
  request.argv = call.command;
  request.working_directory = call.working_directory;
  if (call.confinement) {
    auto fenced = confined_request(call, environment);
    if (!fenced) co_return fail(std::move(fenced.error()).with("command", program));
    request = std::move(*fenced);
  }
  request.inherited = call.inherited;
  Secrets secrets(kHiddenMark);
  auto variables = variables_of(call, secrets.noting(std::move(environment)));
  if (!variables) co_return fail(std::move(variables.error()).with("command", program));
  if (call.inherited == InheritedVariables::all) note_inherited(secrets);
  std::ranges::move(*variables, std::back_inserter(request.environment));
  request.input = call.input;
  request.timeout = call.timeout;
  auto ended = co_await run_process(loop, std::move(request));
  if (!ended) co_return fail(std::move(ended.error()));
  if (call.confinement) {
    auto said = after_mark(ended->error_output);
    if (!said) co_return fail(std::move(said.error()).with("command", program));
    ended->error_output = std::string(*said);
  }
  if (ended->exit_code != 0) {
    const std::string said =
        quoted_end(ended->error_output.empty() ? ended->output : ended->error_output, 500, secrets);
    co_return fail(target_error(
        program, fmt::format("exit code {}{}{}", ended->exit_code, said.empty() ? "" : ": ", said)));
  }
  auto value = parse_json(ended->output);
  if (is_text_reply(call.text_reply, ended->output, value))
    co_return Json(boost::json::string(repair_utf8(secrets.hide(without_line_end(ended->output)))));
  if (!value) {
    const std::string printed = quoted_end(ended->output, 200, secrets);
    co_return fail(target_error(
        program, printed.empty() ? std::string("printed nothing, expected its answer on stdout")
                                 : fmt::format("stdout is not one JSON value ({}); it ends with: {}",
                                               value.error().message, printed)));
  }
  if (!within_depth(*value)) {
    co_return fail(target_error(
        program, fmt::format("the value on stdout is nested more than {} levels deep", kDeepestForeign)));
  }
  co_return secrets.hide_in(*value);
}

}  // namespace assay
