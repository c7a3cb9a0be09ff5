#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/stats/stats_modes.h"
#include "core/text.h"
#include "report/terminal.h"

namespace assay {
namespace {

std::vector<std::string> listed(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const std::string& one : given) {
    for (std::string_view rest = one; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (const auto name = trim(rest.substr(0, comma)); !name.empty()) names.emplace_back(name);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return names;
}

Result<StatsAnswer> answer_power(const Config& config) {
  PowerQuestion question;
  question.delta = config.number("delta");
  question.sd = config.number("sd");
  question.n = config.number("n");
  question.power = config.number("power");
  question.alpha = config.number("alpha").value_or(0.05);
  question.paired = config.boolean("paired");
  question.cluster_size = config.number("cluster_size").value_or(1);
  question.icc = config.number("icc").value_or(0);
  return plan_sample(question);
}

// Exactly one question: by group, by raters, or by winner.
Result<StatsAnswer> answer_table(const std::string& path, const Config& config) {
  const bool groups = config.has("value") || config.has("group");
  const bool raters = config.has("raters");
  const bool winners = config.has("winner");
  if (static_cast<int>(groups) + static_cast<int>(raters) + static_cast<int>(winners) != 1) {
    return fail(ErrorKind::usage,
                "what is asked? --value COLUMN --group COLUMN (do groups differ), --raters COLUMN,COLUMN (do "
                "raters agree) or "
                "--winner COLUMN --a COLUMN --b COLUMN (who wins)");
  }
  auto table = DataTable::read(path);
  if (!table) return fail(table.error());
  if (raters) return rate_agreement(*table, listed(config.texts("raters")), config.text("level"));
  if (winners) {
    if (!config.has("a") || !config.has("b"))
      return fail(ErrorKind::usage,
                  "--winner needs --a COLUMN and --b COLUMN, the columns that say who met whom");
    return rank_winners(*table,
                        {config.text("winner"), config.text("a"), config.text("b"), config.text("cluster")});
  }
  if (!config.has("value") || !config.has("group"))
    return fail(ErrorKind::usage, "--value COLUMN and --group COLUMN belong together");
  return compare_groups(*table, {config.text("value"), config.text("group"), config.text("control"),
                                 config.text("cluster"), config.text("pair")});
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (widths.size() < row.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - display_width(row[i]), ' ');
      // Names to the left, figures to the right, the last column (words) to the left again.
      const bool left = i == 0 || i + 1 == row.size();
      line += (i > 0 ? "  " : "") + (left ? row[i] + space : space + row[i]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

Keys stats_keys() {
  return {
      {.name = "value", .help = "Column of the scores."},
      {.name = "group", .help = "Column that says which group a row belongs to."},
      {.name = "control", .help = "Compare every group with this one only."},
      {.name = "cluster", .help = "Column that says which rows belong together; intervals honour it."},
      {.name = "pair", .help = "Column that pairs a row of one group with one of another: the case's id."},
      {.name = "raters",
       .type = KeyType::text_list,
       .help = "Columns of the raters, one unit a row: first,second,…"},
      {.name = "level",
       .help = "What the ratings are.",
       .default_value = "nominal",
       .choices = {"nominal", "ordinal", "interval", "ratio"}},
      {.name = "winner", .help = "Column of who won: a, b, tie, or the winner's name."},
      {.name = "a", .help = "Column of the first of each pair."},
      {.name = "b", .help = "Column of the second of each pair."},
      {.name = "delta", .type = KeyType::number, .help = "power: the difference to be found."},
      {.name = "sd",
       .type = KeyType::number,
       .help = "power: standard deviation of the difference, or of each group.",
       .minimum = 0},
      {.name = "n", .type = KeyType::number, .help = "power: cases (per group if not paired).", .minimum = 2},
      {.name = "power",
       .type = KeyType::number,
       .help = "power: chance to find it.",
       .minimum = 0.01,
       .maximum = 0.9999},
      {.name = "alpha",
       .type = KeyType::number,
       .help = "power: level of the test.",
       .default_value = 0.05,
       .minimum = 0.000001,
       .maximum = 0.5},
      {.name = "paired",
       .type = KeyType::boolean,
       .help = "power: both systems answer the same cases.",
       .default_value = true},
      {.name = "cluster_size",
       .type = KeyType::number,
       .help = "power: cases in a cluster.",
       .default_value = 1,
       .minimum = 1},
      {.name = "icc",
       .type = KeyType::number,
       .help = "power: correlation of cases in one cluster.",
       .default_value = 0,
       .minimum = 0,
       .maximum = 1},
      {.name = "json",
       .type = KeyType::boolean,
       .help = "Every figure by name, for machines.",
       .default_value = false},
      {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int stats_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, stats_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("stats", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(stats_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  if (arguments->words.size() != 1)
    return bad_input(Error{ErrorKind::usage, "of what? assay stats FILE, or assay stats power", {}},
                     surroundings);
  auto answer = arguments->words[0] == "power" ? answer_power(resolved.config)
                                               : answer_table(arguments->words[0], resolved.config);
  if (!answer) return bad_input(answer.error(), surroundings);
  print(resolved.config.boolean("json") ? pretty_text(answer->json) : answer->text);
  return kDone;
}

}  // namespace assay
