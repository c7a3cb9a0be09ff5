#include <algorithm>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help.h"
#include "core/embedded.h"
#include "core/file.h"
#include "core/time.h"
#include "report/conclusions.h"
#include "report/terminal.h"
#include "runs/finished.h"
#include "store/sqlite.h"

namespace assay {

std::span<const EmbeddedText> embedded_examples();

namespace {

namespace fs = std::filesystem;

Status unpack_examples(const std::string& directory) {
  for (const EmbeddedText& example : embedded_examples()) {
    const fs::path path = fs::path(directory) / "examples" / std::string(example.name);
    if (auto made = make_directories(path.parent_path().string()); !made) return made;
    if (auto written = write_file(path.string(), example.text); !written) return written;
    // A command target must be runnable.
    if (path.extension() == ".sh") {
      std::error_code ignored;
      fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                      fs::perm_options::add, ignored);
    }
  }
  return {};
}

// tickets.sql beside a config makes tickets.db, which the config names.
Status make_databases(const std::string& directory) {
  for (const EmbeddedText& example : embedded_examples()) {
    const fs::path script = fs::path(directory) / "examples" / std::string(example.name);
    const fs::path name{std::string(example.name)};
    if (name.extension() != ".sql" || std::distance(name.begin(), name.end()) != 2) continue;
    const std::string path = fs::path(script).replace_extension(".db").string();
    std::error_code ignored;
    fs::remove(path, ignored);
    auto database = Database::open(path, Database::Mode::create);
    if (!database) return fail(std::move(database.error()));
    if (auto made = database->execute(std::string(example.text)); !made)
      return fail(std::move(made.error()).with("file", script.string()));
  }
  return {};
}

}  // namespace

Keys demo_keys() {
  return {{.name = "directory",
           .type = KeyType::path,
           .help = "Where examples and results are written.",
           .default_value = "assay-demo"},
          {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int demo_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, demo_keys());
  if (!arguments) {
    show_error(arguments.error(), surroundings);
    return kBadInput;
  }
  if (arguments->has("help")) {
    print(command_help("demo", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(demo_keys(), {"", {}, arguments->flags});
  const std::string directory =
      fs::path(resolved.config.text("directory"))
              .lexically_relative(fs::current_path())
              .string()
              .starts_with("..")
          ? resolved.config.text("directory")
          : fs::path(resolved.config.text("directory")).lexically_proximate(fs::current_path()).string();
  if (auto unpacked = unpack_examples(directory); !unpacked) {
    show_error(unpacked.error(), surroundings);
    return kBadInput;
  }
  if (auto made = make_databases(directory); !made) {
    show_error(made.error(), surroundings);
    return kBadInput;
  }
  const std::string stamp = directory_time(std::chrono::system_clock::now());
  std::vector<RunFinding> findings;
  int worst = kBadInput;  // until something has run
  for (const EmbeddedText& example : embedded_examples()) {
    const fs::path name{std::string(example.name)};
    const bool config_file = name.extension() == ".yaml" && std::distance(name.begin(), name.end()) == 2;
    if (!config_file) continue;  // what stands deeper belongs to a config
    const std::string config = (fs::path(directory) / "examples" / name).string();
    const std::string output = fmt::format("{}/results/{}-{}", directory, name.stem().string(), stamp);
    print(fmt::format("\n── {} ──\n", config));
    const int code = run_evaluation_command({config, "--output-dir", output}, surroundings);
    // Some examples hold errors of the system under test on purpose: those are theirs, not the demo's.
    const int counted = code == kCasesErrored ? kDone : code;
    if (worst == kBadInput || counted != kDone) worst = counted;
    if (auto summary = read_summary(output))
      findings.push_back({name.stem().string(), std::move(*summary), output + "/report.html"});
  }
  TerminalStyle style;
  style.colour = surroundings.terminal.colour ? Colour::ansi : Colour::none;
  style.width = static_cast<std::size_t>(surroundings.terminal.width);
  print(fmt::format("\n── what was found ──\n{}", terminal_findings(findings, style)));
  std::vector<std::string> simulated;
  for (const RunFinding& finding : findings) {
    for (const std::string& model : finding.summary.simulated) {
      if (std::ranges::find(simulated, model) == simulated.end()) simulated.push_back(model);
    }
  }
  if (!simulated.empty()) print(fmt::format("\n{}\n", simulated_sentence(simulated)));
  print(fmt::format("\nThe configs and data are in {}/examples; change them and `assay run` them.\n",
                    directory));
  return worst;
}

}  // namespace assay
