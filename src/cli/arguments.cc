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

std::unexpected<Error> unknown_flag(const std::string& word, const std::string& name, const Keys& keys) {
  const std::vector<std::string> known = flag_names(keys);
  const auto guess = nearest(name, known);
  return fail(ErrorKind::usage, guess ? fmt::format("unknown flag {}; did you mean --{}?", word, *guess)
                                      : fmt::format("unknown flag {}; --help lists the flags", word));
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

}  // namespace assay
