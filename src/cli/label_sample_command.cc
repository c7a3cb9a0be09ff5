#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "core/text.h"
#include "report/words.h"
#include "runs/labels/label_sample.h"
#include "runs/output.h"

namespace assay {
namespace {

LabelPlan::Design design_of(const std::string& name) {
  if (name == "stratified") return LabelPlan::Design::stratified;
  return name == "informative" ? LabelPlan::Design::informative : LabelPlan::Design::uniform;
}

// labels.csv as labels.html, beside it.
std::string page_path(const std::string& csv) {
  return std::filesystem::path(csv).replace_extension(".html").string();
}

}  // namespace

Keys label_sample_keys() {
  return {
      {.name = "figure",
       .help = "The figure that people are to label, e.g. faithfulness.mean.",
       .required = true},
      {.name = "count",
       .type = KeyType::integer,
       .help = "How many cases.",
       .default_value = 100,
       .minimum = 1,
       .maximum = 10'000'000},
      {.name = "design",
       .help = "All cases alike; as many from each range of the judge's scores; or more of those that the "
               "judge is less sure of.",
       .default_value = "uniform",
       .choices = {"uniform", "stratified", "informative"}},
      {.name = "seed",
       .type = KeyType::integer,
       .help = "Another one chooses other cases.",
       .default_value = 0},
      {.name = "output",
       .type = KeyType::path,
       .help = "The CSV file to write, with the same as a page beside it (labels.csv, labels.html); by "
               "default the CSV is printed."},
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
  const std::string output = resolved.config.text("output");
  const std::string page = page_path(output);
  if (!output.empty() && page == output) {
    return bad_input(
        Error{ErrorKind::usage,
              fmt::format("found {}, expected a name for the CSV file, such as labels.csv", output),
              {{"key", "output"}}},
        surroundings);
  }
  labels::SampleRequest request{.directory = arguments->words[0], .figure = resolved.config.text("figure")};
  request.count = static_cast<std::size_t>(resolved.config.integer("count").value_or(100));
  request.plan.seed = static_cast<std::uint64_t>(resolved.config.integer("seed").value_or(0));
  request.plan.design = design_of(resolved.config.text("design"));
  if (!output.empty()) request.file = std::filesystem::path(output).filename().string();
  const auto sample = labels::draw_label_sample(request);
  if (!sample) return bad_input(sample.error(), surroundings);
  if (output.empty()) {
    print(sample->csv);
    return kDone;
  }
  for (const auto& [path, text] : {std::pair(output, &sample->csv), std::pair(page, &sample->page)}) {
    if (auto written = write_output(path, *text); !written) return bad_input(written.error(), surroundings);
  }
  print(fmt::format("{} to label: fill in the column label of {}, or open {} in a browser and save\n",
                    counted_words(static_cast<std::int64_t>(sample->cases), "case", "cases"), output, page));
  return kDone;
}

}  // namespace assay
