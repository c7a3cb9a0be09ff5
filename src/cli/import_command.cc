#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "core/file.h"
#include "core/json/json.h"
#include "core/text.h"
#include "core/visible.h"
#include "imports/datasets/datasets.h"
#include "imports/originals/originals.h"
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

JsonArray list_json(const std::vector<LeftOut>& list) {
  JsonArray out;
  for (const LeftOut& one : list)
    out.push_back(JsonObject{{"place", one.place}, {"what", one.what}, {"why", one.why}});
  return out;
}

// What the words of import_suite() say, for programs.
Json suite_json(const ImportedSuite& suite, const std::string& directory) {
  JsonArray files;
  for (const ImportedFile& file : suite.files)
    files.push_back(Json((std::filesystem::path(directory) / file.path).string()));
  return JsonObject{{"directory", directory},
                    {"files", std::move(files)},
                    {"prompts", suite.prompts},
                    {"providers", suite.providers},
                    {"variants", suite.variants},
                    {"cases", suite.cases},
                    {"metrics", suite.metrics},
                    {"case_checks", suite.case_checks},
                    {"assertions", suite.assertions},
                    {"not_the_same", list_json(suite.notes)},
                    {"left_out", list_json(suite.left_out)}};
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// A suite, a data set or a config of another tool. Those of promptfoo and of the benchmark name further
// files.
struct SuiteForm {
  std::string_view name;
  std::string_view what;
  Result<ImportedSuite> (*import)(const std::string& name, std::string_view text, const SuiteFiles& files);
};
template <auto Import>
Result<ImportedSuite> alone(const std::string& name, std::string_view text, const SuiteFiles& /*files*/) {
  return Import(name, text);
}
constexpr SuiteForm kSuites[] = {
    {"promptfoo", "a suite: prompts, providers, tests and assertions", import_promptfoo},
    {"deepeval", "goldens and test cases (JSON, CSV), a test run (.deepeval)", alone<import_deepeval>},
    {"inspect", "a log as JSON, or the samples of a data set (JSON Lines, CSV)", alone<import_inspect>},
    {"ragas", "a data set, old column names or new (JSON Lines, JSON, CSV)", alone<import_ragas>},
    {"chat_components", "a config of the chat evaluation, named after its task",
     alone<import_chat_components>},
    {"benchmark", "a task of the PromptQL benchmark, of any age", import_benchmark_task},
    {"persona", "the body of process-evals, or an evaluation request with its items",
     alone<import_persona_job>}};

std::string taken_words(std::string_view form, const ImportedSuite& suite) {
  if (form != "promptfoo") {
    std::string words = suite.cases > 0 ? counted(suite.cases, "case", "cases") : "a config";
    if (suite.metrics > 0) words += ", " + counted(suite.metrics, "metric", "metrics");
    return words + "\n";
  }
  return fmt::format(
      "{}, {}: {}\n{}, {}: {}, {} of single cases\n", counted(suite.prompts, "prompt", "prompts"),
      counted(suite.providers, "provider", "providers"), counted(suite.variants, "variant", "variants"),
      counted(suite.cases, "test", "tests"), counted(suite.assertions, "assertion", "assertions"),
      counted(suite.metrics, "metric", "metrics"), counted(suite.case_checks, "check", "checks"));
}

int import_suite(const SuiteForm& form, const std::string& path, std::string directory,
                 Overwriting overwriting, Telling telling, const Surroundings& surroundings) {
  const std::filesystem::path file(path);
  const auto text = read_file(path);
  if (!text) return bad_input(text.error(), surroundings);
  const std::string parent = file.parent_path().empty() ? "." : file.parent_path().string();
  const auto suite = form.import(file.filename().string(), *text, files_below(parent));
  if (!suite) return bad_input(suite.error(), surroundings);
  if (directory.empty()) directory = (std::filesystem::path(parent) / "assay").lexically_normal().string();
  if (auto written = write_files(directory, suite->files, overwriting); !written)
    return bad_input(written.error(), surroundings);
  const int code = suite->left_out.empty() ? kDone : kCasesErrored;
  if (telling == Telling::json) {
    print(pretty_text(suite_json(*suite, directory)));
    return code;
  }
  print(taken_words(form.name, *suite));
  show_list("Taken, but not the same:", suite->notes);
  show_list("Left out:", suite->left_out);
  print(fmt::format("\nwrote {} into {}\nnext: {} check {}\n", counted(suite->files.size(), "file", "files"),
                    directory, surroundings.program,
                    (std::filesystem::path(directory) / "assay.yaml").string()));
  return code;
}

struct LogName {
  std::string_view name;
  std::string_view what;
  LogForm form;
};
constexpr LogName kLogs[] = {{"openai", "a log of chat completions, as cases", LogForm::openai},
                             {"anthropic", "a log of messages, as cases", LogForm::anthropic},
                             {"otel", "traces of OpenTelemetry (OTLP as JSON), as cases", LogForm::otel}};

Json log_json(const LogRead& read, const std::string& output) {
  JsonArray bad;
  for (const BadEntry& one : read.bad) bad.push_back(JsonObject{{"number", one.number}, {"why", one.why}});
  return JsonObject{{"file", output},
                    {"cases", read.cases},
                    {"left_out", std::move(bad)},
                    {"traces_without_model", read.traces_without_model}};
}

int import_log(const std::string& path, LogForm form, std::string output, Overwriting overwriting,
               Telling telling, const Surroundings& surroundings) {
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
  const int code = read->bad.empty() ? kDone : kCasesErrored;
  if (telling == Telling::json) {
    print(pretty_text(log_json(*read, output)));
    return code;
  }
  print(fmt::format("{} into {}{}{}\n", counted(read->cases, "case", "cases"), output,
                    read->bad.empty() ? "" : fmt::format("; {} left out", read->bad.size()),
                    read->traces_without_model == 0
                        ? ""
                        : fmt::format("; {} without a call of a model",
                                      counted(read->traces_without_model, "trace", "traces"))));
  print(
      "next: a config with `evaluation: custom`, this file as input_path, and metrics; the outputs are in "
      "the data\n");
  return code;
}

}  // namespace

