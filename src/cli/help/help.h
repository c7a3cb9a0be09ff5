// Help that a person enjoys, all of it made from the declarations.
#pragma once

#include <string>
#include <string_view>

#include "cli/terminal.h"

namespace assay {

std::string bold(std::string_view text, const Terminal& terminal);
// Columns that help fills: the terminal's, but neither too narrow nor too wide to be read.
int text_width(const Terminal& terminal);

std::string general_help(const Terminal& terminal);
// Of a command or, for `run` and `check`, of one evaluation's keys.
std::string command_help(std::string_view command, std::string_view evaluation, const Terminal& terminal);
// docs/config.md.
std::string config_reference();

}  // namespace assay
