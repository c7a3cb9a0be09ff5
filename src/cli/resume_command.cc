// `assay resume DIR`, or, where the directory has gone, `assay resume --run ID --store postgres://…`.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cli/evaluation_words.h"
#include "cli/execution.h"
#include "core/environment.h"
#include "core/file.h"
#include "core/time.h"
#include "runs/distributed/first_contact.h"
#include "store/postgres/stored_runs.h"

namespace assay {
namespace {

// What a flag says, with _ or - in its name; the last one counts.
std::string flag_text(const Arguments& arguments, std::string_view name) {
  std::string text;
  for (const FlagValue& flag : arguments.flags) {
    std::string given = flag.name;
    std::ranges::replace(given, '-', '_');
    if (given == name) text = flag.value.value_or("");
  }
  return text;
}

bool is_new_or_empty(const std::string& directory) {
  std::error_code ignored;
  return !std::filesystem::exists(directory, ignored) || std::filesystem::is_empty(directory, ignored);
}

// As the key says that the run's config has, which is not here yet.
std::chrono::nanoseconds connect_within(const Arguments& arguments) {
  const std::string text = flag_text(arguments, "connect_within");
  return parse_duration(text.empty() ? "60s" : text).value_or(std::chrono::seconds(60));
}

// The directory of the run that the flags name, made anew from its store.
Result<std::string> restored(const Arguments& arguments, const Environment& environment) {
  const std::string run = flag_text(arguments, "run");
  auto filled = fill_environment(flag_text(arguments, "store"), environment);
  if (!filled) return fail(std::move(filled.error()).with("key", "store"));
  if (filled->empty())
    return fail(ErrorKind::usage, "--run ID is a run of a store: say which, --store postgres://…");
  auto store = run_store_address(*filled);
  if (!store) return fail(std::move(store.error()).with("key", "store"));
  const FirstContact contact{connect_within(arguments), [](const std::string& words) {
                               print_error(fmt::format("warning: {}\n", words));
                             }};
  if (auto reached = reach_store(*store, contact); !reached) return fail(std::move(reached.error()));
  auto identity = read_identity(RunAddress::in(*store, run));
  if (!identity) return fail(std::move(identity.error()));
  std::string directory = flag_text(arguments, "output_dir");
  if (directory.empty()) directory = fresh_directory(identity->evaluation, std::chrono::system_clock::now());
  if (!is_new_or_empty(directory)) {
    return fail(
        Error{ErrorKind::usage,
              "is not empty: the files of a run are made anew in a directory of their own; if it holds "
              "this run, go on with assay resume DIR",
              {{"directory", directory}}});
  }
  if (auto made = restore_directory({directory, *store, run}); !made) return fail(std::move(made.error()));
  print_error(fmt::format("the files of run {} are made anew in {}\n", run, directory));
  return directory;
}

// Which run the words mean.
Result<std::string> directory_of(const Arguments& arguments, const Environment& environment) {
  const bool named = arguments.has("run");
  if (arguments.words.size() != (named ? 0 : 1)) {
    return fail(ErrorKind::usage,
                "which run? assay resume DIR, or, if its directory has gone, assay resume --run ID --store "
                "postgres://…");
  }
  if (named) return restored(arguments, environment);
  std::string directory = arguments.words[0];
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  if (!file_exists(directory + "/config.yaml")) {
    return fail(Error{ErrorKind::usage,
                      "there is no config.yaml: this is not the directory of a run",
                      {{"directory", directory}}});
  }
  return directory;
}

}  // namespace

int resume_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, resume_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (shown_help("resume", "", *arguments, surroundings)) return kDone;
  const auto telling = telling_of(*arguments, surroundings);
  if (!telling) return kBadInput;
  auto directory = directory_of(*arguments, surroundings.environment);
  if (!directory) return cannot_begin(directory.error(), surroundings);
  Execution execution;
  execution.directory = std::move(*directory);
  const std::string config_file = execution.directory + "/config.yaml";
  auto plan = plan_from("", config_file, *arguments, surroundings);
  if (!plan) return kBadInput;
  execution.plan = std::move(*plan);
  execution.opening = Opening::resume;
  execution.telling = *telling;
  if (arguments->has("accept-changes") || arguments->has("accept_changes")) execution.damage = Damage::accept;
  execution.quiet = arguments->has("quiet");
  execution.verbose = arguments->has("verbose");
  execution.command = fmt::format("assay run {} --output-dir NEW_DIRECTORY", quoted(config_file));
  return check_and_execute(execution, surroundings);
}

}  // namespace assay
