#include <cerrno>
#include <filesystem>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/evaluation_words.h"
#include "cli/serve.h"
#include "core/file.h"
#include "runs/labels/sheets.h"
#include "runs/list.h"

namespace assay {
namespace {

// A browser that somebody can see: the one that BROWSER names, or the desktop's.
std::string browser_of(const Environment& environment) {
  if (const auto named = environment("BROWSER"); named && !named->empty()) return *named;
  const auto shown = [&](const char* name) {
    const auto value = environment(name);
    return value && !value->empty();
  };
  return shown("DISPLAY") || shown("WAYLAND_DISPLAY") ? "xdg-open" : "";
}

// Its end is not waited for, and that there is none is no error: the address is printed anyway.
void open_browser(const std::string& browser, const std::string& address) {
  if (browser.empty()) return;
  std::string program = browser;
  std::string argument = address;
  char* words[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  (void)::posix_spawnp(&child, program.c_str(), nullptr, nullptr, words, ::environ);
}

}  // namespace

Keys view_keys() {
  return {{.name = "port",
           .type = KeyType::integer,
           .help = "Port; by default any free one.",
           .default_value = 0,
           .minimum = 0,
           .maximum = 65535},
          {.name = "open",
           .type = KeyType::boolean,
           .help = "Open the browser: BROWSER, or xdg-open where there is a display.",
           .default_value = true},
          {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int view_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, view_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (shown_help("view", "", *arguments, surroundings)) return kDone;
  const ResolvedConfig resolved = resolve_config(view_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  ServiceOptions options;
  options.results = arguments->words;
  if (options.results.empty()) options.results.emplace_back("results");
  for (const std::string& directory : options.results) {
    if (!directory_exists(directory))
      return bad_input(file_error(directory, "open the results", ENOENT), surroundings);
  }
  // Sheets stand beside runs, not in the directory of one, which is sealed.
  const std::string& first = options.results.front();
  const std::filesystem::path beside = is_run_directory(first)
                                           ? std::filesystem::absolute(first).lexically_normal().parent_path()
                                           : std::filesystem::path(first);
  options.labels = (beside / "labels").string();
  if (const auto free = labels::Sheets::open(options.labels); !free) {
    print_error(fmt::format(
        "note: the labels in {} are another service's, or cannot be read: cases cannot be judged here\n",
        options.labels));
    options.labels.clear();
  }
  // What people said and what models answered is for whoever looks at it alone.
  ::umask(0077);
  auto nobody = TokenFile::open("", {});
  if (!nobody) return bad_input(nobody.error(), surroundings);
  options.tokens = std::move(*nobody);
  options.http.port = static_cast<std::uint16_t>(resolved.config.integer("port").value_or(0));
  options.http.threads = 2;
  options.environment = surroundings.environment;
  const std::string browser = resolved.config.boolean("open") ? browser_of(surroundings.environment) : "";
  return serve(std::move(options), surroundings, [&](const std::string& address) {
    print(fmt::format("{}/\n", address));
    open_browser(browser, address + "/");
  });
}

}  // namespace assay
