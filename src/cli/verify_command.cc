#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "core/json/json.h"
#include "core/text.h"
#include "runs/verify.h"

namespace assay {
void show_checks(const std::vector<RunCheck>& checks, std::string_view before) {
  for (const RunCheck& check : checks) {
    print(fmt::format("{}{}: {}{}{}\n", before, check.passed ? "ok" : "FAILED", check.what,
                      check.detail.empty() ? "" : ": ", check.detail));
  }
}

JsonArray checks_json(const std::vector<RunCheck>& checks) {
  JsonArray list;
  for (const RunCheck& check : checks)
    list.push_back(JsonObject{{"check", check.what}, {"passed", check.passed}, {"detail", check.detail}});
  return list;
}

namespace {

// `before` stands before each line where there are several runs.
void show_verdict(const RunVerdict& verdict, std::string_view before) {
  show_checks(verdict.checks, before);
  for (const std::string& note : verdict.notes) print(fmt::format("{}note: {}\n", before, note));
  if (!verdict.seal.empty()) print(fmt::format("{}seal: {}\n", before, verdict.seal));
}

Json to_json(const std::string& directory, const RunVerdict& verdict) {
  JsonArray notes;
  for (const std::string& note : verdict.notes) notes.emplace_back(note);
  return JsonObject{{"directory", directory},
                    {"passed", verdict.passed()},
                    {"checks", checks_json(verdict.checks)},
                    {"notes", std::move(notes)},
                    {"seal", verdict.seal.empty() ? Json(nullptr) : Json(verdict.seal)}};
}

}  // namespace

Keys verify_keys() {
  return {{.name = "seal", .help = "The seal that was told when the run ended, as you kept it."},
          format_key(),
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
  const bool json = wants_json(resolved.config);
  JsonArray list;
  int worst = kDone;
  for (std::string directory : arguments->words) {
    while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
    auto verdict = verify_run(directory, seal);
    if (!verdict) {
      worst = std::max(worst, bad_input(verdict.error(), surroundings));
      continue;
    }
    worst = std::max<int>(worst, verdict->passed() ? kDone : kGateFailed);
    if (json) {
      list.push_back(to_json(directory, *verdict));
    } else {
      show_verdict(*verdict, several ? directory + ": " : "");
    }
  }
  if (json) print(pretty_text(list));
  return worst;
}

}  // namespace assay
