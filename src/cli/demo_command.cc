#include <algorithm>
#include <filesystem>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/examples.h"
#include "cli/help/help.h"
#include "core/file.h"
#include "core/time.h"
#include "report/conclusions.h"
#include "report/terminal.h"
#include "runs/finished.h"

namespace assay {

namespace {

namespace fs = std::filesystem;

Status unpack_examples(const std::string& directory) {
  for (const EmbeddedText& example : embedded_examples()) {
    const fs::path path = fs::path(directory) / "examples" / std::string(example.name);
    if (auto written = write_example(path.string(), example.text); !written) return written;
  }
  return {};
}

// Of the scripts beside a config; what stands deeper belongs to something else.
Status make_databases(const std::string& directory) {
  for (const EmbeddedText& example : embedded_examples()) {
    const fs::path name{std::string(example.name)};
    if (name.extension() != ".sql" || std::distance(name.begin(), name.end()) != 2) continue;
    const std::string path = database_of((fs::path(directory) / "examples" / name).string());
    std::error_code ignored;
    fs::remove(path, ignored);
    if (auto made = make_database(path, example.text); !made) return made;
  }
  return {};
}

JsonArray findings_json(const std::vector<RunFinding>& findings) {
  JsonArray list;
  for (const RunFinding& finding : findings)
    list.push_back(JsonObject{
        {"example", finding.name}, {"report", finding.report}, {"summary", to_json(finding.summary)}});
  return list;
}

}  // namespace

Keys demo_keys() {
  return {{.name = "directory",
           .type = KeyType::path,
           .help = "Where examples and results are written.",
           .default_value = "assay-demo"},
          format_key(),
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
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  const bool json = wants_json(resolved.config);
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
    std::vector<std::string> run{config, "--output-dir", output};
    if (json) {
      run.emplace_back("--quiet");
    } else {
      print(fmt::format("\n── {} ──\n", config));
    }
    const int code = run_evaluation_command(run, surroundings);
    // Some examples hold errors of the system under test on purpose: those are theirs, not the demo's.
    const int counted = code == kCasesErrored ? kDone : code;
    if (worst == kBadInput || counted != kDone) worst = counted;
    if (auto summary = read_summary(output))
      findings.push_back({name.stem().string(), std::move(*summary), output + "/report.html"});
  }
  if (json) {
    print(pretty_text(findings_json(findings)));
    return worst;
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
