#include "cli/arguments.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kShort = {
    {{"-v", "verbose"}, {"-q", "quiet"}, {"-h", "help"}, {"-o", "output-dir"}}};

std::string long_name(const std::string& word) {
  for (const auto& [brief, full] : kShort) {
    if (word == brief) return std::string(full);
  }
  return word.starts_with("--") ? word.substr(2) : std::string();
}

struct Habit {
  std::string_view flag;
  std::string_view here;
};

// Flags that people bring from other tools, and what serves here.
constexpr Habit kHabits[] = {
    {"dry-run", "`assay check` with the same arguments sends nothing and counts what would be asked"},
    {"max-samples", "did you mean --limit?"},
    {"filter-first-n", "did you mean --limit?"},
    {"sample-id", "did you mean --only?"},
    {"max-concurrency", "did you mean --limits.concurrency?"},
    {"max-connections", "did you mean --limits.concurrency?"},
    {"workers", "did you mean --limits.concurrency?"},
    {"no-cache", "nothing is taken from earlier runs unless --reuse or --cache name where"},
    {"output", "did you mean --output-dir?"},
    {"config", "the config is named without a flag: assay run CONFIG"},
};

// What an unknown flag may have meant: what other tools call by that name, a nested key called without its
// owner (`--concurrency` for `--limits.concurrency`), or a slip of the fingers.
std::string guess_of(const std::string& name, const Keys& keys) {
  const auto* const habit = std::ranges::find(kHabits, name, &Habit::flag);
  if (habit != std::end(kHabits)) return std::string(habit->here);
  const std::vector<std::string> known = flag_names(keys);
  const auto nested =
      std::ranges::find_if(known, [&](const std::string& flag) { return flag.ends_with("." + name); });
  if (nested != known.end()) return fmt::format("did you mean --{}?", *nested);
  if (const auto near = nearest(name, known)) return fmt::format("did you mean --{}?", *near);
  return "--help lists the flags";
}

std::unexpected<Error> unknown_flag(const std::string& word, const std::string& name, const Keys& keys) {
  std::string dashed = name;
  std::ranges::replace(dashed, '_', '-');
  return fail(ErrorKind::usage, fmt::format("unknown flag {}; {}", word, guess_of(dashed, keys)));
}

}  // namespace

bool Arguments::has(std::string_view flag) const {
  return std::any_of(flags.begin(), flags.end(), [&](const FlagValue& given) { return given.name == flag; });
}

Result<Arguments> parse_arguments(const std::vector<std::string>& words, const Keys& keys) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      arguments.words.insert(arguments.words.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                             words.end());
      break;
    }
    if (word.size() < 2 || word.front() != '-') {
      arguments.words.push_back(word);
      continue;
    }
    std::string name = long_name(word);
    std::optional<std::string> value;
    if (const std::size_t equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    const auto form = flag_form(keys, name);
    if (name.empty() || !form) return unknown_flag(word, name.empty() ? word : name, keys);
    if (*form == FlagForm::takes_value && !value) {
      if (i + 1 >= words.size()) return fail(ErrorKind::usage, fmt::format("--{} needs a value", name));
      value = words[++i];
    }
    arguments.flags.push_back({std::move(name), std::move(value)});
  }
  return arguments;
}

Key format_key() {
  return {.name = "format",
          .help = "For people, or JSON for programs.",
          .default_value = "text",
          .choices = {"text", "json"}};
}

bool wants_json(const Config& config) {
  return config.text("format") == "json";
}

}  // namespace assay
