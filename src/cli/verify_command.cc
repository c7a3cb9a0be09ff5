#include <algorithm>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help.h"
#include "core/text.h"
#include "runs/verify.h"

namespace assay {
void show_checks(const std::vector<RunCheck>& checks, std::string_view before) {
  for (const RunCheck& check : checks) {
    print(fmt::format("{}{}: {}{}{}\n", before, check.passed ? "ok" : "FAILED", check.what,
                      check.detail.empty() ? "" : ": ", check.detail));
  }
}

namespace {

// One run; `before` stands before each line where there are several.
int verify_one(const std::string& directory, const std::string& seal, std::string_view before,
               const Surroundings& surroundings) {
  auto verdict = verify_run(directory, seal);
  if (!verdict) return bad_input(verdict.error(), surroundings);
  show_checks(verdict->checks, before);
  for (const std::string& note : verdict->notes) print(fmt::format("{}note: {}\n", before, note));
  if (!verdict->seal.empty()) print(fmt::format("{}seal: {}\n", before, verdict->seal));
  return verdict->passed() ? kDone : kGateFailed;
}

}  // namespace

Keys verify_keys() {
  return {{.name = "seal", .help = "The seal that was told when the run ended, as you kept it."},
          {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int verify_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, verify_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("verify", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(verify_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  const std::string seal = resolved.config.text("seal");
  const bool several = arguments->words.size() > 1;
  if (arguments->words.empty() || (several && !seal.empty()))
    return bad_input(
        {ErrorKind::usage, "which run? assay verify DIR [--seal HASH], or several without a seal", {}},
        surroundings);
  int worst = kDone;
  for (std::string directory : arguments->words) {
    while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
    worst = std::max(worst, verify_one(directory, seal, several ? directory + ": " : "", surroundings));
  }
  return worst;
}

}  // namespace assay
