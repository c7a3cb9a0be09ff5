// The words after a command, read against declared keys: flags that exist and have a value where they need
// one, and the rest in order. Flags are declared with the same Key as config keys, so help, checks and
// completion come from one table.
#pragma once

#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"

namespace assay {

struct Arguments {
  std::vector<std::string> words;  // not flags
  std::vector<FlagValue> flags;

  bool has(std::string_view flag) const;
};

// `--name value`, `--name=value`, `--[no-]name` for true/false, `--` ends the flags. An unknown flag is an
// error that names the nearest known one. `-v`, `-q`, `-h`, `-o` are short for --verbose, --quiet, --help,
// --output-dir.
Result<Arguments> parse_arguments(const std::vector<std::string>& words, const Keys& keys);

// `--format text|json` of a command that prints a table.
Key format_key();
enum class Telling { words, json };
bool wants_json(const Config& config);

}  // namespace assay
