#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help.h"
#include "core/file.h"
#include "core/json/json.h"
#include "core/text.h"
#include "report/csv.h"
#include "runs/finished.h"
#include "runs/material.h"
#include "runs/output.h"
#include "stats/agreement/human_labels.h"

namespace assay {
namespace {

// The fields of the material, in the order of their first coming.
std::vector<std::string> material_columns(const std::map<std::string, JsonObject>& material,
                                          const std::vector<std::string>& ids) {
  std::vector<std::string> columns;
  for (const std::string& id : ids) {
    for (const auto& [key, value] : material.at(id)) {
      if (key != "id" && std::ranges::find(columns, std::string_view(key)) == columns.end())
        columns.emplace_back(key);
    }
  }
  return columns;
}

// A column of the data may not be taken for one of the sheet's own.
std::string column_head(const std::string& name) {
  return name == "probability" || name == "label" ? "data." + name : name;
}

// The cases to be labelled with what was judged in them, ready for a person to fill in the last column. What
// the judge said is left out: who knows it does not judge freely.
Result<std::string> sample_csv(const RunScores& run, const std::string& figure, std::size_t count,
                               const LabelPlan& plan) {
  const auto at = std::ranges::find(run.figures, figure);
  if (at == run.figures.end()) {
    const auto guess = nearest(figure, run.figures);
    return fail(ErrorKind::usage,
                guess ? fmt::format("no case has a score {}; did you mean {}?", figure, *guess)
                      : fmt::format("no case has a score {}; there are {}", figure, join(run.figures, ", ")));
  }
  const auto position = static_cast<std::size_t>(at - run.figures.begin());
  std::vector<double> scores;
  std::vector<std::string> names;
  for (const ScoredCase& one : run.cases) {
    const auto score = position < one.scores.size() ? one.scores[position] : std::nullopt;
    scores.push_back(score.value_or(std::numeric_limits<double>::quiet_NaN()));
    names.push_back(one.id);
  }
  const LabelChoice choice = choose_rows_to_label(scores, names, count, plan);
  if (!choice.undefined.empty()) return fail(ErrorKind::data, choice.undefined);
  std::vector<std::string> ids;
  ids.reserve(choice.rows.size());
  for (const std::size_t row : choice.rows) ids.push_back(run.cases[row].id);
  const auto material = case_material(run.directory, {ids.begin(), ids.end()});
  if (!material) return fail(material.error());
  const std::vector<std::string> columns = material_columns(*material, ids);
  std::vector<std::string> cells = {"id", "probability"};
  for (const std::string& column : columns) cells.push_back(column_head(column));
  cells.emplace_back("label");
  std::string csv;
  append_csv_row(csv, cells);
  for (const std::size_t row : choice.rows) {
    cells = {run.cases[row].id, number_text(choice.probabilities[row])};
    for (const std::string& column : columns) {
      const Json* value = material->at(run.cases[row].id).if_contains(column);
      cells.push_back(value == nullptr ? "" : material_text(*value));
    }
    cells.emplace_back();
    append_csv_row(csv, cells);
  }
  return csv;
}

}  // namespace

Keys label_sample_keys() {
  return {{.name = "figure",
           .help = "The figure that people are to label, e.g. faithfulness.mean.",
           .required = true},
          {.name = "count",
           .type = KeyType::integer,
           .help = "How many cases.",
           .default_value = 100,
           .minimum = 1,
           .maximum = 10'000'000},
          {.name = "design",
           .help = "All cases alike, or as many from each range of the judge's scores.",
           .default_value = "uniform",
           .choices = {"uniform", "stratified"}},
          {.name = "seed",
           .type = KeyType::integer,
           .help = "Another one chooses other cases.",
           .default_value = 0},
          {.name = "output", .type = KeyType::path, .help = "The file to write; by default it is printed."},
          {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}};
}

int label_sample_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, label_sample_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("label-sample", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(label_sample_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  if (arguments->words.size() != 1)
    return bad_input(Error{ErrorKind::usage, "which run? assay label-sample DIR --figure NAME", {}},
                     surroundings);
  const auto run = read_run_scores(arguments->words[0]);
  if (!run) return bad_input(run.error(), surroundings);
  LabelPlan plan;
  plan.seed = static_cast<std::uint64_t>(resolved.config.integer("seed").value_or(0));
  plan.design = resolved.config.text("design") == "stratified" ? LabelPlan::Design::stratified
                                                               : LabelPlan::Design::uniform;
  const auto csv = sample_csv(*run, resolved.config.text("figure"),
                              static_cast<std::size_t>(resolved.config.integer("count").value_or(100)), plan);
  if (!csv) return bad_input(csv.error(), surroundings);
  if (!resolved.config.has("output")) {
    print(*csv);
  } else if (auto written = write_output(resolved.config.text("output"), *csv); !written) {
    return bad_input(written.error(), surroundings);
  }
  return kDone;
}

}  // namespace assay
