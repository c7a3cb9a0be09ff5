#include "cli/terminal.h"

#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

namespace assay {

Terminal Terminal::detect(const Environment& environment) {
  Terminal terminal;
  terminal.is_terminal = ::isatty(STDERR_FILENO) == 1;
  const auto no_colour = environment("NO_COLOR");
  const auto kind = environment("TERM");
  terminal.colour = ::isatty(STDOUT_FILENO) == 1 && (!no_colour || no_colour->empty()) && kind != "dumb";
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) terminal.width = size.ws_col;
  return terminal;
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace assay
