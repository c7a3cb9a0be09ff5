#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "cli/init/starter.h"
#include "core/text.h"
#include "evaluations/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsual = "custom";

struct Wish {
  std::string evaluation = std::string(kUsual);
  std::string directory = ".";
};

// One word is an evaluation, or the directory where it is none and resembles none.
Result<Wish> wish_of(const std::vector<std::string>& words) {
  Wish wish;
  if (words.size() > 2)
    return fail(ErrorKind::usage,
                fmt::format("found {}, expected assay init [EVALUATION] [DIR]", fmt::join(words, " ")));
  if (words.empty()) return wish;
  std::vector<std::string> names;
  for (const EvaluationKind& kind : evaluation_kinds()) names.emplace_back(kind.name);
  const bool known = find_evaluation(words[0]) != nullptr;
  const auto meant = nearest(words[0], names);
  if (!known && (words.size() == 2 || (meant && !fs::is_directory(words[0])))) {
    return fail(ErrorKind::usage, fmt::format("unknown evaluation {}; {}", words[0],
                                              meant ? fmt::format("did you mean {}?", *meant)
                                                    : fmt::format("known are {}", fmt::join(names, ", "))));
  }
  if (!known) {
    wish.directory = words[0];
    return wish;
  }
  wish.evaluation = words[0];
  if (words.size() == 2) wish.directory = words[1];
  return wish;
}

std::string next_words(const Starter& starter, const std::string& directory) {
  const auto below = [&](const std::string& name) {
    return quoted((fs::path(directory) / name).lexically_normal().string());
  };
  std::string out = fmt::format("wrote {} files:\n", starter.files.size() + starter.databases.size());
  for (const auto* list : {&starter.files, &starter.databases}) {
    for (const StarterFile& file : *list) out += fmt::format("  {}\n", below(file.path));
  }
  return out + fmt::format(
                   "\nIt runs as it is, with built-in models that need no key. Next:\n"
                   "  assay check {0}\n  assay run {0} --output-dir {1}\n  assay show {1}\n",
                   below(starter.config), below("results/first"));
}

}  // namespace

Keys init_keys() {
  return {{.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int init_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, init_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (shown_help("init", "", *arguments, surroundings)) return kDone;
  auto wish = wish_of(arguments->words);
  if (!wish) return bad_input(wish.error(), surroundings);
  auto starter = starter_for(wish->evaluation);
  if (!starter) return bad_input(starter.error(), surroundings);
  if (const std::vector<std::string> there = in_the_way(*starter, wish->directory); !there.empty()) {
    return bad_input(
        {ErrorKind::usage,
         fmt::format("nothing was written, since these are there already: {}; move them away, or "
                     "name another directory: assay init {} DIR",
                     fmt::join(there, ", "), wish->evaluation),
         {}},
        surroundings);
  }
  if (auto written = write_starter(*starter, wish->directory); !written)
    return bad_input(written.error(), surroundings);
  print(next_words(*starter, wish->directory));
  return kDone;
}

}  // namespace assay
