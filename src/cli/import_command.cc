#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help.h"
#include "core/file.h"
#include "core/json/json.h"
#include "core/text.h"
#include "core/visible.h"
#include "imports/promptfoo/promptfoo.h"
#include "imports/traces/read_log.h"

namespace assay {
namespace {

constexpr std::size_t kMostShown = 50;

enum class Overwriting { refused, allowed };

// `*` and `?` in the last part of a path. After a mismatch the last `*` takes one character more.
bool fits(std::string_view name, std::string_view pattern) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (at < name.size()) {
    const bool more = in_pattern < pattern.size();
    if (more && pattern[in_pattern] == '*') {
      star = in_pattern++;
      taken = at;
    } else if (more && (pattern[in_pattern] == '?' || pattern[in_pattern] == name[at])) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

SuiteFiles files_below(const std::string& directory) {
  SuiteFiles files;
  auto kept = std::make_shared<std::map<std::string, Result<std::string>>>();
  files.read = [directory, kept](const std::string& path) {
    // Many tests name the same scorer or schema.
    const auto known = kept->find(path);
    if (known != kept->end()) return known->second;
    return kept->emplace(path, read_file((std::filesystem::path(directory) / path).string())).first->second;
  };
  files.matching = [directory](const std::string& pattern) {
    const std::filesystem::path whole(pattern);
    std::vector<std::string> found;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::path(directory) / whole.parent_path();
    for (auto entry = std::filesystem::directory_iterator(folder, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (entry->is_regular_file(error) && fits(name, whole.filename().string()))
        found.push_back((whole.parent_path() / name).string());
    }
    std::ranges::sort(found);
    return found;
  };
  return files;
}

// What is there already and would be lost.
std::vector<std::string> in_the_way(const std::string& directory, const std::vector<ImportedFile>& files) {
  std::vector<std::string> found;
  for (const ImportedFile& file : files) {
    const std::string path = (std::filesystem::path(directory) / file.path).string();
    if (file_exists(path)) found.push_back(path);
  }
  return found;
}

Status write_files(const std::string& directory, const std::vector<ImportedFile>& files,
                   Overwriting overwriting) {
  if (const auto found = in_the_way(directory, files); !found.empty() && overwriting == Overwriting::refused)
    return fail(
        ErrorKind::usage,
        fmt::format("{} is there already{}; name another --output, or --force to write over it",
                    found.front(), found.size() > 1 ? fmt::format(", and {} more", found.size() - 1) : ""));
  for (const ImportedFile& file : files) {
    const std::filesystem::path path = std::filesystem::path(directory) / file.path;
    if (auto made = make_directories(path.parent_path().string()); !made) return made;
    if (auto written = write_file(path.string(), file.text); !written) return written;
  }
  return {};
}

// One line a thing; places of the same thing together.
void show_list(std::string_view title, const std::vector<LeftOut>& list) {
  if (list.empty()) return;
  std::vector<std::pair<const LeftOut*, std::vector<std::string>>> grouped;
  for (const LeftOut& one : list) {
    const auto same = std::ranges::find_if(grouped, [&](const auto& group) {
      return group.first->what == one.what && group.first->why == one.why;
    });
    if (same == grouped.end()) {
      grouped.push_back({&one, {one.place}});
    } else {
      same->second.push_back(one.place);
    }
  }
  print(fmt::format("\n{}\n", title));
  for (const auto& [one, places] : grouped) {
    const std::string more = places.size() > 1 ? fmt::format(" and {} more", places.size() - 1) : "";
    print(
        visible(fmt::format("  {}{}: {}: {}", places.front(), more, one->what, one->why), LineBreaks::kept) +
        "\n");
  }
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

int import_suite(const std::string& path, std::string directory, Overwriting overwriting,
                 const Surroundings& surroundings) {
  const std::filesystem::path file(path);
  const auto text = read_file(path);
  if (!text) return bad_input(text.error(), surroundings);
  const std::string parent = file.parent_path().empty() ? "." : file.parent_path().string();
  const auto suite = import_promptfoo(file.filename().string(), *text, files_below(parent));
  if (!suite) return bad_input(suite.error(), surroundings);
  if (directory.empty()) directory = (std::filesystem::path(parent) / "assay").lexically_normal().string();
  if (auto written = write_files(directory, suite->files, overwriting); !written)
    return bad_input(written.error(), surroundings);
  print(fmt::format("{}, {}: {}\n", counted(suite->prompts, "prompt", "prompts"),
                    counted(suite->providers, "provider", "providers"),
                    counted(suite->variants, "variant", "variants")));
  print(fmt::format("{}, {}: {}, {} of single cases\n", counted(suite->cases, "test", "tests"),
                    counted(suite->assertions, "assertion", "assertions"),
                    counted(suite->metrics, "metric", "metrics"),
                    counted(suite->case_checks, "check", "checks")));
  show_list("Taken, but not the same:", suite->notes);
  show_list("Left out:", suite->left_out);
  print(fmt::format("\nwrote {} into {}\nnext: {} check {}\n", counted(suite->files.size(), "file", "files"),
                    directory, surroundings.program,
                    (std::filesystem::path(directory) / "assay.yaml").string()));
  return suite->left_out.empty() ? kDone : kCasesErrored;
}

int import_log(const std::string& path, LogForm form, std::string output, Overwriting overwriting,
               const Surroundings& surroundings) {
  if (output.empty()) output = (std::filesystem::path(path).parent_path() / "cases.jsonl").string();
  if (file_exists(output) && overwriting == Overwriting::refused)
    return bad_input(
        Error{ErrorKind::usage,
              fmt::format("{} is there already; name another --output, or --force to write over it", output),
              {}},
        surroundings);
  auto file = AtomicFile::create(output);
  if (!file) return bad_input(file.error(), surroundings);
  const auto read = read_log(path, form, [&](const JsonObject& one) {
    file->write(to_text(one));
    file->write("\n");
  });
  if (!read) return bad_input(read.error(), surroundings);
  for (std::size_t i = 0; i < std::min(read->bad.size(), kMostShown); ++i) {
    const BadEntry& one = read->bad[i];
    show_error(
        Error{ErrorKind::data,
              one.why,
              {{"file", path}, {form == LogForm::otel ? "number" : "line", fmt::format("{}", one.number)}}},
        surroundings);
  }
  if (read->bad.size() > kMostShown)
    print_error(fmt::format("error: and {} more like these\n", read->bad.size() - kMostShown));
  if (read->cases == 0)
    return bad_input(Error{ErrorKind::data, "no case came of it, and nothing was written", {{"file", path}}},
                     surroundings);
  if (auto written = file->commit(); !written) return bad_input(written.error(), surroundings);
  print(fmt::format("{} into {}{}{}\n", counted(read->cases, "case", "cases"), output,
                    read->bad.empty() ? "" : fmt::format("; {} left out", read->bad.size()),
                    read->traces_without_model == 0
                        ? ""
                        : fmt::format("; {} without a call of a model",
                                      counted(read->traces_without_model, "trace", "traces"))));
  print(
      "next: a config with `evaluation: custom`, this file as input_path, and metrics; the outputs are in "
      "the data\n");
  return read->bad.empty() ? kDone : kCasesErrored;
}

}  // namespace

Keys import_keys() {
  return {
      {.name = "output",
       .type = KeyType::path,
       .help =
           "promptfoo: the directory to write, by default `assay` beside the suite; the others: the file, by "
           "default cases.jsonl beside the log."},
      {.name = "force", .type = KeyType::boolean, .help = "Write over files that are there."},
      {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int import_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, import_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("import", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(import_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  static const std::map<std::string, LogForm> kLogs = {
      {"openai", LogForm::openai}, {"anthropic", LogForm::anthropic}, {"otel", LogForm::otel}};
  const std::vector<std::string>& given = arguments->words;
  const bool known = given.size() == 2 && (given[0] == "promptfoo" || kLogs.contains(given[0]));
  if (!known)
    return bad_input(
        Error{ErrorKind::usage, "what is imported? assay import promptfoo|openai|anthropic|otel FILE", {}},
        surroundings);
  const Overwriting overwriting =
      resolved.config.boolean("force") ? Overwriting::allowed : Overwriting::refused;
  const std::string output = resolved.config.text("output");
  if (given[0] == "promptfoo") return import_suite(given[1], output, overwriting, surroundings);
  return import_log(given[1], kLogs.at(given[0]), output, overwriting, surroundings);
}

}  // namespace assay
