// kind: command. A program of the user's: the arguments as JSON on stdin, one JSON value on stdout.
#include "tools/command.h"

#include <utility>

#include <boost/json/object.hpp>

#include "tools/kinds/kinds.h"

namespace assay {
namespace {

class CommandAction final : public ToolAction {
 public:
  CommandAction(std::vector<std::string> command, NamedTexts environment)
      : command_(std::move(command)), environment_(std::move(environment)) {}

  JsonObject identity() const override {
    return {{"command", list_of(command_)}, {"environment", object_of(environment_)}};
  }

  Task<Result<Json>> use(ToolMeans& means, ToolUse use) const override {
    CommandCall call;
    call.command = command_;
    // A model drives it: it gets no key that it is not given.
    call.inherited = InheritedVariables::safe;
    call.environment = environment_;
    call.input = to_text(use.arguments);
    call.timeout = use.tool->timeout;
    co_return co_await run_command(means.loop, std::move(call), means.environment);
  }

 private:
  std::vector<std::string> command_;
  NamedTexts environment_;
};

Keys keys() {
  return {{.name = "command",
           .type = KeyType::command,
           .help = "the program; its arguments come as JSON on stdin, and it prints one JSON value.",
           .required = true},
          environment_key(),
          parameters_key()};
}

ToolKind::Reading read(ToolDeclaration& declaration) {
  auto command = declaration.values().texts("command");
  auto environment = declaration.named_texts("environment");
  if (command.empty()) declaration.complain("command: found an empty list, expected a program");
  return {.parameters = declaration.parameters(),
          .action = std::make_shared<CommandAction>(std::move(command), std::move(environment))};
}

}  // namespace

constinit const ToolKind kCommandKind = {.name = "command", .keys = keys, .read = read};

}  // namespace assay
