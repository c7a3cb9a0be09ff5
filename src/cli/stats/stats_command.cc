#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "cli/stats/stats_help.h"
#include "core/file.h"
#include "core/text.h"
#include "report/answers/mode.h"

namespace assay {
namespace {

using answers::Input;
using answers::Mode;

Keys keys_of(const Mode& mode) {
  Keys keys = mode.keys;
  for (Key& key : common_stats_keys()) keys.push_back(std::move(key));
  return keys;
}

// A question and, if it is about a table, the table's file.
struct Asked {
  const Mode* mode = nullptr;
  std::string file;
};

std::string usage_words(const Mode& mode) {
  return fmt::format("{} ({})", mode.needed, mode.title);
}

// Which question do the flags ask? Exactly one.
Result<const Mode*> mode_by_flags(const Arguments& arguments) {
  std::vector<const Mode*> asked;
  std::vector<std::string> words;
  std::vector<std::string_view> names;
  for (const Mode& mode : answers::modes()) {
    if (mode.asked_by.empty()) {
      if (mode.input == Input::table) names.push_back(mode.name);
      continue;
    }
    words.push_back(usage_words(mode));
    const auto given = [&](std::string_view key) { return arguments.has(key); };
    if (std::ranges::any_of(mode.asked_by, given)) asked.push_back(&mode);
  }
  if (asked.size() == 1) return asked.front();
  const std::string last = words.back();
  words.pop_back();
  return fail(ErrorKind::usage,
              fmt::format("what is asked? {} or {}; the other questions are named: assay stats {} FILE",
                          fmt::join(words, ", "), last, fmt::join(names, "|")));
}

Result<const Mode*> mode_by_name(const std::string& name) {
  if (const Mode* mode = answers::find_mode(name)) return mode;
  std::vector<std::string_view> names;
  for (const Mode& mode : answers::modes()) names.push_back(mode.name);
  const auto guess = nearest(name, names);
  return fail(ErrorKind::usage,
              guess ? fmt::format("no question is called {}; did you mean {}?", name, *guess)
                    : fmt::format("no question is called {}; there are {}", name, fmt::join(names, ", ")));
}

// QUESTION FILE, the name of a question without a file, or a FILE whose question is in the flags. A word that
// is the name of a file is that file: it was one before there was a question of that name.
Result<Asked> what_is_asked(const Arguments& arguments) {
  const auto& words = arguments.words;
  if (words.empty() || words.size() > 2)
    return fail(ErrorKind::usage, "of what? assay stats FILE, or assay stats power");
  if (words.size() == 2) {
    const auto mode = mode_by_name(words[0]);
    if (!mode) return fail(mode.error());
    if ((*mode)->input == Input::none)
      return fail(ErrorKind::usage, fmt::format("{} is asked of no file, found {}", words[0], words[1]));
    return Asked{*mode, words[1]};
  }
  if (const Mode* mode = answers::find_mode(words[0])) {
    if (mode->input == Input::none) return Asked{mode, ""};
    if (!file_exists(words[0]))
      return fail(ErrorKind::usage, fmt::format("of which file? {}", stats_usage(*mode)));
  }
  const auto mode = mode_by_flags(arguments);
  if (!mode) return fail(mode.error());
  return Asked{*mode, words[0]};
}

// Every flag that some other mode has and this one has not.
Status only_own_flags(const Arguments& arguments, const Mode& mode) {
  const Keys own = keys_of(mode);
  std::string problems;
  for (const FlagValue& flag : arguments.flags) {
    if (flag_form(own, flag.name)) continue;
    std::vector<std::string_view> owners;
    for (const Mode& other : answers::modes()) {
      if (flag_form(other.keys, flag.name)) owners.push_back(other.name);
    }
    problems +=
        fmt::format("{}--{} belongs to {}, not to {}; assay stats {} --help lists what does",
                    problems.empty() ? "" : "\n", flag.name, fmt::join(owners, ", "), mode.name, mode.name);
  }
  if (!problems.empty()) return fail(ErrorKind::usage, problems);
  return {};
}

}  // namespace

// What the command line may hold before it is known which question is asked: the keys of all modes, each
// once.
Keys stats_keys() {
  Keys keys;
  for (const Mode& mode : answers::modes()) {
    for (const Key& key : mode.keys) {
      if (find_key(keys, key.name) == nullptr) keys.push_back(key);
    }
  }
  for (Key& key : common_stats_keys()) keys.push_back(std::move(key));
  return keys;
}

int stats_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  const auto arguments = parse_arguments(words, stats_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    const Mode* mode = arguments->words.empty() ? nullptr : answers::find_mode(arguments->words[0]);
    print(mode != nullptr ? mode_help(*mode, surroundings.terminal)
                          : command_help("stats", "", surroundings.terminal));
    return kDone;
  }
  const auto asked = what_is_asked(*arguments);
  if (!asked) return bad_input(asked.error(), surroundings);
  if (auto good = only_own_flags(*arguments, *asked->mode); !good)
    return bad_input(good.error(), surroundings);
  const Keys keys = keys_of(*asked->mode);
  ResolvedConfig resolved = resolve_config(keys, {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    // There is no file of keys here: what is missing is a flag.
    for (auto& [where, key, text] : resolved.problems) {
      if (!where.empty()) continue;
      where = "--" + flag_names({*find_key(keys, key)}).front();
      key.clear();
    }
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  DataTable table;
  if (asked->mode->input == Input::table) {
    auto read = DataTable::read(asked->file);
    if (!read) return bad_input(read.error(), surroundings);
    table = std::move(*read);
  }
  const auto answer = asked->mode->answer(table, resolved.config);
  if (!answer) return bad_input(answer.error(), surroundings);
  print(wants_json(resolved.config) ? pretty_text(answer->json) : answer->text);
  return kDone;
}

}  // namespace assay
