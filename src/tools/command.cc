#include "tools/command.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

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
  return tree;
}

Task<Result<Json>> run_command(EventLoop& loop, CommandCall call, Environment environment) {
  const std::string program = call.command.empty() ? std::string() : call.command.front();
  ProcessRequest request;
  request.argv = call.command;
  request.inherited = call.inherited;
  Secrets secrets(kHiddenMark);
  auto variables = variables_of(call, secrets.noting(std::move(environment)));
  if (!variables) co_return fail(std::move(variables.error()).with("command", program));
  request.environment = std::move(*variables);
  request.input = call.input;
  request.timeout = call.timeout;
  auto ended = co_await run_process(loop, std::move(request));
  if (!ended) co_return fail(std::move(ended.error()));
  if (ended->exit_code != 0) {
    const std::string said =
        quoted_end(ended->error_output.empty() ? ended->output : ended->error_output, 500, secrets);
    co_return fail(target_error(
        program, fmt::format("exit code {}{}{}", ended->exit_code, said.empty() ? "" : ": ", said)));
  }
  auto value = parse_json(ended->output);
  if (!value) {
    const std::string printed = quoted_end(ended->output, 200, secrets);
    co_return fail(target_error(
        program, printed.empty() ? std::string("printed nothing, expected one JSON object on stdout")
                                 : fmt::format("stdout is not one JSON value ({}); it ends with: {}",
                                               value.error().message, printed)));
  }
  co_return hidden_in(*value, secrets);
}

}  // namespace assay