Keys import_keys() {
  return {{.name = "output",
           .type = KeyType::path,
           .help = "The directory to write, by default `assay` beside the file; of logs (openai, anthropic, "
                   "otel) the file, "
                   "by default cases.jsonl beside the log."},
          format_key(),
          {.name = "force", .type = KeyType::boolean, .help = "Write over files that are there."},
          {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

std::string import_help(const Terminal& terminal) {
  std::string out = bold("Forms\n", terminal);
  for (const SuiteForm& suite : kSuites) out += fmt::format("  {:<16} {}\n", suite.name, suite.what);
  for (const LogName& log : kLogs) out += fmt::format("  {:<16} {}\n", log.name, log.what);
  return out + "\n" + bold("Flags\n", terminal) + help_text(import_keys(), text_width(terminal));
}

std::vector<std::string> import_forms() {
  std::vector<std::string> names;
  for (const SuiteForm& suite : kSuites) names.emplace_back(suite.name);
  for (const LogName& log : kLogs) names.emplace_back(log.name);
  return names;
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
  const std::vector<std::string>& given = arguments->words;
  const std::string form = given.size() == 2 ? given[0] : "";
  const auto* const suite = std::ranges::find(kSuites, form, &SuiteForm::name);
  const auto* const log = std::ranges::find(kLogs, form, &LogName::name);
  if (suite == std::end(kSuites) && log == std::end(kLogs))
    return bad_input(
        Error{ErrorKind::usage,
              fmt::format("what is imported? assay import {} FILE", fmt::join(import_forms(), "|")),
              {}},
        surroundings);
  const Overwriting overwriting =
      resolved.config.boolean("force") ? Overwriting::allowed : Overwriting::refused;
  const std::string output = resolved.config.text("output");
  const Telling telling = wants_json(resolved.config) ? Telling::json : Telling::words;
  if (suite != std::end(kSuites))
    return import_suite(*suite, given[1], output, overwriting, telling, surroundings);
  return import_log(given[1], log->form, output, overwriting, telling, surroundings);
}

}  // namespace assay
