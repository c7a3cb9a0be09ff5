// kind: command. A program of the user's: the arguments as JSON on stdin, one JSON value on stdout.
#include "tools/command.h"

#include <optional>
#include <utility>

#include <boost/json/object.hpp>

#include "core/config/variables.h"
#include "core/files/find_program.h"
#include "tools/kinds/kinds.h"

namespace assay {
namespace {

class CommandAction final : public ToolAction {
 public:
  CommandAction(std::vector<std::string> command, NamedTexts environment,
                std::optional<Confinement> confinement)
      : command_(std::move(command)),
        environment_(std::move(environment)),
        confinement_(std::move(confinement)) {}

  JsonObject identity() const override {
    JsonObject fields{{"command", list_of(command_)}, {"environment", object_of(environment_)}};
    if (confinement_) {
      fields.emplace("sandbox", "bubblewrap");
      fields.emplace("readable", list_of(confinement_->readable));
    }
    return fields;
  }

  std::vector<std::string> variables() const override { return environment_names(environment_); }

  NamedTexts not_found() const override {
    if (!confinement_) {
      auto found = check_command(command_, "");
      return found ? NamedTexts{} : NamedTexts{{"command", found.error().text()}};
    }
    return not_found_inside(*confinement_, "command", command_.front());
  }

  Task<Result<Json>> use(ToolMeans& means, ToolUse use) const override {
    CommandCall call;
    call.command = command_;
    // A model drives it: it gets no key that it is not given.
    call.inherited = InheritedVariables::safe;
    call.environment = environment_;
    call.confinement = confinement_;
    call.input = to_text(use.arguments);
    call.timeout = use.tool->timeout;
    co_return co_await run_command(means.loop, std::move(call), means.environment);
  }

 private:
  std::vector<std::string> command_;
  NamedTexts environment_;
  std::optional<Confinement> confinement_;
};

Keys keys() {
  return {{.name = "command",
           .type = KeyType::command,
           .help = "the program; its arguments come as JSON on stdin, and it prints one JSON value.",
           .required = true},
          environment_key(),
          sandbox_key(
              "`bubblewrap` runs the program where it has no network, sees `/usr` and `readable` alone, and "
              "writes to a `/tmp` of its own; by default it runs with your own rights."),
          readable_key(),
          parameters_key()};
}

ToolKind::Reading read(ToolDeclaration& declaration) {
  auto command = declaration.values().texts("command");
  auto environment = declaration.named_texts("environment");
  std::optional<Confinement> confinement;
  if (declaration.values().text("sandbox") == "bubblewrap") {
    confinement.emplace();
    confinement->readable = declaration.values().texts("readable");
  } else if (declaration.values().has("readable")) {
    declaration.complain("readable: only a sandbox has a use for it; expected sandbox: bubblewrap beside it");
  }
  if (command.empty()) declaration.complain("command: found an empty list, expected a program");
  return {.parameters = declaration.parameters(),
          .action = std::make_shared<CommandAction>(std::move(command), std::move(environment),
                                                    std::move(confinement))};
}

}  // namespace

constinit const ToolKind kCommandKind = {.name = "command", .keys = keys, .read = read};

}  // namespace assay
