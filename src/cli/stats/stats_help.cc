#include "cli/stats/stats_help.h"

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/help/help.h"

namespace assay {

Keys common_stats_keys() {
  return {format_key(), {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

std::string stats_usage(const answers::Mode& mode) {
  return fmt::format("assay stats {}{} {}", mode.name, mode.input == answers::Input::table ? " FILE" : "",
                     mode.needed);
}

std::string mode_help(const answers::Mode& mode, const Terminal& terminal) {
  return fmt::format("{}: {}?\n  {}\n\n{}", bold(mode.name, terminal), mode.title, stats_usage(mode),
                     help_text(mode.keys, text_width(terminal)));
}

std::string stats_help(const Terminal& terminal) {
  std::string out =
      "A table is CSV or JSON Lines. The first word says what is asked of it; groups, raters and winners may "
      "go\nunnamed, as their flags say it.\n";
  for (const answers::Mode& mode : answers::modes()) out += "\n" + mode_help(mode, terminal);
  return out + "\n" + bold("Flags of all\n", terminal) + help_text(common_stats_keys(), text_width(terminal));
}

std::string stats_reference() {
  std::string out =
      "## Reference\n\n"
      "This part is made from the declarations in the code: `assay help stats --reference` prints it, and a "
      "test compares. `--format json`, every figure by name, goes with all. A key `cluster_size` is the flag "
      "`--cluster-size`; `true or false` is `--paired` or `--no-paired`; a list is written `first,second`.\n";
  for (const answers::Mode& mode : answers::modes()) {
    out += fmt::format("\n### {}\n\n`{}`: {}?\n\n{}", mode.name, stats_usage(mode), mode.title,
                       reference_markdown(mode.keys));
  }
  return out;
}

}  // namespace assay
