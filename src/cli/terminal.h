// What the program knows of the terminal it talks to.
#pragma once

#include <string>
#include <string_view>

#include "core/environment.h"

namespace assay {

struct Terminal {
  bool is_terminal = false;  // stderr, where progress goes
  bool colour = false;       // stdout and stderr may be coloured: a terminal, and NO_COLOR is not set
  int width = 100;

  static Terminal detect(const Environment& environment);
};

// Whole texts to stdout and stderr; a broken pipe is not an error.
void print(std::string_view text);
void print_error(std::string_view text);

}  // namespace assay
